import type { GenEnum, GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file kinpost/v1/message.proto.
 */
export declare const file_kinpost_v1_message: GenFile;
/**
 * Where a message came from. Always derived from the caller, never from model-supplied arguments.
 *
 * @generated from message kinpost.v1.MessageSender
 */
export type MessageSender = Message<"kinpost.v1.MessageSender"> & {
    /**
     * The sending session, for agents, delegations and peers.
     *
     * @generated from field: optional string session_id = 1;
     */
    sessionId?: string | undefined;
    /**
     * Its handle at the time.
     *
     * @generated from field: optional string handle = 2;
     */
    handle?: string | undefined;
    /**
     * The run that sent it.
     *
     * @generated from field: optional string run_id = 3;
     */
    runId?: string | undefined;
    /**
     * The tool call that sent it; for mail of a delegation, the one that began it.
     *
     * @generated from field: optional string tool_call_id = 4;
     */
    toolCallId?: string | undefined;
    /**
     * The registered producer, for plugins.
     *
     * @generated from field: optional string producer_id = 5;
     */
    producerId?: string | undefined;
    /**
     * A name for people: the plugin's, or the peer's.
     *
     * @generated from field: optional string name = 6;
     */
    name?: string | undefined;
};
/**
 * Describes the message kinpost.v1.MessageSender.
 * Use `create(MessageSenderSchema)` to create a new message.
 */
export declare const MessageSenderSchema: GenMessage<MessageSender>;
/**
 * The promise that a message is stored in the recipient's log.
 *
 * @generated from message kinpost.v1.MessageAccepted
 */
export type MessageAccepted = Message<"kinpost.v1.MessageAccepted"> & {
    /**
     * The durable message id, a UUID. The same for every repeat of the call.
     *
     * @generated from field: string message_id = 1;
     */
    messageId: string;
    /**
     * As requested.
     *
     * @generated from field: kinpost.v1.MessageMode mode = 2;
     */
    mode: MessageMode;
    /**
     * The recipient's state at acceptance.
     *
     * @generated from field: kinpost.v1.RecipientState recipient_state = 3;
     */
    recipientState: RecipientState;
    /**
     * Whether this answer repeats an earlier one.
     *
     * @generated from field: bool replayed = 4;
     */
    replayed: boolean;
};
/**
 * Describes the message kinpost.v1.MessageAccepted.
 * Use `create(MessageAcceptedSchema)` to create a new message.
 */
export declare const MessageAcceptedSchema: GenMessage<MessageAccepted>;
/**
 * The sender's view of a message, read from the message itself.
 *
 * @generated from message kinpost.v1.SentMessage
 */
export type SentMessage = Message<"kinpost.v1.SentMessage"> & {
    /**
     * The message.
     *
     * @generated from field: string message_id = 1;
     */
    messageId: string;
    /**
     * Who it went to.
     *
     * @generated from field: string recipient_session_id = 2;
     */
    recipientSessionId: string;
    /**
     * The recipient's handle, if it has one.
     *
     * @generated from field: optional string recipient_handle = 3;
     */
    recipientHandle?: string | undefined;
    /**
     * Who sent it: agent, delegation or peer.
     *
     * @generated from field: kinpost.v1.ProducerOwner owner = 4;
     */
    owner: ProducerOwner;
    /**
     * As requested.
     *
     * @generated from field: kinpost.v1.MessageMode mode = 5;
     */
    mode: MessageMode;
    /**
     * Where it stands.
     *
     * @generated from field: kinpost.v1.MessageState state = 6;
     */
    state: MessageState;
    /**
     * When it was accepted.
     *
     * @generated from field: google.protobuf.Timestamp accept_time = 7;
     */
    acceptTime?: Timestamp | undefined;
    /**
     * When it was last admitted into a run.
     *
     * @generated from field: optional google.protobuf.Timestamp admit_time = 8;
     */
    admitTime?: Timestamp | undefined;
    /**
     * When it was last claimed.
     *
     * @generated from field: optional google.protobuf.Timestamp claim_time = 9;
     */
    claimTime?: Timestamp | undefined;
    /**
     * When it was consumed.
     *
     * @generated from field: optional google.protobuf.Timestamp consume_time = 10;
     */
    consumeTime?: Timestamp | undefined;
    /**
     * When it was discarded.
     *
     * @generated from field: optional google.protobuf.Timestamp discard_time = 11;
     */
    discardTime?: Timestamp | undefined;
    /**
     * Why it was discarded.
     *
     * @generated from field: kinpost.v1.DiscardReason discard_reason = 12;
     */
    discardReason: DiscardReason;
    /**
     * Whether it is held because the recipient may not wake.
     *
     * @generated from field: bool held = 13;
     */
    held: boolean;
    /**
     * Why it is held.
     *
     * @generated from field: string held_reason = 14;
     */
    heldReason: string;
    /**
     * How often it was put before a model request.
     *
     * @generated from field: uint32 delivery_count = 15;
     */
    deliveryCount: number;
    /**
     * When it expires, if it does.
     *
     * @generated from field: optional google.protobuf.Timestamp expire_time = 16;
     */
    expireTime?: Timestamp | undefined;
    /**
     * Since when it is held.
     *
     * @generated from field: optional google.protobuf.Timestamp held_time = 17;
     */
    heldTime?: Timestamp | undefined;
    /**
     * The call that sent it.
     *
     * @generated from field: optional string run_id = 18;
     */
    runId?: string | undefined;
    /**
     * The tool call that sent it.
     *
     * @generated from field: optional string tool_call_id = 19;
     */
    toolCallId?: string | undefined;
};
/**
 * Describes the message kinpost.v1.SentMessage.
 * Use `create(SentMessageSchema)` to create a new message.
 */
export declare const SentMessageSchema: GenMessage<SentMessage>;
/**
 * Who sent a message.
 *
 * @generated from enum kinpost.v1.ProducerOwner
 */
export declare enum ProducerOwner {
    /**
     * @generated from enum value: PRODUCER_OWNER_UNSPECIFIED = 0;
     */
    UNSPECIFIED = 0,
    /**
     * Another agent of the same tree.
     *
     * @generated from enum value: PRODUCER_OWNER_AGENT = 1;
     */
    AGENT = 1,
    /**
     * A person.
     *
     * @generated from enum value: PRODUCER_OWNER_USER = 2;
     */
    USER = 2,
    /**
     * A plugin.
     *
     * @generated from enum value: PRODUCER_OWNER_PLUGIN = 3;
     */
    PLUGIN = 3,
    /**
     * The delegation itself: a first message, or the completion of a delegated run.
     *
     * @generated from enum value: PRODUCER_OWNER_DELEGATION = 4;
     */
    DELEGATION = 4,
    /**
     * Any session, by a peer route.
     *
     * @generated from enum value: PRODUCER_OWNER_PEER = 5;
     */
    PEER = 5
}
/**
 * Describes the enum kinpost.v1.ProducerOwner.
 */
export declare const ProducerOwnerSchema: GenEnum<ProducerOwner>;
/**
 * How a message joins its recipient. Never changed by the service.
 *
 * @generated from enum kinpost.v1.MessageMode
 */
export declare enum MessageMode {
    /**
     * @generated from enum value: MESSAGE_MODE_UNSPECIFIED = 0;
     */
    UNSPECIFIED = 0,
    /**
     * Joins the active run at its next boundary, or wakes an idle session.
     *
     * @generated from enum value: MESSAGE_MODE_STEER = 1;
     */
    STEER = 1,
    /**
     * Is claimed at the first boundary of the next run, which it starts if nobody else does.
     *
     * @generated from enum value: MESSAGE_MODE_QUEUE = 2;
     */
    QUEUE = 2
}
/**
 * Describes the enum kinpost.v1.MessageMode.
 */
export declare const MessageModeSchema: GenEnum<MessageMode>;
/**
 * Where a message stands.
 *
 * @generated from enum kinpost.v1.MessageState
 */
export declare enum MessageState {
    /**
     * @generated from enum value: MESSAGE_STATE_UNSPECIFIED = 0;
     */
    UNSPECIFIED = 0,
    /**
     * Stored in the recipient's log.
     *
     * @generated from enum value: MESSAGE_STATE_ACCEPTED = 1;
     */
    ACCEPTED = 1,
    /**
     * Joined to one run, at a boundary.
     *
     * @generated from enum value: MESSAGE_STATE_ADMITTED = 2;
     */
    ADMITTED = 2,
    /**
     * Reserved for one model request.
     *
     * @generated from enum value: MESSAGE_STATE_CLAIMED = 3;
     */
    CLAIMED = 3,
    /**
     * Given back: it waits again, in its old order.
     *
     * @generated from enum value: MESSAGE_STATE_RELEASED = 4;
     */
    RELEASED = 4,
    /**
     * A model turn that saw it was committed. Happens once.
     *
     * @generated from enum value: MESSAGE_STATE_CONSUMED = 5;
     */
    CONSUMED = 5,
    /**
     * Will not be delivered.
     *
     * @generated from enum value: MESSAGE_STATE_DISCARDED = 6;
     */
    DISCARDED = 6
}
/**
 * Describes the enum kinpost.v1.MessageState.
 */
export declare const MessageStateSchema: GenEnum<MessageState>;
/**
 * Why a message will not be delivered.
 *
 * @generated from enum kinpost.v1.DiscardReason
 */
export declare enum DiscardReason {
    /**
     * @generated from enum value: DISCARD_REASON_UNSPECIFIED = 0;
     */
    UNSPECIFIED = 0,
    /**
     * Its owner discarded it.
     *
     * @generated from enum value: DISCARD_REASON_OWNER = 1;
     */
    OWNER = 1,
    /**
     * Its sender took it back.
     *
     * @generated from enum value: DISCARD_REASON_RETRACTED = 2;
     */
    RETRACTED = 2,
    /**
     * Its `expire_after` passed.
     *
     * @generated from enum value: DISCARD_REASON_EXPIRED = 3;
     */
    EXPIRED = 3,
    /**
     * A later message of the same sender took its place.
     *
     * @generated from enum value: DISCARD_REASON_SUPERSEDED = 4;
     */
    SUPERSEDED = 4,
    /**
     * The recipient's log was reverted past its acceptance.
     *
     * @generated from enum value: DISCARD_REASON_REVERTED = 5;
     */
    REVERTED = 5,
    /**
     * The recipient was deleted.
     *
     * @generated from enum value: DISCARD_REASON_DELETED = 6;
     */
    DELETED = 6
}
/**
 * Describes the enum kinpost.v1.DiscardReason.
 */
export declare const DiscardReasonSchema: GenEnum<DiscardReason>;
/**
 * Where the recipient stood when a message was accepted.
 *
 * @generated from enum kinpost.v1.RecipientState
 */
export declare enum RecipientState {
    /**
     * @generated from enum value: RECIPIENT_STATE_UNSPECIFIED = 0;
     */
    UNSPECIFIED = 0,
    /**
     * Has an active run.
     *
     * @generated from enum value: RECIPIENT_STATE_RUNNING = 1;
     */
    RUNNING = 1,
    /**
     * Idle, or waiting for its delegator.
     *
     * @generated from enum value: RECIPIENT_STATE_QUEUED = 2;
     */
    QUEUED = 2,
    /**
     * Its last run had ended; the message wakes it.
     *
     * @generated from enum value: RECIPIENT_STATE_WAKING_FINISHED = 3;
     */
    WAKING_FINISHED = 3,
    /**
     * May not wake: the message is held until a person opens it.
     *
     * @generated from enum value: RECIPIENT_STATE_HELD = 4;
     */
    HELD = 4
}
/**
 * Describes the enum kinpost.v1.RecipientState.
 */
export declare const RecipientStateSchema: GenEnum<RecipientState>;
