// Messages: what a producer sent to a session, and where it stands.
import { enumDesc, fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
import { file_google_protobuf_timestamp } from "@bufbuild/protobuf/wkt";
/**
 * Describes the file kinpost/v1/message.proto.
 */
export const file_kinpost_v1_message = /*@__PURE__*/ fileDesc("ChhraW5wb3N0L3YxL21lc3NhZ2UucHJvdG8SCmtpbnBvc3QudjEi6QEKDU1lc3NhZ2VTZW5kZXISFwoKc2Vzc2lvbl9pZBgBIAEoCUgAiAEBEhMKBmhhbmRsZRgCIAEoCUgBiAEBEhMKBnJ1bl9pZBgDIAEoCUgCiAEBEhkKDHRvb2xfY2FsbF9pZBgEIAEoCUgDiAEBEhgKC3Byb2R1Y2VyX2lkGAUgASgJSASIAQESEQoEbmFtZRgGIAEoCUgFiAEBQg0KC19zZXNzaW9uX2lkQgkKB19oYW5kbGVCCQoHX3J1bl9pZEIPCg1fdG9vbF9jYWxsX2lkQg4KDF9wcm9kdWNlcl9pZEIHCgVfbmFtZSKTAQoPTWVzc2FnZUFjY2VwdGVkEhIKCm1lc3NhZ2VfaWQYASABKAkSJQoEbW9kZRgCIAEoDjIXLmtpbnBvc3QudjEuTWVzc2FnZU1vZGUSMwoPcmVjaXBpZW50X3N0YXRlGAMgASgOMhoua2lucG9zdC52MS5SZWNpcGllbnRTdGF0ZRIQCghyZXBsYXllZBgEIAEoCCL4BgoLU2VudE1lc3NhZ2USEgoKbWVzc2FnZV9pZBgBIAEoCRIcChRyZWNpcGllbnRfc2Vzc2lvbl9pZBgCIAEoCRIdChByZWNpcGllbnRfaGFuZGxlGAMgASgJSACIAQESKAoFb3duZXIYBCABKA4yGS5raW5wb3N0LnYxLlByb2R1Y2VyT3duZXISJQoEbW9kZRgFIAEoDjIXLmtpbnBvc3QudjEuTWVzc2FnZU1vZGUSJwoFc3RhdGUYBiABKA4yGC5raW5wb3N0LnYxLk1lc3NhZ2VTdGF0ZRIvCgthY2NlcHRfdGltZRgHIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXASMwoKYWRtaXRfdGltZRgIIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXBIAYgBARIzCgpjbGFpbV90aW1lGAkgASgLMhouZ29vZ2xlLnByb3RvYnVmLlRpbWVzdGFtcEgCiAEBEjUKDGNvbnN1bWVfdGltZRgKIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXBIA4gBARI1CgxkaXNjYXJkX3RpbWUYCyABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wSASIAQESMQoOZGlzY2FyZF9yZWFzb24YDCABKA4yGS5raW5wb3N0LnYxLkRpc2NhcmRSZWFzb24SDAoEaGVsZBgNIAEoCBITCgtoZWxkX3JlYXNvbhgOIAEoCRIWCg5kZWxpdmVyeV9jb3VudBgPIAEoDRI0CgtleHBpcmVfdGltZRgQIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXBIBYgBARIyCgloZWxkX3RpbWUYESABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wSAaIAQESEwoGcnVuX2lkGBIgASgJSAeIAQESGQoMdG9vbF9jYWxsX2lkGBMgASgJSAiIAQFCEwoRX3JlY2lwaWVudF9oYW5kbGVCDQoLX2FkbWl0X3RpbWVCDQoLX2NsYWltX3RpbWVCDwoNX2NvbnN1bWVfdGltZUIPCg1fZGlzY2FyZF90aW1lQg4KDF9leHBpcmVfdGltZUIMCgpfaGVsZF90aW1lQgkKB19ydW5faWRCDwoNX3Rvb2xfY2FsbF9pZCq1AQoNUHJvZHVjZXJPd25lchIeChpQUk9EVUNFUl9PV05FUl9VTlNQRUNJRklFRBAAEhgKFFBST0RVQ0VSX09XTkVSX0FHRU5UEAESFwoTUFJPRFVDRVJfT1dORVJfVVNFUhACEhkKFVBST0RVQ0VSX09XTkVSX1BMVUdJThADEh0KGVBST0RVQ0VSX09XTkVSX0RFTEVHQVRJT04QBBIXChNQUk9EVUNFUl9PV05FUl9QRUVSEAUqWwoLTWVzc2FnZU1vZGUSHAoYTUVTU0FHRV9NT0RFX1VOU1BFQ0lGSUVEEAASFgoSTUVTU0FHRV9NT0RFX1NURUVSEAESFgoSTUVTU0FHRV9NT0RFX1FVRVVFEAIq1QEKDE1lc3NhZ2VTdGF0ZRIdChlNRVNTQUdFX1NUQVRFX1VOU1BFQ0lGSUVEEAASGgoWTUVTU0FHRV9TVEFURV9BQ0NFUFRFRBABEhoKFk1FU1NBR0VfU1RBVEVfQURNSVRURUQQAhIZChVNRVNTQUdFX1NUQVRFX0NMQUlNRUQQAxIaChZNRVNTQUdFX1NUQVRFX1JFTEVBU0VEEAQSGgoWTUVTU0FHRV9TVEFURV9DT05TVU1FRBAFEhsKF01FU1NBR0VfU1RBVEVfRElTQ0FSREVEEAYq2wEKDURpc2NhcmRSZWFzb24SHgoaRElTQ0FSRF9SRUFTT05fVU5TUEVDSUZJRUQQABIYChRESVNDQVJEX1JFQVNPTl9PV05FUhABEhwKGERJU0NBUkRfUkVBU09OX1JFVFJBQ1RFRBACEhoKFkRJU0NBUkRfUkVBU09OX0VYUElSRUQQAxIdChlESVNDQVJEX1JFQVNPTl9TVVBFUlNFREVEEAQSGwoXRElTQ0FSRF9SRUFTT05fUkVWRVJURUQQBRIaChZESVNDQVJEX1JFQVNPTl9ERUxFVEVEEAYqqQEKDlJlY2lwaWVudFN0YXRlEh8KG1JFQ0lQSUVOVF9TVEFURV9VTlNQRUNJRklFRBAAEhsKF1JFQ0lQSUVOVF9TVEFURV9SVU5OSU5HEAESGgoWUkVDSVBJRU5UX1NUQVRFX1FVRVVFRBACEiMKH1JFQ0lQSUVOVF9TVEFURV9XQUtJTkdfRklOSVNIRUQQAxIYChRSRUNJUElFTlRfU1RBVEVfSEVMRBAEYgZwcm90bzM", [file_google_protobuf_timestamp]);
/**
 * Describes the message kinpost.v1.MessageSender.
 * Use `create(MessageSenderSchema)` to create a new message.
 */
export const MessageSenderSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_message, 0);
/**
 * Describes the message kinpost.v1.MessageAccepted.
 * Use `create(MessageAcceptedSchema)` to create a new message.
 */
