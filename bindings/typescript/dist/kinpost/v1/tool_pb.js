// Tools: what a session's model may see and call.
import { fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
/**
 * Describes the file kinpost/v1/tool.proto.
 */
export const file_kinpost_v1_tool = /*@__PURE__*/ fileDesc("ChVraW5wb3N0L3YxL3Rvb2wucHJvdG8SCmtpbnBvc3QudjEiSQoEVG9vbBIMCgRuYW1lGAEgASgJEhMKC2Rlc2NyaXB0aW9uGAIgASgJEh4KFnBhcmFtZXRlcnNfanNvbl9zY2hlbWEYAyABKAliBnByb3RvMw");
/**
 * Describes the message kinpost.v1.Tool.
 * Use `create(ToolSchema)` to create a new message.
 */
export const ToolSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_tool, 0);
