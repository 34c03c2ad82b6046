"""The reading side: pages of events, sessions and sent messages, from connections of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kinpost_server.domain.approval import Approval, ApprovalState
from kinpost_server.domain.identity import Token
from kinpost_server.domain.message import MessageState
from kinpost_server.domain.producer import Producer
from kinpost_server.domain.session import Availability, SessionState
from kinpost_server.engine.ports import PendingMail, Scope, SentMessage, SessionSnapshot, StoredEvent
from kinpost_server.engine.reading import sent_snapshot
from kinpost_server.engine.upkeep_ports import Dropped, RetiredPage, StoredFigures
from kinpost_server.store.dialect import Connection, Database
from kinpost_server.store.event_pages import EventPages
from kinpost_server.store.figures import FigureQueries
from kinpost_server.store.loading import SessionLoader, id_keys
from kinpost_server.store.pages import Pages
from kinpost_server.store.peer_store import SqlPeerReader
from kinpost_server.store.pool import ReaderPool
from kinpost_server.store.records import RowReader
from kinpost_server.store.replaying import POSITION_MAX
from kinpost_server.store.retention import Retention


class SqlReader:
    """The port's `Reader` over one database. Any thread."""

    def __init__(self, database: Database, pool: ReaderPool, log_id: str, decode_body: Callable[[bytes], str]) -> None:
        self.peer = SqlPeerReader(database, pool, decode_body)
        self._database = database
        self._pool = pool
        self._log_id = log_id
        self._records = RowReader(database)
        self._loader = SessionLoader(database)
        self._pages = Pages(database)
        self._events = EventPages(database)
        self._figures = FigureQueries(database)
        self._retention = Retention(database)

    def ping(self) -> None:
        """Return when the database answers."""
        with self._pool.connection() as connection:
            self._pages.ping.run(connection).fetchone()

    def log_id(self) -> str:
        """Return the id of the log; a restore renews it."""
        return self._log_id

    def figures(self) -> StoredFigures:
        """Count what waits, at a cost that depends on how much of it there is, never on the length of the log."""
        with self._pool.snapshot() as connection:
            return self._figures.read(connection)

    def retired_trees(self, after: int, limit: int) -> RetiredPage:
        """Return trees with events to drop in which nothing lives, whose root is among a page of sessions."""
        with self._pool.snapshot() as connection:
            return self._retention.retired(connection, after, limit)

    def dropped(self, scope: Scope) -> Dropped:
        """Return what of a scope's events was dropped."""
        with self._pool.connection() as connection:
            return self._retention.dropped(connection, scope)

    def get_session(self, session_id: str) -> SessionSnapshot | None:
        """Return a session that is not deleted, with its hosts and active run, without mail and wake."""
        with self._pool.snapshot() as connection:
            snapshots = self._snapshots(connection, [session_id])
        return snapshots[0] if snapshots and not snapshots[0].session.deleted else None

    def list_sessions(
        self, root_session_id: str, states: Sequence[int], availabilities: Sequence[int], after: str, limit: int
    ) -> list[SessionSnapshot]:
        """Return sessions that are not deleted, in the order of their making. The page token is a page's last id.

        Without a root all trees are listed; without states or availabilities, those in any. An unknown token or
        root gives an empty page.
        """
        chosen = {
            "states": self._database.pack_choices(list(states or SessionState)),
            "availabilities": self._database.pack_choices(list(availabilities or Availability)),
            "row_limit": limit,
        }
        with self._pool.snapshot() as connection:
            position = self._session_position(connection, after) if after else 0
            if position is None:
                return []
            if root_session_id:
                keys = id_keys(self._database, [root_session_id])
                if not keys:
                    return []
                query = self._pages.sessions_of_tree
                found = query.run(connection, root=keys[0][0], after=position, **chosen).fetchall()
            else:
                found = self._pages.sessions.run(connection, after=position, **chosen).fetchall()
            return self._snapshots(connection, [self._database.id_out(row[0]) for row in found])

    def get_message(self, message_id: str) -> SentMessage | None:
        """Return a message in whatever state."""
        keys = id_keys(self._database, [message_id])
        if not keys:
            return None
        with self._pool.snapshot() as connection:
            row = self._pages.message.run(connection, message_id=keys[0][0]).fetchone()
            return self._sent(connection, [row])[0] if row is not None else None

    def list_sent(self, session_id: str, states: Sequence[int], before: int, limit: int) -> list[SentMessage]:
        """Return what a session sent, newest first, below the position `before` (0 for the newest)."""
        keys = id_keys(self._database, [session_id])
        if not keys:
            return []
        with self._pool.snapshot() as connection:
            given = {
                "sender": keys[0][0],
                "states": self._database.pack_choices(list(states or MessageState)),
                "before": before or self._events.last(connection) + 1,
            }
            found = self._pages.sent_tail.run(connection, row_limit=limit, **given).fetchall()
            if len(found) < limit:
                found += self._pages.sent_indexed.run(connection, row_limit=limit - len(found), **given).fetchall()
            return self._sent(connection, found)

    def get_approval(self, approval_id: str) -> Approval | None:
        """Return an approval in whatever state, with its arguments."""
        keys = id_keys(self._database, [approval_id])
        if not keys:
            return None
        with self._pool.connection() as connection:
            row = self._pages.approval.run(connection, approval_id=keys[0][0]).fetchone()
        return self._records.approval(row) if row is not None else None

    def list_approvals(
        self, root_session_id: str, states: Sequence[int], before: int, limit: int, bytes_max: int
    ) -> tuple[list[Approval], bool]:
        """Return a tree's approvals, newest first, below the position `before` (0 for the newest), and if more follow.

        At least one is returned when there is one, then as many as fit under `bytes_max`.
        """
        keys = id_keys(self._database, [root_session_id])
        found: list[Approval] = []
        if not keys:
            return found, False
        given = {
            "root": keys[0][0],
            "states": self._database.pack_choices(list(states or ApprovalState)),
            "before": before or POSITION_MAX,
        }
        room = bytes_max
        with self._pool.connection() as connection:
            for row in self._pages.approvals_of_tree.run(connection, row_limit=limit + 1, **given):
                approval = self._records.approval(row)
                room -= len(approval.arguments_json.encode())
                if found and (room < 0 or len(found) == limit):
                    return found, True
                found.append(approval)
        return found, False

    def list_producers(self, session_id: str) -> list[Producer]:
        """Return a session's registrations that have not ended, in the order of their making."""
        keys = id_keys(self._database, [session_id])
        with self._pool.connection() as connection:
            found = self._pages.producers.run(connection, session_id=keys[0][0]).fetchall() if keys else []
        return [self._records.producer(row) for row in found]

    def events_after(
        self, scope: Scope, position: int, types: Sequence[int], limit: int, bytes_max: int
    ) -> tuple[list[StoredEvent], int]:
        """Return events after a position, and the position up to which the log was looked at.

        At least one event is returned when there is one within what was looked at, then as many as fit under
        `bytes_max`. With types, a bounded stretch of the log is looked at.
        """
        with self._pool.connection() as connection:
            return self._events.after(connection, scope, position, types, limit, bytes_max)

    def events_before(self, session_id: str, seq: int, types: Sequence[int], limit: int) -> list[StoredEvent]:
        """Return a session's events of these types with a lower seq, newest first."""
        keys = id_keys(self._database, [session_id])
        if not keys:
            return []
        with self._pool.snapshot() as connection:
            return self._events.before(connection, keys[0][0], seq, types, limit)

    def pending_mail(self, session_id: str) -> PendingMail:
        """Return what is pending for a session."""
        with self._pool.snapshot() as connection:
            session = self._loader.whole(connection, [session_id]).get(session_id)
        return PendingMail([], 0) if session is None else PendingMail(list(session.mail), session.last_seq)

    def acceptances(self, message_ids: Iterable[str]) -> list[StoredEvent]:
        """Return the accepted events of messages, in whatever state these are, in the order of the log."""
        keys = id_keys(self._database, message_ids)
        with self._pool.connection() as connection:
            found = self._pages.acceptances.rows(connection, keys)
        return [self._events.event(row) for row in found]

    def position_of(self, session_id: str, seq: int) -> int:
        """Return the position of the last event of the session with at most this seq, 0 when there is none."""
        keys = id_keys(self._database, [session_id])
        with self._pool.connection() as connection:
            return self._events.position_of(connection, keys[0][0], seq) if keys else 0

    def last_position(self) -> int:
        """Return the newest position, 0 for an empty log."""
        with self._pool.connection() as connection:
            return self._events.last(connection)

    def first_position(self) -> int:
        """Return the oldest position that is kept, 1 for an empty log."""
        with self._pool.connection() as connection:
            return self._events.first(connection)

    def token_version(self) -> object:
        """Return something that is another whenever a token was made or revoked: how many there are of both."""
        with self._pool.connection() as connection:
            return tuple(self._pages.token_version.run(connection).fetchone())

    def all_tokens(self) -> list[Token]:
        """Return all tokens, revoked ones included."""
        with self._pool.connection() as connection:
            return [self._records.token(row) for row in self._pages.tokens.run(connection).fetchall()]

    def attachments(self, runtime_ids: Sequence[str]) -> dict[str, str]:
        """Return the newest attachment of each runtime id that has one."""
        ids = self._database.pack_choices(list(runtime_ids))
        with self._pool.connection() as connection:
            return dict(self._pages.attachments.run(connection, runtime_ids=ids).fetchall())

    def root_exists(self, root_session_id: str) -> bool:
        """Whether there is such a tree, be its sessions deleted or not."""
        keys = id_keys(self._database, [root_session_id])
        if not keys:
            return False
        with self._pool.connection() as connection:
            return self._pages.root.run(connection, root=keys[0][0]).fetchone() is not None

    def _session_position(self, connection: Connection, session_id: str) -> int | None:
        keys = id_keys(self._database, [session_id])
        row = self._pages.session_position.run(connection, session_id=keys[0][0]).fetchone() if keys else None
        return row[0] if row is not None else None

    def _snapshots(self, connection: Connection, session_ids: list[str]) -> list[SessionSnapshot]:
        sessions = self._loader.heads(connection, session_ids)
        counts = self._loader.counts(connection, sessions)
        return [SessionSnapshot(sessions[id_], counts.get(id_, 0)) for id_ in session_ids if id_ in sessions]

    def _sent(self, connection: Connection, found: Sequence[tuple[object, ...]]) -> list[SentMessage]:
        messages = [self._records.message(row) for row in found]
        recipients = self._loader.heads(connection, {message.session_id for message in messages})
        return [sent_snapshot(message, recipients[message.session_id]) for message in messages]
