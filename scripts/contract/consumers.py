"""Uses the committed bindings as their users do: compiles, imports and type-checks them, in copies."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from contract.checkout import Checkout, ToolError
from contract.fault import GENERATE, Fault
from contract.typescript_binding import compile_typescript

PYTHON_PACKAGES = {
    "kinpost": "python",
    "kinpost_betterproto": "betterproto",
    "kinpost_jsonschema": "jsonschema",
}

# betterproto's own modules, which its compiler copies into its output, are not written for strict checking.
_MYPY_SETTINGS = """
[mypy]
strict = true
python_version = 3.11
[mypy-kinpost_betterproto.google.*]
ignore_errors = true
[mypy-kinpost_betterproto.message_pool]
disallow_untyped_calls = false
[mypy-dateutil.*]
ignore_missing_imports = true
"""

# Imports every module of every package, from this folder and from nowhere else, and reads every schema.
_IMPORT_ALL = """
import importlib, pathlib, sys
from jsonschema import Draft202012Validator
here = pathlib.Path.cwd()
sys.path.insert(0, str(here))
for path in sorted(here.rglob("*.py")):
    name = ".".join(path.relative_to(here).with_suffix("").parts).removesuffix(".__init__")
    module = importlib.import_module(name)
    assert pathlib.Path(module.__file__).resolve().is_relative_to(here), f"{name} came from {module.__file__}"
import kinpost_jsonschema as schemas
for schema in [schemas.event_schema(), *schemas.payload_schemas().values(), *schemas.tool_schemas().values()]:
    Draft202012Validator.check_schema(schema)
"""


def check_typescript(checkout: Checkout, home: Path) -> list[Fault]:
    """Returns a fault when the committed TypeScript does not compile."""
    source = checkout.bindings / "typescript" / "src"
    what = "bindings/typescript does not compile"
    return _tried(what, lambda: compile_typescript(checkout, source, home / "dist", home))


def check_imports(checkout: Checkout, home: Path) -> list[Fault]:
    """Returns a fault when a module of the committed Python packages cannot be imported, or a schema is none."""
    command = [*_python(checkout), "-c", _IMPORT_ALL]
    return _tried("the Python bindings do not import", lambda: checkout.run(command, _copied(checkout, home), home))


def check_types(checkout: Checkout, home: Path) -> list[Fault]:
    """Returns a fault when the committed Python packages do not pass `mypy --strict`."""
    settings = home / "mypy.ini"
    settings.write_text(_MYPY_SETTINGS, encoding="utf-8")
    options = ["--cache-dir=/dev/null", f"--config-file={settings}", "--no-error-summary"]
    command = [*_python(checkout), "-m", "mypy", *options, *(f"--package={name}" for name in PYTHON_PACKAGES)]
    return _tried("the Python bindings do not type-check", lambda: checkout.run(command, _copied(checkout, home), home))


def _python(checkout: Checkout) -> list[str]:
    return [checkout.tool("python"), "-E", "-s", "-B"]


def _copied(checkout: Checkout, home: Path) -> Path:
    """The committed packages side by side in one folder; one that is missing stays so."""
    packages = home / "packages"
    packages.mkdir()
    for package, folder in PYTHON_PACKAGES.items():
        source = checkout.bindings / folder / package
        if source.exists():
            shutil.copytree(source, packages / package, ignore=shutil.ignore_patterns("__pycache__"))
    return packages


def _tried(what: str, use: Callable[[], object]) -> list[Fault]:
    try:
        use()
    except (ToolError, OSError) as error:
        return [Fault(what, str(error), GENERATE)]
    return []