export const MessageAcceptedSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_message, 1);
/**
 * Describes the message kinpost.v1.SentMessage.
 * Use `create(SentMessageSchema)` to create a new message.
 */
export const SentMessageSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_message, 2);
/**
 * Who sent a message.
 *
 * @generated from enum kinpost.v1.ProducerOwner
 */
export var ProducerOwner;
(function (ProducerOwner) {
    /**
     * @generated from enum value: PRODUCER_OWNER_UNSPECIFIED = 0;
     */
    ProducerOwner[ProducerOwner["UNSPECIFIED"] = 0] = "UNSPECIFIED";
    /**
     * Another agent of the same tree.
     *
     * @generated from enum value: PRODUCER_OWNER_AGENT = 1;
     */
    ProducerOwner[ProducerOwner["AGENT"] = 1] = "AGENT";
    /**
     * A person.
     *
     * @generated from enum value: PRODUCER_OWNER_USER = 2;
     */
    ProducerOwner[ProducerOwner["USER"] = 2] = "USER";
    /**
     * A plugin.
     *
     * @generated from enum value: PRODUCER_OWNER_PLUGIN = 3;
     */
    ProducerOwner[ProducerOwner["PLUGIN"] = 3] = "PLUGIN";
    /**
     * The delegation itself: a first message, or the completion of a delegated run.
     *
     * @generated from enum value: PRODUCER_OWNER_DELEGATION = 4;
     */
    ProducerOwner[ProducerOwner["DELEGATION"] = 4] = "DELEGATION";
    /**
     * Any session, by a peer route.
     *
     * @generated from enum value: PRODUCER_OWNER_PEER = 5;
     */
    ProducerOwner[ProducerOwner["PEER"] = 5] = "PEER";
})(ProducerOwner || (ProducerOwner = {}));
/**
 * Describes the enum kinpost.v1.ProducerOwner.
 */
