import type { GenEnum, GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file kinpost/v1/approval.proto.
 */
export declare const file_kinpost_v1_approval: GenFile;
/**
 * One question put before a person, for each (session, run, tool call).
 *
 * @generated from message kinpost.v1.Approval
 */
export type Approval = Message<"kinpost.v1.Approval"> & {
    /**
     * The approval's UUID.
     *
     * @generated from field: string approval_id = 1;
     */
    approvalId: string;
    /**
     * The asking session.
     *
     * @generated from field: string session_id = 2;
     */
    sessionId: string;
    /**
     * Its tree.
     *
     * @generated from field: string root_session_id = 3;
     */
    rootSessionId: string;
    /**
     * The asking run.
     *
     * @generated from field: string run_id = 4;
     */
    runId: string;
    /**
     * The asking tool call.
     *
     * @generated from field: string tool_call_id = 5;
     */
    toolCallId: string;
    /**
     * The tool.
     *
     * @generated from field: string tool_name = 6;
     */
    toolName: string;
    /**
     * The recipient that the operation resolved to.
     *
     * @generated from field: string recipient_session_id = 7;
     */
    recipientSessionId: string;
    /**
     * The tool's arguments, as JSON.
     *
     * @generated from field: string arguments_json = 8;
     */
    argumentsJson: string;
    /**
     * Where it stands.
     *
     * @generated from field: kinpost.v1.ApprovalState state = 9;
     */
    state: ApprovalState;
    /**
     * What was decided, once it is.
     *
     * @generated from field: kinpost.v1.ApprovalDecision decision = 10;
     */
    decision: ApprovalDecision;
    /**
     * The decider's reason.
     *
     * @generated from field: string reason = 11;
     */
    reason: string;
    /**
     * When it was asked.
     *
     * @generated from field: google.protobuf.Timestamp create_time = 12;
     */
    createTime?: Timestamp | undefined;
    /**
     * When it was decided.
     *
     * @generated from field: optional google.protobuf.Timestamp decide_time = 13;
     */
    decideTime?: Timestamp | undefined;
    /**
     * When it expires, if it does.
     *
     * @generated from field: optional google.protobuf.Timestamp expire_time = 14;
     */
    expireTime?: Timestamp | undefined;
};
/**
 * Describes the message kinpost.v1.Approval.
 * Use `create(ApprovalSchema)` to create a new message.
 */
export declare const ApprovalSchema: GenMessage<Approval>;
/**
 * The answer of a send that waits for a person.
 *
 * @generated from message kinpost.v1.PendingApproval
 */
export type PendingApproval = Message<"kinpost.v1.PendingApproval"> & {
    /**
     * The approval to wait for.
     *
     * @generated from field: string approval_id = 1;
     */
    approvalId: string;
    /**
     * When it expires, if it does.
     *
     * @generated from field: optional google.protobuf.Timestamp expire_time = 2;
     */
    expireTime?: Timestamp | undefined;
};
/**
 * Describes the message kinpost.v1.PendingApproval.
 * Use `create(PendingApprovalSchema)` to create a new message.
 */
export declare const PendingApprovalSchema: GenMessage<PendingApproval>;
/**
 * Where an approval stands.
 *
 * @generated from enum kinpost.v1.ApprovalState
 */
export declare enum ApprovalState {
    /**
     * @generated from enum value: APPROVAL_STATE_UNSPECIFIED = 0;
     */
    UNSPECIFIED = 0,
    /**
     * Waits for a person.
     *
     * @generated from enum value: APPROVAL_STATE_PENDING = 1;
     */
    PENDING = 1,
    /**
     * Allowed; the operation has not been carried out yet.
     *
     * @generated from enum value: APPROVAL_STATE_ALLOWED = 2;
     */
    ALLOWED = 2,
    /**
     * The operation was carried out.
     *
     * @generated from enum value: APPROVAL_STATE_USED = 3;
     */
    USED = 3,
    /**
     * A person refused.
     *
     * @generated from enum value: APPROVAL_STATE_DENIED = 4;
     */
    DENIED = 4,
    /**
     * Nobody answered in time.
     *
     * @generated from enum value: APPROVAL_STATE_EXPIRED = 5;
     */
    EXPIRED = 5,
    /**
     * The asking run ended first.
     *
     * @generated from enum value: APPROVAL_STATE_CANCELLED = 6;
     */
    CANCELLED = 6
}
/**
 * Describes the enum kinpost.v1.ApprovalState.
 */
export declare const ApprovalStateSchema: GenEnum<ApprovalState>;
/**
 * What a person answers.
 *
 * @generated from enum kinpost.v1.ApprovalDecision
 */
export declare enum ApprovalDecision {
    /**
     * @generated from enum value: APPROVAL_DECISION_UNSPECIFIED = 0;
     */
    UNSPECIFIED = 0,
    /**
     * This one operation.
     *
     * @generated from enum value: APPROVAL_DECISION_ALLOW_ONCE = 1;
     */
    ALLOW_ONCE = 1,
    /**
     * The same operation of any asker of the tree.
     *
     * @generated from enum value: APPROVAL_DECISION_ALLOW_FOR_TREE = 2;
     */
    ALLOW_FOR_TREE = 2,
    /**
     * No.
     *
     * @generated from enum value: APPROVAL_DECISION_DENY = 3;
     */
    DENY = 3
}
/**
 * Describes the enum kinpost.v1.ApprovalDecision.
 */
export declare const ApprovalDecisionSchema: GenEnum<ApprovalDecision>;
