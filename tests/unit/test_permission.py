"""Permission rules: which decision wins, and what a recipient is to its sender."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kinpost_server.domain.permission import (
    Decision,
    Relationship,
    RulesInvalid,
    check_rules,
    decide,
    may_message_anyone,
    relationship,
)

ALLOW, ASK, DENY = Decision.ALLOW, Decision.ASK, Decision.DENY
LABELS = ["parent", "child", "sibling", "*"]
TREE = {  # session -> parent; two trees
    "root": None,
    "mother": "root",
    "aunt": "root",
    "daughter": "mother",
    "son": "mother",
    "cousin": "aunt",
    "grandson": "son",
    "other-root": None,
    "stranger": "other-root",
}


@pytest.mark.parametrize(
    "rules, label, expected",
    [
        ({}, "child", DENY),
        ({"child": ALLOW}, "child", ALLOW),
        ({"child": ALLOW}, "parent", DENY),
        ({"child": ALLOW}, "*", DENY),
        ({"*": ALLOW}, "sibling", ALLOW),
        ({"*": ASK}, "*", ASK),
        ({"*": ALLOW, "child": DENY}, "child", DENY),
        ({"child": ASK, "chil*": ALLOW, "c*d": DENY}, "child", ASK),
        ({"c*": DENY, "ch*": ALLOW}, "child", ALLOW),
        ({"*": DENY, "sib*": ASK}, "sibling", ASK),
        # stars do not count towards the literal part
        ({"c*******": DENY, "c*d": ALLOW}, "child", ALLOW),
        # equals: the stricter one
        ({"c*": ALLOW, "*d": ASK}, "child", ASK),
        ({"*d": DENY, "c*": ALLOW}, "child", DENY),
        ({"c*": ASK, "*d": DENY, "*h*": ALLOW}, "child", DENY),
        # the label `*` is a text like another: only patterns of stars fit it
        ({"c*": ALLOW, "parent": ALLOW}, "*", DENY),
        ({"**": ASK}, "*", ASK),
        ({"**": ASK, "*": ALLOW}, "*", ALLOW),
        # nothing else is special
        ({"?hild": ALLOW, "[c]hild": ALLOW, "c.*": ALLOW, "Child": ALLOW, "child ": ALLOW}, "child", DENY),
        # a piece may not be used twice
        ({"child*child": ALLOW, "chi*ild": ALLOW}, "child", DENY),
        ({"*h*h*": ALLOW, "*i*h*": ALLOW}, "child", DENY),
    ],
)
def test_the_most_literal_rule_wins_and_nothing_is_deny(rules, label, expected):
    assert decide(rules, label) is expected


@given(
    pattern=st.text("*child", max_size=12),
    label=st.text("child*", max_size=9) | st.sampled_from(LABELS),
)
def test_a_pattern_matches_as_if_each_star_were_any_text(pattern, label):
    expected = ".*".join(map(re.escape, pattern.split("*")))

    matched = decide({pattern: ALLOW}, label) is ALLOW

    assert matched == (re.fullmatch(expected, label, re.DOTALL) is not None)


@given(rules=st.dictionaries(st.text("*chparent", min_size=1, max_size=6), st.sampled_from(Decision), max_size=8))
def test_the_order_of_the_rules_never_matters(rules):
    backwards = dict(reversed(rules.items()))

    assert [decide(rules, label) for label in LABELS] == [decide(backwards, label) for label in LABELS]


@pytest.mark.parametrize(
    "rules, expected",
    [
        ({}, False),
        ({"child": ALLOW}, True),
        ({"sibling": ASK}, True),
        ({"*": ALLOW}, True),
        ({"*": DENY, "parent": ASK}, True),
        ({"child": DENY, "*": DENY}, False),
        # a rule for no relationship shows nothing
        ({"uncle": ALLOW}, False),
        # overruled everywhere
        ({"c*": ALLOW, "child": DENY}, False),
    ],
)
def test_the_tool_is_seen_when_some_relationship_is_allowed_or_asked_for(rules, expected):
    assert may_message_anyone(rules) is expected


@pytest.mark.parametrize(
    "sender, recipient, expected",
    [
        ("root", "mother", "child"),
        ("mother", "root", "parent"),
        ("mother", "aunt", "sibling"),
        ("daughter", "son", "sibling"),
        ("root", "daughter", "*"),  # grandchild
        ("daughter", "root", "*"),  # grandparent
        ("daughter", "aunt", "*"),
        ("aunt", "daughter", "*"),  # niece
        ("daughter", "cousin", "*"),
        ("grandson", "daughter", "*"),
        ("root", "other-root", "*"),  # neither has a parent: that makes no siblings
        ("other-root", "root", "*"),
        ("daughter", "stranger", "*"),
    ],
)
def test_the_label_follows_from_stored_parents(sender, recipient, expected):
    label = relationship(sender, TREE[sender], recipient, TREE[recipient])

    assert label == expected
    assert isinstance(label, Relationship)


def test_parent_and_child_mirror_each_other_over_a_whole_tree():
    mirror = {"parent": "child", "child": "parent", "sibling": "sibling", "*": "*"}
    for sender, sender_parent in TREE.items():
        for recipient, recipient_parent in TREE.items():
            if sender != recipient:
                there = relationship(sender, sender_parent, recipient, recipient_parent)
                back = relationship(recipient, recipient_parent, sender, sender_parent)
                assert back == mirror[there], (sender, recipient)


def test_rules_within_their_bounds_are_accepted():
    check_rules({})
    check_rules({"p" * 64: ALLOW, "*": DENY, "größe 名": ASK})
    check_rules({f"pattern-{number}": ALLOW for number in range(64)})


def test_too_many_rules_are_refused_without_naming_one():
    with pytest.raises(RulesInvalid, match="65 rules, at most 64") as refused:
        check_rules({f"pattern-{number}": ALLOW for number in range(65)})

    assert refused.value.pattern is None


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "p" * 65,
        "chi\0ld",
        "child\n",
        "chi\tld",
        "\x7f",
        "chi\x85ld",
        "chi\u200bld",
        "chi\u2028ld",
        "\ud800",
    ],
)
def test_a_pattern_that_cannot_mean_what_it_shows_is_refused_by_name(pattern):
    with pytest.raises(RulesInvalid, match="a pattern") as refused:
        check_rules({"child": ALLOW, pattern: ALLOW})

    assert refused.value.pattern == pattern
