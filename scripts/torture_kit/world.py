"""The sessions of a torture: a few trees, whose agents may all write to each other within their tree."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from kinpost.v1 import admin_service_pb2, session_pb2, session_service_pb2, token_pb2

from torture_kit.callers import Caller
from torture_kit.journal import Journal

AGENT = "torture"
ASKING = 3  # of so many sessions one has a person asked before it writes to its parent


@dataclass(slots=True)
class Place:
    """A session: its tree's other sessions can be written to."""

    session_id: str
    root_session_id: str
    handle: str


@dataclass(slots=True)
class World:
    """All sessions, and how long it goes on."""

    journal: Journal
    messages_max: int
    wanted: Callable[[], bool] = lambda: True
    end_time: float = 0.0  # of the monotonic clock
    loses_runs: bool = True  # whether runtimes forget runs, or die with them, so that these lapse
    places: dict[str, Place] = field(default_factory=dict)
    peers: dict[str, list[Place]] = field(default_factory=dict)

    @property
    def goes_on(self) -> bool:
        """Whether more messages are wanted."""
        enough = self.journal.accepted_count >= self.messages_max or time.monotonic() >= self.end_time
        return not enough and self.wanted()

    def peer_of(self, session_id: str, rng: random.Random) -> Place:
        """Return some other session of the same tree."""
        while True:
            place = rng.choice(self.peers[self.places[session_id].root_session_id])
            if place.session_id != session_id:
                return place

    async def make_tree(self, maker: Caller, agents: int, rng: random.Random) -> str:
        """Make a root with so many sessions beneath it, some of them deeper; return the root."""
        root = await self._make(maker, "", rng)
        for number in range(agents):
            parent = root if number < agents // 2 else rng.choice(self.peers[root]).session_id
            await self._make(maker, parent, rng)
        return root

    async def _make(self, maker: Caller, parent_session_id: str, rng: random.Random) -> str:
        rules = [session_pb2.MessageRule(pattern="*", decision=session_pb2.RULE_DECISION_ALLOW)]
        if parent_session_id and len(self.places) % ASKING == 0:
            rules.append(session_pb2.MessageRule(pattern="parent", decision=session_pb2.RULE_DECISION_ASK))
        request = session_service_pb2.CreateSessionRequest(
            session_id=str(uuid.UUID(int=rng.getrandbits(128), version=4)),
            agent=AGENT,
            parent_session_id=parent_session_id,
            starter=session_pb2.STARTER_WAKE,
            message_rules=session_pb2.MessageRules(rules=rules),
        )
        session = (await maker.ask("CreateSession", request)).session
        if len(rules) > 1:
            self.journal.asks[session.session_id] = parent_session_id
        place = Place(session.session_id, session.root_session_id, session.handle)
        self.places[place.session_id] = place
        self.peers.setdefault(place.root_session_id, []).append(place)
        return place.session_id


class Somebody:
    """Whoever does something in the world that is no agent's, with a token."""

    def __init__(self, caller: Caller, world: World, rng: random.Random) -> None:
        self._caller = caller
        self._world = world
        self._journal = world.journal
        self._rng = rng
        self._count = 0  # of what it has written


async def make_token(
    admin: Caller,
    kind: token_pb2.TokenKind.ValueType,
    *,
    plugin_name: str = "",
    session_ids: Iterable[str] = (),
) -> str:
    """Return the secret of a new token."""
    scope = token_pb2.TokenScope(kind=kind, plugin_name=plugin_name)
    request = admin_service_pb2.CreateTokenRequest(
        client_token_id=str(uuid.uuid4()), scope=scope, session_ids=session_ids
    )
    secret: str = (await admin.ask("CreateToken", request)).secret
    return secret
