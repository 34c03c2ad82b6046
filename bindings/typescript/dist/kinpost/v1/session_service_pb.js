// The service for sessions and trees.
import { fileDesc, messageDesc, serviceDesc } from "@bufbuild/protobuf/codegenv2";
import { file_google_protobuf_timestamp } from "@bufbuild/protobuf/wkt";
import { file_kinpost_v1_session } from "./session_pb.js";
/**
 * Describes the file kinpost/v1/session_service.proto.
 */
export const file_kinpost_v1_session_service = /*@__PURE__*/ fileDesc("CiBraW5wb3N0L3YxL3Nlc3Npb25fc2VydmljZS5wcm90bxIKa2lucG9zdC52MSKgAwoUQ3JlYXRlU2Vzc2lvblJlcXVlc3QSEgoKc2Vzc2lvbl9pZBgBIAEoCRIZChFwYXJlbnRfc2Vzc2lvbl9pZBgCIAEoCRIVCg1wYXJlbnRfcnVuX2lkGAMgASgJEhsKE3BhcmVudF90b29sX2NhbGxfaWQYBCABKAkSDQoFYWdlbnQYBSABKAkSGAoOYWdlbnRfZG9jdW1lbnQYBiABKAlIABIxCg1tZXNzYWdlX3J1bGVzGAcgASgLMhgua2lucG9zdC52MS5NZXNzYWdlUnVsZXNIABITCgtkZXNjcmlwdGlvbhgIIAEoCRIWCg53aXRob3V0X2hhbmRsZRgJIAEoCBIkCgdzdGFydGVyGAogASgOMhMua2lucG9zdC52MS5TdGFydGVyEhoKDWZpcnN0X21lc3NhZ2UYCyABKAlIAYgBARIyCghpbXBvcnRlZBgMIAEoCzIbLmtpbnBvc3QudjEuSW1wb3J0ZWRTZXNzaW9uSAKIAQFCBwoFcnVsZXNCEAoOX2ZpcnN0X21lc3NhZ2VCCwoJX2ltcG9ydGVkIpABCg9JbXBvcnRlZFNlc3Npb24SJwoFc3RhdGUYASABKA4yGC5raW5wb3N0LnYxLlNlc3Npb25TdGF0ZRIOCgZoYW5kbGUYAiABKAkSNAoLY3JlYXRlX3RpbWUYAyABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wSACIAQFCDgoMX2NyZWF0ZV90aW1lIj0KFUNyZWF0ZVNlc3Npb25SZXNwb25zZRIkCgdzZXNzaW9uGAEgASgLMhMua2lucG9zdC52MS5TZXNzaW9uIicKEUdldFNlc3Npb25SZXF1ZXN0EhIKCnNlc3Npb25faWQYASABKAkiOgoSR2V0U2Vzc2lvblJlc3BvbnNlEiQKB3Nlc3Npb24YASABKAsyEy5raW5wb3N0LnYxLlNlc3Npb24isQEKE0xpc3RTZXNzaW9uc1JlcXVlc3QSFwoPcm9vdF9zZXNzaW9uX2lkGAEgASgJEigKBnN0YXRlcxgCIAMoDjIYLmtpbnBvc3QudjEuU2Vzc2lvblN0YXRlEjAKDmF2YWlsYWJpbGl0aWVzGAMgAygOMhgua2lucG9zdC52MS5BdmFpbGFiaWxpdHkSEQoJcGFnZV9zaXplGAQgASgNEhIKCnBhZ2VfdG9rZW4YBSABKAkiVgoUTGlzdFNlc3Npb25zUmVzcG9uc2USJQoIc2Vzc2lvbnMYASADKAsyEy5raW5wb3N0LnYxLlNlc3Npb24SFwoPbmV4dF9wYWdlX3Rva2VuGAIgASgJIsEBChZTZXRBdmFpbGFiaWxpdHlSZXF1ZXN0EhIKCnNlc3Npb25faWQYASABKAkSLgoMYXZhaWxhYmlsaXR5GAIgASgOMhgua2lucG9zdC52MS5BdmFpbGFiaWxpdHkSMwoKdW50aWxfdGltZRgDIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXBIAIgBARIOCgZyZWFzb24YBCABKAkSDwoHbm9fd2FrZRgFIAEoCEINCgtfdW50aWxfdGltZSI/ChdTZXRBdmFpbGFiaWxpdHlSZXNwb25zZRIkCgdzZXNzaW9uGAEgASgLMhMua2lucG9zdC52MS5TZXNzaW9uImQKFFJldmVydFNlc3Npb25SZXF1ZXN0EhIKCnNlc3Npb25faWQYASABKAkSDgoGdG9fc2VxGAIgASgDEhkKEWV4cGVjdGVkX2xhc3Rfc2VxGAMgASgDEg0KBXBhdXNlGAQgASgIIj0KFVJldmVydFNlc3Npb25SZXNwb25zZRIkCgdzZXNzaW9uGAEgASgLMhMua2lucG9zdC52MS5TZXNzaW9uIlAKEkZvcmtTZXNzaW9uUmVxdWVzdBISCgpzZXNzaW9uX2lkGAEgASgJEg4KBmF0X3NlcRgCIAEoAxIWCg5uZXdfc2Vzc2lvbl9pZBgDIAEoCSI7ChNGb3JrU2Vzc2lvblJlc3BvbnNlEiQKB3Nlc3Npb24YASABKAsyEy5raW5wb3N0LnYxLlNlc3Npb24iOgoURGVsZXRlU2Vzc2lvblJlcXVlc3QSEgoKc2Vzc2lvbl9pZBgBIAEoCRIOCgZyZWFzb24YAiABKAkiFwoVRGVsZXRlU2Vzc2lvblJlc3BvbnNlMt4ECg5TZXNzaW9uU2VydmljZRJUCg1DcmVhdGVTZXNzaW9uEiAua2lucG9zdC52MS5DcmVhdGVTZXNzaW9uUmVxdWVzdBohLmtpbnBvc3QudjEuQ3JlYXRlU2Vzc2lvblJlc3BvbnNlEksKCkdldFNlc3Npb24SHS5raW5wb3N0LnYxLkdldFNlc3Npb25SZXF1ZXN0Gh4ua2lucG9zdC52MS5HZXRTZXNzaW9uUmVzcG9uc2USUQoMTGlzdFNlc3Npb25zEh8ua2lucG9zdC52MS5MaXN0U2Vzc2lvbnNSZXF1ZXN0GiAua2lucG9zdC52MS5MaXN0U2Vzc2lvbnNSZXNwb25zZRJaCg9TZXRBdmFpbGFiaWxpdHkSIi5raW5wb3N0LnYxLlNldEF2YWlsYWJpbGl0eVJlcXVlc3QaIy5raW5wb3N0LnYxLlNldEF2YWlsYWJpbGl0eVJlc3BvbnNlElQKDVJldmVydFNlc3Npb24SIC5raW5wb3N0LnYxLlJldmVydFNlc3Npb25SZXF1ZXN0GiEua2lucG9zdC52MS5SZXZlcnRTZXNzaW9uUmVzcG9uc2USTgoLRm9ya1Nlc3Npb24SHi5raW5wb3N0LnYxLkZvcmtTZXNzaW9uUmVxdWVzdBofLmtpbnBvc3QudjEuRm9ya1Nlc3Npb25SZXNwb25zZRJUCg1EZWxldGVTZXNzaW9uEiAua2lucG9zdC52MS5EZWxldGVTZXNzaW9uUmVxdWVzdBohLmtpbnBvc3QudjEuRGVsZXRlU2Vzc2lvblJlc3BvbnNlYgZwcm90bzM", [file_google_protobuf_timestamp, file_kinpost_v1_session]);
/**
 * Describes the message kinpost.v1.CreateSessionRequest.
 * Use `create(CreateSessionRequestSchema)` to create a new message.
 */