export const ProducerOwnerSchema = /*@__PURE__*/ enumDesc(file_kinpost_v1_message, 0);
/**
 * How a message joins its recipient. Never changed by the service.
 *
 * @generated from enum kinpost.v1.MessageMode
 */
export var MessageMode;
(function (MessageMode) {
    /**
     * @generated from enum value: MESSAGE_MODE_UNSPECIFIED = 0;
     */
    MessageMode[MessageMode["UNSPECIFIED"] = 0] = "UNSPECIFIED";
    /**
     * Joins the active run at its next boundary, or wakes an idle session.
     *
     * @generated from enum value: MESSAGE_MODE_STEER = 1;
     */
    MessageMode[MessageMode["STEER"] = 1] = "STEER";
    /**
     * Is claimed at the first boundary of the next run, which it starts if nobody else does.
     *
     * @generated from enum value: MESSAGE_MODE_QUEUE = 2;
     */
    MessageMode[MessageMode["QUEUE"] = 2] = "QUEUE";
})(MessageMode || (MessageMode = {}));
/**
 * Describes the enum kinpost.v1.MessageMode.
 */
export const MessageModeSchema = /*@__PURE__*/ enumDesc(file_kinpost_v1_message, 1);
/**
 * Where a message stands.
 *
 * @generated from enum kinpost.v1.MessageState
 */
export var MessageState;
(function (MessageState) {
    /**
     * @generated from enum value: MESSAGE_STATE_UNSPECIFIED = 0;
     */
    MessageState[MessageState["UNSPECIFIED"] = 0] = "UNSPECIFIED";
    /**
     * Stored in the recipient's log.
     *
     * @generated from enum value: MESSAGE_STATE_ACCEPTED = 1;
     */
    MessageState[MessageState["ACCEPTED"] = 1] = "ACCEPTED";
    /**
     * Joined to one run, at a boundary.
     *
     * @generated from enum value: MESSAGE_STATE_ADMITTED = 2;
     */
    MessageState[MessageState["ADMITTED"] = 2] = "ADMITTED";
    /**
     * Reserved for one model request.
     *
     * @generated from enum value: MESSAGE_STATE_CLAIMED = 3;
     */
    MessageState[MessageState["CLAIMED"] = 3] = "CLAIMED";
    /**
     * Given back: it waits again, in its old order.
     *
     * @generated from enum value: MESSAGE_STATE_RELEASED = 4;
     */
    MessageState[MessageState["RELEASED"] = 4] = "RELEASED";
    /**
     * A model turn that saw it was committed. Happens once.
     *
     * @generated from enum value: MESSAGE_STATE_CONSUMED = 5;
     */
    MessageState[MessageState["CONSUMED"] = 5] = "CONSUMED";
    /**
     * Will not be delivered.
     *
     * @generated from enum value: MESSAGE_STATE_DISCARDED = 6;
     */
    MessageState[MessageState["DISCARDED"] = 6] = "DISCARDED";
})(MessageState || (MessageState = {}));
/**
 * Describes the enum kinpost.v1.MessageState.
 */
