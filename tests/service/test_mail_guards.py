"""The guards on how much may wait: exactly at their limits, and open again when mail is read or comes to nothing."""

from __future__ import annotations

import asyncio

import grpc
import pytest
from calls import fresh
from delegations import delegate
from mail import DOORS, advance, batch, by_rpc, by_tool, nothing_written, read_all, stored, tool, two

INBOX, WINDOW = "send_message:inbox_full", "send_message:inflight_full"
FULL = {INBOX: {"max_pending_per_session": 3, "max_inflight_per_pair": 0}, WINDOW: {"max_inflight_per_pair": 3}}
each_guard = pytest.mark.parametrize(
    "code, overrides", [(code, {"messaging": settings}) for code, settings in FULL.items()], ids=["inbox", "window"]
)


async def fill(runtime, run, child, code: str) -> list:
    """Send until it is refused: three are accepted."""
    sent = [await by_rpc(runtime, run, child, f"body {n}") for n in range(3)]
    assert [answer.code for answer in sent] == ["", "", ""]
    assert (await by_rpc(runtime, run, child)).code == code
    return sent


@each_guard
async def test_exactly_at_the_limit(server, runtime, code):
    """The limit's number is accepted, one more refused with a time to wait, by each door, and nothing is written."""
    _, child, run = await two(runtime)
    await fill(runtime, run, child, code)
    async with nothing_written(server):
        for name, door in DOORS.items():
            answer = await door(runtime, run, child)
            assert answer.code == code
            if name == "SendMessage":
                assert answer.refusal.grpc_code == grpc.StatusCode.RESOURCE_EXHAUSTED
                assert answer.refusal.info.reason == code.upper().replace(":", "_")
                assert answer.refusal.retry_seconds > 0


@each_guard
async def test_room_again_by_consumption(runtime, code):
    """Each consumed message makes room for one more; claiming and giving back makes none."""
    _, child, run = await two(runtime)
    await fill(runtime, run, child, code)
    started = await runtime.start(child)
    claim = await runtime.claim(started.run, bytes_max=len("body 0"))
    assert len(claim.messages) == 1
    assert (await by_rpc(runtime, run, child)).code == code  # admitted and claimed count
    await runtime.runs.ReleaseClaim(session_id=child.session_id, run_id=started.run.run_id, claim_seq=claim.claim_seq)
    assert (await by_rpc(runtime, run, child)).code == code  # so does what was given back
    claim = await runtime.claim(started.run, bytes_max=len("body 0"))
    assert len(await runtime.commit(started.run, claim)) == 1
    assert [(await by_rpc(runtime, run, child)).code for _ in range(2)] == ["", code]
    await runtime.finish(started.run)
    assert len(await read_all(runtime, child)) == 3
    assert [(await by_rpc(runtime, run, child)).code for _ in range(4)] == ["", "", "", code]


@each_guard
async def test_room_again_by_discarding(server, runtime, code):
    """A message that is retracted or expires makes room for one more."""
    parent, child, run = await two(runtime)
    sent = await fill(runtime, run, child, code)
    await runtime.messaging.RetractMessage(session_id=parent.session_id, message_id=sent[1].message_id)
    dying = await by_rpc(runtime, run, child, expire_after={"seconds": 30})
    assert dying.code == ""
    assert (await by_rpc(runtime, run, child)).code == code
    advance(server, 31)
    assert [(await by_rpc(runtime, run, child)).code for _ in range(2)] == ["", code]


@each_guard
async def test_a_lapsed_run_makes_no_room(server, runtime, code):
    """What a lapsed run had claimed is pending again and counts."""
    parent, child, run = await two(runtime)
    await fill(runtime, run, child, code)
    await runtime.start(child, attempt_id="first")
    advance(server, 100)
    run = await runtime.run(parent)
    assert (await by_rpc(runtime, run, child)).code == code
    await read_all(runtime, child)
    assert (await by_rpc(runtime, run, child)).code == ""


