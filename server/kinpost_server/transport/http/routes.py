"""The contract's routes: read the request, call the desk, write the answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from starlette.exceptions import HTTPException

from kinpost_server.domain.address import parse_uuid
from kinpost_server.domain.errors import InvalidRequest, MessageNotFound
from kinpost_server.domain.identity import TokenKind
from kinpost_server.domain.peer import RETAINED_SCOPE, SENT_LIMIT, Letter, Route
from kinpost_server.domain.peer_errors import NotYourMessages, Retired
from kinpost_server.engine.access import require
from kinpost_server.engine.engine import Engine
from kinpost_server.engine.peer_post import Post
from kinpost_server.transport.admin_handlers import SERVER_VERSION
from kinpost_server.transport.cursor import id_of, page_token_of
from kinpost_server.transport.fields import PAGE_SIZE_MAX, page_size
from kinpost_server.transport.http import answers, document, forms
from kinpost_server.transport.http.document import KEY_HEADER, SENDS, SESSION, SOURCE_HEADER, operation, refusals
from kinpost_server.transport.http.intake import NAMES, HttpIntake, key_of, source_of
from kinpost_server.transport.http.metrics import CONTENT_TYPE, Metrics
from kinpost_server.transport.http.payload import read_form
from kinpost_server.transport.limits import HttpLimits
from kinpost_server.transport.tracing import Tracing

Form = TypeVar("Form", bound=forms.LeftMessage)
Handler = Callable[[Request], Awaitable[Response]]

LIMIT_DIGITS_MAX = 9
PAGE_SIZE = {
    "name": "pageSize",
    "in": "query",
    "required": False,
    "schema": {"type": "integer", "minimum": 0, "maximum": PAGE_SIZE_MAX},
}


class Routes:
    """The routes over one engine. `ready` tells whether the server can serve."""

    def __init__(self, engine: Engine, limits: HttpLimits, tracing: Tracing | None = None) -> None:
        self._engine = engine
        self._desk = engine.peer
        self._intake = HttpIntake(engine.caller_of, engine.look_for_tokens, limits, tracing)
        self._tracing = tracing
        self._metrics = Metrics()
        self._metrics_for = limits.metrics

    def application(self) -> FastAPI:
        """Return the application."""
        app = FastAPI(
            title=document.TITLE, version=SERVER_VERSION, docs_url=None, redoc_url=None, redirect_slashes=False
        )
        app.include_router(self._sends())
        app.include_router(self._reads())
        app.include_router(self._others())
        app.openapi = lambda: document.write_document(app)  # type: ignore[method-assign]  # as FastAPI documents it
        app.add_exception_handler(HTTPException, _no_route)
        return app

    def _sends(self) -> APIRouter:
        router = APIRouter()
        for path, function, form, answer in (
            ("/sessions/{session_id}/peer-message", self.peer_message, forms.PeerMessage, forms.Delivered),
            ("/session/{session_id}/message", self.follow_up, forms.FollowUpMessage, forms.Delivered),
            ("/session/{session_id}/queue", self.queue, forms.LeftMessage, forms.Delivered),
            ("/peer-broadcast", self.broadcast, forms.PeerBroadcast, forms.Broadcast),
        ):
            named = (SESSION, SOURCE_HEADER, KEY_HEADER) if "{" in path else (SOURCE_HEADER, KEY_HEADER)
            router.add_api_route(
                path,
                self._answered(function),
                methods=["POST"],
                name=function.__name__,
                description=function.__doc__ or "",
                response_model=None,
                responses={200: {"model": answer}, **refusals(*SENDS)},
                openapi_extra=operation(*named, body=form),
            )
        router.add_api_route(
            "/peer-dead-letters/{dead_letter_id}/redeliver",
            self._answered(self.redeliver),
            methods=["POST"],
            name="redeliver",
            description=self.redeliver.__doc__ or "",
            response_model=None,
            responses={200: {"model": forms.Delivered}, **refusals(*SENDS)},
            openapi_extra=operation({**SESSION, "name": "dead_letter_id"}, KEY_HEADER),
        )
        return router

    def _reads(self) -> APIRouter:
        router = APIRouter()
        body_id = {**SESSION, "name": "body_id"}
        for path, function, answer, parameters in (
            ("/peer-message/{body_id}", self.body, forms.Body | forms.Size, (body_id, _query("meta"))),
            ("/sessions/{session_id}/peer-messages-sent", self.sent, forms.SentMessages, (SESSION, _query("limit"))),
            ("/peer-dead-letters", self.dead_letters, forms.KeptLetters, (PAGE_SIZE, _query("pageToken"))),
        ):
            router.add_api_route(
                path,
                self._answered(function),
                methods=["GET"],
                name=function.__name__,
                description=function.__doc__ or "",
                response_model=None,
                responses={200: {"model": answer}, **refusals(400, 404, *document.ALWAYS)},
                openapi_extra=operation(*parameters),
            )
        return router

    def _others(self) -> APIRouter:
        router = APIRouter()
        router.add_api_route(
            "/sessions/{session_id}/peer-aside",
            self._answered(self.retired),
            methods=["POST"],
            deprecated=True,
            status_code=410,
            response_model=None,
            responses=refusals(410),
            openapi_extra=operation(SESSION, open_to_all=True),
        )
        for path, function in (("/healthz", self.health), ("/readyz", self.ready)):
            router.add_api_route(
                path,
                function,
                methods=["GET"],
                response_model=None,
                responses={200: {"model": forms.Health}, 503: {"model": forms.Health}, **refusals()},
                openapi_extra=operation(open_to_all=True),
            )
        if self._metrics_for != "off":
            open_to_all = self._metrics_for == "open"
            router.add_api_route(
                "/metrics",
                self._answered(self.metrics),
                methods=["GET"],
                name="metrics",
                description=self.metrics.__doc__ or "",
                response_model=None,
                response_class=PlainTextResponse,
                responses=refusals(500, *(() if open_to_all else (401, 403))),
                openapi_extra=operation(open_to_all=open_to_all),
            )
        return router

    def _answered(self, function: Handler) -> Handler:
        """Return a handler whose refusals and accidents are answers: the one catch-all of this door."""

        async def answer(request: Request) -> Response:
            try:
                return await function(request)
            except Exception as failure:  # noqa: BLE001 - whatever it is, the caller gets the contract's form
                return answers.refused(failure)

        tracing = self._tracing
        if tracing is None:
            return answer

        async def traced(request: Request) -> Response:
            with tracing.http(request.method, request.scope["route"].path, request.headers.items()) as span:
                told = await answer(request)
                tracing.answered(span, told.status_code)
                return told

        return traced

    # Sends

    async def peer_message(self, request: Request) -> JSONResponse:
        """Deliver a message to a session; a busy one takes it at its turn boundary."""
        return await self._send(request, Route.MESSAGE, forms.PeerMessage)

    async def follow_up(self, request: Request) -> JSONResponse:
        """Follow up in a session."""
        return await self._send(request, Route.FOLLOW_UP, forms.FollowUpMessage)

    async def queue(self, request: Request) -> JSONResponse:
        """Leave a message durably; never refused for a busy or a sleeping target."""
        return await self._send(request, Route.QUEUE, forms.LeftMessage)

    async def _send(self, request: Request, route: Route, form: type[Form]) -> JSONResponse:
        caller = await self._intake.caller(request)
        async with self._intake.body(caller, request) as data:
            letter = _letter(read_form(data, form))
            target = request.path_params["session_id"]
            post = Post(
                caller, route, source_of(request), (parse_uuid(target) or target,), letter, key_of(request), NAMES
            )
            return JSONResponse(answers.delivered(await self._desk.send(post)))

    async def broadcast(self, request: Request) -> JSONResponse:
        """Deliver a message to many sessions: one result and one rate slot each."""
        caller = await self._intake.caller(request)
        async with self._intake.body(caller, request) as data:
            form = read_form(data, forms.PeerBroadcast)
            targets = tuple(parse_uuid(one) or one for one in form.session_ids)
            post = Post(caller, Route.BROADCAST, source_of(request), targets, _letter(form), key_of(request), NAMES)
            return JSONResponse(answers.broadcast(await self._desk.broadcast(post)))

    async def redeliver(self, request: Request) -> JSONResponse:
        """Deliver a dead letter again; safe to repeat."""
        caller = await self._intake.caller(request)
        dead_letter_id = parse_uuid(request.path_params["dead_letter_id"])
        if dead_letter_id is None:
            raise MessageNotFound("there is no such dead letter, or it is not the caller's")
        async with self._intake.body(caller, request) as data:
            if data:
                read_form(data, forms.Nothing)
            return JSONResponse(answers.delivered(await self._desk.redeliver(caller, dead_letter_id)))

    # Reads

    async def body(self, request: Request) -> JSONResponse:
        """Pull a stored body, or with `meta=1` only its size."""
        caller = await self._intake.caller(request)
        body_id = parse_uuid(request.path_params["body_id"])
        if body_id is None:
            raise MessageNotFound("there is no such body, or it is not the caller's")
        measured = request.query_params.get("meta") == "1"
        stored = await self._desk.body(caller, body_id, counts=not measured)
        size = answers.size(stored)
        return JSONResponse(size if measured else {**size, "text": stored.text})

    async def sent(self, request: Request) -> JSONResponse:
        """Read back what a session sent with a summary, newest first."""
        caller = await self._intake.caller(request)
        session_id = request.path_params["session_id"]
        session_id = parse_uuid(session_id) or session_id
        if source_of(request) not in ("", session_id):
            raise NotYourMessages
        sent = await self._desk.sent(caller, session_id, _limit(request.query_params.get("limit", "")))
        since = sent.holds_since
        return JSONResponse(
            {
                "ok": True,
                "messages": [answers.sent(stored) for stored in sent.messages],
                "retainedScope": RETAINED_SCOPE,
                "storeHoldsSince": None if since is None else answers.instant(since),
            }
        )

    async def dead_letters(self, request: Request) -> JSONResponse:
        """List what could not be delivered, newest first."""
        caller = await self._intake.caller(request)
        size = request.query_params.get("pageSize", "")
        if size and not (size.isascii() and size.isdigit() and len(size) <= LIMIT_DIGITS_MAX):
            raise InvalidRequest("pageSize", "is not a number")
        letters, place = await self._desk.dead_letters(
            caller, id_of(request.query_params.get("pageToken", ""), "pageToken"), page_size(int(size or 0))
        )
        return JSONResponse(
            {
                "ok": True,
                "deadLetters": [answers.dead_letter(letter) for letter in letters],
                "nextPageToken": page_token_of(place),
            }
        )

    # Others

    async def retired(self, _request: Request) -> JSONResponse:
        """Always gone: before anything is looked at."""
        raise Retired(
            "Asking another agent with an aside is no longer supported. Send it with POST /sessions/:id/peer-message "
            "instead, and ask for an answer: it comes as a peer message of its own"
        )

    async def metrics(self, request: Request) -> Response:
        """Tell how much there is of everything, for Prometheus."""
        if self._metrics_for == "token":
            require(await self._intake.caller(request), TokenKind.OBSERVER)
        return Response(self._metrics.text(await self._engine.figures()), media_type=CONTENT_TYPE)

    async def health(self) -> JSONResponse:
        """Tell that the server lives."""
        return JSONResponse({"ok": True})

    async def ready(self) -> JSONResponse:
        """Tell whether the store answers and the server takes calls."""
        serves = await self._engine.ping() and not self._engine.is_shutting_down
        return JSONResponse({"ok": serves}, 200 if serves else 503)


async def _no_route(request: Request, failure: Exception) -> JSONResponse:
    assert isinstance(failure, HTTPException)
    names = {404: "not_found", 405: "method_not_allowed"}
    headers = dict(failure.headers or {})
    return answers.told(
        failure.status_code, names.get(failure.status_code, "bad_request"), str(failure.detail), headers
    )


def _letter(form: forms.LeftMessage) -> Letter:
    return Letter(**form.model_dump(exclude={"session_ids"}))


def _limit(text: str) -> int:
    """Return the number that a text is; a bad one means the default."""
    good = text.isascii() and text.isdigit() and len(text) <= LIMIT_DIGITS_MAX
    return int(text) if good else SENT_LIMIT


def _query(name: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": False, "schema": {"type": "string"}}
