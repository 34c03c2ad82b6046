"""The package that a user installs: a real wheel, built as a release would be."""

import subprocess
import sys
import zipfile
from pathlib import PurePosixPath

import pytest

PACKAGES = [
    "server/kinpost_server",
    "clients/kinpost_client",
    "clients/kinpost_cli",
    "clients/kinpost_demo",
    "clients/kinpost_watch",
    "bindings/python/kinpost",
]


@pytest.fixture(scope="module")
def wheel_names(repository, tmp_path_factory) -> set[str]:
    """The names in a freshly built wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)],
        cwd=repository,
        check=True,
        capture_output=True,
    )
    (wheel,) = folder.glob("kinpost-*.whl")
    return set(zipfile.ZipFile(wheel).namelist())


def test_the_wheel_holds_every_file_of_the_packages_and_nothing_else(wheel_names, repository_files):
    ours = {
        str(PurePosixPath(path).relative_to(PurePosixPath(package).parent))
        for package in PACKAGES
        for path in repository_files
        if path.startswith(f"{package}/")
    }
    assert {name for name in wheel_names if ".dist-info/" not in name} == ours


@pytest.mark.parametrize("package", [PurePosixPath(package).name for package in PACKAGES])
def test_every_package_in_the_wheel_says_that_it_is_typed(wheel_names, package):
    assert f"{package}/py.typed" in wheel_names


def test_the_wheel_carries_the_license(wheel_names):
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in wheel_names)
