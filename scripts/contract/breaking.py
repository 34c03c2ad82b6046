"""Holds the contract to its last release: the wire, the JSON form, and the reading of old event logs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from contract.checkout import Checkout, ToolError
from contract.descriptors import digest
from contract.fault import Fault
from contract.releases import read_records

# The strictest set, given here so that no settings file can loosen it. It contains the sets for the wire and
# for JSON. A field that is removed, renumbered, renamed, retyped, or moved into or out of a oneof is a break;
# so is a message that leaves its file, since Python imports by file.
_RULES = '{"version":"v2","breaking":{"use":["FILE"]}}'


def check_breaking(checkout: Checkout, contract: FileDescriptorSet, home: Path) -> Iterator[Fault]:
    """Gives a fault when the contract breaks the newest release that is not the contract itself."""
    now = digest(contract)
    older = [record for record in read_records(checkout).values() if record.released and record.digest != now]
    if not older:
        return
    release = older[-1]
    old, new = home / "release.binpb", home / "now.binpb"
    old.write_bytes(release.contract.SerializeToString(deterministic=True))
    new.write_bytes(contract.SerializeToString(deterministic=True))
    try:
        command = [checkout.tool("buf"), "breaking", str(new), "--against", str(old), "--config", _RULES]
        checkout.run(command, home, home)
    except ToolError as error:
        what = f"the contract breaks version {release.version}: its wire, its JSON form or its event logs"
        yield Fault(what, str(error), "add what is new beside what is there, and change nothing that was released")
