"""The tables. The event table is the log; all others but token, runtime and log are projections of it.

Keys lead with the session or the tree, so that a tree is the unit of locality. A body is stored once, in its
accepted event. Enumerations are stored as the wire's numbers, instants as microseconds since the epoch.

Each index costs some microseconds a message, and one that leads with the session costs a page of the write-ahead log
as soon as each session has pages of its own: a send would cost three times as much in a long log as in an empty one.
So the log's indexes by session, tree and sender are tables of their own, brought up to `log.indexed_position` every so
many events in one sorted go (`indexing.py`); queries look at the few newer rows one by one. Every other index has a
query that needs it, named beside it.
"""

from __future__ import annotations

from typing import Any, ClassVar

from sqlalchemy import BigInteger, Index, LargeBinary, SmallInteger, Table, Text, text
from sqlmodel import Field, SQLModel

from kinpost_server.store.columns import Id, Ids, Position

NOT_A_ROWID_TABLE: dict[str, Any] = {"sqlite_with_rowid": False}


def _partial(name: str, *columns: str, where: str, unique: bool = False) -> Index:
    """An index of the rows for which the condition holds; queries repeat the condition word for word."""
    return Index(name, *columns, unique=unique, sqlite_where=text(where), postgresql_where=text(where))


def _given_number() -> dict[str, Any]:
    """Positions are given by the writer, never by the database."""
    return {"autoincrement": False}


class EventRow(SQLModel, table=True):
    """The log. `data` is the serialised wire event, so that replay and fan-out encode nothing."""

    __tablename__: ClassVar[str] = "event"

    position: int = Field(primary_key=True, sa_type=Position, sa_column_kwargs=_given_number())
    session_id: str = Field(sa_type=Id)
    root_session_id: str = Field(sa_type=Id)
    seq: int = Field(sa_type=BigInteger)
    type: int = Field(sa_type=SmallInteger)
    data: bytes = Field(sa_type=LargeBinary)


class EventOfSessionRow(SQLModel, table=True):
    """Index of the log by session: its replay, its last seq."""

    __tablename__: ClassVar[str] = "event_of_session"
    __table_args__ = NOT_A_ROWID_TABLE

    session_id: str = Field(primary_key=True, sa_type=Id)
    seq: int = Field(primary_key=True, sa_type=BigInteger, sa_column_kwargs=_given_number())
    position: int = Field(sa_type=BigInteger)


class EventOfTreeRow(SQLModel, table=True):
    """Index of the log by tree: its replay."""

    __tablename__: ClassVar[str] = "event_of_tree"
    __table_args__ = NOT_A_ROWID_TABLE

    root_session_id: str = Field(primary_key=True, sa_type=Id)
    position: int = Field(primary_key=True, sa_type=BigInteger, sa_column_kwargs=_given_number())


ACTIVE_RUN = "state = 1"
PENDING_MESSAGE = "state <= 4"
PENDING_APPROVAL = "state = 1"
GRANT = "decision = 2"
QUEUED_SESSION = "state = 2"
FAILING_SESSION = "availability = 2 AND availability_reason = 'failing' AND NOT set_by_person"
WAITING_WAKE = "state = 1"
OFFERED_WAKE = "state = 2"
REGISTERED_PRODUCER = "end_time IS NULL"
REGISTRATION = ("session_id", "owner", "owner_name", "client_producer_id")  # never two of them at once


class SessionRow(SQLModel, table=True):
    """A session. `position` is its first event's: the order of making. Tombstones keep their handles."""

    __tablename__: ClassVar[str] = "session"
    __table_args__ = (
        Index("session_id", "session_id", unique=True),
        _partial("session_handle", "root_session_id", "handle", where="handle IS NOT NULL", unique=True),
        Index("session_tree", "root_session_id", "position"),  # lists of a tree
        _partial("session_due", "due_time", where="due_time IS NOT NULL"),  # what falls due by itself
        _partial("session_queued", "parent_run_id", where=QUEUED_SESSION),  # children whose delegator is gone
        _partial("session_failing", "availability_time", where=FAILING_SESSION),  # how many the service paused
    )

    position: int = Field(primary_key=True, sa_type=Position, sa_column_kwargs=_given_number())
    session_id: str = Field(sa_type=Id)
    root_session_id: str = Field(sa_type=Id)
    parent_session_id: str | None = Field(sa_type=Id)
    parent_run_id: str | None = Field(sa_type=Id)
    parent_tool_call_id: str | None = Field(sa_type=Text)
    depth: int = Field(sa_type=BigInteger)
    handle: str | None = Field(sa_type=Text)
    agent: str = Field(sa_type=Text)
    description: str = Field(sa_type=Text)
    message_rules: str = Field(sa_type=Text)  # JSON: pattern to decision, in the order given
    starter: int = Field(sa_type=SmallInteger)
    create_time: int = Field(sa_type=BigInteger)
    request_digest: bytes = Field(sa_type=LargeBinary)
    state: int = Field(sa_type=SmallInteger)
    availability: int = Field(sa_type=SmallInteger)
    availability_reason: str = Field(sa_type=Text)
    availability_time: int = Field(sa_type=BigInteger)
    until_time: int | None = Field(sa_type=BigInteger)
    no_wake: bool
    set_by_person: bool
    queued_time: int = Field(sa_type=BigInteger)
    run_count: int = Field(sa_type=BigInteger)
    failing_runs: int = Field(sa_type=BigInteger)
    deleted: bool
    due_time: int | None = Field(sa_type=BigInteger)


