"""What `scripts/generate-docs` does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reference.pages import generated_pages
from reference.picture import picture

PICTURE = "docs/concepts/life-of-a-message.svg"


def main(root: Path, arguments: Sequence[str]) -> int:
    """Write the picture; with a folder as the only argument, the pages below it. Returns the exit code."""
    if len(arguments) > 1 or (arguments and arguments[0].startswith("-")):
        print("usage: scripts/generate-docs [FOLDER]")
        return 2
    _write(root / PICTURE, picture())
    for folder in arguments:
        for place, text in generated_pages(root).items():
            _write(Path(folder) / place, text)
    return 0


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    print(path)
