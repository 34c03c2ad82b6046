"""What every source file of ours keeps to. Each rule is shown a bad sample, so that it is known to bite."""

import ast
import sys
from collections.abc import Iterator, Mapping

LINES_MAX = 400
PROTO_LINES_MAX = 500  # one noun a file, each field with its comment
SOURCE_SUFFIXES = (".py", ".pyi", ".ts", ".tsx", ".js", ".mjs", ".proto")
SLEEPERS = {"anyio", "asyncio", "time", "trio", "uvloop"}


def overgrown(files: Mapping[str, str]) -> list[str]:
    """Source files, scripts too, that outgrew their room. What is generated may be as long as it likes."""
    return [
        f"{path}: {lines} lines, {lines_max} are the most"
        for path, source in files.items()
        if not path.startswith("bindings/")
        and (path.endswith(SOURCE_SUFFIXES) or path.startswith("scripts/") or path == "Makefile")
        and (lines := len(source.splitlines()))
        > (lines_max := PROTO_LINES_MAX if path.endswith(".proto") else LINES_MAX)
    ]


def imported_modules(source: str) -> Iterator[tuple[int, str]]:
    """Line and dotted name of each import, wherever in the file it stands; a relative one keeps its dots."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, "." * node.level + (node.module or "")


def impure_imports(files: Mapping[str, str]) -> list[str]:
    """Imports of the domain that are neither the standard library's nor its own."""
    return [
        f"{path}:{line}: the domain imports {module}"
        for path, source in files.items()
        if path.startswith("server/kinpost_server/domain/") and path.endswith(".py")
        for line, module in imported_modules(source)
        if module.split(".")[0] not in sys.stdlib_module_names and not f"{module}.".startswith("kinpost_server.domain.")
    ]


HTTP_ROOM = "server/kinpost_server/transport/http/"
TRACING_ROOM = "server/kinpost_server/transport/tracing.py"
ROOMS = {
    **dict.fromkeys(("fastapi", "h11", "prometheus_client", "starlette", "uvicorn"), HTTP_ROOM),
    "opentelemetry": TRACING_ROOM,
}


def out_of_room(files: Mapping[str, str]) -> list[str]:
    """Imports of libraries outside of their room. (Import-linter cannot leave one package out of another.)"""
    return [
        f"{path}:{line}: {module} is imported outside of {room}"
        for path, source in files.items()
        if path.startswith(("server/", "clients/")) and path.endswith(".py")
        for line, module in imported_modules(source)
        if (room := ROOMS.get(module.split(".")[0])) and not path.startswith(room)
    ]


def sleeps(files: Mapping[str, str]) -> list[str]:
    """Tests that sleep: they are slow when all is well, and fail when the machine is."""
    findings = []
    for path, source in files.items():
        if not (path.startswith("tests/") and path.endswith(".py")):
            continue
        tree = ast.parse(source)
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
        sleepers = {alias.asname or alias.name for node in imports for alias in node.names if alias.name in SLEEPERS}
        findings += [
            f"{path}:{node.lineno}: a test waits for an event, it does not sleep"
            for node in ast.walk(tree)
            if (
                isinstance(node, ast.Attribute)
                and node.attr == "sleep"
                and isinstance(node.value, ast.Name)
                and node.value.id in sleepers
            )
            or (
                isinstance(node, ast.ImportFrom)
                and node.module in SLEEPERS
                and any(alias.name == "sleep" for alias in node.names)
            )
        ]
    return findings


def undocumented(files: Mapping[str, str]) -> list[str]:
    """Modules of our packages, and public classes and functions in them, without a docstring."""
    findings = []
    for path, source in files.items():
        if not (path.startswith(("server/", "clients/")) and path.endswith(".py")):
            continue
        module = ast.parse(source)
        if ast.get_docstring(module) is None:
            findings.append(f"{path}: the module says nothing of itself")
        if "/migrations/" in path:  # upgrade() and downgrade() are Alembic's words
            continue
        findings += [
            f"{path}:{node.lineno}: {node.name} has no docstring"
            for node in module.body
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and not node.name.startswith("_")
            and ast.get_docstring(node) is None
        ]
    return findings


def prints(files: Mapping[str, str]) -> list[str]:
    """Calls of print in the server, which has a log."""
    return [
        f"{path}:{line}: the server logs, it does not print"
        for path, source in files.items()
        if path.startswith("server/") and path.endswith(".py")
        for line in sorted(
            node.lineno for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name) and node.id == "print"
        )
    ]


def test_no_source_file_is_overgrown(repository_files):
    assert overgrown(repository_files) == []


