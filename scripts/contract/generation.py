"""All that is generated from the contract, at once: the bindings, their shared vectors, a draft's record."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from contract.betterproto_binding import write_betterproto
from contract.checkout import Checkout, ToolError, scratch_folder
from contract.descriptors import compile_contract, digest
from contract.fault import BUMP
from contract.jsonschema_binding import write_jsonschema
from contract.python_binding import write_python
from contract.releases import read_record, read_records, write_record
from contract.typescript_binding import write_typescript
from contract.vectors import write_vectors

Writer = Callable[[Checkout, FileDescriptorSet, Path, Path], None]

# The folder of each binding, its writer, and the trees in it that are the writer's alone.
BINDINGS: dict[str, tuple[Writer, tuple[str, ...]]] = {
    "python": (write_python, ("kinpost",)),
    "betterproto": (write_betterproto, ("kinpost_betterproto",)),
    "typescript": (write_typescript, ("src", "dist")),
    "jsonschema": (write_jsonschema, ("kinpost_jsonschema",)),
}
VECTORS = "tests/bindings/vectors"
TREES = (
    *(f"bindings/{folder}/{tree}" for folder, (_, trees) in BINDINGS.items() for tree in trees),
    VECTORS,
)


def write_trees(checkout: Checkout, contract: FileDescriptorSet, target: Path, home: Path) -> None:
    """Writes every generated tree below `target`, laid out like the checkout; `target` must be empty."""
    write_vectors(contract, target / VECTORS)
    # The writers wait for tools in processes of their own.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        written = []
        for folder, (write, _) in BINDINGS.items():
            own_home = home / f"writing-{folder}"
            own_home.mkdir()
            written.append(pool.submit(write, checkout, contract, target / "bindings" / folder, own_home))
        for each in written:
            each.result()


def replace_trees(checkout: Checkout, fresh: Path) -> None:
    """Puts the trees of `fresh` in the place of the checkout's own."""
    for tree in TREES:
        place = checkout.root / tree
        if place.exists():
            shutil.rmtree(place)
        shutil.copytree(fresh / tree, place, copy_function=shutil.copyfile)


def generate(checkout: Checkout) -> FileDescriptorSet:
    """Writes every tree anew and returns the contract; raises ToolError, having written nothing."""
    with scratch_folder() as scratch:
        home = scratch / "home"
        home.mkdir()
        contract = compile_contract(checkout, home)
        write_trees(checkout, contract, scratch / "fresh", home)
        replace_trees(checkout, scratch / "fresh")
    return contract


def main(root: Path) -> int:
    """Writes everything that is generated; returns the exit code, 0 when all of it was written."""
    checkout = Checkout(root)
    try:
        contract = generate(checkout)
        version = checkout.protocol_version()
        record = read_record(checkout, version)
        if not read_records(checkout) or (record is not None and not record.released):
            # Nobody relies on a draft yet, so its record follows the contract.
            write_record(checkout, version, "draft", contract)
        elif record is None or record.digest != digest(contract):
            print(f"The contract is not the released version {version} any more: {BUMP} comes next.")
    except ToolError as error:
        print(f"generate-bindings: {error}", file=sys.stderr)
        return 1
    print(f"bindings/ is written from the contract, protocol version {version}")
    return 0
