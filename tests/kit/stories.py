"""Stories as logs tell them, for the torture to judge: their events, and what may be wrong with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message
from kinpost.v1 import event_pb2
from torture_kit.history import History
from torture_kit.journal import Journal
from torture_kit.promises import check_promises

SESSION, RUN = "a-session", "a-run"


def event(name: str, **fields: Any) -> event_pb2.Event:
    """Return an event with a payload; its place in the log is given later."""
    made = event_pb2.Event(session_id=SESSION, root_session_id=SESSION)
    getattr(made, name).SetInParent()
    for field, value in fields.items():
        if isinstance(value, tuple):
            getattr(getattr(made, name), field).extend(value)
        elif isinstance(value, Message):
            getattr(getattr(made, name), field).CopyFrom(value)
        else:
            setattr(getattr(made, name), field, value)
    return made


def placed(events: list[event_pb2.Event]) -> list[event_pb2.Event]:
    """Give the events their places, one after the other; those that have one keep it."""
    for number, each in enumerate(events, 1):
        each.seq = each.seq or number
        each.position = each.position or number
    return events


def found(events: list[event_pb2.Event], kept: Journal) -> set[str]:
    """The kinds of what the torture finds."""
    history = History(kept.found)
    for each in placed(events):
        history.take(each)
    history.finish()
    check_promises(kept, history)
    return set(kept.found_counts)


def without(index: int) -> Callable[[list[event_pb2.Event]], None]:
    return lambda events: events.pop(index) and None


def twice(index: int) -> Callable[[list[event_pb2.Event]], None]:
    def change(events: list[event_pb2.Event]) -> None:
        again = event_pb2.Event()
        again.CopyFrom(events[index])
        events.insert(index + 1, again)

    return change


def having(index: int, **fields: int) -> Callable[[list[event_pb2.Event]], None]:
    def change(events: list[event_pb2.Event]) -> None:
        for field, value in fields.items():
            setattr(events[index], field, value)

    return change


def with_payload(index: int, **fields: Any) -> Callable[[list[event_pb2.Event]], None]:
    def change(events: list[event_pb2.Event]) -> None:
        payload = getattr(events[index], events[index].WhichOneof("payload") or "")
        for field, value in fields.items():
            setattr(payload, field, value)

    return change


def in_place(index: int, *events_there: event_pb2.Event) -> Callable[[list[event_pb2.Event]], None]:
    def change(events: list[event_pb2.Event]) -> None:
        events[index : index + 1] = events_there

    return change
