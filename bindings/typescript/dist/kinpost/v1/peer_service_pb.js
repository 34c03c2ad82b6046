// The service for peer mail, the gRPC twin of the HTTP routes.
import { fileDesc, messageDesc, serviceDesc } from "@bufbuild/protobuf/codegenv2";
import { file_google_protobuf_timestamp } from "@bufbuild/protobuf/wkt";
import { file_kinpost_v1_peer } from "./peer_pb.js";
/**
 * Describes the file kinpost/v1/peer_service.proto.
 */
export const file_kinpost_v1_peer_service = /*@__PURE__*/ fileDesc("Ch1raW5wb3N0L3YxL3BlZXJfc2VydmljZS5wcm90bxIKa2lucG9zdC52MSKBAQoMUGVlckRlbGl2ZXJ5EhEKCWRlbGl2ZXJlZBgBIAEoCBIOCgZxdWV1ZWQYAiABKAgSFwoKd29rZW5fZnJvbRgDIAEoCUgAiAEBEhIKCmlkZW1wb3RlbnQYBCABKAgSEgoKbWVzc2FnZV9pZBgFIAEoCUINCgtfd29rZW5fZnJvbSKJAgoWU2VuZFBlZXJNZXNzYWdlUmVxdWVzdBISCgpzZXNzaW9uX2lkGAEgASgJEhkKEXNvdXJjZV9zZXNzaW9uX2lkGAIgASgJEgwKBHRleHQYAyABKAkSEQoEdGxkchgEIAEoCUgAiAEBEhkKEWNsaWVudF9yZXF1ZXN0X2lkGAUgASgJEh8KF2NvbmZpcm1faW5hY3RpdmVfdGFyZ2V0GAYgASgIEh4KFmNvbmZpcm1faW50ZXJydXB0X3R1cm4YByABKAgSIAoYYWxsb3dfcmVvcGVuX3VzZXJfY2xvc2VkGAggASgIEhgKEHF1ZXVlX2lmX2xpbWl0ZWQYCSABKAhCBwoFX3RsZHIiRQoXU2VuZFBlZXJNZXNzYWdlUmVzcG9uc2USKgoIZGVsaXZlcnkYASABKAsyGC5raW5wb3N0LnYxLlBlZXJEZWxpdmVyeSKzAQobQnJvYWRjYXN0UGVlck1lc3NhZ2VSZXF1ZXN0EhMKC3Nlc3Npb25faWRzGAEgAygJEhkKEXNvdXJjZV9zZXNzaW9uX2lkGAIgASgJEgwKBHRleHQYAyABKAkSEQoEdGxkchgEIAEoCUgAiAEBEhkKEWNsaWVudF9yZXF1ZXN0X2lkGAUgASgJEh8KF2NvbmZpcm1faW5hY3RpdmVfdGFyZ2V0GAYgASgIQgcKBV90bGRyIoYBChNQZWVyQnJvYWRjYXN0UmVzdWx0EhIKCnNlc3Npb25faWQYASABKAkSLwoIZGVsaXZlcnkYAiABKAsyGC5raW5wb3N0LnYxLlBlZXJEZWxpdmVyeUgAiAEBEg0KBWVycm9yGAMgASgJEg4KBmRldGFpbBgEIAEoCUILCglfZGVsaXZlcnkiUAocQnJvYWRjYXN0UGVlck1lc3NhZ2VSZXNwb25zZRIwCgdyZXN1bHRzGAEgAygLMh8ua2lucG9zdC52MS5QZWVyQnJvYWRjYXN0UmVzdWx0IqYBCg9Gb2xsb3dVcFJlcXVlc3QSEgoKc2Vzc2lvbl9pZBgBIAEoCRIZChFzb3VyY2Vfc2Vzc2lvbl9pZBgCIAEoCRIMCgR0ZXh0GAMgASgJEhEKBHRsZHIYBCABKAlIAIgBARIZChFjbGllbnRfcmVxdWVzdF9pZBgFIAEoCRIfChdjb25maXJtX2luYWN0aXZlX3RhcmdldBgGIAEoCEIHCgVfdGxkciI+ChBGb2xsb3dVcFJlc3BvbnNlEioKCGRlbGl2ZXJ5GAEgASgLMhgua2lucG9zdC52MS5QZWVyRGVsaXZlcnkijQEKF1F1ZXVlUGVlck1lc3NhZ2VSZXF1ZXN0EhIKCnNlc3Npb25faWQYASABKAkSGQoRc291cmNlX3Nlc3Npb25faWQYAiABKAkSDAoEdGV4dBgDIAEoCRIRCgR0bGRyGAQgASgJSACIAQESGQoRY2xpZW50X3JlcXVlc3RfaWQYBSABKAlCBwoFX3RsZHIiRgoYUXVldWVQZWVyTWVzc2FnZVJlc3BvbnNlEioKCGRlbGl2ZXJ5GAEgASgLMhgua2lucG9zdC52MS5QZWVyRGVsaXZlcnkiOAoSR2V0UGVlckJvZHlSZXF1ZXN0Eg8KB2JvZHlfaWQYASABKAkSEQoJbWV0YV9vbmx5GAIgASgIIlAKE0dldFBlZXJCb2R5UmVzcG9uc2USEQoEdGV4dBgBIAEoCUgAiAEBEg0KBWNoYXJzGAIgASgNEg4KBnRva2VucxgDIAEoDUIHCgVfdGV4dCJAChtMaXN0UGVlck1lc3NhZ2VzU2VudFJlcXVlc3QSEgoKc2Vzc2lvbl9pZBgBIAEoCRINCgVsaW1pdBgCIAEoBSK6AQocTGlzdFBlZXJNZXNzYWdlc1NlbnRSZXNwb25zZRIwCghtZXNzYWdlcxgBIAMoCzIeLmtpbnBvc3QudjEuUGVlck1lc3NhZ2VTdW1tYXJ5EhYKDnJldGFpbmVkX3Njb3BlGAIgASgJEjoKEXN0b3JlX2hvbGRzX3NpbmNlGAMgASgLMhouZ29vZ2xlLnByb3RvYnVmLlRpbWVzdGFtcEgAiAEBQhQKEl9zdG9yZV9ob2xkc19zaW5jZSI/ChZMaXN0RGVhZExldHRlcnNSZXF1ZXN0EhEKCXBhZ2Vfc2l6ZRgBIAEoDRISCgpwYWdlX3Rva2VuGAIgASgJImAKF0xpc3REZWFkTGV0dGVyc1Jlc3BvbnNlEiwKDGRlYWRfbGV0dGVycxgBIAMoCzIWLmtpbnBvc3QudjEuRGVhZExldHRlchIXCg9uZXh0X3BhZ2VfdG9rZW4YAiABKAkiTwoaUmVkZWxpdmVyRGVhZExldHRlclJlcXVlc3QSFgoOZGVhZF9sZXR0ZXJfaWQYASABKAkSGQoRY2xpZW50X3JlcXVlc3RfaWQYAiABKAkiSQobUmVkZWxpdmVyRGVhZExldHRlclJlc3BvbnNlEioKCGRlbGl2ZXJ5GAEgASgLMhgua2lucG9zdC52MS5QZWVyRGVsaXZlcnky+QUKC1BlZXJTZXJ2aWNlEloKD1NlbmRQZWVyTWVzc2FnZRIiLmtpbnBvc3QudjEuU2VuZFBlZXJNZXNzYWdlUmVxdWVzdBojLmtpbnBvc3QudjEuU2VuZFBlZXJNZXNzYWdlUmVzcG9uc2USaQoUQnJvYWRjYXN0UGVlck1lc3NhZ2USJy5raW5wb3N0LnYxLkJyb2FkY2FzdFBlZXJNZXNzYWdlUmVxdWVzdBooLmtpbnBvc3QudjEuQnJvYWRjYXN0UGVlck1lc3NhZ2VSZXNwb25zZRJFCghGb2xsb3dVcBIbLmtpbnBvc3QudjEuRm9sbG93VXBSZXF1ZXN0Ghwua2lucG9zdC52MS5Gb2xsb3dVcFJlc3BvbnNlEl0KEFF1ZXVlUGVlck1lc3NhZ2USIy5raW5wb3N0LnYxLlF1ZXVlUGVlck1lc3NhZ2VSZXF1ZXN0GiQua2lucG9zdC52MS5RdWV1ZVBlZXJNZXNzYWdlUmVzcG9uc2USTgoLR2V0UGVlckJvZHkSHi5raW5wb3N0LnYxLkdldFBlZXJCb2R5UmVxdWVzdBofLmtpbnBvc3QudjEuR2V0UGVlckJvZHlSZXNwb25zZRJpChRMaXN0UGVlck1lc3NhZ2VzU2VudBInLmtpbnBvc3QudjEuTGlzdFBlZXJNZXNzYWdlc1NlbnRSZXF1ZXN0Gigua2lucG9zdC52MS5MaXN0UGVlck1lc3NhZ2VzU2VudFJlc3BvbnNlEloKD0xpc3REZWFkTGV0dGVycxIiLmtpbnBvc3QudjEuTGlzdERlYWRMZXR0ZXJzUmVxdWVzdBojLmtpbnBvc3QudjEuTGlzdERlYWRMZXR0ZXJzUmVzcG9uc2USZgoTUmVkZWxpdmVyRGVhZExldHRlchImLmtpbnBvc3QudjEuUmVkZWxpdmVyRGVhZExldHRlclJlcXVlc3QaJy5raW5wb3N0LnYxLlJlZGVsaXZlckRlYWRMZXR0ZXJSZXNwb25zZWIGcHJvdG8z", [file_google_protobuf_timestamp, file_kinpost_v1_peer]);
/**
 * Describes the message kinpost.v1.PeerDelivery.
 * Use `create(PeerDeliverySchema)` to create a new message.
 */
