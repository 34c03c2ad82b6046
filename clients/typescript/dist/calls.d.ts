import { type CallOptions, type Client } from "@connectrpc/connect";
import { AdminService, ApprovalService, EventService, MessagingService, PeerService, ProducerService, RunService, SessionService, ToolService } from "@kinpost/protocol";
import type { Channel } from "./channel.js";
import type { Log } from "./log.js";
import { type Retry } from "./retry.js";
/** What one call may want otherwise than its client's patience says. */
export interface Patience {
    readonly giveUpSeconds?: number;
    readonly attemptSeconds?: number;
    /** More for each attempt, when the service was asked to wait so long before it answers. */
    readonly extraSeconds?: number;
    /** Breaks the call off: it rejects with the signal's reason. */
    readonly signal?: AbortSignal | undefined;
}
/** The services on one channel, and the way to call them. */
export declare class Calls {
    readonly channel: Channel;
    readonly retry: Retry;
    readonly log: Log;
    readonly sessions: Client<typeof SessionService>;
    readonly runs: Client<typeof RunService>;
    readonly messaging: Client<typeof MessagingService>;
    readonly tools: Client<typeof ToolService>;
    readonly producers: Client<typeof ProducerService>;
    readonly peers: Client<typeof PeerService>;
    readonly events: Client<typeof EventService>;
    readonly approvals: Client<typeof ApprovalService>;
    readonly admin: Client<typeof AdminService>;
    constructor(channel: Channel, retry: Retry, log: Log);
    /**
     * Calls once, or as often as `Retry` lets it while the failure is transient. Throws KinpostError.
     *
     * The request must carry an identity, so that repeating it does nothing twice.
     */
    unary<Answer>(call: (options: CallOptions) => Promise<Answer>, patience?: Patience): Promise<Answer>;
}
