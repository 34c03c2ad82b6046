// The service for administration.
import { fileDesc, messageDesc, serviceDesc } from "@bufbuild/protobuf/codegenv2";
import { file_google_protobuf_timestamp } from "@bufbuild/protobuf/wkt";
import { file_kinpost_v1_token } from "./token_pb.js";
/**
 * Describes the file kinpost/v1/admin_service.proto.
 */
export const file_kinpost_v1_admin_service = /*@__PURE__*/ fileDesc("Ch5raW5wb3N0L3YxL2FkbWluX3NlcnZpY2UucHJvdG8SCmtpbnBvc3QudjEiFgoUR2V0U2VydmVySW5mb1JlcXVlc3QiwwEKFUdldFNlcnZlckluZm9SZXNwb25zZRIYChBwcm90b2NvbF92ZXJzaW9uGAEgASgNEhwKFHByb3RvY29sX3ZlcnNpb25fbWluGAIgASgNEhYKDnNlcnZlcl92ZXJzaW9uGAMgASgJEg4KBmxvZ19pZBgEIAEoCRIvCgtzZXJ2ZXJfdGltZRgFIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXASGQoRcmVxdWVzdF9ieXRlc19tYXgYBiABKA0irwEKEkNyZWF0ZVRva2VuUmVxdWVzdBIXCg9jbGllbnRfdG9rZW5faWQYASABKAkSJQoFc2NvcGUYAiABKAsyFi5raW5wb3N0LnYxLlRva2VuU2NvcGUSEwoLc2Vzc2lvbl9pZHMYAyADKAkSNAoLZXhwaXJlX3RpbWUYBCABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wSACIAQFCDgoMX2V4cGlyZV90aW1lIjcKE0NyZWF0ZVRva2VuUmVzcG9uc2USEAoIdG9rZW5faWQYASABKAkSDgoGc2VjcmV0GAIgASgJIjoKEUxpc3RUb2tlbnNSZXF1ZXN0EhEKCXBhZ2Vfc2l6ZRgBIAEoDRISCgpwYWdlX3Rva2VuGAIgASgJIlAKEkxpc3RUb2tlbnNSZXNwb25zZRIhCgZ0b2tlbnMYASADKAsyES5raW5wb3N0LnYxLlRva2VuEhcKD25leHRfcGFnZV90b2tlbhgCIAEoCSImChJSZXZva2VUb2tlblJlcXVlc3QSEAoIdG9rZW5faWQYASABKAkiNwoTUmV2b2tlVG9rZW5SZXNwb25zZRIgCgV0b2tlbhgBIAEoCzIRLmtpbnBvc3QudjEuVG9rZW4y0QIKDEFkbWluU2VydmljZRJUCg1HZXRTZXJ2ZXJJbmZvEiAua2lucG9zdC52MS5HZXRTZXJ2ZXJJbmZvUmVxdWVzdBohLmtpbnBvc3QudjEuR2V0U2VydmVySW5mb1Jlc3BvbnNlEk4KC0NyZWF0ZVRva2VuEh4ua2lucG9zdC52MS5DcmVhdGVUb2tlblJlcXVlc3QaHy5raW5wb3N0LnYxLkNyZWF0ZVRva2VuUmVzcG9uc2USSwoKTGlzdFRva2VucxIdLmtpbnBvc3QudjEuTGlzdFRva2Vuc1JlcXVlc3QaHi5raW5wb3N0LnYxLkxpc3RUb2tlbnNSZXNwb25zZRJOCgtSZXZva2VUb2tlbhIeLmtpbnBvc3QudjEuUmV2b2tlVG9rZW5SZXF1ZXN0Gh8ua2lucG9zdC52MS5SZXZva2VUb2tlblJlc3BvbnNlYgZwcm90bzM", [file_google_protobuf_timestamp, file_kinpost_v1_token]);
/**
 * Describes the message kinpost.v1.GetServerInfoRequest.
 * Use `create(GetServerInfoRequestSchema)` to create a new message.
 */
export const GetServerInfoRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_admin_service, 0);
/**
 * Describes the message kinpost.v1.GetServerInfoResponse.
 * Use `create(GetServerInfoResponseSchema)` to create a new message.
 */
export const GetServerInfoResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_admin_service, 1);
/**
 * Describes the message kinpost.v1.CreateTokenRequest.
 * Use `create(CreateTokenRequestSchema)` to create a new message.
 */
export const CreateTokenRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_admin_service, 2);
/**
 * Describes the message kinpost.v1.CreateTokenResponse.
 * Use `create(CreateTokenResponseSchema)` to create a new message.
 */
export const CreateTokenResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_admin_service, 3);
/**
 * Describes the message kinpost.v1.ListTokensRequest.
 * Use `create(ListTokensRequestSchema)` to create a new message.
 */
export const ListTokensRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_admin_service, 4);
/**
 * Describes the message kinpost.v1.ListTokensResponse.
 * Use `create(ListTokensResponseSchema)` to create a new message.
 */
export const ListTokensResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_admin_service, 5);
/**
 * Describes the message kinpost.v1.RevokeTokenRequest.
 * Use `create(RevokeTokenRequestSchema)` to create a new message.
 */
export const RevokeTokenRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_admin_service, 6);
/**
 * Describes the message kinpost.v1.RevokeTokenResponse.
 * Use `create(RevokeTokenResponseSchema)` to create a new message.
 */
export const RevokeTokenResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_admin_service, 7);
/**
 * The server itself and its tokens.
 *
 * @generated from service kinpost.v1.AdminService
 */
export const AdminService = /*@__PURE__*/ serviceDesc(file_kinpost_v1_admin_service, 0);
