"""Whether the demonstration's second runtime can be a TypeScript one, and what is said when it cannot."""

import json
import shutil

import pytest
from kinpost_demo import node
from kinpost_demo.node import ROOT, RUNTIME, NoNode, is_installed, typescript_command

LOCK = {
    "bindings/typescript": {"name": "@kinpost/protocol"},
    "node_modules/needed": {"integrity": "sha512-a"},
    "node_modules/tool": {"integrity": "sha512-b", "dev": True},
    "node_modules/@kinpost/protocol": {"resolved": "bindings/typescript", "link": True},
}


@pytest.fixture
def checkout(tmp_path):
    """A checkout with what the runtime needs installed, and no tool of a developer."""
    installed = {name: entry for name, entry in LOCK.items() if not entry.get("dev")}
    for name in installed:
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "package.json").write_text("{}")
    (tmp_path / "package-lock.json").write_text(json.dumps({"packages": LOCK}))
    (tmp_path / "node_modules/.package-lock.json").write_text(json.dumps({"packages": installed}))
    (tmp_path / RUNTIME).parent.mkdir(parents=True)
    (tmp_path / RUNTIME).touch()
    return tmp_path


@pytest.fixture
def tool(tmp_path_factory, monkeypatch):
    """Put commands of our own, and no others, where the demonstration looks for them."""
    folder = tmp_path_factory.mktemp("bin")
    monkeypatch.setenv("PATH", str(folder))

    def make(name: str, script: str) -> None:
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)

    return make


def test_what_is_installed_is_not_installed_again(checkout):
    assert is_installed(checkout)


def test_another_version_a_missing_package_and_none_at_all_are_noticed(checkout):
    lock = {**LOCK, "node_modules/needed": {"integrity": "sha512-newer"}}
    (checkout / "package-lock.json").write_text(json.dumps({"packages": lock}))
    assert not is_installed(checkout)
    (checkout / "package-lock.json").write_text(json.dumps({"packages": LOCK}))
    (checkout / "node_modules/needed/package.json").unlink()
    assert not is_installed(checkout)
    shutil.rmtree(checkout / "node_modules")
    assert not is_installed(checkout)


@pytest.mark.parametrize(
    "tools, why",
    [
        ({}, "Node is not installed"),
        ({"node": "echo v20.1.0"}, "npm is not installed"),
        ({"node": "echo v18.19.1", "npm": ""}, "Node 20 or newer is needed, and here is v18.19.1"),
        ({"node": "exit 1", "npm": ""}, "Node 20 or newer is needed, and here is none that runs"),
        ({"node": "echo v20.1.0", "npm": "echo no registry; exit 1"}, "npm ci did not succeed: no registry"),
    ],
)
async def test_why_it_cannot_run_is_said(checkout, tool, tools, why):
    shutil.rmtree(checkout / "node_modules")
    for name, script in tools.items():
        tool(name, script)

    with pytest.raises(NoNode) as missing:
        await typescript_command(checkout)

    assert str(missing.value) == why


async def test_what_is_missing_is_installed_once_as_locked_and_without_the_tools(checkout, tool):
    (checkout / "node_modules/needed/package.json").unlink()
    tool("node", "echo v22.0.0")
    tool("npm", 'echo "$@" >>calls; : >node_modules/needed/package.json')

    for _ in range(2):
        command = await typescript_command(checkout)

    assert command[1] == str(checkout / RUNTIME)
    assert (checkout / "calls").read_text() == "ci --omit=dev --ignore-scripts --loglevel=error\n"


async def test_an_installation_that_takes_too_long_is_ended(checkout, tool, monkeypatch):
    shutil.rmtree(checkout / "node_modules")
    monkeypatch.setattr(node, "INSTALL_SECONDS", 1.0)
    tool("node", "echo v20.1.0")
    tool("npm", "exec /bin/sleep 60")

    with pytest.raises(NoNode, match="takes longer than 1 s"):
        await typescript_command(checkout)


async def test_outside_of_a_checkout_there_is_no_such_runtime(tmp_path):
    with pytest.raises(NoNode, match="no checkout"):
        await typescript_command(tmp_path)
    assert (ROOT / RUNTIME).is_file()
