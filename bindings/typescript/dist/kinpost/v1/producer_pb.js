// Producers: whoever may put messages into a session by registration.
import { enumDesc, fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
import { file_google_protobuf_timestamp } from "@bufbuild/protobuf/wkt";
import { file_kinpost_v1_message } from "./message_pb.js";
/**
 * Describes the file kinpost/v1/producer.proto.
 */
export const file_kinpost_v1_producer = /*@__PURE__*/ fileDesc("ChlraW5wb3N0L3YxL3Byb2R1Y2VyLnByb3RvEgpraW5wb3N0LnYxIooCCghQcm9kdWNlchITCgtwcm9kdWNlcl9pZBgBIAEoCRISCgpzZXNzaW9uX2lkGAIgASgJEigKBW93bmVyGAMgASgOMhkua2lucG9zdC52MS5Qcm9kdWNlck93bmVyEhIKCm93bmVyX25hbWUYBCABKAkSGgoSY2xpZW50X3Byb2R1Y2VyX2lkGAUgASgJEhMKC2Rlc2NyaXB0aW9uGAYgASgJEi8KC2NyZWF0ZV90aW1lGAcgASgLMhouZ29vZ2xlLnByb3RvYnVmLlRpbWVzdGFtcBI1ChFsZWFzZV9leHBpcmVfdGltZRgIIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXAqcwoRSW50ZXJjZXB0RGVjaXNpb24SIgoeSU5URVJDRVBUX0RFQ0lTSU9OX1VOU1BFQ0lGSUVEEAASHAoYSU5URVJDRVBUX0RFQ0lTSU9OX0FMTE9XEAESHAoYSU5URVJDRVBUX0RFQ0lTSU9OX0JMT0NLEAJiBnByb3RvMw", [file_google_protobuf_timestamp, file_kinpost_v1_message]);
/**
 * Describes the message kinpost.v1.Producer.
 * Use `create(ProducerSchema)` to create a new message.
 */
export const ProducerSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_producer, 0);
/**
 * What a plugin answers about a tool call.
 *
 * @generated from enum kinpost.v1.InterceptDecision
 */
export var InterceptDecision;
(function (InterceptDecision) {
    /**
     * @generated from enum value: INTERCEPT_DECISION_UNSPECIFIED = 0;
     */
    InterceptDecision[InterceptDecision["UNSPECIFIED"] = 0] = "UNSPECIFIED";
    /**
     * Let it be judged.
     *
     * @generated from enum value: INTERCEPT_DECISION_ALLOW = 1;
     */
    InterceptDecision[InterceptDecision["ALLOW"] = 1] = "ALLOW";
    /**
     * Refuse it, with a reason that the model sees.
     *
     * @generated from enum value: INTERCEPT_DECISION_BLOCK = 2;
     */
    InterceptDecision[InterceptDecision["BLOCK"] = 2] = "BLOCK";
})(InterceptDecision || (InterceptDecision = {}));
/**
 * Describes the enum kinpost.v1.InterceptDecision.
 */
export const InterceptDecisionSchema = /*@__PURE__*/ enumDesc(file_kinpost_v1_producer, 0);
