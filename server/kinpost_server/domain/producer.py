"""Producers: registrations to send into one session, kept alive by their owners."""

from __future__ import annotations

from dataclasses import dataclass

from kinpost_server.domain.message import Owner


@dataclass(slots=True)
class Producer:
    """A registration. Times are microseconds since the epoch; `end_time` is set once it was ended or has lapsed."""

    producer_id: str
    session_id: str
    owner: Owner
    owner_name: str
    client_producer_id: str
    description: str
    create_time: int
    lease_expire_time: int
    end_time: int | None = None

    @property
    def active(self) -> bool:
        """Whether its owner may send by it."""
        return self.end_time is None
