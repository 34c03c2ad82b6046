"""The repository as the tidy tests see it."""

import os
import subprocess
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def repository() -> Path:
    """The folder that holds the Makefile."""
    return Path(__file__).parents[2]


@pytest.fixture(scope="session")
def repository_files(repository: Path) -> dict[str, str]:
    """Path to text of each file that is committed or would be: a rule speaks before the commit."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=repository,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    paths = sorted({path for path in listing.split("\0") if path and (repository / path).is_file()})
    return {path: (repository / path).read_text(encoding="utf-8", errors="replace") for path in paths}


@pytest.fixture(scope="session")
def executable_files(repository: Path, repository_files: dict[str, str]) -> set[str]:
    """The paths among them that may be executed."""
    return {path for path in repository_files if os.access(repository / path, os.X_OK)}
