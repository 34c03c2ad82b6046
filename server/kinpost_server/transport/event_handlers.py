"""EventService: the durable log. Frames are put together from the stored bytes; nothing is encoded again."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import cast

from kinpost.v1 import event_service_pb2 as pb

from kinpost_server.domain.errors import InvalidRequest
from kinpost_server.domain.identity import Caller
from kinpost_server.engine.engine import Engine
from kinpost_server.engine.events import Frame
from kinpost_server.engine.ports import Scope, StoredEvent
from kinpost_server.transport import fields
from kinpost_server.transport.cursor import cursor_of, resume_of
from kinpost_server.transport.rpc import Service, Write

EVENT_TYPES = frozenset(pb.EventType.values()) - {pb.EVENT_TYPE_UNSPECIFIED}
_EVENTS_TAG = b"\x0a"  # field 1, length-delimited: `events` of both answers


class EventHandlers(Service):
    """The RPCs of EventService."""

    DESCRIPTOR = pb.DESCRIPTOR.services_by_name["EventService"]

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def SubscribeEvents(self, caller: Caller, request: pb.SubscribeEventsRequest, write: Write) -> None:
        """Stream events, from a point on, until the caller leaves."""
        scope = _scope(request)
        start = request.WhichOneof("start")
        if start == "from_now" and not request.from_now:
            raise InvalidRequest("from_now", "must be true, or not be set")
        log_id = self._engine.log_id
        place = resume_of(request.after_cursor, log_id, "after_cursor") if start == "after_cursor" else None
        frames = await self._engine.subscribe(
            caller,
            scope,
            after_position=place.position if place is not None else None,
            drops=place.drops if place is not None else 0,
            after_seq=_after_seq(request, scope) if start == "after_seq" else None,
            from_now=start == "from_now",
            types=_types(request.event_types),
        )
        # closed here and now, not by the garbage collector: a subscription that ends leaves nothing behind
        async with aclosing(cast("AsyncGenerator[Frame, None]", frames)):
            async for frame in frames:
                rest = pb.SubscribeEventsResponse(
                    cursor=cursor_of(log_id, frame.position, frame.drops),
                    caught_up=frame.caught_up,
                    heartbeat=frame.heartbeat,
                )
                await write(_joined(frame.events, rest.SerializeToString()))

    async def ListEvents(self, caller: Caller, request: pb.ListEventsRequest) -> bytes:
        """Return a page of events."""
        scope = _scope(request)
        start = request.WhichOneof("start")
        log_id = self._engine.log_id
        place, after_seq = None, None
        if request.page_token:
            place = resume_of(request.page_token, log_id, "page_token")
        elif start == "after_cursor":
            place = resume_of(request.after_cursor, log_id, "after_cursor")
        elif start == "after_seq":
            after_seq = _after_seq(request, scope)
        page = await self._engine.list_events(
            caller,
            scope,
            after_position=place.position if place is not None else None,
            drops=place.drops if place is not None else 0,
            after_seq=after_seq,
            types=_types(request.event_types),
            limit=fields.page_size(request.page_size),
        )
        cursor = cursor_of(log_id, page.position, page.drops)
        rest = pb.ListEventsResponse(cursor=cursor, next_page_token="" if page.caught_up else cursor)
        return _joined(page.events, rest.SerializeToString())


def _scope(request: pb.SubscribeEventsRequest | pb.ListEventsRequest) -> Scope:
    kind = request.WhichOneof("scope")
    if kind == "session_id":
        return Scope(session_id=fields.uuid(request.session_id, "session_id"))
    if kind == "root_session_id":
        return Scope(root_session_id=fields.uuid(request.root_session_id, "root_session_id"))
    if kind is None:
        raise InvalidRequest("scope", "is missing: set session_id, root_session_id or all")
    if not request.all:
        raise InvalidRequest("all", "must be true, or not be set")
    return Scope()


def _after_seq(request: pb.SubscribeEventsRequest | pb.ListEventsRequest, scope: Scope) -> int:
    if not scope.session_id:
        raise InvalidRequest("after_seq", "goes only with session_id")
    if request.after_seq < 0:
        raise InvalidRequest("after_seq", "must be 0 at least")
    return request.after_seq


def _types(types: Sequence[int]) -> list[int]:
    for index, number in enumerate(types):
        if number not in EVENT_TYPES:
            raise InvalidRequest(f"event_types[{index}]", f"{number} is not one of its values")
    return list(dict.fromkeys(types))


def _joined(events: Sequence[StoredEvent], rest: bytes) -> bytes:
    """Return the answer that holds these events, as stored, and the rest of its fields."""
    parts: list[bytes] = []
    for event in events:
        parts += (_EVENTS_TAG, _varint(len(event.data)), event.data)
    parts.append(rest)
    return b"".join(parts)


def _varint(number: int) -> bytes:
    if number < 0x80:
        return bytes((number,))
    data = bytearray()
    while number >= 0x80:
        data.append(number & 0x7F | 0x80)
        number >>= 7
    data.append(number)
    return bytes(data)
