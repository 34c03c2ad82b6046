// The service for runtimes: runs, claims and wakes.
import { enumDesc, fileDesc, messageDesc, serviceDesc } from "@bufbuild/protobuf/codegenv2";
import { file_google_protobuf_duration, file_google_protobuf_timestamp } from "@bufbuild/protobuf/wkt";
import { file_kinpost_v1_run } from "./run_pb.js";
import { file_kinpost_v1_session } from "./session_pb.js";
/**
 * Describes the file kinpost/v1/run_service.proto.
 */
export const file_kinpost_v1_run_service = /*@__PURE__*/ fileDesc("ChxraW5wb3N0L3YxL3J1bl9zZXJ2aWNlLnByb3RvEgpraW5wb3N0LnYxIq8BChRBdHRhY2hSdW50aW1lUmVxdWVzdBISCgpydW50aW1lX2lkGAEgASgJEg4KBmFnZW50cxgCIAMoCRIvCg1zZXNzaW9uX3Njb3BlGAMgASgOMhgua2lucG9zdC52MS5TZXNzaW9uU2NvcGUSFQoNcnVuX3Nsb3RzX21heBgEIAEoDRIrCgloZWxkX3J1bnMYBSADKAsyGC5raW5wb3N0LnYxLlJ1blJlZmVyZW5jZSKWAgoVQXR0YWNoUnVudGltZVJlc3BvbnNlEi8KCGF0dGFjaGVkGAEgASgLMhsua2lucG9zdC52MS5SdW50aW1lQXR0YWNoZWRIABIrCgp3YWtlX29mZmVyGAIgASgLMhUua2lucG9zdC52MS5XYWtlT2ZmZXJIABI4Cg53YWtlX3dpdGhkcmF3bhgDIAEoCzIeLmtpbnBvc3QudjEuV2FrZU9mZmVyV2l0aGRyYXduSAASJwoIcnVuX3N0b3AYBCABKAsyEy5raW5wb3N0LnYxLlJ1blN0b3BIABIxCgloZWFydGJlYXQYBSABKAsyHC5raW5wb3N0LnYxLlJ1bnRpbWVIZWFydGJlYXRIAEIJCgdtZXNzYWdlIqEBCg9SdW50aW1lQXR0YWNoZWQSNQoSaGVhcnRiZWF0X2ludGVydmFsGAEgASgLMhkuZ29vZ2xlLnByb3RvYnVmLkR1cmF0aW9uEiwKCXJ1bl9sZWFzZRgCIAEoCzIZLmdvb2dsZS5wcm90b2J1Zi5EdXJhdGlvbhIpCgxzdG9wcGVkX3J1bnMYAyADKAsyEy5raW5wb3N0LnYxLlJ1blN0b3AitgEKCVdha2VPZmZlchIPCgd3YWtlX2lkGAEgASgJEhIKCnNlc3Npb25faWQYAiABKAkSFwoPcm9vdF9zZXNzaW9uX2lkGAMgASgJEg0KBWFnZW50GAQgASgJEhQKDG9mZmVyX251bWJlchgFIAEoDRIvCgtleHBpcmVfdGltZRgGIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXASFQoNcGVuZGluZ19jb3VudBgHIAEoDSJlChJXYWtlT2ZmZXJXaXRoZHJhd24SDwoHd2FrZV9pZBgBIAEoCRISCgpzZXNzaW9uX2lkGAIgASgJEioKBnJlYXNvbhgDIAEoDjIaLmtpbnBvc3QudjEuV2l0aGRyYXdSZWFzb24iVQoHUnVuU3RvcBISCgpzZXNzaW9uX2lkGAEgASgJEg4KBnJ1bl9pZBgCIAEoCRImCgZyZWFzb24YAyABKA4yFi5raW5wb3N0LnYxLlN0b3BSZWFzb24iEgoQUnVudGltZUhlYXJ0YmVhdCJOChBIZWFydGJlYXRSZXF1ZXN0EhIKCnJ1bnRpbWVfaWQYASABKAkSJgoEcnVucxgCIAMoCzIYLmtpbnBvc3QudjEuUnVuUmVmZXJlbmNlIoABCghSdW5MZWFzZRISCgpzZXNzaW9uX2lkGAEgASgJEg4KBnJ1bl9pZBgCIAEoCRIjCgVzdGF0ZRgDIAEoDjIULmtpbnBvc3QudjEuUnVuU3RhdGUSKwoLc3RvcF9yZWFzb24YBCABKA4yFi5raW5wb3N0LnYxLlN0b3BSZWFzb24ibgoRSGVhcnRiZWF0UmVzcG9uc2USIgoEcnVucxgBIAMoCzIULmtpbnBvc3QudjEuUnVuTGVhc2USNQoRbGVhc2VfZXhwaXJlX3RpbWUYAiABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wIo4BChJEZWNsaW5lV2FrZVJlcXVlc3QSEgoKc2Vzc2lvbl9pZBgBIAEoCRIPCgd3YWtlX2lkGAIgASgJEg4KBnJlYXNvbhgDIAEoCRIzCgtyZXRyeV9hZnRlchgEIAEoCzIZLmdvb2dsZS5wcm90b2J1Zi5EdXJhdGlvbkgAiAEBQg4KDF9yZXRyeV9hZnRlciIVChNEZWNsaW5lV2FrZVJlc3BvbnNlIpgBCg9TdGFydFJ1blJlcXVlc3QSEgoKc2Vzc2lvbl9pZBgBIAEoCRIRCgd3YWtlX2lkGAIgASgJSAASFwoNY2xpZW50X3J1bl9pZBgDIAEoCUgAEhIKCmF0dGVtcHRfaWQYBCABKAkSEgoKcnVudGltZV9pZBgFIAEoCRIRCglieXRlc19tYXgYBiABKA1CCgoIaWRlbnRpdHkiYQoQU3RhcnRSdW5SZXNwb25zZRIcCgNydW4YASABKAsyDy5raW5wb3N0LnYxLlJ1bhIlCgVjbGFpbRgCIAEoCzIRLmtpbnBvc3QudjEuQ2xhaW1IAIgBAUIICgZfY2xhaW0ilQEKFENsYWltTWVzc2FnZXNSZXF1ZXN0EhIKCnNlc3Npb25faWQYASABKAkSDgoGcnVuX2lkGAIgASgJEhIKCmF0dGVtcHRfaWQYAyABKAkSHQoQY29tbWl0X2NsYWltX3NlcRgEIAEoA0gAiAEBEhEKCWJ5dGVzX21heBgFIAEoDUITChFfY29tbWl0X2NsYWltX3NlcSJmChVDbGFpbU1lc3NhZ2VzUmVzcG9uc2USIAoFY2xhaW0YASABKAsyES5raW5wb3N0LnYxLkNsYWltEisKC3N0b3BfcmVhc29uGAIgASgOMhYua2lucG9zdC52MS5TdG9wUmVhc29uIkoKEUNvbW1pdFR1cm5SZXF1ZXN0EhIKCnNlc3Npb25faWQYASABKAkSDgoGcnVuX2lkGAIgASgJEhEKCWNsYWltX3NlcRgDIAEoAyIyChJDb21taXRUdXJuUmVzcG9uc2USHAoUY29uc3VtZWRfbWVzc2FnZV9pZHMYASADKAkiXAoTUmVsZWFzZUNsYWltUmVxdWVzdBISCgpzZXNzaW9uX2lkGAEgASgJEg4KBnJ1bl9pZBgCIAEoCRIRCgljbGFpbV9zZXEYAyABKAMSDgoGcmVhc29uGAQgASgJIhYKFFJlbGVhc2VDbGFpbVJlc3BvbnNlItEBChBGaW5pc2hSdW5SZXF1ZXN0EhIKCnNlc3Npb25faWQYASABKAkSDgoGcnVuX2lkGAIgASgJEiUKB291dGNvbWUYAyABKA4yFC5raW5wb3N0LnYxLlJ1blN0YXRlEg4KBnJlYXNvbhgEIAEoCRIRCglieV9wZXJzb24YBSABKAgSHQoQY29tbWl0X2NsYWltX3NlcRgGIAEoA0gAiAEBEhsKE2NvbnRpbnVlX2F0dGVtcHRfaWQYByABKAlCEwoRX2NvbW1pdF9jbGFpbV9zZXEiYQoRRmluaXNoUnVuUmVzcG9uc2USHgoDcnVuGAEgASgLMg8ua2lucG9zdC52MS5SdW5IABIiCgVjbGFpbRgCIAEoCzIRLmtpbnBvc3QudjEuQ2xhaW1IAEIICgZyZXN1bHQiWQoQQ2FuY2VsUnVuUmVxdWVzdBISCgpzZXNzaW9uX2lkGAEgASgJEg4KBnJ1bl9pZBgCIAEoCRIOCgZyZWFzb24YAyABKAkSEQoJYnlfcGVyc29uGAQgASgIIlcKEUNhbmNlbFJ1blJlc3BvbnNlEhwKA3J1bhgBIAEoCzIPLmtpbnBvc3QudjEuUnVuEiQKB3Nlc3Npb24YAiABKAsyEy5raW5wb3N0LnYxLlNlc3Npb24qWwoMU2Vzc2lvblNjb3BlEh0KGVNFU1NJT05fU0NPUEVfVU5TUEVDSUZJRUQQABIVChFTRVNTSU9OX1NDT1BFX09XThABEhUKEVNFU1NJT05fU0NPUEVfQU5ZEAIqiAEKDldpdGhkcmF3UmVhc29uEh8KG1dJVEhEUkFXX1JFQVNPTl9VTlNQRUNJRklFRBAAEhsKF1dJVEhEUkFXX1JFQVNPTl9TRVRUTEVEEAESGwoXV0lUSERSQVdfUkVBU09OX05PVF9EVUUQAhIbChdXSVRIRFJBV19SRUFTT05fRVhQSVJFRBADMs8FCgpSdW5TZXJ2aWNlElYKDUF0dGFjaFJ1bnRpbWUSIC5raW5wb3N0LnYxLkF0dGFjaFJ1bnRpbWVSZXF1ZXN0GiEua2lucG9zdC52MS5BdHRhY2hSdW50aW1lUmVzcG9uc2UwARJICglIZWFydGJlYXQSHC5raW5wb3N0LnYxLkhlYXJ0YmVhdFJlcXVlc3QaHS5raW5wb3N0LnYxLkhlYXJ0YmVhdFJlc3BvbnNlEk4KC0RlY2xpbmVXYWtlEh4ua2lucG9zdC52MS5EZWNsaW5lV2FrZVJlcXVlc3QaHy5raW5wb3N0LnYxLkRlY2xpbmVXYWtlUmVzcG9uc2USRQoIU3RhcnRSdW4SGy5raW5wb3N0LnYxLlN0YXJ0UnVuUmVxdWVzdBocLmtpbnBvc3QudjEuU3RhcnRSdW5SZXNwb25zZRJUCg1DbGFpbU1lc3NhZ2VzEiAua2lucG9zdC52MS5DbGFpbU1lc3NhZ2VzUmVxdWVzdBohLmtpbnBvc3QudjEuQ2xhaW1NZXNzYWdlc1Jlc3BvbnNlEksKCkNvbW1pdFR1cm4SHS5raW5wb3N0LnYxLkNvbW1pdFR1cm5SZXF1ZXN0Gh4ua2lucG9zdC52MS5Db21taXRUdXJuUmVzcG9uc2USUQoMUmVsZWFzZUNsYWltEh8ua2lucG9zdC52MS5SZWxlYXNlQ2xhaW1SZXF1ZXN0GiAua2lucG9zdC52MS5SZWxlYXNlQ2xhaW1SZXNwb25zZRJICglGaW5pc2hSdW4SHC5raW5wb3N0LnYxLkZpbmlzaFJ1blJlcXVlc3QaHS5raW5wb3N0LnYxLkZpbmlzaFJ1blJlc3BvbnNlEkgKCUNhbmNlbFJ1bhIcLmtpbnBvc3QudjEuQ2FuY2VsUnVuUmVxdWVzdBodLmtpbnBvc3QudjEuQ2FuY2VsUnVuUmVzcG9uc2ViBnByb3RvMw", [file_google_protobuf_duration, file_google_protobuf_timestamp, file_kinpost_v1_run, file_kinpost_v1_session]);
/**
 * Describes the message kinpost.v1.AttachRuntimeRequest.
 * Use `create(AttachRuntimeRequestSchema)` to create a new message.
 */
