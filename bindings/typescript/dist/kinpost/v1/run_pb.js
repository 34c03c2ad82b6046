// Runs and claims: one stretch of work of a session, and the mail of its model requests.
import { enumDesc, fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
import { file_google_protobuf_duration, file_google_protobuf_timestamp } from "@bufbuild/protobuf/wkt";
import { file_kinpost_v1_message } from "./message_pb.js";
/**
 * Describes the file kinpost/v1/run.proto.
 */
export const file_kinpost_v1_run = /*@__PURE__*/ fileDesc("ChRraW5wb3N0L3YxL3J1bi5wcm90bxIKa2lucG9zdC52MSLsAwoDUnVuEg4KBnJ1bl9pZBgBIAEoCRISCgpzZXNzaW9uX2lkGAIgASgJEhcKD3Jvb3Rfc2Vzc2lvbl9pZBgDIAEoCRIOCgZudW1iZXIYBCABKA0SIwoFc3RhdGUYBSABKA4yFC5raW5wb3N0LnYxLlJ1blN0YXRlEhQKB3dha2VfaWQYBiABKAlIAIgBARIaCg1jbGllbnRfcnVuX2lkGAcgASgJSAGIAQESFwoKcnVudGltZV9pZBgIIAEoCUgCiAEBEi4KCnN0YXJ0X3RpbWUYCSABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wEjEKCGVuZF90aW1lGAogASgLMhouZ29vZ2xlLnByb3RvYnVmLlRpbWVzdGFtcEgDiAEBEjoKEWxlYXNlX2V4cGlyZV90aW1lGAsgASgLMhouZ29vZ2xlLnByb3RvYnVmLlRpbWVzdGFtcEgEiAEBEg4KBnJlYXNvbhgMIAEoCRIRCglieV9wZXJzb24YDSABKAgSFgoOY29uc3VtZWRfY291bnQYDiABKA1CCgoIX3dha2VfaWRCEAoOX2NsaWVudF9ydW5faWRCDQoLX3J1bnRpbWVfaWRCCwoJX2VuZF90aW1lQhQKEl9sZWFzZV9leHBpcmVfdGltZSLcAgoOQ2xhaW1lZE1lc3NhZ2USEgoKbWVzc2FnZV9pZBgBIAEoCRIoCgVvd25lchgCIAEoDjIZLmtpbnBvc3QudjEuUHJvZHVjZXJPd25lchIlCgRtb2RlGAMgASgOMhcua2lucG9zdC52MS5NZXNzYWdlTW9kZRIWCglhZ2VudF9ob3AYBCABKA1IAIgBARIvCgthY2NlcHRfdGltZRgFIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXASJgoDYWdlGAYgASgLMhkuZ29vZ2xlLnByb3RvYnVmLkR1cmF0aW9uEhYKDmRlbGl2ZXJ5X2NvdW50GAcgASgNEikKBnNlbmRlchgIIAEoCzIZLmtpbnBvc3QudjEuTWVzc2FnZVNlbmRlchIMCgRib2R5GAkgASgJEhUKDXJlbmRlcmVkX3RleHQYCiABKAlCDAoKX2FnZW50X2hvcCJyCgVDbGFpbRIRCgljbGFpbV9zZXEYASABKAMSLAoIbWVzc2FnZXMYAiADKAsyGi5raW5wb3N0LnYxLkNsYWltZWRNZXNzYWdlEhQKDG1vcmVfcGVuZGluZxgDIAEoCBISCgphdHRlbXB0X2lkGAQgASgJIjIKDFJ1blJlZmVyZW5jZRISCgpzZXNzaW9uX2lkGAEgASgJEg4KBnJ1bl9pZBgCIAEoCSqeAQoIUnVuU3RhdGUSGQoVUlVOX1NUQVRFX1VOU1BFQ0lGSUVEEAASFAoQUlVOX1NUQVRFX0FDVElWRRABEhcKE1JVTl9TVEFURV9DT01QTEVURUQQAhIUChBSVU5fU1RBVEVfRkFJTEVEEAMSGQoVUlVOX1NUQVRFX0lOVEVSUlVQVEVEEAQSFwoTUlVOX1NUQVRFX0NBTkNFTExFRBAFKpMBCgpTdG9wUmVhc29uEhsKF1NUT1BfUkVBU09OX1VOU1BFQ0lGSUVEEAASGQoVU1RPUF9SRUFTT05fQ0FOQ0VMTEVEEAESGgoWU1RPUF9SRUFTT05fTEVBU0VfTE9TVBACEhgKFFNUT1BfUkVBU09OX05PVF9PUEVOEAMSFwoTU1RPUF9SRUFTT05fREVMRVRFRBAEKqYBCg1SZWxlYXNlUmVhc29uEh4KGlJFTEVBU0VfUkVBU09OX1VOU1BFQ0lGSUVEEAASGgoWUkVMRUFTRV9SRUFTT05fUlVOVElNRRABEhwKGFJFTEVBU0VfUkVBU09OX09WRVJUQUtFThACEhwKGFJFTEVBU0VfUkVBU09OX1JVTl9FTkRFRBADEh0KGVJFTEVBU0VfUkVBU09OX0xFQVNFX0xPU1QQBGIGcHJvdG8z", [file_google_protobuf_duration, file_google_protobuf_timestamp, file_kinpost_v1_message]);
/**
 * Describes the message kinpost.v1.Run.
 * Use `create(RunSchema)` to create a new message.
 */
export const RunSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_run, 0);
/**
 * Describes the message kinpost.v1.ClaimedMessage.
 * Use `create(ClaimedMessageSchema)` to create a new message.
 */
