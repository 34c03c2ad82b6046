"""Bodies: what is accepted comes back byte for byte, what is not gets its code, and no request breaks a connection."""

from __future__ import annotations

import json

import grpc
import pytest
from mail import DOORS, by_rpc, nothing_written, stored, tool, two

LIMIT = 32768  # the default
INVALID = "send_message:invalid_body"
# The characters of Unicode that are white space, whole (PropList.txt).
WHITE = [
    0x9,
    0xA,
    0xB,
    0xC,
    0xD,
    0x20,
    0x85,
    0xA0,
    0x1680,
    *range(0x2000, 0x200B),
    0x2028,
    0x2029,
    0x202F,
    0x205F,
    0x3000,
]


def of_bytes(unit: str, size: int) -> str:
    """Return a text of so many bytes of UTF-8, of as many units as fit and then ASCII."""
    count, rest = divmod(size, len(unit.encode()))
    text = unit * count + "." * rest
    assert len(text.encode()) == size
    return text


SIZES = {0: INVALID, 1: "", LIMIT - 1: "", LIMIT: "", LIMIT + 1: INVALID}
UNITS = {"ASCII": "x", "four-byte characters": "\U0001f9ff", "combining marks": "e\u0301\u0323"}
PLAIN = {
    "one letter": "a",
    "white space around": " \t\n\u3000 text \u2028\r\n",
    "newlines of all kinds": "a\nb\rc\r\nd\u0085e\u2028f\u2029g\vh\fi",
    "control characters": "".join(map(chr, range(1, 32))) + "\x7f\x80\x9f",
    "decomposed and composed": "e\u0301 é \u1e0d\u0307 \u0064\u0323\u0307",
    "right to left": "\u202eabc\u202c שלום \u200f",
    "joined": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "flags and skin": "\U0001f1e9\U0001f1ea\U0001f44b\U0001f3ff",
    "a byte order mark": "\ufefftext\ufeff",
    "not characters": "\uffff\ufffe\U0010ffff\ufdd0",
    "private use": "\ue000\U000f0000",
    "the replacement character": "\ufffd",
    "zero-width characters alone": "\u200b\u200c\u200d\u2060\ufeff",
    "separators of information": "\x1c\x1d\x1e\x1f",
    "a braille blank": "\u2800",
    "JSON": '{"a": "\\u0000", "b": [1, null]}',
    "quotes": "'\"`\\",
    "SQL": "'); DROP TABLE session; --",
    "a format": "%s {0} ${x} {{y}}",
    "many marks": "a" + "\u0301" * 5000,
}


async def came_back(runtime, child, sent: list[str]) -> None:
    """Assert that log and claims hold exactly these bodies, byte for byte and in order."""
    wanted = [body.encode() for body in sent]
    assert [m.body.encode() for m in await stored(runtime, child)] == wanted
    run = await runtime.run(child)
    read = []
    while (claim := await runtime.claim(run)).messages:
        read += [message.body.encode() for message in claim.messages]
        await runtime.commit(run, claim)
    assert read == wanted


@pytest.mark.parametrize("overrides", [{"messaging": {"max_inflight_per_pair": 0}}])
@pytest.mark.parametrize("unit", UNITS)
async def test_sizes(server, runtime, unit):
    """A body of 1 byte to the limit is accepted and comes back byte for byte; an empty or longer one is refused."""
    _, child, run = await two(runtime)
    told, kept = {}, []
    for size in SIZES:
        body = of_bytes(UNITS[unit], size)
        answers = {door: await send(runtime, run, child, body) for door, send in DOORS.items()}
        assert len({answer.code for answer in answers.values()}) == 1
        told[size] = answers["SendMessage"].code
        if told[size]:
            assert answers["SendMessage"].refusal.grpc_code == grpc.StatusCode.INVALID_ARGUMENT
        else:
            kept += [body] * len(DOORS)
    assert told == SIZES
    await came_back(runtime, child, kept)


@pytest.mark.parametrize("overrides", [{"messaging": {"max_inflight_per_pair": 0, "max_pending_per_session": 1000}}])
async def test_all_that_is_text_comes_back(server, runtime):
    """Whatever is text is accepted and comes back byte for byte, through the wire and through a model's JSON."""
    _, child, run = await two(runtime)
    for body in PLAIN.values():
        assert (await by_rpc(runtime, run, child, body)).code == ""
        for ensure_ascii in (True, False):
            text = json.dumps({"to": child.handle, "body": body}, ensure_ascii=ensure_ascii)
            assert not (await tool(runtime, run, text)).is_error
    await came_back(runtime, child, [body for body in PLAIN.values() for _ in range(3)])


async def test_bodies_outlive_a_restart(server, runtime):
    """What was accepted before a restart comes back byte for byte after it."""
    _, child, run = await two(runtime)
    bodies = [PLAIN[name] for name in ("not characters", "newlines of all kinds", "many marks")]
    for body in bodies:
        await by_rpc(runtime, run, child, body)
    await server.restart()
    await came_back(server.client(runtime.secret), child, bodies)


async def test_only_white_space(server, runtime):
    """White space of Unicode only, of one kind or of all, is no body; a model learns why."""
    _, child, run = await two(runtime)
    every = "".join(map(chr, WHITE))
    async with nothing_written(server):
        for body in (*map(chr, WHITE), every, " " * 100, "\n\r\n\t", every * 100):
            for send in DOORS.values():
                answer = await send(runtime, run, child, body)
                assert (answer.code, answer.text) == (INVALID, f"{INVALID}: the body is only white space")