export const AttachRuntimeRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_run_service, 0);
/**
 * Describes the message kinpost.v1.AttachRuntimeResponse.
 * Use `create(AttachRuntimeResponseSchema)` to create a new message.
 */
export const AttachRuntimeResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_run_service, 1);
/**
 * Describes the message kinpost.v1.RuntimeAttached.
 * Use `create(RuntimeAttachedSchema)` to create a new message.
 */
export const RuntimeAttachedSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_run_service, 2);
/**
 * Describes the message kinpost.v1.WakeOffer.
 * Use `create(WakeOfferSchema)` to create a new message.
 */
export const WakeOfferSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_run_service, 3);
/**
 * Describes the message kinpost.v1.WakeOfferWithdrawn.
 * Use `create(WakeOfferWithdrawnSchema)` to create a new message.
 */
export const WakeOfferWithdrawnSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_run_service, 4);
/**
 * Describes the message kinpost.v1.RunStop.
 * Use `create(RunStopSchema)` to create a new message.
 */
export const RunStopSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_run_service, 5);
/**
 * Describes the message kinpost.v1.RuntimeHeartbeat.
 * Use `create(RuntimeHeartbeatSchema)` to create a new message.
 */
export const RuntimeHeartbeatSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_run_service, 6);
/**
 * Describes the message kinpost.v1.HeartbeatRequest.
 * Use `create(HeartbeatRequestSchema)` to create a new message.
 */
