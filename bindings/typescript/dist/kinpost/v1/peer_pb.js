// Peer mail: any session to any session, on the authority of a bearer token.
import { enumDesc, fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
import { file_google_protobuf_timestamp } from "@bufbuild/protobuf/wkt";
/**
 * Describes the file kinpost/v1/peer.proto.
 */
export const file_kinpost_v1_peer = /*@__PURE__*/ fileDesc("ChVraW5wb3N0L3YxL3BlZXIucHJvdG8SCmtpbnBvc3QudjEivwIKCkRlYWRMZXR0ZXISFgoOZGVhZF9sZXR0ZXJfaWQYASABKAkSGQoRc291cmNlX3Nlc3Npb25faWQYAiABKAkSGQoRdGFyZ2V0X3Nlc3Npb25faWQYAyABKAkSDAoEdGV4dBgEIAEoCRIRCgR0bGRyGAUgASgJSACIAQESLAoGcmVhc29uGAYgASgOMhwua2lucG9zdC52MS5EZWFkTGV0dGVyUmVhc29uEg4KBmRldGFpbBgHIAEoCRIvCgtjcmVhdGVfdGltZRgIIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXASNwoOcmVkZWxpdmVyX3RpbWUYCSABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wSAGIAQFCBwoFX3RsZHJCEQoPX3JlZGVsaXZlcl90aW1lIrgBChJQZWVyTWVzc2FnZVN1bW1hcnkSDwoHYm9keV9pZBgBIAEoCRIZChF0YXJnZXRfc2Vzc2lvbl9pZBgCIAEoCRIMCgR0ZXh0GAMgASgJEhEKBHRsZHIYBCABKAlIAIgBARINCgVjaGFycxgFIAEoDRIOCgZ0b2tlbnMYBiABKA0SLQoJc2VuZF90aW1lGAcgASgLMhouZ29vZ2xlLnByb3RvYnVmLlRpbWVzdGFtcEIHCgVfdGxkcirGAQoQRGVhZExldHRlclJlYXNvbhIiCh5ERUFEX0xFVFRFUl9SRUFTT05fVU5TUEVDSUZJRUQQABIiCh5ERUFEX0xFVFRFUl9SRUFTT05fVEFSR0VUX0dPTkUQARIiCh5ERUFEX0xFVFRFUl9SRUFTT05fVVNFUl9DTE9TRUQQAhIiCh5ERUFEX0xFVFRFUl9SRUFTT05fV0FLRV9GQUlMRUQQAxIiCh5ERUFEX0xFVFRFUl9SRUFTT05fU0VORF9GQUlMRUQQBGIGcHJvdG8z", [file_google_protobuf_timestamp]);
/**
 * Describes the message kinpost.v1.DeadLetter.
 * Use `create(DeadLetterSchema)` to create a new message.
 */
export const DeadLetterSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_peer, 0);
/**
 * Describes the message kinpost.v1.PeerMessageSummary.
 * Use `create(PeerMessageSummarySchema)` to create a new message.
 */
export const PeerMessageSummarySchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_peer, 1);
/**
 * Why a peer message could never be delivered.
 *
 * @generated from enum kinpost.v1.DeadLetterReason
 */
export var DeadLetterReason;
(function (DeadLetterReason) {
    /**
     * @generated from enum value: DEAD_LETTER_REASON_UNSPECIFIED = 0;
     */
    DeadLetterReason[DeadLetterReason["UNSPECIFIED"] = 0] = "UNSPECIFIED";
    /**
     * A target that once existed is gone.
     *
     * @generated from enum value: DEAD_LETTER_REASON_TARGET_GONE = 1;
     */
    DeadLetterReason[DeadLetterReason["TARGET_GONE"] = 1] = "TARGET_GONE";
    /**
     * A person closed the target.
     *
     * @generated from enum value: DEAD_LETTER_REASON_USER_CLOSED = 2;
     */
    DeadLetterReason[DeadLetterReason["USER_CLOSED"] = 2] = "USER_CLOSED";
    /**
     * The target could not be woken.
     *
     * @generated from enum value: DEAD_LETTER_REASON_WAKE_FAILED = 3;
     */
    DeadLetterReason[DeadLetterReason["WAKE_FAILED"] = 3] = "WAKE_FAILED";
    /**
     * The message could not be stored.
     *
     * @generated from enum value: DEAD_LETTER_REASON_SEND_FAILED = 4;
     */
    DeadLetterReason[DeadLetterReason["SEND_FAILED"] = 4] = "SEND_FAILED";
})(DeadLetterReason || (DeadLetterReason = {}));
/**
 * Describes the enum kinpost.v1.DeadLetterReason.
 */
export const DeadLetterReasonSchema = /*@__PURE__*/ enumDesc(file_kinpost_v1_peer, 0);
