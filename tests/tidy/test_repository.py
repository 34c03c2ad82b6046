"""What the repository as a whole keeps to. Each rule is shown a bad sample, so that it is known to bite."""

import re
import tomllib
from collections.abc import Collection, Mapping
from pathlib import PurePosixPath

from packaging.requirements import Requirement

# Put together here, so that this file does not hold what it forbids.
REGISTRY_HOSTS = [
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("yarnpkg", "com"),
        ("deb", "debian", "org"),
        ("crates", "io"),
        ("proxy", "golang", "org"),
        ("buf", "build"),
    )
]
HOME_FOLDERS = ["/" + folder + "/" for folder in ("root", "home", "Users", "work", "workspace", "builds")]
OUTSIDE = re.compile(
    "|".join([*map(re.escape, REGISTRY_HOSTS), *(rf"(?<![\w.~)}}-]){home}\w" for home in HOME_FOLDERS)])
)
PROMISES = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME")) + r")\b")
PIN = re.compile(r"^([a-z0-9-]+)==([^ ;]+)( ; [^\\]+)? \\$")


def outside_addresses(files: Mapping[str, str]) -> list[str]:
    """Lines that name a package registry's host or a place on one machine's disk."""
    return [
        f"{path}:{number}: {found.group()}"
        for path, text in files.items()
        for number, line in enumerate(text.splitlines(), start=1)
        if (found := OUTSIDE.search(line))
    ]


def promises(files: Mapping[str, str]) -> list[str]:
    """Notes of work left for later: it is done, or it is an issue."""
    return [
        f"{path}:{number}: {found.group()}"
        for path, text in files.items()
        for number, line in enumerate(text.splitlines(), start=1)
        if (found := PROMISES.search(line))
    ]


def helpless_targets(files: Mapping[str, str]) -> list[str]:
    """Targets of the Makefile that bare `make` would not list."""
    targets = re.findall(r"^([A-Za-z][\w-]*)\s*:(?!=)(.*)$", files["Makefile"], re.MULTILINE)
    return [f"Makefile: {name} has no help" for name, rest in targets if " ## " not in rest]


def unusable_scripts(files: Mapping[str, str], executable: Collection[str]) -> list[str]:
    """Commands that cannot be run by name. Modules that commands share lie in folders below scripts/."""
    findings = []
    commands = [path for path in files if path == ".ci/run" or PurePosixPath(path).parent.name == "scripts"]
    for path in commands:
        if PurePosixPath(path).suffix:
            findings.append(f"{path}: a command has no extension")
        if path not in executable:
            findings.append(f"{path}: a command is executable")
        if not files[path].startswith("#!/usr/bin/env "):
            findings.append(f"{path}: a command names its interpreter")
    return findings


def unequal_requirements(files: Mapping[str, str]) -> list[str]:
    """Bounds in requirements/run.in that pyproject.toml does not state, and the other way round."""
    pyproject = tomllib.loads(files["pyproject.toml"])
    stated = {
        str(Requirement(line))
        for line in [
            *pyproject["build-system"]["requires"],
            *pyproject["project"]["dependencies"],
            *(line for extra in pyproject["project"]["optional-dependencies"].values() for line in extra),
        ]
    }
    lines = (line.partition("#")[0].strip() for line in files["requirements/run.in"].splitlines())
    pinned = {str(Requirement(line)) for line in lines if line}
    return [
        *(f"requirements/run.in: lacks {line}" for line in sorted(stated - pinned)),
        *(f"pyproject.toml: lacks {line}" for line in sorted(pinned - stated)),
    ]


def pins(text: str) -> dict[str, str]:
    """Name to version of a pinned requirements file."""
    return {found.group(1): found.group(2) for line in text.splitlines() if (found := PIN.match(line))}


def loose_pins(files: Mapping[str, str]) -> list[str]:
    """Lines of the pinned requirements that are no hashed pin, and pins on which the two files differ."""
    findings = []
    for path in ("requirements/run.txt", "requirements/dev.txt"):
        lines = [line for line in files[path].splitlines() if line and not line.lstrip().startswith("#")]
        for line, following in zip(lines, [*lines[1:], ""], strict=True):
            hashed = PIN.match(line) and following.startswith("    --hash=sha256:")
            if not hashed and not line.startswith("    --hash=sha256:"):
                findings.append(f"{path}: not a hashed pin: {line.strip()}")
    developing = pins(files["requirements/dev.txt"])
    findings += [
        f"requirements/dev.txt: {name} is not {version}"
        for name, version in pins(files["requirements/run.txt"]).items()
        if developing.get(name) != version
    ]
    return findings


