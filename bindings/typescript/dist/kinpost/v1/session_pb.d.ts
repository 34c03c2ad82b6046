import type { GenEnum, GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file kinpost/v1/session.proto.
 */
export declare const file_kinpost_v1_session: GenFile;
/**
 * One permission rule for the action `message`.
 *
 * @generated from message kinpost.v1.MessageRule
 */
export type MessageRule = Message<"kinpost.v1.MessageRule"> & {
    /**
     * Matches the recipient's relationship to the sender: `parent`, `child`, `sibling`, else `*`.
     * 1 to 64 characters; `*` is the only metacharacter.
     *
     * @generated from field: string pattern = 1;
     */
    pattern: string;
    /**
     * What happens when this rule wins. A literal label beats a pattern; of patterns the longer literal part wins.
     *
     * @generated from field: kinpost.v1.RuleDecision decision = 2;
     */
    decision: RuleDecision;
};
/**
 * Describes the message kinpost.v1.MessageRule.
 * Use `create(MessageRuleSchema)` to create a new message.
 */
export declare const MessageRuleSchema: GenMessage<MessageRule>;
/**
 * Rules given as fields, in place of an agent document.
 *
 * @generated from message kinpost.v1.MessageRules
 */
export type MessageRules = Message<"kinpost.v1.MessageRules"> & {
    /**
     * At most 64; patterns are unique. No rule is deny.
     *
     * @generated from field: repeated kinpost.v1.MessageRule rules = 1;
     */
    rules: MessageRule[];
};
/**
 * Describes the message kinpost.v1.MessageRules.
 * Use `create(MessageRulesSchema)` to create a new message.
 */
export declare const MessageRulesSchema: GenMessage<MessageRules>;
/**
 * One agent's conversation.
 *
 * @generated from message kinpost.v1.Session
 */
export type Session = Message<"kinpost.v1.Session"> & {
    /**
     * The session's UUID, canonical lower case.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
    /**
     * The root of its tree; its own id for a root.
     *
     * @generated from field: string root_session_id = 2;
     */
    rootSessionId: string;
    /**
     * The session that delegated it; unset for a root.
     *
     * @generated from field: optional string parent_session_id = 3;
     */
    parentSessionId?: string | undefined;
    /**
     * The parent's run that delegated it.
     *
     * @generated from field: optional string parent_run_id = 4;
     */
    parentRunId?: string | undefined;
    /**
     * The tool call that delegated it.
     *
     * @generated from field: optional string parent_tool_call_id = 5;
     */
    parentToolCallId?: string | undefined;
    /**
     * 0 for a root.
     *
     * @generated from field: uint32 depth = 6;
     */
    depth: number;
    /**
     * Its short name, unique in its tree for ever; unset for a session without one.
     *
     * @generated from field: optional string handle = 7;
     */
    handle?: string | undefined;
    /**
     * The agent's name.
     *
     * @generated from field: string agent = 8;
     */
    agent: string;
    /**
     * What the session is for, for people and peers.
     *
     * @generated from field: string description = 9;
     */
    description: string;
    /**
     * The rules in force for what it sends.
     *
     * @generated from field: repeated kinpost.v1.MessageRule message_rules = 10;
     */
    messageRules: MessageRule[];
    /**
     * Who starts its first run.
     *
     * @generated from field: kinpost.v1.Starter starter = 11;
     */
    starter: Starter;
    /**
     * Where it stands.
     *
     * @generated from field: kinpost.v1.SessionState state = 12;
     */
    state: SessionState;
    /**
     * Whether it may be woken.
     *
     * @generated from field: kinpost.v1.Availability availability = 13;
     */
    availability: Availability;
    /**
     * Why the availability is what it is.
     *
     * @generated from field: string availability_reason = 14;
     */
    availabilityReason: string;
    /**
     * When a pause ends by itself.
     *
     * @generated from field: optional google.protobuf.Timestamp until_time = 15;
     */
    untilTime?: Timestamp | undefined;
    /**
     * With ARCHIVED: mail is held.
     *
     * @generated from field: bool no_wake = 16;
     */
    noWake: boolean;
    /**
     * When it was made; the original instant for an imported session.
     *
     * @generated from field: google.protobuf.Timestamp create_time = 17;
     */
    createTime?: Timestamp | undefined;
    /**
     * The sequence number of its newest event.
     *
     * @generated from field: int64 last_seq = 18;
     */
    lastSeq: bigint;
    /**
     * Its active run, if any.
     *
     * @generated from field: optional string active_run_id = 19;
     */
    activeRunId?: string | undefined;
    /**
     * Messages that wait, whoever sent them.
     *
     * @generated from field: uint32 pending_count = 20;
     */
    pendingCount: number;
    /**
     * How many runs in a row consumed none of the mail they were given.
     *
     * @generated from field: uint32 failing_runs = 21;
     */
    failingRuns: number;
};
/**
 * Describes the message kinpost.v1.Session.
 * Use `create(SessionSchema)` to create a new message.
 */
export declare const SessionSchema: GenMessage<Session>;
/**
 * Where a session stands. An outcome is not the end: a message wakes the session again.
 *
 * @generated from enum kinpost.v1.SessionState
 */
export declare enum SessionState {
    /**
     * @generated from enum value: SESSION_STATE_UNSPECIFIED = 0;
     */
    UNSPECIFIED = 0,
    /**
     * May be woken, has not run yet.
     *
     * @generated from enum value: SESSION_STATE_IDLE = 1;
     */
    IDLE = 1,
    /**
     * Delegated: its delegator starts it.
     *
     * @generated from enum value: SESSION_STATE_QUEUED = 2;
     */
    QUEUED = 2,
    /**
     * Has an active run.
     *
     * @generated from enum value: SESSION_STATE_RUNNING = 3;
     */
    RUNNING = 3,
    /**
     * Its last run ended well.
     *
     * @generated from enum value: SESSION_STATE_COMPLETED = 4;
     */
    COMPLETED = 4,
    /**
     * Its last run ended with an error.
     *
     * @generated from enum value: SESSION_STATE_FAILED = 5;
     */
    FAILED = 5,
    /**
     * Its last run was broken off, for instance because its lease lapsed.
     *
     * @generated from enum value: SESSION_STATE_INTERRUPTED = 6;
     */
    INTERRUPTED = 6,
    /**
     * Its last run was cancelled.
     *
     * @generated from enum value: SESSION_STATE_CANCELLED = 7;
     */
    CANCELLED = 7
}
/**
 * Describes the enum kinpost.v1.SessionState.
 */
export declare const SessionStateSchema: GenEnum<SessionState>;
/**
 * Who may be woken. Set by people and by the session's own runtime.
 *
 * @generated from enum kinpost.v1.Availability
 */
export declare enum Availability {
    /**
     * @generated from enum value: AVAILABILITY_UNSPECIFIED = 0;
     */
    UNSPECIFIED = 0,
    /**
     * Mail is delivered and wakes the session.
     *
     * @generated from enum value: AVAILABILITY_OPEN = 1;
     */
    OPEN = 1,
    /**
     * Mail is held until a person opens the session, or until `until_time`.
     *
     * @generated from enum value: AVAILABILITY_PAUSED = 2;
     */
    PAUSED = 2,
    /**
     * Put away. Mail wakes it, unless `no_wake` is set: then mail is held.
     *
     * @generated from enum value: AVAILABILITY_ARCHIVED = 3;
     */
    ARCHIVED = 3,
    /**
     * Its process is gone; waking means starting it anew.
     *
     * @generated from enum value: AVAILABILITY_ENDED = 4;
     */
    ENDED = 4,
    /**
     * A person closed it. Mail is held.
     *
     * @generated from enum value: AVAILABILITY_USER_CLOSED = 5;
     */
    USER_CLOSED = 5
}
/**
 * Describes the enum kinpost.v1.Availability.
 */
export declare const AvailabilitySchema: GenEnum<Availability>;
/**
 * Who starts a session's first run.
 *
 * @generated from enum kinpost.v1.Starter
 */
export declare enum Starter {
    /**
     * @generated from enum value: STARTER_UNSPECIFIED = 0;
     */
    UNSPECIFIED = 0,
    /**
     * The delegator does: the session begins as QUEUED.
     *
     * @generated from enum value: STARTER_DELEGATOR = 1;
     */
    DELEGATOR = 1,
    /**
     * A wake does: the session begins as IDLE.
     *
     * @generated from enum value: STARTER_WAKE = 2;
     */
    WAKE = 2
}
/**
 * Describes the enum kinpost.v1.Starter.
 */
export declare const StarterSchema: GenEnum<Starter>;
/**
 * What a message rule says.
 *
 * @generated from enum kinpost.v1.RuleDecision
 */
export declare enum RuleDecision {
    /**
     * @generated from enum value: RULE_DECISION_UNSPECIFIED = 0;
     */
    UNSPECIFIED = 0,
    /**
     * The send goes through.
     *
     * @generated from enum value: RULE_DECISION_ALLOW = 1;
     */
    ALLOW = 1,
    /**
     * A person decides.
     *
     * @generated from enum value: RULE_DECISION_ASK = 2;
     */
    ASK = 2,
    /**
     * The send is refused.
     *
     * @generated from enum value: RULE_DECISION_DENY = 3;
     */
    DENY = 3
}
/**
 * Describes the enum kinpost.v1.RuleDecision.
 */
export declare const RuleDecisionSchema: GenEnum<RuleDecision>;
