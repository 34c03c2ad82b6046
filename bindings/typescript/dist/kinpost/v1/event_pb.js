// Events: the durable log, from which everything else is folded.
//
// Payloads only ever gain fields, so that old logs stay readable.
import { enumDesc, fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
import { file_google_protobuf_timestamp } from "@bufbuild/protobuf/wkt";
import { file_kinpost_v1_approval } from "./approval_pb.js";
import { file_kinpost_v1_message } from "./message_pb.js";
import { file_kinpost_v1_peer } from "./peer_pb.js";
import { file_kinpost_v1_producer } from "./producer_pb.js";
import { file_kinpost_v1_run } from "./run_pb.js";
import { file_kinpost_v1_session } from "./session_pb.js";
/**
 * Describes the file kinpost/v1/event.proto.
 */
export const file_kinpost_v1_event = /*@__PURE__*/ fileDesc("ChZraW5wb3N0L3YxL2V2ZW50LnByb3RvEgpraW5wb3N0LnYxIs4QCgVFdmVudBISCgpzZXNzaW9uX2lkGAEgASgJEhcKD3Jvb3Rfc2Vzc2lvbl9pZBgCIAEoCRILCgNzZXEYAyABKAMSEAoIcG9zaXRpb24YBCABKAMSLgoKZXZlbnRfdGltZRgFIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXASEwoGcnVuX2lkGAYgASgJSAGIAQESJwoGb3JpZ2luGAcgASgOMhcua2lucG9zdC52MS5FdmVudE9yaWdpbhI1Cg9zZXNzaW9uX2NyZWF0ZWQYFCABKAsyGi5raW5wb3N0LnYxLlNlc3Npb25DcmVhdGVkSAASTgocc2Vzc2lvbl9hdmFpbGFiaWxpdHlfY2hhbmdlZBgVIAEoCzImLmtpbnBvc3QudjEuU2Vzc2lvbkF2YWlsYWJpbGl0eUNoYW5nZWRIABI3ChBzZXNzaW9uX3VucXVldWVkGBYgASgLMhsua2lucG9zdC52MS5TZXNzaW9uVW5xdWV1ZWRIABIzCg5zZXNzaW9uX2ZvcmtlZBgXIAEoCzIZLmtpbnBvc3QudjEuU2Vzc2lvbkZvcmtlZEgAEjcKEHNlc3Npb25fcmV2ZXJ0ZWQYGCABKAsyGy5raW5wb3N0LnYxLlNlc3Npb25SZXZlcnRlZEgAEjUKD3Nlc3Npb25fZGVsZXRlZBgZIAEoCzIaLmtpbnBvc3QudjEuU2Vzc2lvbkRlbGV0ZWRIABItCgtydW5fc3RhcnRlZBgoIAEoCzIWLmtpbnBvc3QudjEuUnVuU3RhcnRlZEgAEi8KDHJ1bl9maW5pc2hlZBgpIAEoCzIXLmtpbnBvc3QudjEuUnVuRmluaXNoZWRIABIzCg50dXJuX2NvbW1pdHRlZBgqIAEoCzIZLmtpbnBvc3QudjEuVHVybkNvbW1pdHRlZEgAEkgKGXByb2R1Y2VyX21lc3NhZ2VfYWNjZXB0ZWQYPCABKAsyIy5raW5wb3N0LnYxLlByb2R1Y2VyTWVzc2FnZUFjY2VwdGVkSAASSAoZcHJvZHVjZXJfbWVzc2FnZV9hZG1pdHRlZBg9IAEoCzIjLmtpbnBvc3QudjEuUHJvZHVjZXJNZXNzYWdlQWRtaXR0ZWRIABJIChlwcm9kdWNlcl9tZXNzYWdlc19jbGFpbWVkGD4gASgLMiMua2lucG9zdC52MS5Qcm9kdWNlck1lc3NhZ2VzQ2xhaW1lZEgAEkoKGnByb2R1Y2VyX21lc3NhZ2VzX3JlbGVhc2VkGD8gASgLMiQua2lucG9zdC52MS5Qcm9kdWNlck1lc3NhZ2VzUmVsZWFzZWRIABJIChlwcm9kdWNlcl9tZXNzYWdlX2NvbnN1bWVkGEAgASgLMiMua2lucG9zdC52MS5Qcm9kdWNlck1lc3NhZ2VDb25zdW1lZEgAEkoKGnByb2R1Y2VyX21lc3NhZ2VfZGlzY2FyZGVkGEEgASgLMiQua2lucG9zdC52MS5Qcm9kdWNlck1lc3NhZ2VEaXNjYXJkZWRIABJKChpzZW50X21lc3NhZ2VfdW5kZWxpdmVyYWJsZRhCIAEoCzIkLmtpbnBvc3QudjEuU2VudE1lc3NhZ2VVbmRlbGl2ZXJhYmxlSAASMwoOd2FrZV9yZXF1ZXN0ZWQYUCABKAsyGS5raW5wb3N0LnYxLldha2VSZXF1ZXN0ZWRIABIvCgx3YWtlX29mZmVyZWQYUSABKAsyFy5raW5wb3N0LnYxLldha2VPZmZlcmVkSAASLQoLd2FrZV9mYWlsZWQYUiABKAsyFi5raW5wb3N0LnYxLldha2VGYWlsZWRIABIvCgx3YWtlX3NldHRsZWQYUyABKAsyFy5raW5wb3N0LnYxLldha2VTZXR0bGVkSAASMwoOd2FrZV93aXRoZHJhd24YVCABKAsyGS5raW5wb3N0LnYxLldha2VXaXRoZHJhd25IABI7ChJhcHByb3ZhbF9yZXF1ZXN0ZWQYZCABKAsyHS5raW5wb3N0LnYxLkFwcHJvdmFsUmVxdWVzdGVkSAASNwoQYXBwcm92YWxfZGVjaWRlZBhlIAEoCzIbLmtpbnBvc3QudjEuQXBwcm92YWxEZWNpZGVkSAASMQoNYXBwcm92YWxfdXNlZBhmIAEoCzIYLmtpbnBvc3QudjEuQXBwcm92YWxVc2VkSAASNwoQYXBwcm92YWxfZXhwaXJlZBhnIAEoCzIbLmtpbnBvc3QudjEuQXBwcm92YWxFeHBpcmVkSAASOwoSYXBwcm92YWxfY2FuY2VsbGVkGGggASgLMh0ua2lucG9zdC52MS5BcHByb3ZhbENhbmNlbGxlZEgAEj0KE3Byb2R1Y2VyX3JlZ2lzdGVyZWQYeCABKAsyHi5raW5wb3N0LnYxLlByb2R1Y2VyUmVnaXN0ZXJlZEgAEkEKFXByb2R1Y2VyX3VucmVnaXN0ZXJlZBh5IAEoCzIgLmtpbnBvc3QudjEuUHJvZHVjZXJVbnJlZ2lzdGVyZWRIABI5ChFwZWVyX21lc3NhZ2Vfc2VudBiMASABKAsyGy5raW5wb3N0LnYxLlBlZXJNZXNzYWdlU2VudEgAEkgKGXBlZXJfZGVhZF9sZXR0ZXJfcmVjb3JkZWQYjQEgASgLMiIua2lucG9zdC52MS5QZWVyRGVhZExldHRlclJlY29yZGVkSAASTgoccGVlcl9kZWFkX2xldHRlcl9yZWRlbGl2ZXJlZBiOASABKAsyJS5raW5wb3N0LnYxLlBlZXJEZWFkTGV0dGVyUmVkZWxpdmVyZWRIAEIJCgdwYXlsb2FkQgkKB19ydW5faWQidwoOU2Vzc2lvbkNyZWF0ZWQSJAoHc2Vzc2lvbhgBIAEoCzITLmtpbnBvc3QudjEuU2Vzc2lvbhIWCg5yZXF1ZXN0X2RpZ2VzdBgCIAEoDBIVCg1ob3N0X3Rva2VuX2lkGAMgASgJEhAKCGltcG9ydGVkGAQgASgIItYBChpTZXNzaW9uQXZhaWxhYmlsaXR5Q2hhbmdlZBIuCgxhdmFpbGFiaWxpdHkYASABKA4yGC5raW5wb3N0LnYxLkF2YWlsYWJpbGl0eRIOCgZyZWFzb24YAiABKAkSMwoKdW50aWxfdGltZRgDIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXBIAIgBARIPCgdub193YWtlGAQgASgIEhAKCHRva2VuX2lkGAUgASgJEhEKCWJ5X3BlcnNvbhgGIAEoCEINCgtfdW50aWxfdGltZSIhCg9TZXNzaW9uVW5xdWV1ZWQSDgoGcmVhc29uGAEgASgJIl4KDVNlc3Npb25Gb3JrZWQSFwoPZnJvbV9zZXNzaW9uX2lkGAEgASgJEg4KBmF0X3NlcRgCIAEoAxIkCgdzZXNzaW9uGAMgASgLMhMua2lucG9zdC52MS5TZXNzaW9uIj8KD1Nlc3Npb25SZXZlcnRlZBIOCgZ0b19zZXEYASABKAMSHAoUcmVzdG9yZWRfbWVzc2FnZV9pZHMYAiADKAkiIAoOU2Vzc2lvbkRlbGV0ZWQSDgoGcmVhc29uGAEgASgJIrYBCgpSdW5TdGFydGVkEg4KBnJ1bl9pZBgBIAEoCRIOCgZudW1iZXIYAiABKA0SFAoHd2FrZV9pZBgDIAEoCUgAiAEBEhoKDWNsaWVudF9ydW5faWQYBCABKAlIAYgBARIXCgpydW50aW1lX2lkGAUgASgJSAKIAQESEAoIdG9rZW5faWQYBiABKAlCCgoIX3dha2VfaWRCEAoOX2NsaWVudF9ydW5faWRCDQoLX3J1bnRpbWVfaWQiqQEKC1J1bkZpbmlzaGVkEg4KBnJ1bl9pZBgBIAEoCRIlCgdvdXRjb21lGAIgASgOMhQua2lucG9zdC52MS5SdW5TdGF0ZRIOCgZyZWFzb24YAyABKAkSEQoJYnlfcGVyc29uGAQgASgIEhYKDmNvbnN1bWVkX2NvdW50GAUgASgNEhQKDGZhaWxpbmdfcnVucxgGIAEoDRISCgpsZWFzZV9sb3N0GAcgASgIIkoKDVR1cm5Db21taXR0ZWQSDgoGcnVuX2lkGAEgASgJEhEKCWNsYWltX3NlcRgCIAEoAxIWCg5jb25zdW1lZF9jb3VudBgDIAEoDSLdBAoXUHJvZHVjZXJNZXNzYWdlQWNjZXB0ZWQSEgoKbWVzc2FnZV9pZBgBIAEoCRIoCgVvd25lchgCIAEoDjIZLmtpbnBvc3QudjEuUHJvZHVjZXJPd25lchIlCgRtb2RlGAMgASgOMhcua2lucG9zdC52MS5NZXNzYWdlTW9kZRIMCgRib2R5GAQgASgJEikKBnNlbmRlchgFIAEoCzIZLmtpbnBvc3QudjEuTWVzc2FnZVNlbmRlchIWCglhZ2VudF9ob3AYBiABKA1IAIgBARIzCg9yZWNpcGllbnRfc3RhdGUYByABKA4yGi5raW5wb3N0LnYxLlJlY2lwaWVudFN0YXRlEgoKAnRvGAggASgJEhYKDnJlcXVlc3RfZGlnZXN0GAkgASgMEhwKD2lkZW1wb3RlbmN5X2tleRgKIAEoCUgBiAEBEhMKC2Rlc2NyaXB0aW9uGAsgASgJEjQKC2V4cGlyZV90aW1lGAwgASgLMhouZ29vZ2xlLnByb3RvYnVmLlRpbWVzdGFtcEgCiAEBEiIKFXN1cGVyc2VkZXNfbWVzc2FnZV9pZBgNIAEoCUgDiAEBEiMKFmZvcmtlZF9mcm9tX21lc3NhZ2VfaWQYDiABKAlIBIgBARIRCgR0bGRyGA8gASgJSAWIAQFCDAoKX2FnZW50X2hvcEISChBfaWRlbXBvdGVuY3lfa2V5Qg4KDF9leHBpcmVfdGltZUIYChZfc3VwZXJzZWRlc19tZXNzYWdlX2lkQhkKF19mb3JrZWRfZnJvbV9tZXNzYWdlX2lkQgcKBV90bGRyIj0KF1Byb2R1Y2VyTWVzc2FnZUFkbWl0dGVkEhIKCm1lc3NhZ2VfaWQYASABKAkSDgoGcnVuX2lkGAIgASgJImgKF1Byb2R1Y2VyTWVzc2FnZXNDbGFpbWVkEg4KBnJ1bl9pZBgBIAEoCRISCgphdHRlbXB0X2lkGAIgASgJEhMKC21lc3NhZ2VfaWRzGAMgAygJEhQKDG1vcmVfcGVuZGluZxgEIAEoCCKNAQoYUHJvZHVjZXJNZXNzYWdlc1JlbGVhc2VkEhEKCWNsYWltX3NlcRgBIAEoAxIOCgZydW5faWQYAiABKAkSEwoLbWVzc2FnZV9pZHMYAyADKAkSKQoGcmVhc29uGAQgASgOMhkua2lucG9zdC52MS5SZWxlYXNlUmVhc29uEg4KBmRldGFpbBgFIAEoCSJQChdQcm9kdWNlck1lc3NhZ2VDb25zdW1lZBISCgptZXNzYWdlX2lkGAEgASgJEg4KBnJ1bl9pZBgCIAEoCRIRCgljbGFpbV9zZXEYAyABKAMinQEKGFByb2R1Y2VyTWVzc2FnZURpc2NhcmRlZBISCgptZXNzYWdlX2lkGAEgASgJEikKBnJlYXNvbhgCIAEoDjIZLmtpbnBvc3QudjEuRGlzY2FyZFJlYXNvbhIlChhzdXBlcnNlZGVkX2J5X21lc3NhZ2VfaWQYAyABKAlIAIgBAUIbChlfc3VwZXJzZWRlZF9ieV9tZXNzYWdlX2lkIncKGFNlbnRNZXNzYWdlVW5kZWxpdmVyYWJsZRISCgptZXNzYWdlX2lkGAEgASgJEhwKFHJlY2lwaWVudF9zZXNzaW9uX2lkGAIgASgJEikKBnJlYXNvbhgDIAEoDjIZLmtpbnBvc3QudjEuRGlzY2FyZFJlYXNvbiJuCg1XYWtlUmVxdWVzdGVkEg8KB3dha2VfaWQYASABKAkSOAoPbm90X2JlZm9yZV90aW1lGAIgASgLMhouZ29vZ2xlLnByb3RvYnVmLlRpbWVzdGFtcEgAiAEBQhIKEF9ub3RfYmVmb3JlX3RpbWUiiwEKC1dha2VPZmZlcmVkEg8KB3dha2VfaWQYASABKAkSEgoKcnVudGltZV9pZBgCIAEoCRIQCgh0b2tlbl9pZBgDIAEoCRIUCgxvZmZlcl9udW1iZXIYBCABKA0SLwoLZXhwaXJlX3RpbWUYBSABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wIuIBCgpXYWtlRmFpbGVkEg8KB3dha2VfaWQYASABKAkSEgoKcnVudGltZV9pZBgCIAEoCRIUCgxvZmZlcl9udW1iZXIYAyABKA0SDgoGcmVhc29uGAQgASgJEjMKD25leHRfb2ZmZXJfdGltZRgFIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXASPAoTZGVjbGluZWRfdW50aWxfdGltZRgGIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXBIAIgBAUIWChRfZGVjbGluZWRfdW50aWxfdGltZSIuCgtXYWtlU2V0dGxlZBIPCgd3YWtlX2lkGAEgASgJEg4KBnJ1bl9pZBgCIAEoCSIwCg1XYWtlV2l0aGRyYXduEg8KB3dha2VfaWQYASABKAkSDgoGcmVhc29uGAIgASgJIjsKEUFwcHJvdmFsUmVxdWVzdGVkEiYKCGFwcHJvdmFsGAEgASgLMhQua2lucG9zdC52MS5BcHByb3ZhbCJ4Cg9BcHByb3ZhbERlY2lkZWQSEwoLYXBwcm92YWxfaWQYASABKAkSLgoIZGVjaXNpb24YAiABKA4yHC5raW5wb3N0LnYxLkFwcHJvdmFsRGVjaXNpb24SDgoGcmVhc29uGAMgASgJEhAKCHRva2VuX2lkGAQgASgJIjcKDEFwcHJvdmFsVXNlZBITCgthcHByb3ZhbF9pZBgBIAEoCRISCgptZXNzYWdlX2lkGAIgASgJIiYKD0FwcHJvdmFsRXhwaXJlZBITCgthcHByb3ZhbF9pZBgBIAEoCSIoChFBcHByb3ZhbENhbmNlbGxlZBITCgthcHByb3ZhbF9pZBgBIAEoCSI8ChJQcm9kdWNlclJlZ2lzdGVyZWQSJgoIcHJvZHVjZXIYASABKAsyFC5raW5wb3N0LnYxLlByb2R1Y2VyIjsKFFByb2R1Y2VyVW5yZWdpc3RlcmVkEhMKC3Byb2R1Y2VyX2lkGAEgASgJEg4KBmxhcHNlZBgCIAEoCCJzCg9QZWVyTWVzc2FnZVNlbnQSEgoKbWVzc2FnZV9pZBgBIAEoCRIZChF0YXJnZXRfc2Vzc2lvbl9pZBgCIAEoCRIPCgdwcmV2aWV3GAMgASgJEhQKB2JvZHlfaWQYBCABKAlIAIgBAUIKCghfYm9keV9pZCKJAQoWUGVlckRlYWRMZXR0ZXJSZWNvcmRlZBIWCg5kZWFkX2xldHRlcl9pZBgBIAEoCRIZChF0YXJnZXRfc2Vzc2lvbl9pZBgCIAEoCRIsCgZyZWFzb24YAyABKA4yHC5raW5wb3N0LnYxLkRlYWRMZXR0ZXJSZWFzb24SDgoGZGV0YWlsGAQgASgJIkcKGVBlZXJEZWFkTGV0dGVyUmVkZWxpdmVyZWQSFgoOZGVhZF9sZXR0ZXJfaWQYASABKAkSEgoKbWVzc2FnZV9pZBgCIAEoCSrAAQoLRXZlbnRPcmlnaW4SHAoYRVZFTlRfT1JJR0lOX1VOU1BFQ0lGSUVEEAASGAoURVZFTlRfT1JJR0lOX1NFUlZJQ0UQARIYChRFVkVOVF9PUklHSU5fUlVOVElNRRACEhYKEkVWRU5UX09SSUdJTl9BR0VOVBADEhcKE0VWRU5UX09SSUdJTl9QRVJTT04QBBIXChNFVkVOVF9PUklHSU5fUExVR0lOEAUSFQoRRVZFTlRfT1JJR0lOX1BFRVIQBmIGcHJvdG8z", [file_google_protobuf_timestamp, file_kinpost_v1_approval, file_kinpost_v1_message, file_kinpost_v1_peer, file_kinpost_v1_producer, file_kinpost_v1_run, file_kinpost_v1_session]);
/**
 * Describes the message kinpost.v1.Event.
 * Use `create(EventSchema)` to create a new message.
 */
export const EventSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 0);
/**
 * Describes the message kinpost.v1.SessionCreated.
 * Use `create(SessionCreatedSchema)` to create a new message.
 */
