"""A request of peer mail, as the commands that carry it know it."""

from __future__ import annotations

from dataclasses import dataclass

from kinpost_server.domain.identity import Caller
from kinpost_server.domain.peer import Letter, Route
from kinpost_server.engine.peer_ports import AnswerKey


@dataclass(slots=True, frozen=True)
class Names:
    """What the caller's door calls the fields that are not of the body, for refusals that name them."""

    source: str = "source_session_id"
    key: str = "client_request_id"
    targets: str = "session_ids"


@dataclass(slots=True, frozen=True)
class Post:
    """A request. `source_session_id` is empty when it was not said; `key` is the client's own, empty for none.

    `has_waited`: it was answered when it was parked, and has a slot kept for it. `dead_letter_id`: the letter it is.
    """

    caller: Caller
    route: Route
    source_session_id: str
    target_session_ids: tuple[str, ...]
    letter: Letter
    key: str = ""
    names: Names = Names()
    has_waited: bool = False
    dead_letter_id: str = ""

    @property
    def answer_key(self) -> AnswerKey | None:
        """The identity of the request, None for one without."""
        return AnswerKey(self.caller.token_id, self.route, self.key) if self.key else None

    @property
    def only_leaves(self) -> bool:
        """Whether the message is only left with its target, whatever state that is in."""
        return self.route is Route.QUEUE