class SessionHostRow(SQLModel, table=True):
    """The tokens that host a session. Only ever grows."""

    __tablename__: ClassVar[str] = "session_host"
    __table_args__ = (
        Index("session_host_token", "token_id"),  # how many a token hosts
        NOT_A_ROWID_TABLE,
    )

    session_id: str = Field(primary_key=True, sa_type=Id)
    token_id: str = Field(primary_key=True, sa_type=Text)


class RunRow(SQLModel, table=True):
    """A run. `identity_hash` is of what makes its start safe to repeat.

    What it sent lies between the positions of its first and last event.
    """

    __tablename__: ClassVar[str] = "run"
    __table_args__ = (
        Index("run_identity", "session_id", "identity_hash", unique=True),
        _partial("run_active", "session_id", where=ACTIVE_RUN, unique=True),  # never two at once
        NOT_A_ROWID_TABLE,
    )

    session_id: str = Field(primary_key=True, sa_type=Id)
    run_id: str = Field(primary_key=True, sa_type=Id)
    identity_hash: bytes = Field(sa_type=LargeBinary)
    root_session_id: str = Field(sa_type=Id)
    number: int = Field(sa_type=BigInteger)
    token_id: str = Field(sa_type=Text)
    start_time: int = Field(sa_type=BigInteger)
    start_seq: int = Field(sa_type=BigInteger)
    start_position: int = Field(sa_type=BigInteger)
    wake_id: str | None = Field(sa_type=Id)
    client_run_id: str | None = Field(sa_type=Text)
    runtime_id: str | None = Field(sa_type=Text)
    state: int = Field(sa_type=SmallInteger)
    end_time: int | None = Field(sa_type=BigInteger)
    lease_expire_time: int = Field(sa_type=BigInteger)
    reason: str = Field(sa_type=Text)
    by_person: bool
    lease_lost: bool
    hop: int = Field(sa_type=BigInteger)
    admitted_count: int = Field(sa_type=BigInteger)
    consumed_count: int = Field(sa_type=BigInteger)
    at_first_boundary: bool
    end_position: int | None = Field(sa_type=BigInteger)


class ClaimRow(SQLModel, table=True):
    """A claim. Those of the active run are those after the run's first event."""

    __tablename__: ClassVar[str] = "claim"
    __table_args__ = NOT_A_ROWID_TABLE

    session_id: str = Field(primary_key=True, sa_type=Id)
    claim_seq: int = Field(primary_key=True, sa_type=BigInteger, sa_column_kwargs=_given_number())
    run_id: str = Field(sa_type=Id)
    attempt_id: str = Field(sa_type=Text)
    message_ids: tuple[str, ...] = Field(sa_type=Ids)
    more_pending: bool
    state: int = Field(sa_type=SmallInteger)


