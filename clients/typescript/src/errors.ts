// What a call can be refused with: one class for each stable code, all of them `KinpostError`.
//
// A code that this client does not know (a newer server's) arrives as `KinpostError` itself, with its `code`.
// `REFUSALS` is the table from code to class; `wire_errors.ts` reads it.

/** What is known of a refusal beside its text. */
export interface Facts {
  readonly code?: string;
  readonly reason?: string;
  readonly transient?: boolean | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** A call was refused, or found no server. */
export class KinpostError extends Error {
  /** The code that this class stands for. */
  static readonly CODE: string = "";
  /** Whether repeating the same call unchanged is safe, and may help. */
  static readonly RETRYABLE: boolean = false;
  /** Whether it is passing trouble, which the client waits out by itself. */
  static readonly TRANSIENT: boolean = false;
  /** What it means, where the server has no words of its own. */
  static readonly MEANING: string = "";

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
  constructor(text = "", facts: Facts = {}) {
    const own = new.target;
    const code = facts.code ?? own.CODE;
    super(text || (own.MEANING ? `${code}: ${own.MEANING}` : code));
    this.name = own.name;
    this.code = code;
    this.reason = facts.reason ?? "";
    this.transient = facts.transient ?? own.TRANSIENT;
    this.retryable = own.RETRYABLE || this.transient;
    this.retryAfterSeconds = facts.retryAfterSeconds;
    this.metadata = facts.metadata ?? {};
  }
}

/** The request is not well formed; `field` names what is wrong. */
export class InvalidRequest extends KinpostError {
  static override readonly CODE = "request:invalid";

