import type { GenEnum, GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { ProducerOwner } from "./message_pb.js";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file kinpost/v1/producer.proto.
 */
export declare const file_kinpost_v1_producer: GenFile;
/**
 * A registration to send into one session.
 *
 * @generated from message kinpost.v1.Producer
 */
export type Producer = Message<"kinpost.v1.Producer"> & {
    /**
     * The registration's UUID.
     *
     * @generated from field: string producer_id = 1;
     */
    producerId: string;
    /**
     * The session that it sends into.
     *
     * @generated from field: string session_id = 2;
     */
    sessionId: string;
    /**
     * Who owns its messages.
     *
     * @generated from field: kinpost.v1.ProducerOwner owner = 3;
     */
    owner: ProducerOwner;
    /**
     * The owner's name: a plugin's.
     *
     * @generated from field: string owner_name = 4;
     */
    ownerName: string;
    /**
     * The client's own id for the registration.
     *
     * @generated from field: string client_producer_id = 5;
     */
    clientProducerId: string;
    /**
     * For people.
     *
     * @generated from field: string description = 6;
     */
    description: string;
    /**
     * When it was registered.
     *
     * @generated from field: google.protobuf.Timestamp create_time = 7;
     */
    createTime?: Timestamp | undefined;
    /**
     * When it lapses unless renewed.
     *
     * @generated from field: google.protobuf.Timestamp lease_expire_time = 8;
     */
    leaseExpireTime?: Timestamp | undefined;
};
/**
 * Describes the message kinpost.v1.Producer.
 * Use `create(ProducerSchema)` to create a new message.
 */
export declare const ProducerSchema: GenMessage<Producer>;
/**
 * What a plugin answers about a tool call.
 *
 * @generated from enum kinpost.v1.InterceptDecision
 */
export declare enum InterceptDecision {
    /**
     * @generated from enum value: INTERCEPT_DECISION_UNSPECIFIED = 0;
     */
    UNSPECIFIED = 0,
    /**
     * Let it be judged.
     *
     * @generated from enum value: INTERCEPT_DECISION_ALLOW = 1;
     */
    ALLOW = 1,
    /**
     * Refuse it, with a reason that the model sees.
     *
     * @generated from enum value: INTERCEPT_DECISION_BLOCK = 2;
     */
    BLOCK = 2
}
/**
 * Describes the enum kinpost.v1.InterceptDecision.
 */
export declare const InterceptDecisionSchema: GenEnum<InterceptDecision>;
