"""Stubs that carry the dataclasses over grpc.aio. Generated: do not edit.

Each attribute is called like its official twin: with a message, and with `timeout` and `metadata` if wanted.
"""

from __future__ import annotations

from grpc import aio

from kinpost_betterproto.kinpost import v1


class AdminServiceStub:
    """Calls kinpost.v1.AdminService."""

    def __init__(self, channel: aio.Channel) -> None:
        self.get_server_info: aio.UnaryUnaryMultiCallable[v1.GetServerInfoRequest, v1.GetServerInfoResponse] = channel.unary_unary(
            "/kinpost.v1.AdminService/GetServerInfo",
            request_serializer=v1.GetServerInfoRequest.__bytes__,
            response_deserializer=v1.GetServerInfoResponse.parse,
        )
        self.create_token: aio.UnaryUnaryMultiCallable[v1.CreateTokenRequest, v1.CreateTokenResponse] = channel.unary_unary(
            "/kinpost.v1.AdminService/CreateToken",
            request_serializer=v1.CreateTokenRequest.__bytes__,
            response_deserializer=v1.CreateTokenResponse.parse,
        )
        self.list_tokens: aio.UnaryUnaryMultiCallable[v1.ListTokensRequest, v1.ListTokensResponse] = channel.unary_unary(
            "/kinpost.v1.AdminService/ListTokens",
            request_serializer=v1.ListTokensRequest.__bytes__,
            response_deserializer=v1.ListTokensResponse.parse,
        )
        self.revoke_token: aio.UnaryUnaryMultiCallable[v1.RevokeTokenRequest, v1.RevokeTokenResponse] = channel.unary_unary(
            "/kinpost.v1.AdminService/RevokeToken",
            request_serializer=v1.RevokeTokenRequest.__bytes__,
            response_deserializer=v1.RevokeTokenResponse.parse,
        )


class ApprovalServiceStub:
    """Calls kinpost.v1.ApprovalService."""

    def __init__(self, channel: aio.Channel) -> None:
        self.list_approvals: aio.UnaryUnaryMultiCallable[v1.ListApprovalsRequest, v1.ListApprovalsResponse] = channel.unary_unary(
            "/kinpost.v1.ApprovalService/ListApprovals",
            request_serializer=v1.ListApprovalsRequest.__bytes__,
            response_deserializer=v1.ListApprovalsResponse.parse,
        )
        self.get_approval: aio.UnaryUnaryMultiCallable[v1.GetApprovalRequest, v1.GetApprovalResponse] = channel.unary_unary(
            "/kinpost.v1.ApprovalService/GetApproval",
            request_serializer=v1.GetApprovalRequest.__bytes__,
            response_deserializer=v1.GetApprovalResponse.parse,
        )
        self.decide_approval: aio.UnaryUnaryMultiCallable[v1.DecideApprovalRequest, v1.DecideApprovalResponse] = channel.unary_unary(
            "/kinpost.v1.ApprovalService/DecideApproval",
            request_serializer=v1.DecideApprovalRequest.__bytes__,
            response_deserializer=v1.DecideApprovalResponse.parse,
        )


class EventServiceStub:
    """Calls kinpost.v1.EventService."""

    def __init__(self, channel: aio.Channel) -> None:
        self.subscribe_events: aio.UnaryStreamMultiCallable[v1.SubscribeEventsRequest, v1.SubscribeEventsResponse] = channel.unary_stream(
            "/kinpost.v1.EventService/SubscribeEvents",
            request_serializer=v1.SubscribeEventsRequest.__bytes__,
            response_deserializer=v1.SubscribeEventsResponse.parse,
        )
        self.list_events: aio.UnaryUnaryMultiCallable[v1.ListEventsRequest, v1.ListEventsResponse] = channel.unary_unary(
            "/kinpost.v1.EventService/ListEvents",
            request_serializer=v1.ListEventsRequest.__bytes__,
            response_deserializer=v1.ListEventsResponse.parse,
        )


