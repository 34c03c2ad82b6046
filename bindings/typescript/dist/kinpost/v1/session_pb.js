// Sessions: one agent's conversation each, joined into delegation trees.
import { enumDesc, fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
import { file_google_protobuf_timestamp } from "@bufbuild/protobuf/wkt";
/**
 * Describes the file kinpost/v1/session.proto.
 */
export const file_kinpost_v1_session = /*@__PURE__*/ fileDesc("ChhraW5wb3N0L3YxL3Nlc3Npb24ucHJvdG8SCmtpbnBvc3QudjEiSgoLTWVzc2FnZVJ1bGUSDwoHcGF0dGVybhgBIAEoCRIqCghkZWNpc2lvbhgCIAEoDjIYLmtpbnBvc3QudjEuUnVsZURlY2lzaW9uIjYKDE1lc3NhZ2VSdWxlcxImCgVydWxlcxgBIAMoCzIXLmtpbnBvc3QudjEuTWVzc2FnZVJ1bGUi5gUKB1Nlc3Npb24SEgoKc2Vzc2lvbl9pZBgBIAEoCRIXCg9yb290X3Nlc3Npb25faWQYAiABKAkSHgoRcGFyZW50X3Nlc3Npb25faWQYAyABKAlIAIgBARIaCg1wYXJlbnRfcnVuX2lkGAQgASgJSAGIAQESIAoTcGFyZW50X3Rvb2xfY2FsbF9pZBgFIAEoCUgCiAEBEg0KBWRlcHRoGAYgASgNEhMKBmhhbmRsZRgHIAEoCUgDiAEBEg0KBWFnZW50GAggASgJEhMKC2Rlc2NyaXB0aW9uGAkgASgJEi4KDW1lc3NhZ2VfcnVsZXMYCiADKAsyFy5raW5wb3N0LnYxLk1lc3NhZ2VSdWxlEiQKB3N0YXJ0ZXIYCyABKA4yEy5raW5wb3N0LnYxLlN0YXJ0ZXISJwoFc3RhdGUYDCABKA4yGC5raW5wb3N0LnYxLlNlc3Npb25TdGF0ZRIuCgxhdmFpbGFiaWxpdHkYDSABKA4yGC5raW5wb3N0LnYxLkF2YWlsYWJpbGl0eRIbChNhdmFpbGFiaWxpdHlfcmVhc29uGA4gASgJEjMKCnVudGlsX3RpbWUYDyABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wSASIAQESDwoHbm9fd2FrZRgQIAEoCBIvCgtjcmVhdGVfdGltZRgRIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXASEAoIbGFzdF9zZXEYEiABKAMSGgoNYWN0aXZlX3J1bl9pZBgTIAEoCUgFiAEBEhUKDXBlbmRpbmdfY291bnQYFCABKA0SFAoMZmFpbGluZ19ydW5zGBUgASgNQhQKEl9wYXJlbnRfc2Vzc2lvbl9pZEIQCg5fcGFyZW50X3J1bl9pZEIWChRfcGFyZW50X3Rvb2xfY2FsbF9pZEIJCgdfaGFuZGxlQg0KC191bnRpbF90aW1lQhAKDl9hY3RpdmVfcnVuX2lkKu0BCgxTZXNzaW9uU3RhdGUSHQoZU0VTU0lPTl9TVEFURV9VTlNQRUNJRklFRBAAEhYKElNFU1NJT05fU1RBVEVfSURMRRABEhgKFFNFU1NJT05fU1RBVEVfUVVFVUVEEAISGQoVU0VTU0lPTl9TVEFURV9SVU5OSU5HEAMSGwoXU0VTU0lPTl9TVEFURV9DT01QTEVURUQQBBIYChRTRVNTSU9OX1NUQVRFX0ZBSUxFRBAFEh0KGVNFU1NJT05fU1RBVEVfSU5URVJSVVBURUQQBhIbChdTRVNTSU9OX1NUQVRFX0NBTkNFTExFRBAHKq0BCgxBdmFpbGFiaWxpdHkSHAoYQVZBSUxBQklMSVRZX1VOU1BFQ0lGSUVEEAASFQoRQVZBSUxBQklMSVRZX09QRU4QARIXChNBVkFJTEFCSUxJVFlfUEFVU0VEEAISGQoVQVZBSUxBQklMSVRZX0FSQ0hJVkVEEAMSFgoSQVZBSUxBQklMSVRZX0VOREVEEAQSHAoYQVZBSUxBQklMSVRZX1VTRVJfQ0xPU0VEEAUqSwoHU3RhcnRlchIXChNTVEFSVEVSX1VOU1BFQ0lGSUVEEAASFQoRU1RBUlRFUl9ERUxFR0FUT1IQARIQCgxTVEFSVEVSX1dBS0UQAip1CgxSdWxlRGVjaXNpb24SHQoZUlVMRV9ERUNJU0lPTl9VTlNQRUNJRklFRBAAEhcKE1JVTEVfREVDSVNJT05fQUxMT1cQARIVChFSVUxFX0RFQ0lTSU9OX0FTSxACEhYKElJVTEVfREVDSVNJT05fREVOWRADYgZwcm90bzM", [file_google_protobuf_timestamp]);
/**
 * Describes the message kinpost.v1.MessageRule.
 * Use `create(MessageRuleSchema)` to create a new message.
 */
export const MessageRuleSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_session, 0);
/**
 * Describes the message kinpost.v1.MessageRules.
 * Use `create(MessageRulesSchema)` to create a new message.
 */
