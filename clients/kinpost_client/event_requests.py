"""Which events are asked for, and from where."""

from __future__ import annotations

from collections.abc import Iterable

from kinpost.v1 import event_service_pb2

EVENT_TYPES = {
    value.name.removeprefix("EVENT_TYPE_").lower(): value.number
    for value in event_service_pb2.DESCRIPTOR.enum_types_by_name["EventType"].values
    if value.number
}
PAGE_SIZE_MAX = 1000


def subscribe(
    session_id: str | None,
    root_session_id: str | None,
    after_cursor: str | None,
    after_seq: int | None,
    from_now: bool,  # noqa: FBT001 - the public call names it
    event_types: Iterable[str],
) -> event_service_pb2.SubscribeEventsRequest:
    """Return the request of a subscription. Raises ValueError for contradictions and unknown types."""
    request = event_service_pb2.SubscribeEventsRequest(event_types=_types(event_types))
    _fill(request, session_id, root_session_id, after_cursor, after_seq)
    if from_now:
        if request.WhichOneof("start") is not None:
            raise ValueError("from_now excludes after_cursor and after_seq")
        request.from_now = True
    return request


def listing(
    session_id: str | None,
    root_session_id: str | None,
    after_cursor: str | None,
    after_seq: int | None,
    event_types: Iterable[str],
) -> event_service_pb2.ListEventsRequest:
    """Return the request of the first page. Raises ValueError for contradictions and unknown types."""
    request = event_service_pb2.ListEventsRequest(event_types=_types(event_types), page_size=PAGE_SIZE_MAX)
    _fill(request, session_id, root_session_id, after_cursor, after_seq)
    return request


def before(session_id: str, seq: int, count: int) -> event_service_pb2.ListEventsRequest:
    """Return the request of the page that ends before an event; one without a size asks for nothing.

    Raises ValueError for a count out of bounds. Sequence numbers have no gaps, so the page's beginning is known.
    """
    if not 1 <= count <= PAGE_SIZE_MAX:
        raise ValueError(f"count must be 1 to {PAGE_SIZE_MAX}")
    after_seq = max(0, seq - 1 - count)
    return event_service_pb2.ListEventsRequest(
        session_id=session_id, after_seq=after_seq, page_size=max(0, seq - 1 - after_seq)
    )


def _fill(
    request: event_service_pb2.SubscribeEventsRequest | event_service_pb2.ListEventsRequest,
    session_id: str | None,
    root_session_id: str | None,
    after_cursor: str | None,
    after_seq: int | None,
) -> None:
    if session_id is not None and root_session_id is not None:
        raise ValueError("session_id and root_session_id exclude each other")
    if after_cursor is not None and after_seq is not None:
        raise ValueError("after_cursor and after_seq exclude each other")
    if after_seq is not None and session_id is None:
        raise ValueError("after_seq counts within one session")
    if session_id is not None:
        request.session_id = session_id
    elif root_session_id is not None:
        request.root_session_id = root_session_id
    else:
        request.all = True
    if after_cursor is not None:
        request.after_cursor = after_cursor
    if after_seq is not None:
        request.after_seq = after_seq


def _types(names: Iterable[str]) -> list[event_service_pb2.EventType.ValueType]:
    unknown = sorted(set(names := list(names)) - EVENT_TYPES.keys())
    if unknown:
        raise ValueError(f"{unknown[0]!r} is no event type of the contract")
    return [event_service_pb2.EventType.ValueType(EVENT_TYPES[name]) for name in names]
