"""Every generated page of the documentation, by its place under `docs/`."""

from __future__ import annotations

from pathlib import Path

from reference.cli_page import cli_page
from reference.contract import read_contract
from reference.errors_page import errors_page
from reference.http_page import http_page
from reference.settings_page import settings_page
from reference.wire_pages import WirePages


def generated_pages(root: Path) -> dict[str, str]:
    """Return place and text of each page, from the checkout at `root`. Raises ToolError."""
    wire = WirePages(read_contract(root))
    return {
        "reference/rpc.md": wire.rpc_page(),
        "reference/events.md": wire.events_page(),
        "reference/errors.md": errors_page(),
        "reference/settings.md": settings_page(),
        "reference/cli.md": cli_page(),
        "reference/http.md": http_page(),
    }