export const SessionCreatedSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 1);
/**
 * Describes the message kinpost.v1.SessionAvailabilityChanged.
 * Use `create(SessionAvailabilityChangedSchema)` to create a new message.
 */
export const SessionAvailabilityChangedSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 2);
/**
 * Describes the message kinpost.v1.SessionUnqueued.
 * Use `create(SessionUnqueuedSchema)` to create a new message.
 */
export const SessionUnqueuedSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 3);
/**
 * Describes the message kinpost.v1.SessionForked.
 * Use `create(SessionForkedSchema)` to create a new message.
 */
export const SessionForkedSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 4);
/**
 * Describes the message kinpost.v1.SessionReverted.
 * Use `create(SessionRevertedSchema)` to create a new message.
 */
export const SessionRevertedSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 5);
/**
 * Describes the message kinpost.v1.SessionDeleted.
 * Use `create(SessionDeletedSchema)` to create a new message.
 */
export const SessionDeletedSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 6);
/**
 * Describes the message kinpost.v1.RunStarted.
 * Use `create(RunStartedSchema)` to create a new message.
 */
export const RunStartedSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 7);
/**
 * Describes the message kinpost.v1.RunFinished.
 * Use `create(RunFinishedSchema)` to create a new message.
 */
export const RunFinishedSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 8);
/**
 * Describes the message kinpost.v1.TurnCommitted.
 * Use `create(TurnCommittedSchema)` to create a new message.
 */
