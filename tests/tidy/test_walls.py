"""The walls of pyproject.toml hold: the real contracts, on a small house with one bad import."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOMS = ["domain", "engine", "store", "transport"]


@pytest.fixture
def house(repository, tmp_path) -> Path:
    """The four rooms and two clients, empty, under the repository's own contracts."""
    shutil.copy(repository / "pyproject.toml", tmp_path)
    for package in [
        *(f"server/kinpost_server/{room}" for room in ROOMS),
        "server/kinpost_server",
        "clients/kinpost_client",
        "clients/kinpost_cli",
        "clients/kinpost_demo",
        "clients/kinpost_watch",
        "bindings/python/kinpost",
    ]:
        (tmp_path / package).mkdir(parents=True, exist_ok=True)
        (tmp_path / package / "__init__.py").touch()
    return tmp_path


def judge(house: Path) -> subprocess.CompletedProcess[str]:
    """Run the contracts on that house."""
    folders = [str(house / folder) for folder in ("server", "clients", "bindings/python")]
    return subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-logo", "--no-cache"],
        cwd=house,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_empty_house_keeps_every_contract(house):
    assert judge(house).returncode == 0


@pytest.mark.parametrize(
    "importer, imported",
    [
        ("kinpost_server.domain", "kinpost_server.engine"),
        ("kinpost_server.domain", "sqlmodel"),
        ("kinpost_server.engine", "kinpost_server.store"),
        ("kinpost_server.engine", "kinpost"),
        ("kinpost_server.engine", "google.protobuf"),
        ("kinpost_server.engine", "sqlalchemy"),
        ("kinpost_server.engine", "kinpost_server.settings"),
        ("kinpost_server.store", "kinpost_server.transport"),
        ("kinpost_server.store", "grpc"),
        ("kinpost_server.transport", "kinpost_server.store"),
        ("kinpost_server.transport", "kinpost_server.main"),
        ("kinpost_server.transport", "alembic"),
        ("kinpost_server.engine", "fastapi"),
        ("kinpost_server.engine", "prometheus_client"),
        ("kinpost_server.store", "opentelemetry"),
        ("kinpost_server.store", "uvicorn"),
        ("kinpost_server.main", "kinpost_client"),
        ("kinpost_client", "kinpost_server.domain"),
        ("kinpost_client", "kinpost_cli"),
        ("kinpost_cli", "kinpost_server.main"),
        ("kinpost_demo", "kinpost_server.main"),
        ("kinpost_client", "kinpost_demo"),
        ("kinpost_server.main", "kinpost_demo"),
        ("kinpost_watch", "kinpost_server.engine"),
        ("kinpost_watch", "kinpost_cli"),
        ("kinpost_client", "kinpost_watch"),
        ("kinpost_server.main", "kinpost_watch"),
    ],
)
def test_a_forbidden_import_is_named(house, importer, imported):
    for module in ("main", "settings"):
        (house / f"server/kinpost_server/{module}.py").touch()
    top = "server" if importer.startswith("kinpost_server") else "clients"
    folder = house / top / importer.replace(".", "/")
    offender = folder / "offender.py" if folder.is_dir() else folder.with_suffix(".py")
    offender.write_text(f"import {imported}\n")

    judged = judge(house)

    assert judged.returncode == 1
    module = f"{importer}.offender" if folder.is_dir() else importer
    assert f"{module} -> {imported.removesuffix('.protobuf')} (l.1)" in judged.stdout


def test_a_module_without_a_place_is_named(house):
    (house / "server/kinpost_server/stray.py").touch()

    judged = judge(house)

    assert judged.returncode == 1
    assert "- kinpost_server.stray" in judged.stdout
