"""The tables against the log, once the server has ended: projections are the fold of the events, routes lead to all."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import Any

from kinpost_server.domain.approval import Approval
from kinpost_server.domain.event import Event
from kinpost_server.domain.fold import apply, begin
from kinpost_server.domain.message import Message
from kinpost_server.domain.run import Claim, Run
from kinpost_server.domain.session import Session
from kinpost_server.engine.ports import ClaimKey, RunIdentity, RunKey, Store
from kinpost_server.store.opening import open_store
from kinpost_server.transport.event_codec import decode_body, encode
from sqlalchemy.engine import make_url

from torture_kit.history import Report
from torture_kit.routes import Routes, all_events

CHUNK = 500
# What is no fold of the log (leases, when to look again, who holds a run, where rows lie), and what is not always read.
NOT_FOLDED = frozenset(
    {
        *("touched", "due_time", "lease_expire_time", "runtime_id", "position", "body"),
        *("live_claim", "claims", "attempts", "approvals", "arguments_json"),
    }
)


def check_projections(url: str, report: Report, *, drained: bool = False) -> int:
    """Compare each row with the fold of the log and return how many were compared; no server may have the database.

    `drained`: no mail waits and nothing runs, so reconciliation would find nothing to look at.
    """
    parsed = make_url(url)
    if parsed.drivername == "sqlite":
        _check_file(Path(parsed.database or ""), report)
    opened = open_store(url, encode=encode, decode_body=decode_body)
    try:
        folded, routes = Folded(), Routes()
        for event in all_events(opened.reader):
            folded.take(event)
            routes.take(event)
        if drained and (suspects := opened.store.suspects("", CHUNK)):
            report("projections", f"after draining, reconciliation would look at {len(suspects)} sessions")
        return _compare(folded, opened.store, report) + routes.compare(opened.reader, report)
    finally:
        opened.store.close()


class Folded:
    """The fold of a whole log, with what ended on the way."""

    def __init__(self) -> None:
        self.sessions: dict[str, Session] = {}
        self.messages: dict[str, Message] = {}
        self.runs: dict[RunKey, Run] = {}
        self.claims: dict[ClaimKey, Claim] = {}
        self.approvals: dict[str, Approval] = {}

    def take(self, event: Event) -> None:
        """Apply the next event."""
        session = self.sessions.get(event.session_id)
        if session is None:
            self.sessions[event.session_id] = begin(event)
            return
        apply(session, event)  # torture neither forks nor reverts: `kinpost doctor` folds those too
        touched = session.touched
        self.messages.update(touched.messages)
        self.runs.update({RunKey(session.session_id, run_id): run for run_id, run in touched.runs.items()})
        self.claims.update({ClaimKey(session.session_id, seq): claim for seq, claim in touched.claims.items()})
        self.approvals.update(touched.approvals)
        for message in touched.messages.values():
            message.body = None
        for part in (touched.messages, touched.runs, touched.claims, touched.approvals):
            part.clear()


def _compare(folded: Folded, store: Store, report: Report) -> int:
    compared = 0
    store.begin()
    try:
        for ids in _chunks(folded.sessions):
            compared += _equal({i: folded.sessions[i] for i in ids}, store.load_sessions(ids), "session", report)
        for ids in _chunks(folded.messages):
            compared += _equal({i: folded.messages[i] for i in ids}, store.load_messages(ids), "message", report)
        for keys in _chunks(folded.runs):
            compared += _equal({key: folded.runs[key] for key in keys}, store.load_runs(keys), "run", report)
            by_identity = {RunIdentity(key.session_id, folded.runs[key].identity): folded.runs[key] for key in keys}
            compared += _equal(by_identity, store.load_runs(by_identity), "run by its start", report)
        for names in _chunks(folded.claims):
            compared += _equal({name: folded.claims[name] for name in names}, store.load_claims(names), "claim", report)
        for ids in _chunks(folded.approvals):
            asked = {i: folded.approvals[i] for i in ids}
            compared += _equal(asked, store.load_approvals(ids), "approval", report)
    finally:
        store.rollback()
    return compared


def _equal(expected: dict[Any, Any], found: dict[Any, Any], what: str, report: Report) -> int:
    for key, value in expected.items():
        if key not in found:
            report("projections", f"the {what} {key} is in the log and not in its table")
            continue
        for difference in _differences(value, found[key]):
            report("projections", f"{what} {key}: {difference}")
    return len(expected)


def _differences(expected: Any, found: Any) -> Iterator[str]:
    one, other = _plain(expected), _plain(found)
    if one != other:
        for name, value in one.items():
            if value != other[name]:
                yield f"{name} is {other[name]!r}, by the log {value!r}"


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        named = ((field.name, getattr(value, field.name)) for field in fields(value) if field.name not in NOT_FOLDED)
        return {name: _plain(part) for name, part in named}
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    return value


def _chunks(keys: Collection[Any]) -> Iterator[list[Any]]:
    rest = iter(keys)
    while chunk := list(islice(rest, CHUNK)):
        yield chunk


def _check_file(path: Path, report: Report) -> None:
    """Ask SQLite itself whether the file is whole."""
    connection = sqlite3.connect(path)
    try:
        for (line,) in connection.execute("PRAGMA integrity_check"):
            if line != "ok":
                report("file", line)
    finally:
        connection.close()
