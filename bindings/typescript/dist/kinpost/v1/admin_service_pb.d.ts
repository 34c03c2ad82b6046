import type { GenFile, GenMessage, GenService } from "@bufbuild/protobuf/codegenv2";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { Token, TokenScope } from "./token_pb.js";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file kinpost/v1/admin_service.proto.
 */
export declare const file_kinpost_v1_admin_service: GenFile;
/**
 * See AdminService.GetServerInfo.
 *
 * @generated from message kinpost.v1.GetServerInfoRequest
 */
export type GetServerInfoRequest = Message<"kinpost.v1.GetServerInfoRequest"> & {};
/**
 * Describes the message kinpost.v1.GetServerInfoRequest.
 * Use `create(GetServerInfoRequestSchema)` to create a new message.
 */
export declare const GetServerInfoRequestSchema: GenMessage<GetServerInfoRequest>;
/**
 * See AdminService.GetServerInfo.
 *
 * @generated from message kinpost.v1.GetServerInfoResponse
 */
export type GetServerInfoResponse = Message<"kinpost.v1.GetServerInfoResponse"> & {
    /**
     * The version of the contract that the server speaks.
     *
     * @generated from field: uint32 protocol_version = 1;
     */
    protocolVersion: number;
    /**
     * The oldest version that it still serves.
     *
     * @generated from field: uint32 protocol_version_min = 2;
     */
    protocolVersionMin: number;
    /**
     * The server's own version.
     *
     * @generated from field: string server_version = 3;
     */
    serverVersion: string;
    /**
     * Names the log; renewed by a restore.
     *
     * @generated from field: string log_id = 4;
     */
    logId: string;
    /**
     * The server's clock.
     *
     * @generated from field: google.protobuf.Timestamp server_time = 5;
     */
    serverTime?: Timestamp | undefined;
    /**
     * The largest request that it reads, in bytes.
     *
     * @generated from field: uint32 request_bytes_max = 6;
     */
    requestBytesMax: number;
};
/**
 * Describes the message kinpost.v1.GetServerInfoResponse.
 * Use `create(GetServerInfoResponseSchema)` to create a new message.
 */
export declare const GetServerInfoResponseSchema: GenMessage<GetServerInfoResponse>;
/**
 * See AdminService.CreateToken.
 *
 * @generated from message kinpost.v1.CreateTokenRequest
 */
export type CreateTokenRequest = Message<"kinpost.v1.CreateTokenRequest"> & {
    /**
     * The client's own UUID for the token: repeating it makes no second one.
     *
     * @generated from field: string client_token_id = 1;
     */
    clientTokenId: string;
    /**
     * What it may do.
     *
     * @generated from field: kinpost.v1.TokenScope scope = 2;
     */
    scope?: TokenScope | undefined;
    /**
     * The session it acts as (exactly one, for SESSION), or the sessions it acts for (1 to 1000, for PEER).
     *
     * @generated from field: repeated string session_ids = 3;
     */
    sessionIds: string[];
    /**
     * When it expires; unset means never.
     *
     * @generated from field: optional google.protobuf.Timestamp expire_time = 4;
     */
    expireTime?: Timestamp | undefined;
};
/**
 * Describes the message kinpost.v1.CreateTokenRequest.
 * Use `create(CreateTokenRequestSchema)` to create a new message.
 */
export declare const CreateTokenRequestSchema: GenMessage<CreateTokenRequest>;
/**
 * See AdminService.CreateToken.
 *
 * @generated from message kinpost.v1.CreateTokenResponse
 */
export type CreateTokenResponse = Message<"kinpost.v1.CreateTokenResponse"> & {
    /**
     * The token's id: the client's own.
     *
     * @generated from field: string token_id = 1;
     */
    tokenId: string;
    /**
     * The bearer secret; empty when the call repeats an earlier one, whose secret is not kept.
     *
     * @generated from field: string secret = 2;
     */
    secret: string;
};
/**
 * Describes the message kinpost.v1.CreateTokenResponse.
 * Use `create(CreateTokenResponseSchema)` to create a new message.
 */
export declare const CreateTokenResponseSchema: GenMessage<CreateTokenResponse>;
/**
 * See AdminService.ListTokens.
 *
 * @generated from message kinpost.v1.ListTokensRequest
 */
