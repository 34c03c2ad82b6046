"""Markdown, as far as the generated pages need it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_CODE = re.compile(r"(`+[^`]*`+)")


def prose(text: str) -> str:
    """Return text for people as Markdown: what is not within backticks stands for itself."""
    parts = _CODE.split(text)
    return "".join(part if index % 2 else _literal(part) for index, part in enumerate(parts))


def _literal(text: str) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\*_\[\]])", r"\\\1", text)


def code(text: object) -> str:
    """Return a code span; empty for empty text."""
    return f"`{text}`" if str(text) else ""


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a table's lines, with an empty line after it; nothing without rows."""
    cells = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    if not cells:
        return []
    return [
        f"| {' | '.join(heads)} |",
        f"|{' --- |' * len(heads)}",
        *(f"| {' | '.join(row)} |" for row in cells),
        "",
    ]


def heading(level: int, title: str, anchor: str) -> list[str]:
    """Return a heading that can be linked to."""
    return [f"{'#' * level} {title} {{ #{anchor} }}", ""]


def page(title: str, lines: Iterable[str]) -> str:
    """Return a page's text, with the mark by which the style sheet knows a page of the reference."""
    return "\n".join([f"# {title}", "", '<span class="reference"></span>', "", *lines]).rstrip() + "\n"
