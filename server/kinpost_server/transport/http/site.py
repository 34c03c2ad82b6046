"""Who may ask at all: no page of another origin, and nobody who was led here under a strange name.

A web page can make a person's browser ask any port of the person's own machine. Its script reads no answer, since none
carries a CORS header; but a page that lets its own name point here (DNS rebinding) would count as of our origin. It
cannot choose what the browser puts into `Host`, `Origin` and `Sec-Fetch-Site`.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from kinpost_server.transport.address import split_address
from kinpost_server.transport.http import answers

FOREIGN = ("cross-site", "same-site")


class SiteCheck:
    """Answers 421 for a strange `Host`, and 403 for what a page of another origin sends; lets all else pass.

    An address is nobody's name, and `localhost` is always this machine: both are good. `names` are the others.
    """

    def __init__(self, app: ASGIApp, names: Iterable[str]) -> None:
        self._app = app
        self._names = {"localhost", *(name.lower() for name in names)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check, and pass on what is in order."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_own(hosts[0]):
            detail = "Host: is not a name of this server; `[http] host_names` are its names"
            await answers.told(421, "misdirected_request", detail)(scope, receive, send)
        elif _is_foreign(headers, f"{scope['scheme']}://{hosts[0]}"):
            detail = "a page of another origin may not ask here"
            await answers.told(403, "forbidden", detail)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _is_own(self, host: str) -> bool:
        name, port = split_address(host)
        bare = name if port is not None else host.removeprefix("[").removesuffix("]")
        try:
            ipaddress.ip_address(bare)
        except ValueError:
            return bare.lower().removesuffix(".") in self._names
        return True


def _is_foreign(headers: Headers, own_origin: str) -> bool:
    origins = headers.getlist("origin")
    fetched_from = headers.getlist("sec-fetch-site")
    return any(origin != own_origin for origin in origins) or any(site in FOREIGN for site in fetched_from)
