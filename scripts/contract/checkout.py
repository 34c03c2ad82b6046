"""A checkout of the repository, and its tools, run so that nothing outside it can change their output."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


class ToolError(Exception):
    """A tool of the checkout is missing or refused its input; the text is what a person should read."""


@dataclass(frozen=True)
class Checkout:
    """One copy of the repository, with its own `.venv` (which may be a link)."""

    root: Path

    @property
    def proto(self) -> Path:
        """The folder of the contract; import paths begin here."""
        return self.root / "proto"

    @property
    def bindings(self) -> Path:
        """The folder of the four bindings."""
        return self.root / "bindings"

    @property
    def binaries(self) -> Path:
        """Where the pinned Python tools are."""
        return self.root / ".venv" / "bin"

    def tool(self, name: str) -> str:
        """Returns the path of a pinned Python tool; raises ToolError when it is not installed."""
        path = self.binaries / name
        if not path.exists():
            raise ToolError(f".venv/bin/{name} is missing: run `make install`")
        return str(path)

    def node_tool(self, name: str) -> str:
        """Returns the path of a pinned Node tool; raises ToolError when it is not installed."""
        path = self.root / "node_modules" / ".bin" / name
        if not path.exists():
            raise ToolError(f"node_modules/.bin/{name} is missing: run `make node_modules` (it needs Node and npm)")
        return str(path)

    def contract_files(self) -> list[str]:
        """Returns the contract's files, relative to the proto folder, sorted."""
        return sorted(path.relative_to(self.proto).as_posix() for path in self.proto.rglob("*.proto"))

    def protocol_version(self) -> int:
        """Returns the number in proto/PROTOCOL_VERSION; raises ToolError when it is not one."""
        text = (self.proto / "PROTOCOL_VERSION").read_text(encoding="utf-8").strip()
        if not text.isascii() or not text.isdigit():
            raise ToolError(f"proto/PROTOCOL_VERSION holds {text!r}: it must be a whole number")
        return int(text)

    def run(self, command: Sequence[str], folder: Path, home: Path) -> str:
        """Runs a tool in `folder` and returns what it printed; raises ToolError with its text when it fails.

        The environment is made anew: no locale, PYTHON* variable or tool setting of the caller reaches the
        tool, and `home` stands in for the user's own folder and its settings.
        """
        environment = {
            "PATH": os.pathsep.join((str(self.binaries), os.environ.get("PATH", os.defpath))),
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home),
            "TMPDIR": str(home),
            "LC_ALL": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONUTF8": "1",
        }
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        if done.returncode:
            raise ToolError(f"{Path(command[0]).name} failed:\n{done.stdout.strip()}")
        return done.stdout

    def protoc(self, arguments: Sequence[str], folder: Path, home: Path) -> str:
        """Runs the pinned protoc on the contract: `arguments` are output options, then contract files."""
        command = [self.tool("python"), "-I", "-m", "grpc_tools.protoc", f"-I{self.proto}", *arguments]
        return self.run(command, folder, home)


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Gives an empty folder outside the checkout, removed at the end."""
    with tempfile.TemporaryDirectory(prefix="kinpost-contract-") as folder:
        yield Path(folder).resolve()
