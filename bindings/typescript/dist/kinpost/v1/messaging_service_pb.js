// The service for tree mail and user mail.
import { fileDesc, messageDesc, serviceDesc } from "@bufbuild/protobuf/codegenv2";
import { file_google_protobuf_duration } from "@bufbuild/protobuf/wkt";
import { file_kinpost_v1_approval } from "./approval_pb.js";
import { file_kinpost_v1_message } from "./message_pb.js";
/**
 * Describes the file kinpost/v1/messaging_service.proto.
 */
export const file_kinpost_v1_messaging_service = /*@__PURE__*/ fileDesc("CiJraW5wb3N0L3YxL21lc3NhZ2luZ19zZXJ2aWNlLnByb3RvEgpraW5wb3N0LnYxIr4CChJTZW5kTWVzc2FnZVJlcXVlc3QSEgoKc2Vzc2lvbl9pZBgBIAEoCRIOCgZydW5faWQYAiABKAkSFAoMdG9vbF9jYWxsX2lkGAMgASgJEgoKAnRvGAQgASgJEgwKBGJvZHkYBSABKAkSJQoEbW9kZRgGIAEoDjIXLmtpbnBvc3QudjEuTWVzc2FnZU1vZGUSNAoMZXhwaXJlX2FmdGVyGAcgASgLMhkuZ29vZ2xlLnByb3RvYnVmLkR1cmF0aW9uSACIAQESHQoVc3VwZXJzZWRlc19tZXNzYWdlX2lkGAggASgJEjUKDWFwcHJvdmFsX3dhaXQYCSABKAsyGS5nb29nbGUucHJvdG9idWYuRHVyYXRpb25IAYgBAUIPCg1fZXhwaXJlX2FmdGVyQhAKDl9hcHByb3ZhbF93YWl0IokBChNTZW5kTWVzc2FnZVJlc3BvbnNlEi8KCGFjY2VwdGVkGAEgASgLMhsua2lucG9zdC52MS5NZXNzYWdlQWNjZXB0ZWRIABI3ChBwZW5kaW5nX2FwcHJvdmFsGAIgASgLMhsua2lucG9zdC52MS5QZW5kaW5nQXBwcm92YWxIAEIICgZyZXN1bHQiyAEKCUJhdGNoU2VuZBIUCgx0b29sX2NhbGxfaWQYASABKAkSCgoCdG8YAiABKAkSDAoEYm9keRgDIAEoCRIlCgRtb2RlGAQgASgOMhcua2lucG9zdC52MS5NZXNzYWdlTW9kZRI0CgxleHBpcmVfYWZ0ZXIYBSABKAsyGS5nb29nbGUucHJvdG9idWYuRHVyYXRpb25IAIgBARIdChVzdXBlcnNlZGVzX21lc3NhZ2VfaWQYBiABKAlCDwoNX2V4cGlyZV9hZnRlciJkChhCYXRjaFNlbmRNZXNzYWdlc1JlcXVlc3QSEgoKc2Vzc2lvbl9pZBgBIAEoCRIOCgZydW5faWQYAiABKAkSJAoFc2VuZHMYAyADKAsyFS5raW5wb3N0LnYxLkJhdGNoU2VuZCJvCglTZW5kRXJyb3ISDAoEY29kZRgBIAEoCRIPCgdtZXNzYWdlGAIgASgJEjMKC3JldHJ5X2RlbGF5GAMgASgLMhkuZ29vZ2xlLnByb3RvYnVmLkR1cmF0aW9uSACIAQFCDgoMX3JldHJ5X2RlbGF5Iq0BCg9CYXRjaFNlbmRSZXN1bHQSLwoIYWNjZXB0ZWQYASABKAsyGy5raW5wb3N0LnYxLk1lc3NhZ2VBY2NlcHRlZEgAEjcKEHBlbmRpbmdfYXBwcm92YWwYAiABKAsyGy5raW5wb3N0LnYxLlBlbmRpbmdBcHByb3ZhbEgAEiYKBWVycm9yGAMgASgLMhUua2lucG9zdC52MS5TZW5kRXJyb3JIAEIICgZyZXN1bHQiSQoZQmF0Y2hTZW5kTWVzc2FnZXNSZXNwb25zZRIsCgdyZXN1bHRzGAEgAygLMhsua2lucG9zdC52MS5CYXRjaFNlbmRSZXN1bHQifAoWU2VuZFVzZXJNZXNzYWdlUmVxdWVzdBISCgpzZXNzaW9uX2lkGAEgASgJEhkKEWNsaWVudF9tZXNzYWdlX2lkGAIgASgJEgwKBGJvZHkYAyABKAkSJQoEbW9kZRgEIAEoDjIXLmtpbnBvc3QudjEuTWVzc2FnZU1vZGUiSAoXU2VuZFVzZXJNZXNzYWdlUmVzcG9uc2USLQoIYWNjZXB0ZWQYASABKAsyGy5raW5wb3N0LnYxLk1lc3NhZ2VBY2NlcHRlZCI/ChVSZXRyYWN0TWVzc2FnZVJlcXVlc3QSEgoKc2Vzc2lvbl9pZBgBIAEoCRISCgptZXNzYWdlX2lkGAIgASgJIkcKFlJldHJhY3RNZXNzYWdlUmVzcG9uc2USLQoMc2VudF9tZXNzYWdlGAEgASgLMhcua2lucG9zdC52MS5TZW50TWVzc2FnZSI/ChVHZXRTZW50TWVzc2FnZVJlcXVlc3QSEgoKc2Vzc2lvbl9pZBgBIAEoCRISCgptZXNzYWdlX2lkGAIgASgJIkcKFkdldFNlbnRNZXNzYWdlUmVzcG9uc2USLQoMc2VudF9tZXNzYWdlGAEgASgLMhcua2lucG9zdC52MS5TZW50TWVzc2FnZSJ+ChdMaXN0U2VudE1lc3NhZ2VzUmVxdWVzdBISCgpzZXNzaW9uX2lkGAEgASgJEigKBnN0YXRlcxgCIAMoDjIYLmtpbnBvc3QudjEuTWVzc2FnZVN0YXRlEhEKCXBhZ2Vfc2l6ZRgDIAEoDRISCgpwYWdlX3Rva2VuGAQgASgJImMKGExpc3RTZW50TWVzc2FnZXNSZXNwb25zZRIuCg1zZW50X21lc3NhZ2VzGAEgAygLMhcua2lucG9zdC52MS5TZW50TWVzc2FnZRIXCg9uZXh0X3BhZ2VfdG9rZW4YAiABKAkysQQKEE1lc3NhZ2luZ1NlcnZpY2USTgoLU2VuZE1lc3NhZ2USHi5raW5wb3N0LnYxLlNlbmRNZXNzYWdlUmVxdWVzdBofLmtpbnBvc3QudjEuU2VuZE1lc3NhZ2VSZXNwb25zZRJgChFCYXRjaFNlbmRNZXNzYWdlcxIkLmtpbnBvc3QudjEuQmF0Y2hTZW5kTWVzc2FnZXNSZXF1ZXN0GiUua2lucG9zdC52MS5CYXRjaFNlbmRNZXNzYWdlc1Jlc3BvbnNlEloKD1NlbmRVc2VyTWVzc2FnZRIiLmtpbnBvc3QudjEuU2VuZFVzZXJNZXNzYWdlUmVxdWVzdBojLmtpbnBvc3QudjEuU2VuZFVzZXJNZXNzYWdlUmVzcG9uc2USVwoOUmV0cmFjdE1lc3NhZ2USIS5raW5wb3N0LnYxLlJldHJhY3RNZXNzYWdlUmVxdWVzdBoiLmtpbnBvc3QudjEuUmV0cmFjdE1lc3NhZ2VSZXNwb25zZRJXCg5HZXRTZW50TWVzc2FnZRIhLmtpbnBvc3QudjEuR2V0U2VudE1lc3NhZ2VSZXF1ZXN0GiIua2lucG9zdC52MS5HZXRTZW50TWVzc2FnZVJlc3BvbnNlEl0KEExpc3RTZW50TWVzc2FnZXMSIy5raW5wb3N0LnYxLkxpc3RTZW50TWVzc2FnZXNSZXF1ZXN0GiQua2lucG9zdC52MS5MaXN0U2VudE1lc3NhZ2VzUmVzcG9uc2ViBnByb3RvMw", [file_google_protobuf_duration, file_kinpost_v1_approval, file_kinpost_v1_message]);
/**
 * Describes the message kinpost.v1.SendMessageRequest.
 * Use `create(SendMessageRequestSchema)` to create a new message.
 */
