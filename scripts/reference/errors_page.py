"""The page of all errors, from the one table and the docstrings of the refusals."""

from __future__ import annotations

from collections.abc import Iterator

from kinpost_server.domain.errors import Refusal
from kinpost_server.domain.peer_errors import error_name
from kinpost_server.transport.http.answers import NAMES
from kinpost_server.transport.status import INTERNAL_CODE, row_of

from reference.markdown import code, heading, page, prose, table

INTRODUCTION = """\
Every refusal has a stable code; programs act on the code, never on the text.
Over gRPC an error carries `google.rpc.ErrorInfo`, whose `domain` is `kinpost`.
Its `reason` is the code in capitals with underscores, and its `metadata` holds the code as it stands here.
Where waiting helps it also carries `google.rpc.RetryInfo`.
The text begins with the code; only that of `send_message:unknown_reference` begins with `unknown subagent reference`.
For a tool call the same refusals are results with `is_error` and the code, not gRPC errors.
Over HTTP, which serves peer mail, `error` in the answer is the name that stands beside the HTTP status here.

*Repeat unchanged* says that the same request, sent again, is safe and may succeed later.
Where it says no, a repeat does not help by itself, or may do a thing twice: read first why it was refused.
Both clients have a class for each code.
"""


def errors_page() -> str:
    """Return the page."""
    return page("Errors", [*INTRODUCTION.splitlines(), "", *_families(), *_internal()])


def refusals(kind: type[Refusal] = Refusal) -> Iterator[type[Refusal]]:
    """Return every refusal of the server, a class before its descendants."""
    for child in kind.__subclasses__():
        if child.__module__.startswith("kinpost_server."):
            yield child
            yield from refusals(child)


def by_code() -> dict[str, list[type[Refusal]]]:
    """Return the refusals of each code, in the order of their definition."""
    found: dict[str, list[type[Refusal]]] = {}
    for refusal in refusals():
        if refusal not in found.setdefault(refusal.code, []):
            found[refusal.code].append(refusal)
    return found


def anchor(name: str) -> str:
    """Return where on the page a code is."""
    return name.replace(":", "-")


def _families() -> Iterator[str]:
    families: dict[str, list[str]] = {}
    for name in by_code():
        families.setdefault(name.partition(":")[0], []).append(name)
    for family, names in families.items():
        yield from heading(2, family, family)
        yield from table(("code", "when", "gRPC", "HTTP", "repeat unchanged"), [_row(name) for name in names])


def _row(name: str) -> tuple[str, str, str, str, str]:
    classes = by_code()[name]
    row = row_of(classes[0])
    assert row is not None, f"{name} has no row in the table"
    when = " ".join((refusal.__doc__ or "").strip() for refusal in classes)
    short = error_name(name) or NAMES.get(name) or name.replace(":", "_")
    http = f"{row.http_status} {code(short)}"
    anchored = f'<span id="{anchor(name)}"></span>{code(name)}'
    return anchored, prose(when), code(row.grpc_code.name), http, "yes" if row.repeatable else "no"


def _internal() -> Iterator[str]:
    yield from heading(2, "Errors inside the server", "internal")
    yield f"Whatever has no row above is {code(INTERNAL_CODE)}: gRPC's `INTERNAL`, HTTP's 500."
    yield "It tells nothing from inside but an id, under which the server's own log has the whole story."
