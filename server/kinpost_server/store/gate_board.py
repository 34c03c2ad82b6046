"""Where replicas put tool calls before each other's plugins: rows that live for seconds."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Table, bindparam, delete, select, update

from kinpost_server.domain.tools import ToolCall
from kinpost_server.engine.ports import StoreFailed
from kinpost_server.engine.replica_ports import GateAnswer, GateStream, Question
from kinpost_server.store.dialect import Connection, Database
from kinpost_server.store.gate_tables import GateQuestionRow, GateStreamRow
from kinpost_server.store.statements import Query
from kinpost_server.store.tables import table_of

STREAM = table_of(GateStreamRow)
QUESTION = table_of(GateQuestionRow)


class SqlGateBoard:
    """The port's `GateBoard`, on a connection of its own that it makes when it is needed."""

    def __init__(self, database: Database, replica_id: str) -> None:
        self._database = database
        self._replica_id = replica_id
        self._connection: Connection | None = None
        self._guard = threading.Lock()  # whoever gave a call up may leave it at work in its thread
        self._closed = False
        insert = database.insert(STREAM)
        self._show = Query(
            database,
            insert.values(_given(STREAM)).on_conflict_do_update(
                index_elements=["stream_id"], set_={"expire_time": insert.excluded.expire_time}
            ),
        )
        ids = database.choices("ids", words=True)
        self._forget_others = Query(
            database,
            delete(STREAM).where(STREAM.c.replica_id == bindparam("replica_id"), STREAM.c.stream_id.not_in(ids)),
        )
        self._expire_streams = Query(database, delete(STREAM).where(STREAM.c.expire_time < bindparam("now")))
        self._expire_questions = Query(database, delete(QUESTION).where(QUESTION.c.expire_time < bindparam("now")))
        self._others = Query(
            database,
            select(STREAM.c.stream_id, STREAM.c.plugin_name, STREAM.c.tool_names)
            .where(STREAM.c.replica_id != bindparam("replica_id"))
            .order_by(STREAM.c.stream_id),
        )
        self._ask = Query(database, database.insert(QUESTION).values(_given(QUESTION)))
        self._questions = Query(
            database,
            select(QUESTION.c.question_id, QUESTION.c.stream_id, QUESTION.c.call, QUESTION.c.expire_time)
            .where(QUESTION.c.stream_id.in_(ids), QUESTION.c.answered.is_(False))
            .order_by(QUESTION.c.question_id),
        )
        self._answer = Query(
            database,
            update(QUESTION)
            .where(QUESTION.c.question_id == bindparam("asked"), QUESTION.c.answered.is_(False))
            .values(answered=bindparam("done"), allowed=bindparam("is_allowed"), reason=bindparam("why")),
        )
        self._answers = Query(
            database,
            select(QUESTION.c.question_id, QUESTION.c.allowed, QUESTION.c.reason).where(
                QUESTION.c.question_id.in_(ids), QUESTION.c.answered.is_(True)
            ),
        )
        self._drop = Query(database, delete(QUESTION).where(QUESTION.c.question_id.in_(ids)))

    def show(self, streams: Sequence[GateStream], now: int, expire_time: int) -> list[GateStream]:
        """Let exactly these streams be this replica's until then; return the others'. Drops what expired."""
        ids = self._database.pack_choices([stream.stream_id for stream in streams])
        with self._connected() as connection:
            for stream_id, plugin_name, tool_names in streams:
                self._show.run(
                    connection,
                    stream_id=stream_id,
                    replica_id=self._replica_id,
                    plugin_name=plugin_name,
                    tool_names=json.dumps(sorted(tool_names)),
                    expire_time=expire_time,
                )
            self._forget_others.run(connection, replica_id=self._replica_id, ids=ids)
            self._expire_streams.run(connection, now=now)
            self._expire_questions.run(connection, now=now)
            return self.others(connection)

    def elsewhere(self) -> list[GateStream]:
        """Return the streams of the other replicas."""
        with self._connected() as connection:
            return self.others(connection)

    def others(self, connection: Connection) -> list[GateStream]:
        """Return the streams of the other replicas, read in whatever transaction the connection is in."""
        found = self._others.run(connection, replica_id=self._replica_id).fetchall()
        return [GateStream(stream_id, name, frozenset(json.loads(tools))) for stream_id, name, tools in found]

    def ask(self, question: Question) -> None:
        """Put a question."""
        with self._connected() as connection:
            self._ask.run(
                connection,
                question_id=question.question_id,
                stream_id=question.stream_id,
                call=json.dumps(asdict(question.call)),
                expire_time=question.expire_time,
                answered=self._database.flag_in(False),
                allowed=None,
                reason="",
            )

    def questions(self, stream_ids: Sequence[str]) -> list[Question]:
        """Return what these streams are asked and is not answered."""
        with self._connected() as connection:
            found = self._questions.run(connection, ids=self._database.pack_choices(list(stream_ids))).fetchall()
        return [Question(id_, stream_id, ToolCall(**json.loads(call)), until) for id_, stream_id, call, until in found]

    def answer(self, question_id: str, answer: GateAnswer) -> None:
        """Answer a question, if it is still asked."""
        flag = self._database.flag_in
        with self._connected() as connection:
            self._answer.run(
                connection,
                asked=question_id,
                done=flag(True),
                is_allowed=None if answer.allowed is None else flag(answer.allowed),
                why=answer.reason,
            )

    def answers(self, question_ids: Sequence[str]) -> dict[str, GateAnswer]:
        """Return the answers that there are."""
        with self._connected() as connection:
            found = self._answers.run(connection, ids=self._database.pack_choices(list(question_ids))).fetchall()
        return {id_: GateAnswer(None if allowed is None else bool(allowed), reason) for id_, allowed, reason in found}

    def drop(self, question_ids: Sequence[str]) -> None:
        """Ask no longer."""
        with self._connected() as connection:
            self._drop.run(connection, ids=self._database.pack_choices(list(question_ids)))

    def close(self) -> None:
        """Close the connection, once nobody uses it any more; what comes later fails."""
        with self._guard:
            self._closed = True
            self._disconnect()

    @contextlib.contextmanager
    def _connected(self) -> Iterator[Connection]:
        with self._guard:
            if self._closed:
                raise StoreFailed("the store is closed")
            try:
                if self._connection is not None and self._database.is_cut(self._connection):
                    self._disconnect()
                if self._connection is None:
                    self._connection = self._database.connect_writer()
                yield self._connection
            except self._database.driver_error as error:
                self._disconnect()
                raise StoreFailed(str(error).strip()) from error

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _given(table: Table) -> dict[str, Any]:
    return {column.name: bindparam(column.name) for column in table.columns}
