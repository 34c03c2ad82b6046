"""A rolling upgrade over a migration: replicas go, one after the other, from this program to a newer one."""

from __future__ import annotations

import asyncio
import random
import shutil
from pathlib import Path

import kinpost_server
from kinpost_server.store.migrate import SCHEMA_NUMBER
from postgres_server import connected

from torture_kit.troubles import Stage, Trouble
from torture_kit.victim import Victim, pause

STARTS_MAX = 3
BESIDE_SECONDS_MAX = 2.0  # for how long the older and the newer program serve beside each other


def newer_program(folder: Path) -> Path:
    """Make a copy of the service that knows one more migration, and return the folder for PYTHONPATH."""
    source = Path(kinpost_server.__file__).parent
    copy = Path(shutil.copytree(source, folder / "kinpost_server", ignore=shutil.ignore_patterns("__pycache__")))
    migrate = copy / "store" / "migrate.py"
    text = migrate.read_text()
    (line,) = [line for line in text.splitlines() if line.startswith("SCHEMA_NUMBER = ")]
    migrate.write_text(text.replace(line, f"SCHEMA_NUMBER = {SCHEMA_NUMBER + 1}"))
    columns = "".join(
        f'    op.add_column("{table}", sa.Column("note", sa.Text(), nullable=True))\n'
        for table in ("message", "session", "run", "claim", "log")
    )
    (copy / "store" / "migrations" / "versions" / f"{SCHEMA_NUMBER + 1:04}_notes.py").write_text(
        '"""Notes."""\nimport sqlalchemy as sa\nfrom alembic import op\n\n'
        f'revision = "{SCHEMA_NUMBER + 1:04}"\ndown_revision = "{SCHEMA_NUMBER:04}"\n\n\n'
        f"def upgrade() -> None:\n{columns}"
        '    op.create_index("session_note", "session", ["note"])\n'
    )
    return folder


class Upgrade:
    """Once in a run: what is started later is the newer program too."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.trouble = Trouble("a rolling upgrade over a migration", self._upgrade, once=True)

    async def _upgrade(self, stage: Stage, rng: random.Random) -> bool:
        if not self._folder.exists():
            await asyncio.to_thread(newer_program, self._folder)
        for victim in stage.victims:
            async with victim.lock:
                await victim.stop()
                victim.settings["PYTHONPATH"] = str(self._folder)
                if not await self._is_started(victim):
                    return False
            await pause(rng.uniform(0, BESIDE_SECONDS_MAX), stage.go_on)
        return await asyncio.to_thread(_schema_number, stage.database_url) == SCHEMA_NUMBER + 1

    @staticmethod
    async def _is_started(victim: Victim) -> bool:
        for _ in range(STARTS_MAX):
            if await victim.start():
                return True
        return False


def _schema_number(url: str) -> int:
    with connected(url) as connection:
        (number,) = connection.execute("SELECT schema_number FROM log").fetchone() or (0,)
    return int(number)