export const PeerDeliverySchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_peer_service, 0);
/**
 * Describes the message kinpost.v1.SendPeerMessageRequest.
 * Use `create(SendPeerMessageRequestSchema)` to create a new message.
 */
export const SendPeerMessageRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_peer_service, 1);
/**
 * Describes the message kinpost.v1.SendPeerMessageResponse.
 * Use `create(SendPeerMessageResponseSchema)` to create a new message.
 */
export const SendPeerMessageResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_peer_service, 2);
/**
 * Describes the message kinpost.v1.BroadcastPeerMessageRequest.
 * Use `create(BroadcastPeerMessageRequestSchema)` to create a new message.
 */
export const BroadcastPeerMessageRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_peer_service, 3);
/**
 * Describes the message kinpost.v1.PeerBroadcastResult.
 * Use `create(PeerBroadcastResultSchema)` to create a new message.
 */
export const PeerBroadcastResultSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_peer_service, 4);
/**
 * Describes the message kinpost.v1.BroadcastPeerMessageResponse.
 * Use `create(BroadcastPeerMessageResponseSchema)` to create a new message.
 */
export const BroadcastPeerMessageResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_peer_service, 5);
/**
 * Describes the message kinpost.v1.FollowUpRequest.
 * Use `create(FollowUpRequestSchema)` to create a new message.
 */