export type ListTokensRequest = Message<"kinpost.v1.ListTokensRequest"> & {
    /**
     * 1 to 1000; 0 means 100.
     *
     * @generated from field: uint32 page_size = 1;
     */
    pageSize: number;
    /**
     * From the last answer.
     *
     * @generated from field: string page_token = 2;
     */
    pageToken: string;
};
/**
 * Describes the message kinpost.v1.ListTokensRequest.
 * Use `create(ListTokensRequestSchema)` to create a new message.
 */
export declare const ListTokensRequestSchema: GenMessage<ListTokensRequest>;
/**
 * See AdminService.ListTokens.
 *
 * @generated from message kinpost.v1.ListTokensResponse
 */
export type ListTokensResponse = Message<"kinpost.v1.ListTokensResponse"> & {
    /**
     * In the order of their making.
     *
     * @generated from field: repeated kinpost.v1.Token tokens = 1;
     */
    tokens: Token[];
    /**
     * Empty at the end.
     *
     * @generated from field: string next_page_token = 2;
     */
    nextPageToken: string;
};
/**
 * Describes the message kinpost.v1.ListTokensResponse.
 * Use `create(ListTokensResponseSchema)` to create a new message.
 */
export declare const ListTokensResponseSchema: GenMessage<ListTokensResponse>;
/**
 * See AdminService.RevokeToken.
 *
 * @generated from message kinpost.v1.RevokeTokenRequest
 */
export type RevokeTokenRequest = Message<"kinpost.v1.RevokeTokenRequest"> & {
    /**
     * The token.
     *
     * @generated from field: string token_id = 1;
     */
    tokenId: string;
};
/**
 * Describes the message kinpost.v1.RevokeTokenRequest.
 * Use `create(RevokeTokenRequestSchema)` to create a new message.
 */
export declare const RevokeTokenRequestSchema: GenMessage<RevokeTokenRequest>;
/**
 * See AdminService.RevokeToken.
 *
 * @generated from message kinpost.v1.RevokeTokenResponse
 */
export type RevokeTokenResponse = Message<"kinpost.v1.RevokeTokenResponse"> & {
    /**
     * The token as it is now.
     *
     * @generated from field: kinpost.v1.Token token = 1;
     */
    token?: Token | undefined;
};
/**
 * Describes the message kinpost.v1.RevokeTokenResponse.
 * Use `create(RevokeTokenResponseSchema)` to create a new message.
 */
export declare const RevokeTokenResponseSchema: GenMessage<RevokeTokenResponse>;
/**
 * The server itself and its tokens.
 *
 * @generated from service kinpost.v1.AdminService
 */
export declare const AdminService: GenService<{
    /**
     * Tells what server this is. Needs no token.
     *
     * Errors: protocol:unsupported_version.
     *
     * @generated from rpc kinpost.v1.AdminService.GetServerInfo
     */
    getServerInfo: {
        methodKind: "unary";
        input: typeof GetServerInfoRequestSchema;
        output: typeof GetServerInfoResponseSchema;
    };
    /**
     * Makes a token; its secret is shown by the first call only.
     *
     * Errors: request:invalid; auth:forbidden; session:not_found; idempotency:conflict.
     *
     * @generated from rpc kinpost.v1.AdminService.CreateToken
     */
    createToken: {
        methodKind: "unary";
        input: typeof CreateTokenRequestSchema;
        output: typeof CreateTokenResponseSchema;
    };
    /**
     * Lists the tokens without their secrets, in the order of their making.
     *
     * Errors: request:invalid; auth:forbidden.
     *
     * @generated from rpc kinpost.v1.AdminService.ListTokens
     */
    listTokens: {
        methodKind: "unary";
        input: typeof ListTokensRequestSchema;
        output: typeof ListTokensResponseSchema;
    };
    /**
     * Ends a token at once; other replicas refuse it as soon as they hear of it. Safe to repeat.
     *
     * Errors: request:invalid; auth:forbidden; token:not_found.
     *
     * @generated from rpc kinpost.v1.AdminService.RevokeToken
     */
    revokeToken: {
        methodKind: "unary";
        input: typeof RevokeTokenRequestSchema;
        output: typeof RevokeTokenResponseSchema;
    };
}>;
