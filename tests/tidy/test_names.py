"""Names that the house does not use. Each rule is shown a bad sample, so that it is known to bite."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

VAGUE_NAMES = {
    "common",
    "helper",
    "helpers",
    "manager",
    "managers",
    "misc",
    "model",
    "models",
    "util",
    "utils",
}
ROOMS_OF_STATE = tuple(f"server/kinpost_server/{room}/" for room in ("domain", "engine", "store"))
INSTANT_NICKNAMES = ("_at", "_ts", "_timestamp")
DURATION_NICKNAMES = ("_sec", "_secs", "_millis")


def vaguely_named(files: Mapping[str, str]) -> list[str]:
    """Modules and folders of our packages whose name says nothing of what is in them."""
    return [
        f"{path}: {part} says nothing"
        for path in files
        if path.startswith(("server/", "clients/"))
        for part in (PurePosixPath(name).stem for name in PurePosixPath(path).parts)
        if part in VAGUE_NAMES
    ]


def field_names(source: str) -> Iterator[tuple[int, str]]:
    """Line and name of each class attribute (so of dataclass fields and mapped columns) and each `Column`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef):
            for item in node.body:
                targets = item.targets if isinstance(item, ast.Assign) else [getattr(item, "target", None)]
                yield from ((item.lineno, target.id) for target in targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called == "Column" and isinstance(node.args[0].value, str):
                yield node.lineno, node.args[0].value


def misnamed_fields(files: Mapping[str, str]) -> list[str]:
    """Fields and columns that call a state a status, an instant `_at` or a duration `_secs`."""
    findings = []
    for path, source in files.items():
        if not (path.startswith(ROOMS_OF_STATE) and path.endswith(".py")):
            continue
        for line, name in field_names(source):
            if (name == "status" or name.endswith("_status")) and name not in {"grpc_status", "http_status"}:
                findings.append(f"{path}:{line}: {name}: where a thing stands is its state")
            elif name.endswith(INSTANT_NICKNAMES):
                findings.append(f"{path}:{line}: {name}: an instant ends in _time")
            elif name.endswith(DURATION_NICKNAMES):
                findings.append(f"{path}:{line}: {name}: a duration ends in _seconds")
    return findings


def test_no_module_has_a_vague_name(repository_files):
    assert vaguely_named(repository_files) == []


def test_a_vague_name_is_found_in_a_file_and_in_a_folder():
    files = {
        "server/kinpost_server/utils.py": "",
        "clients/typescript/helpers/dates.ts": "",
        "server/kinpost_server/domain/modelling.py": "",
        "tests/unit/common.py": "",
    }
    assert vaguely_named(files) == [
        "server/kinpost_server/utils.py: utils says nothing",
        "clients/typescript/helpers/dates.ts: helpers says nothing",
    ]


def test_no_field_or_column_is_misnamed(repository_files):
    assert misnamed_fields(repository_files) == []


def test_a_misnamed_field_or_column_is_found():
    files = {
        "server/kinpost_server/domain/run.py": (
            "class Run:\n"
            "    state: RunState\n"
            "    status: str\n"
            "    run_status = None\n"
            "    http_status: int\n"
            "    created_at: int\n"
            "    lease_secs: int = 60\n"
        ),
        "server/kinpost_server/store/migrations/0001.py": 'sa.Column("status", sa.Text())\n',
        "server/kinpost_server/transport/errors.py": "class Row:\n    status: int\n",
    }
    assert misnamed_fields(files) == [
        "server/kinpost_server/domain/run.py:3: status: where a thing stands is its state",
        "server/kinpost_server/domain/run.py:4: run_status: where a thing stands is its state",
        "server/kinpost_server/domain/run.py:6: created_at: an instant ends in _time",
        "server/kinpost_server/domain/run.py:7: lease_secs: a duration ends in _seconds",
        "server/kinpost_server/store/migrations/0001.py:1: status: where a thing stands is its state",
    ]
