"""The envelope: how mail is written into the recipient's prompt, as exactly one frame that no body can forge.

Rendered at claim time and never stored. Hop counts, ids and times are not in the text; a claim has fields for
them.
"""

from __future__ import annotations

import hmac
import re
import unicodedata
from html import escape

from kinpost_server.domain.lookalike import may_pass_for_frame

SUFFIX_HEX_DIGITS = 8
# By the message's owner. Mail of a person has no frame. The words of these tags are those of lookalike.py.
FRAME_TAGS = {
    "agent": "agent_message",
    "plugin": "plugin_message",
    "delegation": "delegation_message",
    "peer": "peer_message",
}
# A handle or a session id: nothing in it to escape, and no tag.
_ADDRESS = re.compile(r"[a-z0-9_-]+")
_PLAIN_SIGNS = frozenset(" !#$()*+,-./:;=?@[]^_{}~")


def render(
    owner: str,
    sender_label: str,
    body: str,
    hint: bool,  # noqa: FBT001 - the caller's variable says what it is
    message_id: str,
    key: bytes,
) -> str:
    """Return the text of one message as its recipient's model reads it; the same for the same arguments.

    `owner` is agent, plugin, delegation, peer or user (KeyError for others); `sender_label` is a handle, a
    session id or a name, escaped where it could leave its attribute; the body stays as it was written. `hint`
    adds how to reply to an agent. A body that could pass for a frame gets a tag whose suffix it cannot know:
    a hash, keyed with the service's secret `key`, of the message's id, which is made after the body was
    written.
    """
    if owner == "user":
        return body
    tag = FRAME_TAGS[owner]
    is_name = _ADDRESS.fullmatch(sender_label) is None
    name = _attribute(sender_label) if is_name else sender_label
    if may_pass_for_frame(body) or (is_name and may_pass_for_frame(sender_label)):
        tag = f"{tag}_{_suffix(message_id, key, body)}"
    reply = f'\n\n[use `send_message(to="{name}", ...)` to reply]' if hint and owner == "agent" else ""
    return f'<{tag} from="{name}">\n{body}{reply}\n</{tag}>'


def _suffix(message_id: str, key: bytes, body: str) -> str:
    digest = hmac.digest(key, message_id.encode(), "sha256").hex()
    pieces = [digest[i : i + SUFFIX_HEX_DIGITS] for i in range(0, len(digest), SUFFIX_HEX_DIGITS)]
    # A body of many guesses may hold the first piece by luck, hardly all eight.
    taken = body.casefold()
    return next((piece for piece in pieces if piece not in taken), digest)


def _attribute(label: str) -> str:
    """Return the label as it may stand between double quotes: nothing in it ends them or seems to."""
    return "".join(
        character if _is_plain(character, first=index == 0) else _escaped(character)
        for index, character in enumerate(label)
    )


def _is_plain(character: str, *, first: bool) -> bool:
    if character.isascii():
        return character.isalnum() or character in _PLAIN_SIGNS
    category = unicodedata.category(character)
    # A mark at the beginning would be drawn over the opening quote; other punctuation may be taken for a
    # quote.
    return category[0] in "LN" or category == "So" or (category[0] == "M" and not first)


def _escaped(character: str) -> str:
    return escape(character) if character in "&<>\"'" else f"&#x{ord(character):x};"
