"""Servers for tests: one in the test's own process, and `kinpost serve` as people run it."""

from __future__ import annotations

import asyncio
import re
import signal
import sys
from pathlib import Path
from typing import Any

from calls import Client
from kinpost.v1 import token_pb2
from kinpost_server.engine.engine import Engine
from kinpost_server.main import open_data, start, stop
from kinpost_server.settings import load
from kinpost_server.transport.tls import Certificates
from ports import hold_port
from uuid_utils import uuid4


class Reach:
    """What a running server offers to a test, in this process or in one of its own."""

    address: str
    folder: Path
    storage_url: str  # empty for SQLite, in the folder

    def __init__(self) -> None:
        self.clients: list[Client] = []

    @property
    def admin_secret(self) -> str:
        return (self.folder / "admin.token").read_text().strip()

    @property
    def database(self) -> Path | str:
        """The file or the URL: what `by_hand.py` reaches into."""
        return self.storage_url or self.folder / "kinpost.db"

    def client(self, secret: str, token_id: str = "", credentials: Any = None) -> Client:
        """Return a client with this secret; empty for none."""
        made = Client(self.address, secret, token_id, credentials)
        self.clients.append(made)
        return made

    async def make_token(self, kind: str, *session_ids: str, **fields: Any) -> Client:
        """Make a token of a kind (runtime, session, observer, approver, plugin, peer, admin); return its client."""
        scope = token_pb2.TokenScope(kind=token_pb2.TokenKind.Value(f"TOKEN_KIND_{kind.upper()}"))
        if kind == "plugin":
            scope.plugin_name = fields.pop("plugin_name", "a-plugin")
        fields.setdefault("client_token_id", str(uuid4()))
        answer = await self.admin.admin.CreateToken(scope=scope, session_ids=session_ids, **fields)
        return self.client(answer.secret, answer.token_id)

    async def revoke(self, token_id: str) -> None:
        """End a token, everywhere."""
        await self.admin.admin.RevokeToken(token_id=token_id)

    async def close_clients(self) -> None:
        for client in self.clients:
            await client.close()
        self.clients.clear()


class LocalServer(Reach):
    """A server in the test's own process and event loop."""

    def __init__(self, folder: Path, overrides: dict[str, dict[str, Any]], storage_url: str = "") -> None:
        super().__init__()
        self.storage_url = storage_url
        self.folder = folder
        self.overrides = overrides

    async def start(self) -> None:
        options: dict[str, dict[str, Any]] = {
            "server": {"listen": "127.0.0.1:0"},
            "http": {"enabled": False, "listen": "127.0.0.1:0"},
            "storage": {"data_folder": str(self.folder), "database_url": self.storage_url},
        }
        for section, values in self.overrides.items():
            options.setdefault(section, {}).update(values)
        self.settings = load(options, None)
        tls = self.settings.server
        self.certificates = Certificates(Path(tls.tls_cert_file), Path(tls.tls_key_file)) if tls.tls_cert_file else None
        self.opened = open_data(self.settings)
        self.listening = await start(self.settings, self.opened, self.certificates)
        self.address = self.listening.address
        self.engine = self.listening.engine
        self.transport = self.listening.server
        self.http_address = self.listening.http_address
        if self.certificates is None:
            self.admin = self.client(self.admin_secret)

    @property
    def engines(self) -> list[Engine]:
        """The engines behind the address: one, or one of each replica."""
        return [self.engine]

    @property
    def calls(self) -> int:
        """Calls that are being answered, streams included."""
        return self.transport.door.calls

    async def stop(self) -> None:
        await self.close_clients()
        await stop(self.listening, 0.0)  # nobody is left who could be cut off

    async def restart(self, **overrides: dict[str, Any]) -> None:
        """Stop and start again over the same data. Earlier clients are closed."""
        await self.stop()
        self.overrides = {**self.overrides, **overrides}
        await self.start()