export const ClaimedMessageSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_run, 1);
/**
 * Describes the message kinpost.v1.Claim.
 * Use `create(ClaimSchema)` to create a new message.
 */
export const ClaimSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_run, 2);
/**
 * Describes the message kinpost.v1.RunReference.
 * Use `create(RunReferenceSchema)` to create a new message.
 */
export const RunReferenceSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_run, 3);
/**
 * Where a run stands. All but ACTIVE are outcomes.
 *
 * @generated from enum kinpost.v1.RunState
 */
export var RunState;
(function (RunState) {
    /**
     * @generated from enum value: RUN_STATE_UNSPECIFIED = 0;
     */
    RunState[RunState["UNSPECIFIED"] = 0] = "UNSPECIFIED";
    /**
     * @generated from enum value: RUN_STATE_ACTIVE = 1;
     */
    RunState[RunState["ACTIVE"] = 1] = "ACTIVE";
    /**
     * @generated from enum value: RUN_STATE_COMPLETED = 2;
     */
    RunState[RunState["COMPLETED"] = 2] = "COMPLETED";
    /**
     * @generated from enum value: RUN_STATE_FAILED = 3;
     */
    RunState[RunState["FAILED"] = 3] = "FAILED";
    /**
     * @generated from enum value: RUN_STATE_INTERRUPTED = 4;
     */
    RunState[RunState["INTERRUPTED"] = 4] = "INTERRUPTED";
    /**
     * @generated from enum value: RUN_STATE_CANCELLED = 5;
     */
    RunState[RunState["CANCELLED"] = 5] = "CANCELLED";
})(RunState || (RunState = {}));
/**
 * Describes the enum kinpost.v1.RunState.
 */
export const RunStateSchema = /*@__PURE__*/ enumDesc(file_kinpost_v1_run, 0);
/**
 * Why a run should stop, or gets no more mail.
 *
 * @generated from enum kinpost.v1.StopReason
 */
export var StopReason;
(function (StopReason) {
    /**
     * @generated from enum value: STOP_REASON_UNSPECIFIED = 0;
     */
    StopReason[StopReason["UNSPECIFIED"] = 0] = "UNSPECIFIED";
    /**
     * The run was cancelled.
     *
     * @generated from enum value: STOP_REASON_CANCELLED = 1;
     */
    StopReason[StopReason["CANCELLED"] = 1] = "CANCELLED";
    /**
     * The run's lease lapsed.
     *
     * @generated from enum value: STOP_REASON_LEASE_LOST = 2;
     */
    StopReason[StopReason["LEASE_LOST"] = 2] = "LEASE_LOST";
    /**
     * The session is not open: the run may finish and gets no more mail.
     *
     * @generated from enum value: STOP_REASON_NOT_OPEN = 3;
     */
    StopReason[StopReason["NOT_OPEN"] = 3] = "NOT_OPEN";
    /**
     * The session was deleted.
     *
     * @generated from enum value: STOP_REASON_DELETED = 4;
     */
    StopReason[StopReason["DELETED"] = 4] = "DELETED";
})(StopReason || (StopReason = {}));
/**
 * Describes the enum kinpost.v1.StopReason.
 */
export const StopReasonSchema = /*@__PURE__*/ enumDesc(file_kinpost_v1_run, 1);
/**
 * Why a claim was given back.
 *
 * @generated from enum kinpost.v1.ReleaseReason
 */
export var ReleaseReason;
(function (ReleaseReason) {
    /**
     * @generated from enum value: RELEASE_REASON_UNSPECIFIED = 0;
     */
    ReleaseReason[ReleaseReason["UNSPECIFIED"] = 0] = "UNSPECIFIED";
    /**
     * The runtime gave it back, for instance because the model request failed.
     *
     * @generated from enum value: RELEASE_REASON_RUNTIME = 1;
     */
    ReleaseReason[ReleaseReason["RUNTIME"] = 1] = "RUNTIME";
    /**
     * A new attempt overtook it.
     *
     * @generated from enum value: RELEASE_REASON_OVERTAKEN = 2;
     */
    ReleaseReason[ReleaseReason["OVERTAKEN"] = 2] = "OVERTAKEN";
    /**
     * The run ended.
     *
     * @generated from enum value: RELEASE_REASON_RUN_ENDED = 3;
     */
    ReleaseReason[ReleaseReason["RUN_ENDED"] = 3] = "RUN_ENDED";
    /**
     * The run's lease lapsed.
     *
     * @generated from enum value: RELEASE_REASON_LEASE_LOST = 4;
     */
    ReleaseReason[ReleaseReason["LEASE_LOST"] = 4] = "LEASE_LOST";
})(ReleaseReason || (ReleaseReason = {}));
/**
 * Describes the enum kinpost.v1.ReleaseReason.
 */
export const ReleaseReasonSchema = /*@__PURE__*/ enumDesc(file_kinpost_v1_run, 2);
