"""The installed command against a real server on loopback."""

import pytest
from commands import CommandLine


@pytest.fixture
def kinpost(server, tmp_path) -> CommandLine:
    """The command line of the server's own machine: it finds the admin's token in the data folder."""
    return CommandLine(tmp_path, server.address, server.folder)