export const FollowUpRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_peer_service, 6);
/**
 * Describes the message kinpost.v1.FollowUpResponse.
 * Use `create(FollowUpResponseSchema)` to create a new message.
 */
export const FollowUpResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_peer_service, 7);
/**
 * Describes the message kinpost.v1.QueuePeerMessageRequest.
 * Use `create(QueuePeerMessageRequestSchema)` to create a new message.
 */
export const QueuePeerMessageRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_peer_service, 8);
/**
 * Describes the message kinpost.v1.QueuePeerMessageResponse.
 * Use `create(QueuePeerMessageResponseSchema)` to create a new message.
 */
export const QueuePeerMessageResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_peer_service, 9);
/**
 * Describes the message kinpost.v1.GetPeerBodyRequest.
 * Use `create(GetPeerBodyRequestSchema)` to create a new message.
 */
export const GetPeerBodyRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_peer_service, 10);
/**
 * Describes the message kinpost.v1.GetPeerBodyResponse.
 * Use `create(GetPeerBodyResponseSchema)` to create a new message.
 */
export const GetPeerBodyResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_peer_service, 11);
/**
 * Describes the message kinpost.v1.ListPeerMessagesSentRequest.
 * Use `create(ListPeerMessagesSentRequestSchema)` to create a new message.
 */
export const ListPeerMessagesSentRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_peer_service, 12);
/**
 * Describes the message kinpost.v1.ListPeerMessagesSentResponse.
 * Use `create(ListPeerMessagesSentResponseSchema)` to create a new message.
 */
export const ListPeerMessagesSentResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_peer_service, 13);
/**
 * Describes the message kinpost.v1.ListDeadLettersRequest.
 * Use `create(ListDeadLettersRequestSchema)` to create a new message.
 */
export const ListDeadLettersRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_peer_service, 14);
/**
 * Describes the message kinpost.v1.ListDeadLettersResponse.
 * Use `create(ListDeadLettersResponseSchema)` to create a new message.
 */
export const ListDeadLettersResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_peer_service, 15);
/**
 * Describes the message kinpost.v1.RedeliverDeadLetterRequest.
 * Use `create(RedeliverDeadLetterRequestSchema)` to create a new message.
 */
export const RedeliverDeadLetterRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_peer_service, 16);
/**
 * Describes the message kinpost.v1.RedeliverDeadLetterResponse.
 * Use `create(RedeliverDeadLetterResponseSchema)` to create a new message.
 */
export const RedeliverDeadLetterResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_peer_service, 17);
/**
 * Any session to any session, on the authority of a bearer token.
 *
 * @generated from service kinpost.v1.PeerService
 */
export const PeerService = /*@__PURE__*/ serviceDesc(file_kinpost_v1_peer_service, 0);