  /** The field, as the contract spells it; empty when the server named none. */
  get field(): string {
    return this.metadata["field"] ?? "";
  }
}

/** The request is larger than the server reads. */
export class RequestTooLarge extends KinpostError {
  static override readonly CODE = "request:too_large";
}

/** The body of the request did not come in time. */
export class RequestTimeout extends KinpostError {
  static override readonly CODE = "request:timeout";
}

/** The server does not speak this client's version of the protocol. */
export class UnsupportedVersion extends KinpostError {
  static override readonly CODE = "protocol:unsupported_version";
}

/** A bearer token is needed, and the given one is missing, unknown, expired or revoked. */
export class Unauthenticated extends KinpostError {
  static override readonly CODE = "auth:unauthenticated";
}

/** The token's scope does not cover this call. */
export class Forbidden extends KinpostError {
  static override readonly CODE = "auth:forbidden";
}

/** The same identity was used before with other content. */
export class IdempotencyConflict extends KinpostError {
  static override readonly CODE = "idempotency:conflict";
}

/** There is no such session, or it is not this token's. */
export class SessionNotFound extends KinpostError {
  static override readonly CODE = "session:not_found";
  static override readonly MEANING: string = "there is no such session, or it is not this token's";
}

/** The token hosts as many sessions as it may. */
export class TooManySessions extends KinpostError {
  static override readonly CODE = "session:too_many";
}

/** The session id is taken by a session of other content. */
export class SessionExists extends KinpostError {
  static override readonly CODE = "session:exists";
}

/** The session may not run now: it is paused, closed or archived. */
export class SessionNotOpen extends KinpostError {
  static override readonly CODE = "session:not_open";
}

/** The session's log has moved on since the caller looked. */
export class SessionLogMoved extends KinpostError {
  static override readonly CODE = "session:log_moved";
}

/** The run is over, without its runtime having ended it. Its mail waits for the next run. */
export class RunEnded extends KinpostError {}

/** The session has no such active run. */
export class RunNotActive extends RunEnded {
  static override readonly CODE = "run:not_active";
  static override readonly MEANING: string = "the session has no such active run";
}

/** The run's lease lapsed. */
export class RunLeaseLost extends RunEnded {
  static override readonly CODE = "run:lease_lost";
  static override readonly MEANING: string = "the run's lease lapsed";
}

/** The run was cancelled. */
export class RunCancelled extends RunEnded {
  static override readonly CODE = "run:cancelled";
  static override readonly MEANING: string = "the run was cancelled";
}

/** The session has an active run already. */
export class RunAlreadyActive extends KinpostError {
  static override readonly CODE = "run:already_active";
}

/** The same runtime id attached anew elsewhere; this attachment is over. */
export class RuntimeReplaced extends KinpostError {
  static override readonly CODE = "runtime:replaced";
}

/** The claim was settled or given back before. */
export class ClaimLost extends KinpostError {
  static override readonly CODE = "claim:lost";
}

/** The run has a claim that is neither committed nor released. */
export class ClaimOutstanding extends KinpostError {
  static override readonly CODE = "claim:outstanding";
}

/** The wake is settled, withdrawn, or offered to another runtime: there is nothing left to do for it. */
export class WakeSettled extends KinpostError {
  static override readonly CODE = "wake:settled";
}

/** There is no such message, or it is not this token's. */
export class MessageNotFound extends KinpostError {
  static override readonly CODE = "message:not_found";
}

/** The message is before a model request, or was seen by a committed turn. */
export class MessageClaimed extends KinpostError {
  static override readonly CODE = "message:claimed";
}

/** Agent messaging is switched off on the server. */
export class MessagingDisabled extends KinpostError {
  static override readonly CODE = "send_message:disabled";
}

/** The tool's arguments are missing, unknown or of the wrong type. */
export class InvalidArguments extends KinpostError {
  static override readonly CODE = "send_message:invalid_arguments";
}

/** The body is empty, too long, or not text. */
export class InvalidBody extends KinpostError {
  static override readonly CODE = "send_message:invalid_body";
}

/** No session has this UUID. */
export class UnknownSession extends KinpostError {
  static override readonly CODE = "send_message:unknown_session";
}

/** The reference is no handle of the sender's tree; the text lists whom the sender may write to. */
export class UnknownReference extends KinpostError {
  static override readonly CODE = "send_message:unknown_reference";
}

/** The recipient is in another delegation tree. */
export class NotTreePeer extends KinpostError {
  static override readonly CODE = "send_message:not_tree_peer";
}

/** A session cannot message itself. */
export class SelfSend extends KinpostError {
  static override readonly CODE = "send_message:self_send";
}

/** The recipient has as many pending agent messages as it may have; try again when it has read some. */
export class InboxFull extends KinpostError {
  static override readonly CODE = "send_message:inbox_full";
  static override readonly RETRYABLE = true;
}

/** Too many messages of this sender to this recipient are unread; try again when it has read some. */
export class InflightFull extends KinpostError {
  static override readonly CODE = "send_message:inflight_full";
  static override readonly RETRYABLE = true;
}

/** The chain of agent messages is as long as it may become. */
export class MaxHopsExceeded extends KinpostError {
  static override readonly CODE = "send_message:max_hops_exceeded";
}

/** The server is shutting down. */
export class EngineShutdown extends KinpostError {
  static override readonly CODE = "send_message:engine_shutdown";
  static override readonly TRANSIENT = true;
}

/** The server is shutting down. */
export class ShuttingDown extends KinpostError {
  static override readonly CODE = "server:shutting_down";
  static override readonly TRANSIENT = true;
}

/** The agent's message rules deny this. */
export class PermissionDenied extends KinpostError {
  static override readonly CODE: string = "permission:denied";
}

/** A plugin blocked this tool call. */
export class PluginBlocked extends KinpostError {
  static override readonly CODE = "plugin:blocked";
}

/** A plugin that is to judge this tool call did not answer. */
export class PluginFailed extends KinpostError {
  static override readonly CODE = "plugin:no_answer";
  static override readonly RETRYABLE = true;
}

/** There is no such approval, or it is not the session's. */
export class ApprovalNotFound extends KinpostError {
  static override readonly CODE = "approval:not_found";
}

/** The session has as many questions before people as it may have; try again when one is answered. */
export class TooManyApprovals extends KinpostError {
  static override readonly CODE = "approval:too_many";
  static override readonly RETRYABLE = true;
}

/** A person was asked and refused. */
export class ApprovalDenied extends PermissionDenied {
  static override readonly CODE: string = "approval:denied";
}

/** A person was asked, and nobody answered in time. */
export class ApprovalExpired extends KinpostError {
  static override readonly CODE = "approval:expired";
}

/** A person was asked, and the asking run ended first. */
export class ApprovalCancelled extends KinpostError {
  static override readonly CODE = "approval:cancelled";
}

/** The session has as many pending messages of people and plugins as it may have. */
export class ProducerInboxFull extends KinpostError {
  static override readonly CODE = "producer:inbox_full";
  static override readonly RETRYABLE = true;
}

/** There is no such registration of this plugin's in the session; register again. */
export class ProducerNotFound extends KinpostError {
  static override readonly CODE = "producer:not_found";
}

/** The session has as many registered producers as it may have. */
export class TooManyProducers extends KinpostError {
  static override readonly CODE = "producer:too_many";
  static override readonly RETRYABLE = true;
}

/** There is no such tool. */
export class UnknownTool extends KinpostError {
  static override readonly CODE = "tool:unknown";
}

/** There is no such token. */
export class TokenNotFound extends KinpostError {
  static override readonly CODE = "token:not_found";
}

/** The cursor lies beyond the end of the log. */
export class CursorOutOfRange extends KinpostError {
  static override readonly CODE = "events:cursor_out_of_range";
}

/** The cursor is older than the events that are kept. */
export class CursorExpired extends KinpostError {
  static override readonly CODE = "events:cursor_expired";
}

/** The cursor belongs to another log: the server was restored, or is another one. */
export class OtherLog extends KinpostError {
  static override readonly CODE = "events:other_log";
}

/** The server has as much waiting as it takes. */
export class Overloaded extends KinpostError {
  static override readonly CODE = "server:overloaded";
  static override readonly TRANSIENT = true;
}

/** An error inside the server; the text names the entry of its log. */
export class InternalError extends KinpostError {
  static override readonly CODE = "server:internal";
}

/** The server's store does not answer; repeating the call tells whether it was carried out. */
export class StorageUnavailable extends KinpostError {
  static override readonly CODE = "storage:unavailable";
  static override readonly TRANSIENT = true;
}

/** No server answers at the target, or the connection broke before the answer. */
export class Unreachable extends KinpostError {
  static override readonly CODE = "client:unreachable";
  static override readonly TRANSIENT = true;
  static override readonly MEANING: string = "no server answers, or the connection broke before the answer";
}

/** The server did not answer in time. */
export class DeadlineExceeded extends KinpostError {
  static override readonly CODE = "client:deadline_exceeded";
  static override readonly TRANSIENT = true;
  static override readonly MEANING: string = "the server did not answer in time";
}

/** A person was asked and has not answered yet; repeat the same call to learn the answer. */
export class ApprovalPending extends KinpostError {
  static override readonly CODE = "client:approval_pending";
  static override readonly MEANING: string = "a person was asked and has not answered yet";

  constructor(
    /** The approval that is waited for. */
    readonly approvalId: string,
    /** When it expires, if it does. */
    readonly expireTime: Date | undefined,
  ) {
    super();
  }
}