export const SendMessageRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_messaging_service, 0);
/**
 * Describes the message kinpost.v1.SendMessageResponse.
 * Use `create(SendMessageResponseSchema)` to create a new message.
 */
export const SendMessageResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_messaging_service, 1);
/**
 * Describes the message kinpost.v1.BatchSend.
 * Use `create(BatchSendSchema)` to create a new message.
 */
export const BatchSendSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_messaging_service, 2);
/**
 * Describes the message kinpost.v1.BatchSendMessagesRequest.
 * Use `create(BatchSendMessagesRequestSchema)` to create a new message.
 */
export const BatchSendMessagesRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_messaging_service, 3);
/**
 * Describes the message kinpost.v1.SendError.
 * Use `create(SendErrorSchema)` to create a new message.
 */
export const SendErrorSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_messaging_service, 4);
/**
 * Describes the message kinpost.v1.BatchSendResult.
 * Use `create(BatchSendResultSchema)` to create a new message.
 */
export const BatchSendResultSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_messaging_service, 5);
/**
 * Describes the message kinpost.v1.BatchSendMessagesResponse.
 * Use `create(BatchSendMessagesResponseSchema)` to create a new message.
 */
export const BatchSendMessagesResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_messaging_service, 6);
/**
 * Describes the message kinpost.v1.SendUserMessageRequest.
 * Use `create(SendUserMessageRequestSchema)` to create a new message.
 */
