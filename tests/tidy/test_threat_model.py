"""THREAT_MODEL.md says what is so: its table is the table of scopes, and the tests it names are there."""

import ast
import importlib.util
import re
from collections.abc import Mapping
from pathlib import Path

import kinpost.v1
import pytest
from kinpost_server.domain.identity import TokenKind

PAGE = "THREAT_MODEL.md"
TEST = re.compile(r"`((?:unit|engine|store|service|bindings|faults|tidy)/[\w/]+\.py)((?:::\w+)*)`")
KINDS = [kind.name.lower() for kind in TokenKind]
NOT_SERVED = "–"
Cells = dict[str, dict[str, str]]


def defined_in(source: str) -> set[str]:
    """The tests of a file, as `::test` or `::Class::test`; the empty name is the whole file."""
    found = {""}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(f"::{node.name}")
        elif isinstance(node, ast.ClassDef):
            functions = [each for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
            found.update(f"::{node.name}::{function.name}" for function in functions)
    return found


def missing_tests(page: str, files: Mapping[str, str]) -> list[str]:
    """Tests that the page names and that do not exist."""
    return [
        f"{path}{name}"
        for path, name in TEST.findall(page)
        if f"tests/{path}" not in files or name not in defined_in(files[f"tests/{path}"])
    ]


def rows(page: str, heading: str) -> list[list[str]]:
    """The cells of the table below a heading, without its head."""
    section = page.split(f"## {heading}", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def table_of(page: str) -> Cells:
    """What the page says of each call, by kind of token."""
    head = page.split("| calls |", 1)[1].splitlines()[0]
    kinds = [cell.strip() for cell in head.strip("|").split("|")]
    return {
        call: dict(zip(kinds, cells, strict=True))
        for calls, *cells in rows(page, "Who may do what")
        for call in re.findall(r"`([A-Z]\w+(?: of \w+(?: tree)?)?)`", calls)
    }


def contract() -> set[str]:
    """The names of all RPCs, served or not."""
    text = "".join(path.read_text("utf-8") for path in (Path(kinpost.v1.__path__[0])).glob("*_service_pb2.pyi"))
    assert text
    return set(re.findall(r"^class (\w+)Request\(", text, re.MULTILINE))


def asked(scopes: Mapping[str, Mapping[str, str]]) -> Cells:
    """The table of scopes, which is asked of a real server, in the words of the page."""
    words = {"yes": "yes", "auth:forbidden": "no", "session:not_found": "no", "peer:not_your_messages": "no"}

    def word(row: Mapping[str, str], kind: str) -> str:
        if kind not in ("runtime", "session"):
            return words[row[kind]]
        own, other = row["host" if kind == "runtime" else kind], row[f"other_{kind}"]
        return "own" if own == "yes" and other != "yes" else words[own]

    return {call: {kind: word(row, kind) for kind in KINDS} for call, row in scopes.items()}


@pytest.fixture(scope="module")
def page(repository: Path) -> str:
    """The page."""
    return (repository / PAGE).read_text("utf-8")


@pytest.fixture(scope="module")
def scopes(repository: Path) -> Cells:
    """The table of tests/service/test_scopes.py."""
    spec = importlib.util.spec_from_file_location("scopes", repository / "tests/service/test_scopes.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return asked(module.TABLE)


def test_each_test_that_the_page_names_exists(page, repository_files):
    assert missing_tests(page, repository_files) == []


def test_a_test_that_does_not_exist_is_found():
    files = {"tests/unit/test_a.py": "def test_a(): ...\nclass TestB:\n    async def test_c(self): ...\n"}
    named = "`unit/test_a.py`, `unit/test_a.py::test_a`, `unit/test_a.py::TestB::test_c`"
    assert missing_tests(named, files) == []
    named = "`unit/test_a.py::test_c` and `unit/test_b.py::test_a`"
    assert missing_tests(named, files) == ["unit/test_a.py::test_c", "unit/test_b.py::test_a"]


def test_everything_that_may_be_tried_names_a_test(page):
    tried = rows(page, "What each may try")
    assert len(tried) > 20
    assert [row for row in tried if not TEST.search(row[-1])] == []


def test_the_table_is_the_table_of_scopes(page, scopes):
    """What is not asked there, because it is not served, is marked so."""
    served = {call: cells for call, cells in table_of(page).items() if set(cells.values()) != {NOT_SERVED}}
    assert served == scopes


def test_every_rpc_of_the_contract_and_every_kind_of_token_has_its_place(page):
    told = table_of(page)
    assert {call.split()[0] for call in told} == contract()
    assert {kind for cells in told.values() for kind in cells} == set(KINDS)
