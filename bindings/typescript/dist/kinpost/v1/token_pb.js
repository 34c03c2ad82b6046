// Tokens: who may call, and for what.
import { enumDesc, fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
import { file_google_protobuf_timestamp } from "@bufbuild/protobuf/wkt";
/**
 * Describes the file kinpost/v1/token.proto.
 */
export const file_kinpost_v1_token = /*@__PURE__*/ fileDesc("ChZraW5wb3N0L3YxL3Rva2VuLnByb3RvEgpraW5wb3N0LnYxIkYKClRva2VuU2NvcGUSIwoEa2luZBgBIAEoDjIVLmtpbnBvc3QudjEuVG9rZW5LaW5kEhMKC3BsdWdpbl9uYW1lGAIgASgJIpICCgVUb2tlbhIQCgh0b2tlbl9pZBgBIAEoCRIlCgVzY29wZRgCIAEoCzIWLmtpbnBvc3QudjEuVG9rZW5TY29wZRITCgtzZXNzaW9uX2lkcxgDIAMoCRIvCgtjcmVhdGVfdGltZRgEIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXASNAoLZXhwaXJlX3RpbWUYBSABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wSACIAQESNAoLcmV2b2tlX3RpbWUYBiABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wSAGIAQFCDgoMX2V4cGlyZV90aW1lQg4KDF9yZXZva2VfdGltZSrLAQoJVG9rZW5LaW5kEhoKFlRPS0VOX0tJTkRfVU5TUEVDSUZJRUQQABIUChBUT0tFTl9LSU5EX0FETUlOEAESFgoSVE9LRU5fS0lORF9SVU5USU1FEAISFgoSVE9LRU5fS0lORF9TRVNTSU9OEAMSFwoTVE9LRU5fS0lORF9PQlNFUlZFUhAEEhcKE1RPS0VOX0tJTkRfQVBQUk9WRVIQBRIVChFUT0tFTl9LSU5EX1BMVUdJThAGEhMKD1RPS0VOX0tJTkRfUEVFUhAHYgZwcm90bzM", [file_google_protobuf_timestamp]);
/**
 * Describes the message kinpost.v1.TokenScope.
 * Use `create(TokenScopeSchema)` to create a new message.
 */
export const TokenScopeSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_token, 0);
/**
 * Describes the message kinpost.v1.Token.
 * Use `create(TokenSchema)` to create a new message.
 */
export const TokenSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_token, 1);
/**
 * What a token is for.
 *
 * @generated from enum kinpost.v1.TokenKind
 */
export var TokenKind;
(function (TokenKind) {
    /**
     * @generated from enum value: TOKEN_KIND_UNSPECIFIED = 0;
     */
    TokenKind[TokenKind["UNSPECIFIED"] = 0] = "UNSPECIFIED";
    /**
     * Everything.
     *
     * @generated from enum value: TOKEN_KIND_ADMIN = 1;
     */
    TokenKind[TokenKind["ADMIN"] = 1] = "ADMIN";
    /**
     * Hosts the sessions that it created, runs, or was offered.
     *
     * @generated from enum value: TOKEN_KIND_RUNTIME = 2;
     */
    TokenKind[TokenKind["RUNTIME"] = 2] = "RUNTIME";
    /**
     * Acts as exactly one session.
     *
     * @generated from enum value: TOKEN_KIND_SESSION = 3;
     */
    TokenKind[TokenKind["SESSION"] = 3] = "SESSION";
    /**
     * Reads everything, changes nothing.
     *
     * @generated from enum value: TOKEN_KIND_OBSERVER = 4;
     */
    TokenKind[TokenKind["OBSERVER"] = 4] = "OBSERVER";
    /**
     * Decides approvals; opens, pauses and closes sessions for a person.
     *
     * @generated from enum value: TOKEN_KIND_APPROVER = 5;
     */
    TokenKind[TokenKind["APPROVER"] = 5] = "APPROVER";
    /**
     * A named plugin.
     *
     * @generated from enum value: TOKEN_KIND_PLUGIN = 6;
     */
    TokenKind[TokenKind["PLUGIN"] = 6] = "PLUGIN";
    /**
     * Acts for the sessions it was made for, by the peer routes.
     *
     * @generated from enum value: TOKEN_KIND_PEER = 7;
     */
    TokenKind[TokenKind["PEER"] = 7] = "PEER";
})(TokenKind || (TokenKind = {}));
/**
 * Describes the enum kinpost.v1.TokenKind.
 */
export const TokenKindSchema = /*@__PURE__*/ enumDesc(file_kinpost_v1_token, 0);
