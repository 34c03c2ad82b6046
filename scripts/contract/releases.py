"""The record of each protocol version: its descriptors, their digest, and whether it is released.

A draft follows the contract: `generate-bindings` records it anew. A released record never changes again.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.message import DecodeError

from contract.changes import changes
from contract.checkout import Checkout, ToolError
from contract.descriptors import digest
from contract.fault import BUMP, GENERATE, Fault

_STATES = ("draft", "released")
_KEEP = "bring back the released files: `git checkout` them from the commit that released them"
_CHANGES_MAX = 20


@dataclass(frozen=True)
class Record:
    """What is on record about one protocol version; `state` is draft or released."""

    version: int
    state: str
    digest: str
    contract: FileDescriptorSet

    @property
    def released(self) -> bool:
        """Whether the record is final."""
        return self.state == "released"


def records_folder(checkout: Checkout) -> Path:
    """Returns the folder with one folder a version."""
    return checkout.proto / "releases"


def read_record(checkout: Checkout, version: int) -> Record | None:
    """Returns the record of a version, None when there is none; raises ToolError when it cannot be read."""
    folder = records_folder(checkout) / str(version)
    if not folder.exists():
        return None
    try:
        fields = json.loads((folder / "record.json").read_text(encoding="utf-8"))
        contract = FileDescriptorSet.FromString((folder / "descriptors.binpb").read_bytes())
        record = Record(int(fields["protocol_version"]), str(fields["state"]), str(fields["digest"]), contract)
    except (OSError, ValueError, KeyError, TypeError, DecodeError) as error:
        raise ToolError(f"proto/releases/{version} cannot be read: {error!r}; {_KEEP}") from error
    if record.version != version or record.state not in _STATES:
        raise ToolError(f"proto/releases/{version}/record.json holds another version or no known state")
    return record


def read_records(checkout: Checkout) -> dict[int, Record]:
    """Returns every record by its version, the oldest first; raises ToolError as `read_record` does."""
    folder = records_folder(checkout)
    names = sorted(int(path.name) for path in folder.glob("*") if path.name.isdigit())
    found = ((version, read_record(checkout, version)) for version in names)
    return {version: record for version, record in found if record is not None}


def write_record(checkout: Checkout, version: int, state: str, contract: FileDescriptorSet) -> None:
    """Writes the record of a version over what is there; whoever calls it has asked whether that may be."""
    folder = records_folder(checkout) / str(version)
    folder.mkdir(parents=True, exist_ok=True)
    fields = {"protocol_version": version, "state": state, "digest": digest(contract)}
    (folder / "descriptors.binpb").write_bytes(contract.SerializeToString(deterministic=True))
    (folder / "record.json").write_text(json.dumps(fields, indent=2) + "\n", encoding="utf-8")


def check_records(checkout: Checkout, contract: FileDescriptorSet, home: Path) -> Iterator[Fault]:
    """Gives a fault when the contract is not what is on record for its version, or a record was touched."""
    version, records = checkout.protocol_version(), read_records(checkout)
    last = max(records, default=0)
    if not records:
        yield Fault("no protocol version is on record", "", GENERATE)
    elif version != last:
        mend = f"put {last} back into proto/PROTOCOL_VERSION, then {BUMP}"
        yield Fault(f"PROTOCOL_VERSION is {version}, and the last version on record is {last}", "", mend)
    elif digest(contract) != records[version].digest:
        record = records[version]
        names = changes(record.contract, contract)
        detail = "\n".join(names[:_CHANGES_MAX])
        if len(names) > _CHANGES_MAX:
            detail += f"\n... and {len(names) - _CHANGES_MAX} more"
        what = f"the contract changed, and PROTOCOL_VERSION is still {version}, which is {record.state}"
        yield Fault(what, detail, BUMP if record.released else GENERATE)
    for record in records.values():
        where = f"proto/releases/{record.version}"
        if digest(record.contract) != record.digest:
            yield Fault(f"{where}: the digest is not that of the descriptors beside it", "", _KEEP)
        if not record.released and record.version != last:
            mend = "only the last version may be a draft"
            yield Fault(f"{where} is a draft, and {last} came after it", "", mend)
        if _released_otherwise(checkout, record, home):
            yield Fault(f"{where} differs from what was released under its number", "", _KEEP)


def _released_otherwise(checkout: Checkout, record: Record, home: Path) -> bool:
    """Whether a commit that this clone knows released the version with another record.

    A clone without history knows none, and then the record speaks for itself.
    """
    name = f"proto/releases/{record.version}/record.json"
    now = (checkout.root / name).read_text(encoding="utf-8")
    for commit in _git(checkout, home, "log", "--format=%H", "--", name).split():
        then = _git(checkout, home, "show", f"{commit}:{name}")
        if '"state": "released"' in then and then != now:
            return True
    return False


def _git(checkout: Checkout, home: Path, *arguments: str) -> str:
    """Returns what git says about this checkout, nothing when it is none or git is not there."""
    if not (checkout.root / ".git").exists():
        return ""
    try:
        return checkout.run(["git", *arguments], checkout.root, home)
    except (ToolError, FileNotFoundError, subprocess.SubprocessError):
        return ""
