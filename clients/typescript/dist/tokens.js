// Tokens, for an admin: who may call, and for what.
import { randomUUID } from "node:crypto";
import { TokenKind as WireKind } from "@kinpost/protocol";
import * as convert from "./convert.js";
import { numberOf, timestamp } from "./words.js";
/** What an admin does with tokens; `client.tokens` is it. Others get Forbidden. */
export class Tokens {
    #calls;
    constructor(calls) {
        this.#calls = calls;
    }
    /**
     * Makes a token and returns its secret, which is shown this once.
     *
     * `sessionIds`: exactly one for "session", 1 to 1000 for "peer". `pluginName`: for "plugin". Throws InvalidRequest,
     * Forbidden, SessionNotFound.
     */
    async create(kind, options = {}) {
        const { sessionIds = [], pluginName = "", expireTime } = options;
        const wishes = {
            scope: { kind: numberOf(WireKind, kind), pluginName },
            sessionIds: [...sessionIds],
            ...(expireTime !== undefined && { expireTime: timestamp(expireTime) }),
        };
        for (;;) {
            const request = { ...wishes, clientTokenId: randomUUID() };
            const made = await this.#calls.unary((options) => this.#calls.admin.createToken(request, options));
            if (made.secret) {
                return { tokenId: made.tokenId, secret: made.secret };
            }
            // The first answer was lost on its way, and its secret with it: nobody can use that token.
            await this.revoke(made.tokenId);
        }
    }
    /** Returns all tokens, revoked ones included, in the order of their making. */
    async *list() {
        let pageToken = "";
        do {
            const page = await this.#calls.unary((options) => this.#calls.admin.listTokens({ pageToken }, options));
            yield* page.tokens.map(convert.token);
            pageToken = page.nextPageToken;
        } while (pageToken);
    }
    /** Ends a token at once. Safe to repeat. Throws TokenNotFound. */
    async revoke(tokenId) {
        const answer = await this.#calls.unary((options) => this.#calls.admin.revokeToken({ tokenId }, options));
        return convert.token(answer.token);
    }
}