def test_an_overgrown_file_is_found():
    files = {
        "server/kinpost_server/engine/everything.py": "pass\n" * 401,
        "scripts/torture": "pass\n" * 402,
        "clients/typescript/src/run.ts": ";\n" * 400,
        "bindings/python/kinpost/v1/event_pb2.py": "pass\n" * 5000,
    }
    assert overgrown(files) == [
        "server/kinpost_server/engine/everything.py: 401 lines, 400 are the most",
        "scripts/torture: 402 lines, 400 are the most",
    ]


def test_the_domain_imports_only_the_standard_library_and_itself(repository_files):
    assert impure_imports(repository_files) == []


def test_an_impure_import_is_found_wherever_it_hides():
    files = {
        "server/kinpost_server/domain/session.py": (
            "import enum\n"
            "from kinpost_server.domain.message import Message\n"
            "from kinpost_server.engine import batch\n"
            "def decide():\n"
            "    import yaml.nodes\n"
            "    from ..store import tables\n"
        ),
        "server/kinpost_server/engine/batch.py": "import structlog\n",
    }
    assert impure_imports(files) == [
        "server/kinpost_server/domain/session.py:3: the domain imports kinpost_server.engine",
        "server/kinpost_server/domain/session.py:5: the domain imports yaml.nodes",
        "server/kinpost_server/domain/session.py:6: the domain imports ..store",
    ]


def test_http_and_tracing_stay_in_their_rooms(repository_files):
    assert out_of_room(repository_files) == []


def test_a_library_outside_of_its_room_is_found():
    files = {
        "server/kinpost_server/transport/http/routes.py": "import fastapi\n",
        "server/kinpost_server/transport/rpc.py": "import grpc\nfrom starlette.requests import Request\n",
        "server/kinpost_server/main.py": "def run():\n    import uvicorn\n",
        "server/kinpost_server/transport/tracing.py": "from opentelemetry import trace\n",
        "server/kinpost_server/transport/server.py": "from opentelemetry import trace\n",
        "tests/service/test_http.py": "import uvicorn\n",
    }
    assert out_of_room(files) == [
        f"server/kinpost_server/transport/rpc.py:2: starlette.requests is imported outside of {HTTP_ROOM}",
        f"server/kinpost_server/main.py:2: uvicorn is imported outside of {HTTP_ROOM}",
        f"server/kinpost_server/transport/server.py:1: opentelemetry is imported outside of {TRACING_ROOM}",
    ]


def test_no_test_sleeps(repository_files):
    assert sleeps(repository_files) == []


def test_a_sleep_is_found_under_every_name():
    files = {
        "tests/service/test_runs.py": (
            "import asyncio\n"
            "import time as clock\n"
            "from asyncio import sleep as pause\n"
            "async def test_it(cat):\n"
            "    clock.sleep(1)\n"
            "    await asyncio.sleep(0)\n"
            "    cat.sleep()\n"
            "    asyncio.Event()\n"
        ),
        "clients/kinpost_client/retry.py": "import asyncio\nasyncio.sleep(1)\n",
    }
    assert sorted(sleeps(files)) == [
        f"tests/service/test_runs.py:{line}: a test waits for an event, it does not sleep" for line in (3, 5, 6)
    ]


def test_everything_public_has_a_docstring(repository_files):
    assert undocumented(repository_files) == []


def test_a_missing_docstring_is_found():
    files = {
        "clients/kinpost_client/runtime.py": (
            "class Runtime:\n    pass\nasync def attach():\n    pass\ndef _own():\n    pass\n"
        ),
        "server/kinpost_server/main.py": '"""Starts it."""\ndef serve():\n    """Serve."""\n',
        "server/kinpost_server/store/migrations/versions/0001_first.py": '"""First."""\ndef upgrade(): ...\n',
        "tests/unit/test_a.py": "def test_a(): ...\n",
    }
    assert undocumented(files) == [
        "clients/kinpost_client/runtime.py: the module says nothing of itself",
        "clients/kinpost_client/runtime.py:1: Runtime has no docstring",
        "clients/kinpost_client/runtime.py:3: attach has no docstring",
    ]


def test_the_server_does_not_print(repository_files):
    assert prints(repository_files) == []


def test_a_print_is_found():
    files = {
        "server/kinpost_server/main.py": "log.info('print')\nprint('hello')\nshow = print\n",
        "clients/kinpost_cli/main.py": "print('hello')\n",
    }
    assert prints(files) == [
        "server/kinpost_server/main.py:2: the server logs, it does not print",
        "server/kinpost_server/main.py:3: the server logs, it does not print",
    ]
