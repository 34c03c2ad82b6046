/** What is known of a refusal beside its text. */
export interface Facts {
    readonly code?: string;
    readonly reason?: string;
    readonly transient?: boolean | undefined;
    readonly retryAfterSeconds?: number | undefined;
    readonly metadata?: Readonly<Record<string, string>>;
}
/** A call was refused, or found no server. */
export declare class KinpostError extends Error {
    /** The code that this class stands for. */
    static readonly CODE: string;
    /** Whether repeating the same call unchanged is safe, and may help. */
    static readonly RETRYABLE: boolean;
    /** Whether it is passing trouble, which the client waits out by itself. */
    static readonly TRANSIENT: boolean;
    /** What it means, where the server has no words of its own. */
    static readonly MEANING: string;
    /** Stable: act on it. */
    readonly code: string;
    /** The code as `google.rpc.ErrorInfo` spells it: `SEND_MESSAGE_INBOX_FULL`; empty for what the client itself found. */
    readonly reason: string;
    /** Repeating the same call unchanged is safe, and may help. */
    readonly retryable: boolean;
    /**
     * It is the server's passing trouble, and the client has repeated the call already, as long as its `Retry` lets it. A
     * full inbox is not transient, since others must read first.
     */
    readonly transient: boolean;
    /** The server's advice when to repeat, where it gave one. */
    readonly retryAfterSeconds: number | undefined;
    /** What the server added, code included. */
    readonly metadata: Readonly<Record<string, string>>;
    /** `text` is for people and models, and begins with the code. */
    constructor(text?: string, facts?: Facts);
}
/** The request is not well formed; `field` names what is wrong. */
export declare class InvalidRequest extends KinpostError {
    static readonly CODE = "request:invalid";
    /** The field, as the contract spells it; empty when the server named none. */
    get field(): string;
}
/** The request is larger than the server reads. */
export declare class RequestTooLarge extends KinpostError {
    static readonly CODE = "request:too_large";
}
/** The body of the request did not come in time. */
export declare class RequestTimeout extends KinpostError {
    static readonly CODE = "request:timeout";
}
/** The server does not speak this client's version of the protocol. */
export declare class UnsupportedVersion extends KinpostError {
    static readonly CODE = "protocol:unsupported_version";
}
/** A bearer token is needed, and the given one is missing, unknown, expired or revoked. */
export declare class Unauthenticated extends KinpostError {
    static readonly CODE = "auth:unauthenticated";
}
/** The token's scope does not cover this call. */
export declare class Forbidden extends KinpostError {
    static readonly CODE = "auth:forbidden";
}
/** The same identity was used before with other content. */
export declare class IdempotencyConflict extends KinpostError {
    static readonly CODE = "idempotency:conflict";
}
/** There is no such session, or it is not this token's. */
export declare class SessionNotFound extends KinpostError {
    static readonly CODE = "session:not_found";
    static readonly MEANING: string;
}
/** The token hosts as many sessions as it may. */
export declare class TooManySessions extends KinpostError {
    static readonly CODE = "session:too_many";
}
/** The session id is taken by a session of other content. */
export declare class SessionExists extends KinpostError {
    static readonly CODE = "session:exists";
}
/** The session may not run now: it is paused, closed or archived. */
export declare class SessionNotOpen extends KinpostError {
    static readonly CODE = "session:not_open";
}
/** The session's log has moved on since the caller looked. */
export declare class SessionLogMoved extends KinpostError {
    static readonly CODE = "session:log_moved";
}
/** The run is over, without its runtime having ended it. Its mail waits for the next run. */
export declare class RunEnded extends KinpostError {
}
/** The session has no such active run. */
export declare class RunNotActive extends RunEnded {
    static readonly CODE = "run:not_active";
    static readonly MEANING: string;
}
/** The run's lease lapsed. */
export declare class RunLeaseLost extends RunEnded {
    static readonly CODE = "run:lease_lost";
    static readonly MEANING: string;
}
/** The run was cancelled. */
export declare class RunCancelled extends RunEnded {
    static readonly CODE = "run:cancelled";
    static readonly MEANING: string;
}
/** The session has an active run already. */
export declare class RunAlreadyActive extends KinpostError {
    static readonly CODE = "run:already_active";
}
/** The same runtime id attached anew elsewhere; this attachment is over. */
export declare class RuntimeReplaced extends KinpostError {
    static readonly CODE = "runtime:replaced";
}
/** The claim was settled or given back before. */
export declare class ClaimLost extends KinpostError {
    static readonly CODE = "claim:lost";
}
/** The run has a claim that is neither committed nor released. */
export declare class ClaimOutstanding extends KinpostError {
    static readonly CODE = "claim:outstanding";
}
/** The wake is settled, withdrawn, or offered to another runtime: there is nothing left to do for it. */
export declare class WakeSettled extends KinpostError {
    static readonly CODE = "wake:settled";
}
/** There is no such message, or it is not this token's. */
export declare class MessageNotFound extends KinpostError {
    static readonly CODE = "message:not_found";
}
/** The message is before a model request, or was seen by a committed turn. */
export declare class MessageClaimed extends KinpostError {
    static readonly CODE = "message:claimed";
}
/** Agent messaging is switched off on the server. */
export declare class MessagingDisabled extends KinpostError {
    static readonly CODE = "send_message:disabled";
}
/** The tool's arguments are missing, unknown or of the wrong type. */
export declare class InvalidArguments extends KinpostError {
    static readonly CODE = "send_message:invalid_arguments";
}
/** The body is empty, too long, or not text. */
export declare class InvalidBody extends KinpostError {
    static readonly CODE = "send_message:invalid_body";
}
/** No session has this UUID. */
export declare class UnknownSession extends KinpostError {
    static readonly CODE = "send_message:unknown_session";
}
/** The reference is no handle of the sender's tree; the text lists whom the sender may write to. */
export declare class UnknownReference extends KinpostError {
    static readonly CODE = "send_message:unknown_reference";
}
/** The recipient is in another delegation tree. */
export declare class NotTreePeer extends KinpostError {
    static readonly CODE = "send_message:not_tree_peer";
}
/** A session cannot message itself. */
export declare class SelfSend extends KinpostError {
    static readonly CODE = "send_message:self_send";
}
/** The recipient has as many pending agent messages as it may have; try again when it has read some. */
export declare class InboxFull extends KinpostError {
    static readonly CODE = "send_message:inbox_full";
    static readonly RETRYABLE = true;
}
/** Too many messages of this sender to this recipient are unread; try again when it has read some. */
export declare class InflightFull extends KinpostError {
    static readonly CODE = "send_message:inflight_full";
    static readonly RETRYABLE = true;
}
/** The chain of agent messages is as long as it may become. */
export declare class MaxHopsExceeded extends KinpostError {
    static readonly CODE = "send_message:max_hops_exceeded";
}
/** The server is shutting down. */
export declare class EngineShutdown extends KinpostError {
    static readonly CODE = "send_message:engine_shutdown";
    static readonly TRANSIENT = true;
}
/** The server is shutting down. */
export declare class ShuttingDown extends KinpostError {
    static readonly CODE = "server:shutting_down";
    static readonly TRANSIENT = true;
}
/** The agent's message rules deny this. */
export declare class PermissionDenied extends KinpostError {
    static readonly CODE: string;
}
/** A plugin blocked this tool call. */
export declare class PluginBlocked extends KinpostError {
    static readonly CODE = "plugin:blocked";
}
/** A plugin that is to judge this tool call did not answer. */
export declare class PluginFailed extends KinpostError {
    static readonly CODE = "plugin:no_answer";
    static readonly RETRYABLE = true;
}
/** There is no such approval, or it is not the session's. */
export declare class ApprovalNotFound extends KinpostError {
    static readonly CODE = "approval:not_found";
}
/** The session has as many questions before people as it may have; try again when one is answered. */
export declare class TooManyApprovals extends KinpostError {
    static readonly CODE = "approval:too_many";
    static readonly RETRYABLE = true;
}
/** A person was asked and refused. */
export declare class ApprovalDenied extends PermissionDenied {
    static readonly CODE: string;
}
/** A person was asked, and nobody answered in time. */
export declare class ApprovalExpired extends KinpostError {
    static readonly CODE = "approval:expired";
}
/** A person was asked, and the asking run ended first. */
export declare class ApprovalCancelled extends KinpostError {
    static readonly CODE = "approval:cancelled";
}
/** The session has as many pending messages of people and plugins as it may have. */
export declare class ProducerInboxFull extends KinpostError {
    static readonly CODE = "producer:inbox_full";
    static readonly RETRYABLE = true;
}
/** There is no such registration of this plugin's in the session; register again. */
export declare class ProducerNotFound extends KinpostError {
    static readonly CODE = "producer:not_found";
}
/** The session has as many registered producers as it may have. */
export declare class TooManyProducers extends KinpostError {
    static readonly CODE = "producer:too_many";
    static readonly RETRYABLE = true;
}
/** There is no such tool. */
export declare class UnknownTool extends KinpostError {
    static readonly CODE = "tool:unknown";
}
/** There is no such token. */
export declare class TokenNotFound extends KinpostError {
    static readonly CODE = "token:not_found";
}
/** The cursor lies beyond the end of the log. */
export declare class CursorOutOfRange extends KinpostError {
    static readonly CODE = "events:cursor_out_of_range";
}
/** The cursor is older than the events that are kept. */
export declare class CursorExpired extends KinpostError {
    static readonly CODE = "events:cursor_expired";
}
/** The cursor belongs to another log: the server was restored, or is another one. */
export declare class OtherLog extends KinpostError {
    static readonly CODE = "events:other_log";
}
/** The server has as much waiting as it takes. */
export declare class Overloaded extends KinpostError {
    static readonly CODE = "server:overloaded";
    static readonly TRANSIENT = true;
}
/** An error inside the server; the text names the entry of its log. */
export declare class InternalError extends KinpostError {
    static readonly CODE = "server:internal";
}
/** The server's store does not answer; repeating the call tells whether it was carried out. */
export declare class StorageUnavailable extends KinpostError {
    static readonly CODE = "storage:unavailable";
    static readonly TRANSIENT = true;
}
/** No server answers at the target, or the connection broke before the answer. */
export declare class Unreachable extends KinpostError {
    static readonly CODE = "client:unreachable";
    static readonly TRANSIENT = true;
    static readonly MEANING: string;
}
/** The server did not answer in time. */
export declare class DeadlineExceeded extends KinpostError {
    static readonly CODE = "client:deadline_exceeded";
    static readonly TRANSIENT = true;
    static readonly MEANING: string;
}
/** A person was asked and has not answered yet; repeat the same call to learn the answer. */
export declare class ApprovalPending extends KinpostError {
    /** The approval that is waited for. */
    readonly approvalId: string;
    /** When it expires, if it does. */
    readonly expireTime: Date | undefined;
    static readonly CODE = "client:approval_pending";
    static readonly MEANING: string;
    constructor(
    /** The approval that is waited for. */
    approvalId: string, 
    /** When it expires, if it does. */
    expireTime: Date | undefined);
}
