"""The ritual of a protocol version: raise it, or release a draft, in one go or not at all."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from contract.breaking import check_breaking
from contract.changes import changes
from contract.checkout import Checkout, ToolError, scratch_folder
from contract.descriptors import compile_contract
from contract.generation import generate
from contract.releases import Record, read_records, write_record

_UNRELEASED = "## [Unreleased]"
_CHANGED = "### Changed\n"


def changelog_with(text: str, version: int, changed: list[str]) -> str:
    """Returns the changelog with the skeleton of an entry; raises ToolError when it has no place for one."""
    start = text.find(_UNRELEASED)
    if start < 0:
        raise ToolError("CHANGELOG.md has no heading `## [Unreleased]`, under which the entry would go")
    start += len(_UNRELEASED)
    end = text.find("\n## ", start)
    section, rest = (text[start:], "") if end < 0 else (text[start:end], text[end:])
    lines = [f"- `PROTOCOL_VERSION` is {version}. Say here what a client of version {version - 1} sees of it."]
    lines += [f"  - {change}" for change in changed]
    entry = "\n".join(lines) + "\n"
    head, heading, tail = section.partition(_CHANGED)
    if heading:
        section = head + heading + "\n" + entry + tail.removeprefix("\n")
    else:
        section = section.rstrip("\n") + "\n\n" + _CHANGED + "\n" + entry
    return text[:start] + section + rest


def bump(checkout: Checkout, state: str) -> int:
    """Raises the version, records the contract in `state`, and returns the new version; raises ToolError."""
    record = _last_record(checkout)
    if not record.released:
        raise ToolError(
            f"version {record.version} is a draft: change the contract, run scripts/generate-bindings, and then"
            " release it with `scripts/bump-protocol --release`"
        )
    contract = _compile_unbroken(checkout)
    version = record.version + 1
    log = checkout.root / "CHANGELOG.md"
    entry = changelog_with(log.read_text(encoding="utf-8"), version, changes(record.contract, contract))
    number = checkout.proto / "PROTOCOL_VERSION"
    before = number.read_bytes()
    number.write_text(f"{version}\n", encoding="utf-8")
    try:
        generate(checkout)
    except BaseException:
        number.write_bytes(before)
        raise
    write_record(checkout, version, state, contract)
    log.write_text(entry, encoding="utf-8")
    return version


def release(checkout: Checkout) -> int:
    """Makes the draft final and returns its version; raises ToolError when the version is no draft."""
    record = _last_record(checkout)
    if record.released:
        raise ToolError(f"version {record.version} is released already")
    _compile_unbroken(checkout)
    write_record(checkout, record.version, "released", generate(checkout))
    return record.version


def _last_record(checkout: Checkout) -> Record:
    records = read_records(checkout)
    if not records:
        raise ToolError("no version is on record: run scripts/generate-bindings first")
    record = records[max(records)]
    if record.version != checkout.protocol_version():
        raise ToolError(f"proto/PROTOCOL_VERSION must be {record.version}, the last version on record")
    return record


def _compile_unbroken(checkout: Checkout) -> FileDescriptorSet:
    with scratch_folder() as home:
        contract = compile_contract(checkout, home)
        faults = [str(fault) for fault in check_breaking(checkout, contract, home)]
    if faults:
        raise ToolError("\n".join(faults))
    return contract


def main(root: Path) -> int:
    """Does what the arguments say; returns the exit code, 0 when it was done."""
    parser = argparse.ArgumentParser(
        prog="bump-protocol",
        description="Raises PROTOCOL_VERSION for a changed contract: writes the bindings, records the contract"
        " as released, and adds the skeleton of the CHANGELOG entry. proto/README.md tells the rest.",
    )
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--draft", action="store_true", help="leave the new version open to corrections")
    choice.add_argument("--release", action="store_true", help="make the present draft final")
    arguments = parser.parse_args()
    checkout = Checkout(root)
    try:
        if arguments.release:
            print(f"Protocol version {release(checkout)} is released: its contract is fixed from now on.")
        else:
            state = "draft" if arguments.draft else "released"
            version = bump(checkout, state)
            print(f"Protocol version {version} is {state}. What is left to you: its entry in CHANGELOG.md.")
    except ToolError as error:
        print(f"bump-protocol: {error}", file=sys.stderr)
        return 1
    return 0
