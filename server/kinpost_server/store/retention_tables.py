"""The table of what is no longer kept of the log."""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy import BigInteger, Index
from sqlmodel import Field, SQLModel

from kinpost_server.store.columns import Id
from kinpost_server.store.tables import NOT_A_ROWID_TABLE


class DroppedRow(SQLModel, table=True):
    """A session whose events up to `seq`, at `position`, were dropped, in the commit of that `number`, counted by one.

    Its newest event always stays, so that its last seq and the log's last position are what they were.
    """

    __tablename__: ClassVar[str] = "dropped"
    __table_args__ = (
        Index("dropped_tree", "root_session_id"),  # of a tree
        Index("dropped_position", "position"),  # the highest of all
        Index("dropped_number", "number"),  # the newest
        NOT_A_ROWID_TABLE,
    )

    session_id: str = Field(primary_key=True, sa_type=Id)
    root_session_id: str = Field(sa_type=Id)
    seq: int = Field(sa_type=BigInteger)
    position: int = Field(sa_type=BigInteger)
    number: int = Field(sa_type=BigInteger)
