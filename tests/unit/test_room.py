"""How much memory requests may take: all of them, and each token's."""

import pytest
from kinpost_server.domain.errors import Overloaded
from kinpost_server.transport.intake import Room


def test_room_is_for_a_token_and_for_all():
    room = Room(bytes_max=100, request_bytes_max=10)
    room.take("a", 25)
    with pytest.raises(Overloaded, match="the token's requests"):
        room.take("a", 1)
    for token_id in ("b", "c", "d"):
        room.take(token_id, 25)
    with pytest.raises(Overloaded, match=": the requests that are"):
        room.take("e", 1)
    room.give_back("a", 5)
    room.take("e", 5)
    room.give_back("a", 20)
    room.take("a", 20)
