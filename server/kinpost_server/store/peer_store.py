"""Peer mail in the database: what the writer looks up and writes, and what readers page through."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from hashlib import blake2b
from struct import pack, unpack
from typing import Any

from sqlalchemy import BindParameter, Integer, Table, bindparam, delete, func, literal_column, or_, select

from kinpost_server.domain.dead_letter import DeadLetter, DeadLetterReason
from kinpost_server.domain.message import Owner
from kinpost_server.domain.peer import Delivery, Letter
from kinpost_server.domain.rate_window import RateWindow
from kinpost_server.engine.peer_ports import (
    AnswerKey,
    Exchange,
    Expired,
    FirstAnswer,
    Parked,
    PeerBody,
    PeerChanges,
    Result,
    StoredBody,
)
from kinpost_server.store import peer_tables, tables
from kinpost_server.store.dialect import Connection, Database, Row
from kinpost_server.store.indexing import EVENT, MESSAGE
from kinpost_server.store.loading import id_keys, joined, of
from kinpost_server.store.pool import ReaderPool
from kinpost_server.store.statements import ArrayRows, KeyedQuery, Query, Rows, putting
from kinpost_server.store.transaction import Transaction

WINDOW = tables.table_of(peer_tables.PeerWindowRow)
ANSWER = tables.table_of(peer_tables.PeerAnswerRow)
EXCHANGE = tables.table_of(peer_tables.PeerExchangeRow)
BODY = tables.table_of(peer_tables.PeerBodyRow)
PARKED = tables.table_of(peer_tables.PeerParkedRow)
DEAD_LETTER = tables.table_of(peer_tables.DeadLetterRow)


def _columns(table: Table) -> tuple[str, ...]:
    return tuple(column.name for column in table.columns)


def _whole(database: Database, table: Table, *names: str) -> Rows | ArrayRows:
    """Return the writing of rows that are new, or else get these columns anew."""
    return putting(database, table, _columns(table), names)


class PeerWriter:
    """Writes what a batch did of peer mail."""

    def __init__(self, database: Database) -> None:
        self._id = database.id_in
        self._flag = database.flag_in
        self.windows = _whole(database, WINDOW, "call_times", "parked_count")
        self.answers = _whole(database, ANSWER, "create_time", "answer")
        self.exchanges = _whole(database, EXCHANGE, "last_source_session_id")
        self.bodies = _whole(database, BODY, "fetch_count")
        self.parked = _whole(database, PARKED, "due_time")
        self.dead_letters = _whole(database, DEAD_LETTER, "redeliver_time", "message_id", "woken_from", "queued")
        keys = database.keys("parked_id")
        self.parked_gone = KeyedQuery(
            database, keys, delete(PARKED).where(PARKED.c.parked_id.in_(select(keys.table.c.parked_id)))
        )
        before: BindParameter[int] = bindparam("before")
        self.answers_gone = Query(database, delete(ANSWER).where(ANSWER.c.create_time < before))
        self.dead_letters_gone = Query(database, delete(DEAD_LETTER).where(DEAD_LETTER.c.create_time < before))

    def write(self, connection: Connection, changes: PeerChanges) -> None:
        """Write it. Raises ValueError or TypeError for what cannot be a row."""
        id_in = self._id
        if changes.expired is not None:
            self.answers_gone.run(connection, before=changes.expired.answers_before)
            self.dead_letters_gone.run(connection, before=changes.expired.dead_letters_before)
        self.windows.write(
            connection,
            [
                (window.token_id, pack(f">{len(window.call_times)}q", *window.call_times), window.parked_count)
                for window in changes.windows.values()
            ],
        )
        self.answers.write(
            connection,
            [(key_hash(key), answer.create_time, _answer_json(answer)) for key, answer in changes.answers.items()],
        )
        self.exchanges.write(
            connection,
            [(id_in(pair[0]), id_in(pair[1]), id_in(last)) for pair, last in changes.exchanges.items()],
        )
        self.bodies.write(
            connection,
            [
                (id_in(body.body_id), id_in(body.source_session_id), body.send_time, body.fetch_count)
                for body in changes.bodies.values()
            ],
        )
        self.parked.write(connection, [self._parked(one) for one in changes.parked.values() if one is not None])
        gone = [(id_in(parked_id),) for parked_id, one in changes.parked.items() if one is None]
        self.parked_gone.apply(connection, gone)
        self.dead_letters.write(connection, [self._dead_letter(letter) for letter in changes.dead_letters.values()])

    def _parked(self, parked: Parked) -> Row:
        id_in = self._id
        return (
            id_in(parked.parked_id),
            parked.token_id,
            parked.due_time,
            id_in(parked.source_session_id),
            id_in(parked.target_session_id),
            json.dumps(asdict(parked.letter)),
        )

    def _dead_letter(self, letter: DeadLetter) -> Row:
        id_in = self._id
        return (
            id_in(letter.dead_letter_id),
            id_in(letter.source_session_id),
            id_in(letter.target_session_id),
            letter.text,
            letter.tldr,
            int(letter.reason),
            letter.detail,
            letter.create_time,
            letter.redeliver_time,
            None if letter.message_id is None else id_in(letter.message_id),
            letter.woken_from,
            self._flag(letter.queued),
        )


class SqlPeerStore:
    """The port's `PeerStore`, within the writer's transaction. Ids that are no UUIDs are not found."""

    def __init__(self, database: Database, transaction: Transaction) -> None:
        self._database = database
        self._transaction = transaction
        self._id = database.id_out
        tokens = database.choices("token_ids", words=True)
        self.windows = Query(database, select(*WINDOW.columns).where(WINDOW.c.token_id.in_(tokens)))
        self.answer = Query(database, select(*ANSWER.columns).where(ANSWER.c.key_hash == bindparam("key_hash")))
        pairs = database.keys("lower_session_id", "higher_session_id")
        self.exchanges = KeyedQuery(
            database,
            pairs,
            select(*of(EXCHANGE, _columns(EXCHANGE))).select_from(
                joined(pairs, EXCHANGE, "lower_session_id", "higher_session_id")
            ),
        )
        self.bodies = _by_id(database, BODY, "body_id")
        self.parked = _by_id(database, PARKED, "parked_id")
        self.dead_letters = _by_id(database, DEAD_LETTER, "dead_letter_id")
        self.due = Query(
            database,
            select(PARKED.c.parked_id)
            .where(PARKED.c.due_time <= bindparam("now"))
            .order_by(PARKED.c.due_time, PARKED.c.parked_id)
            .limit(bindparam("row_limit")),
        )
        one = literal_column("1", Integer)
        old_answers = select(one).where(ANSWER.c.create_time < bindparam("answers_before")).exists()
        old_letters = select(one).where(DEAD_LETTER.c.create_time < bindparam("dead_letters_before")).exists()
        self.expirable = Query(database, select(one).where(or_(old_answers, old_letters)))

    def load_windows(self, token_ids: Iterable[str]) -> dict[str, RateWindow]:
        """Return the rate windows that exist, as they were stored."""
        packed = self._database.pack_choices(list(token_ids))
        with self._transaction.connection() as connection:
            found = self.windows.run(connection, token_ids=packed).fetchall()
        return {
            token_id: RateWindow(token_id, list(unpack(f">{len(times) // 8}q", times)), parked_count)
            for token_id, times, parked_count in found
        }

    def load_answers(self, keys: Iterable[AnswerKey]) -> dict[AnswerKey, FirstAnswer]:
        """Return the first answers that are stored, however old."""
        answers = {}
        with self._transaction.connection() as connection:
            for key in keys:
                row = self.answer.run(connection, key_hash=key_hash(key)).fetchone()
                if row is not None:
                    answers[key] = _first_answer(row)
        return answers

    def load_exchanges(self, pairs: Iterable[Exchange]) -> dict[Exchange, str]:
        """Return, for each pair that wrote, who of it wrote last."""
        id_in = self._database.id_in
        keys = [(id_in(pair.lower_session_id), id_in(pair.higher_session_id)) for pair in pairs]
        with self._transaction.connection() as connection:
            found = self.exchanges.rows(connection, keys)
        return {Exchange(self._id(low), self._id(high)): self._id(last) for low, high, last in found}

    def load_bodies(self, body_ids: Iterable[str]) -> dict[str, PeerBody]:
        """Return what senders may read back."""
        found = self._found(self.bodies, body_ids)
        return {self._id(row[0]): PeerBody(self._id(row[0]), self._id(row[1]), *row[2:]) for row in found}

    def load_parked(self, parked_ids: Iterable[str]) -> dict[str, Parked]:
        """Return messages that wait for a slot."""
        id_out = self._id
        return {
            id_out(id_): Parked(
                id_out(id_), token_id, due_time, id_out(source), id_out(target), Letter(**json.loads(letter))
            )
            for id_, token_id, due_time, source, target, letter in self._found(self.parked, parked_ids)
        }

    def load_dead_letters(self, dead_letter_ids: Iterable[str]) -> dict[str, DeadLetter]:
        """Return dead letters."""
        letters = (dead_letter_of(self._id, row) for row in self._found(self.dead_letters, dead_letter_ids))
        return {letter.dead_letter_id: letter for letter in letters}

    def due_parked(self, now: int, limit: int) -> list[str]:
        """Return messages whose turn has come, the longest waiting first."""
        with self._transaction.connection() as connection:
            found = self.due.run(connection, now=now, row_limit=limit).fetchall()
        return [self._id(row[0]) for row in found]

    def expired(self, answers_before: int, dead_letters_before: int) -> Expired:
        """Look whether anything was made before these instants."""
        given = {"answers_before": answers_before, "dead_letters_before": dead_letters_before}
        with self._transaction.connection() as connection:
            found = self.expirable.run(connection, **given).fetchone()
        return Expired(answers_before, dead_letters_before, found is not None)

    def _found(self, query: KeyedQuery, ids: Iterable[str]) -> list[Row]:
        with self._transaction.connection() as connection:
            return query.rows(connection, id_keys(self._database, ids))


class SqlPeerReader:
    """The port's `PeerReader`. Any thread."""

    def __init__(self, database: Database, pool: ReaderPool, decode_body: Callable[[bytes], str]) -> None:
        self._database = database
        self._pool = pool
        self._decode_body = decode_body
        limit: BindParameter[int] = bindparam("row_limit")
        stored = (
            select(
                MESSAGE.c.message_id,
                MESSAGE.c.sender_session_id,
                MESSAGE.c.session_id,
                EVENT.c.data,
                MESSAGE.c.tldr,
                MESSAGE.c.accept_time,
            )
            .select_from(MESSAGE.outerjoin(EVENT, EVENT.c.position == MESSAGE.c.position))
            .where(MESSAGE.c.owner == literal_column(str(int(Owner.PEER))), MESSAGE.c.tldr.is_not(None))
        )
        self.one = Query(database, stored.where(MESSAGE.c.message_id == bindparam("message_id")))
        self.of_source = Query(
            database,
            stored.join(BODY, BODY.c.body_id == MESSAGE.c.message_id)
            .where(BODY.c.source_session_id == bindparam("source"))
            .order_by(BODY.c.send_time.desc(), BODY.c.body_id.desc())
            .limit(limit),
        )
        self.oldest = Query(database, select(func.min(BODY.c.send_time)))
        page = (
            select(*DEAD_LETTER.columns)
            .where(DEAD_LETTER.c.dead_letter_id < bindparam("before"))
            .order_by(DEAD_LETTER.c.dead_letter_id.desc())
            .limit(limit)
        )
        self.letters = Query(database, page)
        sources = database.keys("source_session_id")
        self.letters_of = KeyedQuery(
            database,
            sources,
            page.where(DEAD_LETTER.c.source_session_id.in_(select(sources.table.c.source_session_id))),
        )

    def body(self, body_id: str) -> StoredBody | None:
        """Return a peer message by its id, in whatever state, if it was sent with a summary."""
        keys = id_keys(self._database, [body_id])
        with self._pool.connection() as connection:
            row = self.one.run(connection, message_id=keys[0][0]).fetchone() if keys else None
        return self._stored(row) if row is not None else None

    def sent(self, source_session_id: str, limit: int) -> list[StoredBody]:
        """Return what a session sent with a summary, newest first."""
        keys = id_keys(self._database, [source_session_id])
        with self._pool.connection() as connection:
            found = self.of_source.run(connection, source=keys[0][0], row_limit=limit).fetchall() if keys else []
        return [self._stored(row) for row in found]

    def holds_since(self) -> int | None:
        """Return when the oldest body of all was sent, None when there is none."""
        with self._pool.connection() as connection:
            since: int | None = self.oldest.run(connection).fetchone()[0]
        return since

    def dead_letters(self, source_session_ids: list[str] | None, before: str, limit: int) -> list[DeadLetter]:
        """Return dead letters of these sessions, of all for None, newest first, after the one named by `before`."""
        given = {"before": self._database.id_in(before or "ffffffff-ffff-ffff-ffff-ffffffffffff"), "row_limit": limit}
        with self._pool.connection() as connection:
            if source_session_ids is None:
                found: Sequence[Row] = self.letters.run(connection, **given).fetchall()
            else:
                found = self.letters_of.rows(connection, id_keys(self._database, source_session_ids), **given)
        return [dead_letter_of(self._database.id_out, row) for row in found]

    def _stored(self, row: Row) -> StoredBody:
        id_out = self._database.id_out
        message_id, source, target, data, tldr, send_time = row
        kept = data is not None
        text = self._decode_body(data) if kept else ""
        return StoredBody(id_out(message_id), id_out(source), id_out(target), text, tldr, send_time, kept)


