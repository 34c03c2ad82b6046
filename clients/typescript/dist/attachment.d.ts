import type { MessageInitShape } from "@bufbuild/protobuf";
import { type AttachRuntimeRequestSchema } from "@kinpost/protocol";
import type { Calls } from "./calls.js";
import type { Leases } from "./leases.js";
import type { Offers } from "./offers.js";
/** Keeps a runtime attached until it is closed, or until the service refuses it for good. */
export declare class Attachment {
    #private;
    constructor(calls: Calls, offers: Offers, leases: Leases, request: () => MessageInitShape<typeof AttachRuntimeRequestSchema>);
    /**
     * Attaches, and stays so. Throws what the service refuses the attachment with.
     *
     * An unreachable service is waited for as long as any call is repeated.
     */
    start(): Promise<void>;
    /** Lets go of the attachment: the service offers its sessions to others. */
    close(): void;
}
