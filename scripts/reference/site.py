"""The hook of MkDocs: adds the generated pages, and the pages of the repository that lie beside `docs/`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = str(ROOT / "scripts")

BESIDE = {
    "project/architecture.md": "ARCHITECTURE.md",
    "project/threat-model.md": "THREAT_MODEL.md",
    "project/changelog.md": "CHANGELOG.md",
}


def on_files(files: Files, *, config: Any) -> Files:
    """Add them."""
    if SCRIPTS not in sys.path:  # MkDocs loads a hook by its path, without its package
        sys.path.insert(0, SCRIPTS)
    from reference.pages import generated_pages  # noqa: PLC0415 - found by the lines above

    pages = generated_pages(ROOT)
    pages |= {place: (ROOT / source).read_text("utf-8") for place, source in BESIDE.items()}
    for place, text in pages.items():
        files.append(File.generated(config, place, content=text))
    return files
