"""The yardstick: a grpc.aio server on the same event loop that parses the same requests and answers at once."""

from __future__ import annotations

import asyncio
import signal
import sys

import grpc.aio
import uvloop
from kinpost.v1 import message_pb2, messaging_service_pb2, messaging_service_pb2_grpc


class Echo(messaging_service_pb2_grpc.MessagingServiceServicer):
    """Answers SendMessage with an acceptance of the same size as the real one."""

    async def SendMessage(  # noqa: N802 - the RPC's name
        self, request: messaging_service_pb2.SendMessageRequest, context: object
    ) -> messaging_service_pb2.SendMessageResponse:
        """Echo."""
        return messaging_service_pb2.SendMessageResponse(
            accepted=message_pb2.MessageAccepted(
                message_id=request.session_id,
                mode=message_pb2.MESSAGE_MODE_STEER,
                recipient_state=message_pb2.RECIPIENT_STATE_RUNNING,
            )
        )


async def serve() -> None:
    """Serve until SIGTERM; the port is printed when ready."""
    server = grpc.aio.server()
    messaging_service_pb2_grpc.add_MessagingServiceServicer_to_server(Echo(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    ending = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ending.set)
    await ending.wait()
    await server.stop(1)


if __name__ == "__main__":
    uvloop.run(serve())
