"""The same rows, live and replayed; the trees and the strip beside them."""

from __future__ import annotations

import pytest
from cable import Cable
from delegations import delegate
from kinpost.v1 import message_pb2, session_pb2
from kinpost_client import convert
from kinpost_watch.harmless import short_id
from kinpost_watch.rows import row_of
from rich.cells import cell_len

QUEUE = message_pb2.MESSAGE_MODE_QUEUE
PAUSED, OPEN = session_pb2.AVAILABILITY_PAUSED, session_pb2.AVAILABILITY_OPEN


async def all_kinds_of_mail(server, castle):
    """Mail of each owner that this server has, in both modes, to the scout and to the lead; some of it consumed."""
    runtime = castle.runtime
    plugin = await server.make_token("plugin", plugin_name="ci")
    producer = await plugin.register(castle.scout, description="build results")
    for mode in (0, QUEUE):
        await runtime.send(castle.leading, castle.scout, f"from the lead {mode}", mode=mode)
        await runtime.user(castle.scout, f"from the user {mode}", mode=mode)
        await plugin.produce(producer, f"from the plugin {mode}", mode=mode)
    await server.admin.peers.SendPeerMessage(
        session_id=castle.scout.session_id, source_session_id=castle.scribe.session_id, text="from a peer"
    )
    child = await delegate(runtime, castle.scouting)
    await runtime.finish(await runtime.run(child), reason="the delegation is done")
    claim = await runtime.claim(castle.scouting)
    await runtime.commit(castle.scouting, claim)


async def test_what_comes_live_is_what_a_replay_shows_and_what_the_log_says(server, castle, watch):
    async with watch(server) as live:
        await live.until_loaded()
        await live.go_to(castle.scout)
        await all_kinds_of_mail(server, castle)
        log = await castle.runtime.log(session_id=castle.scout.session_id)
        rows = [row_of(convert.event(event)) for event in log]
        expected = [(row.seq, row.title, row.body) for row in rows]
        await live.until(lambda: live.rows() == expected, "all rows")
        async with watch(server) as replayed:
            await replayed.until_loaded()
            await replayed.go_to(castle.scout)
            assert replayed.rows() == live.rows()
            await replayed.until(lambda: replayed.screen_text() == live.screen_text(), "the same screen")
    titles = [title for _, title, _ in expected]
    for owner in ("agent", "user", "plugin"):
        for mode in ("steer", "queue"):
            assert any(title.startswith(f"{owner} mail · {mode}") for title in titles)
    assert any(title.startswith("delegation mail · steer") for title in titles)
    assert any(title.startswith("peer mail · ") for title in titles)
    assert sum(title.startswith("consumed #") for title in titles) == 4


async def test_the_trees_tell_states_and_mail_as_they_change(server, castle, watch):
    runtime = castle.runtime
    async with watch(server) as ui:
        await ui.until_loaded()
        assert "● " in ui.line(castle.lead)
        assert "○ " in ui.line(castle.scribe)
        assert ui.line(castle.scribe).rstrip().endswith(castle.scribe.handle)
        await runtime.send(castle.leading, castle.scribe)
        await ui.until(lambda: "✉1" in ui.line(castle.scribe), "mail")
        run = await runtime.run(castle.scribe)
        await ui.until(lambda: "● " in ui.line(castle.scribe), "running")
        await runtime.commit(run, await runtime.claim(run))
        await ui.until(lambda: "✉" not in ui.line(castle.scribe), "no mail")
        await runtime.finish(run, "FAILED", reason="no ink")
        await ui.until(lambda: "✗ " in ui.line(castle.scribe), "failed")
        made = await runtime.session(castle.scout, agent="explore")
        await ui.until(lambda: any(item.session_id == made.session_id for item in ui.app._forest_list.items), "child")
        await ui.until_shown(made.handle)
        await runtime.sessions.DeleteSession(session_id=made.session_id)
        await ui.until(lambda: made.handle not in ui.screen_text(), "gone")


async def test_the_strip_tells_what_waits_and_why_it_is_held(server, castle, watch):
    runtime = castle.runtime
    await runtime.send(castle.leading, castle.scout, "accepted first")
    claim = await runtime.claim(castle.scouting)
    await runtime.runs.ReleaseClaim(
        session_id=castle.scout.session_id, run_id=castle.scouting.run_id, claim_seq=claim.claim_seq
    )
    async with watch(server) as ui:
        await ui.until_loaded()
        await ui.go_to(castle.scout)
        await runtime.user(castle.scout, "accepted second")
        await ui.until(lambda: ui.told("waits") == "waiting: 1 accepted · 1 released", "both")
        await ui.until_shown("accepted second")
        await ui.press("w")
        await ui.until_shown("Mail that waits for")
        await ui.press("escape")
        await server.admin.sessions.SetAvailability(
            session_id=castle.scribe.session_id, availability=PAUSED, reason="wait for the [b]numbers[/b]"
        )
        await runtime.user(castle.scribe, "held mail")
        await ui.go_to(castle.scribe)
        await ui.until(lambda: ui.told("waits") == "1 held, the session is paused: wait for the [b]numbers[/b]", "held")
        assert "paused ✉1" in ui.line(castle.scribe)
        await server.admin.sessions.SetAvailability(session_id=castle.scribe.session_id, availability=OPEN)
        await ui.until(lambda: ui.told("waits") == "waiting: 1 accepted", "no longer held")