async def test_nul(server, runtime):
    """A body with a NUL is refused: not every database keeps it."""
    _, child, run = await two(runtime)
    async with nothing_written(server):
        for body in ("\0", "a\0", "\0a", "a\0b", " \0 "):
            for send in DOORS.values():
                assert (await send(runtime, run, child, body)).code == INVALID


async def test_lone_surrogates_of_a_models_json(server, runtime):
    """JSON can write what no UTF-8 can hold: a lone surrogate is refused, a pair is its character."""
    _, child, run = await two(runtime)
    async with nothing_written(server):
        for body in ("\\ud800", "a\\udc00b", "\\udc00\\ud800", "\\ud83d \\ude00"):
            result = await tool(runtime, run, f'{{"to": "{child.handle}", "body": "{body}"}}')
            assert (result.is_error, result.code) == (True, INVALID)
    await tool(runtime, run, f'{{"to": "{child.handle}", "body": "\\ud83d\\ude00"}}')
    assert [m.body for m in await stored(runtime, child)] == ["\U0001f600"]


async def raw(client, path: str, data: bytes) -> bytes:
    """Send bytes as they are."""
    call = client.channel.unary_unary(path)
    return await call(data, metadata=(("authorization", f"Bearer {client.secret}"),), timeout=20)


MARK = "QQQQ"
BROKEN = [
    b"\xff\xff\xff\xff",
    b"abc\x80",
    b"\xc0\x80aa",
    b"\xed\xa0\x80a",
    b"\xf4\x90\x80\x80",
    b"aa\xe2\x82",
    b"a\xc3(b",
]


async def test_invalid_utf8_on_the_wire(server, runtime, wire, refused):
    """A text that is not UTF-8 on the wire is an invalid request that names its field, and the connection lives on."""
    _, child, run = await two(runtime)
    send = {"session_id": run.session_id, "run_id": run.run_id, "tool_call_id": "call"}
    batch = wire.messaging.BatchSendMessagesRequest(session_id=run.session_id, run_id=run.run_id)
    batch.sends.add(tool_call_id="good", to=child.handle, body="good")
    batch.sends.add(tool_call_id="bad", to=child.handle, body=MARK)
    service = "/kinpost.v1.MessagingService/"
    requests = [
        (service + "SendMessage", wire.messaging.SendMessageRequest(**send, to=child.handle, body=MARK), "body"),
        (service + "SendMessage", wire.messaging.SendMessageRequest(**send, to=MARK, body="hello"), "to"),
        (service + "BatchSendMessages", batch, "sends[1].body"),
        (
            "/kinpost.v1.ToolService/CallTool",
            wire.tools.CallToolRequest(**send, name="send_message", arguments_json=MARK),
            "arguments_json",
        ),
    ]
    async with nothing_written(server):
        for path, request, field in requests:
            data = request.SerializeToString()
            assert data.count(MARK.encode()) == 1
            for broken in BROKEN:
                with refused("request:invalid", grpc.StatusCode.INVALID_ARGUMENT, field=field):
                    await raw(runtime, path, data.replace(MARK.encode(), broken))
    assert (await by_rpc(runtime, run, child)).code == ""


async def test_an_oversized_request_is_answered_and_the_connection_lives_on(server, runtime, refused):
    """A request larger than is read has a stable answer; other calls and streams of its connection do not notice."""
    _, child, run = await two(runtime)
    stream = runtime.subscribe(session_id=child.session_id, from_now=True)
    await stream.until(lambda frame: frame.caught_up)
    limit = server.settings.server.request_bytes_max
    async with nothing_written(server):
        assert (await by_rpc(runtime, run, child, "x" * (limit - 1000))).code == INVALID
        for door in DOORS.values():
            answer = await door(runtime, run, child, "x" * (limit + 1))
            assert (answer.code, answer.refusal.grpc_code) == (
                "request:too_large",
                grpc.StatusCode.RESOURCE_EXHAUSTED,
            )
            assert answer.refusal.info.metadata["request_bytes_max"] == str(limit)
        huge = await by_rpc(runtime, run, child, "x" * (5 * limit))  # gRPC's own limit
        assert huge.refusal.grpc_code == grpc.StatusCode.RESOURCE_EXHAUSTED
    sent = await by_rpc(runtime, run, child, "still here")
    (event, _) = await stream.events(2)
    assert event.producer_message_accepted.message_id == sent.message_id
    stream.cancel()


@pytest.mark.parametrize("overrides", [{"messaging": {"max_body_bytes": 4}}])
async def test_the_limit_is_in_bytes(server, runtime):
    """The limit counts bytes of UTF-8, not characters, and its text says how many there were."""
    _, child, run = await two(runtime)
    assert (await by_rpc(runtime, run, child, "abcd")).code == ""
    assert (await by_rpc(runtime, run, child, "\U0001f600")).code == ""
    refusal = await by_rpc(runtime, run, child, "é\u0301é")
    assert refusal.text == f"{INVALID}: the body has 6 bytes of UTF-8, at most 4 are allowed"


@pytest.mark.parametrize("overrides", [{"messaging": {"max_body_bytes": 0}}])
async def test_a_limit_of_nothing_refuses_everything(server, runtime):
    """With a limit of 0 bytes every send is refused."""
    _, child, run = await two(runtime)
    async with nothing_written(server):
        for body in ("", "a", " "):
            assert (await by_rpc(runtime, run, child, body)).code == INVALID
