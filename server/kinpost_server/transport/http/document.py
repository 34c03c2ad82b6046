"""What the OpenAPI document says of each route, beside its answer: who asks, by which fields, and what refuses it."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from kinpost_server.domain.peer import KEY_BYTES_MAX
from kinpost_server.transport.http.forms import Refused
from kinpost_server.transport.http.intake import KEY, SOURCE

TITLE = "Kinpost peer mail"
REFS = "#/components/schemas/{model}"
MEANINGS = {
    400: "The body, a header or the summary is not as it must be",
    401: "The token is missing or wrong",
    403: "The token may not do this, or the request is that of a web page of another origin",
    404: "There is no such thing, or it is not the caller's",
    405: "The route is asked with another method",
    408: "The body did not come in time",
    409: "The target, or another request, is in the way",
    410: "The route is retired",
    413: "The body is too large",
    421: "The request's Host is not a name of this server",
    429: "The token has made as many calls as it may",
    500: "The message could not be delivered, or an error inside the server",
    503: "The server is too busy, is shutting down, or its store does not answer",
}
SITE = (403, 421)  # before anything is looked at
ALWAYS = (401, 500, 503)
SENDS = (400, 404, 408, 409, 413, 429, *ALWAYS)

SESSION = {"name": "session_id", "in": "path", "required": True, "schema": {"type": "string", "format": "uuid"}}
SOURCE_HEADER = {
    "name": SOURCE,
    "in": "header",
    "required": True,
    "description": "The sender's own session id; the token must be allowed to act for it",
    "schema": {"type": "string", "format": "uuid"},
}
KEY_HEADER = {
    "name": KEY,
    "in": "header",
    "required": False,
    "description": "The same key on a retry replays the first answer",
    "schema": {"type": "string", "maxLength": KEY_BYTES_MAX, "pattern": "^[!-~]*$"},
}


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return what FastAPI is told of a route's refusals."""
    return {status: {"model": Refused, "description": MEANINGS[status]} for status in sorted({*statuses, *SITE})}


def operation(*parameters: dict[str, Any], body: type[BaseModel] | None = None, open_to_all: bool = False) -> Any:
    """Return what FastAPI is told of a route's request."""
    told: dict[str, Any] = {"parameters": list(parameters), "security": [] if open_to_all else [{"bearer": []}]}
    if body is not None:
        schema = body.model_json_schema(by_alias=True)
        told["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    return told


def write_document(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document of an application, made once."""
    if app.openapi_schema is None:
        document = get_openapi(title=TITLE, version=app.version, routes=app.routes)
        schemes = document.setdefault("components", {}).setdefault("securitySchemes", {})
        schemes["bearer"] = {"type": "http", "scheme": "bearer"}
        app.openapi_schema = document
    return app.openapi_schema
