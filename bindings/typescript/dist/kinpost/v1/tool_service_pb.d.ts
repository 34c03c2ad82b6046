import type { GenFile, GenMessage, GenService } from "@bufbuild/protobuf/codegenv2";
import type { Duration } from "@bufbuild/protobuf/wkt";
import type { Tool } from "./tool_pb.js";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file kinpost/v1/tool_service.proto.
 */
export declare const file_kinpost_v1_tool_service: GenFile;
/**
 * See ToolService.ListTools.
 *
 * @generated from message kinpost.v1.ListToolsRequest
 */
export type ListToolsRequest = Message<"kinpost.v1.ListToolsRequest"> & {
    /**
     * The session.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
};
/**
 * Describes the message kinpost.v1.ListToolsRequest.
 * Use `create(ListToolsRequestSchema)` to create a new message.
 */
export declare const ListToolsRequestSchema: GenMessage<ListToolsRequest>;
/**
 * See ToolService.ListTools.
 *
 * @generated from message kinpost.v1.ListToolsResponse
 */
export type ListToolsResponse = Message<"kinpost.v1.ListToolsResponse"> & {
    /**
     * May be empty.
     *
     * @generated from field: repeated kinpost.v1.Tool tools = 1;
     */
    tools: Tool[];
};
/**
 * Describes the message kinpost.v1.ListToolsResponse.
 * Use `create(ListToolsResponseSchema)` to create a new message.
 */
export declare const ListToolsResponseSchema: GenMessage<ListToolsResponse>;
/**
 * See ToolService.CallTool.
 *
 * @generated from message kinpost.v1.CallToolRequest
 */
export type CallToolRequest = Message<"kinpost.v1.CallToolRequest"> & {
    /**
     * The session.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
    /**
     * Its active run.
     *
     * @generated from field: string run_id = 2;
     */
    runId: string;
    /**
     * The tool call, unique within the run; 1 to 256 bytes.
     *
     * @generated from field: string tool_call_id = 3;
     */
    toolCallId: string;
    /**
     * The tool, 1 to 128 bytes.
     *
     * @generated from field: string name = 4;
     */
    name: string;
    /**
     * The model's arguments, raw: a JSON object.
     *
     * @generated from field: string arguments_json = 5;
     */
    argumentsJson: string;
    /**
     * Where a rule asks a person: wait for the answer so long, at most 10 minutes.
     *
     * @generated from field: optional google.protobuf.Duration approval_wait = 6;
     */
    approvalWait?: Duration | undefined;
};
/**
 * Describes the message kinpost.v1.CallToolRequest.
 * Use `create(CallToolRequestSchema)` to create a new message.
 */
export declare const CallToolRequestSchema: GenMessage<CallToolRequest>;
/**
 * See ToolService.CallTool.
 *
 * @generated from message kinpost.v1.CallToolResponse
 */
export type CallToolResponse = Message<"kinpost.v1.CallToolResponse"> & {
    /**
     * For the model; at most 8 KiB.
     *
     * @generated from field: string text = 1;
     */
    text: string;
    /**
     * Whether the call was refused.
     *
     * @generated from field: bool is_error = 2;
     */
    isError: boolean;
    /**
     * The stable code of a refusal, or `approval:pending`.
     *
     * @generated from field: string code = 3;
     */
    code: string;
    /**
     * The result as JSON: `message_id`, `mode` and `recipient_state`, or `code` and what belongs to it
     * (`approval_id` and `expire_time` of one that is pending).
     *
     * @generated from field: string structured_json = 4;
     */
    structuredJson: string;
};
/**
 * Describes the message kinpost.v1.CallToolResponse.
 * Use `create(CallToolResponseSchema)` to create a new message.
 */
export declare const CallToolResponseSchema: GenMessage<CallToolResponse>;
/**
 * The tools of a session's model.
 *
 * @generated from service kinpost.v1.ToolService
 */
export declare const ToolService: GenService<{
    /**
     * Returns what this session's model may see. `send_message` is there only when the session's rules allow, or ask a
     * person about, some relationship.
     *
     * Errors: request:invalid; session:not_found.
     *
     * @generated from rpc kinpost.v1.ToolService.ListTools
     */
    listTools: {
        methodKind: "unary";
        input: typeof ListToolsRequestSchema;
        output: typeof ListToolsResponseSchema;
    };
    /**
     * Carries out one tool call of a model. What the tool refuses is a result with `is_error`, not a gRPC error.
     * Repeating the call with the same (session, run, tool call) returns the first acceptance. A call that waits for a
     * person still is a result with the code `approval:pending`, and no error.
     *
     * Errors: request:invalid; session:not_found; server:overloaded; storage:unavailable; send_message:engine_shutdown.
     *
     * @generated from rpc kinpost.v1.ToolService.CallTool
     */
    callTool: {
        methodKind: "unary";
        input: typeof CallToolRequestSchema;
        output: typeof CallToolResponseSchema;
    };
}>;
