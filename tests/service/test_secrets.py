"""What users write, and secrets, stay where they belong: in no statement, in no log, in no file of others."""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import sqlite3
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from asking import good_requests, outcome
from by_hand import rows_by_hand
from calls import SERVICES
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from kinpost_server.engine.command import Command
from kinpost_server.engine.gathering import Pending
from kinpost_server.store.postgres_wire import PostgresConnection
from mail import two
from running import LocalServer
from scraping import fetch
from sqlmodel import SQLModel

HOSTILE = "a-text'); DROP TABLE event; --"


class Broken(Command[None]):
    """Breaks, with a body in its hands."""

    def load(self, view: Any) -> None:
        pass

    def decide(self, view: Any) -> None:
        raise KeyError(HOSTILE)


def broken(*_: object) -> None:
    raise ValueError(HOSTILE)


def hostile(request: Message) -> Iterator[Message]:
    """Yield the request as often as it has fields of text, in its parts too, each time with another one hostile."""
    for field in request.DESCRIPTOR.fields:
        changed = type(request)()
        if field.type == FieldDescriptor.TYPE_STRING:
            changed.CopyFrom(request)
            changed.ClearField(field.name)
            value = [HOSTILE] if field.is_repeated else HOSTILE
            changed.MergeFrom(type(request)(**{field.name: value}))
            yield changed
        elif field.type == FieldDescriptor.TYPE_MESSAGE:
            part = field.message_type._concrete_class
            for value in hostile(part()):
                changed.CopyFrom(request)
                changed.MergeFrom(type(request)(**{field.name: [value] if field.is_repeated else value}))
                yield changed


async def ask_everything(server: Any) -> int:
    """Put the hostile text into each field of text of each RPC; return how many requests that took."""
    plugin = await server.make_token("plugin")
    count = 0
    for service, descriptor in SERVICES.items():
        for method in descriptor.methods:
            session = await server.admin.session(rules={"*": "allow"})
            run = await server.admin.run(session)
            fields = good_requests(session.session_id, run.run_id).get((service, method.name))
            if fields is None:
                continue
            client = plugin if service == "producers" else server.admin
            for request in hostile(method.input_type._concrete_class(**fields)):
                answer = await outcome(client, service, method.name, None, request)
                assert not answer.code.startswith(("server:", "storage:")), answer
                count += 1
    return count


async def ask_by_http(server: Any, session: Any) -> None:
    """Put the hostile text wherever a request by HTTP has room for text, and a wrong token beside it."""
    path = f"/sessions/{session.session_id}/peer-message"
    good = {"Authorization": f"Bearer {server.admin_secret}", "X-AMC-Source-Session-Id": session.session_id}
    async with httpx.AsyncClient(base_url=f"http://{server.http_address}", timeout=60) as http:
        for where, headers, body in (
            (path, good, {"text": HOSTILE}),
            (path, good, {"text": "x", HOSTILE: 1}),
            (path, {**good, "X-Client-Request-Id": HOSTILE}, {"text": "x"}),
            (path, {**good, "X-AMC-Source-Session-Id": HOSTILE}, {"text": "x"}),
            (path, {**good, "Authorization": f"Bearer {HOSTILE}"}, {"text": "x"}),
            (path, {**good, "traceparent": HOSTILE}, {"text": "x"}),
            (f"/sessions/{HOSTILE}/peer-message", good, {"text": "x"}),
            (f"/{HOSTILE}", good, {"text": "x"}),
        ):
            assert (await http.post(where, headers=headers, json=body)).status_code < 500


@pytest.fixture
def statements(monkeypatch) -> set[str]:
    """Every text that a driver is given."""
    seen: set[str] = set()

    class Recording(sqlite3.Connection):
        def execute(self, sql: str, *arguments: Any) -> sqlite3.Cursor:
            seen.add(sql)
            return super().execute(sql, *arguments)

    def noted(run: Any) -> Any:
        def run_and_note(connection: Any, sql: str, *arguments: Any) -> Any:
            seen.add(sql)
            return run(connection, sql, *arguments)

        return run_and_note

    monkeypatch.setattr(sqlite3, "connect", functools.partial(sqlite3.connect, factory=Recording))
    for name in ("execute", "execute_plainly"):
        monkeypatch.setattr(PostgresConnection, name, noted(getattr(PostgresConnection, name)))
    return seen


