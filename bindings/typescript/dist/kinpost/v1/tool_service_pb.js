// The service for tools: what a session's model sees and calls.
import { fileDesc, messageDesc, serviceDesc } from "@bufbuild/protobuf/codegenv2";
import { file_google_protobuf_duration } from "@bufbuild/protobuf/wkt";
import { file_kinpost_v1_tool } from "./tool_pb.js";
/**
 * Describes the file kinpost/v1/tool_service.proto.
 */
export const file_kinpost_v1_tool_service = /*@__PURE__*/ fileDesc("Ch1raW5wb3N0L3YxL3Rvb2xfc2VydmljZS5wcm90bxIKa2lucG9zdC52MSImChBMaXN0VG9vbHNSZXF1ZXN0EhIKCnNlc3Npb25faWQYASABKAkiNAoRTGlzdFRvb2xzUmVzcG9uc2USHwoFdG9vbHMYASADKAsyEC5raW5wb3N0LnYxLlRvb2wiugEKD0NhbGxUb29sUmVxdWVzdBISCgpzZXNzaW9uX2lkGAEgASgJEg4KBnJ1bl9pZBgCIAEoCRIUCgx0b29sX2NhbGxfaWQYAyABKAkSDAoEbmFtZRgEIAEoCRIWCg5hcmd1bWVudHNfanNvbhgFIAEoCRI1Cg1hcHByb3ZhbF93YWl0GAYgASgLMhkuZ29vZ2xlLnByb3RvYnVmLkR1cmF0aW9uSACIAQFCEAoOX2FwcHJvdmFsX3dhaXQiWQoQQ2FsbFRvb2xSZXNwb25zZRIMCgR0ZXh0GAEgASgJEhAKCGlzX2Vycm9yGAIgASgIEgwKBGNvZGUYAyABKAkSFwoPc3RydWN0dXJlZF9qc29uGAQgASgJMp4BCgtUb29sU2VydmljZRJICglMaXN0VG9vbHMSHC5raW5wb3N0LnYxLkxpc3RUb29sc1JlcXVlc3QaHS5raW5wb3N0LnYxLkxpc3RUb29sc1Jlc3BvbnNlEkUKCENhbGxUb29sEhsua2lucG9zdC52MS5DYWxsVG9vbFJlcXVlc3QaHC5raW5wb3N0LnYxLkNhbGxUb29sUmVzcG9uc2ViBnByb3RvMw", [file_google_protobuf_duration, file_kinpost_v1_tool]);
/**
 * Describes the message kinpost.v1.ListToolsRequest.
 * Use `create(ListToolsRequestSchema)` to create a new message.
 */
export const ListToolsRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_tool_service, 0);
/**
 * Describes the message kinpost.v1.ListToolsResponse.
 * Use `create(ListToolsResponseSchema)` to create a new message.
 */
export const ListToolsResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_tool_service, 1);
/**
 * Describes the message kinpost.v1.CallToolRequest.
 * Use `create(CallToolRequestSchema)` to create a new message.
 */
export const CallToolRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_tool_service, 2);
/**
 * Describes the message kinpost.v1.CallToolResponse.
 * Use `create(CallToolResponseSchema)` to create a new message.
 */
export const CallToolResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_tool_service, 3);
/**
 * The tools of a session's model.
 *
 * @generated from service kinpost.v1.ToolService
 */
export const ToolService = /*@__PURE__*/ serviceDesc(file_kinpost_v1_tool_service, 0);
