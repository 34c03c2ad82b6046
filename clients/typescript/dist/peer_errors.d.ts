/** What peer mail can be refused with. */
import { KinpostError } from "./errors.js";
/** The message is not as it must be; `field` names what is wrong. */
export declare class InvalidPayload extends KinpostError {
    static readonly CODE = "peer:invalid_payload";
    /** The field, as the contract spells it; empty when the server named none. */
    get field(): string;
}
/** The text has more than 1000 characters and no summary: add `tldr` and send it again under the same id. */
export declare class TldrRequired extends KinpostError {
    static readonly CODE = "peer:tldr_required";
}
/** The token has made as many calls in the last hour as it may. */
export declare class RateLimited extends KinpostError {
    static readonly CODE = "peer:rate_limited";
    static readonly RETRYABLE = true;
    /** When the oldest counted call leaves the window, in milliseconds. */
    get retryAfterMs(): number;
}
/** There is no such session, or it was deleted. */
export declare class TargetNotFound extends KinpostError {
    static readonly CODE = "peer:session_not_found";
}
/** Another message is landing in this session at this instant; sending again may deliver yours twice. */
export declare class TurnInFlight extends KinpostError {
    static readonly CODE = "peer:turn_in_flight";
}
/** The target is paused, archived, ended or failed: send again with `confirmInactiveTarget`. */
export declare class NeedsConfirmation extends KinpostError {
    static readonly CODE = "peer:inactive_target_needs_confirmation";
}
/** The same request is still being delivered. */
export declare class DuplicateInFlight extends KinpostError {
    static readonly CODE = "peer:duplicate_in_flight";
}
/** A person closed this session; a confirmation does not open it again. */
export declare class UserClosed extends KinpostError {
    static readonly CODE = "peer:user_closed";
}
/** The target could not be woken; the message is kept as a dead letter. */
export declare class WakeFailed extends KinpostError {
    static readonly CODE = "peer:wake_failed";
}
/** The message could not be stored; it is kept as a dead letter. */
export declare class SendFailed extends KinpostError {
    static readonly CODE = "peer:send_failed";
}
/** The token does not act for this session; it reads its own list and no other. */
export declare class NotYourMessages extends KinpostError {
    static readonly CODE = "peer:not_your_messages";
}
/** This way of asking another agent is no longer supported. */
export declare class Retired extends KinpostError {
    static readonly CODE = "peer:retired";
}