class MessagingServiceStub:
    """Calls kinpost.v1.MessagingService."""

    def __init__(self, channel: aio.Channel) -> None:
        self.send_message: aio.UnaryUnaryMultiCallable[v1.SendMessageRequest, v1.SendMessageResponse] = channel.unary_unary(
            "/kinpost.v1.MessagingService/SendMessage",
            request_serializer=v1.SendMessageRequest.__bytes__,
            response_deserializer=v1.SendMessageResponse.parse,
        )
        self.batch_send_messages: aio.UnaryUnaryMultiCallable[v1.BatchSendMessagesRequest, v1.BatchSendMessagesResponse] = channel.unary_unary(
            "/kinpost.v1.MessagingService/BatchSendMessages",
            request_serializer=v1.BatchSendMessagesRequest.__bytes__,
            response_deserializer=v1.BatchSendMessagesResponse.parse,
        )
        self.send_user_message: aio.UnaryUnaryMultiCallable[v1.SendUserMessageRequest, v1.SendUserMessageResponse] = channel.unary_unary(
            "/kinpost.v1.MessagingService/SendUserMessage",
            request_serializer=v1.SendUserMessageRequest.__bytes__,
            response_deserializer=v1.SendUserMessageResponse.parse,
        )
        self.retract_message: aio.UnaryUnaryMultiCallable[v1.RetractMessageRequest, v1.RetractMessageResponse] = channel.unary_unary(
            "/kinpost.v1.MessagingService/RetractMessage",
            request_serializer=v1.RetractMessageRequest.__bytes__,
            response_deserializer=v1.RetractMessageResponse.parse,
        )
        self.get_sent_message: aio.UnaryUnaryMultiCallable[v1.GetSentMessageRequest, v1.GetSentMessageResponse] = channel.unary_unary(
            "/kinpost.v1.MessagingService/GetSentMessage",
            request_serializer=v1.GetSentMessageRequest.__bytes__,
            response_deserializer=v1.GetSentMessageResponse.parse,
        )
        self.list_sent_messages: aio.UnaryUnaryMultiCallable[v1.ListSentMessagesRequest, v1.ListSentMessagesResponse] = channel.unary_unary(
            "/kinpost.v1.MessagingService/ListSentMessages",
            request_serializer=v1.ListSentMessagesRequest.__bytes__,
            response_deserializer=v1.ListSentMessagesResponse.parse,
        )


