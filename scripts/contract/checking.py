"""The whole check of the bindings and of the contract's record. It writes nothing into the checkout."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from contract.breaking import check_breaking
from contract.checkout import Checkout, ToolError, scratch_folder
from contract.consumers import check_imports, check_types, check_typescript
from contract.descriptors import compile_contract
from contract.fault import Fault
from contract.generation import TREES, VECTORS, write_trees
from contract.releases import check_records, read_records
from contract.trees import compare_trees


def find_faults(checkout: Checkout, scratch: Path) -> Iterator[Fault]:
    """Gives all that is wrong, the contract's faults first; raises ToolError when a tool cannot work."""
    home = scratch / "home"
    home.mkdir()
    contract = compile_contract(checkout, home)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        used = []
        for check in (check_types, check_imports):
            own_home = scratch / check.__name__
            own_home.mkdir()
            used.append(pool.submit(check, checkout, own_home))
        yield from check_records(checkout, contract, home)
        yield from check_breaking(checkout, contract, home)
        fresh = scratch / "fresh"
        write_trees(checkout, contract, fresh, home)
        differences = [
            fault for folder in ("bindings", VECTORS) for fault in compare_trees(checkout.root, fresh, folder, TREES)
        ]
        yield from differences
        # What was written a moment ago has been compiled; only what differs from it is left to try.
        if any(" bindings/typescript/" in fault.what for fault in differences):
            yield from check_typescript(checkout, home)
        for each in used:
            yield from each.result()


def main(root: Path) -> int:
    """Prints every fault with the command that mends it; returns the exit code, 0 when there is none."""
    checkout = Checkout(root)
    count = 0
    try:
        with scratch_folder() as scratch:
            for fault in find_faults(checkout, scratch):
                count += 1
                print(fault, flush=True)
        version = checkout.protocol_version()
        if count:
            print(f"check-bindings: {count} fault{'s' if count > 1 else ''}")
            return 1
        state = read_records(checkout)[version].state
    except ToolError as error:
        print(f"check-bindings: {error}", file=sys.stderr)
        return 1
    draft = "; it is a draft, and will be fixed by scripts/bump-protocol --release" if state == "draft" else ""
    print(f"bindings/ agrees with the contract, protocol version {version}{draft}")
    return 0
