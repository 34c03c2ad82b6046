"""`kinpost events`: the durable log, as it is or as it grows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, cast

import grpc
import typer
from kinpost.v1 import event_service_pb2 as pb
from kinpost.v1.event_pb2 import Event
from kinpost_client.errors import KinpostError, Unreachable
from kinpost_client.retry import Retry
from kinpost_client.wire_errors import FailedCall, kinpost_error

from kinpost_cli.calls import Calls
from kinpost_cli.command import AsJson, connected, seq_from
from kinpost_cli.endings import WrongUse, interrupted_later, tell
from kinpost_cli.event_lines import EventLines
from kinpost_cli.naming import find_session, name_of, session_id_of
from kinpost_cli.output import Output

if TYPE_CHECKING:
    from kinpost.v1.event_service_pb2 import SubscribeEventsResponse

PREFIX = "EVENT_TYPE_"
TYPES = {name.removeprefix(PREFIX).lower(): number for name, number in pb.EventType.items() if number}


def _complete_type(incomplete: str) -> list[str]:
    return [name for name in TYPES if name.startswith(incomplete)]


@connected
def events(
    calls: Calls,
    session: Annotated[
        str | None,
        typer.Option(
            "--session",
            metavar="SESSION",
            help="Only this session's: its id, its handle, or the beginning of either if only one fits",
        ),
    ] = None,
    tree: Annotated[
        str | None, typer.Option("--tree", metavar="SESSION", help="Only those of the tree of this session")
    ] = None,
    types: Annotated[
        list[str] | None,
        typer.Option(
            "--type",
            help="Only these, as run_started or producer_message_accepted; may be repeated",
            autocompletion=_complete_type,
        ),
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on with what happens, until Ctrl-C; outlives the server")
    ] = False,
    from_now: Annotated[bool, typer.Option("--from-now", help="With --follow: leave out what is stored")] = False,
    after: Annotated[str | None, typer.Option("--after", metavar="CURSOR", help="Begin behind this cursor")] = None,
    after_seq: Annotated[
        int | None,
        typer.Option(
            "--after-seq", parser=seq_from(0), metavar="NUMBER", help="With --session: begin behind this event of it"
        ),
    ] = None,
    show_cursor: Annotated[
        bool, typer.Option("--show-cursor", help="At the end, also after Ctrl-C, name the cursor on standard error")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Print the events of everything, of a tree or of a session, oldest first.

    Everything and trees need a token of kind admin, observer, approver or plugin.
    """
    request = _request(calls, session, tree, types, after, after_seq, from_now=from_now, follow=follow)
    shown = _Shown(calls, as_json=as_json, keep_cursor=show_cursor)
    try:
        if follow:
            follow_events(calls, request, shown.add)
        else:
            _list(calls, request, shown.add)
    finally:
        if show_cursor and shown.cursor:
            tell(f"go on with --after {shown.cursor}")


def follow_events(
    calls: Calls, request: pb.SubscribeEventsRequest, show: Callable[[Iterable[Event], str], None]
) -> None:
    """Show events for ever; after a cut, go on behind the last frame that was shown. Raises KinpostError.

    A server that does not answer at all is an error; one that goes away is waited for.
    """
    retry = Retry()
    delays = retry.delays()
    answered = told = False
    while True:
        try:
            for frame in calls.events.SubscribeEvents(request, metadata=calls.metadata):
                if told:
                    tell("the server answers again")
                answered, told = True, False
                delays = retry.delays()
                _take(request, frame, show)
            failure: KinpostError = Unreachable(f"{Unreachable.CODE}: the service ended the stream without saying why")
        except grpc.RpcError as error:
            failure = kinpost_error(cast("FailedCall", error))
        if not (failure.transient and answered):
            raise failure
        if not told:
            tell(failure.text, "nothing is lost: it goes on as soon as the server answers; Ctrl-C ends it")
            told = True
        calls.wait(max(next(delays), failure.retry_after_seconds or 0.0))


def _take(
    request: pb.SubscribeEventsRequest, frame: SubscribeEventsResponse, show: Callable[[Iterable[Event], str], None]
) -> None:
    """Show a frame, and begin behind it the next time."""
    show(frame.events, frame.cursor)
    if frame.cursor:
        request.after_cursor = frame.cursor


def _list(calls: Calls, request: pb.SubscribeEventsRequest, show: Callable[[Iterable[Event], str], None]) -> None:
    paged = pb.ListEventsRequest(event_types=request.event_types)
    for name in (request.WhichOneof("scope"), request.WhichOneof("start")):
        if name is not None:
            setattr(paged, name, getattr(request, name))
    for page in calls.pages(calls.events.ListEvents, paged):
        show(page.events, page.cursor)


def _request(
    calls: Calls,
    session: str | None,
    tree: str | None,
    types: Iterable[str] | None,
    after: str | None,
    after_seq: int | None,
    *,
    from_now: bool,
    follow: bool,
) -> pb.SubscribeEventsRequest:
    """Return what the options ask for. Raises WrongUse."""
    if session is not None and tree is not None:
        raise WrongUse("--session and --tree exclude each other")
    if sum((after is not None, after_seq is not None, from_now)) > 1:
        raise WrongUse("--after, --after-seq and --from-now exclude each other")
    if after_seq is not None and session is None:
        raise WrongUse("--after-seq goes with --session", "--after takes a cursor of any scope")
    if from_now and not follow:
        raise WrongUse("--from-now goes with --follow")
    request = pb.SubscribeEventsRequest(event_types=[_type(name) for name in types or ()])
    if session is not None:
        request.session_id = session_id_of(calls, session)
    elif tree is not None:
        request.root_session_id = find_session(calls, tree).root_session_id
    else:
        request.all = True
    if after is not None:
        request.after_cursor = after
    elif after_seq is not None:
        request.after_seq = after_seq
    elif from_now:
        request.from_now = True
    return request


def _type(name: str) -> pb.EventType.ValueType:
    number = TYPES.get(name.lower().replace("-", "_"))
    if number is None:
        raise WrongUse(f"--type: {name!r} is no type of event", f"one of {', '.join(TYPES)}")
    return pb.EventType.ValueType(number)


class _Shown:
    """What was printed so far; `cursor` stands behind it."""

    def __init__(self, calls: Calls, *, as_json: bool, keep_cursor: bool) -> None:
        self.cursor = ""
        self._calls = calls
        # What is printed and the cursor behind it go together, also where Ctrl-C comes in between.
        self._together = interrupted_later if keep_cursor else nullcontext
        self._output = Output(as_json=as_json)
        self._lines = EventLines(self._output, self._name_of)

    def add(self, found: Iterable[Event], cursor: str) -> None:
        """Print events and let go of them."""
        with self._together():
            for event in found:
                if self._output.as_json:
                    self._output.object(event)
                else:
                    self._output.cut_line(self._lines.line(event))
            self._output.flush()
            self.cursor = cursor or self.cursor

    def _name_of(self, session_id: str) -> str:
        try:
            return name_of(find_session(self._calls, session_id))
        except KinpostError:  # deleted, or not for this token's eyes
            return session_id
