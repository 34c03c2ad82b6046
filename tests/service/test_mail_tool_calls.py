"""A model's tool calls: strict arguments, results that the model can act on, and errors that are not the model's."""

from __future__ import annotations

import asyncio
import json

import grpc
import pytest
from mail import advance, by_rpc, nothing_written, stored, tool, two

INVALID = "send_message:invalid_arguments"
HANDLE = "HANDLE"  # replaced by the recipient's
GOOD = {"to": HANDLE, "body": "hello"}
# what the model wrote, and what the text must say
WRONG = {
    "nothing": ("", "not a JSON object"),
    "a blank": (" ", "not a JSON object"),
    "no JSON": ("to: HANDLE", "not a JSON object"),
    "half": ('{"to": "HANDLE", "body": ', "not a JSON object"),
    "single quotes": ("{'to': 'HANDLE', 'body': 'hello'}", "not a JSON object"),
    "a comma too many": ('{"to": "HANDLE", "body": "hello",}', "not a JSON object"),
    "a comment": ('{"to": "HANDLE", "body": "hello"} // send', "not a JSON object"),
    "two objects": ('{"to": "HANDLE", "body": "hello"}{}', "not a JSON object"),
    "a fence": ('```json\n{"to": "HANDLE", "body": "hello"}\n```', "not a JSON object"),
    "a byte order mark": ('\ufeff{"to": "HANDLE", "body": "hello"}', "not a JSON object"),
    "a raw newline in a string": ('{"to": "HANDLE", "body": "a\nb"}', "not a JSON object"),
    "an array": ('["HANDLE", "hello"]', "not a JSON object"),
    "an array of one object": ('[{"to": "HANDLE", "body": "hello"}]', "not a JSON object"),
    "a string": ('"hello"', "not a JSON object"),
    "a string of JSON": (json.dumps(json.dumps(GOOD)), "not a JSON object"),
    "a number": ("7", "not a JSON object"),
    "null": ("null", "not a JSON object"),
    "true": ("true", "not a JSON object"),
    "NaN": ("NaN", "not a JSON object"),
    "NaN in it": ('{"to": "HANDLE", "body": NaN}', "not a JSON object"),
    "infinity in it": ('{"to": "HANDLE", "body": "hello", "mode": -Infinity}', "not a JSON object"),
    "a name twice": ('{"to": "HANDLE", "body": "hello", "body": "hello"}', "twice"),
    "a name twice, once escaped": ('{"to": "HANDLE", "body": "hello", "bod\\u0079": "hello"}', "twice"),
    "no recipient": ('{"body": "hello"}', "`to` is missing"),
    "no body": ('{"to": "HANDLE"}', "`body` is missing"),
    "nothing in it": ("{}", "`to` is missing"),
    "the earlier name": ('{"recipient_session_id": "HANDLE", "body": "hello"}', "`recipient_session_id`"),
    "the earlier name too": (
        '{"to": "HANDLE", "recipient_session_id": "HANDLE", "body": "b"}',
        "`recipient_session_id`",
    ),
    "another argument": ('{"to": "HANDLE", "body": "hello", "urgent": true}', "`urgent`"),
    "capitals": ('{"To": "HANDLE", "body": "hello"}', "`To`"),
    "a blank in a name": ('{"to ": "HANDLE", "body": "hello"}', "`to `"),
    "an unprintable name": ('{"to": "HANDLE", "body": "hello", "a\\u0000\\u202e": 1}', "unprintable"),
    "an empty name": ('{"to": "HANDLE", "body": "hello", "": 1}', "unknown argument"),
    "sender of its own": ('{"to": "HANDLE", "body": "hello", "from": "root"}', "`from`"),
    "a number as the recipient": ('{"to": 7, "body": "hello"}', "`to` must be a string"),
    "null as the recipient": ('{"to": null, "body": "hello"}', "`to` must be a string"),
    "a list of recipients": ('{"to": ["HANDLE"], "body": "hello"}', "`to` must be a string"),
    "nobody": ('{"to": "", "body": "hello"}', "`to` must be"),
    "null as the body": ('{"to": "HANDLE", "body": null}', "`body` must be a string"),
    "an object as the body": ('{"to": "HANDLE", "body": {"text": "hello"}}', "`body` must be a string"),
    "true as the body": ('{"to": "HANDLE", "body": true}', "`body` must be a string"),
    "null as the mode": ('{"to": "HANDLE", "body": "hello", "mode": null}', "`mode` must be"),
    "a number as the mode": ('{"to": "HANDLE", "body": "hello", "mode": 1}', "`mode` must be"),
    "capitals in the mode": ('{"to": "HANDLE", "body": "hello", "mode": "Steer"}', "`mode` must be"),
    "no mode": ('{"to": "HANDLE", "body": "hello", "mode": ""}', "`mode` must be"),
    "another mode": ('{"to": "HANDLE", "body": "hello", "mode": "interrupt"}', "`mode` must be"),
    "deep nesting": ("[" * 200_000, "not a JSON object"),
    "deep nesting within": ('{"to": "HANDLE", "body": ' + '{"a":' * 100_000, "not a JSON object"),
    "a number of many digits": ('{"to": "HANDLE", "body": ' + "9" * 100_000 + "}", "not a JSON object"),
    "many arguments": (json.dumps({**GOOD, **{f"a{n}": n for n in range(50_000)}}), "`a0`"),
    "a long name": (json.dumps({**GOOD, "x" * 1_000_000: 1}), "`xxx"),
    "a long recipient": (json.dumps({**GOOD, "to": "x" * 1_000_000}), "`to` must be"),
}


