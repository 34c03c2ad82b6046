// The service for producers and plugins.
import { fileDesc, messageDesc, serviceDesc } from "@bufbuild/protobuf/codegenv2";
import { file_google_protobuf_timestamp } from "@bufbuild/protobuf/wkt";
import { file_kinpost_v1_message } from "./message_pb.js";
import { file_kinpost_v1_producer } from "./producer_pb.js";
/**
 * Describes the file kinpost/v1/producer_service.proto.
 */
export const file_kinpost_v1_producer_service = /*@__PURE__*/ fileDesc("CiFraW5wb3N0L3YxL3Byb2R1Y2VyX3NlcnZpY2UucHJvdG8SCmtpbnBvc3QudjEiXgoXUmVnaXN0ZXJQcm9kdWNlclJlcXVlc3QSEgoKc2Vzc2lvbl9pZBgBIAEoCRIaChJjbGllbnRfcHJvZHVjZXJfaWQYAiABKAkSEwoLZGVzY3JpcHRpb24YAyABKAkiQgoYUmVnaXN0ZXJQcm9kdWNlclJlc3BvbnNlEiYKCHByb2R1Y2VyGAEgASgLMhQua2lucG9zdC52MS5Qcm9kdWNlciItChVSZW5ld1Byb2R1Y2Vyc1JlcXVlc3QSFAoMcHJvZHVjZXJfaWRzGAEgAygJIm0KFlJlbmV3UHJvZHVjZXJzUmVzcG9uc2USHAoUcmVuZXdlZF9wcm9kdWNlcl9pZHMYASADKAkSNQoRbGVhc2VfZXhwaXJlX3RpbWUYAiABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wIqgBChpTZW5kUHJvZHVjZXJNZXNzYWdlUmVxdWVzdBISCgpzZXNzaW9uX2lkGAEgASgJEhMKC3Byb2R1Y2VyX2lkGAIgASgJEhcKD2lkZW1wb3RlbmN5X2tleRgDIAEoCRIlCgRtb2RlGAQgASgOMhcua2lucG9zdC52MS5NZXNzYWdlTW9kZRITCgtkZXNjcmlwdGlvbhgFIAEoCRIMCgRib2R5GAYgASgJIkwKG1NlbmRQcm9kdWNlck1lc3NhZ2VSZXNwb25zZRItCghhY2NlcHRlZBgBIAEoCzIbLmtpbnBvc3QudjEuTWVzc2FnZUFjY2VwdGVkIkcKHURpc2NhcmRQcm9kdWNlck1lc3NhZ2VSZXF1ZXN0EhIKCnNlc3Npb25faWQYASABKAkSEgoKbWVzc2FnZV9pZBgCIAEoCSIgCh5EaXNjYXJkUHJvZHVjZXJNZXNzYWdlUmVzcG9uc2UiRAoZVW5yZWdpc3RlclByb2R1Y2VyUmVxdWVzdBISCgpzZXNzaW9uX2lkGAEgASgJEhMKC3Byb2R1Y2VyX2lkGAIgASgJIhwKGlVucmVnaXN0ZXJQcm9kdWNlclJlc3BvbnNlIlEKFExpc3RQcm9kdWNlcnNSZXF1ZXN0EhIKCnNlc3Npb25faWQYASABKAkSEQoJcGFnZV9zaXplGAIgASgNEhIKCnBhZ2VfdG9rZW4YAyABKAkiWQoVTGlzdFByb2R1Y2Vyc1Jlc3BvbnNlEicKCXByb2R1Y2VycxgBIAMoCzIULmtpbnBvc3QudjEuUHJvZHVjZXISFwoPbmV4dF9wYWdlX3Rva2VuGAIgASgJIoYBChlJbnRlcmNlcHRUb29sQ2FsbHNSZXF1ZXN0Ei0KBmZpbHRlchgBIAEoCzIbLmtpbnBvc3QudjEuSW50ZXJjZXB0RmlsdGVySAASLwoHdmVyZGljdBgCIAEoCzIcLmtpbnBvc3QudjEuSW50ZXJjZXB0VmVyZGljdEgAQgkKB21lc3NhZ2UiJQoPSW50ZXJjZXB0RmlsdGVyEhIKCnRvb2xfbmFtZXMYASADKAkiaQoQSW50ZXJjZXB0VmVyZGljdBIUCgxpbnRlcmNlcHRfaWQYASABKAkSLwoIZGVjaXNpb24YAiABKA4yHS5raW5wb3N0LnYxLkludGVyY2VwdERlY2lzaW9uEg4KBnJlYXNvbhgDIAEoCSLcAQoaSW50ZXJjZXB0VG9vbENhbGxzUmVzcG9uc2USFAoMaW50ZXJjZXB0X2lkGAEgASgJEhIKCnNlc3Npb25faWQYAiABKAkSFwoPcm9vdF9zZXNzaW9uX2lkGAMgASgJEg4KBnJ1bl9pZBgEIAEoCRIUCgx0b29sX2NhbGxfaWQYBSABKAkSDAoEbmFtZRgGIAEoCRIWCg5hcmd1bWVudHNfanNvbhgHIAEoCRIvCgtleHBpcmVfdGltZRgIIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXAyxgUKD1Byb2R1Y2VyU2VydmljZRJdChBSZWdpc3RlclByb2R1Y2VyEiMua2lucG9zdC52MS5SZWdpc3RlclByb2R1Y2VyUmVxdWVzdBokLmtpbnBvc3QudjEuUmVnaXN0ZXJQcm9kdWNlclJlc3BvbnNlElcKDlJlbmV3UHJvZHVjZXJzEiEua2lucG9zdC52MS5SZW5ld1Byb2R1Y2Vyc1JlcXVlc3QaIi5raW5wb3N0LnYxLlJlbmV3UHJvZHVjZXJzUmVzcG9uc2USZgoTU2VuZFByb2R1Y2VyTWVzc2FnZRImLmtpbnBvc3QudjEuU2VuZFByb2R1Y2VyTWVzc2FnZVJlcXVlc3QaJy5raW5wb3N0LnYxLlNlbmRQcm9kdWNlck1lc3NhZ2VSZXNwb25zZRJvChZEaXNjYXJkUHJvZHVjZXJNZXNzYWdlEikua2lucG9zdC52MS5EaXNjYXJkUHJvZHVjZXJNZXNzYWdlUmVxdWVzdBoqLmtpbnBvc3QudjEuRGlzY2FyZFByb2R1Y2VyTWVzc2FnZVJlc3BvbnNlEmMKElVucmVnaXN0ZXJQcm9kdWNlchIlLmtpbnBvc3QudjEuVW5yZWdpc3RlclByb2R1Y2VyUmVxdWVzdBomLmtpbnBvc3QudjEuVW5yZWdpc3RlclByb2R1Y2VyUmVzcG9uc2USVAoNTGlzdFByb2R1Y2VycxIgLmtpbnBvc3QudjEuTGlzdFByb2R1Y2Vyc1JlcXVlc3QaIS5raW5wb3N0LnYxLkxpc3RQcm9kdWNlcnNSZXNwb25zZRJnChJJbnRlcmNlcHRUb29sQ2FsbHMSJS5raW5wb3N0LnYxLkludGVyY2VwdFRvb2xDYWxsc1JlcXVlc3QaJi5raW5wb3N0LnYxLkludGVyY2VwdFRvb2xDYWxsc1Jlc3BvbnNlKAEwAWIGcHJvdG8z", [file_google_protobuf_timestamp, file_kinpost_v1_message, file_kinpost_v1_producer]);
/**
 * Describes the message kinpost.v1.RegisterProducerRequest.
 * Use `create(RegisterProducerRequestSchema)` to create a new message.
 */
