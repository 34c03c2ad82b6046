"""Every projection rebuilt from the log, and each difference reported.

The log is read page by page, one session after the other; what has met its end is compared and let go of. So memory
holds one session's pending mail, however long the log is. The order of the log by session is a table of SQLite's own
(on disk, gone afterwards), since the log's indexes are projections too.

Not compared, because the log does not tell: the `lease_expire_time` of runs and producers, and `due_time` but for this:
it must not be later than what it is there for.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Table, bindparam, select

from kinpost_server.domain import event as e
from kinpost_server.domain.approval import ApprovalState
from kinpost_server.domain.refold import Refold
from kinpost_server.domain.session import Availability, Session
from kinpost_server.store import examination_statements as statements
from kinpost_server.store import rows
from kinpost_server.store.columns import Id, Ids, id_from_bytes, ids_from_bytes
from kinpost_server.store.dialect import Row
from kinpost_server.store.examining_peers import examine_peers
from kinpost_server.store.indexing import MESSAGE
from kinpost_server.store.loading import APPROVAL, CLAIM, HOST, RUN, SESSION, WAKE, of
from kinpost_server.store.read_only import ReadOnlySqlite
from kinpost_server.store.rebuilding import Rebuilt, RowsMade
from kinpost_server.store.replaying import REPLAY
from kinpost_server.store.statements import Query
from kinpost_server.store.writing import PRODUCER, WAKE_ROUTE

PENDING = ApprovalState.PENDING
MISSING = "no such row"


class Difference(NamedTuple):
    """One value that is not what the log makes of it; `row` is the rest of its key. Ids are text, bytes are hex."""

    session_id: str
    table: str
    row: str
    column: str
    expected: Any
    found: Any


Report = Callable[[Difference], None]


class Examined(NamedTuple):
    """How many events there are, and of how many sessions the older ones are no longer kept: these are not rebuilt."""

    events: int
    sessions_dropped: int


def examine(path: Path, decode: Callable[[bytes], e.Event], report: Report) -> Examined:
    """Compare each projection with the fold of the log, at one moment of the database.

    The projections of sessions whose older events were dropped cannot be rebuilt; what is left of their logs is looked
    at for holes.

    `decode` reads an event of the log and raises what it likes for bytes that are none. Raises StoreFailed when the
    database cannot be read.
    """
    database = ReadOnlySqlite(path)
    with database.moment() as connection:
        return _Examination(database, connection, decode, report).run()


class _Comparing:
    """The columns of one table, looked up by some of them."""

    def __init__(self, database: ReadOnlySqlite, table: Table, columns: tuple[str, ...], *key: str) -> None:
        self.name = table.name
        self.columns = columns
        self.types = [table.c[name].type for name in columns]
        self.key = key
        self._at = [columns.index(name) for name in key]
        conditions = [table.c[name] == bindparam(f"key_{name}") for name in key]
        self._query = Query(database, select(*of(table, columns)).where(*conditions))
        self._of_session = Query(
            database, select(*of(table, columns)).where(table.c["session_id"] == bindparam("key_session_id"))
        )

    def key_of(self, row: Row) -> Row:
        return tuple(row[at] for at in self._at)

    def found(self, connection: sqlite3.Connection, key: Row) -> Row | None:
        given = {f"key_{name}": value for name, value in zip(self.key, key, strict=True)}
        found: Row | None = self._query.run(connection, **given).fetchone()
        return found

    def of_session(self, connection: sqlite3.Connection, session_id: bytes) -> list[Row]:
        return self._of_session.run(connection, key_session_id=session_id).fetchall()


class _Examination:
    def __init__(
        self,
        database: ReadOnlySqlite,
        connection: sqlite3.Connection,
        decode: Callable[[bytes], e.Event],
        report: Report,
    ) -> None:
        self._database, self._connection = database, connection
        self._decode, self._report = decode, report
        self._session = _Comparing(database, SESSION, rows.SESSION_COLUMNS, "session_id")
        self._run = _Comparing(database, RUN, rows.RUN_COLUMNS, "session_id", "run_id")
        self._claim = _Comparing(database, CLAIM, rows.CLAIM_COLUMNS, "session_id", "claim_seq")
        self._message = _Comparing(database, MESSAGE, rows.MESSAGE_COLUMNS, "position")
        self._approval = _Comparing(database, APPROVAL, rows.APPROVAL_COLUMNS, "position")
        self._producer = _Comparing(database, PRODUCER, rows.PRODUCER_COLUMNS, "producer_id")
        self._wake = _Comparing(database, WAKE, rows.WAKE_COLUMNS, "session_id")
        self._replay = _Comparing(database, REPLAY, rows.REPLAY_COLUMNS, "session_id", "key_hash")
        self._host = _Comparing(database, HOST, ("session_id", "token_id"), "session_id", "token_id")
        self._dropped: dict[bytes, int] = {}  # up to which seq a session's events are no longer kept
        self._route = _Comparing(database, WAKE_ROUTE, rows.WAKE_ROUTE_COLUMNS, "session_id", "route")

    def run(self) -> Examined:
        """Examine everything."""
        for statement in (statements.PLACES, statements.PLACES_BY_SESSION, statements.PLACES_BY_POSITION):
            self._connection.execute(statement)
        self._dropped = dict(self._connection.execute(statements.DROPPED).fetchall())
        for (session_id,) in self._connection.execute(statements.SESSION_IDS).fetchall():
            self._examine_session(session_id)
        self._examine_indexes()
        examine_peers(self._database, self._connection, self._decoded, self._differs)
        for table, statement in statements.STRANGERS.items():
            for owner, key in self._connection.execute(statement):
                self._report(Difference(_text(owner), table, _text(key), "", MISSING, "a row"))
        count: int = self._connection.execute("SELECT count(*) FROM event").fetchone()[0]
        return Examined(count, len(self._dropped))

    def _examine_session(self, session_id: bytes) -> None:
        if session_id in self._dropped:
            for _event in self._events(session_id, self._dropped[session_id] + 1):
                pass  # what is left has no holes; nothing can be rebuilt from it
            return
        rebuilt = Rebuilt(self._database, self._refold(session_id))
        complete = True
        replays = 0
        for event in self._events(session_id):
            if event is None:
                complete = False
                break
            try:
                self._give_hosts(event)
                done = rebuilt.take(event)
            except Exception as fault:  # noqa: BLE001 - whatever the fold says of a log that it cannot follow
                self._report(
                    Difference(event.session_id, "event", str(event.seq), "data", "what may follow", f"{fault!r:.200}")
                )
                complete = False
                break
            self._compare_made(done)
            replays += len(done.replays)
        if complete and rebuilt.begun:
            self._examine_end(session_id, rebuilt)
            (stored,) = self._connection.execute(statements.REPLAYS_OF_USERS, (session_id,)).fetchone()
            if stored > replays:
                self._report(Difference(_text(session_id), "replay", "", "", f"{replays} rows", f"{stored} rows"))

    def _examine_end(self, session_id: bytes, rebuilt: Rebuilt) -> None:
        """Compare what the session has come to."""
        self._compare_made(rebuilt.left())
        session_row = rebuilt.session_row()
        self._compare(self._session, session_row, {"due_time"})
        self._look_at_due_time(rebuilt.session, session_row)
        self._compare_all(self._wake, session_id, rebuilt.wake_rows())
        self._compare_all(self._host, session_id, rebuilt.host_rows())
        self._compare_all(self._route, session_id, rebuilt.route_rows())

    def _compare_made(self, made: RowsMade) -> None:
        for row in made.runs:
            self._compare(self._run, row, {"lease_expire_time"})
        for row in made.producers:
            self._compare(self._producer, row, {"lease_expire_time"})
        for table, made_rows in (
            (self._message, made.messages),
            (self._claim, made.claims),
            (self._approval, made.approvals),
            (self._replay, made.replays),
        ):
            for row in made_rows:
                self._compare(table, row)

    def _refold(self, session_id: bytes) -> Refold:
        reverts = []
        for (data,) in self._connection.execute(statements.REVERTS, (session_id, e.SessionReverted.TYPE)):
            event = self._decoded(data)
            if event is not None and isinstance(event.payload, e.SessionReverted):
                reverts.append(event.payload)
        return Refold(reverts)

    def _events(self, session_id: bytes, expected: int = 1) -> Iterator[e.Event | None]:
        """Give a session's events in order; None, and no more, where one is missing or cannot be read."""
        for row in self._connection.execute(statements.EVENTS, (session_id,)):
            position, _session_id, _root, seq, type_, data = row
            event = self._decoded(data)
            if event is None:
                self._report(Difference(_text(session_id), "event", str(seq), "data", "an event", "something else"))
                yield None
                return
            inside = (
                position,
                self._database.id_in(event.session_id),
                self._database.id_in(event.root_session_id),
                event.seq,
                event.payload.TYPE or type_,  # of a newer program's event we do not know
            )
            sound = True
            for column, told, found in zip(rows.EVENT_COLUMNS, (event.position, *inside[1:]), row, strict=False):
                if told != found:
                    sound = False
                    self._differs(event.session_id, "event", str(event.seq), column, told, found)
            if sound and event.seq != expected:
                sound = False
                self._differs(event.session_id, "event", str(event.seq), "seq", expected, event.seq)
            if not sound:
                yield None
                return
            expected += 1
            yield event

    def _decoded(self, data: bytes) -> e.Event | None:
        try:
            return self._decode(data)
        except Exception:  # noqa: BLE001 - whatever a decoder says of bytes that are no event
            return None

    def _give_hosts(self, event: e.Event) -> None:
        """A fork is hosted by whoever hosted its original then: that is in the original's log."""
        payload = event.payload
        if not isinstance(payload, e.SessionForked):
            return
        if self._database.id_in(payload.from_session_id) in self._dropped:
            found = self._host.of_session(self._connection, self._database.id_in(event.session_id))
            payload.host_token_ids = frozenset(token_id for _session_id, token_id in found)
            return
        payload.host_token_ids = frozenset(self._hosts_at(payload.from_session_id, event.position))

    def _hosts_at(self, session_id: str, position: int) -> set[str]:
        hosts: set[str] = set()
        for (data,) in self._connection.execute(statements.HOSTINGS, (self._database.id_in(session_id), position)):
            event = self._decoded(data)
            payload = event.payload if event is not None else None
            if isinstance(payload, e.SessionForked):
                hosts |= self._hosts_at(payload.from_session_id, event.position if event is not None else 0)
            elif isinstance(payload, e.SessionCreated):
                hosts |= {payload.host_token_id} - {""}
            elif isinstance(payload, e.RunStarted | e.WakeOffered):
                hosts.add(payload.token_id)
        return hosts

    def _compare(self, table: _Comparing, expected: Row, besides: Iterable[str] = ()) -> None:
        key = table.key_of(expected)
        found = table.found(self._connection, key)
        self._compare_rows(table, expected, found, besides)

    def _compare_all(self, table: _Comparing, session_id: bytes, expected: list[Row]) -> None:
        """Compare all rows that a session has in a table."""
        found = {table.key_of(row): row for row in table.of_session(self._connection, session_id)}
        for row in expected:
            self._compare_rows(table, row, found.pop(table.key_of(row), None), ())
        for row in found.values():
            name = _readable(row[-1 if len(table.key) == 1 else 1], None)
            self._report(Difference(_text(session_id), table.name, str(name), "", MISSING, "a row"))

    def _compare_rows(self, table: _Comparing, expected: Row, found: Row | None, besides: Iterable[str]) -> None:
        if found == expected:
            return
        values = dict(zip(table.columns, expected, strict=True))
        key = " ".join(str(_readable(values[name], None)) for name in table.key if name != "session_id")
        if found is None:
            self._report(Difference(_text(values["session_id"]), table.name, key, "", "a row", MISSING))
            return
        for column, kind, told, there in zip(table.columns, table.types, expected, found, strict=True):
            if column not in besides and told != there:
                session_id = _text(values["session_id"])
                self._differs(session_id, table.name, key, column, _readable(told, kind), _readable(there, kind))

    def _look_at_due_time(self, session: Session, expected: Row) -> None:
        found = self._session.found(self._connection, self._session.key_of(expected))
        if found is None or session.deleted:
            return
        due_time = found[self._session.columns.index("due_time")]
        lease: int | None = None
        if session.run is not None:
            run = self._run.found(self._connection, (expected[1], self._database.id_in(session.run.run_id)))
            lease = run[self._run.columns.index("lease_expire_time")] if run is not None else None
        latest = latest_look(session, lease)
        if latest is not None and (due_time is None or due_time > latest):
            self._differs(session.session_id, "session", "", "due_time", f"at most {latest}", due_time)

    def _examine_indexes(self) -> None:
        (last,) = self._connection.execute("SELECT coalesce(max(position), 0) FROM event").fetchone()
        (indexed,) = self._connection.execute("SELECT indexed_position FROM log").fetchone()
        if indexed > last:
            self._report(Difference("", "log", "", "indexed_position", f"at most {last}", indexed))
        registered, there = self._connection.execute(statements.PRODUCERS).fetchone()
        if there > registered:
            self._report(Difference("", "producer", "", "", f"{registered} rows", f"{there} rows"))
        for (table, column), statement in statements.INDEXED.items():
            for owner, key, told, there in self._connection.execute(statement):
                self._differs(owner, table, key, column, told, MISSING if there is None else there)

    def _differs(self, session_id: Any, table: str, row: Any, column: str, expected: Any, found: Any) -> None:
        shown = (_readable(expected, None), _readable(found, None))
        self._report(Difference(_text(session_id), table, _text(row), column, *shown))


def latest_look(session: Session, lease_expire_time: int | None) -> int | None:
    """Return when something of a session falls due at the latest, None when nothing does by itself."""
    times = [message.expire_time for message in session.mail.values() if message.expire_time and message.waiting]
    if lease_expire_time is not None:
        times.append(lease_expire_time)
    if session.run is not None:
        times += [a.expire_time for a in session.run.approvals.values() if a.expire_time and a.state is PENDING]
    if session.availability is Availability.PAUSED and session.until_time is not None:
        times.append(session.until_time)
    if session.wake is not None and session.wake.expire_time is not None:
        times.append(session.wake.expire_time)
    return min(times) if times else None


def _text(value: Any) -> str:
    return str(_readable(value, None))


def _readable(value: Any, kind: Any) -> Any:
    """Return a value as people and JSON have it."""
    if isinstance(kind, Ids):
        return [id_from_bytes(value)] if len(value) == 16 else list(ids_from_bytes(value))
    if isinstance(value, bytes):
        return id_from_bytes(value) if len(value) == 16 and (kind is None or isinstance(kind, Id)) else value.hex()
    return value
