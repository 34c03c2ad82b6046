"""The contract is the one on record for its version, and what is released stays as it was."""

import subprocess

import pytest
from contract.checkout import Checkout, scratch_folder
from contract.descriptors import compile_contract
from contract.releases import check_records

SESSION = "proto/kinpost/v1/session.proto"
TOOLS = "proto/kinpost/v1/tool_service.proto"


def faults_of(copy) -> list[str]:
    with scratch_folder() as home:
        checkout = Checkout(copy.root)
        return [str(fault) for fault in check_records(checkout, compile_contract(checkout, home), home)]


def test_the_committed_contract_is_the_one_on_record(copy_of_checkout):
    assert faults_of(copy_of_checkout()) == []


CHANGES = [
    (SESSION, r"^message Session \{$", r"\g<0>\n  string color = 900;", "added field `kinpost.v1.Session.color`"),
    (SESSION, r"^  uint32 depth = 6;$", "", "removed field `kinpost.v1.Session.depth`"),
    (SESSION, r"^  uint32 depth = 6;$", "  uint64 depth = 6;", "changed field `kinpost.v1.Session.depth`"),
    (SESSION, r"^  STARTER_WAKE = 2;$", r"\g<0>\n  STARTER_BELL = 3;", "added value `kinpost.v1.Starter.STARTER_BELL`"),
    (TOOLS, r"^message ListToolsRequest \{$", r"message Extra {}\n\n\g<0>", "added message `kinpost.v1.Extra`"),
    (
        TOOLS,
        r"^  rpc ListTools\(",
        r"  rpc ListMore(ListToolsRequest) returns (ListToolsResponse);\n\g<0>",
        "added rpc `kinpost.v1.ToolService/ListMore`",
    ),
]


@pytest.mark.parametrize("path,pattern,replacement,named", CHANGES)
def test_a_change_of_the_contract_needs_a_new_version(copy, path, pattern, replacement, named):
    copy.edit(path, pattern, replacement)
    (fault,) = faults_of(copy)
    assert fault.startswith(
        f"the contract changed, and PROTOCOL_VERSION is still {copy.version()}, which is released\n"
    )
    assert named in fault
    assert fault.endswith("mend it: scripts/bump-protocol")


def test_a_comment_is_no_change_of_the_contract(copy):
    copy.edit(SESSION, r"^message Session \{$", r"// One more word.\n\g<0>")
    assert faults_of(copy) == []


def test_a_draft_is_written_anew_and_not_raised(copy):
    copy.set_state("draft")
    copy.edit(SESSION, r"^  uint32 depth = 6;$", "")
    (fault,) = faults_of(copy)
    assert fault.startswith(f"the contract changed, and PROTOCOL_VERSION is still {copy.version()}, which is draft\n")
    assert fault.endswith("mend it: scripts/generate-bindings")


def test_a_number_raised_by_hand_is_no_version(copy):
    version = copy.version()
    (copy.root / "proto" / "PROTOCOL_VERSION").write_text(f"{version + 1}\n", encoding="utf-8")
    (fault,) = faults_of(copy)
    assert fault.startswith(f"PROTOCOL_VERSION is {version + 1}, and the last version on record is {version}\n")
    assert fault.endswith(f"mend it: put {version} back into proto/PROTOCOL_VERSION, then scripts/bump-protocol")


def test_a_digest_written_by_hand_is_found(copy):
    """The digest of a changed contract beside the old descriptors does not pass for a record."""
    version = copy.version()
    copy.edit(f"proto/releases/{version}/record.json", r"sha256:\w{8}", "sha256:00000000")
    changed, forged = faults_of(copy)
    assert changed.startswith("the contract changed")
    assert forged.startswith(f"proto/releases/{version}: the digest is not that of the descriptors beside it")


def test_only_the_last_version_may_be_a_draft(copy):
    version = copy.version()
    assert copy.versions()[-2:] == [version - 1, version]
    copy.set_state("draft", version - 1)
    (fault,) = faults_of(copy)
    assert fault.startswith(f"proto/releases/{version - 1} is a draft, and {version} came after it")


def git(copy, *arguments):
    identity = ["-c", "user.name=A Person", "-c", "user.email=person@example.invalid", "-c", "core.hooksPath=/dev/null"]
    subprocess.run(["git", *identity, *arguments], cwd=copy.root, check=True, capture_output=True)


def test_a_release_taken_back_is_known_by_its_commit(copy):
    """Without history a record speaks for itself; with it, the commit that released a version is heard too."""
    git(copy, "init", "--quiet")
    git(copy, "add", "proto")
    git(copy, "commit", "--quiet", "--message", "release")
    assert faults_of(copy) == []
    copy.set_state("draft")
    git(copy, "commit", "--quiet", "--all", "--message", "take it back")
    (fault,) = faults_of(copy)
    assert fault.startswith(f"proto/releases/{copy.version()} differs from what was released under its number")


def test_a_clone_without_history_is_checked_all_the_same(copy, tmp_path):
    git(copy, "init", "--quiet")
    git(copy, "add", "proto")
    git(copy, "commit", "--quiet", "--message", "release")
    clone = type(copy)(tmp_path / "clone")
    git(copy, "clone", "--quiet", "--depth=1", copy.root.as_uri(), str(clone.root))
    (clone.root / ".venv").symlink_to(copy.root / ".venv")
    assert faults_of(clone) == []
    clone.edit(SESSION, r"^  uint32 depth = 6;$", "")
    (fault,) = faults_of(clone)
    assert "removed field `kinpost.v1.Session.depth`" in fault