export const CreateSessionRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_session_service, 0);
/**
 * Describes the message kinpost.v1.ImportedSession.
 * Use `create(ImportedSessionSchema)` to create a new message.
 */
export const ImportedSessionSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_session_service, 1);
/**
 * Describes the message kinpost.v1.CreateSessionResponse.
 * Use `create(CreateSessionResponseSchema)` to create a new message.
 */
export const CreateSessionResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_session_service, 2);
/**
 * Describes the message kinpost.v1.GetSessionRequest.
 * Use `create(GetSessionRequestSchema)` to create a new message.
 */
export const GetSessionRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_session_service, 3);
/**
 * Describes the message kinpost.v1.GetSessionResponse.
 * Use `create(GetSessionResponseSchema)` to create a new message.
 */
export const GetSessionResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_session_service, 4);
/**
 * Describes the message kinpost.v1.ListSessionsRequest.
 * Use `create(ListSessionsRequestSchema)` to create a new message.
 */
export const ListSessionsRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_session_service, 5);
/**
 * Describes the message kinpost.v1.ListSessionsResponse.
 * Use `create(ListSessionsResponseSchema)` to create a new message.
 */
export const ListSessionsResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_session_service, 6);
/**
 * Describes the message kinpost.v1.SetAvailabilityRequest.
 * Use `create(SetAvailabilityRequestSchema)` to create a new message.
 */
export const SetAvailabilityRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_session_service, 7);
/**
 * Describes the message kinpost.v1.SetAvailabilityResponse.
 * Use `create(SetAvailabilityResponseSchema)` to create a new message.
 */
export const SetAvailabilityResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_session_service, 8);
/**
 * Describes the message kinpost.v1.RevertSessionRequest.
 * Use `create(RevertSessionRequestSchema)` to create a new message.
 */
export const RevertSessionRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_session_service, 9);
/**
 * Describes the message kinpost.v1.RevertSessionResponse.
 * Use `create(RevertSessionResponseSchema)` to create a new message.
 */
export const RevertSessionResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_session_service, 10);
/**
 * Describes the message kinpost.v1.ForkSessionRequest.
 * Use `create(ForkSessionRequestSchema)` to create a new message.
 */
export const ForkSessionRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_session_service, 11);
/**
 * Describes the message kinpost.v1.ForkSessionResponse.
 * Use `create(ForkSessionResponseSchema)` to create a new message.
 */
export const ForkSessionResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_session_service, 12);
/**
 * Describes the message kinpost.v1.DeleteSessionRequest.
 * Use `create(DeleteSessionRequestSchema)` to create a new message.
 */
export const DeleteSessionRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_session_service, 13);
/**
 * Describes the message kinpost.v1.DeleteSessionResponse.
 * Use `create(DeleteSessionResponseSchema)` to create a new message.
 */
export const DeleteSessionResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_session_service, 14);
/**
 * Sessions and trees.
 *
 * @generated from service kinpost.v1.SessionService
 */
export const SessionService = /*@__PURE__*/ serviceDesc(file_kinpost_v1_session_service, 0);
