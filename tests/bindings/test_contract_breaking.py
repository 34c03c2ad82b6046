"""Nothing since the last release breaks the wire, the JSON form, or the reading of old event logs."""

import shutil

import pytest
from contract.breaking import check_breaking
from contract.checkout import Checkout, scratch_folder
from contract.descriptors import compile_contract

SESSION = "proto/kinpost/v1/session.proto"
EVENT = "proto/kinpost/v1/event.proto"
TOOLS = "proto/kinpost/v1/tool_service.proto"
RUNS = "proto/kinpost/v1/run_service.proto"


def faults_of(copy) -> list[str]:
    with scratch_folder() as home:
        checkout = Checkout(copy.root)
        return [str(fault) for fault in check_breaking(checkout, compile_contract(checkout, home), home)]


BREAKS = {
    "a field removed": (SESSION, r"^  uint32 depth = 6;$", "", "depth"),
    "a field removed and its number reserved": (SESSION, r"^  uint32 depth = 6;$", "  reserved 6;", "depth"),
    "a field renamed (its JSON name)": (SESSION, r"^  uint32 depth = 6;$", "  uint32 level = 6;", "depth"),
    "a field renumbered": (SESSION, r"^  uint32 depth = 6;$", "  uint32 depth = 906;", "depth"),
    "a field retyped": (SESSION, r"^  uint32 depth = 6;$", "  string depth = 6;", "uint32"),
    "a field's presence changed": (SESSION, r"^  uint32 depth = 6;$", "  optional uint32 depth = 6;", "depth"),
    "a field made repeated": (SESSION, r"^  uint32 depth = 6;$", "  repeated uint32 depth = 6;", "depth"),
    "a field moved into a oneof": (
        SESSION,
        r"^  uint32 depth = 6;$",
        "  oneof place {\n    uint32 depth = 6;\n  }",
        "depth",
    ),
    "an enum value removed": (SESSION, r"^  STARTER_WAKE = 2;$", "", "Starter"),
    "an enum value renamed": (SESSION, r"^  STARTER_WAKE = 2;$", "  STARTER_BELL = 2;", "STARTER_WAKE"),
    "an event payload removed": (EVENT, r"^    WakeSettled wake_settled = 83;$", "", "wake_settled"),
    "an event payload moved out of its oneof": (
        EVENT,
        r"^    PeerDeadLetterRedelivered peer_dead_letter_redelivered = 142;\n  \}$",
        "  }\n  PeerDeadLetterRedelivered peer_dead_letter_redelivered = 142;",
        "peer_dead_letter_redelivered",
    ),
    "a message renamed": (EVENT, r"^message SessionUnqueued \{$", "message Unqueued {", "SessionUnqueued"),
    "an RPC removed": (TOOLS, r"^  rpc ListTools\(.*;$", "", "ListTools"),
    "an RPC that streams no more": (
        RUNS,
        r"returns \(stream AttachRuntimeResponse\)",
        "returns (AttachRuntimeResponse)",
        "AttachRuntime",
    ),
}


@pytest.mark.parametrize("path,pattern,replacement,named", BREAKS.values(), ids=BREAKS)
def test_what_breaks_a_release_is_named(copy, path, pattern, replacement, named):
    copy.edit(path, pattern, replacement)
    if named == "SessionUnqueued":
        copy.edit(EVENT, r"^    SessionUnqueued ", "    Unqueued ")
    (fault,) = faults_of(copy)
    assert fault.startswith(f"the contract breaks version {copy.version()}: its wire, its JSON form or its event logs")
    assert named in fault


ADDITIONS = {
    "a field": (SESSION, r"^message Session \{$", r"\g<0>\n  string color = 900;"),
    "an optional field": (SESSION, r"^message Session \{$", r"\g<0>\n  optional string color = 900;"),
    "an enum value": (SESSION, r"^  STARTER_WAKE = 2;$", r"\g<0>\n  STARTER_BELL = 3;"),
    "an event payload": (EVENT, r"^    WakeSettled wake_settled = 83;$", r"\g<0>\n    SessionDeleted again = 999;"),
    "a message": (TOOLS, r"^message ListToolsRequest \{$", r"message Extra {}\n\n\g<0>"),
    "an RPC": (TOOLS, r"^  rpc ListTools\(", r"  rpc ListMore(ListToolsRequest) returns (ListToolsResponse);\n\g<0>"),
}


@pytest.mark.parametrize("path,pattern,replacement", ADDITIONS.values(), ids=ADDITIONS)
def test_an_addition_breaks_nothing(copy, path, pattern, replacement):
    copy.edit(path, pattern, replacement)
    assert faults_of(copy) == []


def test_a_draft_alone_has_nothing_to_break(copy):
    for version in copy.versions():
        if version != copy.version():
            shutil.rmtree(copy.root / f"proto/releases/{version}")
    copy.set_state("draft")
    copy.edit(SESSION, r"^  uint32 depth = 6;$", "")
    assert faults_of(copy) == []


def test_no_settings_of_the_checkout_loosen_the_rules(copy):
    (copy.root / "buf.yaml").write_text('version: v2\nbreaking:\n  use: []\n  ignore: ["proto"]\n', encoding="utf-8")
    copy.edit(SESSION, r"^  uint32 depth = 6;$", "")
    assert len(faults_of(copy)) == 1
