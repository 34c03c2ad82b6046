"""The newest events that followers share, and what it takes for them to miss nothing."""

from uuid import UUID

from kinpost_server.engine.events import Hub
from kinpost_server.engine.ports import Scope, StoredEvent

SESSION = str(UUID(int=1))


def events(*positions):
    return [StoredEvent(position, SESSION, SESSION, position, 20, b"event") for position in positions]


def positions(found):
    return None if found is None else [event.position for event in found[0]]


def test_what_is_in_memory_is_given_in_order():
    hub = Hub(10)
    hub.publish(events(11, 12))
    hub.publish(events(13))
    assert positions(hub.after(Scope(), 11, frozenset())) == [12, 13]
    assert hub.after(Scope(), 9, frozenset()) is None


def test_events_that_nobody_knew_of_are_read_and_not_passed_over():
    """A batch whose COMMIT was not answered may be stored all the same; the next one tells by its position."""
    hub = Hub(10)
    hub.publish(events(11))
    hub.publish(events(14, 15))
    assert hub.after(Scope(), 11, frozenset()) is None
    assert hub.after(Scope(), 12, frozenset()) is None
    assert positions(hub.after(Scope(), 13, frozenset())) == [14, 15]
    assert hub.last_position == 15


def test_events_that_are_missing_within_a_page_are_read_and_not_passed_over():
    """Another replica dropped them before this one had read them."""
    hub = Hub(10)
    hub.publish(events(11))
    hub.publish(events(12, 15, 16, 19, 20))
    assert [hub.after(Scope(), position, frozenset()) for position in (11, 12, 15, 16, 17)] == [None] * 5
    assert positions(hub.after(Scope(), 18, frozenset())) == [19, 20]
    hub.publish(events(21))
    assert positions(hub.after(Scope(), 18, frozenset())) == [19, 20, 21]
    assert hub.last_position == 21
