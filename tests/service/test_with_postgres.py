"""`scripts/with-postgres`: a command gets an empty database, ends as it likes, and then all is gone."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import psutil
import pytest
from ledger import came
from postgres_server import HIDDEN, VARIABLE
from sqlalchemy.engine import make_url

LOOK = """
import sys, psycopg
with psycopg.connect(sys.argv[1].replace("+psycopg", "")) as connection:
    (count,) = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
print(sys.argv[1], count)
sys.exit(7)
"""
# It takes longer to end than a program that is interrupted waits for its own.
END_SLOWLY = """
import signal, sys, threading
told = threading.Event()
signal.signal(int(sys.argv[1]), lambda *_: told.set())
print("begun", flush=True)
told.wait()
threading.Event().wait(1.5)
print("ended as it likes", flush=True)
"""


@pytest.fixture
async def start(pytestconfig, postgres_server):
    """Start the script with a command of Python's; on the server of this run, unless it is to start its own."""

    started = []

    async def run(*command: str, own: bool = False):
        environment = {name: value for name, value in os.environ.items() if name != HIDDEN[VARIABLE]}
        if not own:
            environment[VARIABLE] = postgres_server.url.render_as_string(hide_password=False)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, pytestconfig.rootpath / "scripts" / "with-postgres", sys.executable, "-c", *command),
            stdout=asyncio.subprocess.PIPE,
            env=environment,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield run
    for process in started:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()


def is_gone(folder: str) -> bool:
    """Whether a server's folder is no longer there, and nothing runs that was told of it."""
    runs = [one for one in psutil.process_iter(["cmdline"]) if folder in " ".join(one.info["cmdline"] or ())]
    return not runs and not Path(folder).exists()


async def test_the_database_is_empty_and_gone_afterwards_and_the_exit_code_is_the_commands(start, postgres_server):
    process = await start(LOOK, "{url}")
    told, _ = await process.communicate()
    url, tables = told.decode().split()
    assert (process.returncode, tables) == (7, "0")
    assert (make_url(url).database,) not in postgres_server.execute("SELECT datname FROM pg_database")


async def test_a_server_of_its_own_is_gone_afterwards(start):
    process = await start(LOOK, "{url}", own=True)
    told, _ = await process.communicate()
    folder = make_url(told.decode().split()[0]).query["host"]
    assert process.returncode == 7
    await came(lambda: is_gone(folder))  # whoever guards it looks once a second


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
async def test_a_command_that_is_told_to_end_does_so_in_its_own_time(start, number):
    """Ctrl-C is told to both, SIGTERM to the one that was started."""
    process = await start(END_SLOWLY, str(int(number)))
    assert await process.stdout.readline() == b"begun\n"
    if number == signal.SIGINT:
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    told, _ = await process.communicate()
    assert told == b"ended as it likes\n"
    assert process.returncode == 0


async def test_without_a_command_it_says_how_it_is_used(pytestconfig):
    process = await asyncio.create_subprocess_exec(
        sys.executable, pytestconfig.rootpath / "scripts" / "with-postgres", stderr=asyncio.subprocess.PIPE
    )
    _, told = await process.communicate()
    assert process.returncode == 1
    assert b"Usage: scripts/with-postgres COMMAND ARGUMENTS..." in told
