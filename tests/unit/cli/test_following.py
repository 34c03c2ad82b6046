"""`kinpost events`: listed page by page, followed over every cut without a hole or a repeat."""

from __future__ import annotations

import json

import grpc
import pytest
from kinpost.v1 import event_service_pb2
from kinpost_server.domain.errors import OtherLog, ShuttingDown

SCOUT = "4de5ccd0-03f3-4c17-850f-4089302a64f0"
RUN = "01a22e91-3c9c-7644-852f-0b9539a906b4"


def event(position: int) -> dict:
    """An event of a run's start."""
    return {
        "session_id": SCOUT,
        "seq": position,
        "position": position,
        "event_time": {"seconds": 1_790_000_000},
        "run_started": {"run_id": RUN, "number": position},
    }


def frame(cursor: str, *positions: int) -> event_service_pb2.SubscribeEventsResponse:
    events = [event(position) for position in positions]
    return event_service_pb2.SubscribeEventsResponse(events=events, cursor=cursor)


def positions(text: str) -> list[int]:
    return [int(json.loads(line)["position"]) for line in text.splitlines()]


def test_pages_are_printed_to_the_end(counter):
    counter.run("events", "--session", SCOUT, "--type", "run_started", "--after-seq", "1", "--json", "--show-cursor")
    request = counter.answer("ListEvents", events=[event(2)], cursor="c2", next_page_token="c2")
    assert (request.session_id, request.after_seq, list(request.event_types)) == (SCOUT, 1, [40])
    assert counter.answer("ListEvents", events=[event(3)], cursor="c3").page_token == "c2"
    result = counter.ended()
    assert (result.exit_code, positions(result.stdout)) == (0, [2, 3])
    assert result.stderr == "kinpost: go on with --after c3\n"


def test_following_goes_on_behind_the_last_frame(counter):
    counter.run("events", "--follow", "--json")
    _, request, rpc = counter.taken("SubscribeEvents")
    assert (request.all, request.WhichOneof("start")) == (True, None)
    rpc.send_response(frame("c2", 1, 2))
    rpc.send_response(frame("", 3))  # without a cursor: a frame is shown, the place stays
    rpc.send_response(frame("c4", 4))
    rpc.terminate((), grpc.StatusCode.OK, "")  # a stream that ends without a word is a cut
    for _ in range(3):  # not there yet
        again = counter.fail("SubscribeEvents", grpc.StatusCode.UNAVAILABLE, "Connection refused")
        assert again.after_cursor == "c4"
    _, request, rpc = counter.taken("SubscribeEvents")
    assert request.after_cursor == "c4"
    rpc.send_response(frame("c5", 5))
    rpc.terminate((), grpc.StatusCode.OK, "")
    assert counter.refuse("SubscribeEvents", ShuttingDown()).after_cursor == "c5"
    assert counter.refuse("SubscribeEvents", OtherLog("restored")).after_cursor == "c5"
    result = counter.ended()
    assert (result.exit_code, positions(result.stdout)) == (4, [1, 2, 3, 4, 5])
    cut = [
        "kinpost: client:unreachable: the service ended the stream without saying why",
        "  next: nothing is lost: it goes on as soon as the server answers; Ctrl-C ends it",
    ]
    assert result.stderr.splitlines() == [
        *(*cut, "kinpost: the server answers again", *cut),
        *("kinpost: events:other_log: restored", "  next: leave --after away to read from the beginning"),
    ]
    first, *others = counter.waits
    assert len(others) == 5
    assert 0 < first <= 0.05
    assert all(wait <= 2 for wait in others)


@pytest.mark.parametrize(
    "options, start", [([], None), (["--from-now"], "from_now"), (["--after", "c9"], "after_cursor")]
)
def test_a_server_that_never_answered_is_not_waited_for(counter, options, start):
    counter.run("events", "--follow", *options)
    request = counter.fail("SubscribeEvents", grpc.StatusCode.UNAVAILABLE, "Connection refused")
    assert request.WhichOneof("start") == start
    assert counter.ended().exit_code == 7
    assert counter.waits == []


def test_lines_for_people_name_sessions_by_their_handle_once_looked_up(counter):
    counter.run("events", "--tree", SCOUT)
    counter.answer("GetSession", session={"session_id": SCOUT, "root_session_id": SCOUT})
    unknown = {"session_id": SCOUT, "position": 3, "seq": 3}  # of a newer server
    counter.answer("ListEvents", events=[event(1), event(2), unknown], cursor="c")
    counter.answer("GetSession", session={"session_id": SCOUT, "handle": "scout_7325f585"})
    result = counter.ended()
    assert (result.exit_code, result.stderr) == (0, "")
    rows = [line.split(None, 3) for line in result.stdout.splitlines()]
    assert [row[0] for row in rows] == ["1", "2", "3"]
    assert rows[0][3] == f"scout_7325f585     run started  number=1  run={RUN}"
    assert rows[2][3] == "scout_7325f585     something that this program does not know"
