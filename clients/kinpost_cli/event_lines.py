"""An event as a line for people: when, who, what, and what is worth knowing of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.timestamp_pb2 import Timestamp
from kinpost.v1.event_pb2 import Event
from kinpost.v1.message_pb2 import MessageSender
from rich.text import Text

from kinpost_cli.naming import is_id
from kinpost_cli.output import Output
from kinpost_cli.text import local_time, plain, word

NAME_WIDTH = 17
TEXT_CHARACTERS_MAX = 200
# Of no use to a person: digests, whose token it was, what the line says already, how every session begins.
_UNTOLD = frozenset(
    {
        *("request_digest", "token_id", "host_token_id", "arguments_json", "idempotency_key", "root_session_id"),
        *("session_id", "create_time", "last_seq", "starter", "availability", "to"),
    }
)
_FIRST = frozenset({"from", "body", "description", "reason", "outcome", "decision", "preview"})
_SESSIONS = frozenset({"recipient_session_id", "target_session_id", "from_session_id", "parent_session_id"})


class EventLines:
    """Makes lines for an output; `name_of` tells a session's handle by its id."""

    def __init__(self, output: Output, name_of: Callable[[str], str]) -> None:
        self._output = output
        self._names: dict[str, str] = {}
        self._name_of = name_of

    def line(self, event: Event) -> Text:
        """Return an event's line."""
        kind = event.WhichOneof("payload") or ""
        payload = getattr(event, kind) if kind else None
        if payload is not None and kind in ("session_created", "session_forked") and payload.session.handle:
            self._names[event.session_id] = payload.session.handle
        what = kind.removeprefix("producer_").replace("_", " ") or "something that this program does not know"
        # What can be read before what can only be looked up.
        facts = "  ".join(sorted(self._facts(payload), key=_place)) if payload is not None else ""
        line = Text.assemble(
            (f"{event.position:>6}  {self._output.time(event.event_time)}  ", "dim"),
            (f"{self._short(event.session_id):<{NAME_WIDTH}}", "bold"),
            "  ",
            (plain(what), "cyan"),
        )
        return line.append(f"  {facts}") if facts else line

    def _name(self, session_id: str) -> str:
        name = self._names.get(session_id)
        if name is None:
            name = self._names[session_id] = self._name_of(session_id)
        return plain(name)

    def _short(self, session_id: str) -> str:
        name = self._name(session_id)
        cut = self._output.on_terminal and len(name) > NAME_WIDTH
        return f"{name[: NAME_WIDTH - 1]}…" if cut else name

    def _facts(self, message: Any) -> Iterator[str]:
        for field, value in message.ListFields():
            if field.name in _UNTOLD:
                continue
            if field.is_repeated:
                if field.message_type is None and field.name.endswith("_ids"):
                    yield f"{field.name.removesuffix('_ids')}s={len(value)}"
            elif field.message_type is None:
                yield f"{field.name.removesuffix('_id')}={self._value(field, value)}"
            elif isinstance(value, Timestamp):
                yield f"{field.name}={local_time(value)}"
            elif isinstance(value, MessageSender):
                yield f"from={plain(value.handle or value.name or value.session_id or 'its user')}"
            else:  # a session, an approval, a producer: what it is made of
                yield from self._facts(value)

    def _value(self, field: FieldDescriptor, value: Any) -> str:
        if field.enum_type is not None:
            return word(field.enum_type, value)
        if field.name in _SESSIONS:
            return self._name(value)
        if isinstance(value, bool):
            return "yes" if value else "no"
        text = str(value)
        shown = plain(text if len(text) <= TEXT_CHARACTERS_MAX else f"{text[: TEXT_CHARACTERS_MAX - 1]}…")
        return f"'{shown}'" if " " in shown else shown


def _place(fact: str) -> tuple[bool, bool]:
    """Return where a fact stands: who and what first, ids last."""
    name, _, value = fact.partition("=")
    return is_id(value), name not in _FIRST
