"""What peer mail can be refused with."""

from __future__ import annotations

from kinpost_client.errors.base import KinpostError


class InvalidPayload(KinpostError):
    """The message is not as it must be; `field` names what is wrong."""

    CODE = "peer:invalid_payload"

    @property
    def field(self) -> str:
        """The field, as the contract spells it; empty when the server named none."""
        return self.metadata.get("field", "")


class TldrRequired(KinpostError):
    """The text has more than 1000 characters and no summary: add `tldr` and send it again under the same id."""

    CODE = "peer:tldr_required"


class RateLimited(KinpostError):
    """The token has made as many calls in the last hour as it may."""

    CODE = "peer:rate_limited"
    RETRYABLE = True

    @property
    def retry_after_ms(self) -> int:
        """When the oldest counted call leaves the window, in milliseconds."""
        return int(self.metadata.get("retry_after_ms", "0"))


class TargetNotFound(KinpostError):
    """There is no such session, or it was deleted."""

    CODE = "peer:session_not_found"


class TurnInFlight(KinpostError):
    """Another message is landing in this session at this instant; sending again may deliver yours twice."""

    CODE = "peer:turn_in_flight"


class NeedsConfirmation(KinpostError):
    """The target is paused, archived, ended or failed: send again with `confirm_inactive_target`."""

    CODE = "peer:inactive_target_needs_confirmation"


class DuplicateInFlight(KinpostError):
    """The same request is still being delivered."""

    CODE = "peer:duplicate_in_flight"


class UserClosed(KinpostError):
    """A person closed this session; a confirmation does not open it again."""

    CODE = "peer:user_closed"


class WakeFailed(KinpostError):
    """The target could not be woken; the message is kept as a dead letter."""

    CODE = "peer:wake_failed"


class SendFailed(KinpostError):
    """The message could not be stored; it is kept as a dead letter."""

    CODE = "peer:send_failed"


class NotYourMessages(KinpostError):
    """The token does not act for this session; it reads its own list and no other."""

    CODE = "peer:not_your_messages"


class Retired(KinpostError):
    """This way of asking another agent is no longer supported."""

    CODE = "peer:retired"
