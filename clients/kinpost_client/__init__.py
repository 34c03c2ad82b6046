"""The Python client of Kinpost: asyncio, typed, patient.

A runtime author writes the model call and the tools; leases, attempts, claims, commits, repetition and resumption are
done here:

    async with connect("127.0.0.1:7419", token=secret) as client:
        async with client.runtime("my-runtime", agents=["explore"]) as runtime:
            async for offer in runtime.offers():
                async with runtime.run(offer) as run:
                    async for turn in run.turns():
                        reply = await ask_the_model(turn.prompt)
                        if reply.tool_calls:
                            turn.more()
                        for call in reply.tool_calls:
                            await run.call_tool(call.name, call.arguments, tool_call_id=call.id)
"""

from kinpost_client.approvals import Approvals
from kinpost_client.client import Client, connect
from kinpost_client.errors import KinpostError, RunCancelled, RunEnded, RunLeaseLost, TurnLeftOpen
from kinpost_client.gate import Gate
from kinpost_client.peers import (
    DeadLetter,
    PeerBody,
    PeerDelivery,
    PeerResult,
    Peers,
    SentPeerMessage,
    SentPeerMessages,
)
from kinpost_client.producer import Producer
from kinpost_client.records import (
    Accepted,
    Approval,
    Event,
    GatedCall,
    Mail,
    NewToken,
    Offer,
    Registration,
    Sender,
    ServerInfo,
    Session,
    Token,
    Tool,
    ToolResult,
)
from kinpost_client.retry import Retry
from kinpost_client.run import Run
from kinpost_client.runtime import Runtime
from kinpost_client.session_requests import Imported
from kinpost_client.subscription import Subscription
from kinpost_client.terms import (
    ApprovalDecision,
    ApprovalState,
    Availability,
    DeadLetterReason,
    Decision,
    Mode,
    Origin,
    Outcome,
    Owner,
    RecipientState,
    SessionState,
    Starter,
    StopReason,
    TokenKind,
)
from kinpost_client.turn import Turn

__all__ = [
    "Accepted",
    "Approval",
    "ApprovalDecision",
    "ApprovalState",
    "Approvals",
    "Availability",
    "Client",
    "DeadLetter",
    "DeadLetterReason",
    "Decision",
    "Event",
    "Gate",
    "GatedCall",
    "Imported",
    "KinpostError",
    "Mail",
    "Mode",
    "NewToken",
    "Offer",
    "Origin",
    "Outcome",
    "Owner",
    "PeerBody",
    "PeerDelivery",
    "PeerResult",
    "Peers",
    "Producer",
    "RecipientState",
    "Registration",
    "Retry",
    "Run",
    "RunCancelled",
    "RunEnded",
    "RunLeaseLost",
    "Runtime",
    "Sender",
    "SentPeerMessage",
    "SentPeerMessages",
    "ServerInfo",
    "Session",
    "SessionState",
    "Starter",
    "StopReason",
    "Subscription",
    "Token",
    "TokenKind",
    "Tool",
    "ToolResult",
    "Turn",
    "TurnLeftOpen",
    "connect",
]
