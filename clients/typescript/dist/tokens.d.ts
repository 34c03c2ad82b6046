import type { Calls } from "./calls.js";
import type { NewToken, Token } from "./records.js";
import type { Said, TokenKind } from "./terms.js";
/** What an admin does with tokens; `client.tokens` is it. Others get Forbidden. */
export declare class Tokens {
    #private;
    constructor(calls: Calls);
    /**
     * Makes a token and returns its secret, which is shown this once.
     *
     * `sessionIds`: exactly one for "session", 1 to 1000 for "peer". `pluginName`: for "plugin". Throws InvalidRequest,
     * Forbidden, SessionNotFound.
     */
    create(kind: Said<TokenKind>, options?: {
        readonly sessionIds?: Iterable<string>;
        readonly pluginName?: string;
        readonly expireTime?: Date;
    }): Promise<NewToken>;
    /** Returns all tokens, revoked ones included, in the order of their making. */
    list(): AsyncGenerator<Token, void, void>;
    /** Ends a token at once. Safe to repeat. Throws TokenNotFound. */
    revoke(tokenId: string): Promise<Token>;
}