@each_guard
async def test_counted_anew_after_a_restart(server, runtime, code):
    """The counts are those of the stored mail: a restart neither opens nor closes a guard."""
    _, child, run = await two(runtime)
    await fill(runtime, run, child, code)
    await server.restart()
    runtime = server.client(runtime.secret)
    assert (await by_rpc(runtime, run, child)).code == code
    await read_all(runtime, child)
    assert [(await by_rpc(runtime, run, child)).code for _ in range(4)] == ["", "", "", code]


@each_guard
async def test_many_at_once(runtime, code):
    """Guards and acceptance are one step: of twenty sends at once exactly the limit's number is accepted."""
    _, child, run = await two(runtime)
    answers = await asyncio.gather(*(by_rpc(runtime, run, child, f"body {n}") for n in range(20)))
    assert sorted(answer.code for answer in answers) == [""] * 3 + [code] * 17
    assert len(await stored(runtime, child)) == 3


@each_guard
async def test_a_batch_at_the_limit(runtime, code):
    """Within one batch each send is judged after those before it."""
    parent, child, run = await two(runtime)
    other = await runtime.session(parent)
    sends = [{"to": child.handle}] * 5 + [{"to": other.handle}]
    assert [a.code for a in await batch(runtime, run, *sends)] == ["", "", "", code, code, ""]


@pytest.mark.parametrize("overrides", [{"messaging": FULL[INBOX]}])
async def test_the_inbox_is_the_recipients(runtime):
    """The inbox counts all senders together; another recipient has its own."""
    parent, child, run = await two(runtime)
    siblings = [await runtime.session(parent, rules={"sibling": "allow"}) for _ in range(2)]
    runs = [run, *[await runtime.run(sibling) for sibling in siblings]]
    assert [(await by_rpc(runtime, r, child)).code for r in runs] == ["", "", ""]
    assert [(await by_rpc(runtime, r, child)).code for r in runs] == [INBOX] * 3
    assert (await by_rpc(runtime, run, siblings[0])).code == ""


@pytest.mark.parametrize("overrides", [{"messaging": FULL[WINDOW]}])
async def test_the_window_is_a_directed_pairs(runtime):
    """The window counts one sender's mail to one recipient: the way back, others and other recipients have theirs."""
    parent, child, run = await two(runtime, child_rules={"parent": "allow"})
    sibling = await runtime.session(parent, rules={"sibling": "allow"})
    await fill(runtime, run, child, WINDOW)
    assert (await by_rpc(runtime, run, sibling)).code == ""
    assert (await by_rpc(runtime, await runtime.run(sibling), child)).code == ""
    assert (await by_rpc(runtime, await runtime.run(child), parent)).code == ""
    await runtime.finish(run)
    assert (await by_rpc(runtime, await runtime.run(parent), child)).code == WINDOW  # whatever its run


async def test_the_defaults(server, runtime):
    """Without settings a pair has four unread messages, and an inbox thirty-two."""
    parent, child, run = await two(runtime)
    assert [(await by_rpc(runtime, run, child)).code for _ in range(5)] == [""] * 4 + [WINDOW]
    for _ in range(7):
        sibling = await runtime.session(parent, rules={"sibling": "allow"})
        answers = await batch(runtime, await runtime.run(sibling), *[{"to": child.handle}] * 4)
        assert [answer.code for answer in answers] == [""] * 4
    last = await runtime.session(parent, rules={"sibling": "allow"})
    assert (await by_rpc(runtime, await runtime.run(last), child)).code == INBOX
    assert (await runtime.look(child)).pending_count == 32


async def from_a_person(server, runtime, sender, recipient) -> None:
    await server.admin.user(recipient)


async def from_a_plugin(server, runtime, sender, recipient) -> None:
    plugin = await server.make_token("plugin")
    await plugin.produce(await plugin.register(recipient))


async def from_a_delegation(server, runtime, sender, recipient) -> None:
    """The report of a child's run: its sender is the child, as of any mail that the child writes later."""
    await runtime.finish(await runtime.run(sender))


