"""A page, run from top to bottom: its commands in a real shell, its programs against a real server."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from doc_blocks import Block, Scene
from doc_matching import Names, appears, compare, told_by_each
from doc_shell import Shell
from kinpost_server.settings import load
from kinpost_server.transport.agent_document import rules_of_document

ROOT = Path(__file__).parents[2]
CELLS = Path(__file__).with_name("cells.py")
SCENES = ROOT / "tests/docs/scenes"
BIN = Path(sys.executable).parent
GRPC, HTTP = "127.0.0.1:7419", "127.0.0.1:19519"
LISTENING = re.compile(r"kinpost listening (for HTTP )?on (\S+)")


class Story:
    """One page in a scratch folder that looks like a checkout in which everything is installed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names = Names()
        self.addresses: dict[str, str] = {}
        self._program: list[str] = []
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("KINPOST_", "PYTEST"))}
        environment |= {
            "PATH": os.pathsep.join([str(BIN), environment.get("PATH", os.defpath)]),
            "HOME": str(folder),
            "TERM": "dumb",
            "COLUMNS": "100",
            "PYTHONUNBUFFERED": "1",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # a reader's pytest has none of ours
            "PYTHONDONTWRITEBYTECODE": "1",
            # The kernel chooses: the page's own addresses are put in place of these.
            "KINPOST_SERVER__LISTEN": "127.0.0.1:0",
            "KINPOST_HTTP__LISTEN": "127.0.0.1:0",
            "KINPOST_PLUGINS__INTERCEPT_TIMEOUT_SECONDS": "60",  # however busy this machine is
        }
        for name, place in ((".venv", BIN.parent), ("node_modules", ROOT / "node_modules")):
            (folder / name).symlink_to(place)
        self.shell = Shell(folder, environment)

    async def tell(self, steps: list[Block | Scene]) -> None:
        """Run all steps. Raises AssertionError, with the place in the page."""
        await self.shell.start()
        try:
            for index, step in enumerate(steps):
                rest = steps[index + 1 :]
                try:
                    await (self._scene(step) if isinstance(step, Scene) else self._block(step, rest))
                except AssertionError as failure:
                    raise AssertionError(f"{step.page}:{step.line}: {failure}") from failure
        finally:
            await self.shell.end()

    async def _scene(self, scene: Scene) -> None:
        if scene.name == "server":
            await self._in_background("kinpost serve", [], "")
            return
        running = await self.shell.background(f"python {SCENES / scene.name}.py")
        await running.until(lambda: "ready" in running.lines)

    async def _block(self, block: Block, rest: list[Block | Scene]) -> None:
        if "not run" in block.orders:
            return
        if "dry run" in block.orders:
            self._dry_run(block)
            return
        await getattr(self, f"_{block.language}")(block, rest)

    # What is shown, and what is there

    def real(self, text: str) -> str:
        """A page's text with this run's ids and addresses."""
        for shown in (GRPC, HTTP):
            if shown in text:
                assert shown in self.addresses, f"{shown} is used before a server listens"
                text = text.replace(shown, self.addresses[shown])
        return self.names.real(text)

    def shown(self, line: str) -> str:
        """A line that came out with the page's addresses."""
        for shown, real in self.addresses.items():
            line = line.replace(real, shown)
        return line

    def _save(self, block: Block) -> Path:
        path = self.folder / block.title
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.real(block.text), encoding="utf-8")
        return path

    # Languages

    def _dry_run(self, block: Block) -> None:
        for line in block.text.splitlines():
            command = line.removeprefix("$ ").partition("#")[0].split()
            assert command[0] == "make", f"only make can be run dry, not {line!r}"
            done = subprocess.run(
                ["make", "-n", *command[1:]], cwd=ROOT, check=False, capture_output=True, encoding="utf-8"
            )
            assert done.returncode == 0, done.stderr

    async def _console(self, block: Block, rest: list[Block | Scene]) -> None:
        if "before" in block.orders:
            code, came = await self.shell.run(self.real(block.orders["before"]))
            assert code == 0, "\n".join([f"{block.orders['before']}: {code}", *came])
        for command, shown in commands_of(block):
            if "background" in block.orders:
                await self._in_background(command, shown, block.orders["background"])
                continue
            code, came = await self.shell.run(self.real(command))
            assert code == int(block.orders.get("ends with") or 0), "\n".join([f"{command}: {code}", *came])
            if variable := re.match(r"export (\w+)=\$\(", command):  # whose exit code is that of `export`
                assert not (await self.shell.run(f'test -n "${variable[1]}"'))[0], f"{command}: gives nothing"
            if shown:
                compare(shown, [self.shown(line) for line in came], self.names)

    async def _in_background(self, command: str, shown: list[str], text: str) -> None:
        running = await self.shell.background(self.real(command))
        if command.startswith("kinpost serve"):
            await running.until(lambda: len(list(filter(LISTENING.match, running.lines))) == 2)
            for http, address in LISTENING.findall("\n".join(running.lines)):
                self.addresses[HTTP if http else GRPC] = address
            await self.shell.run(f"export KINPOST_ADDRESS={self.addresses[GRPC]}")
        lines = lambda: [self.shown(line) for line in running.lines]  # noqa: E731 - read anew each time
        await running.until(lambda: not appears(shown, lines(), self.names))
        await running.until(lambda: not text or any(text in line for line in running.lines))

    async def _sh(self, block: Block, rest: list[Block | Scene]) -> None:
        for command in re.split(r"(?<!\\)\n", block.text.strip()):
            code, came = await self.shell.run(self.real(command))
            assert code == 0, "\n".join([f"{command}: {code}", *came])

    _bash = _sh

    async def _python(self, block: Block, rest: list[Block | Scene]) -> None:
        if block.title:
            compile(self._save(block).read_text(), block.title, "exec")
            return
        self._program += [block.orders.get("before", ""), block.text]
        if any(isinstance(each, Block) and each.language == "python" and not each.title for each in rest):
            return
        program = self.folder / ".program.py"
        program.write_text(self.real("\n".join(self._program)), encoding="utf-8")
        if "background" in block.orders:
            await self._in_background(f"python {CELLS} {program}", [], block.orders["background"])
            return
        code, came = await self.shell.run(f"python {CELLS} {program}")
        assert code == 0, "\n".join(came)

    async def _typescript(self, block: Block, rest: list[Block | Scene]) -> None:
        assert block.title, "a TypeScript block is a file: give it a title"
        path = self._save(block)
        settings = {
            "extends": str(ROOT / "clients/typescript/tsconfig.json"),
            "compilerOptions": {"rootDir": ".", "noEmit": True},
            "files": [block.title],
            "include": [],
        }
        strict = self.folder / ".strict.json"
        strict.write_text(json.dumps(settings))
        if not path.with_name("package.json").exists():
            path.with_name("package.json").write_text('{"type": "module"}')
        code, came = await self.shell.run(f'"{ROOT}/node_modules/.bin/tsc" --project "{strict}"')
        assert code == 0, f"{path.name}:\n" + "\n".join(came)

    async def _toml(self, block: Block, rest: list[Block | Scene]) -> None:
        path = self.folder / ".settings.toml"
        path.write_text(block.text, encoding="utf-8")
        load({}, path)
        if block.title:
            self._save(block)

    async def _json(self, block: Block, rest: list[Block | Scene]) -> None:
        json.loads(block.text)
        if block.title:
            self._save(block)

    async def _markdown(self, block: Block, rest: list[Block | Scene]) -> None:
        assert rules_of_document(block.text), "an agent document that is shown has message rules"
        if block.title:
            self._save(block)

    async def _text(self, block: Block, rest: list[Block | Scene]) -> None:
        shown = [line for line in block.text.splitlines() if line.strip()]
        if "appears in" in block.orders:
            named = [each for each in self.shell.backgrounds if each.command == block.orders["appears in"]]
            assert named, f"{block.orders['appears in']} does not run in the background"
            running = named[-1]
            await running.until(lambda: not appears(shown, [self.shown(line) for line in running.lines], self.names))
            return
        code, came = await self.shell.run(self.real(block.orders["shown by"]))
        assert code == 0, "\n".join(came)
        missing = told_by_each(shown, [self.shown(line) for line in came], self.names)
        assert not missing, "\n".join([f"{missing!r} is not shown by the command", *came])


def commands_of(block: Block) -> list[tuple[str, list[str]]]:
    """The commands of a console block, each with the output shown for it."""
    found: list[tuple[str, list[str]]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line.startswith("> ") and found and not found[-1][1]:
            found[-1] = (f"{found[-1][0]}\n{line[2:]}", [])
        else:
            assert found, f"{block.place}: a console block begins with a command"
            found[-1][1].append(line)
    return found
