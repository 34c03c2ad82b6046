/** The classes of refusals by their codes. */
import { KinpostError, ApprovalCancelled, ApprovalDenied, ApprovalExpired, ApprovalNotFound, ClaimLost, ClaimOutstanding, CursorExpired, CursorOutOfRange, DeadlineExceeded, EngineShutdown, Forbidden, IdempotencyConflict, InboxFull, InflightFull, InternalError, InvalidArguments, InvalidBody, InvalidRequest, MaxHopsExceeded, MessageClaimed, MessageNotFound, MessagingDisabled, NotTreePeer, OtherLog, Overloaded, PermissionDenied, PluginBlocked, PluginFailed, ProducerInboxFull, ProducerNotFound, RequestTimeout, RequestTooLarge, RunAlreadyActive, RunCancelled, RunLeaseLost, RunNotActive, RuntimeReplaced, SelfSend, SessionExists, SessionLogMoved, SessionNotFound, SessionNotOpen, ShuttingDown, StorageUnavailable, TokenNotFound, TooManyApprovals, TooManyProducers, TooManySessions, Unauthenticated, UnknownReference, UnknownSession, UnknownTool, Unreachable, UnsupportedVersion, WakeSettled, } from "./errors.js";
import { DuplicateInFlight, InvalidPayload, NeedsConfirmation, NotYourMessages, RateLimited, Retired, SendFailed, TargetNotFound, TldrRequired, TurnInFlight, UserClosed, WakeFailed, } from "./peer_errors.js";
/** The classes by their codes. `ApprovalPending` is not there: it is an answer, not a refusal. */
export const REFUSALS = new Map([
    ...[InvalidRequest, RequestTooLarge, UnsupportedVersion, Unauthenticated, Forbidden, IdempotencyConflict],
    ...[SessionNotFound, TooManySessions, SessionExists, SessionNotOpen, SessionLogMoved],
    ...[RunNotActive, RunLeaseLost, RunCancelled, RunAlreadyActive, RuntimeReplaced],
    ...[ClaimLost, ClaimOutstanding, WakeSettled, MessageNotFound, MessageClaimed],
    ...[MessagingDisabled, InvalidArguments, InvalidBody, UnknownSession, UnknownReference, NotTreePeer, SelfSend],
    ...[InboxFull, InflightFull, MaxHopsExceeded, EngineShutdown, ShuttingDown, PermissionDenied],
    ...[ApprovalNotFound, TooManyApprovals, ApprovalDenied, ApprovalExpired, ApprovalCancelled],
    ...[ProducerNotFound, TooManyProducers, PluginBlocked, PluginFailed],
    ...[ProducerInboxFull, UnknownTool, TokenNotFound, CursorOutOfRange, CursorExpired, OtherLog],
    ...[InvalidPayload, TldrRequired, RateLimited, TargetNotFound, TurnInFlight, NeedsConfirmation],
    ...[DuplicateInFlight, UserClosed, WakeFailed, SendFailed, NotYourMessages, Retired, RequestTimeout],
    ...[Overloaded, InternalError, StorageUnavailable, Unreachable, DeadlineExceeded],
].map((known) => [known.CODE, known]));
