"""The installed command against a real server on loopback."""

from collections.abc import AsyncIterator

import pytest
from commands import CommandLine


@pytest.fixture
async def kinpost(server, tmp_path) -> AsyncIterator[CommandLine]:
    """The command line of the server's own machine: it finds the admin's token in the data folder."""
    async with CommandLine(tmp_path, server.address, server.folder) as made:
        yield made