export const TurnCommittedSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 9);
/**
 * Describes the message kinpost.v1.ProducerMessageAccepted.
 * Use `create(ProducerMessageAcceptedSchema)` to create a new message.
 */
export const ProducerMessageAcceptedSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 10);
/**
 * Describes the message kinpost.v1.ProducerMessageAdmitted.
 * Use `create(ProducerMessageAdmittedSchema)` to create a new message.
 */
export const ProducerMessageAdmittedSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 11);
/**
 * Describes the message kinpost.v1.ProducerMessagesClaimed.
 * Use `create(ProducerMessagesClaimedSchema)` to create a new message.
 */
export const ProducerMessagesClaimedSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 12);
/**
 * Describes the message kinpost.v1.ProducerMessagesReleased.
 * Use `create(ProducerMessagesReleasedSchema)` to create a new message.
 */
export const ProducerMessagesReleasedSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 13);
/**
 * Describes the message kinpost.v1.ProducerMessageConsumed.
 * Use `create(ProducerMessageConsumedSchema)` to create a new message.
 */
export const ProducerMessageConsumedSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 14);
/**
 * Describes the message kinpost.v1.ProducerMessageDiscarded.
 * Use `create(ProducerMessageDiscardedSchema)` to create a new message.
 */
export const ProducerMessageDiscardedSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 15);
/**
 * Describes the message kinpost.v1.SentMessageUndeliverable.
 * Use `create(SentMessageUndeliverableSchema)` to create a new message.
 */
