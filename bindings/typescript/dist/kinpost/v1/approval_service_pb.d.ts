import type { GenFile, GenMessage, GenService } from "@bufbuild/protobuf/codegenv2";
import type { Approval, ApprovalDecision, ApprovalState } from "./approval_pb.js";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file kinpost/v1/approval_service.proto.
 */
export declare const file_kinpost_v1_approval_service: GenFile;
/**
 * See ApprovalService.ListApprovals.
 *
 * @generated from message kinpost.v1.ListApprovalsRequest
 */
export type ListApprovalsRequest = Message<"kinpost.v1.ListApprovalsRequest"> & {
    /**
     * The tree.
     *
     * @generated from field: string root_session_id = 1;
     */
    rootSessionId: string;
    /**
     * Only these states; empty for all.
     *
     * @generated from field: repeated kinpost.v1.ApprovalState states = 2;
     */
    states: ApprovalState[];
    /**
     * 1 to 1000; 0 means 100.
     *
     * @generated from field: uint32 page_size = 3;
     */
    pageSize: number;
    /**
     * From the last answer.
     *
     * @generated from field: string page_token = 4;
     */
    pageToken: string;
};
/**
 * Describes the message kinpost.v1.ListApprovalsRequest.
 * Use `create(ListApprovalsRequestSchema)` to create a new message.
 */
export declare const ListApprovalsRequestSchema: GenMessage<ListApprovalsRequest>;
/**
 * See ApprovalService.ListApprovals.
 *
 * @generated from message kinpost.v1.ListApprovalsResponse
 */
export type ListApprovalsResponse = Message<"kinpost.v1.ListApprovalsResponse"> & {
    /**
     * Newest first.
     *
     * @generated from field: repeated kinpost.v1.Approval approvals = 1;
     */
    approvals: Approval[];
    /**
     * Empty at the end.
     *
     * @generated from field: string next_page_token = 2;
     */
    nextPageToken: string;
};
/**
 * Describes the message kinpost.v1.ListApprovalsResponse.
 * Use `create(ListApprovalsResponseSchema)` to create a new message.
 */
export declare const ListApprovalsResponseSchema: GenMessage<ListApprovalsResponse>;
/**
 * See ApprovalService.GetApproval.
 *
 * @generated from message kinpost.v1.GetApprovalRequest
 */
export type GetApprovalRequest = Message<"kinpost.v1.GetApprovalRequest"> & {
    /**
     * The asking session.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
    /**
     * The approval.
     *
     * @generated from field: string approval_id = 2;
     */
    approvalId: string;
};
/**
 * Describes the message kinpost.v1.GetApprovalRequest.
 * Use `create(GetApprovalRequestSchema)` to create a new message.
 */
export declare const GetApprovalRequestSchema: GenMessage<GetApprovalRequest>;
/**
 * See ApprovalService.GetApproval.
 *
 * @generated from message kinpost.v1.GetApprovalResponse
 */
export type GetApprovalResponse = Message<"kinpost.v1.GetApprovalResponse"> & {
    /**
     * The approval.
     *
     * @generated from field: kinpost.v1.Approval approval = 1;
     */
    approval?: Approval | undefined;
};
/**
 * Describes the message kinpost.v1.GetApprovalResponse.
 * Use `create(GetApprovalResponseSchema)` to create a new message.
 */
export declare const GetApprovalResponseSchema: GenMessage<GetApprovalResponse>;
/**
 * See ApprovalService.DecideApproval.
 *
 * @generated from message kinpost.v1.DecideApprovalRequest
 */
export type DecideApprovalRequest = Message<"kinpost.v1.DecideApprovalRequest"> & {
    /**
     * The asking session.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
    /**
     * The approval.
     *
     * @generated from field: string approval_id = 2;
     */
    approvalId: string;
    /**
     * The answer.
     *
     * @generated from field: kinpost.v1.ApprovalDecision decision = 3;
     */
    decision: ApprovalDecision;
    /**
     * For the asking agent and for people, at most 1024 bytes.
     *
     * @generated from field: string reason = 4;
     */
    reason: string;
};
/**
 * Describes the message kinpost.v1.DecideApprovalRequest.
 * Use `create(DecideApprovalRequestSchema)` to create a new message.
 */
export declare const DecideApprovalRequestSchema: GenMessage<DecideApprovalRequest>;
/**
 * See ApprovalService.DecideApproval.
 *
 * @generated from message kinpost.v1.DecideApprovalResponse
 */
export type DecideApprovalResponse = Message<"kinpost.v1.DecideApprovalResponse"> & {
    /**
     * The approval as it stands now.
     *
     * @generated from field: kinpost.v1.Approval approval = 1;
     */
    approval?: Approval | undefined;
};
/**
 * Describes the message kinpost.v1.DecideApprovalResponse.
 * Use `create(DecideApprovalResponseSchema)` to create a new message.
 */
export declare const DecideApprovalResponseSchema: GenMessage<DecideApprovalResponse>;
/**
 * What `ask` rules put before a person.
 *
 * @generated from service kinpost.v1.ApprovalService
 */
export declare const ApprovalService: GenService<{
    /**
     * Lists a tree's approvals, from any depth, newest first.
     *
     * Errors: request:invalid; session:not_found; auth:forbidden.
     *
     * @generated from rpc kinpost.v1.ApprovalService.ListApprovals
     */
    listApprovals: {
        methodKind: "unary";
        input: typeof ListApprovalsRequestSchema;
        output: typeof ListApprovalsResponseSchema;
    };
    /**
     * Returns one approval.
     *
     * Errors: request:invalid; session:not_found; approval:not_found.
     *
     * @generated from rpc kinpost.v1.ApprovalService.GetApproval
     */
    getApproval: {
        methodKind: "unary";
        input: typeof GetApprovalRequestSchema;
        output: typeof GetApprovalResponseSchema;
    };
    /**
     * Decides an approval; an allow is carried out in the same step. Applied once however often it is sent. An allow for
     * the tree also decides whatever waits for the same operation in the tree: the same tool with arguments of the same
     * names, to the same recipient.
     *
     * Errors: request:invalid; approval:not_found; auth:forbidden; idempotency:conflict (decided otherwise before);
     * approval:expired; approval:cancelled.
     *
     * @generated from rpc kinpost.v1.ApprovalService.DecideApproval
     */
    decideApproval: {
        methodKind: "unary";
        input: typeof DecideApprovalRequestSchema;
        output: typeof DecideApprovalResponseSchema;
    };
}>;
