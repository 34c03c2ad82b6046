"""What the writing side looks up, beside whole sessions: within its transaction, or between two."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from kinpost_server.domain.approval import Approval, GrantKey
from kinpost_server.domain.identity import Token
from kinpost_server.domain.message import Message
from kinpost_server.domain.permission import Relationship
from kinpost_server.domain.producer import Producer
from kinpost_server.domain.run import Claim, Run
from kinpost_server.domain.session import Session, SessionState
from kinpost_server.engine.ports import ClaimKey, Peer, Peers, RunIdentity, RunKey
from kinpost_server.engine.replica_ports import ActiveRun, RuntimeOwner, StandingOffer
from kinpost_server.store.dialect import Database, Row
from kinpost_server.store.loading import id_keys
from kinpost_server.store.queries import KINSHIP, Queries
from kinpost_server.store.records import RowReader
from kinpost_server.store.rows import agent_route, identity_hash, token_route
from kinpost_server.store.transaction import Transaction


class Lookups:
    """The part of the port's `Store` that reads and keeps nothing. Ids that are no UUIDs are not found."""

    def __init__(self, database: Database, transaction: Transaction, decode_body: Callable[[bytes], str]) -> None:
        self._database = database
        self._transaction = transaction
        self._decode_body = decode_body
        self._records = RowReader(database)
        self._queries = Queries(database)

    def load_runs(self, keys: Iterable[RunKey | RunIdentity]) -> dict[RunKey | RunIdentity, Run]:
        """Return the runs that exist, ended ones included, as they are stored and without their claims."""
        id_in = self._database.id_in
        by_id: dict[Row, RunKey | RunIdentity] = {}
        by_identity: dict[Row, RunKey | RunIdentity] = {}
        for key in keys:
            with contextlib.suppress(ValueError):
                if isinstance(key, RunKey):
                    by_id[id_in(key.session_id), id_in(key.run_id)] = key
                else:
                    by_identity[id_in(key.session_id), identity_hash(key.identity)] = key
        with self._transaction.connection() as connection:
            found = {by_id[row[0], row[1]]: row for row in self._queries.runs.rows(connection, list(by_id))}
            for row in self._queries.identities.rows(connection, list(by_identity)):
                found[by_identity[row[0], row[2]]] = row
        return {key: self._records.run(row) for key, row in found.items()}

    def load_claims(self, keys: Iterable[ClaimKey]) -> dict[ClaimKey, Claim]:
        """Return the claims that exist, settled ones included, with what they held."""
        id_in = self._database.id_in
        named: dict[Row, ClaimKey] = {}
        for key in keys:
            with contextlib.suppress(ValueError):
                named[id_in(key.session_id), key.claim_seq] = key
        with self._transaction.connection() as connection:
            found = self._queries.claims.rows(connection, list(named))
        return {named[row[0], row[1]]: self._records.claim(row) for row in found}

    def load_messages(self, message_ids: Iterable[str]) -> dict[str, Message]:
        """Return the messages that exist, in whatever state, as they are stored and without bodies."""
        keys = id_keys(self._database, message_ids)
        with self._transaction.connection() as connection:
            found = self._queries.messages.rows(connection, keys)
        messages = map(self._records.message, found)
        return {message.message_id: message for message in messages}

    def load_approvals(self, approval_ids: Iterable[str]) -> dict[str, Approval]:
        """Return the approvals that exist, in whatever state, as they are stored and with their arguments."""
        keys = id_keys(self._database, approval_ids)
        with self._transaction.connection() as connection:
            found = self._queries.approvals.rows(connection, keys)
        approvals = map(self._records.approval, found)
        return {approval.approval_id: approval for approval in approvals}

    def load_grants(self, keys: Iterable[GrantKey]) -> dict[GrantKey, str]:
        """Return the approval that gave each grant that exists."""
        id_in, id_out = self._database.id_in, self._database.id_out
        named = [(id_in(key.root_session_id), id_in(key.recipient_session_id), key.operation) for key in keys]
        with self._transaction.connection() as connection:
            found = self._queries.grants.rows(connection, named)
        return {
            GrantKey(id_out(root), id_out(recipient), operation): id_out(approval_id)
            for root, recipient, operation, approval_id in found
        }

    def load_pending_alike(self, key: GrantKey, limit: int) -> list[Approval]:
        """Return what waits for a person and would be served by a grant, the longest waiting first."""
        id_in = self._database.id_in
        given = {
            "root": id_in(key.root_session_id),
            "recipient": id_in(key.recipient_session_id),
            "operation": key.operation,
        }
        with self._transaction.connection() as connection:
            found = self._queries.pending_alike.run(connection, row_limit=limit, **given).fetchall()
        return [self._records.approval(row) for row in found]

    def load_bodies(self, messages: Iterable[Message]) -> dict[str, str]:
        """Return the bodies of these messages."""
        bodies: dict[str, str] = {}
        missing: dict[int, Message] = {}
        for message in messages:
            if message.body is not None:
                bodies[message.message_id] = message.body
            else:
                missing[message.position] = message
        with self._transaction.connection() as connection:
            found = self._queries.bodies.rows(connection, [(position,) for position in missing])
        for position, data in found:
            bodies[missing[position].message_id] = self._decode_body(data)
        return bodies

    def load_peers(self, sender: Session, labels: Collection[Relationship], limit: int) -> Peers:
        """Return the sessions of the sender's tree that are one of these to it: the nearest, and how many there are."""
        id_in, id_out = self._database.id_in, self._database.id_out
        parent_id = sender.parent_session_id
        kin = {
            "root": id_in(sender.root_session_id),
            "sender": id_in(sender.session_id),
            "sender_parent": id_in(parent_id) if parent_id is not None else None,
            "kinships": self._database.pack_choices([KINSHIP.index(label) for label in labels]),
        }
        with self._transaction.connection() as connection:
            found = self._queries.peers.run(connection, **kin, row_limit=limit).fetchall()
            (total,) = self._queries.peer_count.run(connection, **kin).fetchone()
        nearest = [
            Peer(id_out(id_), id_out(parent) if parent else None, handle, text, SessionState(state).name.lower())
            for id_, parent, handle, text, state in found
        ]
        return Peers(nearest, total)

    def load_queued_children(self, run_ids: Iterable[str]) -> dict[str, list[str]]:
        """Return, for each delegating run, the sessions that still wait for it to start them."""
        keys = id_keys(self._database, run_ids)
        with self._transaction.connection() as connection:
            found = self._queries.queued_children.rows(connection, keys)
        id_out = self._database.id_out
        children: dict[str, list[str]] = {}
        for run_id, session_id in found:
            children.setdefault(id_out(run_id), []).append(id_out(session_id))
        return children

    def load_tokens(self) -> list[Token]:
        """Return all tokens, revoked ones included."""
        with self._transaction.connection() as connection:
            return [self._records.token(row) for row in self._queries.tokens.run(connection).fetchall()]

    def count_hosted(self, token_id: str) -> int:
        """Return how many sessions a token hosts."""
        with self._transaction.connection() as connection:
            return int(self._queries.hosted_count.run(connection, token_id=token_id).fetchone()[0])

    def find_token(self, token_id: str) -> Token | None:
        """Return a token, None when there is none."""
        with self._transaction.connection() as connection:
            row = self._queries.token.run(connection, token_id=token_id).fetchone()
        return self._records.token(row) if row is not None else None

    def load_runtimes(self, runtime_ids: Iterable[str]) -> dict[str, RuntimeOwner]:
        """Return the token that each runtime id belongs to, and its newest attachment."""
        ids = self._database.pack_choices(list(runtime_ids))
        with self._transaction.connection() as connection:
            found = self._queries.runtimes.run(connection, runtime_ids=ids).fetchall()
        return {runtime_id: RuntimeOwner(token_id, attachment_id) for runtime_id, token_id, attachment_id in found}

    def load_producers(self, producer_ids: Iterable[str]) -> dict[str, Producer]:
        """Return the registrations that exist, ended ones included."""
        keys = id_keys(self._database, producer_ids)
        with self._transaction.connection() as connection:
            found = self._queries.producers.rows(connection, keys)
        return {producer.producer_id: producer for producer in map(self._records.producer, found)}

    def load_registered(self, session_ids: Iterable[str]) -> dict[str, list[Producer]]:
        """Return, for each session, its registrations that have not ended."""
        keys = id_keys(self._database, session_ids)
        with self._transaction.connection() as connection:
            found = self._queries.registered.rows(connection, keys)
        registered: dict[str, list[Producer]] = {}
        for producer in map(self._records.producer, found):
            registered.setdefault(producer.session_id, []).append(producer)
        return registered

    def due_producers(self, now: int, limit: int) -> list[str]:
        """Return registrations whose lease is over, the longest first."""
        with self._transaction.connection() as connection:
            return self._ids(self._queries.due_producers.run(connection, now=now, row_limit=limit).fetchall())

    def due_sessions(self, now: int, limit: int) -> list[str]:
        """Return sessions whose `due_time` has come, the longest waiting first."""
        with self._transaction.connection() as connection:
            return self._ids(self._queries.due.run(connection, now=now, row_limit=limit).fetchall())

    def wakes_to_offer(self, token_ids: Sequence[str], agents: Sequence[str], now: int, limit: int) -> list[str]:
        """Return sessions with a wake that waits to be offered, hosted by one of the tokens or of one of the agents.

        `*` among the agents stands for every agent.
        """
        found: set[tuple[int, Any]] = set()
        with self._transaction.connection() as connection:
            if "*" in agents:
                found.update(self._queries.to_offer_to_all.run(connection, now=now, row_limit=limit).fetchall())
            else:
                for route in [*map(token_route, token_ids), *map(agent_route, agents)]:
                    query = self._queries.to_offer
                    found.update(query.run(connection, route=route, now=now, row_limit=limit).fetchall())
        return self._ids((session_id,) for _time, session_id in sorted(found)[:limit])

    def offers_of(self, runtime_id: str) -> list[StandingOffer]:
        """Return the wakes that are offered to this runtime."""
        id_out = self._database.id_out
        with self._transaction.connection() as connection:
            found = self._queries.offered.run(connection, runtime_id=runtime_id).fetchall()
        return [StandingOffer(id_out(session_id), id_out(wake_id)) for session_id, wake_id in found]

    def hold_token(self, token_id: str) -> None:
        """Keep others from a token: there are none."""

    def suspects(self, after_session_id: str, limit: int) -> list[str]:
        """Return sessions, by id, that have a wake, or mail without an active run: those reconciliation looks at."""
        after = self._database.id_in(after_session_id) if after_session_id else self._database.lowest_id
        with self._transaction.connection() as connection:
            return self._ids(self._queries.suspects.run(connection, after=after, row_limit=limit).fetchall())

    def active_runs(self) -> list[ActiveRun]:
        """Return all sessions with an active run, and who has it."""
        id_out = self._database.id_out
        with self._transaction.connection() as connection:
            found = self._queries.active.run(connection).fetchall()
        return [ActiveRun(id_out(id_), id_out(run_id), token_id, runtime) for id_, run_id, token_id, runtime in found]

    def _ids(self, found: Iterable[Row]) -> list[str]:
        id_out = self._database.id_out
        return [id_out(row[0]) for row in found]