export const SentMessageUndeliverableSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 16);
/**
 * Describes the message kinpost.v1.WakeRequested.
 * Use `create(WakeRequestedSchema)` to create a new message.
 */
export const WakeRequestedSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 17);
/**
 * Describes the message kinpost.v1.WakeOffered.
 * Use `create(WakeOfferedSchema)` to create a new message.
 */
export const WakeOfferedSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 18);
/**
 * Describes the message kinpost.v1.WakeFailed.
 * Use `create(WakeFailedSchema)` to create a new message.
 */
export const WakeFailedSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 19);
/**
 * Describes the message kinpost.v1.WakeSettled.
 * Use `create(WakeSettledSchema)` to create a new message.
 */
export const WakeSettledSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 20);
/**
 * Describes the message kinpost.v1.WakeWithdrawn.
 * Use `create(WakeWithdrawnSchema)` to create a new message.
 */
export const WakeWithdrawnSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 21);
/**
 * Describes the message kinpost.v1.ApprovalRequested.
 * Use `create(ApprovalRequestedSchema)` to create a new message.
 */
export const ApprovalRequestedSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 22);
/**
 * Describes the message kinpost.v1.ApprovalDecided.
 * Use `create(ApprovalDecidedSchema)` to create a new message.
 */
export const ApprovalDecidedSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 23);
/**
 * Describes the message kinpost.v1.ApprovalUsed.
 * Use `create(ApprovalUsedSchema)` to create a new message.
 */
