"""The site builds under strict rules, tells of everything, and loads nothing from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from kinpost.v1 import (
    admin_service_pb2,
    approval_service_pb2,
    event_pb2,
    event_service_pb2,
    messaging_service_pb2,
    peer_service_pb2,
    producer_service_pb2,
    run_service_pb2,
    session_service_pb2,
    tool_service_pb2,
)
from kinpost_server.settings import keys
from kinpost_server.transport.status import TABLE
from reference.cli_page import commands
from reference.http_page import http_document
from reference.pages import generated_pages
from reference.picture import picture
from reference.writing import PICTURE

ROOT = Path(__file__).parents[2]
SERVICES = [
    *(admin_service_pb2, approval_service_pb2, event_service_pb2, messaging_service_pb2, peer_service_pb2),
    *(producer_service_pb2, run_service_pb2, session_service_pb2, tool_service_pb2),
]
FILES = sorted(path.relative_to(ROOT / "proto").as_posix() for path in (ROOT / "proto").rglob("*.proto"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    folder = tmp_path_factory.mktemp("site")
    done = build(ROOT / "mkdocs.yml", folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def written() -> dict[str, str]:
    """The generated pages."""
    return generated_pages(ROOT)


def build(config: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [Path(sys.executable).with_name("mkdocs"), "build", "--strict", "-f", config, "-d", folder],
        check=False,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )


class Loaded(HTMLParser):
    """What a page makes a browser load, and what it only links to."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if tag == "link" and "canonical" not in (found.get("rel") or ""):
            self.addresses.append(found.get("href") or "")
        elif tag in ("script", "img", "iframe", "source", "video", "audio", "object", "embed"):
            self.addresses.append(found.get("src") or found.get("data") or "")


def test_every_page_is_built(site):
    built = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    places = [path.relative_to(ROOT / "docs").with_suffix("").as_posix() for path in (ROOT / "docs").rglob("*.md")]
    expected = {f"{place}/index.html" if place != "index" else "index.html" for place in places}
    assert expected <= built
    assert {f"reference/{name}/index.html" for name in ("rpc", "events", "errors", "settings", "cli", "http")} <= built


def test_nothing_is_loaded_from_another_host(site):
    outside = []
    for path in site.rglob("*.html"):
        page = Loaded()
        page.feed(path.read_text("utf-8"))
        outside += [f"{path.name}: {address}" for address in page.addresses if re.match(r"(https?:)?//", address)]
    for path in site.rglob("*.css"):
        outside += [
            f"{path.name}: {found}" for found in re.findall(r"url\(\s*[\"']?(?:https?:)?//[^)]*", path.read_text())
        ]
    assert outside == []


@pytest.mark.parametrize("link", ["nowhere.md", "index.md#nowhere", "reference/errors.md#nowhere", "/absolute.md"])
def test_a_broken_link_ends_the_build(link: str, tmp_path: Path):
    (tmp_path / "docs/reference").mkdir(parents=True)
    (tmp_path / "docs/index.md").write_text(f"# A\n\n[broken]({link})\n")
    (tmp_path / "docs/reference/errors.md").write_text('# B\n\n<span id="here"></span>\n')
    text = (ROOT / "mkdocs.yml").read_text("utf-8")
    text = re.sub(r"^(hooks|nav|extra_css):\n(?:[ ].*\n?)+", "", text, flags=re.MULTILINE)
    (tmp_path / "mkdocs.yml").write_text(text)
    done = build(tmp_path / "mkdocs.yml", tmp_path / "site")
    assert done.returncode != 0
    assert "WARNING" in done.stderr


def test_the_picture_is_that_of_the_table():
    assert (ROOT / PICTURE).read_text("utf-8") == picture(), "`scripts/generate-docs` draws it anew"


def test_the_table_beside_the_picture_is_that_of_the_architecture():
    """Which a tidy test holds equal to the code."""
    page, architecture = (
        (ROOT / name).read_text("utf-8") for name in (PICTURE.replace(".svg", ".md"), "ARCHITECTURE.md")
    )
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    assert len(rows) == 9
    assert "\n".join(rows) in architecture


def test_every_rpc_and_message_is_told(written):
    rpc = written["reference/rpc.md"]
    for module in SERVICES:
        for service in module.DESCRIPTOR.services_by_name.values():
            assert f"\n## {service.name} " in rpc
            for method in service.methods:
                assert f"{{ #{f'{service.name}-{method.name}'.lower()} }}" in rpc
            for message in module.DESCRIPTOR.message_types_by_name.values():
                assert f"\n### {message.name} " in rpc
                assert all(f"| `{field.name}` |" in rpc for field in message.fields)


def test_nothing_of_the_contract_is_without_words(written):
    """A table cell without text is a thing without a comment. The zero of an enumeration needs none."""
    rows = [line for page in ("rpc", "events") for line in written[f"reference/{page}.md"].splitlines()]
    silent = [line for line in rows if line.startswith("| `") and line.endswith("|  |")]
    assert [line for line in silent if "_UNSPECIFIED`" not in line] == []


def test_every_event_is_told(written):
    payloads = [field.message_type for field in event_pb2.Event.DESCRIPTOR.oneofs_by_name["payload"].fields]
    for payload in payloads:
        assert f"\n## {payload.name} " in written["reference/events.md"]


def test_every_setting_error_command_and_route_is_told(written):
    assert all(f"`{key.variable}`" in written["reference/settings.md"] for key in keys())
    errors = written["reference/errors.md"]
    for refusal, row in TABLE.items():
        (line,) = (line for line in errors.splitlines() if f"</span>`{refusal.code}` |" in line)
        assert f"| `{row.grpc_code.name}` | {row.http_status} " in line
        assert line.endswith("| yes |" if row.repeatable else "| no |")
        assert (refusal.__doc__ or "")[:20].replace("`", "") in line.replace("`", "").replace("\\", "")
    assert all(f"## kinpost {' '.join(words)} " in written["reference/cli.md"] for words, _ in commands())
    http = written["reference/http.md"]
    for path, methods in http_document()["paths"].items():
        assert all(f"`{method.upper()} {path}`" in http for method in methods)


def test_the_pages_hold_no_code_blocks_of_their_own(written):
    """Those would be run by nobody."""
    assert [place for place, text in written.items() if "```" in text] == []