def unexplained_exemptions(files: Mapping[str, str]) -> list[str]:
    """Exemptions from the linter that give no reason."""
    return [
        f"pyproject.toml: {found.group(1)} is exempt without a reason"
        for line in files["pyproject.toml"].splitlines()
        if (found := re.fullmatch(r'\s+"([A-Z]+[0-9]*)",(.*)', line)) and "#" not in found.group(2)
    ]


def test_no_file_names_a_registry_or_a_machine(repository_files):
    assert outside_addresses(repository_files) == []


def test_a_registry_and_a_machine_path_are_found():
    files = {
        "requirements/run.txt": "--index-url https://" + REGISTRY_HOSTS[0] + "/simple\n",
        "README.md": "cd " + HOME_FOLDERS[0] + "kinpost\n",
        "scripts/demo": "DATA = '" + HOME_FOLDERS[3] + "main'\n",
        "ARCHITECTURE.md": "see server/work/queue and ~/work/kinpost and /var/lib/kinpost\n",
    }
    assert outside_addresses(files) == [
        f"requirements/run.txt:1: {REGISTRY_HOSTS[0]}",
        f"README.md:1: {HOME_FOLDERS[0]}k",
        f"scripts/demo:1: {HOME_FOLDERS[3]}m",
    ]


def test_no_work_is_left_for_later(repository_files):
    assert promises(repository_files) == []


def test_a_promise_is_found():
    word = "TO" + "DO"
    files = {"scripts/bench": f"# {word}: measure\n", "README.md": "a mastodon and a todo list\n"}
    assert promises(files) == [f"scripts/bench:1: {word}"]


def test_bare_make_tells_of_every_target(repository_files):
    assert helpless_targets(repository_files) == []


def test_a_target_without_help_is_found():
    makefile = "OURS := server\ntest: install ## Check\n\tpytest\nsecret: install\n\tpytest\n"
    assert helpless_targets({"Makefile": makefile}) == ["Makefile: secret has no help"]


def test_every_script_can_be_run_by_its_name(repository_files, executable_files):
    assert unusable_scripts(repository_files, executable_files) == []


def test_a_script_that_cannot_be_run_by_its_name_is_found():
    files = {
        "scripts/bench": "#!/usr/bin/env python3\n",
        "scripts/demo.py": "#!/usr/bin/env python3\n",
        "scripts/torture": "import kinpost\n",
        "scripts/contract/schema.py": "import json\n",
    }
    assert unusable_scripts(files, {"scripts/bench", "scripts/demo.py"}) == [
        "scripts/demo.py: a command has no extension",
        "scripts/torture: a command is executable",
        "scripts/torture: a command names its interpreter",
    ]


def test_what_is_pinned_is_what_the_package_requires(repository_files):
    assert unequal_requirements(repository_files) == []


def test_a_bound_stated_in_one_place_only_is_found():
    files = {
        "pyproject.toml": (
            '[build-system]\nrequires = ["hatchling>=1"]\n'
            '[project]\ndependencies = ["grpcio>=1.85,<2"]\n[project.optional-dependencies]\ndemo = []\n'
        ),
        "requirements/run.in": "# why\nhatchling >= 1\ngrpcio>=1.84,<2  # why\n",
    }
    assert unequal_requirements(files) == [
        "requirements/run.in: lacks grpcio<2,>=1.85",
        "pyproject.toml: lacks grpcio<2,>=1.84",
    ]


def test_every_requirement_is_a_hashed_pin_and_both_files_agree(repository_files):
    assert len(pins(repository_files["requirements/run.txt"])) > 20
    assert loose_pins(repository_files) == []


def test_a_loose_pin_is_found():
    hashed = " \\\n    --hash=sha256:00\n"
    files = {
        "requirements/run.txt": f"rich==14.0{hashed}    # via x\nyarl==1.0 ; os_name == 'nt'{hashed}",
        "requirements/dev.txt": f"rich==15.0{hashed}yarl==1.0{hashed}ruff==0.1\nmypy>=1\n--index-url x\n",
    }
    assert loose_pins(files) == [
        "requirements/dev.txt: not a hashed pin: ruff==0.1",
        "requirements/dev.txt: not a hashed pin: mypy>=1",
        "requirements/dev.txt: not a hashed pin: --index-url x",
        "requirements/dev.txt: rich is not 14.0",
    ]


def test_every_exemption_from_the_linter_gives_its_reason(repository_files):
    assert unexplained_exemptions(repository_files) == []


def test_an_exemption_without_a_reason_is_found():
    files = {"pyproject.toml": 'ignore = [\n    "ANN", # mypy\n    "S101",\n    "server/x",\n]\n'}
    assert unexplained_exemptions(files) == ["pyproject.toml: S101 is exempt without a reason"]
