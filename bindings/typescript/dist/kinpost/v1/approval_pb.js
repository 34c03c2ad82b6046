// Approvals: what an `ask` rule puts before a person.
import { enumDesc, fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
import { file_google_protobuf_timestamp } from "@bufbuild/protobuf/wkt";
/**
 * Describes the file kinpost/v1/approval.proto.
 */
export const file_kinpost_v1_approval = /*@__PURE__*/ fileDesc("ChlraW5wb3N0L3YxL2FwcHJvdmFsLnByb3RvEgpraW5wb3N0LnYxIuIDCghBcHByb3ZhbBITCgthcHByb3ZhbF9pZBgBIAEoCRISCgpzZXNzaW9uX2lkGAIgASgJEhcKD3Jvb3Rfc2Vzc2lvbl9pZBgDIAEoCRIOCgZydW5faWQYBCABKAkSFAoMdG9vbF9jYWxsX2lkGAUgASgJEhEKCXRvb2xfbmFtZRgGIAEoCRIcChRyZWNpcGllbnRfc2Vzc2lvbl9pZBgHIAEoCRIWCg5hcmd1bWVudHNfanNvbhgIIAEoCRIoCgVzdGF0ZRgJIAEoDjIZLmtpbnBvc3QudjEuQXBwcm92YWxTdGF0ZRIuCghkZWNpc2lvbhgKIAEoDjIcLmtpbnBvc3QudjEuQXBwcm92YWxEZWNpc2lvbhIOCgZyZWFzb24YCyABKAkSLwoLY3JlYXRlX3RpbWUYDCABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wEjQKC2RlY2lkZV90aW1lGA0gASgLMhouZ29vZ2xlLnByb3RvYnVmLlRpbWVzdGFtcEgAiAEBEjQKC2V4cGlyZV90aW1lGA4gASgLMhouZ29vZ2xlLnByb3RvYnVmLlRpbWVzdGFtcEgBiAEBQg4KDF9kZWNpZGVfdGltZUIOCgxfZXhwaXJlX3RpbWUibAoPUGVuZGluZ0FwcHJvdmFsEhMKC2FwcHJvdmFsX2lkGAEgASgJEjQKC2V4cGlyZV90aW1lGAIgASgLMhouZ29vZ2xlLnByb3RvYnVmLlRpbWVzdGFtcEgAiAEBQg4KDF9leHBpcmVfdGltZSrVAQoNQXBwcm92YWxTdGF0ZRIeChpBUFBST1ZBTF9TVEFURV9VTlNQRUNJRklFRBAAEhoKFkFQUFJPVkFMX1NUQVRFX1BFTkRJTkcQARIaChZBUFBST1ZBTF9TVEFURV9BTExPV0VEEAISFwoTQVBQUk9WQUxfU1RBVEVfVVNFRBADEhkKFUFQUFJPVkFMX1NUQVRFX0RFTklFRBAEEhoKFkFQUFJPVkFMX1NUQVRFX0VYUElSRUQQBRIcChhBUFBST1ZBTF9TVEFURV9DQU5DRUxMRUQQBiqZAQoQQXBwcm92YWxEZWNpc2lvbhIhCh1BUFBST1ZBTF9ERUNJU0lPTl9VTlNQRUNJRklFRBAAEiAKHEFQUFJPVkFMX0RFQ0lTSU9OX0FMTE9XX09OQ0UQARIkCiBBUFBST1ZBTF9ERUNJU0lPTl9BTExPV19GT1JfVFJFRRACEhoKFkFQUFJPVkFMX0RFQ0lTSU9OX0RFTlkQA2IGcHJvdG8z", [file_google_protobuf_timestamp]);
/**
 * Describes the message kinpost.v1.Approval.
 * Use `create(ApprovalSchema)` to create a new message.
 */
export const ApprovalSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_approval, 0);
/**
 * Describes the message kinpost.v1.PendingApproval.
 * Use `create(PendingApprovalSchema)` to create a new message.
 */
export const PendingApprovalSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_approval, 1);
/**
 * Where an approval stands.
 *
 * @generated from enum kinpost.v1.ApprovalState
 */
export var ApprovalState;
(function (ApprovalState) {
    /**
     * @generated from enum value: APPROVAL_STATE_UNSPECIFIED = 0;
     */
    ApprovalState[ApprovalState["UNSPECIFIED"] = 0] = "UNSPECIFIED";
    /**
     * Waits for a person.
     *
     * @generated from enum value: APPROVAL_STATE_PENDING = 1;
     */
    ApprovalState[ApprovalState["PENDING"] = 1] = "PENDING";
    /**
     * Allowed; the operation has not been carried out yet.
     *
     * @generated from enum value: APPROVAL_STATE_ALLOWED = 2;
     */
    ApprovalState[ApprovalState["ALLOWED"] = 2] = "ALLOWED";
    /**
     * The operation was carried out.
     *
     * @generated from enum value: APPROVAL_STATE_USED = 3;
     */
    ApprovalState[ApprovalState["USED"] = 3] = "USED";
    /**
     * A person refused.
     *
     * @generated from enum value: APPROVAL_STATE_DENIED = 4;
     */
    ApprovalState[ApprovalState["DENIED"] = 4] = "DENIED";
    /**
     * Nobody answered in time.
     *
     * @generated from enum value: APPROVAL_STATE_EXPIRED = 5;
     */
    ApprovalState[ApprovalState["EXPIRED"] = 5] = "EXPIRED";
    /**
     * The asking run ended first.
     *
     * @generated from enum value: APPROVAL_STATE_CANCELLED = 6;
     */
    ApprovalState[ApprovalState["CANCELLED"] = 6] = "CANCELLED";
})(ApprovalState || (ApprovalState = {}));
/**
 * Describes the enum kinpost.v1.ApprovalState.
 */
export const ApprovalStateSchema = /*@__PURE__*/ enumDesc(file_kinpost_v1_approval, 0);
/**
 * What a person answers.
 *
 * @generated from enum kinpost.v1.ApprovalDecision
 */
export var ApprovalDecision;
(function (ApprovalDecision) {
    /**
     * @generated from enum value: APPROVAL_DECISION_UNSPECIFIED = 0;
     */
    ApprovalDecision[ApprovalDecision["UNSPECIFIED"] = 0] = "UNSPECIFIED";
    /**
     * This one operation.
     *
     * @generated from enum value: APPROVAL_DECISION_ALLOW_ONCE = 1;
     */
    ApprovalDecision[ApprovalDecision["ALLOW_ONCE"] = 1] = "ALLOW_ONCE";
    /**
     * The same operation of any asker of the tree.
     *
     * @generated from enum value: APPROVAL_DECISION_ALLOW_FOR_TREE = 2;
     */
    ApprovalDecision[ApprovalDecision["ALLOW_FOR_TREE"] = 2] = "ALLOW_FOR_TREE";
    /**
     * No.
     *
     * @generated from enum value: APPROVAL_DECISION_DENY = 3;
     */
    ApprovalDecision[ApprovalDecision["DENY"] = 3] = "DENY";
})(ApprovalDecision || (ApprovalDecision = {}));
/**
 * Describes the enum kinpost.v1.ApprovalDecision.
 */
export const ApprovalDecisionSchema = /*@__PURE__*/ enumDesc(file_kinpost_v1_approval, 1);
