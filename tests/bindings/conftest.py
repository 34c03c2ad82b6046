"""Copies of the checkout, in which a test may break the contract and the bindings as it likes."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet

ROOT = Path(__file__).parents[2]
# The tools behind the scripts are a package beside them.
sys.path.insert(0, str(ROOT / "scripts"))

COPIED = (
    "bindings",
    "proto",
    "scripts",
    "server/kinpost_server/domain/tools",
    "tests/bindings/vectors",
    "CHANGELOG.md",
    "package.json",
)
LINKED = (".venv", "node_modules")


@dataclass(frozen=True)
class Copy:
    """A copy of everything that the contract's tools touch. The installed tools are the checkout's own."""

    root: Path

    def run(self, script: str, *arguments: str, **options) -> subprocess.CompletedProcess[str]:
        """Runs one of the copy's scripts and returns what it printed, both streams in one."""
        options = {"cwd": self.root, "stderr": subprocess.STDOUT, "encoding": "utf-8", **options}
        command = [sys.executable, str(self.root / "scripts" / script), *arguments]
        return subprocess.run(command, check=False, stdout=subprocess.PIPE, **options)

    def edit(self, path: str, pattern: str, replacement: str) -> None:
        """Replaces the one place in a file that matches."""
        place = self.root / path
        text, count = re.subn(pattern, replacement, place.read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert count == 1, f"{pattern} is {count} times in {path}"
        place.write_text(text, encoding="utf-8")

    def set_state(self, state: str, version: int | None = None) -> None:
        """Makes the record of a version, the last one if none is named, a draft or released."""
        version = self.version() if version is None else version
        self.edit(f"proto/releases/{version}/record.json", r'"state": "\w+"', f'"state": "{state}"')

    def version(self) -> int:
        return int((self.root / "proto" / "PROTOCOL_VERSION").read_text(encoding="utf-8"))

    def versions(self) -> list[int]:
        """The versions on record, in order."""
        return sorted(int(place.name) for place in (self.root / "proto/releases").iterdir())

    def record(self, version: int) -> dict[str, object]:
        return json.loads((self.root / f"proto/releases/{version}/record.json").read_text(encoding="utf-8"))

    def fingerprint(self) -> dict[str, object]:
        """Path to what a change of it would change, for every file and folder of the copy itself."""
        found: dict[str, object] = {}
        for path in sorted(self.root.rglob("*")):
            if path.relative_to(self.root).parts[0] not in LINKED:
                facts = path.lstat()
                content = path.read_bytes() if path.is_file() else b""
                found[str(path.relative_to(self.root))] = (facts.st_mode, facts.st_mtime_ns, content)
        return found


@pytest.fixture
def copy_of_checkout(tmp_path: Path) -> Callable[[], Copy]:
    """Makes a copy in a folder of its own, below `tmp_path / "parent"`."""

    def make() -> Copy:
        root = tmp_path / "parent" / "kinpost"
        for name in COPIED:
            source, target = ROOT / name, root / name
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)
        for name in LINKED:
            (root / name).symlink_to(ROOT / name)
        return Copy(root)

    return make


@pytest.fixture
def copy(copy_of_checkout: Callable[[], Copy]) -> Copy:
    """A copy whose version is released, as it will be for most of its life."""
    made = copy_of_checkout()
    made.set_state("released")
    return made


@pytest.fixture(scope="session")
def every_kind(tmp_path_factory: pytest.TempPathFactory) -> FileDescriptorSet:
    """The compiled every_kind.proto, with its comments."""
    place = tmp_path_factory.mktemp("every-kind") / "every_kind.binpb"
    options = ["--include_imports", "--include_source_info", f"--descriptor_set_out={place}"]
    protoc = [sys.executable, "-m", "grpc_tools.protoc"]
    subprocess.run([*protoc, f"-I{Path(__file__).parent}", *options, "every_kind.proto"], check=True)
    return FileDescriptorSet.FromString(place.read_bytes())


@pytest.fixture(scope="session")
def vectors() -> list[dict[str, Any]]:
    """Every committed vector: `message`, `case`, `json` and `hex`."""
    files = sorted((ROOT / "tests/bindings/vectors").glob("*.json"))
    return [vector for file in files for vector in json.loads(file.read_text(encoding="utf-8"))]