async def test_after_a_revert_what_was_consumed_waits_again(server, castle, watch):
    runtime = castle.runtime
    before = (await runtime.look(castle.scribe)).last_seq
    await runtime.user(castle.scribe, "read me twice")
    accepted = (await runtime.look(castle.scribe)).last_seq
    run = await runtime.run(castle.scribe)
    await runtime.commit(run, await runtime.claim(run))
    await runtime.finish(run)
    assert before < accepted
    async with watch(server) as ui:
        await ui.until_loaded()
        await ui.go_to(castle.scribe)
        assert ui.told("waits") == "nothing waits"
        last_seq = (await runtime.look(castle.scribe)).last_seq
        await runtime.sessions.RevertSession(
            session_id=castle.scribe.session_id, to_seq=accepted, expected_last_seq=last_seq
        )
        await ui.until(lambda: ui.told("waits") == "waiting: 1 accepted", "it waits again")
        await ui.until(lambda: "○ " in ui.line(castle.scribe), "idle again")
        await ui.until_shown("reverted to")


async def test_a_cut_is_told_and_nothing_is_missed(server, castle, watch):
    async with Cable(server.address) as cable, watch(server, address=cable.address) as ui:
        await ui.until_loaded()
        await ui.go_to(castle.scribe)
        seen: list[str] = []
        say = ui.app.overview._say
        ui.app.overview._say = lambda words: (seen.append(words), say(words))
        cable.cut()
        await castle.runtime.user(castle.scribe, "while nobody listened")
        await ui.until(lambda: any(words.startswith("not connected, trying again") for words in seen), "the cut")
        await ui.until_shown("while nobody listened")
        await ui.until(lambda: not ui.app.overview.connection, "connected again")
        await ui.until(lambda: "✉1" in ui.line(castle.scribe), "mail")


async def test_a_server_that_is_away_is_told_and_waited_for(watch, process):
    async with watch(process) as ui:
        await ui.until(lambda: ui.app.overview.loaded, "the empty list")
        await process.kill()
        await ui.until(lambda: "not connected, trying again" in ui.told("top"), "away")
        await ui.until_shown("not connected")
        await process.start()
        made = await process.admin.session(agent="late")
        await ui.until(lambda: not ui.app.overview.connection, "back")
        await ui.until_shown(made.handle)


async def test_a_token_that_may_not_look_is_told_why(server, castle, watch):
    async with watch(server, secret=castle.runtime.secret) as ui:
        await ui.until(lambda: ui.app.overview.refused, "the refusal")
        await ui.until_shown("auth:forbidden")


async def test_a_tree_can_be_watched_alone(server, castle, watch, runtime):
    other = await runtime.session(agent="other")
    ids = {castle.lead.session_id, castle.scout.session_id, castle.scribe.session_id}
    root = castle.lead.session_id
    async with watch(server, root_session_id=root, session_id=castle.scribe.session_id) as ui:
        await ui.until_loaded()
        assert ui.app.feed.transcript.session_id == castle.scribe.session_id
        assert set(ui.app.overview.forest.places) == ids
        await runtime.session(agent="another")
        child = await runtime.session(castle.lead)
        await ui.until(lambda: set(ui.app.overview.forest.places) == ids | {child.session_id}, "its child alone")
        assert short_id(other.session_id) not in ui.screen_text()


@pytest.mark.parametrize("size", [(80, 24), (200, 50), (40, 12), (20, 6)])
async def test_it_fits_into_every_terminal_in_light_and_dark(server, castle, watch, size):
    await castle.runtime.send(castle.leading, castle.scout, "Look into the cellar too.\n" * 20)
    async with watch(server, size=size) as ui:
        await ui.until_loaded()
        await ui.go_to(castle.scout)
        for keys in (["question_mark"], ["a"], ["d"], ["v"], ["w"], ["slash"], ["t", "f"]):
            await ui.press(*keys)
            lines = ui.screen_text().split("\n")
            assert (len(lines), {cell_len(line) for line in lines}) == (size[1], {size[0]})
            await ui.press("escape")
        if size >= (80, 24):
            assert castle.scout.handle in ui.screen_text()
            await ui.until_shown("Look into the cellar too.")
            await ui.until_shown("waiting: 1 accepted")