async def test_no_text_of_a_user_is_part_of_a_statement_or_of_the_log(
    tmp_path, storage_url, statements, service_log, caplog
):
    caplog.set_level(logging.DEBUG)
    server = LocalServer(tmp_path / "data", {"log": {"level": "debug"}, "http": {"enabled": True}}, storage_url)
    await server.start()
    session = await server.admin.session()
    assert await ask_everything(server) > 60
    message = await server.admin.user(session, HOSTILE)
    (accepted,) = [
        event.producer_message_accepted
        for event in await server.admin.log(session_id=session.session_id)
        if event.HasField("producer_message_accepted")
    ]
    assert (accepted.message_id, accepted.body) == (message.message_id, HOSTILE)
    await ask_by_http(server, session)
    secrets = [client.secret for client in server.clients]
    metrics = (await fetch(server)).text
    await server.stop()
    assert len(statements) > 20
    assert not [sql for sql in statements if "a-text" in sql]
    assert "SendMessage" in metrics
    # What the test's own client logs of its requests is not the server's.
    of_server = [record for record in caplog.records if record.name.partition(".")[0] not in ("httpx", "httpcore")]
    logged = f"{service_log}{[record.getMessage() for record in of_server]}{metrics}"
    assert not [text for text in ("a-text", *secrets) if text in logged]
    assert not [record for record in of_server if "a-text" in str(record.exc_info)]


async def test_accidents_are_logged_without_their_words(server, service_log, caplog):
    engine = server.engine
    engine._committer.gathering.call(broken)
    engine._submit(Pending(Broken()))
    await engine._committer_idle()
    await server.admin.session()
    by_event = {entry["event"]: entry for entry in service_log}
    assert by_event["committer_fault"]["kinds"] == ["builtins.ValueError"]
    assert by_event["service_command_failed"]["kinds"] == ["builtins.KeyError"]
    assert "test_secrets.py" in by_event["committer_fault"]["where"]
    assert "a-text" not in f"{service_log}{caplog.text}"
    service_log.clear()


@pytest.mark.only("postgres", because="the next test looks at every byte of a file; these are all the rows there are")
async def test_what_is_stored_in_a_database_opens_nothing(server):
    await two(await server.make_token("runtime"))
    secrets = [client.secret for client in server.clients]
    rows = [
        row
        for name in SQLModel.metadata.tables
        for (row,) in rows_by_hand(server.database, f"SELECT row_to_json(r)::text FROM {name} AS r")
    ]
    stored = "\n".join(rows)
    for secret in secrets:
        assert secret.removeprefix("kinpost_") not in stored
        assert hashlib.sha256(secret.encode()).hexdigest() in stored


async def test_what_is_stored_opens_nothing_and_is_its_owners_alone(tmp_path, service_log):
    """In a folder that others may read, too, and over what they left there."""
    folder = tmp_path / "data"
    folder.mkdir(mode=0o755)
    trap = folder / f".admin.token.{os.getpid()}"
    trap.touch(mode=0o666)
    trap.chmod(0o666)
    before = os.umask(0)
    try:
        server = LocalServer(folder, {})
        await server.start()
    finally:
        os.umask(before)
    await two(await server.make_token("runtime"))
    secrets = [client.secret for client in server.clients]
    files = {path.name: path for path in folder.iterdir()}
    assert {name: path.stat().st_mode & 0o777 for name, path in files.items()} == dict.fromkeys(files, 0o600)
    await server.stop()
    assert not trap.exists()
    stored = b"".join(path.read_bytes() for name, path in files.items() if name != "admin.token" and path.exists())
    for secret in secrets:
        assert secret.encode() not in stored
        assert secret.removeprefix("kinpost_").encode() not in stored
        assert hashlib.sha256(secret.encode()).digest() in stored


async def test_a_secret_is_told_once(server):
    """It is 256 random bits, in the answer to CreateToken, and in no list, event or later answer."""
    made = await server.make_token("observer")
    assert len(made.secret.removeprefix("kinpost_")) == 43
    told = f"{await server.admin.admin.ListTokens()}{await server.admin.log(all=True)}"
    revoked = await server.admin.admin.RevokeToken(token_id=made.token_id)
    digest = hashlib.sha256(made.secret.encode())
    for known in (made.secret, digest.hexdigest(), str(digest.digest())):
        assert known not in f"{told}{revoked}"
