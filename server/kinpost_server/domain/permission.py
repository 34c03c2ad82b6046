"""Permission rules for the action `message`: who of its tree an agent may write to.

A rule is a pattern with a decision; the resource is the recipient's relationship to the sender, which follows
from where the two sessions were delegated and from nothing that a model says.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache

RULES_MAX = 64
PATTERN_CHARACTERS_MAX = 64
# Controls, invisible formatting, surrogates and line breaks: a pattern holding one never matches what it
# seems to.
_UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


class Decision(StrEnum):
    """What a rule says. Declared from the mildest to the strictest."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class Relationship(StrEnum):
    """What a recipient is to its sender; the label that rules are matched with."""

    PARENT = "parent"
    CHILD = "child"
    SIBLING = "sibling"
    OTHER = "*"


class RulesInvalid(ValueError):
    """The rules are not well formed. `pattern` is the offending one, or None when it is their number."""

    def __init__(self, pattern: str | None, reason: str) -> None:
        self.pattern = pattern
        self.reason = reason
        super().__init__(reason)


_STRICTNESS = {decision: rank for rank, decision in enumerate(Decision)}


def decide(rules: Mapping[str, Decision], label: str) -> Decision:
    """Return what the rules say about a recipient of this label; without a match that is deny.

    The label written out beats a pattern, among patterns the longer literal part wins, and between equals the
    stricter decision does: deny, ask, allow.
    """
    literal = rules.get(label)
    if literal is not None:
        return literal
    best: tuple[int, int] | None = None
    decision = Decision.DENY
    for pattern, candidate in rules.items():
        if _matches(pattern, label):
            rank = (len(pattern) - pattern.count("*"), _STRICTNESS[candidate])
            if best is None or rank > best:
                best, decision = rank, candidate
    return decision


def may_message_anyone(rules: Mapping[str, Decision]) -> bool:
    """Whether some relationship is allowed or asked for: only then a model sees `send_message`."""
    return any(decide(rules, label) is not Decision.DENY for label in Relationship)


def within_reach(rules: Mapping[str, Decision]) -> list[Relationship]:
    """Return the relationships that the rules allow or ask a person about."""
    return [label for label in Relationship if decide(rules, label) is not Decision.DENY]


def relationship(
    sender_id: str,
    sender_parent_id: str | None,
    recipient_id: str,
    recipient_parent_id: str | None,
) -> Relationship:
    """Return what the recipient is to the sender, two different sessions of one tree.

    Parents are those stored when the sessions were made. Roots, grandparents, uncles, cousins and all others
    are `*`.
    """
    if recipient_parent_id == sender_id:
        return Relationship.CHILD
    if sender_parent_id == recipient_id:
        return Relationship.PARENT
    if sender_parent_id is not None and sender_parent_id == recipient_parent_id:
        return Relationship.SIBLING
    return Relationship.OTHER


def check_rules(rules: Mapping[str, Decision]) -> None:
    """Raise RulesInvalid for more than 64 rules, or a pattern that is not 1 to 64 visible characters."""
    if len(rules) > RULES_MAX:
        raise RulesInvalid(None, f"{len(rules)} rules, at most {RULES_MAX} are allowed")
    for pattern in rules:
        if not 1 <= len(pattern) <= PATTERN_CHARACTERS_MAX:
            raise RulesInvalid(pattern, f"a pattern is 1 to {PATTERN_CHARACTERS_MAX} characters long")
        if any(unicodedata.category(character) in _UNSEEN_CATEGORIES for character in pattern):
            raise RulesInvalid(pattern, "a pattern holds no control or invisible characters")


@lru_cache(maxsize=4096)
def _matches(pattern: str, label: str) -> bool:
    """Whether the whole label fits the pattern; `*` stands for any text, every other character for itself."""
    first, *rest = pattern.split("*")
    if not rest:
        return pattern == label
    last = rest.pop()
    if len(label) < len(first) + len(last) or not label.startswith(first) or not label.endswith(last):
        return False
    # The leftmost place for each piece leaves the most room for the next: no backtracking, however many
    # stars.
    place, end = len(first), len(label) - len(last)
    for piece in rest:
        found = label.find(piece, place, end)
        if found < 0:
            return False
        place = found + len(piece)
    return True
