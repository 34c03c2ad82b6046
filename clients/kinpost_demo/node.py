"""Where the TypeScript runtime can run: Node and npm, and the packages that it imports, installed once."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from pathlib import Path

ROOT = Path(__file__).parents[2]
RUNTIME = Path("clients/typescript/demo/dist/runtime.js")
NODE_VERSION_MIN = 20
INSTALL_SECONDS = 60.0


class NoNode(Exception):
    """The runtime cannot run in TypeScript here; the text says why."""


async def typescript_command(root: Path = ROOT) -> tuple[str, ...]:
    """Return the command of the TypeScript runtime, having installed what it needs. Raises NoNode."""
    if not (root / RUNTIME).is_file():
        raise NoNode("this is no checkout of the repository")
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise NoNode(f"{'Node' if node is None else 'npm'} is not installed")
    code, version = await _run(root, node, "--version")
    found = re.match(r"v(\d+)\.", version)
    if code or found is None or int(found[1]) < NODE_VERSION_MIN:
        raise NoNode(f"Node {NODE_VERSION_MIN} or newer is needed, and here is {version.strip() or 'none that runs'}")
    if not is_installed(root):
        # Exactly as locked, and no package's own script is run: none needs it.
        code, said = await _run(root, npm, "ci", "--omit=dev", "--ignore-scripts", "--loglevel=error")
        if code:
            raise NoNode(f"npm ci did not succeed: {(said.strip().splitlines() or ['it says nothing'])[0]}")
    return node, str(root / RUNTIME)


def is_installed(root: Path) -> bool:
    """Whether node_modules has every package of the lock that is needed to run, in the locked version."""
    try:
        wanted, have = (
            json.loads((root / name).read_text("utf-8"))["packages"]
            for name in ("package-lock.json", "node_modules/.package-lock.json")
        )
    except (OSError, ValueError, KeyError):
        return False
    needed = {
        name: entry for name, entry in wanted.items() if name.startswith("node_modules/") and not entry.get("dev")
    }
    return all(
        name in have
        and have[name].get("integrity") == entry.get("integrity")
        and (root / name / "package.json").exists()
        for name, entry in needed.items()
    )


async def _run(root: Path, *command: str) -> tuple[int, str]:
    """Return the exit code and the output of a command; it is ended when it takes too long, or on the way out."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        cwd=root,
    )
    try:
        async with asyncio.timeout(INSTALL_SECONDS):
            output, _ = await process.communicate()
    except TimeoutError:
        return 1, f"it takes longer than {INSTALL_SECONDS:g} s"
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode or 0, output.decode("utf-8", "replace")