class MessageRow(SQLModel, table=True):
    """A message without its body; `position` is that of its accepted event, which has the body.

    An agent's message answers for a repeat of its send: run and tool call are the send's identity, `request_digest`
    and `recipient_state` belong to the answer. One with `forked_from` is a fork's copy: nobody's send.
    """

    __tablename__: ClassVar[str] = "message"
    __table_args__ = (
        Index("message_id", "message_id", unique=True),
        _partial("message_pending", "session_id", "position", where=PENDING_MESSAGE),  # the mail of a session
    )

    position: int = Field(primary_key=True, sa_type=Position, sa_column_kwargs=_given_number())
    message_id: str = Field(sa_type=Id)
    session_id: str = Field(sa_type=Id)
    accept_seq: int = Field(sa_type=BigInteger)
    owner: int = Field(sa_type=SmallInteger)
    mode: int = Field(sa_type=SmallInteger)
    sender_session_id: str | None = Field(sa_type=Id)
    sender_handle: str | None = Field(sa_type=Text)
    sender_run_id: str | None = Field(sa_type=Id)
    sender_tool_call_id: str | None = Field(sa_type=Text)
    body_bytes: int = Field(sa_type=BigInteger)
    accept_time: int = Field(sa_type=BigInteger)
    agent_hop: int | None = Field(sa_type=BigInteger)
    request_digest: bytes = Field(sa_type=LargeBinary)
    recipient_state: int = Field(sa_type=SmallInteger)
    state: int = Field(sa_type=SmallInteger)
    delivery_count: int = Field(sa_type=BigInteger)
    # What an agent's message does not have when it is accepted comes last, so that its row can be written without.
    sender_producer_id: str | None = Field(sa_type=Text)
    sender_name: str | None = Field(sa_type=Text)
    expire_time: int | None = Field(sa_type=BigInteger)
    run_id: str | None = Field(sa_type=Id)
    claim_seq: int | None = Field(sa_type=BigInteger)
    admit_time: int | None = Field(sa_type=BigInteger)
    claim_time: int | None = Field(sa_type=BigInteger)
    end_time: int | None = Field(sa_type=BigInteger)
    discard_reason: int | None = Field(sa_type=SmallInteger)
    superseded_by: str | None = Field(sa_type=Id)
    forked_from: str | None = Field(sa_type=Id)
    tldr: str | None = Field(sa_type=Text)


class MessageOfSenderRow(SQLModel, table=True):
    """Index of messages by sender: what it sent, and the answers to its repeated sends."""

    __tablename__: ClassVar[str] = "message_of_sender"
    __table_args__ = NOT_A_ROWID_TABLE

    sender_session_id: str = Field(primary_key=True, sa_type=Id)
    position: int = Field(primary_key=True, sa_type=BigInteger, sa_column_kwargs=_given_number())


class WakeRow(SQLModel, table=True):
    """The wake of a session, until it is settled or withdrawn."""

    __tablename__: ClassVar[str] = "wake"
    __table_args__ = (
        _partial("wake_waiting", "next_offer_time", where=WAITING_WAKE),  # what may be offered
        _partial("wake_offered", "runtime_id", where=OFFERED_WAKE),  # a runtime's offers
        NOT_A_ROWID_TABLE,
    )

    session_id: str = Field(primary_key=True, sa_type=Id)
    wake_id: str = Field(sa_type=Id)
    request_time: int = Field(sa_type=BigInteger)
    next_offer_time: int = Field(sa_type=BigInteger)
    state: int = Field(sa_type=SmallInteger)
    offer_number: int = Field(sa_type=BigInteger)
    runtime_id: str | None = Field(sa_type=Text)
    token_id: str | None = Field(sa_type=Text)
    expire_time: int | None = Field(sa_type=BigInteger)


class WakeRouteRow(SQLModel, table=True):
    """By which ways a waiting wake finds a runtime: each host's token, and the agent's name.

    Written only when no runtime took the wake at once. So the wakes of runtimes that are away, however many, are not
    in the way of the others'.
    """

    __tablename__: ClassVar[str] = "wake_route"
    __table_args__ = (
        Index("wake_route_time", "route", "next_offer_time"),
        NOT_A_ROWID_TABLE,
    )

    session_id: str = Field(primary_key=True, sa_type=Id)
    route: str = Field(primary_key=True, sa_type=Text)
    next_offer_time: int = Field(sa_type=BigInteger)


class ApprovalRow(SQLModel, table=True):
    """A question to a person, with the arguments that it is about; `position` is that of its asking.

    `operation` is the tool with the names of its arguments. An answer for the tree is a grant, for ever.
    """

    __tablename__: ClassVar[str] = "approval"
    __table_args__ = (
        Index("approval_id", "approval_id", unique=True),
        Index("approval_run", "session_id", "run_id"),  # those of the active run
        Index("approval_tree", "root_session_id", "position"),  # lists of a tree
        _partial("approval_grant", "root_session_id", "recipient_session_id", where=GRANT),
        _partial("approval_pending", "root_session_id", "recipient_session_id", where=PENDING_APPROVAL),
    )

    position: int = Field(primary_key=True, sa_type=Position, sa_column_kwargs=_given_number())
    approval_id: str = Field(sa_type=Id)
    session_id: str = Field(sa_type=Id)
    root_session_id: str = Field(sa_type=Id)
    run_id: str = Field(sa_type=Id)
    tool_call_id: str = Field(sa_type=Text)
    tool_name: str = Field(sa_type=Text)
    operation: str = Field(sa_type=Text)
    recipient_session_id: str = Field(sa_type=Id)
    request_digest: bytes = Field(sa_type=LargeBinary)
    create_time: int = Field(sa_type=BigInteger)
    expire_time: int | None = Field(sa_type=BigInteger)
    arguments_json: str = Field(sa_type=Text)
    state: int = Field(sa_type=SmallInteger)
    decision: int | None = Field(sa_type=SmallInteger)
    reason: str = Field(sa_type=Text)
    decide_time: int | None = Field(sa_type=BigInteger)