export const HeartbeatRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_run_service, 7);
/**
 * Describes the message kinpost.v1.RunLease.
 * Use `create(RunLeaseSchema)` to create a new message.
 */
export const RunLeaseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_run_service, 8);
/**
 * Describes the message kinpost.v1.HeartbeatResponse.
 * Use `create(HeartbeatResponseSchema)` to create a new message.
 */
export const HeartbeatResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_run_service, 9);
/**
 * Describes the message kinpost.v1.DeclineWakeRequest.
 * Use `create(DeclineWakeRequestSchema)` to create a new message.
 */
export const DeclineWakeRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_run_service, 10);
/**
 * Describes the message kinpost.v1.DeclineWakeResponse.
 * Use `create(DeclineWakeResponseSchema)` to create a new message.
 */
export const DeclineWakeResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_run_service, 11);
/**
 * Describes the message kinpost.v1.StartRunRequest.
 * Use `create(StartRunRequestSchema)` to create a new message.
 */
export const StartRunRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_run_service, 12);
/**
 * Describes the message kinpost.v1.StartRunResponse.
 * Use `create(StartRunResponseSchema)` to create a new message.
 */
export const StartRunResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_run_service, 13);
/**
 * Describes the message kinpost.v1.ClaimMessagesRequest.
 * Use `create(ClaimMessagesRequestSchema)` to create a new message.
 */
