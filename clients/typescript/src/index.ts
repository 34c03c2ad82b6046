// The TypeScript client of Kinpost: typed, patient, and of the same shapes as the Python one.
//
// A runtime author writes the model call and the tools; leases, attempts, claims, commits, repetition and resumption are
// done here; README.md has an example.

export type { Approvals } from "./approvals.js";
export { Client, connect, type ConnectOptions } from "./client.js";
export * from "./errors.js";
export * from "./peer_errors.js";
export * from "./refusals.js";
export type { Event, EventFacts, EventScope, KnownEvent, SubscriptionScope, UnknownEvent } from "./events.js";
export { TurnLeftOpen } from "./held_run.js";
export type { Log } from "./log.js";
export type * from "./peer_records.js";
export type { PeerSend, PeerWish, Peers } from "./peers.js";
export type { Producers } from "./producers.js";
export type * from "./records.js";
export { PATIENCE, type Retry } from "./retry.js";
export type { Delegation, Run } from "./run.js";
export { type RunBody, RunInterrupted, type Runtime, type RuntimeOptions } from "./runtime.js";
export type { ChildWishes, Imported, MessageRules, SessionWishes } from "./session_requests.js";
export type { Subscription } from "./subscription.js";
export type * from "./terms.js";
export type { Tokens } from "./tokens.js";
export type { ApprovalWait, ToolArguments } from "./tool_calls.js";
export type { Turn, Word } from "./turn.js";