export const MessageRulesSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_session, 1);
/**
 * Describes the message kinpost.v1.Session.
 * Use `create(SessionSchema)` to create a new message.
 */
export const SessionSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_session, 2);
/**
 * Where a session stands. An outcome is not the end: a message wakes the session again.
 *
 * @generated from enum kinpost.v1.SessionState
 */
export var SessionState;
(function (SessionState) {
    /**
     * @generated from enum value: SESSION_STATE_UNSPECIFIED = 0;
     */
    SessionState[SessionState["UNSPECIFIED"] = 0] = "UNSPECIFIED";
    /**
     * May be woken, has not run yet.
     *
     * @generated from enum value: SESSION_STATE_IDLE = 1;
     */
    SessionState[SessionState["IDLE"] = 1] = "IDLE";
    /**
     * Delegated: its delegator starts it.
     *
     * @generated from enum value: SESSION_STATE_QUEUED = 2;
     */
    SessionState[SessionState["QUEUED"] = 2] = "QUEUED";
    /**
     * Has an active run.
     *
     * @generated from enum value: SESSION_STATE_RUNNING = 3;
     */
    SessionState[SessionState["RUNNING"] = 3] = "RUNNING";
    /**
     * Its last run ended well.
     *
     * @generated from enum value: SESSION_STATE_COMPLETED = 4;
     */
    SessionState[SessionState["COMPLETED"] = 4] = "COMPLETED";
    /**
     * Its last run ended with an error.
     *
     * @generated from enum value: SESSION_STATE_FAILED = 5;
     */
    SessionState[SessionState["FAILED"] = 5] = "FAILED";
    /**
     * Its last run was broken off, for instance because its lease lapsed.
     *
     * @generated from enum value: SESSION_STATE_INTERRUPTED = 6;
     */
    SessionState[SessionState["INTERRUPTED"] = 6] = "INTERRUPTED";
    /**
     * Its last run was cancelled.
     *
     * @generated from enum value: SESSION_STATE_CANCELLED = 7;
     */
    SessionState[SessionState["CANCELLED"] = 7] = "CANCELLED";
})(SessionState || (SessionState = {}));
/**
 * Describes the enum kinpost.v1.SessionState.
 */
