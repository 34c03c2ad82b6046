"""The tables of peer mail. `token_id` is a text, as in the token's own table; instants are microseconds.

A message's body and summary stay with the message: a row of `peer_body` says that its sender may read it back, and how
often it was fetched.
"""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy import BigInteger, Index, LargeBinary, SmallInteger, Text
from sqlmodel import Field, SQLModel

from kinpost_server.store.columns import Id
from kinpost_server.store.tables import NOT_A_ROWID_TABLE


class PeerWindowRow(SQLModel, table=True):
    """The calls of a token that count, eight bytes each, the oldest first; and how many messages wait for a slot."""

    __tablename__: ClassVar[str] = "peer_window"
    __table_args__ = NOT_A_ROWID_TABLE

    token_id: str = Field(primary_key=True, sa_type=Text)
    call_times: bytes = Field(sa_type=LargeBinary)
    parked_count: int = Field(sa_type=BigInteger)


class PeerAnswerRow(SQLModel, table=True):
    """The first answer to a request, JSON; `key_hash` is of token, route and key."""

    __tablename__: ClassVar[str] = "peer_answer"
    __table_args__ = (Index("peer_answer_time", "create_time"), NOT_A_ROWID_TABLE)  # what is no longer kept

    key_hash: bytes = Field(primary_key=True, sa_type=LargeBinary)
    create_time: int = Field(sa_type=BigInteger)
    answer: str = Field(sa_type=Text)


class PeerExchangeRow(SQLModel, table=True):
    """Who of two sessions wrote to the other last."""

    __tablename__: ClassVar[str] = "peer_exchange"
    __table_args__ = NOT_A_ROWID_TABLE

    lower_session_id: str = Field(primary_key=True, sa_type=Id)
    higher_session_id: str = Field(primary_key=True, sa_type=Id)
    last_source_session_id: str = Field(sa_type=Id)


class PeerBodyRow(SQLModel, table=True):
    """A message that was sent with a summary; `body_id` is the message's id."""

    __tablename__: ClassVar[str] = "peer_body"
    __table_args__ = (
        Index("peer_body_source", "source_session_id", "send_time"),  # what a session sent
        Index("peer_body_time", "send_time"),  # the oldest of all
        NOT_A_ROWID_TABLE,
    )

    body_id: str = Field(primary_key=True, sa_type=Id)
    source_session_id: str = Field(sa_type=Id)
    send_time: int = Field(sa_type=BigInteger)
    fetch_count: int = Field(sa_type=BigInteger)


class PeerParkedRow(SQLModel, table=True):
    """A message that waits for a slot of its token; `letter` is what was sent, JSON."""

    __tablename__: ClassVar[str] = "peer_parked"
    __table_args__ = (Index("peer_parked_due", "due_time", "parked_id"), NOT_A_ROWID_TABLE)

    parked_id: str = Field(primary_key=True, sa_type=Id)
    token_id: str = Field(sa_type=Text)
    due_time: int = Field(sa_type=BigInteger)
    source_session_id: str = Field(sa_type=Id)
    target_session_id: str = Field(sa_type=Id)
    letter: str = Field(sa_type=Text)


class DeadLetterRow(SQLModel, table=True):
    """A peer message that could not be delivered, whole."""

    __tablename__: ClassVar[str] = "dead_letter"
    __table_args__ = (Index("dead_letter_time", "create_time"), NOT_A_ROWID_TABLE)  # what is no longer kept

    dead_letter_id: str = Field(primary_key=True, sa_type=Id)
    source_session_id: str = Field(sa_type=Id)
    target_session_id: str = Field(sa_type=Id)
    text: str = Field(sa_type=Text)
    tldr: str | None = Field(sa_type=Text)
    reason: int = Field(sa_type=SmallInteger)
    detail: str = Field(sa_type=Text)
    create_time: int = Field(sa_type=BigInteger)
    redeliver_time: int | None = Field(sa_type=BigInteger)
    message_id: str | None = Field(sa_type=Id)
    woken_from: str | None = Field(sa_type=Text)
    queued: bool