export const ClaimMessagesRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_run_service, 14);
/**
 * Describes the message kinpost.v1.ClaimMessagesResponse.
 * Use `create(ClaimMessagesResponseSchema)` to create a new message.
 */
export const ClaimMessagesResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_run_service, 15);
/**
 * Describes the message kinpost.v1.CommitTurnRequest.
 * Use `create(CommitTurnRequestSchema)` to create a new message.
 */
export const CommitTurnRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_run_service, 16);
/**
 * Describes the message kinpost.v1.CommitTurnResponse.
 * Use `create(CommitTurnResponseSchema)` to create a new message.
 */
export const CommitTurnResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_run_service, 17);
/**
 * Describes the message kinpost.v1.ReleaseClaimRequest.
 * Use `create(ReleaseClaimRequestSchema)` to create a new message.
 */
export const ReleaseClaimRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_run_service, 18);
/**
 * Describes the message kinpost.v1.ReleaseClaimResponse.
 * Use `create(ReleaseClaimResponseSchema)` to create a new message.
 */
export const ReleaseClaimResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_run_service, 19);
/**
 * Describes the message kinpost.v1.FinishRunRequest.
 * Use `create(FinishRunRequestSchema)` to create a new message.
 */
export const FinishRunRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_run_service, 20);
/**
 * Describes the message kinpost.v1.FinishRunResponse.
 * Use `create(FinishRunResponseSchema)` to create a new message.
 */