def key_hash(key: AnswerKey) -> bytes:
    """Return 16 bytes for a request's identity; the lengths keep its parts apart."""
    digest = blake2b(digest_size=16)
    for part in key:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:%b" % (len(data), data))
    return digest.digest()


def dead_letter_of(id_out: Callable[[Any], str], row: Row) -> DeadLetter:
    """Return a dead letter from its row."""
    (id_, source, target, text, tldr, reason, detail, create_time, redeliver_time, message_id, woken_from,
     queued) = row  # fmt: skip
    return DeadLetter(
        id_out(id_),
        id_out(source),
        id_out(target),
        text,
        tldr,
        DeadLetterReason(reason),
        detail,
        create_time,
        redeliver_time,
        None if message_id is None else id_out(message_id),
        woken_from,
        bool(queued),
    )


def _by_id(database: Database, table: Table, key: str) -> KeyedQuery:
    keys = database.keys(key)
    return KeyedQuery(database, keys, select(*of(table, _columns(table))).select_from(joined(keys, table, key)))


def _answer_json(answer: FirstAnswer) -> str:
    return json.dumps(
        [
            [session_id, None if delivery is None else asdict(delivery), error, detail]
            for session_id, delivery, error, detail, _refusal in answer.results
        ]
    )


def _first_answer(row: Row) -> FirstAnswer:
    _key_hash, create_time, answer = row
    return FirstAnswer(
        create_time,
        [
            Result(session_id, None if delivery is None else Delivery(**delivery), error, detail)
            for session_id, delivery, error, detail in json.loads(answer)
        ],
    )