export const SendUserMessageRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_messaging_service, 7);
/**
 * Describes the message kinpost.v1.SendUserMessageResponse.
 * Use `create(SendUserMessageResponseSchema)` to create a new message.
 */
export const SendUserMessageResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_messaging_service, 8);
/**
 * Describes the message kinpost.v1.RetractMessageRequest.
 * Use `create(RetractMessageRequestSchema)` to create a new message.
 */
export const RetractMessageRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_messaging_service, 9);
/**
 * Describes the message kinpost.v1.RetractMessageResponse.
 * Use `create(RetractMessageResponseSchema)` to create a new message.
 */
export const RetractMessageResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_messaging_service, 10);
/**
 * Describes the message kinpost.v1.GetSentMessageRequest.
 * Use `create(GetSentMessageRequestSchema)` to create a new message.
 */
export const GetSentMessageRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_messaging_service, 11);
/**
 * Describes the message kinpost.v1.GetSentMessageResponse.
 * Use `create(GetSentMessageResponseSchema)` to create a new message.
 */
export const GetSentMessageResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_messaging_service, 12);
/**
 * Describes the message kinpost.v1.ListSentMessagesRequest.
 * Use `create(ListSentMessagesRequestSchema)` to create a new message.
 */
export const ListSentMessagesRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_messaging_service, 13);
/**
 * Describes the message kinpost.v1.ListSentMessagesResponse.
 * Use `create(ListSentMessagesResponseSchema)` to create a new message.
 */
export const ListSentMessagesResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_messaging_service, 14);
/**
 * Tree mail between agents, and people's mail to a session.
 *
 * @generated from service kinpost.v1.MessagingService
 */
export const MessagingService = /*@__PURE__*/ serviceDesc(file_kinpost_v1_messaging_service, 0);
