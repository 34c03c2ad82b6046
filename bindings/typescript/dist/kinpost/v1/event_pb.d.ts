import type { GenEnum, GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { Approval, ApprovalDecision } from "./approval_pb.js";
import type { DiscardReason, MessageMode, MessageSender, ProducerOwner, RecipientState } from "./message_pb.js";
import type { DeadLetterReason } from "./peer_pb.js";
import type { Producer } from "./producer_pb.js";
import type { ReleaseReason, RunState } from "./run_pb.js";
import type { Availability, Session } from "./session_pb.js";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file kinpost/v1/event.proto.
 */
export declare const file_kinpost_v1_event: GenFile;
/**
 * One entry of a session's log.
 *
 * @generated from message kinpost.v1.Event
 */
export type Event = Message<"kinpost.v1.Event"> & {
    /**
     * Whose log it is in.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
    /**
     * The tree.
     *
     * @generated from field: string root_session_id = 2;
     */
    rootSessionId: string;
    /**
     * Gapless within the session, from 1.
     *
     * @generated from field: int64 seq = 3;
     */
    seq: bigint;
    /**
     * Rises in commit order over all sessions.
     *
     * @generated from field: int64 position = 4;
     */
    position: bigint;
    /**
     * When it happened, by the service's clock; may step back when that clock does.
     *
     * @generated from field: google.protobuf.Timestamp event_time = 5;
     */
    eventTime?: Timestamp | undefined;
    /**
     * The run that it belongs to, if any.
     *
     * @generated from field: optional string run_id = 6;
     */
    runId?: string | undefined;
    /**
     * Who caused it.
     *
     * @generated from field: kinpost.v1.EventOrigin origin = 7;
     */
    origin: EventOrigin;
    /**
     * What happened.
     *
     * @generated from oneof kinpost.v1.Event.payload
     */
    payload: {
        /**
         * @generated from field: kinpost.v1.SessionCreated session_created = 20;
         */
        value: SessionCreated;
        case: "sessionCreated";
    } | {
        /**
         * @generated from field: kinpost.v1.SessionAvailabilityChanged session_availability_changed = 21;
         */
        value: SessionAvailabilityChanged;
        case: "sessionAvailabilityChanged";
    } | {
        /**
         * @generated from field: kinpost.v1.SessionUnqueued session_unqueued = 22;
         */
        value: SessionUnqueued;
        case: "sessionUnqueued";
    } | {
        /**
         * @generated from field: kinpost.v1.SessionForked session_forked = 23;
         */
        value: SessionForked;
        case: "sessionForked";
    } | {
        /**
         * @generated from field: kinpost.v1.SessionReverted session_reverted = 24;
         */
        value: SessionReverted;
        case: "sessionReverted";
    } | {
        /**
         * @generated from field: kinpost.v1.SessionDeleted session_deleted = 25;
         */
        value: SessionDeleted;
        case: "sessionDeleted";
    } | {
        /**
         * @generated from field: kinpost.v1.RunStarted run_started = 40;
         */
        value: RunStarted;
        case: "runStarted";
    } | {
        /**
         * @generated from field: kinpost.v1.RunFinished run_finished = 41;
         */
        value: RunFinished;
        case: "runFinished";
    } | {
        /**
         * @generated from field: kinpost.v1.TurnCommitted turn_committed = 42;
         */
        value: TurnCommitted;
        case: "turnCommitted";
    } | {
        /**
         * @generated from field: kinpost.v1.ProducerMessageAccepted producer_message_accepted = 60;
         */
        value: ProducerMessageAccepted;
        case: "producerMessageAccepted";
    } | {
        /**
         * @generated from field: kinpost.v1.ProducerMessageAdmitted producer_message_admitted = 61;
         */
        value: ProducerMessageAdmitted;
        case: "producerMessageAdmitted";
    } | {
        /**
         * @generated from field: kinpost.v1.ProducerMessagesClaimed producer_messages_claimed = 62;
         */
        value: ProducerMessagesClaimed;
        case: "producerMessagesClaimed";
    } | {
        /**
         * @generated from field: kinpost.v1.ProducerMessagesReleased producer_messages_released = 63;
         */
        value: ProducerMessagesReleased;
        case: "producerMessagesReleased";
    } | {
        /**
         * @generated from field: kinpost.v1.ProducerMessageConsumed producer_message_consumed = 64;
         */
        value: ProducerMessageConsumed;
        case: "producerMessageConsumed";
    } | {
        /**
         * @generated from field: kinpost.v1.ProducerMessageDiscarded producer_message_discarded = 65;
         */
        value: ProducerMessageDiscarded;
        case: "producerMessageDiscarded";
    } | {
        /**
         * @generated from field: kinpost.v1.SentMessageUndeliverable sent_message_undeliverable = 66;
         */
        value: SentMessageUndeliverable;
        case: "sentMessageUndeliverable";
    } | {
        /**
         * @generated from field: kinpost.v1.WakeRequested wake_requested = 80;
         */
        value: WakeRequested;
        case: "wakeRequested";
    } | {
        /**
         * @generated from field: kinpost.v1.WakeOffered wake_offered = 81;
         */
        value: WakeOffered;
        case: "wakeOffered";
    } | {
        /**
         * @generated from field: kinpost.v1.WakeFailed wake_failed = 82;
         */
        value: WakeFailed;
        case: "wakeFailed";
    } | {
        /**
         * @generated from field: kinpost.v1.WakeSettled wake_settled = 83;
         */
        value: WakeSettled;
        case: "wakeSettled";
    } | {
        /**
         * @generated from field: kinpost.v1.WakeWithdrawn wake_withdrawn = 84;
         */
        value: WakeWithdrawn;
        case: "wakeWithdrawn";
    } | {
        /**
         * @generated from field: kinpost.v1.ApprovalRequested approval_requested = 100;
         */
        value: ApprovalRequested;
        case: "approvalRequested";
    } | {
        /**
         * @generated from field: kinpost.v1.ApprovalDecided approval_decided = 101;
         */
        value: ApprovalDecided;
        case: "approvalDecided";
    } | {
        /**
         * @generated from field: kinpost.v1.ApprovalUsed approval_used = 102;
         */
        value: ApprovalUsed;
        case: "approvalUsed";
    } | {
        /**
         * @generated from field: kinpost.v1.ApprovalExpired approval_expired = 103;
         */
        value: ApprovalExpired;
        case: "approvalExpired";
    } | {
        /**
         * @generated from field: kinpost.v1.ApprovalCancelled approval_cancelled = 104;
         */
        value: ApprovalCancelled;
        case: "approvalCancelled";
    } | {
        /**
         * @generated from field: kinpost.v1.ProducerRegistered producer_registered = 120;
         */
        value: ProducerRegistered;
        case: "producerRegistered";
    } | {
        /**
         * @generated from field: kinpost.v1.ProducerUnregistered producer_unregistered = 121;
         */
        value: ProducerUnregistered;
        case: "producerUnregistered";
    } | {
        /**
         * @generated from field: kinpost.v1.PeerMessageSent peer_message_sent = 140;
         */
        value: PeerMessageSent;
        case: "peerMessageSent";
    } | {
        /**
         * @generated from field: kinpost.v1.PeerDeadLetterRecorded peer_dead_letter_recorded = 141;
         */
        value: PeerDeadLetterRecorded;
        case: "peerDeadLetterRecorded";
    } | {
        /**
         * @generated from field: kinpost.v1.PeerDeadLetterRedelivered peer_dead_letter_redelivered = 142;
         */
        value: PeerDeadLetterRedelivered;
        case: "peerDeadLetterRedelivered";
    } | {
        case: undefined;
        value?: undefined;
    };
};
/**
 * Describes the message kinpost.v1.Event.
 * Use `create(EventSchema)` to create a new message.
 */
export declare const EventSchema: GenMessage<Event>;
/**
 * A session was made.
 *
 * @generated from message kinpost.v1.SessionCreated
 */
export type SessionCreated = Message<"kinpost.v1.SessionCreated"> & {
    /**
     * The session as it began.
     *
     * @generated from field: kinpost.v1.Session session = 1;
     */
    session?: Session | undefined;
    /**
     * A digest of the request, by which a repeat is known.
     *
     * @generated from field: bytes request_digest = 2;
     */
    requestDigest: Uint8Array;
    /**
     * The token that created it and so hosts it; empty for a person's.
     *
     * @generated from field: string host_token_id = 3;
     */
    hostTokenId: string;
    /**
     * Whether it came from another system.
     *
     * @generated from field: bool imported = 4;
     */
    imported: boolean;
};
/**
 * Describes the message kinpost.v1.SessionCreated.
 * Use `create(SessionCreatedSchema)` to create a new message.
 */
export declare const SessionCreatedSchema: GenMessage<SessionCreated>;
/**
 * A session's availability changed.
 *
 * @generated from message kinpost.v1.SessionAvailabilityChanged
 */
export type SessionAvailabilityChanged = Message<"kinpost.v1.SessionAvailabilityChanged"> & {
    /**
     * What it is now.
     *
     * @generated from field: kinpost.v1.Availability availability = 1;
     */
    availability: Availability;
    /**
     * Why.
     *
     * @generated from field: string reason = 2;
     */
    reason: string;
    /**
     * When a pause ends by itself.
     *
     * @generated from field: optional google.protobuf.Timestamp until_time = 3;
     */
    untilTime?: Timestamp | undefined;
    /**
     * With ARCHIVED: mail is held.
     *
     * @generated from field: bool no_wake = 4;
     */
    noWake: boolean;
    /**
     * The token that set it; empty when the service did.
     *
     * @generated from field: string token_id = 5;
     */
    tokenId: string;
    /**
     * Whether a person set it: then no runtime may undo it.
     *
     * @generated from field: bool by_person = 6;
     */
    byPerson: boolean;
};
/**
 * Describes the message kinpost.v1.SessionAvailabilityChanged.
 * Use `create(SessionAvailabilityChangedSchema)` to create a new message.
 */
export declare const SessionAvailabilityChangedSchema: GenMessage<SessionAvailabilityChanged>;
/**
 * A delegated session no longer waits for its delegator: mail may wake it.
 *
 * @generated from message kinpost.v1.SessionUnqueued
 */
export type SessionUnqueued = Message<"kinpost.v1.SessionUnqueued"> & {
    /**
     * Why: the delegating run lapsed, or nobody started it in time.
     *
     * @generated from field: string reason = 1;
     */
    reason: string;
};
/**
 * Describes the message kinpost.v1.SessionUnqueued.
 * Use `create(SessionUnqueuedSchema)` to create a new message.
 */
export declare const SessionUnqueuedSchema: GenMessage<SessionUnqueued>;
/**
 * A session was made as the continuation of another; whoever hosts the original then hosts it too.
 *
 * @generated from message kinpost.v1.SessionForked
 */
export type SessionForked = Message<"kinpost.v1.SessionForked"> & {
    /**
     * The original.
     *
     * @generated from field: string from_session_id = 1;
     */
    fromSessionId: string;
    /**
     * The point in the original's log.
     *
     * @generated from field: int64 at_seq = 2;
     */
    atSeq: bigint;
    /**
     * The session as it began.
     *
     * @generated from field: kinpost.v1.Session session = 3;
     */
    session?: Session | undefined;
};
/**
 * Describes the message kinpost.v1.SessionForked.
 * Use `create(SessionForkedSchema)` to create a new message.
 */
export declare const SessionForkedSchema: GenMessage<SessionForked>;
/**
 * The events after a point no longer count, but for what people decided. Pending mail is accepted, in no run.
 *
 * @generated from message kinpost.v1.SessionReverted
 */
export type SessionReverted = Message<"kinpost.v1.SessionReverted"> & {
    /**
     * The last event that still counts.
     *
     * @generated from field: int64 to_seq = 1;
     */
    toSeq: bigint;
    /**
     * Messages that had been consumed and are pending again; those accepted after the point are discarded next.
     *
     * @generated from field: repeated string restored_message_ids = 2;
     */
    restoredMessageIds: string[];
};
/**
 * Describes the message kinpost.v1.SessionReverted.
 * Use `create(SessionRevertedSchema)` to create a new message.
 */
export declare const SessionRevertedSchema: GenMessage<SessionReverted>;
/**
 * A session was deleted; a tombstone stays.
 *
 * @generated from message kinpost.v1.SessionDeleted
 */
export type SessionDeleted = Message<"kinpost.v1.SessionDeleted"> & {
    /**
     * Why.
     *
     * @generated from field: string reason = 1;
     */
    reason: string;
};
/**
 * Describes the message kinpost.v1.SessionDeleted.
 * Use `create(SessionDeletedSchema)` to create a new message.
 */
export declare const SessionDeletedSchema: GenMessage<SessionDeleted>;
/**
 * A run began. It holds the session until it ends.
 *
 * @generated from message kinpost.v1.RunStarted
 */
export type RunStarted = Message<"kinpost.v1.RunStarted"> & {
    /**
     * The run.
     *
     * @generated from field: string run_id = 1;
     */
    runId: string;
    /**
     * 1 for the session's first run.
     *
     * @generated from field: uint32 number = 2;
     */
    number: number;
    /**
     * The wake that it settles, if any.
     *
     * @generated from field: optional string wake_id = 3;
     */
    wakeId?: string | undefined;
    /**
     * The client's own id for it, if any.
     *
     * @generated from field: optional string client_run_id = 4;
     */
    clientRunId?: string | undefined;
    /**
     * The runtime that runs it, if it said so.
     *
     * @generated from field: optional string runtime_id = 5;
     */
    runtimeId?: string | undefined;
    /**
     * The token that started it and so hosts the session.
     *
     * @generated from field: string token_id = 6;
     */
    tokenId: string;
};
/**
 * Describes the message kinpost.v1.RunStarted.
 * Use `create(RunStartedSchema)` to create a new message.
 */
export declare const RunStartedSchema: GenMessage<RunStarted>;
/**
 * A run ended.
 *
 * @generated from message kinpost.v1.RunFinished
 */
export type RunFinished = Message<"kinpost.v1.RunFinished"> & {
    /**
     * The run.
     *
     * @generated from field: string run_id = 1;
     */
    runId: string;
    /**
     * Its outcome.
     *
     * @generated from field: kinpost.v1.RunState outcome = 2;
     */
    outcome: RunState;
    /**
     * Why.
     *
     * @generated from field: string reason = 3;
     */
    reason: string;
    /**
     * Whether a person ended it.
     *
     * @generated from field: bool by_person = 4;
     */
    byPerson: boolean;
    /**
     * How many messages it consumed.
     *
     * @generated from field: uint32 consumed_count = 5;
     */
    consumedCount: number;
    /**
     * How many runs in a row, this one included, consumed none of the mail they were given.
     *
     * @generated from field: uint32 failing_runs = 6;
     */
    failingRuns: number;
    /**
     * Whether its lease lapsed.
     *
     * @generated from field: bool lease_lost = 7;
     */
    leaseLost: boolean;
};
/**
 * Describes the message kinpost.v1.RunFinished.
 * Use `create(RunFinishedSchema)` to create a new message.
 */
export declare const RunFinishedSchema: GenMessage<RunFinished>;
/**
 * A model turn was kept: its claim is settled.
 *
 * @generated from message kinpost.v1.TurnCommitted
 */
export type TurnCommitted = Message<"kinpost.v1.TurnCommitted"> & {
    /**
     * The run.
     *
     * @generated from field: string run_id = 1;
     */
    runId: string;
    /**
     * The claim of the turn.
     *
     * @generated from field: int64 claim_seq = 2;
     */
    claimSeq: bigint;
    /**
     * How many messages the turn consumed.
     *
     * @generated from field: uint32 consumed_count = 3;
     */
    consumedCount: number;
};
/**
 * Describes the message kinpost.v1.TurnCommitted.
 * Use `create(TurnCommittedSchema)` to create a new message.
 */
export declare const TurnCommittedSchema: GenMessage<TurnCommitted>;
/**
 * A message is stored: from here on it is delivered or its end is told.
 *
 * @generated from message kinpost.v1.ProducerMessageAccepted
 */
export type ProducerMessageAccepted = Message<"kinpost.v1.ProducerMessageAccepted"> & {
    /**
     * The message.
     *
     * @generated from field: string message_id = 1;
     */
    messageId: string;
    /**
     * Who sent it.
     *
     * @generated from field: kinpost.v1.ProducerOwner owner = 2;
     */
    owner: ProducerOwner;
    /**
     * As requested.
     *
     * @generated from field: kinpost.v1.MessageMode mode = 3;
     */
    mode: MessageMode;
    /**
     * Byte for byte as it was sent.
     *
     * @generated from field: string body = 4;
     */
    body: string;
    /**
     * Where it came from.
     *
     * @generated from field: kinpost.v1.MessageSender sender = 5;
     */
    sender?: MessageSender | undefined;
    /**
     * How deep in a chain of agent mail it is; internal, never rendered.
     *
     * @generated from field: optional uint32 agent_hop = 6;
     */
    agentHop?: number | undefined;
    /**
     * The recipient's state at acceptance.
     *
     * @generated from field: kinpost.v1.RecipientState recipient_state = 7;
     */
    recipientState: RecipientState;
    /**
     * What the sender wrote as the recipient.
     *
     * @generated from field: string to = 8;
     */
    to: string;
    /**
     * A digest of the request, by which a repeat is known.
     *
     * @generated from field: bytes request_digest = 9;
     */
    requestDigest: Uint8Array;
    /**
     * The producer's own key, for owners other than agent.
     *
     * @generated from field: optional string idempotency_key = 10;
     */
    idempotencyKey?: string | undefined;
    /**
     * The producer's description for people.
     *
     * @generated from field: string description = 11;
     */
    description: string;
    /**
     * When it expires, if it does.
     *
     * @generated from field: optional google.protobuf.Timestamp expire_time = 12;
     */
    expireTime?: Timestamp | undefined;
    /**
     * The message that it replaces, if any.
     *
     * @generated from field: optional string supersedes_message_id = 13;
     */
    supersedesMessageId?: string | undefined;
    /**
     * The message that it continues in a fork.
     *
     * @generated from field: optional string forked_from_message_id = 14;
     */
    forkedFromMessageId?: string | undefined;
    /**
     * The sender's summary, for peer mail.
     *
     * @generated from field: optional string tldr = 15;
     */
    tldr?: string | undefined;
};
/**
 * Describes the message kinpost.v1.ProducerMessageAccepted.
 * Use `create(ProducerMessageAcceptedSchema)` to create a new message.
 */
export declare const ProducerMessageAcceptedSchema: GenMessage<ProducerMessageAccepted>;
/**
 * A message joined a run.
 *
 * @generated from message kinpost.v1.ProducerMessageAdmitted
 */
export type ProducerMessageAdmitted = Message<"kinpost.v1.ProducerMessageAdmitted"> & {
    /**
     * The message.
     *
     * @generated from field: string message_id = 1;
     */
    messageId: string;
    /**
     * The run.
     *
     * @generated from field: string run_id = 2;
     */
    runId: string;
};
/**
 * Describes the message kinpost.v1.ProducerMessageAdmitted.
 * Use `create(ProducerMessageAdmittedSchema)` to create a new message.
 */
export declare const ProducerMessageAdmittedSchema: GenMessage<ProducerMessageAdmitted>;
/**
 * Messages were reserved for one model request. This event's `seq` names the claim.
 *
 * @generated from message kinpost.v1.ProducerMessagesClaimed
 */
export type ProducerMessagesClaimed = Message<"kinpost.v1.ProducerMessagesClaimed"> & {
    /**
     * The run.
     *
     * @generated from field: string run_id = 1;
     */
    runId: string;
    /**
     * The client's attempt.
     *
     * @generated from field: string attempt_id = 2;
     */
    attemptId: string;
    /**
     * In accepted order; may be empty.
     *
     * @generated from field: repeated string message_ids = 3;
     */
    messageIds: string[];
    /**
     * Whether more waited than fitted.
     *
     * @generated from field: bool more_pending = 4;
     */
    morePending: boolean;
};
/**
 * Describes the message kinpost.v1.ProducerMessagesClaimed.
 * Use `create(ProducerMessagesClaimedSchema)` to create a new message.
 */
export declare const ProducerMessagesClaimedSchema: GenMessage<ProducerMessagesClaimed>;
/**
 * A claim was given back.
 *
 * @generated from message kinpost.v1.ProducerMessagesReleased
 */
export type ProducerMessagesReleased = Message<"kinpost.v1.ProducerMessagesReleased"> & {
    /**
     * The claim.
     *
     * @generated from field: int64 claim_seq = 1;
     */
    claimSeq: bigint;
    /**
     * The run.
     *
     * @generated from field: string run_id = 2;
     */
    runId: string;
    /**
     * The messages that wait again.
     *
     * @generated from field: repeated string message_ids = 3;
     */
    messageIds: string[];
    /**
     * Why.
     *
     * @generated from field: kinpost.v1.ReleaseReason reason = 4;
     */
    reason: ReleaseReason;
    /**
     * The runtime's own words.
     *
     * @generated from field: string detail = 5;
     */
    detail: string;
};
/**
 * Describes the message kinpost.v1.ProducerMessagesReleased.
 * Use `create(ProducerMessagesReleasedSchema)` to create a new message.
 */
export declare const ProducerMessagesReleasedSchema: GenMessage<ProducerMessagesReleased>;
/**
 * A committed turn saw the message.
 *
 * @generated from message kinpost.v1.ProducerMessageConsumed
 */
export type ProducerMessageConsumed = Message<"kinpost.v1.ProducerMessageConsumed"> & {
    /**
     * The message.
     *
     * @generated from field: string message_id = 1;
     */
    messageId: string;
    /**
     * The run.
     *
     * @generated from field: string run_id = 2;
     */
    runId: string;
    /**
     * The claim.
     *
     * @generated from field: int64 claim_seq = 3;
     */
    claimSeq: bigint;
};
/**
 * Describes the message kinpost.v1.ProducerMessageConsumed.
 * Use `create(ProducerMessageConsumedSchema)` to create a new message.
 */
export declare const ProducerMessageConsumedSchema: GenMessage<ProducerMessageConsumed>;
/**
 * The message will not be delivered.
 *
 * @generated from message kinpost.v1.ProducerMessageDiscarded
 */
export type ProducerMessageDiscarded = Message<"kinpost.v1.ProducerMessageDiscarded"> & {
    /**
     * The message.
     *
     * @generated from field: string message_id = 1;
     */
    messageId: string;
    /**
     * Why.
     *
     * @generated from field: kinpost.v1.DiscardReason reason = 2;
     */
    reason: DiscardReason;
    /**
     * The message that took its place, if one did.
     *
     * @generated from field: optional string superseded_by_message_id = 3;
     */
    supersededByMessageId?: string | undefined;
};
/**
 * Describes the message kinpost.v1.ProducerMessageDiscarded.
 * Use `create(ProducerMessageDiscardedSchema)` to create a new message.
 */
export declare const ProducerMessageDiscardedSchema: GenMessage<ProducerMessageDiscarded>;
/**
 * In the sender's log: accepted mail died undelivered.
 *
 * @generated from message kinpost.v1.SentMessageUndeliverable
 */
export type SentMessageUndeliverable = Message<"kinpost.v1.SentMessageUndeliverable"> & {
    /**
     * The message.
     *
     * @generated from field: string message_id = 1;
     */
    messageId: string;
    /**
     * Who it was for.
     *
     * @generated from field: string recipient_session_id = 2;
     */
    recipientSessionId: string;
    /**
     * Why it died.
     *
     * @generated from field: kinpost.v1.DiscardReason reason = 3;
     */
    reason: DiscardReason;
};
/**
 * Describes the message kinpost.v1.SentMessageUndeliverable.
 * Use `create(SentMessageUndeliverableSchema)` to create a new message.
 */
export declare const SentMessageUndeliverableSchema: GenMessage<SentMessageUndeliverable>;
/**
 * A session with mail needs a run.
 *
 * @generated from message kinpost.v1.WakeRequested
 */
export type WakeRequested = Message<"kinpost.v1.WakeRequested"> & {
    /**
     * The wake.
     *
     * @generated from field: string wake_id = 1;
     */
    wakeId: string;
    /**
     * Not offered before this instant, after failing runs.
     *
     * @generated from field: optional google.protobuf.Timestamp not_before_time = 2;
     */
    notBeforeTime?: Timestamp | undefined;
};
/**
 * Describes the message kinpost.v1.WakeRequested.
 * Use `create(WakeRequestedSchema)` to create a new message.
 */
export declare const WakeRequestedSchema: GenMessage<WakeRequested>;
/**
 * A wake was offered to a runtime.
 *
 * @generated from message kinpost.v1.WakeOffered
 */
export type WakeOffered = Message<"kinpost.v1.WakeOffered"> & {
    /**
     * The wake.
     *
     * @generated from field: string wake_id = 1;
     */
    wakeId: string;
    /**
     * The runtime.
     *
     * @generated from field: string runtime_id = 2;
     */
    runtimeId: string;
    /**
     * Its token, which hosts the session from here on.
     *
     * @generated from field: string token_id = 3;
     */
    tokenId: string;
    /**
     * 1 for the first offer.
     *
     * @generated from field: uint32 offer_number = 4;
     */
    offerNumber: number;
    /**
     * When the offer lapses.
     *
     * @generated from field: google.protobuf.Timestamp expire_time = 5;
     */
    expireTime?: Timestamp | undefined;
};
/**
 * Describes the message kinpost.v1.WakeOffered.
 * Use `create(WakeOfferedSchema)` to create a new message.
 */
export declare const WakeOfferedSchema: GenMessage<WakeOffered>;
/**
 * An offer came to nothing; the wake stands and is offered again.
 *
 * @generated from message kinpost.v1.WakeFailed
 */
export type WakeFailed = Message<"kinpost.v1.WakeFailed"> & {
    /**
     * The wake.
     *
     * @generated from field: string wake_id = 1;
     */
    wakeId: string;
    /**
     * The runtime that had the offer.
     *
     * @generated from field: string runtime_id = 2;
     */
    runtimeId: string;
    /**
     * Which offer.
     *
     * @generated from field: uint32 offer_number = 3;
     */
    offerNumber: number;
    /**
     * Why: declined, not taken in time, or the runtime is gone.
     *
     * @generated from field: string reason = 4;
     */
    reason: string;
    /**
     * When it is offered again at the earliest.
     *
     * @generated from field: google.protobuf.Timestamp next_offer_time = 5;
     */
    nextOfferTime?: Timestamp | undefined;
    /**
     * When it is offered again to this runtime at the earliest, where it declined for a while.
     *
     * @generated from field: optional google.protobuf.Timestamp declined_until_time = 6;
     */
    declinedUntilTime?: Timestamp | undefined;
};
/**
 * Describes the message kinpost.v1.WakeFailed.
 * Use `create(WakeFailedSchema)` to create a new message.
 */
export declare const WakeFailedSchema: GenMessage<WakeFailed>;
/**
 * A run took the wake's place.
 *
 * @generated from message kinpost.v1.WakeSettled
 */
export type WakeSettled = Message<"kinpost.v1.WakeSettled"> & {
    /**
     * The wake.
     *
     * @generated from field: string wake_id = 1;
     */
    wakeId: string;
    /**
     * The run, whoever started it.
     *
     * @generated from field: string run_id = 2;
     */
    runId: string;
};
/**
 * Describes the message kinpost.v1.WakeSettled.
 * Use `create(WakeSettledSchema)` to create a new message.
 */
export declare const WakeSettledSchema: GenMessage<WakeSettled>;
/**
 * A wake is no longer due: no mail waits, or the session may not wake.
 *
 * @generated from message kinpost.v1.WakeWithdrawn
 */
export type WakeWithdrawn = Message<"kinpost.v1.WakeWithdrawn"> & {
    /**
     * The wake.
     *
     * @generated from field: string wake_id = 1;
     */
    wakeId: string;
    /**
     * Why.
     *
     * @generated from field: string reason = 2;
     */
    reason: string;
};
/**
 * Describes the message kinpost.v1.WakeWithdrawn.
 * Use `create(WakeWithdrawnSchema)` to create a new message.
 */
export declare const WakeWithdrawnSchema: GenMessage<WakeWithdrawn>;
/**
 * A person is asked.
 *
 * @generated from message kinpost.v1.ApprovalRequested
 */
export type ApprovalRequested = Message<"kinpost.v1.ApprovalRequested"> & {
    /**
     * The question.
     *
     * @generated from field: kinpost.v1.Approval approval = 1;
     */
    approval?: Approval | undefined;
};
/**
 * Describes the message kinpost.v1.ApprovalRequested.
 * Use `create(ApprovalRequestedSchema)` to create a new message.
 */
export declare const ApprovalRequestedSchema: GenMessage<ApprovalRequested>;
/**
 * A person answered.
 *
 * @generated from message kinpost.v1.ApprovalDecided
 */
export type ApprovalDecided = Message<"kinpost.v1.ApprovalDecided"> & {
    /**
     * The question.
     *
     * @generated from field: string approval_id = 1;
     */
    approvalId: string;
    /**
     * The answer.
     *
     * @generated from field: kinpost.v1.ApprovalDecision decision = 2;
     */
    decision: ApprovalDecision;
    /**
     * The decider's reason.
     *
     * @generated from field: string reason = 3;
     */
    reason: string;
    /**
     * The decider's token.
     *
     * @generated from field: string token_id = 4;
     */
    tokenId: string;
};
/**
 * Describes the message kinpost.v1.ApprovalDecided.
 * Use `create(ApprovalDecidedSchema)` to create a new message.
 */
export declare const ApprovalDecidedSchema: GenMessage<ApprovalDecided>;
/**
 * The allowed operation was carried out.
 *
 * @generated from message kinpost.v1.ApprovalUsed
 */
export type ApprovalUsed = Message<"kinpost.v1.ApprovalUsed"> & {
    /**
     * The question.
     *
     * @generated from field: string approval_id = 1;
     */
    approvalId: string;
    /**
     * The message that was accepted.
     *
     * @generated from field: string message_id = 2;
     */
    messageId: string;
};
/**
 * Describes the message kinpost.v1.ApprovalUsed.
 * Use `create(ApprovalUsedSchema)` to create a new message.
 */
export declare const ApprovalUsedSchema: GenMessage<ApprovalUsed>;
/**
 * Nobody answered in time.
 *
 * @generated from message kinpost.v1.ApprovalExpired
 */
export type ApprovalExpired = Message<"kinpost.v1.ApprovalExpired"> & {
    /**
     * The question.
     *
     * @generated from field: string approval_id = 1;
     */
    approvalId: string;
};
/**
 * Describes the message kinpost.v1.ApprovalExpired.
 * Use `create(ApprovalExpiredSchema)` to create a new message.
 */
export declare const ApprovalExpiredSchema: GenMessage<ApprovalExpired>;
/**
 * The asking run ended first.
 *
 * @generated from message kinpost.v1.ApprovalCancelled
 */
export type ApprovalCancelled = Message<"kinpost.v1.ApprovalCancelled"> & {
    /**
     * The question.
     *
     * @generated from field: string approval_id = 1;
     */
    approvalId: string;
};
/**
 * Describes the message kinpost.v1.ApprovalCancelled.
 * Use `create(ApprovalCancelledSchema)` to create a new message.
 */
export declare const ApprovalCancelledSchema: GenMessage<ApprovalCancelled>;
/**
 * A producer registered.
 *
 * @generated from message kinpost.v1.ProducerRegistered
 */
export type ProducerRegistered = Message<"kinpost.v1.ProducerRegistered"> & {
    /**
     * The registration.
     *
     * @generated from field: kinpost.v1.Producer producer = 1;
     */
    producer?: Producer | undefined;
};
/**
 * Describes the message kinpost.v1.ProducerRegistered.
 * Use `create(ProducerRegisteredSchema)` to create a new message.
 */
export declare const ProducerRegisteredSchema: GenMessage<ProducerRegistered>;
/**
 * A registration ended.
 *
 * @generated from message kinpost.v1.ProducerUnregistered
 */
export type ProducerUnregistered = Message<"kinpost.v1.ProducerUnregistered"> & {
    /**
     * The registration.
     *
     * @generated from field: string producer_id = 1;
     */
    producerId: string;
    /**
     * Whether its lease lapsed.
     *
     * @generated from field: bool lapsed = 2;
     */
    lapsed: boolean;
};
/**
 * Describes the message kinpost.v1.ProducerUnregistered.
 * Use `create(ProducerUnregisteredSchema)` to create a new message.
 */
export declare const ProducerUnregisteredSchema: GenMessage<ProducerUnregistered>;
/**
 * In the sender's log: a peer message went out.
 *
 * @generated from message kinpost.v1.PeerMessageSent
 */
export type PeerMessageSent = Message<"kinpost.v1.PeerMessageSent"> & {
    /**
     * The message.
     *
     * @generated from field: string message_id = 1;
     */
    messageId: string;
    /**
     * Who it went to.
     *
     * @generated from field: string target_session_id = 2;
     */
    targetSessionId: string;
    /**
     * The beginning of the text.
     *
     * @generated from field: string preview = 3;
     */
    preview: string;
    /**
     * Names the stored body, if one is stored.
     *
     * @generated from field: optional string body_id = 4;
     */
    bodyId?: string | undefined;
};
/**
 * Describes the message kinpost.v1.PeerMessageSent.
 * Use `create(PeerMessageSentSchema)` to create a new message.
 */
export declare const PeerMessageSentSchema: GenMessage<PeerMessageSent>;
/**
 * A peer message could not be delivered and is kept.
 *
 * @generated from message kinpost.v1.PeerDeadLetterRecorded
 */
export type PeerDeadLetterRecorded = Message<"kinpost.v1.PeerDeadLetterRecorded"> & {
    /**
     * The dead letter.
     *
     * @generated from field: string dead_letter_id = 1;
     */
    deadLetterId: string;
    /**
     * Who it was for.
     *
     * @generated from field: string target_session_id = 2;
     */
    targetSessionId: string;
    /**
     * Why.
     *
     * @generated from field: kinpost.v1.DeadLetterReason reason = 3;
     */
    reason: DeadLetterReason;
    /**
     * More about why.
     *
     * @generated from field: string detail = 4;
     */
    detail: string;
};
/**
 * Describes the message kinpost.v1.PeerDeadLetterRecorded.
 * Use `create(PeerDeadLetterRecordedSchema)` to create a new message.
 */
export declare const PeerDeadLetterRecordedSchema: GenMessage<PeerDeadLetterRecorded>;
/**
 * A dead letter was delivered after all.
 *
 * @generated from message kinpost.v1.PeerDeadLetterRedelivered
 */
export type PeerDeadLetterRedelivered = Message<"kinpost.v1.PeerDeadLetterRedelivered"> & {
    /**
     * The dead letter.
     *
     * @generated from field: string dead_letter_id = 1;
     */
    deadLetterId: string;
    /**
     * The message that it became.
     *
     * @generated from field: string message_id = 2;
     */
    messageId: string;
};
/**
 * Describes the message kinpost.v1.PeerDeadLetterRedelivered.
 * Use `create(PeerDeadLetterRedeliveredSchema)` to create a new message.
 */
export declare const PeerDeadLetterRedeliveredSchema: GenMessage<PeerDeadLetterRedelivered>;
/**
 * Who caused an event.
 *
 * @generated from enum kinpost.v1.EventOrigin
 */
export declare enum EventOrigin {
    /**
     * @generated from enum value: EVENT_ORIGIN_UNSPECIFIED = 0;
     */
    UNSPECIFIED = 0,
    /**
     * The service itself: a lease, a timer, a reconciliation.
     *
     * @generated from enum value: EVENT_ORIGIN_SERVICE = 1;
     */
    SERVICE = 1,
    /**
     * The runtime that hosts the session.
     *
     * @generated from enum value: EVENT_ORIGIN_RUNTIME = 2;
     */
    RUNTIME = 2,
    /**
     * An agent, by a tool call.
     *
     * @generated from enum value: EVENT_ORIGIN_AGENT = 3;
     */
    AGENT = 3,
    /**
     * A person.
     *
     * @generated from enum value: EVENT_ORIGIN_PERSON = 4;
     */
    PERSON = 4,
    /**
     * A plugin.
     *
     * @generated from enum value: EVENT_ORIGIN_PLUGIN = 5;
     */
    PLUGIN = 5,
    /**
     * A peer route.
     *
     * @generated from enum value: EVENT_ORIGIN_PEER = 6;
     */
    PEER = 6
}
/**
 * Describes the enum kinpost.v1.EventOrigin.
 */
export declare const EventOriginSchema: GenEnum<EventOrigin>;