class PeerServiceStub:
    """Calls kinpost.v1.PeerService."""

    def __init__(self, channel: aio.Channel) -> None:
        self.send_peer_message: aio.UnaryUnaryMultiCallable[v1.SendPeerMessageRequest, v1.SendPeerMessageResponse] = channel.unary_unary(
            "/kinpost.v1.PeerService/SendPeerMessage",
            request_serializer=v1.SendPeerMessageRequest.__bytes__,
            response_deserializer=v1.SendPeerMessageResponse.parse,
        )
        self.broadcast_peer_message: aio.UnaryUnaryMultiCallable[v1.BroadcastPeerMessageRequest, v1.BroadcastPeerMessageResponse] = channel.unary_unary(
            "/kinpost.v1.PeerService/BroadcastPeerMessage",
            request_serializer=v1.BroadcastPeerMessageRequest.__bytes__,
            response_deserializer=v1.BroadcastPeerMessageResponse.parse,
        )
        self.follow_up: aio.UnaryUnaryMultiCallable[v1.FollowUpRequest, v1.FollowUpResponse] = channel.unary_unary(
            "/kinpost.v1.PeerService/FollowUp",
            request_serializer=v1.FollowUpRequest.__bytes__,
            response_deserializer=v1.FollowUpResponse.parse,
        )
        self.queue_peer_message: aio.UnaryUnaryMultiCallable[v1.QueuePeerMessageRequest, v1.QueuePeerMessageResponse] = channel.unary_unary(
            "/kinpost.v1.PeerService/QueuePeerMessage",
            request_serializer=v1.QueuePeerMessageRequest.__bytes__,
            response_deserializer=v1.QueuePeerMessageResponse.parse,
        )
        self.get_peer_body: aio.UnaryUnaryMultiCallable[v1.GetPeerBodyRequest, v1.GetPeerBodyResponse] = channel.unary_unary(
            "/kinpost.v1.PeerService/GetPeerBody",
            request_serializer=v1.GetPeerBodyRequest.__bytes__,
            response_deserializer=v1.GetPeerBodyResponse.parse,
        )
        self.list_peer_messages_sent: aio.UnaryUnaryMultiCallable[v1.ListPeerMessagesSentRequest, v1.ListPeerMessagesSentResponse] = channel.unary_unary(
            "/kinpost.v1.PeerService/ListPeerMessagesSent",
            request_serializer=v1.ListPeerMessagesSentRequest.__bytes__,
            response_deserializer=v1.ListPeerMessagesSentResponse.parse,
        )
        self.list_dead_letters: aio.UnaryUnaryMultiCallable[v1.ListDeadLettersRequest, v1.ListDeadLettersResponse] = channel.unary_unary(
            "/kinpost.v1.PeerService/ListDeadLetters",
            request_serializer=v1.ListDeadLettersRequest.__bytes__,
            response_deserializer=v1.ListDeadLettersResponse.parse,
        )
        self.redeliver_dead_letter: aio.UnaryUnaryMultiCallable[v1.RedeliverDeadLetterRequest, v1.RedeliverDeadLetterResponse] = channel.unary_unary(
            "/kinpost.v1.PeerService/RedeliverDeadLetter",
            request_serializer=v1.RedeliverDeadLetterRequest.__bytes__,
            response_deserializer=v1.RedeliverDeadLetterResponse.parse,
        )


class ProducerServiceStub:
    """Calls kinpost.v1.ProducerService."""

    def __init__(self, channel: aio.Channel) -> None:
        self.register_producer: aio.UnaryUnaryMultiCallable[v1.RegisterProducerRequest, v1.RegisterProducerResponse] = channel.unary_unary(
            "/kinpost.v1.ProducerService/RegisterProducer",
            request_serializer=v1.RegisterProducerRequest.__bytes__,
            response_deserializer=v1.RegisterProducerResponse.parse,
        )
        self.renew_producers: aio.UnaryUnaryMultiCallable[v1.RenewProducersRequest, v1.RenewProducersResponse] = channel.unary_unary(
            "/kinpost.v1.ProducerService/RenewProducers",
            request_serializer=v1.RenewProducersRequest.__bytes__,
            response_deserializer=v1.RenewProducersResponse.parse,
        )
        self.send_producer_message: aio.UnaryUnaryMultiCallable[v1.SendProducerMessageRequest, v1.SendProducerMessageResponse] = channel.unary_unary(
            "/kinpost.v1.ProducerService/SendProducerMessage",
            request_serializer=v1.SendProducerMessageRequest.__bytes__,
            response_deserializer=v1.SendProducerMessageResponse.parse,
        )
        self.discard_producer_message: aio.UnaryUnaryMultiCallable[v1.DiscardProducerMessageRequest, v1.DiscardProducerMessageResponse] = channel.unary_unary(
            "/kinpost.v1.ProducerService/DiscardProducerMessage",
            request_serializer=v1.DiscardProducerMessageRequest.__bytes__,
            response_deserializer=v1.DiscardProducerMessageResponse.parse,
        )
        self.unregister_producer: aio.UnaryUnaryMultiCallable[v1.UnregisterProducerRequest, v1.UnregisterProducerResponse] = channel.unary_unary(
            "/kinpost.v1.ProducerService/UnregisterProducer",
            request_serializer=v1.UnregisterProducerRequest.__bytes__,
            response_deserializer=v1.UnregisterProducerResponse.parse,
        )
        self.list_producers: aio.UnaryUnaryMultiCallable[v1.ListProducersRequest, v1.ListProducersResponse] = channel.unary_unary(
            "/kinpost.v1.ProducerService/ListProducers",
            request_serializer=v1.ListProducersRequest.__bytes__,
            response_deserializer=v1.ListProducersResponse.parse,
        )
        self.intercept_tool_calls: aio.StreamStreamMultiCallable[v1.InterceptToolCallsRequest, v1.InterceptToolCallsResponse] = channel.stream_stream(
            "/kinpost.v1.ProducerService/InterceptToolCalls",
            request_serializer=v1.InterceptToolCallsRequest.__bytes__,
            response_deserializer=v1.InterceptToolCallsResponse.parse,
        )


