import type { GenEnum, GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file kinpost/v1/peer.proto.
 */
export declare const file_kinpost_v1_peer: GenFile;
/**
 * A peer message kept because it could not be delivered.
 *
 * @generated from message kinpost.v1.DeadLetter
 */
export type DeadLetter = Message<"kinpost.v1.DeadLetter"> & {
    /**
     * The dead letter's UUID.
     *
     * @generated from field: string dead_letter_id = 1;
     */
    deadLetterId: string;
    /**
     * Who sent it.
     *
     * @generated from field: string source_session_id = 2;
     */
    sourceSessionId: string;
    /**
     * Who it was for.
     *
     * @generated from field: string target_session_id = 3;
     */
    targetSessionId: string;
    /**
     * The message, whole.
     *
     * @generated from field: string text = 4;
     */
    text: string;
    /**
     * Its summary, if it had one.
     *
     * @generated from field: optional string tldr = 5;
     */
    tldr?: string | undefined;
    /**
     * Why it died.
     *
     * @generated from field: kinpost.v1.DeadLetterReason reason = 6;
     */
    reason: DeadLetterReason;
    /**
     * More about why.
     *
     * @generated from field: string detail = 7;
     */
    detail: string;
    /**
     * When it died.
     *
     * @generated from field: google.protobuf.Timestamp create_time = 8;
     */
    createTime?: Timestamp | undefined;
    /**
     * When it was delivered again, if it was.
     *
     * @generated from field: optional google.protobuf.Timestamp redeliver_time = 9;
     */
    redeliverTime?: Timestamp | undefined;
};
/**
 * Describes the message kinpost.v1.DeadLetter.
 * Use `create(DeadLetterSchema)` to create a new message.
 */
export declare const DeadLetterSchema: GenMessage<DeadLetter>;
/**
 * What a sender can read back of its own peer mail.
 *
 * @generated from message kinpost.v1.PeerMessageSummary
 */
export type PeerMessageSummary = Message<"kinpost.v1.PeerMessageSummary"> & {
    /**
     * Names the stored body.
     *
     * @generated from field: string body_id = 1;
     */
    bodyId: string;
    /**
     * Who it went to.
     *
     * @generated from field: string target_session_id = 2;
     */
    targetSessionId: string;
    /**
     * The message, whole.
     *
     * @generated from field: string text = 3;
     */
    text: string;
    /**
     * Its summary, if it had one.
     *
     * @generated from field: optional string tldr = 4;
     */
    tldr?: string | undefined;
    /**
     * Unicode code points of the text.
     *
     * @generated from field: uint32 chars = 5;
     */
    chars: number;
    /**
     * An estimate of its tokens.
     *
     * @generated from field: uint32 tokens = 6;
     */
    tokens: number;
    /**
     * When it was sent.
     *
     * @generated from field: google.protobuf.Timestamp send_time = 7;
     */
    sendTime?: Timestamp | undefined;
};
/**
 * Describes the message kinpost.v1.PeerMessageSummary.
 * Use `create(PeerMessageSummarySchema)` to create a new message.
 */
export declare const PeerMessageSummarySchema: GenMessage<PeerMessageSummary>;
/**
 * Why a peer message could never be delivered.
 *
 * @generated from enum kinpost.v1.DeadLetterReason
 */
export declare enum DeadLetterReason {
    /**
     * @generated from enum value: DEAD_LETTER_REASON_UNSPECIFIED = 0;
     */
    UNSPECIFIED = 0,
    /**
     * A target that once existed is gone.
     *
     * @generated from enum value: DEAD_LETTER_REASON_TARGET_GONE = 1;
     */
    TARGET_GONE = 1,
    /**
     * A person closed the target.
     *
     * @generated from enum value: DEAD_LETTER_REASON_USER_CLOSED = 2;
     */
    USER_CLOSED = 2,
    /**
     * The target could not be woken.
     *
     * @generated from enum value: DEAD_LETTER_REASON_WAKE_FAILED = 3;
     */
    WAKE_FAILED = 3,
    /**
     * The message could not be stored.
     *
     * @generated from enum value: DEAD_LETTER_REASON_SEND_FAILED = 4;
     */
    SEND_FAILED = 4
}
/**
 * Describes the enum kinpost.v1.DeadLetterReason.
 */
export declare const DeadLetterReasonSchema: GenEnum<DeadLetterReason>;
