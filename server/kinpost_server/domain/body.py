"""Bodies of messages: what may be sent, and how two requests are told apart."""

from __future__ import annotations

from hashlib import blake2b

DIGEST_BYTES = 16
# The property White_Space of Unicode (PropList.txt), whole. str.isspace would add the separators U+001C to
# U+001F.
WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


def check_body(text: str, bytes_max: int) -> str | None:
    """Return why the text cannot be a body, for people, or None when it can.

    Refused: a limit of 0, more than `bytes_max` bytes of UTF-8, nothing or only Unicode white space, NUL (not
    every database can keep it), and surrogates, which have no UTF-8. Zero-width characters are not white
    space.
    """
    if bytes_max <= 0:
        return "no body is accepted here: the limit is 0 bytes"
    try:
        size = len(text) if text.isascii() else len(text.encode())
    except UnicodeEncodeError:
        return "the body holds a lone surrogate, which has no UTF-8 form"
    if size > bytes_max:
        return f"the body has {size} bytes of UTF-8, at most {bytes_max} are allowed"
    if not text:
        return "the body is empty"
    if not text.strip(WHITE_SPACE):
        return "the body is only white space"
    if "\0" in text:
        return "the body holds a NUL character"
    return None


def content_digest(*parts: str) -> bytes:
    """Return 16 bytes that stand for exactly these parts in this order; any text will do, checked or not."""
    digest = blake2b(digest_size=DIGEST_BYTES)
    for part in parts:
        # Requests are compared before their bodies are judged: a surrogate must not stop the comparison.
        data = part.encode("utf-8", "surrogatepass")
        # The length before each part: ("ab", "c") is not ("a", "bc").
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.digest()


def fork_digest(from_session_id: str, at_seq: int) -> bytes:
    """Return the digest by which the repeat of a fork is known: of the point that it continues."""
    return content_digest("fork", from_session_id, str(at_seq))