export const ApprovalUsedSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 24);
/**
 * Describes the message kinpost.v1.ApprovalExpired.
 * Use `create(ApprovalExpiredSchema)` to create a new message.
 */
export const ApprovalExpiredSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 25);
/**
 * Describes the message kinpost.v1.ApprovalCancelled.
 * Use `create(ApprovalCancelledSchema)` to create a new message.
 */
export const ApprovalCancelledSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 26);
/**
 * Describes the message kinpost.v1.ProducerRegistered.
 * Use `create(ProducerRegisteredSchema)` to create a new message.
 */
export const ProducerRegisteredSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 27);
/**
 * Describes the message kinpost.v1.ProducerUnregistered.
 * Use `create(ProducerUnregisteredSchema)` to create a new message.
 */
export const ProducerUnregisteredSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 28);
/**
 * Describes the message kinpost.v1.PeerMessageSent.
 * Use `create(PeerMessageSentSchema)` to create a new message.
 */
export const PeerMessageSentSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 29);
/**
 * Describes the message kinpost.v1.PeerDeadLetterRecorded.
 * Use `create(PeerDeadLetterRecordedSchema)` to create a new message.
 */
export const PeerDeadLetterRecordedSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 30);
/**
 * Describes the message kinpost.v1.PeerDeadLetterRedelivered.
 * Use `create(PeerDeadLetterRedeliveredSchema)` to create a new message.
 */
export const PeerDeadLetterRedeliveredSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event, 31);
/**
 * Who caused an event.
 *
 * @generated from enum kinpost.v1.EventOrigin
 */
export var EventOrigin;
(function (EventOrigin) {
    /**
     * @generated from enum value: EVENT_ORIGIN_UNSPECIFIED = 0;
     */
    EventOrigin[EventOrigin["UNSPECIFIED"] = 0] = "UNSPECIFIED";
    /**
     * The service itself: a lease, a timer, a reconciliation.
     *
     * @generated from enum value: EVENT_ORIGIN_SERVICE = 1;
     */
    EventOrigin[EventOrigin["SERVICE"] = 1] = "SERVICE";
    /**
     * The runtime that hosts the session.
     *
     * @generated from enum value: EVENT_ORIGIN_RUNTIME = 2;
     */
    EventOrigin[EventOrigin["RUNTIME"] = 2] = "RUNTIME";
    /**
     * An agent, by a tool call.
     *
     * @generated from enum value: EVENT_ORIGIN_AGENT = 3;
     */
    EventOrigin[EventOrigin["AGENT"] = 3] = "AGENT";
    /**
     * A person.
     *
     * @generated from enum value: EVENT_ORIGIN_PERSON = 4;
     */
    EventOrigin[EventOrigin["PERSON"] = 4] = "PERSON";
    /**
     * A plugin.
     *
     * @generated from enum value: EVENT_ORIGIN_PLUGIN = 5;
     */
    EventOrigin[EventOrigin["PLUGIN"] = 5] = "PLUGIN";
    /**
     * A peer route.
     *
     * @generated from enum value: EVENT_ORIGIN_PEER = 6;
     */
    EventOrigin[EventOrigin["PEER"] = 6] = "PEER";
})(EventOrigin || (EventOrigin = {}));
/**
 * Describes the enum kinpost.v1.EventOrigin.
 */
export const EventOriginSchema = /*@__PURE__*/ enumDesc(file_kinpost_v1_event, 0);
