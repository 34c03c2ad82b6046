import * as wire from "@kinpost/protocol";
import type { Accepted, Approval, Mail, Offer, Registration, SentMessage, ServerInfo, Session, Token, Tool } from "./records.js";
/** Returns a session. */
export declare function session(from: wire.Session | undefined): Session;
/** Returns a producer's registration. */
export declare function registration(from: wire.Producer | undefined): Registration;
/** Returns a claimed message. */
export declare function mail(from: wire.ClaimedMessage): Mail;
/** Returns the promise that a message is stored. */
export declare function accepted(from: wire.MessageAccepted | undefined): Accepted;
/** Returns the sender's view of a message. */
export declare function sentMessage(from: wire.SentMessage | undefined): SentMessage;
/** Returns an offer. */
export declare function offer(from: wire.WakeOffer): Offer;
/** Returns a tool. */
export declare function tool(from: wire.Tool): Tool;
/** Returns an approval. */
export declare function approval(from: wire.Approval | undefined): Approval;
/** Returns a token. */
export declare function token(from: wire.Token | undefined): Token;
/** Returns what server it is. */
export declare function serverInfo(from: wire.GetServerInfoResponse): ServerInfo;
/** Returns what an answer must hold. Throws Error for one that does not: it is not a Kinpost server's. */
export declare function present<Part>(part: Part | undefined): Part;