async def test_arguments_are_read_strictly(server, runtime):
    """Whatever is not exactly the tool's arguments is a bounded result that says what is wrong; nothing is written."""
    _, child, run = await two(runtime)
    told, lacking = {}, {}
    async with nothing_written(server):
        for name, (arguments, words) in WRONG.items():
            result = await tool(runtime, run, arguments.replace(HANDLE, child.handle))
            told[name] = (result.is_error, result.code)
            if words not in result.text or not result.text.startswith(f"{INVALID}: "):
                lacking[name] = result.text
            assert len(result.text.encode()) < 300
            assert json.loads(result.structured_json) == {"code": INVALID, "message": result.text}
    assert told == dict.fromkeys(WRONG, (True, INVALID))
    assert lacking == {}


async def test_what_is_equal_json_is_equal(runtime):
    """White space, order and escapes of the JSON do not matter."""
    _, child, run = await two(runtime)
    written = [
        f'{{"to":"{child.handle}","body":"hello"}}',
        f' \n{{ "body" : "hello" ,\t"mode":"steer", "to" : "{child.handle}" }}\r\n',
        f'{{"t\\u006f": "{child.handle}", "body": "\\u0068ello"}}',
    ]
    results = [await tool(runtime, run, text, call="the same") for text in written]
    assert len({result.structured_json for result in results}) == 1
    assert [m.body for m in await stored(runtime, child)] == ["hello"]


async def test_an_unknown_tool(server, runtime):
    """A tool that does not exist is a result that names the one that does."""
    _, child, run = await two(runtime)
    async with nothing_written(server):
        for name in ("bash", "Send_message", "send_message ", "sendmessage", "inbox", "ｓend_message"):
            result = await tool(runtime, run, {"to": child.handle, "body": "hello"}, name)
            assert (result.is_error, result.code) == (True, "tool:unknown")
            assert "send_message" in result.text
            assert json.loads(result.structured_json)["code"] == "tool:unknown"


async def test_the_removed_tool_names_its_successor(server, runtime):
    """`steer_subagent` does not exist, whatever its arguments: the answer names send_message and how to call it."""
    parent, _, run = await two(runtime)
    async with nothing_written(server):
        for arguments in ({"session_id": "x", "message": "hello"}, "no JSON"):
            result = await tool(runtime, run, arguments, "steer_subagent")
            assert (result.is_error, result.code) == (True, "tool:unknown")
            assert "steer_subagent does not exist; use send_message(to, body, mode) in its place" in result.text
    shown = (await runtime.tools.ListTools(session_id=parent.session_id)).tools
    assert [t.name for t in shown] == ["send_message"]


async def test_a_refused_send_is_a_result(server, runtime):
    """What the tool refuses comes as text, code and JSON, with a time to wait where waiting helps."""
    parent, child, run = await two(runtime)
    for _ in range(4):
        await by_rpc(runtime, run, child)
    result = await tool(runtime, run, {"to": child.handle, "body": "hello"})
    assert (result.is_error, result.code) == (True, "send_message:inflight_full")
    assert json.loads(result.structured_json) == {
        "code": result.code,
        "message": result.text,
        "retry_after_seconds": 1.0,
    }
    itself = await tool(runtime, run, {"to": parent.handle, "body": "hello"})
    assert json.loads(itself.structured_json) == {"code": "send_message:self_send", "message": itself.text}


async def test_texts_are_bounded(runtime):
    """However long what it is about, a result's text has at most 8 KiB and its JSON no more than twice that."""
    _, child, run = await two(runtime, description="漢" * 300)
    for arguments in (
        {"to": "\U0001f600" * 64, "body": "hello"},
        {"to": child.handle, "body": "\U0001f600" * 200_000},
        {"to": child.handle, "body": "hello", "\U0001f600" * 100_000: 1},
        {"to": child.handle, "body": "x" * 32768},
    ):
        result = await tool(runtime, run, arguments)
        assert 0 < len(result.text.encode()) <= 8192
        assert len(result.structured_json.encode()) <= 16384
        json.loads(result.structured_json)