export const RegisterProducerRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_producer_service, 0);
/**
 * Describes the message kinpost.v1.RegisterProducerResponse.
 * Use `create(RegisterProducerResponseSchema)` to create a new message.
 */
export const RegisterProducerResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_producer_service, 1);
/**
 * Describes the message kinpost.v1.RenewProducersRequest.
 * Use `create(RenewProducersRequestSchema)` to create a new message.
 */
export const RenewProducersRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_producer_service, 2);
/**
 * Describes the message kinpost.v1.RenewProducersResponse.
 * Use `create(RenewProducersResponseSchema)` to create a new message.
 */
export const RenewProducersResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_producer_service, 3);
/**
 * Describes the message kinpost.v1.SendProducerMessageRequest.
 * Use `create(SendProducerMessageRequestSchema)` to create a new message.
 */
export const SendProducerMessageRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_producer_service, 4);
/**
 * Describes the message kinpost.v1.SendProducerMessageResponse.
 * Use `create(SendProducerMessageResponseSchema)` to create a new message.
 */
export const SendProducerMessageResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_producer_service, 5);
/**
 * Describes the message kinpost.v1.DiscardProducerMessageRequest.
 * Use `create(DiscardProducerMessageRequestSchema)` to create a new message.
 */
export const DiscardProducerMessageRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_producer_service, 6);
/**
 * Describes the message kinpost.v1.DiscardProducerMessageResponse.
 * Use `create(DiscardProducerMessageResponseSchema)` to create a new message.
 */
export const DiscardProducerMessageResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_producer_service, 7);
/**
 * Describes the message kinpost.v1.UnregisterProducerRequest.
 * Use `create(UnregisterProducerRequestSchema)` to create a new message.
 */
export const UnregisterProducerRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_producer_service, 8);
/**
 * Describes the message kinpost.v1.UnregisterProducerResponse.
 * Use `create(UnregisterProducerResponseSchema)` to create a new message.
 */
export const UnregisterProducerResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_producer_service, 9);
/**
 * Describes the message kinpost.v1.ListProducersRequest.
 * Use `create(ListProducersRequestSchema)` to create a new message.
 */
export const ListProducersRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_producer_service, 10);
/**
 * Describes the message kinpost.v1.ListProducersResponse.
 * Use `create(ListProducersResponseSchema)` to create a new message.
 */
export const ListProducersResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_producer_service, 11);
/**
 * Describes the message kinpost.v1.InterceptToolCallsRequest.
 * Use `create(InterceptToolCallsRequestSchema)` to create a new message.
 */
export const InterceptToolCallsRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_producer_service, 12);
/**
 * Describes the message kinpost.v1.InterceptFilter.
 * Use `create(InterceptFilterSchema)` to create a new message.
 */
export const InterceptFilterSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_producer_service, 13);
/**
 * Describes the message kinpost.v1.InterceptVerdict.
 * Use `create(InterceptVerdictSchema)` to create a new message.
 */
export const InterceptVerdictSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_producer_service, 14);
/**
 * Describes the message kinpost.v1.InterceptToolCallsResponse.
 * Use `create(InterceptToolCallsResponseSchema)` to create a new message.
 */
export const InterceptToolCallsResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_producer_service, 15);
/**
 * Producers that put messages into sessions, and plugins that gate tool calls.
 *
 * @generated from service kinpost.v1.ProducerService
 */
export const ProducerService = /*@__PURE__*/ serviceDesc(file_kinpost_v1_producer_service, 0);
