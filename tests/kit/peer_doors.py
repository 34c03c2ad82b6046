"""Peer mail through either door, told in the same words: what a test says once is tried over gRPC and over HTTP."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import grpc
import httpx
from calls import Client, read_refusal

ROUTES = {
    "peer-message": ("SendPeerMessage", "/sessions/{}/peer-message"),
    "message": ("FollowUp", "/session/{}/message"),
    "queue": ("QueuePeerMessage", "/session/{}/queue"),
}
STATUSES = {  # of the contract's table, and of the service's own
    "invalid_payload": (400, grpc.StatusCode.INVALID_ARGUMENT),
    "tldr_required": (400, grpc.StatusCode.INVALID_ARGUMENT),
    "unauthorized": (401, grpc.StatusCode.UNAUTHENTICATED),
    "forbidden": (403, grpc.StatusCode.PERMISSION_DENIED),
    "not_your_messages": (403, grpc.StatusCode.PERMISSION_DENIED),
    "session_not_found": (404, grpc.StatusCode.NOT_FOUND),
    "message_not_found": (404, grpc.StatusCode.NOT_FOUND),
    "turn_in_flight": (409, grpc.StatusCode.ABORTED),
    "inactive_target_needs_confirmation": (409, grpc.StatusCode.FAILED_PRECONDITION),
    "duplicate_in_flight": (409, grpc.StatusCode.ABORTED),
    "user_closed": (409, grpc.StatusCode.FAILED_PRECONDITION),
    "rate_limited": (429, grpc.StatusCode.RESOURCE_EXHAUSTED),
    "wake_failed": (500, grpc.StatusCode.INTERNAL),
    "send_failed": (500, grpc.StatusCode.INTERNAL),
}
NAMES = {
    "auth:unauthenticated": "unauthorized",
    "auth:forbidden": "forbidden",
    "message:not_found": "message_not_found",
}


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def id_of(session: Any) -> str:
    return session if isinstance(session, str) else session.session_id


def answer(**fields: Any) -> SimpleNamespace:
    """What came of a call: `error` is empty when it was not refused."""
    empty = {"error": "", "detail": "", "field": "", "retry_after_ms": None}
    delivery = {"delivered": False, "queued": False, "woken_from": None, "idempotent": False}
    return SimpleNamespace(**{**empty, **delivery, **fields})


class GrpcDoor:
    """Over gRPC."""

    name = "grpc"

    async def close(self) -> None:
        """Nothing is open."""

    async def send(
        self,
        client: Client,
        source: Any,
        target: Any,
        text: str = "hello",
        *,
        route: str = "peer-message",
        **fields: Any,
    ) -> SimpleNamespace:
        rpc, _ = ROUTES[route]
        fields["client_request_id"] = fields.pop("key", "")
        call = getattr(client.peers, rpc)
        request = {"session_id": id_of(target), "source_session_id": id_of(source), "text": text, **fields}
        return await self._told(call, request, lambda told: self._delivery(told.delivery))

    async def broadcast(
        self, client: Client, source: Any, targets: list[Any], text: str = "hello", **fields: Any
    ) -> Any:
        fields["client_request_id"] = fields.pop("key", "")
        fields["session_ids"] = [id_of(target) for target in targets]
        return await self._told(
            client.peers.BroadcastPeerMessage,
            {"source_session_id": id_of(source), "text": text, **fields},
            lambda told: answer(results=[self._result(result) for result in told.results]),
        )

    async def body(self, client: Client, body_id: str, *, meta: bool = False) -> SimpleNamespace:
        return await self._told(
            client.peers.GetPeerBody,
            {"body_id": body_id, "meta_only": meta},
            lambda told: answer(
                text=told.text if told.HasField("text") else None, chars=told.chars, tokens=told.tokens
            ),
        )

    async def sent(self, client: Client, session: Any, limit: int = 0) -> SimpleNamespace:
        return await self._told(
            client.peers.ListPeerMessagesSent,
            {"session_id": id_of(session), "limit": limit},
            lambda told: answer(
                messages=list(told.messages),
                retained_scope=told.retained_scope,
                holds_since=told.store_holds_since.ToMilliseconds() if told.HasField("store_holds_since") else None,
            ),
        )

    async def dead_letters(self, client: Client, page_size: int = 0, page_token: str = "") -> SimpleNamespace:
        return await self._told(
            client.peers.ListDeadLetters,
            {"page_size": page_size, "page_token": page_token},
            lambda told: answer(
                letters=[
                    SimpleNamespace(
                        dead_letter_id=letter.dead_letter_id,
                        source_session_id=letter.source_session_id,
                        target_session_id=letter.target_session_id,
                        text=letter.text,
                        tldr=letter.tldr if letter.HasField("tldr") else None,
                        reason=("", "target_gone", "user_closed", "wake_failed", "send_failed")[letter.reason],
                        detail=letter.detail,
                        redelivered=letter.HasField("redeliver_time"),
                    )
                    for letter in told.dead_letters
                ],
                next_page_token=told.next_page_token,
            ),
        )

    async def redeliver(self, client: Client, dead_letter_id: str) -> SimpleNamespace:
        return await self._told(
            client.peers.RedeliverDeadLetter,
            {"dead_letter_id": dead_letter_id},
            lambda told: self._delivery(told.delivery),
        )

    @staticmethod
    def _delivery(delivery: Any) -> SimpleNamespace:
        return answer(
            delivered=delivery.delivered,
            queued=delivery.queued,
            woken_from=delivery.woken_from if delivery.HasField("woken_from") else None,
            idempotent=delivery.idempotent,
        )

    def _result(self, result: Any) -> SimpleNamespace:
        told = self._delivery(result.delivery) if result.HasField("delivery") else answer()
        told.session_id, told.error, told.detail = result.session_id, result.error, result.detail
        return told

    @staticmethod
    async def _told(call: Any, fields: dict[str, Any], read: Any) -> SimpleNamespace:
        try:
            return read(await call(**fields))
        except grpc.aio.AioRpcError as failure:
            told = read_refusal(failure)
        error = NAMES.get(told.code) or told.code.removeprefix("peer:")
        assert told.grpc_code is STATUSES[error][1], told.text
        milliseconds = told.info.metadata.get("retry_after_ms")
        if milliseconds is not None:
            assert told.retry_seconds == int(milliseconds) / 1000
        return answer(
            error=error,
            detail=told.text.removeprefix(f"{told.code}: "),
            field=told.field,
            retry_after_ms=None if milliseconds is None else int(milliseconds),
        )


class HttpDoor:
    """Over HTTP."""

    name = "http"

    def __init__(self, address: str) -> None:
        self.http = httpx.AsyncClient(base_url=f"http://{address}", timeout=60)

    async def close(self) -> None:
        """Close the connections."""
        await self.http.aclose()

    async def ask(self, client: Client, method: str, path: str, **given: Any) -> httpx.Response:
        """Make a request with the client's token."""
        token = {"Authorization": f"Bearer {client.secret}"} if client.secret else {}
        headers = {**token, **given.pop("headers", {})}
        return await self.http.request(method, path, headers=headers, **given)

    async def send(
        self,
        client: Client,
        source: Any,
        target: Any,
        text: str = "hello",
        *,
        route: str = "peer-message",
        **fields: Any,
    ) -> SimpleNamespace:
        return await self._post(client, ROUTES[route][1].format(id_of(target)), source, text, fields)

    async def broadcast(
        self, client: Client, source: Any, targets: list[Any], text: str = "hello", **fields: Any
    ) -> Any:
        fields["session_ids"] = [id_of(target) for target in targets]
        told = await self._post(client, "/peer-broadcast", source, text, fields)
        if not told.error:
            told.results = [answer(**{snake(name): value for name, value in one.items()}) for one in told.results]
            for result in told.results:
                result.idempotent = told.idempotent
        return told

    async def body(self, client: Client, body_id: str, *, meta: bool = False) -> SimpleNamespace:
        told = self._told(await self.ask(client, "GET", f"/peer-message/{body_id}{'?meta=1' if meta else ''}"))
        told.text = getattr(told, "text", None)
        return told

    async def sent(self, client: Client, session: Any, limit: Any = "") -> SimpleNamespace:
        response = await self.ask(client, "GET", f"/sessions/{id_of(session)}/peer-messages-sent?limit={limit}")
        told = self._told(response)
        if not told.error:
            told.messages = [SimpleNamespace(**{snake(k): v for k, v in one.items()}) for one in told.messages]
            since = told.store_holds_since
            told.holds_since = None if since is None else _milliseconds(since)
        return told

    async def dead_letters(self, client: Client, page_size: int = 0, page_token: str = "") -> SimpleNamespace:
        query = {"pageSize": page_size, "pageToken": page_token}
        told = self._told(await self.ask(client, "GET", "/peer-dead-letters", params=query))
        if not told.error:
            told.letters = [SimpleNamespace(**{snake(k): v for k, v in one.items()}) for one in told.dead_letters]
            for letter in told.letters:
                letter.redelivered = letter.redeliver_time is not None
        return told

    async def redeliver(self, client: Client, dead_letter_id: str) -> SimpleNamespace:
        return self._told(await self.ask(client, "POST", f"/peer-dead-letters/{dead_letter_id}/redeliver"))

    async def _post(self, client: Client, path: str, source: Any, text: str, fields: dict[str, Any]) -> SimpleNamespace:
        headers = {}
        if id_of(source):
            headers["X-AMC-Source-Session-Id"] = id_of(source)
        if key := fields.pop("key", ""):
            headers["X-Client-Request-Id"] = key
        body = {"text": text, **{camel(name): value for name, value in fields.items()}}
        return self._told(await self.ask(client, "POST", path, json=body, headers=headers))

    @staticmethod
    def _told(response: httpx.Response) -> SimpleNamespace:
        assert response.headers["content-type"] == "application/json"
        body = response.json()
        told = answer(**{snake(name): value for name, value in body.items()}, response=response)
        assert body["ok"] is (response.status_code == 200)
        if told.error:
            assert response.status_code == STATUSES[told.error][0], response.text
            told.field = told.detail.split(": ")[0] if told.error == "invalid_payload" else ""
        return told


def _milliseconds(instant: str) -> int:
    from datetime import datetime

    return round(datetime.fromisoformat(instant).timestamp() * 1000)
