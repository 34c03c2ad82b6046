"""The book of tokens, whose versions may come by in any order."""

from dataclasses import replace

import pytest
from kinpost_server.domain.errors import Unauthenticated
from kinpost_server.domain.identity import Token, TokenKind
from kinpost_server.engine.tokens import TokenBook, digest_of

TOKEN = Token("a", TokenKind.OBSERVER, "", (), digest_of("its secret"), 1, None)


def test_an_older_version_does_not_bring_a_revoked_token_back():
    book = TokenBook([TOKEN])
    assert book.caller_of("its secret", 2).token_id == "a"
    book.put(replace(TOKEN, revoke_time=2))
    book.put(TOKEN)
    assert book.get("a").revoke_time == 2
    with pytest.raises(Unauthenticated):
        book.caller_of("its secret", 3)


def test_a_secret_that_another_has_replaced_is_not_good():
    book = TokenBook([replace(TOKEN, secret_digest=digest_of("another"))])
    book.put(TOKEN)
    assert book.caller_of("its secret", 2).token_id == "a"
    with pytest.raises(Unauthenticated):
        book.caller_of("another", 2)
    assert len(book) == 1