async def test_calls_of_one_session_run_in_parallel(runtime):
    """Calls of one model turn may be made at once: each has its own result."""
    parent = await runtime.session(rules={"child": "allow"})
    children = [await runtime.session(parent) for _ in range(10)]
    run = await runtime.run(parent)
    results = await asyncio.gather(
        *(
            tool(runtime, run, {"to": c.handle, "body": f"to {c.handle}"}, call=f"call {n}")
            for n, c in enumerate(children)
        ),
        tool(runtime, run, {"to": "nobody_00000000", "body": "hello"}),
        tool(runtime, run, {}, "bash"),
    )
    assert [r.code for r in results] == [""] * 10 + ["send_message:unknown_reference", "tool:unknown"]
    for child, result in zip(children, results, strict=False):
        (accepted,) = await stored(runtime, child)
        assert (accepted.body, accepted.message_id) == (
            f"to {child.handle}",
            json.loads(result.structured_json)["message_id"],
        )


@pytest.mark.parametrize("code", ["run:not_active", "run:cancelled", "run:lease_lost"])
async def test_a_run_that_has_ended_is_not_the_models_fault(server, runtime, refused, code):
    """A send of a run that is over is an error of the call, which the runtime acts on; a model's faults are results."""
    _, child, run = await two(runtime)
    if code == "run:not_active":
        await runtime.finish(run)
    elif code == "run:cancelled":
        await runtime.runs.CancelRun(session_id=run.session_id)
    else:
        advance(server, 100)
    async with nothing_written(server):
        with refused(code, grpc.StatusCode.FAILED_PRECONDITION):
            await tool(runtime, run, {"to": child.handle, "body": "hello"})
        assert (await tool(runtime, run, {"to": child.handle})).code == INVALID
        assert (await tool(runtime, run, {}, "bash")).code == "tool:unknown"


async def test_another_runtimes_session_and_run(server, runtime, refused):
    """A stranger's session is not there, for whatever tool; neither is another session's run."""
    parent, child, run = await two(runtime)
    stranger = await server.make_token("runtime")
    own_parent, own_child, own_run = await two(stranger)
    async with nothing_written(server):
        for name in ("send_message", "bash"):
            with refused("session:not_found", grpc.StatusCode.NOT_FOUND):
                await tool(stranger, run, {"to": child.handle, "body": "hello"}, name)
        with refused("session:not_found", grpc.StatusCode.NOT_FOUND):
            await stranger.tools.ListTools(session_id=parent.session_id)
        own_run.run_id = run.run_id  # its own session, with another's run
        with refused("run:not_active", grpc.StatusCode.FAILED_PRECONDITION):
            await tool(stranger, own_run, {"to": own_child.handle, "body": "hello"})
    assert own_parent.session_id


async def test_a_session_token_calls_for_its_session_alone(server, runtime, refused):
    """A session's own token calls its tools, and those of no other session."""
    parent, child, run = await two(runtime)
    own = await server.make_token("session", parent.session_id)
    assert not (await tool(own, run, {"to": child.handle, "body": "hello"})).is_error
    child_run = await runtime.run(child)
    with refused("session:not_found", grpc.StatusCode.NOT_FOUND):
        await tool(own, child_run, {"to": parent.handle, "body": "hello"})


async def test_a_deleted_sessions_tools(server, runtime, refused):
    """A deleted session has no tools and makes no calls."""
    parent, child, run = await two(runtime)
    await runtime.finish(run)
    await runtime.sessions.DeleteSession(session_id=parent.session_id)
    with refused("session:not_found", grpc.StatusCode.NOT_FOUND):
        await tool(runtime, run, {"to": child.handle, "body": "hello"})
    with refused("session:not_found", grpc.StatusCode.NOT_FOUND):
        await runtime.tools.ListTools(session_id=parent.session_id)


async def test_what_the_runtime_gets_wrong_is_an_error_of_the_call(runtime, refused):
    """Ids and names are the runtime's to give: without them the request itself is invalid."""
    _, _, run = await two(runtime)
    for field, value in (("tool_call_id", ""), ("tool_call_id", "x" * 257), ("name", ""), ("name", "x" * 129)):
        fields = {"tool_call_id": "call", "name": "send_message", field: value}
        with refused("request:invalid", grpc.StatusCode.INVALID_ARGUMENT, field=field):
            await runtime.tools.CallTool(session_id=run.session_id, run_id=run.run_id, arguments_json="{}", **fields)
