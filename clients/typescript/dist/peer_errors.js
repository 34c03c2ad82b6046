/** What peer mail can be refused with. */
import { KinpostError } from "./errors.js";
/** The message is not as it must be; `field` names what is wrong. */
export class InvalidPayload extends KinpostError {
    static CODE = "peer:invalid_payload";
    /** The field, as the contract spells it; empty when the server named none. */
    get field() {
        return this.metadata["field"] ?? "";
    }
}
/** The text has more than 1000 characters and no summary: add `tldr` and send it again under the same id. */
export class TldrRequired extends KinpostError {
    static CODE = "peer:tldr_required";
}
/** The token has made as many calls in the last hour as it may. */
export class RateLimited extends KinpostError {
    static CODE = "peer:rate_limited";
    static RETRYABLE = true;
    /** When the oldest counted call leaves the window, in milliseconds. */
    get retryAfterMs() {
        return Number(this.metadata["retry_after_ms"] ?? "0");
    }
}
/** There is no such session, or it was deleted. */
export class TargetNotFound extends KinpostError {
    static CODE = "peer:session_not_found";
}
/** Another message is landing in this session at this instant; sending again may deliver yours twice. */
export class TurnInFlight extends KinpostError {
    static CODE = "peer:turn_in_flight";
}
/** The target is paused, archived, ended or failed: send again with `confirmInactiveTarget`. */
export class NeedsConfirmation extends KinpostError {
    static CODE = "peer:inactive_target_needs_confirmation";
}
/** The same request is still being delivered. */
export class DuplicateInFlight extends KinpostError {
    static CODE = "peer:duplicate_in_flight";
}
/** A person closed this session; a confirmation does not open it again. */
export class UserClosed extends KinpostError {
    static CODE = "peer:user_closed";
}
/** The target could not be woken; the message is kept as a dead letter. */
export class WakeFailed extends KinpostError {
    static CODE = "peer:wake_failed";
}
/** The message could not be stored; it is kept as a dead letter. */
export class SendFailed extends KinpostError {
    static CODE = "peer:send_failed";
}
/** The token does not act for this session; it reads its own list and no other. */
export class NotYourMessages extends KinpostError {
    static CODE = "peer:not_your_messages";
}
/** This way of asking another agent is no longer supported. */
export class Retired extends KinpostError {
    static CODE = "peer:retired";
}