class ReplayRow(SQLModel, table=True):
    """The first answer to a send that is not an agent's, by its identity. `key_hash` is of scope and key."""

    __tablename__: ClassVar[str] = "replay"
    __table_args__ = NOT_A_ROWID_TABLE

    session_id: str = Field(primary_key=True, sa_type=Id)
    key_hash: bytes = Field(primary_key=True, sa_type=LargeBinary)
    message_id: str = Field(sa_type=Id)
    recipient_session_id: str = Field(sa_type=Id)
    digest: bytes = Field(sa_type=LargeBinary)
    mode: int = Field(sa_type=SmallInteger)
    recipient_state: int = Field(sa_type=SmallInteger)


class TokenRow(SQLModel, table=True):
    """A bearer token, without its secret."""

    __tablename__: ClassVar[str] = "token"
    __table_args__ = NOT_A_ROWID_TABLE

    token_id: str = Field(primary_key=True, sa_type=Text)
    kind: int = Field(sa_type=SmallInteger)
    plugin_name: str = Field(sa_type=Text)
    session_ids: tuple[str, ...] = Field(sa_type=Ids)
    secret_digest: bytes = Field(sa_type=LargeBinary)
    create_time: int = Field(sa_type=BigInteger)
    expire_time: int | None = Field(sa_type=BigInteger)
    revoke_time: int | None = Field(sa_type=BigInteger)


class RuntimeRow(SQLModel, table=True):
    """The token that a runtime id belongs to, and its newest attachment, to whichever replica."""

    __tablename__: ClassVar[str] = "runtime"
    __table_args__ = NOT_A_ROWID_TABLE

    runtime_id: str = Field(primary_key=True, sa_type=Text)
    token_id: str = Field(sa_type=Text)
    attachment_id: str | None = Field(sa_type=Text)


class ProducerRow(SQLModel, table=True):
    """A registration to send into a session. Ended ones stay, so that ending them can be repeated."""

    __tablename__: ClassVar[str] = "producer"
    __table_args__ = (
        _partial("producer_registered", *REGISTRATION, where=REGISTERED_PRODUCER, unique=True),  # a session's
        _partial("producer_lease", "lease_expire_time", where=REGISTERED_PRODUCER),  # what lapses
        NOT_A_ROWID_TABLE,
    )

    producer_id: str = Field(primary_key=True, sa_type=Id)
    session_id: str = Field(sa_type=Id)
    owner: int = Field(sa_type=SmallInteger)
    owner_name: str = Field(sa_type=Text)
    client_producer_id: str = Field(sa_type=Text)
    description: str = Field(sa_type=Text)
    create_time: int = Field(sa_type=BigInteger)
    lease_expire_time: int = Field(sa_type=BigInteger)
    end_time: int | None = Field(sa_type=BigInteger)


class LogRow(SQLModel, table=True):
    """What there is once: the log's id, the key of the envelopes, and which programs may use the schema.

    Up to `indexed_position` events and messages are in their indexes. `mark` changes with each commit that writes no
    event, so that every commit can be recognised afterwards.
    """

    __tablename__: ClassVar[str] = "log"

    number: int = Field(primary_key=True, sa_type=SmallInteger, sa_column_kwargs=_given_number())
    log_id: str = Field(sa_type=Id)
    envelope_key: bytes = Field(sa_type=LargeBinary)
    schema_number: int = Field(sa_type=BigInteger)
    compatible_from_number: int = Field(sa_type=BigInteger)
    indexed_position: int = Field(sa_type=BigInteger)
    mark: int = Field(sa_type=BigInteger)


def table_of(row: type[SQLModel]) -> Table:
    """Return the table of a row's class."""
    table: Table = row.__table__  # type: ignore[attr-defined]
    return table
