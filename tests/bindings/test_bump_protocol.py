"""`scripts/bump-protocol`: the ritual of a version, in one go or not at all."""

import pytest
from contract.bumping import changelog_with
from contract.checkout import ToolError

pytestmark = pytest.mark.timeout(600)  # tools of three languages, on a machine that may be busy

SESSION = "proto/kinpost/v1/session.proto"


def test_a_changed_contract_fails_until_it_is_bumped(copy):
    version = copy.version()
    copy.edit(SESSION, r"^message Session \{$", r"\g<0>\n  // What people see.\n  optional string color = 900;")

    done = copy.run("generate-bindings")
    assert f"The contract is not the released version {version} any more" in done.stdout
    done = copy.run("check-bindings")
    assert done.returncode == 1
    assert [line for line in done.stdout.splitlines() if not line.startswith(" ")] == [
        f"the contract changed, and PROTOCOL_VERSION is still {version}, which is released",
        "check-bindings: 1 fault",
    ]
    assert copy.record(version)["state"] == "released"

    done = copy.run("bump-protocol")
    assert (done.returncode, done.stdout) == (
        0,
        f"Protocol version {version + 1} is released. What is left to you: its entry in CHANGELOG.md.\n",
    )
    assert copy.version() == version + 1
    assert copy.record(version + 1)["state"] == "released"
    assert copy.record(version + 1)["digest"] != copy.record(version)["digest"]
    log = (copy.root / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"- `PROTOCOL_VERSION` is {version + 1}." in log
    assert "  - added field `kinpost.v1.Session.color`\n" in log
    for constant in (
        "bindings/python/kinpost/v1/version.py",
        "bindings/betterproto/kinpost_betterproto/version.py",
        "bindings/jsonschema/kinpost_jsonschema/version.py",
        "bindings/typescript/src/version.ts",
        "bindings/typescript/dist/version.js",
        "bindings/jsonschema/kinpost_jsonschema/schemas/index.json",
    ):
        assert str(version + 1) in (copy.root / constant).read_text(encoding="utf-8"), constant

    done = copy.run("check-bindings")
    assert (done.returncode, done.stdout) == (
        0,
        f"bindings/ agrees with the contract, protocol version {version + 1}\n",
    )


def test_a_break_is_not_bumped(copy):
    copy.edit(SESSION, r"^  uint32 depth = 6;$", "  reserved 6;")
    before = copy.fingerprint()
    done = copy.run("bump-protocol")
    assert done.returncode == 1
    assert f"the contract breaks version {copy.version()}" in done.stdout
    assert copy.fingerprint() == before


def test_a_draft_may_change_until_it_is_released(copy):
    version = copy.version()
    copy.edit(SESSION, r"^message Session \{$", r"\g<0>\n  string color = 900;")
    assert copy.run("bump-protocol", "--draft").returncode == 0
    assert copy.record(version + 1)["state"] == "draft"
    drafted = copy.record(version + 1)["digest"]

    copy.edit(SESSION, r"^  string color = 900;$", "  string colour = 900;")
    refused = copy.run("bump-protocol")
    assert refused.returncode == 1
    assert f"version {version + 1} is a draft" in refused.stdout

    done = copy.run("bump-protocol", "--release")
    assert (done.returncode, done.stdout) == (
        0,
        f"Protocol version {version + 1} is released: its contract is fixed from now on.\n",
    )
    assert copy.record(version + 1)["state"] == "released"
    assert copy.record(version + 1)["digest"] != drafted
    again = copy.run("bump-protocol", "--release")
    assert (again.returncode, again.stdout) == (1, f"bump-protocol: version {version + 1} is released already\n")


def test_a_number_raised_by_hand_is_not_raised_again(copy):
    version = copy.version()
    (copy.root / "proto" / "PROTOCOL_VERSION").write_text(f"{version + 1}\n", encoding="utf-8")
    done = copy.run("bump-protocol")
    assert (done.returncode, done.stdout) == (
        1,
        f"bump-protocol: proto/PROTOCOL_VERSION must be {version}, the last version on record\n",
    )


LOGS = {
    "no section yet": ("# Log\n\n## [Unreleased]\n", "# Log\n\n## [Unreleased]\n\n### Changed\n\n{entry}"),
    "another section": (
        "## [Unreleased]\n\n### Added\n\n- A thing.\n\n## [0.1.0]\n\n### Changed\n\n- Old.\n",
        "## [Unreleased]\n\n### Added\n\n- A thing.\n\n### Changed\n\n{entry}\n## [0.1.0]\n\n### Changed\n\n- Old.\n",
    ),
    "the section": (
        "## [Unreleased]\n\n### Changed\n\n- A thing.\n\n## [0.1.0]\n",
        "## [Unreleased]\n\n### Changed\n\n{entry}- A thing.\n\n## [0.1.0]\n",
    ),
}


@pytest.mark.parametrize("before,after", LOGS.values(), ids=LOGS)
def test_the_entry_goes_under_what_is_unreleased(before, after):
    entry = (
        "- `PROTOCOL_VERSION` is 20. Say here what a client of version 19 sees of it.\n"
        "  - added field `kinpost.v1.Session.color`\n"
    )
    assert changelog_with(before, 20, ["added field `kinpost.v1.Session.color`"]) == after.format(entry=entry)


def test_a_log_without_a_place_for_the_entry_is_refused():
    with pytest.raises(ToolError, match="Unreleased"):
        changelog_with("# Log\n", 20, [])
