"""The way into a script: the checkout's own interpreter, whatever the caller's path, folder and settings."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def enter(script: str) -> None:
    """Goes on in `.venv/bin/python`, isolated from PYTHON* variables; ends the process when it is missing.

    Returns at once when that is already so. Imports nothing that must be installed: any Python may run this.
    """
    venv = ROOT / ".venv"
    python = venv / "bin" / "python"
    ours = Path(sys.prefix).resolve() == venv.resolve()
    if not (ours and sys.flags.ignore_environment and sys.flags.no_user_site):
        if not python.exists():
            sys.exit(f"{Path(script).name}: .venv is missing: run `make install`")
        command = [str(python), "-E", "-s", "-B", str(Path(script).resolve()), *sys.argv[1:]]
        os.execv(python, command)  # noqa: S606 - no shell is wanted
    # Files are written readable, whatever the caller's mask; and differences may hold any character, whatever
    # the caller's locale.
    os.umask(0o022)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
