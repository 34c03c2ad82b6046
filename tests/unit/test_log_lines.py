"""What the server and its libraries log: one form for all, and of an accident its kind and place, not its words."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

SCRIPT = """
import logging, sys, structlog
from kinpost_server.main import configure_log
configure_log("info", sys.argv[1])
def fail(body):
    raise ValueError(body)
try:
    fail("a-" + "body")
except ValueError:
    logging.getLogger("grpc").exception("in a %s", "handler")
logging.getLogger("uvicorn").warning("of a library")
logging.getLogger("uvicorn").info("too little")
structlog.get_logger().warning("ours", count=1)
"""


def logged(form: str) -> str:
    ran = subprocess.run([sys.executable, "-c", SCRIPT, form], capture_output=True, text=True, check=True, timeout=100)
    assert ran.stdout == ""
    return ran.stderr


def test_in_json_every_line_is_an_object():
    lines = [json.loads(line) for line in logged("json").splitlines()]
    assert [line["event"] for line in lines] == ["in a handler", "of a library", "ours"]
    assert all(line["timestamp"] and line["level"] for line in lines)
    assert (lines[0]["logger"], lines[0]["kinds"]) == ("grpc", ["builtins.ValueError"])
    assert lines[2]["count"] == 1


@pytest.mark.parametrize("form", ["json", "text"])
def test_the_words_of_an_accident_are_not_logged(form):
    text = logged(form)
    assert "builtins.ValueError" in text
    assert "a-body" not in text
    assert "of a library" in text
    assert "too little" not in text
