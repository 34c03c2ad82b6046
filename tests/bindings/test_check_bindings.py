"""`scripts/check-bindings`: what it names, and that nothing around it can fool it."""

import os
import shutil
from pathlib import Path

import pytest

pytestmark = pytest.mark.timeout(600)  # tools of three languages, on a machine that may be busy

VERSION_MODULE = "bindings/python/kinpost/v1/version.py"


def test_the_committed_bindings_pass_wherever_the_check_is_run(copy_of_checkout, tmp_path):
    """From another folder, with an odd mask, locale and path, among the settings of a stranger, without history."""
    copy = copy_of_checkout()
    parent = copy.root.parent
    for name, text in {
        "ruff.toml": 'line-length = 40\n[format]\nquote-style = "single"\nindent-style = "tab"\n',
        "pyproject.toml": "[tool.ruff]\nline-length = 40\n[tool.mypy]\nplugins = ['nowhere']\n",
        "mypy.ini": "[mypy]\nplugins = nowhere\n",
        "tsconfig.json": "{ this is no JSON",
        "package.json": '{"type": "commonjs"}',
        "buf.yaml": "version: v9\n",
        ".npmrc": "ignore-scripts=maybe\n",
        "node_modules/@types/nowhere/index.d.ts": "declare const broken: Nowhere;\n",
        "python/google/__init__.py": "raise ImportError('the wrong package')\n",
        "home/.config/ruff/ruff.toml": "line-length = 40\n",
        "bin/ruff": "#!/bin/sh\nexit 7\n",
        "bin/protoc-gen-es": "#!/bin/sh\nexit 7\n",
    }.items():
        place = parent / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        place.chmod(0o755)
    hostile = {
        "HOME": str(parent / "home"),
        "PATH": f"{parent / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(parent / "python"),
        "PYTHONHASHSEED": "7",
        "PYTHONIOENCODING": "ascii",
        "LC_ALL": "tr_TR.ISO-8859-9",
        "NODE_OPTIONS": "--require=/nowhere.js",
        "MYPYPATH": str(parent / "python"),
        "TMPDIR": str(tmp_path),
    }
    before = copy.fingerprint()
    done = copy.run("check-bindings", cwd="/", env={**os.environ, **hostile}, umask=0o777)
    assert done.stdout.startswith(f"bindings/ agrees with the contract, protocol version {copy.version()}"), done.stdout
    assert done.returncode == 0
    assert copy.fingerprint() == before
    assert [path.name for path in Path(tmp_path).iterdir()] == ["parent"]


def test_what_was_done_by_hand_is_named(copy):
    """Files edited, deleted and added, in each binding; code that does not compile, import or type-check."""
    root = copy.root
    edited = root / VERSION_MODULE
    edited.write_text(edited.read_text(encoding="utf-8") + 'raise RuntimeError("édité")\n', encoding="utf-8")
    typed = root / "bindings/betterproto/kinpost_betterproto/version.py"
    typed.write_text(typed.read_text(encoding="utf-8") + 'NUMBER: int = "nineteen"\n', encoding="utf-8")
    index = root / "bindings/typescript/src/index.ts"
    index.write_text(index.read_text(encoding="utf-8") + 'export const wrong: number = "nineteen";\n', encoding="utf-8")
    (root / "bindings/jsonschema/kinpost_jsonschema/schemas/events/WakeSettled.schema.json").unlink()
    (root / "tests/bindings/vectors/tool.json").unlink()
    (root / "bindings/typescript/dist/kinpost/v1/extra.js").write_text("", encoding="utf-8")
    (root / "bindings/python/stray").mkdir()
    (root / "bindings/python/stray/__init__.py").write_text("", encoding="utf-8")
    (root / "bindings/jsonschema/README.md").unlink()
    shutil.rmtree(root / "bindings/betterproto/kinpost_betterproto/google")
    before = copy.fingerprint()

    done = copy.run("check-bindings", env={**os.environ, "LC_ALL": "C"})

    assert done.returncode == 1
    lines = done.stdout.splitlines()
    named = [line for line in lines if line and not line.startswith(" ")]
    assert named == [
        "missing: bindings/betterproto/kinpost_betterproto/google/__init__.py",
        "missing: bindings/betterproto/kinpost_betterproto/google/protobuf/__init__.py",
        "missing: bindings/jsonschema/kinpost_jsonschema/schemas/events/WakeSettled.schema.json",
        "changed: bindings/betterproto/kinpost_betterproto/version.py",
        f"changed: {VERSION_MODULE}",
        "changed: bindings/typescript/src/index.ts",
        "extra: bindings/python/stray/__init__.py",
        "extra: bindings/typescript/dist/kinpost/v1/extra.js",
        "missing: bindings/jsonschema/README.md",
        "missing: tests/bindings/vectors/tool.json",
        "bindings/typescript does not compile",
        "the Python bindings do not type-check",
        "the Python bindings do not import",
        "check-bindings: 13 faults",
    ]
    changed = lines.index(f"changed: {VERSION_MODULE}")
    assert '    -raise RuntimeError("édité")' in lines[changed : changed + 6]
    assert "    mend it: scripts/generate-bindings" in lines[changed : changed + 7]
    assert "    mend it: git rm bindings/python/stray/__init__.py" in lines
    assert any("TS2322" in line for line in lines), "the compiler's own words"
    assert any('Incompatible types in assignment (expression has type "str"' in line for line in lines)
    assert copy.fingerprint() == before


def test_generating_mends_what_was_done_by_hand(copy):
    """The record of a draft too, which follows the contract."""
    copy.set_state("draft")
    before = {path: content for path, (_, _, content) in copy.fingerprint().items()}
    (copy.root / VERSION_MODULE).write_text("PROTOCOL_VERSION = 20\n", encoding="utf-8")
    (copy.root / "bindings/typescript/src/extra.ts").write_text("export {};\n", encoding="utf-8")
    shutil.rmtree(copy.root / "bindings/jsonschema/kinpost_jsonschema")
    copy.edit(f"proto/releases/{copy.version()}/record.json", r"sha256:\w{8}", "sha256:00000000")
    done = copy.run("generate-bindings", cwd="/", umask=0o077)
    assert (done.returncode, done.stdout.count("\n")) == (0, 1), done.stdout
    assert {path: content for path, (_, _, content) in copy.fingerprint().items()} == before


def test_a_contract_that_does_not_compile_is_named_and_nothing_is_written(copy):
    copy.edit("proto/kinpost/v1/session.proto", r"^  uint32 depth = 6;$", "  Nowhere depth = 6;")
    before = copy.fingerprint()
    for script in ("check-bindings", "generate-bindings", "bump-protocol"):
        done = copy.run(script)
        assert done.returncode == 1
        assert '"Nowhere" is not defined' in done.stdout
    assert copy.fingerprint() == before


@pytest.mark.parametrize("missing,advice", [(".venv", "make install"), ("node_modules", "make node_modules")])
def test_without_its_tools_a_script_says_what_to_run(copy, missing, advice):
    (copy.root / missing).unlink()
    done = copy.run("generate-bindings")
    assert done.returncode == 1
    assert advice in done.stdout
