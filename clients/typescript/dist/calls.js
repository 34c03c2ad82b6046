// One call to the service: its repetition, its failure as a typed exception.
import { createClient } from "@connectrpc/connect";
import { AdminService, ApprovalService, EventService, MessagingService, PeerService, ProducerService, RunService, SessionService, ToolService, } from "@kinpost/protocol";
import { KinpostError } from "./errors.js";
import { Delays } from "./retry.js";
import { sleep } from "./waiting.js";
import { kinpostError } from "./wire_errors.js";
/** The services on one channel, and the way to call them. */
export class Calls {
    channel;
    retry;
    log;
    sessions;
    runs;
    messaging;
    tools;
    producers;
    peers;
    events;
    approvals;
    admin;
    constructor(channel, retry, log) {
        this.channel = channel;
        this.retry = retry;
        this.log = log;
        this.sessions = createClient(SessionService, channel.transport);
        this.runs = createClient(RunService, channel.transport);
        this.messaging = createClient(MessagingService, channel.transport);
        this.tools = createClient(ToolService, channel.transport);
        this.producers = createClient(ProducerService, channel.transport);
        this.peers = createClient(PeerService, channel.transport);
        this.events = createClient(EventService, channel.transport);
        this.approvals = createClient(ApprovalService, channel.transport);
        this.admin = createClient(AdminService, channel.transport);
    }
    /**
     * Calls once, or as often as `Retry` lets it while the failure is transient. Throws KinpostError.
     *
     * The request must carry an identity, so that repeating it does nothing twice.
     */
    async unary(call, patience = {}) {
        const { signal } = patience;
        const extraMs = (patience.extraSeconds ?? 0) * 1000;
        const giveUpTime = performance.now() + (patience.giveUpSeconds ?? this.retry.giveUpSeconds) * 1000 + extraMs;
        const timeoutMs = Math.ceil((patience.attemptSeconds ?? this.retry.attemptSeconds) * 1000 + extraMs);
        const delays = new Delays(this.retry);
        for (;;) {
            signal?.throwIfAborted();
            this.channel.check();
            const { replica } = this.channel;
            let failure;
            try {
                return await call(signal === undefined ? { timeoutMs } : { timeoutMs, signal });
            }
            catch (error) {
                failure = kinpostError(error);
            }
            signal?.throwIfAborted();
            this.channel.check();
            const asked = this.channel.leave(replica, failure);
            if (!(failure instanceof KinpostError) || !failure.transient) {
                throw failure;
            }
            const delay = Math.max(delays.next(), asked);
            if (performance.now() + delay * 1000 > giveUpTime) {
                throw failure;
            }
            await sleep(delay, signal);
        }
    }
}