export const SessionStateSchema = /*@__PURE__*/ enumDesc(file_kinpost_v1_session, 0);
/**
 * Who may be woken. Set by people and by the session's own runtime.
 *
 * @generated from enum kinpost.v1.Availability
 */
export var Availability;
(function (Availability) {
    /**
     * @generated from enum value: AVAILABILITY_UNSPECIFIED = 0;
     */
    Availability[Availability["UNSPECIFIED"] = 0] = "UNSPECIFIED";
    /**
     * Mail is delivered and wakes the session.
     *
     * @generated from enum value: AVAILABILITY_OPEN = 1;
     */
    Availability[Availability["OPEN"] = 1] = "OPEN";
    /**
     * Mail is held until a person opens the session, or until `until_time`.
     *
     * @generated from enum value: AVAILABILITY_PAUSED = 2;
     */
    Availability[Availability["PAUSED"] = 2] = "PAUSED";
    /**
     * Put away. Mail wakes it, unless `no_wake` is set: then mail is held.
     *
     * @generated from enum value: AVAILABILITY_ARCHIVED = 3;
     */
    Availability[Availability["ARCHIVED"] = 3] = "ARCHIVED";
    /**
     * Its process is gone; waking means starting it anew.
     *
     * @generated from enum value: AVAILABILITY_ENDED = 4;
     */
    Availability[Availability["ENDED"] = 4] = "ENDED";
    /**
     * A person closed it. Mail is held.
     *
     * @generated from enum value: AVAILABILITY_USER_CLOSED = 5;
     */
    Availability[Availability["USER_CLOSED"] = 5] = "USER_CLOSED";
})(Availability || (Availability = {}));
/**
 * Describes the enum kinpost.v1.Availability.
 */
export const AvailabilitySchema = /*@__PURE__*/ enumDesc(file_kinpost_v1_session, 1);
/**
 * Who starts a session's first run.
 *
 * @generated from enum kinpost.v1.Starter
 */
export var Starter;
(function (Starter) {
    /**
     * @generated from enum value: STARTER_UNSPECIFIED = 0;
     */
    Starter[Starter["UNSPECIFIED"] = 0] = "UNSPECIFIED";
    /**
     * The delegator does: the session begins as QUEUED.
     *
     * @generated from enum value: STARTER_DELEGATOR = 1;
     */
    Starter[Starter["DELEGATOR"] = 1] = "DELEGATOR";
    /**
     * A wake does: the session begins as IDLE.
     *
     * @generated from enum value: STARTER_WAKE = 2;
     */
    Starter[Starter["WAKE"] = 2] = "WAKE";
})(Starter || (Starter = {}));
/**
 * Describes the enum kinpost.v1.Starter.
 */
export const StarterSchema = /*@__PURE__*/ enumDesc(file_kinpost_v1_session, 2);
/**
 * What a message rule says.
 *
 * @generated from enum kinpost.v1.RuleDecision
 */
export var RuleDecision;
(function (RuleDecision) {
    /**
     * @generated from enum value: RULE_DECISION_UNSPECIFIED = 0;
     */
    RuleDecision[RuleDecision["UNSPECIFIED"] = 0] = "UNSPECIFIED";
    /**
     * The send goes through.
     *
     * @generated from enum value: RULE_DECISION_ALLOW = 1;
     */
    RuleDecision[RuleDecision["ALLOW"] = 1] = "ALLOW";
    /**
     * A person decides.
     *
     * @generated from enum value: RULE_DECISION_ASK = 2;
     */
    RuleDecision[RuleDecision["ASK"] = 2] = "ASK";
    /**
     * The send is refused.
     *
     * @generated from enum value: RULE_DECISION_DENY = 3;
     */
    RuleDecision[RuleDecision["DENY"] = 3] = "DENY";
})(RuleDecision || (RuleDecision = {}));
/**
 * Describes the enum kinpost.v1.RuleDecision.
 */
export const RuleDecisionSchema = /*@__PURE__*/ enumDesc(file_kinpost_v1_session, 3);