async def from_a_peer(server, runtime, sender, recipient) -> None:
    peer = await server.make_token("peer", sender.session_id)
    fields = {"session_id": recipient.session_id, "source_session_id": sender.session_id}
    await peer.peers.SendPeerMessage(**fields, text="hello", client_request_id=fresh("request"))


@pytest.mark.parametrize("overrides", [{"messaging": {"max_pending_per_session": 2, "max_inflight_per_pair": 2}}])
@pytest.mark.parametrize(
    "write, times", [(from_a_person, 3), (from_a_plugin, 3), (from_a_delegation, 1), (from_a_peer, 3)]
)
async def test_only_agents_mail_counts(server, runtime, write, times):
    """Mail of anybody else counts in neither guard, nor is it bound by them, though its sender be the same session."""
    parent = await runtime.session()
    delegating = await runtime.run(parent)
    child = await delegate(runtime, delegating)
    for _ in range(times):
        await write(server, runtime, child, parent)
    run = await runtime.run(child)
    others = len(await stored(runtime, parent))
    assert others == times
    assert [(await by_rpc(runtime, run, parent)).code for _ in range(3)] == ["", "", INBOX]
    if write is not from_a_delegation:  # which reports but once
        await write(server, runtime, child, parent)
        others += 1
    assert (await runtime.look(parent)).pending_count == others + 2


@pytest.mark.parametrize("overrides", [{"producers": {"pending_per_session_max": 2}}])
async def test_the_cap_on_mail_that_is_not_an_agents(server, runtime, refused):
    """People's mail has a cap of its own, to which agents' mail does not count."""
    _, child, run = await two(runtime)
    for _ in range(3):
        await by_rpc(runtime, run, child)
    await server.admin.user(child)
    await server.admin.user(child)
    with refused("producer:inbox_full", grpc.StatusCode.RESOURCE_EXHAUSTED) as told:
        await server.admin.user(child)
    assert told.retry_seconds > 0
    await read_all(runtime, child)
    await server.admin.user(child)


REFUSES_ALL = {
    "enabled": ({"enabled": False}, "send_message:disabled"),
    "max_body_bytes": ({"max_body_bytes": 0}, "send_message:invalid_body"),
    "max_pending_per_session": ({"max_pending_per_session": 0}, INBOX),
}


@pytest.mark.parametrize("key", REFUSES_ALL)
async def test_what_refuses_everything(server, runtime, key):
    """Messaging switched off, no body bytes and no inbox refuse every agent's send; people still write."""
    settings, code = REFUSES_ALL[key]
    await server.restart(messaging=settings)
    runtime = server.client(runtime.secret)
    _, child, run = await two(runtime)
    async with nothing_written(server):
        for door in DOORS.values():
            assert (await door(runtime, run, child)).code == code
    assert await server.admin.user(child)
    assert len(await read_all(runtime, child)) == 1


@pytest.mark.parametrize("value", [0])
async def test_what_disables_the_window(server, runtime, value):
    """A window of 0 is none: only the inbox bounds a pair."""
    await server.restart(messaging={"max_inflight_per_pair": value})
    runtime = server.client(runtime.secret)
    _, child, run = await two(runtime)
    answers = await batch(runtime, run, *[{"to": child.handle}] * 33)
    assert [answer.code for answer in answers] == [""] * 32 + [INBOX]


async def test_disabled_hides_no_tool_and_tells_the_model(server, runtime):
    """While messaging is switched off the model is told so by the call; what was sent before is still delivered."""
    _, child, run = await two(runtime)
    sent = await by_tool(runtime, run, child)
    await server.restart(messaging={"enabled": False})
    runtime = server.client(runtime.secret)
    result = await tool(runtime, run, {"to": child.handle, "body": "hello"})
    assert (result.is_error, result.code) == (True, "send_message:disabled")
    answer = await by_rpc(runtime, run, child)
    assert answer.refusal.grpc_code == grpc.StatusCode.FAILED_PRECONDITION
    assert await read_all(runtime, child) == [sent.message_id]