export const FinishRunResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_run_service, 21);
/**
 * Describes the message kinpost.v1.CancelRunRequest.
 * Use `create(CancelRunRequestSchema)` to create a new message.
 */
export const CancelRunRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_run_service, 22);
/**
 * Describes the message kinpost.v1.CancelRunResponse.
 * Use `create(CancelRunResponseSchema)` to create a new message.
 */
export const CancelRunResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_run_service, 23);
/**
 * Which sessions a runtime is offered.
 *
 * @generated from enum kinpost.v1.SessionScope
 */
export var SessionScope;
(function (SessionScope) {
    /**
     * @generated from enum value: SESSION_SCOPE_UNSPECIFIED = 0;
     */
    SessionScope[SessionScope["UNSPECIFIED"] = 0] = "UNSPECIFIED";
    /**
     * The sessions it hosts.
     *
     * @generated from enum value: SESSION_SCOPE_OWN = 1;
     */
    SessionScope[SessionScope["OWN"] = 1] = "OWN";
    /**
     * Also any session of its agents.
     *
     * @generated from enum value: SESSION_SCOPE_ANY = 2;
     */
    SessionScope[SessionScope["ANY"] = 2] = "ANY";
})(SessionScope || (SessionScope = {}));
/**
 * Describes the enum kinpost.v1.SessionScope.
 */
export const SessionScopeSchema = /*@__PURE__*/ enumDesc(file_kinpost_v1_run_service, 0);
/**
 * Why an offer was withdrawn.
 *
 * @generated from enum kinpost.v1.WithdrawReason
 */
export var WithdrawReason;
(function (WithdrawReason) {
    /**
     * @generated from enum value: WITHDRAW_REASON_UNSPECIFIED = 0;
     */
    WithdrawReason[WithdrawReason["UNSPECIFIED"] = 0] = "UNSPECIFIED";
    /**
     * Another run started first.
     *
     * @generated from enum value: WITHDRAW_REASON_SETTLED = 1;
     */
    WithdrawReason[WithdrawReason["SETTLED"] = 1] = "SETTLED";
    /**
     * No mail waits any more, or the session may not wake.
     *
     * @generated from enum value: WITHDRAW_REASON_NOT_DUE = 2;
     */
    WithdrawReason[WithdrawReason["NOT_DUE"] = 2] = "NOT_DUE";
    /**
     * The offer lapsed.
     *
     * @generated from enum value: WITHDRAW_REASON_EXPIRED = 3;
     */
    WithdrawReason[WithdrawReason["EXPIRED"] = 3] = "EXPIRED";
})(WithdrawReason || (WithdrawReason = {}));
/**
 * Describes the enum kinpost.v1.WithdrawReason.
 */
export const WithdrawReasonSchema = /*@__PURE__*/ enumDesc(file_kinpost_v1_run_service, 1);
/**
 * Runs, claims and wakes. One call a turn: StartRun claims; ClaimMessages and FinishRun carry the commit of the
 * previous claim.
 *
 * @generated from service kinpost.v1.RunService
 */
export const RunService = /*@__PURE__*/ serviceDesc(file_kinpost_v1_run_service, 0);