class RunServiceStub:
    """Calls kinpost.v1.RunService."""

    def __init__(self, channel: aio.Channel) -> None:
        self.attach_runtime: aio.UnaryStreamMultiCallable[v1.AttachRuntimeRequest, v1.AttachRuntimeResponse] = channel.unary_stream(
            "/kinpost.v1.RunService/AttachRuntime",
            request_serializer=v1.AttachRuntimeRequest.__bytes__,
            response_deserializer=v1.AttachRuntimeResponse.parse,
        )
        self.heartbeat: aio.UnaryUnaryMultiCallable[v1.HeartbeatRequest, v1.HeartbeatResponse] = channel.unary_unary(
            "/kinpost.v1.RunService/Heartbeat",
            request_serializer=v1.HeartbeatRequest.__bytes__,
            response_deserializer=v1.HeartbeatResponse.parse,
        )
        self.decline_wake: aio.UnaryUnaryMultiCallable[v1.DeclineWakeRequest, v1.DeclineWakeResponse] = channel.unary_unary(
            "/kinpost.v1.RunService/DeclineWake",
            request_serializer=v1.DeclineWakeRequest.__bytes__,
            response_deserializer=v1.DeclineWakeResponse.parse,
        )
        self.start_run: aio.UnaryUnaryMultiCallable[v1.StartRunRequest, v1.StartRunResponse] = channel.unary_unary(
            "/kinpost.v1.RunService/StartRun",
            request_serializer=v1.StartRunRequest.__bytes__,
            response_deserializer=v1.StartRunResponse.parse,
        )
        self.claim_messages: aio.UnaryUnaryMultiCallable[v1.ClaimMessagesRequest, v1.ClaimMessagesResponse] = channel.unary_unary(
            "/kinpost.v1.RunService/ClaimMessages",
            request_serializer=v1.ClaimMessagesRequest.__bytes__,
            response_deserializer=v1.ClaimMessagesResponse.parse,
        )
        self.commit_turn: aio.UnaryUnaryMultiCallable[v1.CommitTurnRequest, v1.CommitTurnResponse] = channel.unary_unary(
            "/kinpost.v1.RunService/CommitTurn",
            request_serializer=v1.CommitTurnRequest.__bytes__,
            response_deserializer=v1.CommitTurnResponse.parse,
        )
        self.release_claim: aio.UnaryUnaryMultiCallable[v1.ReleaseClaimRequest, v1.ReleaseClaimResponse] = channel.unary_unary(
            "/kinpost.v1.RunService/ReleaseClaim",
            request_serializer=v1.ReleaseClaimRequest.__bytes__,
            response_deserializer=v1.ReleaseClaimResponse.parse,
        )
        self.finish_run: aio.UnaryUnaryMultiCallable[v1.FinishRunRequest, v1.FinishRunResponse] = channel.unary_unary(
            "/kinpost.v1.RunService/FinishRun",
            request_serializer=v1.FinishRunRequest.__bytes__,
            response_deserializer=v1.FinishRunResponse.parse,
        )
        self.cancel_run: aio.UnaryUnaryMultiCallable[v1.CancelRunRequest, v1.CancelRunResponse] = channel.unary_unary(
            "/kinpost.v1.RunService/CancelRun",
            request_serializer=v1.CancelRunRequest.__bytes__,
            response_deserializer=v1.CancelRunResponse.parse,
        )


