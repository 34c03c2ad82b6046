"""A plugin that gates tool calls, as a test plays it."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
from calls import CALL_SECONDS, Client
from kinpost.v1 import producer_pb2, producer_service_pb2, producer_service_pb2_grpc

# Settings of tests in which a plugin answers, however busy the machine is.
PATIENT = {"intercept_timeout_seconds": 60.0}
ALLOW, BLOCK = producer_pb2.INTERCEPT_DECISION_ALLOW, producer_pb2.INTERCEPT_DECISION_BLOCK


class Gatekeeper:
    """One stream of a plugin. `told` waits for a call; `allow` and `block` answer one."""

    def __init__(self, client: Client) -> None:
        stub = producer_service_pb2_grpc.ProducerServiceStub(client.channel)
        self.seen: list[Any] = []
        self.call: Any = stub.InterceptToolCalls(metadata=(("authorization", f"Bearer {client.secret}"),))

    async def begin(self, *tool_names: str) -> Gatekeeper:
        """Say which tools to see, and wait until that is taken."""
        await self.write(filter=producer_service_pb2.InterceptFilter(tool_names=tool_names))
        await self.call.initial_metadata()
        return self

    async def write(self, **fields: Any) -> None:
        await self.call.write(producer_service_pb2.InterceptToolCallsRequest(**fields))

    async def verdict(self, **fields: Any) -> None:
        await self.write(verdict=producer_service_pb2.InterceptVerdict(**fields))

    async def told(self) -> Any:
        """Return the next call that is put before the plugin."""
        try:
            async with asyncio.timeout(CALL_SECONDS):
                frame = await self.call.read()
        except TimeoutError:
            raise AssertionError(f"no call came for {CALL_SECONDS:g} s; the last: {self.seen[-3:]}") from None
        if frame is grpc.aio.EOF:
            await self.status()
            raise AssertionError("the stream ended with OK")
        self.seen.append(frame)
        return frame

    async def status(self) -> None:
        """Wait for the end of the stream. Raises what it ended with, unless that is OK."""
        async with asyncio.timeout(CALL_SECONDS):
            code = await self.call.code()
        if code is not grpc.StatusCode.OK:
            trailers, details = await self.call.trailing_metadata(), await self.call.details()
            raise grpc.aio.AioRpcError(code, await self.call.initial_metadata(), trailers, details)

    async def allow(self, asked: Any) -> None:
        await self.verdict(intercept_id=asked.intercept_id, decision=ALLOW)

    async def block(self, asked: Any, reason: str = "") -> None:
        await self.verdict(intercept_id=asked.intercept_id, decision=BLOCK, reason=reason)

    async def allow_all(self, seen: list[Any]) -> None:
        """Let every call pass, for ever; they are added to `seen`."""
        while True:
            asked = await self.call.read()
            if asked is grpc.aio.EOF:
                return
            seen.append(asked)
            await self.allow(asked)

    def cancel(self) -> None:
        self.call.cancel()


def gated(gates: str, **more: object) -> dict[str, dict[str, object]]:
    """Return settings with these plugins in the configuration."""
    return {"plugins": {"gates": gates, **PATIENT, **more}}


async def plugin(server: Any, name: str = "guard", *tool_names: str) -> Gatekeeper:
    """Attach a plugin."""
    return await Gatekeeper(await server.make_token("plugin", plugin_name=name)).begin(*tool_names)
