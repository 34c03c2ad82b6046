"""Where a command calls, and as whom."""

from __future__ import annotations

from pathlib import Path

import pytest
from kinpost_cli.connection import Connection, read_connection
from kinpost_cli.endings import WrongUse


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path) -> Path:
    """The folder in which the command is run: nothing is set, no server was ever there."""
    for name in ("KINPOST_ADDRESS", "KINPOST_TOKEN", "KINPOST_STORAGE__DATA_FOLDER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(address=None, token=None, token_file=None, root_certificates=None, tls=None, seconds=10.0) -> Connection:
    return read_connection(address, token, token_file, root_certificates, tls=tls, seconds=seconds)


def admin_token(folder: Path, secret: str = "the-admins") -> None:
    folder.mkdir(exist_ok=True)
    (folder / "admin.token").write_text(f"{secret}\n")


@pytest.mark.parametrize(
    "given, address",
    [
        (None, "127.0.0.1:7419"),
        ("10.0.0.1", "10.0.0.1:7419"),
        ("post.example:443", "post.example:443"),
        ("[::1]:7419", "[::1]:7419"),
        ("[::1]", "[::1]:7419"),
        ("::1", "[::1]:7419"),
        ("unix:/run/kinpost.sock", "unix:/run/kinpost.sock"),
    ],
)
def test_addresses(given, address):
    assert read(given).address == address


@pytest.mark.parametrize(
    "given", [":7419", "host:", "host:x", "host:0", "host:70000", "http://host:7419", "a/b", "host:１"]
)
def test_what_is_no_address(given):
    with pytest.raises(WrongUse, match="no HOST:PORT"):
        read(given)


def test_the_option_wins_over_the_environment(monkeypatch):
    monkeypatch.setenv("KINPOST_ADDRESS", "10.0.0.1:1")
    assert read().address == "10.0.0.1:1"
    assert read("10.0.0.2:2").address == "10.0.0.2:2"


def test_the_order_of_tokens(monkeypatch, folder):
    assert (read().token, read().token_source) == (None, "none: kinpost-data/admin.token is not there")
    admin_token(folder / "kinpost-data")
    assert (read().token, read().token_source) == ("the-admins", "kinpost-data/admin.token")
    admin_token(folder / "elsewhere", "another")
    monkeypatch.setenv("KINPOST_STORAGE__DATA_FOLDER", "elsewhere")
    assert (read().token, read().token_source) == ("another", "elsewhere/admin.token")
    monkeypatch.setenv("KINPOST_TOKEN", "of-the-environment")
    assert (read().token, read().token_source) == ("of-the-environment", "KINPOST_TOKEN")
    (folder / "file").write_text(" of-a-file\n")
    assert read(token_file=Path("file")).token == "of-a-file"
    assert read(token="given").token == "given"


@pytest.mark.parametrize("address", ["10.0.0.1:7419", "post.example:7419", "localhost.example:7419"])
def test_the_local_admins_token_is_shown_to_no_other_machine(folder, address):
    admin_token(folder / "kinpost-data")
    connection = read(address)
    assert connection.token is None
    assert "for servers of this machine only" in connection.token_source


def test_a_folder_in_the_place_of_the_token_is_no_token(folder):
    (folder / "kinpost-data/admin.token").mkdir(parents=True)
    assert read().token is None
    with pytest.raises(WrongUse, match="directory"):
        read(token_file=folder)


def test_certificates_go_with_tls(folder):
    (folder / "roots.pem").write_bytes(b"pem")
    assert read(root_certificates=Path("roots.pem")).root_certificates == b"pem"
    with pytest.raises(WrongUse):
        read(root_certificates=Path("roots.pem"), tls=False)
    with pytest.raises(WrongUse, match="No such file"):
        read(root_certificates=Path("nowhere.pem"))


@pytest.mark.parametrize("seconds", [0, -1, 3601, float("nan"), float("inf")])
def test_a_wait_has_bounds(seconds):
    with pytest.raises(WrongUse):
        read(seconds=seconds)
