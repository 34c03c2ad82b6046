"""The forms of requests and answers, which are also what the OpenAPI document shows.

Their limits are shown only: whatever is more than a matter of form is judged by the engine, for both doors.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from kinpost_server.domain.peer import TARGETS_MAX, TEXT_MAX, TLDR_MAX, TLDR_NEEDED_PAST

NO_NUL = "^[^\\u0000]*$"


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _needs_tldr(schema: dict[str, Any]) -> None:
    """A long text needs a summary."""
    schema["anyOf"] = [
        {"properties": {"text": {"maxLength": TLDR_NEEDED_PAST}}},
        {"required": ["tldr"]},
    ]


class Form(BaseModel):
    """A body that a route takes."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, alias_generator=_camel, json_schema_extra=_needs_tldr
    )


Text = Annotated[
    str,
    Field(
        description="What is said, in Unicode code points",
        json_schema_extra={"minLength": 1, "maxLength": TEXT_MAX, "pattern": NO_NUL},
    ),
]
Tldr = Annotated[
    str | SkipJsonSchema[None],
    Field(
        description="The sender's own summary; needed past 1000 characters of text",
        json_schema_extra={"minLength": 1, "maxLength": TLDR_MAX, "pattern": NO_NUL},
    ),
]


class LeftMessage(Form):
    """A message that is only left."""

    text: Text
    tldr: Tldr = None


class FollowUpMessage(LeftMessage):
    """A follow-up."""

    confirm_inactive_target: bool = Field(default=False, description="Proceed although the target sleeps")


class PeerMessage(FollowUpMessage):
    """A message to one session."""

    confirm_interrupt_turn: bool = Field(default=False, description="End the target's turn in place of queueing")
    allow_reopen_user_closed: bool = Field(default=False, description="Open what a person closed; admins only")
    queue_if_limited: bool = Field(default=False, description="Park the message under a spent budget")


class PeerBroadcast(FollowUpMessage):
    """A message to many sessions."""

    session_ids: list[str] = Field(json_schema_extra={"minItems": 1, "maxItems": TARGETS_MAX, "uniqueItems": True})


class Nothing(Form):
    """A body without fields."""

    model_config = ConfigDict(json_schema_extra={})


class Answer(BaseModel):
    """An answer."""

    model_config = ConfigDict(extra="forbid", alias_generator=_camel)


class Delivered(Answer):
    """What came of a message: `queued` and `idempotent` are there only when true."""

    ok: Literal[True]
    delivered: bool
    queued: Literal[True] | SkipJsonSchema[None] = None
    woken_from: Literal["archived", "ended", "error"] | None = Field()
    idempotent: Literal[True] | SkipJsonSchema[None] = None


class TargetDelivered(Delivered):
    """What came of a message to one of many."""

    session_id: str


class TargetRefused(Answer):
    """Why a message to one of many was refused."""

    session_id: str
    ok: Literal[False]
    error: str
    detail: str


class Broadcast(Answer):
    """One result for each target, in the order of the request."""

    ok: Literal[True]
    results: list[TargetDelivered | TargetRefused]
    idempotent: Literal[True] | SkipJsonSchema[None] = None


class Size(Answer):
    """The size of a stored body; the tokens are an estimate, a quarter of its bytes."""

    ok: Literal[True]
    chars: int
    tokens: int


class Body(Size):
    """A stored body."""

    text: str


class SentMessage(Answer):
    """A message that the session sent with a summary."""

    body_id: str
    target_session_id: str
    text: str
    tldr: str
    chars: int
    tokens: int
    send_time: str = Field(json_schema_extra={"format": "date-time"})


class SentMessages(Answer):
    """What a session sent with summaries, newest first."""

    ok: Literal[True]
    messages: list[SentMessage]
    retained_scope: str
    store_holds_since: str | None = Field(json_schema_extra={"format": "date-time"})


class KeptLetter(Answer):
    """A message that could not be delivered."""

    dead_letter_id: str
    source_session_id: str
    target_session_id: str
    text: str
    tldr: str | None = Field()
    reason: Literal["target_gone", "user_closed", "wake_failed", "send_failed"]
    detail: str
    create_time: str = Field(json_schema_extra={"format": "date-time"})
    redeliver_time: str | None = Field(json_schema_extra={"format": "date-time"})


class KeptLetters(Answer):
    """A page of dead letters, newest first."""

    ok: Literal[True]
    dead_letters: list[KeptLetter]
    next_page_token: str


class Health(Answer):
    """Whether the server lives, or can serve."""

    ok: bool


class Refused(Answer):
    """Why a request was refused: a stable name, and more about it for people."""

    ok: Literal[False]
    error: str
    detail: str | SkipJsonSchema[None] = None
    retry_after_ms: int | SkipJsonSchema[None] = None
