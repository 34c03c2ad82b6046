"""What `deploy/` holds fits the server: its unit is sound, its image is made of what is there, its check is true."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from certificates import write_certificate
from kinpost_server.engine.ports import StoreFailed
from kinpost_server.settings.loading import keys
from running import LocalServer

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"


@pytest.fixture
def overrides():
    return {"http": {"enabled": True}}


async def checked(server) -> tuple[int | None, str]:
    """Run the container's health check against a server; return its exit code and what it says."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", DEPLOY / "health-check", server.http_address.rpartition(":")[2]),
        stderr=asyncio.subprocess.PIPE,
    )
    _, said = await process.communicate()
    return process.returncode, said.decode()


async def test_the_health_check_is_good_as_long_as_the_store_answers(server, monkeypatch):
    assert await checked(server) == (0, "")

    def away():
        raise StoreFailed("the disk is gone")

    monkeypatch.setattr(server.opened.own_reader, "ping", away)
    code, said = await checked(server)
    assert (code, said.startswith("not ready: ")) == (1, True)


async def test_the_health_check_speaks_tls_where_the_server_does(tmp_path, service_log):
    write_certificate(tmp_path, "another.name")
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    server = LocalServer(
        tmp_path / "data",
        {"server": {"tls_cert_file": str(certificate), "tls_key_file": str(key)}, "http": {"enabled": True}},
    )
    await server.start()
    assert await checked(server) == (0, "")
    await server.stop()
    assert (await checked(server))[0] == 1


def test_the_image_is_made_of_what_is_there():
    text = (DEPLOY / "Containerfile").read_text()
    for line in re.findall(r"^COPY (?!--from)(.+)$", text, re.MULTILINE):
        *sources, _target = [word for word in line.split() if not word.startswith("--")]
        for source in sources:
            assert (ROOT / source).exists(), source
    copied = {source for line in re.findall(r"^COPY (?!--)(.+)$", text, re.MULTILINE) for source in line.split()[:-1]}
    assert {"pyproject.toml", "server", "clients", "bindings/python"} <= copied
    assert "." not in copied


@pytest.mark.parametrize("name", ["Containerfile", "kinpost.service"])
def test_each_variable_is_a_setting(name):
    known = {key.variable for key in keys()}
    named = set(re.findall(r"\bKINPOST_[A-Z]\w*", (DEPLOY / name).read_text()))
    assert named
    assert named <= known


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_the_unit_is_sound(tmp_path):
    unit = tmp_path / "kinpost.service"
    text = (DEPLOY / "kinpost.service").read_text()
    assert "ExecStart=/opt/kinpost/bin/kinpost serve " in text
    unit.write_text(text.replace("/opt/kinpost/bin/kinpost", "/bin/sh"))
    ran = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False, timeout=100)
    assert (ran.returncode, ran.stdout + ran.stderr) == (0, "")
