"""Agent documents: Markdown with YAML front matter, from which the message rules are read and nothing else.

A document begins with `---` on a line of its own; up to the next such line it is YAML:

    permissions:
      message:
        child: allow
        "*": deny

Built-in agents (`default`, `explore`) have no document and so no rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from kinpost_server.domain.permission import Decision, RulesInvalid, check_rules

DOCUMENT_BYTES_MAX = 256 * 1024
# Deeper nesting has no use here, and composing it would take as much stack.
DEPTH_MAX = 32
_SHOWN_CHARACTERS_MAX = 64
_REASON_CHARACTERS_MAX = 200

# The parser in C is twenty times faster; a PyYAML that was built without it still works.
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_OPENING = re.compile(r"\ufeff?---[ \t]*(?:\n|\Z)")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_TEXT_TAG = "tag:yaml.org,2002:str"
_NULL_TAG = "tag:yaml.org,2002:null"
_STAR_ADVICE = 'a key that begins with * must be quoted, "*": deny'


class _Mark(Protocol):
    """A place in the front matter; the two parsers have a class each for it."""

    @property
    def line(self) -> int: ...


class AgentDocumentInvalid(ValueError):
    """The document's front matter is not well formed; the text names the place in it."""

    def __init__(self, place: str, reason: str) -> None:
        self.place = f"agent_document: {place}" if place else "agent_document"
        self.reason = reason[:_REASON_CHARACTERS_MAX]
        super().__init__(f"{self.place}: {self.reason}")


def rules_of_document(document: str) -> dict[str, Decision]:
    """Return the rules under `permissions.message`; none when they or the front matter are absent.

    Keys that are not ours are ignored. Raises AgentDocumentInvalid for more than 256 KiB of UTF-8, front
    matter that does not end, is not YAML, or holds aliases, a key twice or more than 32 levels, and for rules
    that are not a mapping of patterns (see check_rules) to allow, ask or deny.
    """
    if len(document) > DOCUMENT_BYTES_MAX or len(document.encode(errors="replace")) > DOCUMENT_BYTES_MAX:
        raise AgentDocumentInvalid("", f"at most {DOCUMENT_BYTES_MAX} bytes of UTF-8 are allowed")
    front_matter = _front_matter(document.replace("\r\n", "\n").replace("\r", "\n"))
    root = _composed(front_matter) if front_matter is not None else None
    node = _entry(_entry(root, "the front matter", "permissions"), "permissions", "message")
    rules = {
        pattern: _decision(value, f"permissions.message.{_shown(pattern)}")
        for pattern, value in _entries(node, "permissions.message")
    }
    try:
        check_rules(rules)
    except RulesInvalid as error:
        place = "permissions.message" + ("" if error.pattern is None else f".{_shown(error.pattern)}")
        raise AgentDocumentInvalid(place, error.reason) from error
    return rules


def _front_matter(document: str) -> str | None:
    """Return what stands between the first line `---` and the next, or None without the first."""
    opening = _OPENING.match(document)
    if opening is None:
        return None
    closing = _CLOSING.search(document, opening.end())
    if closing is None:
        raise AgentDocumentInvalid("line 1", "the front matter has no closing line ---")
    return document[opening.end() : closing.start()]


def _composed(front_matter: str) -> Node | None:
    try:
        # Looked through before anything is built: an alias may stand for more than memory holds.
        _check_events(front_matter)
        root: Node | None = yaml.compose(front_matter, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        about_alias = "alias" in (error.context or "")
        reason = _STAR_ADVICE if about_alias else error.problem or "it is not YAML"
        raise AgentDocumentInvalid(_line(error.problem_mark or error.context_mark), reason) from error
    except (yaml.YAMLError, UnicodeError) as error:
        raise AgentDocumentInvalid("", "the front matter holds a character that YAML does not allow") from error
    if root is not None:
        _check_unique(root, "")
    return root


def _check_events(front_matter: str) -> None:
    depth = documents = 0
    for event in yaml.parse(front_matter, Loader=_Loader):
        if isinstance(event, yaml.AliasEvent):
            raise AgentDocumentInvalid(_line(event.start_mark), f"aliases are not allowed; {_STAR_ADVICE}")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEPTH_MAX:
                raise AgentDocumentInvalid(_line(event.start_mark), f"more than {DEPTH_MAX} levels of nesting")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise AgentDocumentInvalid(_line(event.start_mark), "only one YAML document is allowed")


def _check_unique(node: Node, place: str) -> None:
    """Raise for a key that a mapping holds twice, wherever it is: what one of the two says would be lost."""
    if isinstance(node, SequenceNode):
        for value in node.value:
            _check_unique(value, place)
    elif isinstance(node, MappingNode):
        seen = set()
        for key, value in node.value:
            inner = f"{place}.{_shown(_text(key))}".lstrip(".")
            if isinstance(key, ScalarNode):
                if (key.tag, key.value) in seen:
                    raise AgentDocumentInvalid(inner, "this key is given twice")
                seen.add((key.tag, key.value))
            _check_unique(key, inner)
            _check_unique(value, inner)


def _entries(node: Node | None, place: str) -> Iterator[tuple[str, Node]]:
    """Yield the keys and values of a mapping, which an absent or empty one has none of."""
    if node is None or node.tag == _NULL_TAG:
        return
    if not isinstance(node, MappingNode):
        raise AgentDocumentInvalid(place, "this must be a mapping")
    for key, value in node.value:
        if not isinstance(key, ScalarNode) or key.tag != _TEXT_TAG:
            raise AgentDocumentInvalid(place, f"keys must be text: {_shown(_text(key))} is not, without quotes")
        yield key.value, value


def _entry(node: Node | None, place: str, wanted: str) -> Node | None:
    return dict(_entries(node, place)).get(wanted)


def _decision(node: Node, place: str) -> Decision:
    text = _text(node)
    if not isinstance(node, ScalarNode) or node.tag != _TEXT_TAG or text not in set(Decision):
        raise AgentDocumentInvalid(place, f"must be allow, ask or deny, not {_shown(text)}")
    return Decision(text)


def _text(node: Node) -> str:
    return node.value if isinstance(node, ScalarNode) else "a mapping" if isinstance(node, MappingNode) else "a list"


def _shown(text: str) -> str:
    """Return a key or a value for an error's text: short, one line, and in quotes where it is no plain word."""
    if re.fullmatch(r"[A-Za-z0-9_*? -]{1,64}", text):
        return text
    shown = ascii(text[: _SHOWN_CHARACTERS_MAX + 1])
    return shown if len(shown) <= _SHOWN_CHARACTERS_MAX + 2 else f"{shown[: _SHOWN_CHARACTERS_MAX - 2]}...'"


def _line(mark: _Mark | None) -> str:
    # The front matter begins on the document's second line, marks count from 0.
    return f"line {mark.line + 2}" if mark is not None else ""
