// The words of the service, as the contract spells them: MESSAGE_MODE_STEER is "steer". "unknown" is what a newer server
// says and this client has no word for.

import type * as wire from "@kinpost/protocol";

type WordOf<Enum> = Lowercase<Exclude<keyof Enum, "UNSPECIFIED"> & string>;

/** Where a session stands. An outcome is not the end: a message wakes the session again. */
export type SessionState = WordOf<typeof wire.SessionState> | "unknown";

/** Whether a session may be woken. */
export type Availability = WordOf<typeof wire.Availability> | "unknown";

/** Who starts a session's first run: its delegator, with `runtime.start`, or the wake of its first mail. */
export type Starter = WordOf<typeof wire.Starter> | "unknown";

/** What a message rule says. */
export type Decision = WordOf<typeof wire.RuleDecision> | "unknown";

/** How a message joins its recipient: the run in progress at its next boundary, or the next run. */
export type Mode = WordOf<typeof wire.MessageMode> | "unknown";

/** Who sent a message. */
export type Owner = WordOf<typeof wire.ProducerOwner> | "unknown";

/** Where a message stands. */
export type MessageState = WordOf<typeof wire.MessageState> | "unknown";

/** Why a message will not be delivered. */
export type DiscardReason = WordOf<typeof wire.DiscardReason> | "unknown";

/** Why a peer message could never be delivered. */
export type DeadLetterReason = WordOf<typeof wire.DeadLetterReason> | "unknown";

/** Where the recipient stood when a message was accepted. */
export type RecipientState = WordOf<typeof wire.RecipientState> | "unknown";

/** How a run stands; all but "active" are ends. */
export type Outcome = WordOf<typeof wire.RunState> | "unknown";

/** Why a run must stop; "not_open": it may finish, and gets no more mail. */
export type StopReason = WordOf<typeof wire.StopReason> | "unknown";

/** Who caused an event. */
export type Origin = WordOf<typeof wire.EventOrigin> | "unknown";

/** Where an approval stands; "allowed": a guard was against it, and its call may be repeated. */
export type ApprovalState = WordOf<typeof wire.ApprovalState> | "unknown";

/** What a person answers. */
export type ApprovalDecision = WordOf<typeof wire.ApprovalDecision> | "unknown";

/** What a token is for. */
export type TokenKind = WordOf<typeof wire.TokenKind> | "unknown";

/** The name of an event's payload: `run_started`. */
export type EventType = WordOf<typeof wire.EventType>;

/** What may be said of a term: every word but "unknown". */
export type Said<Term extends string> = Exclude<Term, "unknown">;