export const MessageStateSchema = /*@__PURE__*/ enumDesc(file_kinpost_v1_message, 2);
/**
 * Why a message will not be delivered.
 *
 * @generated from enum kinpost.v1.DiscardReason
 */
export var DiscardReason;
(function (DiscardReason) {
    /**
     * @generated from enum value: DISCARD_REASON_UNSPECIFIED = 0;
     */
    DiscardReason[DiscardReason["UNSPECIFIED"] = 0] = "UNSPECIFIED";
    /**
     * Its owner discarded it.
     *
     * @generated from enum value: DISCARD_REASON_OWNER = 1;
     */
    DiscardReason[DiscardReason["OWNER"] = 1] = "OWNER";
    /**
     * Its sender took it back.
     *
     * @generated from enum value: DISCARD_REASON_RETRACTED = 2;
     */
    DiscardReason[DiscardReason["RETRACTED"] = 2] = "RETRACTED";
    /**
     * Its `expire_after` passed.
     *
     * @generated from enum value: DISCARD_REASON_EXPIRED = 3;
     */
    DiscardReason[DiscardReason["EXPIRED"] = 3] = "EXPIRED";
    /**
     * A later message of the same sender took its place.
     *
     * @generated from enum value: DISCARD_REASON_SUPERSEDED = 4;
     */
    DiscardReason[DiscardReason["SUPERSEDED"] = 4] = "SUPERSEDED";
    /**
     * The recipient's log was reverted past its acceptance.
     *
     * @generated from enum value: DISCARD_REASON_REVERTED = 5;
     */
    DiscardReason[DiscardReason["REVERTED"] = 5] = "REVERTED";
    /**
     * The recipient was deleted.
     *
     * @generated from enum value: DISCARD_REASON_DELETED = 6;
     */
    DiscardReason[DiscardReason["DELETED"] = 6] = "DELETED";
})(DiscardReason || (DiscardReason = {}));
/**
 * Describes the enum kinpost.v1.DiscardReason.
 */
export const DiscardReasonSchema = /*@__PURE__*/ enumDesc(file_kinpost_v1_message, 3);
/**
 * Where the recipient stood when a message was accepted.
 *
 * @generated from enum kinpost.v1.RecipientState
 */
export var RecipientState;
(function (RecipientState) {
    /**
     * @generated from enum value: RECIPIENT_STATE_UNSPECIFIED = 0;
     */
    RecipientState[RecipientState["UNSPECIFIED"] = 0] = "UNSPECIFIED";
    /**
     * Has an active run.
     *
     * @generated from enum value: RECIPIENT_STATE_RUNNING = 1;
     */
    RecipientState[RecipientState["RUNNING"] = 1] = "RUNNING";
    /**
     * Idle, or waiting for its delegator.
     *
     * @generated from enum value: RECIPIENT_STATE_QUEUED = 2;
     */
    RecipientState[RecipientState["QUEUED"] = 2] = "QUEUED";
    /**
     * Its last run had ended; the message wakes it.
     *
     * @generated from enum value: RECIPIENT_STATE_WAKING_FINISHED = 3;
     */
    RecipientState[RecipientState["WAKING_FINISHED"] = 3] = "WAKING_FINISHED";
    /**
     * May not wake: the message is held until a person opens it.
     *
     * @generated from enum value: RECIPIENT_STATE_HELD = 4;
     */
    RecipientState[RecipientState["HELD"] = 4] = "HELD";
})(RecipientState || (RecipientState = {}));
/**
 * Describes the enum kinpost.v1.RecipientState.
 */
export const RecipientStateSchema = /*@__PURE__*/ enumDesc(file_kinpost_v1_message, 4);
