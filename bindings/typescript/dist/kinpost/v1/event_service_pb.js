// The service for the durable log.
import { enumDesc, fileDesc, messageDesc, serviceDesc } from "@bufbuild/protobuf/codegenv2";
import { file_kinpost_v1_event } from "./event_pb.js";
/**
 * Describes the file kinpost/v1/event_service.proto.
 */
export const file_kinpost_v1_event_service = /*@__PURE__*/ fileDesc("Ch5raW5wb3N0L3YxL2V2ZW50X3NlcnZpY2UucHJvdG8SCmtpbnBvc3QudjEi1wEKFlN1YnNjcmliZUV2ZW50c1JlcXVlc3QSFAoKc2Vzc2lvbl9pZBgBIAEoCUgAEhkKD3Jvb3Rfc2Vzc2lvbl9pZBgCIAEoCUgAEg0KA2FsbBgDIAEoCEgAEhYKDGFmdGVyX2N1cnNvchgEIAEoCUgBEhMKCWFmdGVyX3NlcRgFIAEoA0gBEhIKCGZyb21fbm93GAYgASgISAESKgoLZXZlbnRfdHlwZXMYByADKA4yFS5raW5wb3N0LnYxLkV2ZW50VHlwZUIHCgVzY29wZUIHCgVzdGFydCJyChdTdWJzY3JpYmVFdmVudHNSZXNwb25zZRIhCgZldmVudHMYASADKAsyES5raW5wb3N0LnYxLkV2ZW50Eg4KBmN1cnNvchgCIAEoCRIRCgljYXVnaHRfdXAYAyABKAgSEQoJaGVhcnRiZWF0GAQgASgIIuUBChFMaXN0RXZlbnRzUmVxdWVzdBIUCgpzZXNzaW9uX2lkGAEgASgJSAASGQoPcm9vdF9zZXNzaW9uX2lkGAIgASgJSAASDQoDYWxsGAMgASgISAASFgoMYWZ0ZXJfY3Vyc29yGAQgASgJSAESEwoJYWZ0ZXJfc2VxGAUgASgDSAESKgoLZXZlbnRfdHlwZXMYByADKA4yFS5raW5wb3N0LnYxLkV2ZW50VHlwZRIRCglwYWdlX3NpemUYCCABKA0SEgoKcGFnZV90b2tlbhgJIAEoCUIHCgVzY29wZUIHCgVzdGFydCJgChJMaXN0RXZlbnRzUmVzcG9uc2USIQoGZXZlbnRzGAEgAygLMhEua2lucG9zdC52MS5FdmVudBIOCgZjdXJzb3IYAiABKAkSFwoPbmV4dF9wYWdlX3Rva2VuGAMgASgJKvYICglFdmVudFR5cGUSGgoWRVZFTlRfVFlQRV9VTlNQRUNJRklFRBAAEh4KGkVWRU5UX1RZUEVfU0VTU0lPTl9DUkVBVEVEEBQSKwonRVZFTlRfVFlQRV9TRVNTSU9OX0FWQUlMQUJJTElUWV9DSEFOR0VEEBUSHwobRVZFTlRfVFlQRV9TRVNTSU9OX1VOUVVFVUVEEBYSHQoZRVZFTlRfVFlQRV9TRVNTSU9OX0ZPUktFRBAXEh8KG0VWRU5UX1RZUEVfU0VTU0lPTl9SRVZFUlRFRBAYEh4KGkVWRU5UX1RZUEVfU0VTU0lPTl9ERUxFVEVEEBkSGgoWRVZFTlRfVFlQRV9SVU5fU1RBUlRFRBAoEhsKF0VWRU5UX1RZUEVfUlVOX0ZJTklTSEVEECkSHQoZRVZFTlRfVFlQRV9UVVJOX0NPTU1JVFRFRBAqEigKJEVWRU5UX1RZUEVfUFJPRFVDRVJfTUVTU0FHRV9BQ0NFUFRFRBA8EigKJEVWRU5UX1RZUEVfUFJPRFVDRVJfTUVTU0FHRV9BRE1JVFRFRBA9EigKJEVWRU5UX1RZUEVfUFJPRFVDRVJfTUVTU0FHRVNfQ0xBSU1FRBA+EikKJUVWRU5UX1RZUEVfUFJPRFVDRVJfTUVTU0FHRVNfUkVMRUFTRUQQPxIoCiRFVkVOVF9UWVBFX1BST0RVQ0VSX01FU1NBR0VfQ09OU1VNRUQQQBIpCiVFVkVOVF9UWVBFX1BST0RVQ0VSX01FU1NBR0VfRElTQ0FSREVEEEESKQolRVZFTlRfVFlQRV9TRU5UX01FU1NBR0VfVU5ERUxJVkVSQUJMRRBCEh0KGUVWRU5UX1RZUEVfV0FLRV9SRVFVRVNURUQQUBIbChdFVkVOVF9UWVBFX1dBS0VfT0ZGRVJFRBBREhoKFkVWRU5UX1RZUEVfV0FLRV9GQUlMRUQQUhIbChdFVkVOVF9UWVBFX1dBS0VfU0VUVExFRBBTEh0KGUVWRU5UX1RZUEVfV0FLRV9XSVRIRFJBV04QVBIhCh1FVkVOVF9UWVBFX0FQUFJPVkFMX1JFUVVFU1RFRBBkEh8KG0VWRU5UX1RZUEVfQVBQUk9WQUxfREVDSURFRBBlEhwKGEVWRU5UX1RZUEVfQVBQUk9WQUxfVVNFRBBmEh8KG0VWRU5UX1RZUEVfQVBQUk9WQUxfRVhQSVJFRBBnEiEKHUVWRU5UX1RZUEVfQVBQUk9WQUxfQ0FOQ0VMTEVEEGgSIgoeRVZFTlRfVFlQRV9QUk9EVUNFUl9SRUdJU1RFUkVEEHgSJAogRVZFTlRfVFlQRV9QUk9EVUNFUl9VTlJFR0lTVEVSRUQQeRIhChxFVkVOVF9UWVBFX1BFRVJfTUVTU0FHRV9TRU5UEIwBEikKJEVWRU5UX1RZUEVfUEVFUl9ERUFEX0xFVFRFUl9SRUNPUkRFRBCNARIsCidFVkVOVF9UWVBFX1BFRVJfREVBRF9MRVRURVJfUkVERUxJVkVSRUQQjgEyuQEKDEV2ZW50U2VydmljZRJcCg9TdWJzY3JpYmVFdmVudHMSIi5raW5wb3N0LnYxLlN1YnNjcmliZUV2ZW50c1JlcXVlc3QaIy5raW5wb3N0LnYxLlN1YnNjcmliZUV2ZW50c1Jlc3BvbnNlMAESSwoKTGlzdEV2ZW50cxIdLmtpbnBvc3QudjEuTGlzdEV2ZW50c1JlcXVlc3QaHi5raW5wb3N0LnYxLkxpc3RFdmVudHNSZXNwb25zZWIGcHJvdG8z", [file_kinpost_v1_event]);
/**
 * Describes the message kinpost.v1.SubscribeEventsRequest.
 * Use `create(SubscribeEventsRequestSchema)` to create a new message.
 */
