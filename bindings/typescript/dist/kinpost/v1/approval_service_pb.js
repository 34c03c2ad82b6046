// The service for approvals.
import { fileDesc, messageDesc, serviceDesc } from "@bufbuild/protobuf/codegenv2";
import { file_kinpost_v1_approval } from "./approval_pb.js";
/**
 * Describes the file kinpost/v1/approval_service.proto.
 */
export const file_kinpost_v1_approval_service = /*@__PURE__*/ fileDesc("CiFraW5wb3N0L3YxL2FwcHJvdmFsX3NlcnZpY2UucHJvdG8SCmtpbnBvc3QudjEigQEKFExpc3RBcHByb3ZhbHNSZXF1ZXN0EhcKD3Jvb3Rfc2Vzc2lvbl9pZBgBIAEoCRIpCgZzdGF0ZXMYAiADKA4yGS5raW5wb3N0LnYxLkFwcHJvdmFsU3RhdGUSEQoJcGFnZV9zaXplGAMgASgNEhIKCnBhZ2VfdG9rZW4YBCABKAkiWQoVTGlzdEFwcHJvdmFsc1Jlc3BvbnNlEicKCWFwcHJvdmFscxgBIAMoCzIULmtpbnBvc3QudjEuQXBwcm92YWwSFwoPbmV4dF9wYWdlX3Rva2VuGAIgASgJIj0KEkdldEFwcHJvdmFsUmVxdWVzdBISCgpzZXNzaW9uX2lkGAEgASgJEhMKC2FwcHJvdmFsX2lkGAIgASgJIj0KE0dldEFwcHJvdmFsUmVzcG9uc2USJgoIYXBwcm92YWwYASABKAsyFC5raW5wb3N0LnYxLkFwcHJvdmFsIoABChVEZWNpZGVBcHByb3ZhbFJlcXVlc3QSEgoKc2Vzc2lvbl9pZBgBIAEoCRITCgthcHByb3ZhbF9pZBgCIAEoCRIuCghkZWNpc2lvbhgDIAEoDjIcLmtpbnBvc3QudjEuQXBwcm92YWxEZWNpc2lvbhIOCgZyZWFzb24YBCABKAkiQAoWRGVjaWRlQXBwcm92YWxSZXNwb25zZRImCghhcHByb3ZhbBgBIAEoCzIULmtpbnBvc3QudjEuQXBwcm92YWwykAIKD0FwcHJvdmFsU2VydmljZRJUCg1MaXN0QXBwcm92YWxzEiAua2lucG9zdC52MS5MaXN0QXBwcm92YWxzUmVxdWVzdBohLmtpbnBvc3QudjEuTGlzdEFwcHJvdmFsc1Jlc3BvbnNlEk4KC0dldEFwcHJvdmFsEh4ua2lucG9zdC52MS5HZXRBcHByb3ZhbFJlcXVlc3QaHy5raW5wb3N0LnYxLkdldEFwcHJvdmFsUmVzcG9uc2USVwoORGVjaWRlQXBwcm92YWwSIS5raW5wb3N0LnYxLkRlY2lkZUFwcHJvdmFsUmVxdWVzdBoiLmtpbnBvc3QudjEuRGVjaWRlQXBwcm92YWxSZXNwb25zZWIGcHJvdG8z", [file_kinpost_v1_approval]);
/**
 * Describes the message kinpost.v1.ListApprovalsRequest.
 * Use `create(ListApprovalsRequestSchema)` to create a new message.
 */
export const ListApprovalsRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_approval_service, 0);
/**
 * Describes the message kinpost.v1.ListApprovalsResponse.
 * Use `create(ListApprovalsResponseSchema)` to create a new message.
 */
export const ListApprovalsResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_approval_service, 1);
/**
 * Describes the message kinpost.v1.GetApprovalRequest.
 * Use `create(GetApprovalRequestSchema)` to create a new message.
 */
export const GetApprovalRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_approval_service, 2);
/**
 * Describes the message kinpost.v1.GetApprovalResponse.
 * Use `create(GetApprovalResponseSchema)` to create a new message.
 */
export const GetApprovalResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_approval_service, 3);
/**
 * Describes the message kinpost.v1.DecideApprovalRequest.
 * Use `create(DecideApprovalRequestSchema)` to create a new message.
 */
export const DecideApprovalRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_approval_service, 4);
/**
 * Describes the message kinpost.v1.DecideApprovalResponse.
 * Use `create(DecideApprovalResponseSchema)` to create a new message.
 */
export const DecideApprovalResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_approval_service, 5);
/**
 * What `ask` rules put before a person.
 *
 * @generated from service kinpost.v1.ApprovalService
 */
export const ApprovalService = /*@__PURE__*/ serviceDesc(file_kinpost_v1_approval_service, 0);
