"""Real trouble for a real server: a full disk, a damaged log, callers who do not go on."""

from __future__ import annotations

import asyncio
import resource
import struct
from dataclasses import dataclass
from pathlib import Path


def limit_files(process_id: int, bytes_max: int) -> None:
    """Let a running process make no file larger than this; -1 for no limit."""
    _, most = resource.prlimit(process_id, resource.RLIMIT_FSIZE)
    resource.prlimit(process_id, resource.RLIMIT_FSIZE, (bytes_max, most))


def resident_bytes(process_id: int) -> int:
    """Return how much of a process is in memory."""
    return int(Path(f"/proc/{process_id}/statm").read_text().split()[1]) * resource.getpagesize()


@dataclass(frozen=True)
class Frame:
    """A page in SQLite's log. `commits`: it is the last of its transaction."""

    start: int
    end: int
    commits: bool


HEADER_BYTES, FRAME_HEADER_BYTES = 32, 24


def frames(log: Path) -> list[Frame]:
    """Return the frames of a write-ahead log that count, oldest first.

    Those of earlier rounds, which lie behind them, do not; see https://sqlite.org/fileformat2.html, section 4.
    """
    return _read(log)[0]


def _read(log: Path) -> tuple[list[Frame], tuple[int, int]]:
    """Return the frames that count, and the checksum that the next one continues."""
    data = log.read_bytes()
    page_bytes = int.from_bytes(data[8:12], "big")
    sums = _checksum((0, 0), data[:24], data)
    assert sums == struct.unpack(">2I", data[24:32])
    found: list[Frame] = []
    start = HEADER_BYTES
    while len(head := data[start : start + FRAME_HEADER_BYTES]) == FRAME_HEADER_BYTES and head[8:16] == data[16:24]:
        end = start + FRAME_HEADER_BYTES + page_bytes
        following = _checksum(sums, head[:8] + data[start + FRAME_HEADER_BYTES : end], data)
        if following != struct.unpack(">2I", head[16:24]):
            break
        sums = following
        found.append(Frame(start, end, head[4:8] != bytes(4)))
        start = end
    return found, sums


def cut_behind_last_commit(log: Path) -> None:
    """Leave nothing behind the last frame of the last transaction."""
    with log.open("r+b") as file:
        file.truncate(max(frame.end for frame in frames(log) if frame.commits))


def append_uncommitted(log: Path, count: int) -> None:
    """Append sound frames of a transaction that never ended: scrambled versions of the last frame's page."""
    for _ in range(count):
        found, sums = _read(log)
        data = log.read_bytes()
        last = data[found[-1].start : found[-1].end]
        page = bytes(byte ^ 0xFF for byte in last[FRAME_HEADER_BYTES:])
        head = last[:4] + bytes(4)
        sums = _checksum(sums, head + page, data)
        with log.open("ab") as file:
            file.write(head + last[8:16] + struct.pack(">2I", *sums) + page)
        assert len(frames(log)) == len(found) + 1


def _checksum(sums: tuple[int, int], words: bytes, log: bytes) -> tuple[int, int]:
    """Continue a checksum as this log does: the lowest bit of its first word tells the order of bytes."""
    order = ">" if log[3] & 1 else "<"
    one, two = sums
    numbers = struct.unpack(f"{order}{len(words) // 4}I", words)
    for even, odd in zip(numbers[::2], numbers[1::2], strict=True):
        one = (one + even + two) & 0xFFFFFFFF
        two = (two + odd + one) & 0xFFFFFFFF
    return one, two


def damage(log: Path, frame: Frame) -> None:
    """Turn some bits in the middle of a frame's page."""
    with log.open("r+b") as file:
        middle = (frame.start + FRAME_HEADER_BYTES + frame.end) // 2
        file.seek(middle)
        byte = file.read(1)[0]
        file.seek(middle)
        file.write(bytes([byte ^ 0xFF]))


def http2_call(
    path: str, request: bytes = b"", metadata: dict[str, str] | None = None, *, bytes_to_come: int = 0
) -> bytes:
    """Return what a gRPC client says that makes one call and never takes a byte of its answer.

    With `bytes_to_come` the request is not at its end yet.
    """
    head = http2_head(path, metadata)
    message = b"\0" + struct.pack(">I", len(request) + bytes_to_come) + request
    settings, headers, data, end_of_stream, end_of_headers = 4, 1, 0, 1, 4
    return (
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        + http2_frame(settings, 0, 0, struct.pack(">HI", 4, 0))
        + http2_frame(headers, end_of_headers, 1, head)
        + http2_frame(data, 0 if bytes_to_come else end_of_stream, 1, message)
    )


async def http2_answered(reader: asyncio.StreamReader) -> None:
    """Read on until the server has ended the call, by its last header or by a reset."""
    headers, reset, end_of_stream = 1, 3, 1
    while True:
        start = await reader.readexactly(9)
        kind, flags, stream = start[3], start[4], int.from_bytes(start[5:], "big")
        await reader.readexactly(int.from_bytes(start[:3], "big"))
        if stream == 1 and (kind == reset or (kind == headers and flags & end_of_stream)):
            return


def http2_head(path: str, metadata: dict[str, str] | None = None) -> bytes:
    """Return the header block that begins a gRPC call."""
    head = b"\x83\x86" + b"\x04" + _text(path) + b"\x01" + _text("localhost")  # POST, http, path, authority
    fields = {"content-type": "application/grpc", "te": "trailers", **(metadata or {})}
    return head + b"".join(b"\0" + _text(name) + _text(value) for name, value in fields.items())


def http2_frame(kind: int, flags: int, stream: int, content: bytes) -> bytes:
    """Return a frame of HTTP/2."""
    return struct.pack(">I", len(content))[1:] + bytes((kind, flags)) + struct.pack(">I", stream) + content


def _text(text: str) -> bytes:
    """Return a text as HPACK spells it, plain and short."""
    assert len(text) < 127
    return bytes((len(text),)) + text.encode()