export const SubscribeEventsRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event_service, 0);
/**
 * Describes the message kinpost.v1.SubscribeEventsResponse.
 * Use `create(SubscribeEventsResponseSchema)` to create a new message.
 */
export const SubscribeEventsResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event_service, 1);
/**
 * Describes the message kinpost.v1.ListEventsRequest.
 * Use `create(ListEventsRequestSchema)` to create a new message.
 */
export const ListEventsRequestSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event_service, 2);
/**
 * Describes the message kinpost.v1.ListEventsResponse.
 * Use `create(ListEventsResponseSchema)` to create a new message.
 */
export const ListEventsResponseSchema = /*@__PURE__*/ messageDesc(file_kinpost_v1_event_service, 3);
/**
 * Which of the payloads of an Event; the names are those of its oneof.
 *
 * @generated from enum kinpost.v1.EventType
 */
export var EventType;
(function (EventType) {
    /**
     * @generated from enum value: EVENT_TYPE_UNSPECIFIED = 0;
     */
    EventType[EventType["UNSPECIFIED"] = 0] = "UNSPECIFIED";
    /**
     * @generated from enum value: EVENT_TYPE_SESSION_CREATED = 20;
     */
    EventType[EventType["SESSION_CREATED"] = 20] = "SESSION_CREATED";
    /**
     * @generated from enum value: EVENT_TYPE_SESSION_AVAILABILITY_CHANGED = 21;
     */
    EventType[EventType["SESSION_AVAILABILITY_CHANGED"] = 21] = "SESSION_AVAILABILITY_CHANGED";
    /**
     * @generated from enum value: EVENT_TYPE_SESSION_UNQUEUED = 22;
     */
    EventType[EventType["SESSION_UNQUEUED"] = 22] = "SESSION_UNQUEUED";
    /**
     * @generated from enum value: EVENT_TYPE_SESSION_FORKED = 23;
     */
    EventType[EventType["SESSION_FORKED"] = 23] = "SESSION_FORKED";
    /**
     * @generated from enum value: EVENT_TYPE_SESSION_REVERTED = 24;
     */
    EventType[EventType["SESSION_REVERTED"] = 24] = "SESSION_REVERTED";
    /**
     * @generated from enum value: EVENT_TYPE_SESSION_DELETED = 25;
     */
    EventType[EventType["SESSION_DELETED"] = 25] = "SESSION_DELETED";
    /**
     * @generated from enum value: EVENT_TYPE_RUN_STARTED = 40;
     */
    EventType[EventType["RUN_STARTED"] = 40] = "RUN_STARTED";
    /**
     * @generated from enum value: EVENT_TYPE_RUN_FINISHED = 41;
     */
    EventType[EventType["RUN_FINISHED"] = 41] = "RUN_FINISHED";
    /**
     * @generated from enum value: EVENT_TYPE_TURN_COMMITTED = 42;
     */
    EventType[EventType["TURN_COMMITTED"] = 42] = "TURN_COMMITTED";
    /**
     * @generated from enum value: EVENT_TYPE_PRODUCER_MESSAGE_ACCEPTED = 60;
     */
    EventType[EventType["PRODUCER_MESSAGE_ACCEPTED"] = 60] = "PRODUCER_MESSAGE_ACCEPTED";
    /**
     * @generated from enum value: EVENT_TYPE_PRODUCER_MESSAGE_ADMITTED = 61;
     */
    EventType[EventType["PRODUCER_MESSAGE_ADMITTED"] = 61] = "PRODUCER_MESSAGE_ADMITTED";
    /**
     * @generated from enum value: EVENT_TYPE_PRODUCER_MESSAGES_CLAIMED = 62;
     */
    EventType[EventType["PRODUCER_MESSAGES_CLAIMED"] = 62] = "PRODUCER_MESSAGES_CLAIMED";
    /**
     * @generated from enum value: EVENT_TYPE_PRODUCER_MESSAGES_RELEASED = 63;
     */
    EventType[EventType["PRODUCER_MESSAGES_RELEASED"] = 63] = "PRODUCER_MESSAGES_RELEASED";
    /**
     * @generated from enum value: EVENT_TYPE_PRODUCER_MESSAGE_CONSUMED = 64;
     */
    EventType[EventType["PRODUCER_MESSAGE_CONSUMED"] = 64] = "PRODUCER_MESSAGE_CONSUMED";
    /**
     * @generated from enum value: EVENT_TYPE_PRODUCER_MESSAGE_DISCARDED = 65;
     */
    EventType[EventType["PRODUCER_MESSAGE_DISCARDED"] = 65] = "PRODUCER_MESSAGE_DISCARDED";
    /**
     * @generated from enum value: EVENT_TYPE_SENT_MESSAGE_UNDELIVERABLE = 66;
     */
    EventType[EventType["SENT_MESSAGE_UNDELIVERABLE"] = 66] = "SENT_MESSAGE_UNDELIVERABLE";
    /**
     * @generated from enum value: EVENT_TYPE_WAKE_REQUESTED = 80;
     */
    EventType[EventType["WAKE_REQUESTED"] = 80] = "WAKE_REQUESTED";
    /**
     * @generated from enum value: EVENT_TYPE_WAKE_OFFERED = 81;
     */
    EventType[EventType["WAKE_OFFERED"] = 81] = "WAKE_OFFERED";
    /**
     * @generated from enum value: EVENT_TYPE_WAKE_FAILED = 82;
     */
    EventType[EventType["WAKE_FAILED"] = 82] = "WAKE_FAILED";
    /**
     * @generated from enum value: EVENT_TYPE_WAKE_SETTLED = 83;
     */
    EventType[EventType["WAKE_SETTLED"] = 83] = "WAKE_SETTLED";
    /**
     * @generated from enum value: EVENT_TYPE_WAKE_WITHDRAWN = 84;
     */
    EventType[EventType["WAKE_WITHDRAWN"] = 84] = "WAKE_WITHDRAWN";
    /**
     * @generated from enum value: EVENT_TYPE_APPROVAL_REQUESTED = 100;
     */
    EventType[EventType["APPROVAL_REQUESTED"] = 100] = "APPROVAL_REQUESTED";
    /**
     * @generated from enum value: EVENT_TYPE_APPROVAL_DECIDED = 101;
     */
    EventType[EventType["APPROVAL_DECIDED"] = 101] = "APPROVAL_DECIDED";
    /**
     * @generated from enum value: EVENT_TYPE_APPROVAL_USED = 102;
     */
    EventType[EventType["APPROVAL_USED"] = 102] = "APPROVAL_USED";
    /**
     * @generated from enum value: EVENT_TYPE_APPROVAL_EXPIRED = 103;
     */
    EventType[EventType["APPROVAL_EXPIRED"] = 103] = "APPROVAL_EXPIRED";
    /**
     * @generated from enum value: EVENT_TYPE_APPROVAL_CANCELLED = 104;
     */
    EventType[EventType["APPROVAL_CANCELLED"] = 104] = "APPROVAL_CANCELLED";
    /**
     * @generated from enum value: EVENT_TYPE_PRODUCER_REGISTERED = 120;
     */
    EventType[EventType["PRODUCER_REGISTERED"] = 120] = "PRODUCER_REGISTERED";
    /**
     * @generated from enum value: EVENT_TYPE_PRODUCER_UNREGISTERED = 121;
     */
    EventType[EventType["PRODUCER_UNREGISTERED"] = 121] = "PRODUCER_UNREGISTERED";
    /**
     * @generated from enum value: EVENT_TYPE_PEER_MESSAGE_SENT = 140;
     */
    EventType[EventType["PEER_MESSAGE_SENT"] = 140] = "PEER_MESSAGE_SENT";
    /**
     * @generated from enum value: EVENT_TYPE_PEER_DEAD_LETTER_RECORDED = 141;
     */
    EventType[EventType["PEER_DEAD_LETTER_RECORDED"] = 141] = "PEER_DEAD_LETTER_RECORDED";
    /**
     * @generated from enum value: EVENT_TYPE_PEER_DEAD_LETTER_REDELIVERED = 142;
     */
    EventType[EventType["PEER_DEAD_LETTER_REDELIVERED"] = 142] = "PEER_DEAD_LETTER_REDELIVERED";
})(EventType || (EventType = {}));
/**
 * Describes the enum kinpost.v1.EventType.
 */
export const EventTypeSchema = /*@__PURE__*/ enumDesc(file_kinpost_v1_event_service, 0);
/**
 * The durable log, for subscribers.
 *
 * @generated from service kinpost.v1.EventService
 */
export const EventService = /*@__PURE__*/ serviceDesc(file_kinpost_v1_event_service, 0);
