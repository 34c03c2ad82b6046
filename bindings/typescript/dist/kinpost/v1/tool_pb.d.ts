import type { GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file kinpost/v1/tool.proto.
 */
export declare const file_kinpost_v1_tool: GenFile;
/**
 * One tool as a model sees it.
 *
 * @generated from message kinpost.v1.Tool
 */
export type Tool = Message<"kinpost.v1.Tool"> & {
    /**
     * The tool's name.
     *
     * @generated from field: string name = 1;
     */
    name: string;
    /**
     * What it does, for the model.
     *
     * @generated from field: string description = 2;
     */
    description: string;
    /**
     * JSON Schema, draft 2020-12, strict.
     *
     * @generated from field: string parameters_json_schema = 3;
     */
    parametersJsonSchema: string;
};
/**
 * Describes the message kinpost.v1.Tool.
 * Use `create(ToolSchema)` to create a new message.
 */
export declare const ToolSchema: GenMessage<Tool>;
