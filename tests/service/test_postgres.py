"""The service over PostgreSQL, as people run it: `kinpost serve` with a URL, one walk and one restart."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest


@pytest.fixture
def storage_url(postgres_url):
    return postgres_url


async def test_a_message_is_sent_over_a_kill_and_consumed_once(process, wire):
    runtime = await process.make_token("runtime")
    parent = await runtime.session(rules={"child": "allow"}, agent="default")
    child = await runtime.session(parent)
    run = await runtime.run(parent)
    accepted = await runtime.send(run, child.handle, "look at this")
    assert accepted.recipient_state == wire.message.RECIPIENT_STATE_QUEUED

    await process.kill()
    await process.restart()

    attached = await runtime.attach(agents=["explore"])
    offer = await attached.told("wake_offer")
    assert (offer.session_id, offer.pending_count, offer.agent) == (child.session_id, 1, "explore")
    started = await runtime.start(child, wake_id=offer.wake_id, attempt_id="first")
    (mail,) = started.claim.messages
    assert (mail.message_id, mail.body) == (accepted.message_id, "look at this")
    assert await runtime.commit(started.run, started.claim) == [accepted.message_id]
    ended = await runtime.finish(started.run)
    assert ended.run.state == wire.run.RUN_STATE_COMPLETED
    kinds = [event.WhichOneof("payload") for event in await runtime.log(session_id=child.session_id)]
    assert kinds[:2] == ["session_created", "producer_message_accepted"]
    assert kinds[-3:] == ["turn_committed", "producer_message_consumed", "run_finished"]
    attached.cancel()


@pytest.mark.parametrize(
    "arguments, word",
    [(["backup", "copy"], "pg_dump"), (["restore", "copy"], "pg_restore"), (["doctor", "--data", "data"], "pg_dump")],
)
async def test_what_copies_or_examines_a_file_names_what_serves_there_instead(tmp_path, arguments, word):
    (tmp_path / "kinpost.toml").write_text(
        '[storage]\ndatabase_url = "postgresql+psycopg://somebody:secret@nowhere/mail"\n'
    )
    process = await asyncio.create_subprocess_exec(
        *(Path(sys.executable).with_name("kinpost"), *arguments),
        stderr=asyncio.subprocess.PIPE,
        cwd=tmp_path,
    )
    _, told = await process.communicate()
    assert process.returncode == 3
    assert word in told.decode()
    assert "secret" not in told.decode()
