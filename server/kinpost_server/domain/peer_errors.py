"""The refusals of peer mail. Over HTTP the part of the code after the colon is the error's name."""

from __future__ import annotations

from kinpost_server.domain.errors import Refusal


class InvalidPayload(Refusal):
    """The body or a header is not as the route needs it; the text begins with what is at fault."""

    code = "peer:invalid_payload"

    def __init__(self, field: str, detail: str, *, retry_after_seconds: float | None = None) -> None:
        super().__init__(f"{field}: {detail}", field=field, retry_after_seconds=retry_after_seconds)


class TldrRequired(Refusal):
    """The text has more than 1000 characters and no summary: add `tldr` and send it again under the same key."""

    code = "peer:tldr_required"


class RateLimited(Refusal):
    """The token has made as many calls in the last hour as it may."""

    code = "peer:rate_limited"


class TargetNotFound(Refusal):
    """There is no such session."""

    code = "peer:session_not_found"


class TargetGone(TargetNotFound):
    """The session was deleted."""


class TurnInFlight(Refusal):
    """Another message is landing in this session at this instant; sending again may deliver it twice."""

    code = "peer:turn_in_flight"


class NeedsConfirmation(Refusal):
    """The target is paused, archived, ended or failed, and the sender has not confirmed."""

    code = "peer:inactive_target_needs_confirmation"


class DuplicateInFlight(Refusal):
    """The same request is still being delivered."""

    code = "peer:duplicate_in_flight"


class UserClosed(Refusal):
    """A person closed this session; a confirmation does not open it again."""

    code = "peer:user_closed"


class WakeFailed(Refusal):
    """The target could not be woken."""

    code = "peer:wake_failed"


class SendFailed(Refusal):
    """The message could not be stored."""

    code = "peer:send_failed"


class NotYourMessages(Refusal):
    """The token does not act for this session; it reads its own list and no other."""

    code = "peer:not_your_messages"


class Retired(Refusal):
    """This way of asking another agent is no longer supported."""

    code = "peer:retired"


def error_name(code: str) -> str:
    """Return the name on the HTTP routes of a code of peer mail, empty for another's."""
    family, _, name = code.partition(":")
    return name if family == "peer" else ""
