"""Summaries: what a recipient's model gets in place of a long message, and how large a text is to it."""

from __future__ import annotations

from kinpost_server.domain.peer import TLDR_NEEDED_PAST

BYTES_PER_TOKEN = 4  # a stated estimate, for any model


def tokens_of(text: str) -> int:
    """Return an estimate of a text's tokens: a quarter of its bytes, rounded up."""
    return -(-len(text.encode()) // BYTES_PER_TOKEN)


def shown_text(body: str, tldr: str | None, body_id: str) -> str:
    """Return what the recipient's model reads: the summary with the address of the body, or the body itself.

    Past 1000 characters it is always the summary, cut so that the whole is not larger than the body, in characters and
    in bytes. Below, it is the summary only when that halves the message, in both.
    """
    if tldr is None:
        return body
    address = _address(body, body_id)
    if len(body) > TLDR_NEEDED_PAST:
        return _pointer(_cut(tldr, len(body) - len(address) - 2, len(body.encode()) - len(address) - 2), address)
    pointer = _pointer(tldr, address)
    halves = len(pointer) * 2 <= len(body) and len(pointer.encode()) * 2 <= len(body.encode())
    return pointer if halves else body


def _pointer(tldr: str, address: str) -> str:
    return f"{tldr}\n\n{address}"


def _address(body: str, body_id: str) -> str:
    """Return how the body is pulled, in ASCII."""
    return (
        f"[the sender's summary; the whole message has {len(body)} characters, about {tokens_of(body)} tokens: "
        f"GET /peer-message/{body_id}, or ?meta=1 for its size alone]"
    )


def _cut(text: str, characters_max: int, bytes_max: int) -> str:
    """Return the text, or its beginning and `...`, in so many characters and bytes."""
    if len(text) <= characters_max and len(text.encode()) <= bytes_max:
        return text
    kept = text[: characters_max - 3].encode()[: bytes_max - 3].decode(errors="ignore")
    return f"{kept.rstrip()}..."
