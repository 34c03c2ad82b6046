"""Tables whose rows live for seconds: which plugins are attached to which replica, and what they are asked.

They are no part of the log, and nothing in it depends on them.
"""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy import BigInteger, Index, Text
from sqlmodel import Field, SQLModel

from kinpost_server.store.tables import NOT_A_ROWID_TABLE


class GateStreamRow(SQLModel, table=True):
    """A plugin's stream, until its replica says nothing more of it; `tool_names` is JSON."""

    __tablename__: ClassVar[str] = "gate_stream"
    __table_args__ = NOT_A_ROWID_TABLE

    stream_id: str = Field(primary_key=True, sa_type=Text)
    replica_id: str = Field(sa_type=Text)
    plugin_name: str = Field(sa_type=Text)
    tool_names: str = Field(sa_type=Text)
    expire_time: int = Field(sa_type=BigInteger)


class GateQuestionRow(SQLModel, table=True):
    """A tool call that is put before a stream; `call` is JSON. Answered without `allowed`: the plugin left."""

    __tablename__: ClassVar[str] = "gate_question"
    __table_args__ = (Index("gate_question_stream", "stream_id"), NOT_A_ROWID_TABLE)

    question_id: str = Field(primary_key=True, sa_type=Text)
    stream_id: str = Field(sa_type=Text)
    call: str = Field(sa_type=Text)
    expire_time: int = Field(sa_type=BigInteger)
    answered: bool
    allowed: bool | None
    reason: str = Field(sa_type=Text)
