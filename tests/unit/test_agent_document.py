"""Agent documents: the rules that front matter holds, and the place of what is wrong with it."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from kinpost_server.domain.permission import Decision
from kinpost_server.transport import agent_document
from kinpost_server.transport.agent_document import AgentDocumentInvalid, rules_of_document

PREFERRED = agent_document._Loader
ALLOW, ASK, DENY = Decision.ALLOW, Decision.ASK, Decision.DENY


@pytest.fixture(params=["libyaml", "python"], autouse=True)
def parser(request, monkeypatch):
    """PyYAML parses in C where it was built so, and in Python elsewhere: both have to agree."""
    loaders = {"libyaml": yaml.CSafeLoader, "python": yaml.SafeLoader}
    monkeypatch.setattr(agent_document, "_Loader", loaders[request.param])


def document(front_matter: str) -> str:
    return f"---\n{front_matter}\n---\n\n# Explore\n\nYou explore code bases.\n"


def rules(*lines: str) -> str:
    """A document with these lines under `permissions.message`; the first of them is line 4."""
    return document("\n".join(["permissions:", "  message:", *(f"    {line}" for line in lines)]))


def test_the_faster_parser_is_used_where_it_exists():
    assert PREFERRED is yaml.CSafeLoader


def test_rules_are_read_in_their_order():
    read = rules_of_document(
        rules('"child": allow      # mine', "parent: 'ask'", "sib*: deny", '"*": "deny"', "'*ling': ask")
    )

    assert list(read.items()) == [
        ("child", ALLOW), ("parent", ASK), ("sib*", DENY), ("*", DENY), ("*ling", ASK),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "---\npermissions: {message: {child: allow}}\n---\n",
        "---\npermissions: {message: {child: allow}}\n---",
        "---\npermissions: {message: {child: allow}}\n...\ntext",
        "---  \npermissions: {message: {child: allow}}\n---\t\ntext\n---\nmore\n---\n",
        "---\r\npermissions:\r\n  message:\r\n    child: allow\r\n---\r\ntext",
        "---\rpermissions: {message: {child: allow}}\r---\rtext",
        "\ufeff---\npermissions: {message: {child: allow}}\n---\n",
        "---\n# a comment\npermissions:\n  message: &rules {child: &yes allow}\n---\n",
        "---\ntools: [{1: one, on: push}]\npermissions: {delegate: {1: 1}, message: {child: !!str allow}}\n---\n",
    ],
)
def test_front_matter_is_found_in_every_form(text):
    assert rules_of_document(text) == {"child": ALLOW}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "You explore code bases.",
        "\n---\npermissions: {message: {child: allow}}\n---\n",  # not the first line
        " ---\npermissions: {message: {child: allow}}\n---\n",
        "----\npermissions: {message: {child: allow}}\n----\n",
        "---\n---\n",
        "---\n\n# nothing\n---\ntext",
        "---\nname: explore\n---\n",
        "---\npermissions:\n---\n",
        "---\npermissions:\n  message:\n  # child: allow\n---\n",
        "---\npermissions: {delegate: {child: allow}}\n---\n",
        "---\npermissions: {message: {}}\n---\n",
        "---\nMessage: {child: allow}\nmessage: {child: allow}\n---\n",
    ],
)
def test_a_document_without_rules_has_none(text):
    assert rules_of_document(text) == {}


@pytest.mark.parametrize(
    "text, place, reason",
    [
        (rules("child: maybe"), "permissions.message.child", "must be allow, ask or deny, not maybe"),
        (rules("child: Allow"), "permissions.message.child", "must be allow, ask or deny, not Allow"),
        (rules("child: yes"), "permissions.message.child", "must be allow, ask or deny, not yes"),
        (rules("child: 1"), "permissions.message.child", "must be allow, ask or deny, not 1"),
        (rules("child:"), "permissions.message.child", "must be allow, ask or deny, not ''"),
        (rules("child: [allow]"), "permissions.message.child", "must be allow, ask or deny, not a list"),
        (rules("child: {a: b}"), "permissions.message.child", "must be allow, ask or deny, not a mapping"),
        (rules("child: !mine allow"), "permissions.message.child", "must be allow, ask or deny, not allow"),
        (rules('child: "allow\\n"'), "permissions.message.child", "must be allow, ask or deny, not 'allow\\n'"),
        (rules("child: allow", "child: allow"), "permissions.message.child", "this key is given twice"),
        (rules("child: allow", '"child": deny'), "permissions.message.child", "this key is given twice"),
        (document("permissions: {}\npermissions: {}"), "permissions", "this key is given twice"),
        (document("a: [{b: 1, b: 2}]"), "a.b", "this key is given twice"),
        (document("- child: allow"), "the front matter", "this must be a mapping"),
        (document("allow"), "the front matter", "this must be a mapping"),
        (document("permissions: allow"), "permissions", "this must be a mapping"),
        (document("permissions: {message: allow}"), "permissions.message", "this must be a mapping"),
        (document("permissions: {message: [child]}"), "permissions.message", "this must be a mapping"),
        (rules("yes: allow"), "permissions.message", "keys must be text: yes is not, without quotes"),
        (rules("1: allow"), "permissions.message", "keys must be text: 1 is not, without quotes"),
        (rules("? [a, b]", ": allow"), "permissions.message", "keys must be text: a list is not, without quotes"),
        (rules("<<: {child: allow}"), "permissions.message", "keys must be text: '<<' is not, without quotes"),
        (document("permissions: {null: 1}"), "permissions", "keys must be text: null is not, without quotes"),
        (rules('"": allow'), "permissions.message.''", "a pattern is 1 to 64 characters long"),
        (
            rules(f"{'p' * 65}: allow"),
            f"permissions.message.'{'p' * 61}...'",
            "a pattern is 1 to 64 characters long",
        ),
        (
            rules('"chi\\u200bld": allow'),
            "permissions.message.'chi\\u200bld'",
            "a pattern holds no control or invisible characters",
        ),
        (
            rules('"chi\\nld": allow'),
            "permissions.message.'chi\\nld'",
            "a pattern holds no control or invisible characters",
        ),
        (
            rules(*(f"p{number}: allow" for number in range(65))),
            "permissions.message",
            "65 rules, at most 64 are allowed",
        ),
        (rules("*: deny"), "line 4", 'a key that begins with * must be quoted, "*": deny'),
        (rules("child: allow", "* : deny"), "line 5", 'a key that begins with * must be quoted, "*": deny'),
        (document("permissions: {message: {*: deny}}"), "line 2", 'a key that begins with * must be quoted, "*": deny'),
        (
            rules("*ling: deny"),
            "line 4",
            'aliases are not allowed; a key that begins with * must be quoted, "*": deny',
        ),
        (
            document("a: &a [x, x]\nb: &b [*a, *a]"),
            "line 3",
            'aliases are not allowed; a key that begins with * must be quoted, "*": deny',
        ),
        (document("a: 1\n--- x\nb: 2"), "line 3", "only one YAML document is allowed"),
        ("---\nname: explore\n", "line 1", "the front matter has no closing line ---"),
        ("---", "line 1", "the front matter has no closing line ---"),
        (document("a: \0"), "", "the front matter holds a character that YAML does not allow"),
        (document("a: \ud800"), "", "the front matter holds a character that YAML does not allow"),
        (document("[" * 33 + "]" * 33), "line 2", "more than 32 levels of nesting"),
        (document("- " * 100_000), "line 2", "more than 32 levels of nesting"),
        (document("{a: " * 60_000), "line 2", "more than 32 levels of nesting"),
    ],
)  # fmt: skip
def test_malformed_front_matter_is_refused_with_its_place(text, place, reason):
    with pytest.raises(AgentDocumentInvalid) as refused:
        rules_of_document(text)

    prefix = f"agent_document: {place}" if place else "agent_document"
    assert str(refused.value) == f"{prefix}: {reason}"
    assert (refused.value.place, refused.value.reason) == (prefix, reason)
    assert isinstance(refused.value, ValueError)


@pytest.mark.parametrize(
    "front_matter, line",
    [("a: b: c", 2), ("a: 1\n\tb: 2", 3), ("a: {", 3), ('a: "x', 3), ("%YAML 9.0\n--- \na: 1", 2), ("a: !x!y z", 2)],
)
def test_what_is_not_yaml_is_refused_with_its_line(front_matter, line):
    with pytest.raises(AgentDocumentInvalid, match=r"^agent_document: line \d+: .") as refused:
        rules_of_document(document(front_matter))

    # the parsers differ in where they see the end of what is open
    assert int(refused.value.place.split()[-1]) in {line, line - 1}


def test_nothing_is_constructed_from_tags():
    assert rules_of_document(document("a: !!python/object/apply:os.abort []")) == {}


def test_the_limit_counts_bytes_of_utf_8():
    limit = 262144
    head = "---\npermissions: {message: {child: allow}}\n---\n"
    assert rules_of_document(head + "x" * (limit - len(head))) == {"child": ALLOW}
    for text in (head + "x" * (limit - len(head) + 1), head + "é" * (limit // 2)):
        with pytest.raises(AgentDocumentInvalid, match=f"^agent_document: at most {limit} bytes"):
            rules_of_document(text)


def test_depth_up_to_the_limit_is_read():
    assert rules_of_document(document("deep: " + "[" * 31 + "]" * 31)) == {}


PIECES = st.sampled_from(
    ["permissions:", "message:", "child:", " allow", " deny", "\n", "\n  ", "\n    ", "*", '"*":', "[", "]", "{", "}",
     "&a", "*a", "- ", "? ", ": ", "!!str ", "!x", "|", ">", "'", '"', "#", "%", "---", "...",
     "\t", "é", "\0", "@", "<<: "]
)  # fmt: skip


@settings(deadline=None, max_examples=200)
@given(st.lists(PIECES, max_size=20).map("".join) | st.text(st.characters(), max_size=40))
def test_any_front_matter_gives_rules_or_a_refusal_of_bounded_text(front_matter):
    try:
        answer = str(set(rules_of_document(f"---\n{front_matter}\n---\n").values()) - set(Decision))
    except AgentDocumentInvalid as refused:
        answer = str(refused)

    assert answer == "set()" or answer.startswith("agent_document: ")
    assert answer.isprintable()
    assert len(answer.encode()) <= 700
