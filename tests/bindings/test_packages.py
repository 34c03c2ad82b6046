"""Each folder of bindings/ installs as it is, and the example of its README runs."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BINDINGS = ROOT / "bindings"
VERSION = int((ROOT / "proto/PROTOCOL_VERSION").read_text(encoding="utf-8"))
PYTHON = {"python": "kinpost", "betterproto": "kinpost_betterproto", "jsonschema": "kinpost_jsonschema"}

pytestmark = pytest.mark.timeout(600)


def example(folder: str, language: str) -> str:
    text = (BINDINGS / folder / "README.md").read_text(encoding="utf-8")
    (found,) = re.findall(rf"^```{language}$\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return found


@pytest.mark.parametrize("folder", PYTHON)
def test_a_python_binding_installs_and_its_example_runs(folder, copy_of_checkout, tmp_path):
    source = copy_of_checkout().root / "bindings" / folder
    target = tmp_path / "installed"
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"]
    install = [sys.executable, "-m", "pip", "install", *options, f"--target={target}", str(source)]
    subprocess.run(install, check=True, cwd=tmp_path)
    package = target / PYTHON[folder]
    installed = {path.relative_to(package) for path in package.rglob("*") if path.suffix not in {"", ".pyc"}}
    committed = {path.relative_to(source / PYTHON[folder]) for path in (source / PYTHON[folder]).rglob("*.*")}
    assert installed == committed
    assert (package / "py.typed").exists()
    code = f"import sys; sys.path.insert(0, {str(target)!r})\n{example(folder, 'python')}"
    done = subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path, capture_output=True, encoding="utf-8")
    assert done.stdout.startswith(f"protocol {VERSION}: ")


def test_the_typescript_binding_installs_and_its_example_compiles_and_runs(copy_of_checkout, tmp_path):
    """From the archive that npm makes of the folder, with nothing built on the way."""
    source = copy_of_checkout().root / "bindings/typescript"
    environment = {**os.environ, "npm_config_cache": str(tmp_path / "cache"), "npm_config_offline": "true"}
    pack = ["npm", "pack", "--silent", f"--pack-destination={tmp_path}"]
    name = subprocess.run(pack, check=True, cwd=source, env=environment, capture_output=True, encoding="utf-8").stdout
    project = tmp_path / "project"
    package = project / "node_modules/@kinpost/protocol"
    package.mkdir(parents=True)
    unpack = ["tar", "--extract", f"--file={tmp_path / name.strip()}", "--strip-components=1"]
    subprocess.run([*unpack, f"--directory={package}"], check=True)
    (project / "node_modules/@bufbuild").symlink_to(ROOT / "node_modules/@bufbuild")
    settings = {
        "compilerOptions": {
            "strict": True,
            "module": "NodeNext",
            "target": "ES2022",
            "types": [],
            "lib": ["ES2022", "DOM"],
        }
    }
    (project / "tsconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    (project / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    (project / "example.ts").write_text(example("typescript", "typescript"), encoding="utf-8")
    subprocess.run([str(ROOT / "node_modules/.bin/tsc"), "--project", "."], check=True, cwd=project)
    done = subprocess.run(["node", "example.js"], check=True, cwd=project, capture_output=True, encoding="utf-8")
    assert done.stdout == f"protocol {VERSION}: found it for explore_1a2b3c4d\n"


def test_the_typescript_package_asks_for_what_the_lock_has():
    package = json.loads((BINDINGS / "typescript/package.json").read_text(encoding="utf-8"))
    lock = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert package["dependencies"] == {"@bufbuild/protobuf": lock["node_modules/@bufbuild/protobuf"]["version"]}


def test_the_lock_names_no_host():
    lock = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    resolved = {name: entry["resolved"] for name, entry in lock.items() if "resolved" in entry}
    assert all(lock[name].get("link") and (ROOT / place).is_dir() for name, place in resolved.items())
    assert all(
        "integrity" in entry
        for name, entry in lock.items()
        if name.startswith("node_modules/") and not entry.get("link")
    )
