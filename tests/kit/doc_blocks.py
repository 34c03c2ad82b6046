"""The code blocks of Markdown pages, in order, with what the page's source says of running them.

What it says stands in an HTML comment right before the block, so that readers do not see it:

* `<!-- not run: REASON -->`: it cannot be run here, and why.
* `<!-- dry run: REASON -->`: of commands of make only, that make knows what they would do, and why no more.
* `<!-- background -->`: it does not end by itself. It is waited for until what is shown has come out; with
  `<!-- background: TEXT -->` until it has printed a line with this text.
* `<!-- ends with: CODE -->`: the exit code of its commands, when it is not 0.
* `<!-- shown by: COMMAND -->`: a text whose lines the command prints, in this order, perhaps with others between.
* `<!-- appears in: COMMAND -->`: a text whose lines the command, which runs in the background, prints some time.
* `<!-- before: CODE -->`: code of the same language that goes before it; a command before those of a console.
* `<!-- scene: NAME -->`: what `tests/docs/scenes/NAME.py` makes has to be there first. It stands for itself, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

LANGUAGES = {"bash", "console", "json", "markdown", "python", "sh", "text", "toml", "typescript"}
ORDERS = {"not run", "dry run", "background", "ends with", "shown by", "appears in", "before", "scene"}
COMMENT = re.compile(r"<!--\s*(.*?)\s*-->", re.DOTALL)
ORDER = re.compile(r"([a-z ]+?)(?::\s*(.*))?", re.DOTALL)
TITLE = re.compile(r'([a-z]*)(?:\s+title="([\w.-]+(?:/[\w.-]+)*)")?')
FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})(.*)$")


class WrongPage(Exception):
    """A page says something that the collector does not understand."""


@dataclass(frozen=True)
class Block:
    """One code block. `title` is the file that it is the content of, if any."""

    page: str
    line: int
    language: str
    title: str
    text: str
    orders: dict[str, str] = field(default_factory=dict)

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


@dataclass(frozen=True)
class Scene:
    """What has to be there before the next block."""

    page: str
    line: int
    name: str


def steps_of(page: str, text: str) -> list[Block | Scene]:
    """The blocks and scenes of a page, in order. Raises WrongPage."""
    return list(_steps(page, MarkdownIt("commonmark").enable("table").parse(text)))


def blocks_of(page: str, text: str) -> list[Block]:
    """The blocks of a page, in order. Raises WrongPage."""
    return [step for step in steps_of(page, text) if isinstance(step, Block)]


def _steps(page: str, tokens: list[Token]) -> Iterator[Block | Scene]:
    orders: dict[str, str] = {}
    for token in tokens:
        line = token.map[0] + 1 if token.map else 0
        place = f"{page}:{line}"
        if token.type == "html_block":
            for name, value in _orders(place, token.content):
                if name == "scene":
                    yield Scene(page, line, value)
                else:
                    orders[name] = value
            continue
        if token.type == "code_block":
            raise WrongPage(f"{place}: a code block by indentation has no language; fence it")
        if token.type == "fence":
            yield _block(page, line, token, orders)
        elif orders:
            raise WrongPage(f"{place}: {', '.join(orders)}: no code block follows")
        orders = {}
    if orders:
        raise WrongPage(f"{page}: {', '.join(orders)}: no code block follows")


def _block(page: str, line: int, token: Token, orders: dict[str, str]) -> Block:
    found = TITLE.fullmatch(token.info.strip())
    if found is None or found.group(1) not in LANGUAGES:
        raise WrongPage(f"{page}:{line}: no runner for a block of {token.info.strip() or 'no language'!r}")
    block = Block(page, line, found.group(1), found.group(2) or "", token.content, orders)
    if "not run" in orders and not orders["not run"]:
        raise WrongPage(f"{block.place}: a block that is not run says why")
    if block.language == "text" and not {"not run", "shown by", "appears in"} & set(orders):
        raise WrongPage(f"{block.place}: a text says where it comes from")
    return block


def _orders(place: str, html: str) -> Iterator[tuple[str, str]]:
    rest = COMMENT.sub("", html).strip()
    if rest and not rest.startswith(("<p", "<div", "<img", "</")):
        raise WrongPage(f"{place}: {rest.splitlines()[0]!r} is neither a comment nor a picture")
    for comment in COMMENT.findall(html):
        found = ORDER.fullmatch(comment)
        if found is None or found.group(1) not in ORDERS:
            raise WrongPage(f"{place}: {comment.splitlines()[0]!r} is none of {', '.join(sorted(ORDERS))}")
        yield found.group(1), found.group(2) or ""


def fences_in(text: str) -> int:
    """How many fences a page opens, read line by line and not by the parser of Markdown."""
    opened, count = "", 0
    for line in text.splitlines():
        found = FENCE.match(line)
        if found is None:
            continue
        if not opened:
            opened, count = found.group(1), count + 1
        elif found.group(1).startswith(opened) and not found.group(2).strip():
            opened = ""
    return count


def code_spans(text: str) -> Iterator[str]:
    """The code spans of a page's prose and tables."""
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        yield from (child.content for child in token.children or () if child.type == "code_inline")


def pages(root: Path) -> list[str]:
    """The pages that are held to this: the README and everything below docs/."""
    return ["README.md", *sorted(path.relative_to(root).as_posix() for path in (root / "docs").rglob("*.md"))]
