import type { GenEnum, GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file kinpost/v1/token.proto.
 */
export declare const file_kinpost_v1_token: GenFile;
/**
 * A token's scope.
 *
 * @generated from message kinpost.v1.TokenScope
 */
export type TokenScope = Message<"kinpost.v1.TokenScope"> & {
    /**
     * What it is for.
     *
     * @generated from field: kinpost.v1.TokenKind kind = 1;
     */
    kind: TokenKind;
    /**
     * The plugin's name, for PLUGIN: 1 to 64 of a-z, 0-9, `_`, `-`.
     *
     * @generated from field: string plugin_name = 2;
     */
    pluginName: string;
};
/**
 * Describes the message kinpost.v1.TokenScope.
 * Use `create(TokenScopeSchema)` to create a new message.
 */
export declare const TokenScopeSchema: GenMessage<TokenScope>;
/**
 * A token without its secret.
 *
 * @generated from message kinpost.v1.Token
 */
export type Token = Message<"kinpost.v1.Token"> & {
    /**
     * The token's UUID.
     *
     * @generated from field: string token_id = 1;
     */
    tokenId: string;
    /**
     * What it may do.
     *
     * @generated from field: kinpost.v1.TokenScope scope = 2;
     */
    scope?: TokenScope | undefined;
    /**
     * The sessions it is bound to, for SESSION and PEER.
     *
     * @generated from field: repeated string session_ids = 3;
     */
    sessionIds: string[];
    /**
     * When it was made.
     *
     * @generated from field: google.protobuf.Timestamp create_time = 4;
     */
    createTime?: Timestamp | undefined;
    /**
     * When it expires, if it does.
     *
     * @generated from field: optional google.protobuf.Timestamp expire_time = 5;
     */
    expireTime?: Timestamp | undefined;
    /**
     * When it was revoked, if it was.
     *
     * @generated from field: optional google.protobuf.Timestamp revoke_time = 6;
     */
    revokeTime?: Timestamp | undefined;
};
/**
 * Describes the message kinpost.v1.Token.
 * Use `create(TokenSchema)` to create a new message.
 */
export declare const TokenSchema: GenMessage<Token>;
/**
 * What a token is for.
 *
 * @generated from enum kinpost.v1.TokenKind
 */
export declare enum TokenKind {
    /**
     * @generated from enum value: TOKEN_KIND_UNSPECIFIED = 0;
     */
    UNSPECIFIED = 0,
    /**
     * Everything.
     *
     * @generated from enum value: TOKEN_KIND_ADMIN = 1;
     */
    ADMIN = 1,
    /**
     * Hosts the sessions that it created, runs, or was offered.
     *
     * @generated from enum value: TOKEN_KIND_RUNTIME = 2;
     */
    RUNTIME = 2,
    /**
     * Acts as exactly one session.
     *
     * @generated from enum value: TOKEN_KIND_SESSION = 3;
     */
    SESSION = 3,
    /**
     * Reads everything, changes nothing.
     *
     * @generated from enum value: TOKEN_KIND_OBSERVER = 4;
     */
    OBSERVER = 4,
    /**
     * Decides approvals; opens, pauses and closes sessions for a person.
     *
     * @generated from enum value: TOKEN_KIND_APPROVER = 5;
     */
    APPROVER = 5,
    /**
     * A named plugin.
     *
     * @generated from enum value: TOKEN_KIND_PLUGIN = 6;
     */
    PLUGIN = 6,
    /**
     * Acts for the sessions it was made for, by the peer routes.
     *
     * @generated from enum value: TOKEN_KIND_PEER = 7;
     */
    PEER = 7
}
/**
 * Describes the enum kinpost.v1.TokenKind.
 */
export declare const TokenKindSchema: GenEnum<TokenKind>;
