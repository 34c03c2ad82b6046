// Everything of the contract. Generated: do not edit.

export * from "./kinpost/v1/admin_service_pb.js";
export * from "./kinpost/v1/approval_pb.js";
export * from "./kinpost/v1/approval_service_pb.js";
export * from "./kinpost/v1/event_pb.js";
export * from "./kinpost/v1/event_service_pb.js";
export * from "./kinpost/v1/message_pb.js";
export * from "./kinpost/v1/messaging_service_pb.js";
export * from "./kinpost/v1/peer_pb.js";
export * from "./kinpost/v1/peer_service_pb.js";
export * from "./kinpost/v1/producer_pb.js";
export * from "./kinpost/v1/producer_service_pb.js";
export * from "./kinpost/v1/run_pb.js";
export * from "./kinpost/v1/run_service_pb.js";
export * from "./kinpost/v1/session_pb.js";
export * from "./kinpost/v1/session_service_pb.js";
export * from "./kinpost/v1/token_pb.js";
export * from "./kinpost/v1/tool_pb.js";
export * from "./kinpost/v1/tool_service_pb.js";
export * from "./version.js";