class SessionServiceStub:
    """Calls kinpost.v1.SessionService."""

    def __init__(self, channel: aio.Channel) -> None:
        self.create_session: aio.UnaryUnaryMultiCallable[v1.CreateSessionRequest, v1.CreateSessionResponse] = channel.unary_unary(
            "/kinpost.v1.SessionService/CreateSession",
            request_serializer=v1.CreateSessionRequest.__bytes__,
            response_deserializer=v1.CreateSessionResponse.parse,
        )
        self.get_session: aio.UnaryUnaryMultiCallable[v1.GetSessionRequest, v1.GetSessionResponse] = channel.unary_unary(
            "/kinpost.v1.SessionService/GetSession",
            request_serializer=v1.GetSessionRequest.__bytes__,
            response_deserializer=v1.GetSessionResponse.parse,
        )
        self.list_sessions: aio.UnaryUnaryMultiCallable[v1.ListSessionsRequest, v1.ListSessionsResponse] = channel.unary_unary(
            "/kinpost.v1.SessionService/ListSessions",
            request_serializer=v1.ListSessionsRequest.__bytes__,
            response_deserializer=v1.ListSessionsResponse.parse,
        )
        self.set_availability: aio.UnaryUnaryMultiCallable[v1.SetAvailabilityRequest, v1.SetAvailabilityResponse] = channel.unary_unary(
            "/kinpost.v1.SessionService/SetAvailability",
            request_serializer=v1.SetAvailabilityRequest.__bytes__,
            response_deserializer=v1.SetAvailabilityResponse.parse,
        )
        self.revert_session: aio.UnaryUnaryMultiCallable[v1.RevertSessionRequest, v1.RevertSessionResponse] = channel.unary_unary(
            "/kinpost.v1.SessionService/RevertSession",
            request_serializer=v1.RevertSessionRequest.__bytes__,
            response_deserializer=v1.RevertSessionResponse.parse,
        )
        self.fork_session: aio.UnaryUnaryMultiCallable[v1.ForkSessionRequest, v1.ForkSessionResponse] = channel.unary_unary(
            "/kinpost.v1.SessionService/ForkSession",
            request_serializer=v1.ForkSessionRequest.__bytes__,
            response_deserializer=v1.ForkSessionResponse.parse,
        )
        self.delete_session: aio.UnaryUnaryMultiCallable[v1.DeleteSessionRequest, v1.DeleteSessionResponse] = channel.unary_unary(
            "/kinpost.v1.SessionService/DeleteSession",
            request_serializer=v1.DeleteSessionRequest.__bytes__,
            response_deserializer=v1.DeleteSessionResponse.parse,
        )


class ToolServiceStub:
    """Calls kinpost.v1.ToolService."""

    def __init__(self, channel: aio.Channel) -> None:
        self.list_tools: aio.UnaryUnaryMultiCallable[v1.ListToolsRequest, v1.ListToolsResponse] = channel.unary_unary(
            "/kinpost.v1.ToolService/ListTools",
            request_serializer=v1.ListToolsRequest.__bytes__,
            response_deserializer=v1.ListToolsResponse.parse,
        )
        self.call_tool: aio.UnaryUnaryMultiCallable[v1.CallToolRequest, v1.CallToolResponse] = channel.unary_unary(
            "/kinpost.v1.ToolService/CallTool",
            request_serializer=v1.CallToolRequest.__bytes__,
            response_deserializer=v1.CallToolResponse.parse,
        )