class Replicas(LocalServer):
    """Two servers on one PostgreSQL database; a client's calls go to them in turn. `engine` is the first one's."""

    def __init__(self, folder: Path, overrides: dict[str, dict[str, Any]], storage_url: str) -> None:
        super().__init__(folder, overrides, storage_url)
        self.second = LocalServer(folder.with_name(f"{folder.name}-2"), overrides, storage_url)

    async def start(self) -> None:
        await super().start()
        self.second.overrides = self.overrides
        await self.second.start()
        self.first_address = self.address
        self.address = f"ipv4:{self.address},{self.second.address}"
        await self.admin.close()
        self.admin = self.client(self.admin_secret)

    @property
    def engines(self) -> list[Engine]:
        return [self.engine, self.second.engine]

    @property
    def calls(self) -> int:
        return super().calls + self.second.calls

    async def revoke(self, token_id: str) -> None:
        """End a token, and wait until each replica has heard of it: that is promised soon, and not at once."""
        await super().revoke(token_id)
        async with asyncio.timeout(20):
            for engine in self.engines:
                while (token := engine.tokens.get(token_id)) is None or token.revoke_time is None:
                    await asyncio.to_thread(lambda: None)

    async def stop(self) -> None:
        await self.second.stop()
        await super().stop()


class ServerProcess(Reach):
    """`kinpost serve` in a process of its own."""

    def __init__(self, folder: Path, config: Path, storage_url: str = "") -> None:
        super().__init__()
        self.storage_url = storage_url
        self.folder, self.config = folder, config
        self._held = hold_port()
        self.address = "127.0.0.1:{1}".format(*self._held.getsockname())
        self.log = config.with_suffix(".log")
        self.end_expected = True  # it does not run yet
        self.with_http = False  # its port is not known to others, who may want the same
        self.within: tuple[str | Path, ...] = ()  # a command that runs the server as its last arguments say

    async def start(self, *options: str) -> None:
        """Start it; always on the same port, so that clients find it again."""
        assert self.end_expected, "it was started, and nobody ended it"
        with self.log.open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                *(*self.within, Path(sys.executable).with_name("kinpost"), "serve"),
                *(
                    "--config",
                    self.config,
                    "--data",
                    self.folder,
                    "--listen",
                    self.address,
                    "--storage-database-url",
                    self.storage_url,
                    *(options or ("--no-http-enabled",)),
                ),
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
            )
        line = await self._first_line()
        if not line.startswith("kinpost listening on "):
            if self.process.returncode is None:
                self.process.kill()
            await self.process.wait()
            raise AssertionError(f"the server did not start: {line}\n{self.log.read_text()}")
        self.end_expected = False
        assert line.split()[-1] == self.address
        if not self.clients:
            self.admin = self.client(self.admin_secret)
            return
        # A client that looked in vain waits before it looks again: calls would fail though the server is there.
        async with asyncio.timeout(100):
            for client in self.clients:
                await client.channel.channel_ready()

    async def _first_line(self) -> str:
        assert self.process.stdout is not None
        try:
            async with asyncio.timeout(100):
                return (await self.process.stdout.readline()).decode()
        except TimeoutError:
            return "it said nothing"

    def show_log(self) -> None:
        """Write out what it complained of: pytest shows that beside a failure."""
        if self.log.exists():
            lines = self.log.read_text(errors="replace").splitlines(keepends=True)
            sys.stderr.writelines(line for line in lines if not re.search(r"\[(debug|info) *\]", line))

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    async def ended(self) -> int:
        """Wait for its end and return its exit code."""
        async with asyncio.timeout(100):
            code = await self.process.wait()
        self.end_expected = True
        # Its pipe is read to the end, or the loop would warn of it.
        assert self.process.stdout is not None
        await self.process.stdout.read()
        return code

    async def kill(self) -> None:
        """End it with SIGKILL, in the middle of whatever it does."""
        self.signal(signal.SIGKILL)
        await self.ended()

    async def stop(self) -> None:
        """End it gracefully."""
        assert self.process.returncode is None, f"it ended by itself, with {self.process.returncode}"
        self.signal(signal.SIGTERM)
        await self.ended()

    async def restart(self, *options: str) -> None:
        """End it gracefully, unless it was ended before, and start it again over the same data and on the same port."""
        if not self.end_expected:
            await self.stop()
        await self.start(*options)

    async def close(self) -> None:
        """End whatever runs still, and show what it complained of. Raises AssertionError when it ended by itself."""
        self.show_log()
        self._held.close()
        await self.close_clients()
        if self.end_expected:
            return
        if self.process.returncode is None:
            self.signal(signal.SIGKILL)
        code = await self.ended()
        assert code == -signal.SIGKILL, f"it ended by itself, with {code}"
