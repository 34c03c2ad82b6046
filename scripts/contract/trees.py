"""Compares the committed bindings with fresh ones, whole trees at a time."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path

from contract.fault import GENERATE, Fault

# What people write there; everything else in these folders is generated.
HANDWRITTEN = frozenset(
    {
        "bindings/README.md",
        "bindings/python/README.md",
        "bindings/python/pyproject.toml",
        "bindings/betterproto/README.md",
        "bindings/betterproto/pyproject.toml",
        "bindings/typescript/README.md",
        "bindings/typescript/package.json",
        "bindings/typescript/tsconfig.json",
        "bindings/jsonschema/README.md",
        "bindings/jsonschema/pyproject.toml",
    }
)
# What using the bindings leaves behind, never committed.
_LEFT_BEHIND = frozenset({"__pycache__", "node_modules", ".mypy_cache", ".pytest_cache", ".ruff_cache"})
_DIFF_LINES_MAX = 12


def compare_trees(committed: Path, fresh: Path, folder: str, generated: Sequence[str]) -> Iterator[Fault]:
    """Gives a fault for every file below `folder` that is missing, changed, or nobody's.

    `committed` is the root of the checkout, and `fresh` that of what the contract gives now. `generated`
    names the trees that `generate-bindings` replaces whole.
    """
    have, want = _files(committed, folder), _files(fresh, folder)
    for name in sorted(want - have):
        yield Fault(f"missing: {name}", "", GENERATE)
    for name in sorted(want & have):
        detail = _difference(committed / name, fresh / name)
        if detail:
            yield Fault(f"changed: {name}", detail, GENERATE)
    for name in sorted(have - want - HANDWRITTEN):
        # Beside the generated trees only a person can judge.
        ours = any(name.startswith(f"{tree}/") for tree in generated)
        yield Fault(f"extra: {name}", "", GENERATE if ours else f"git rm {name}")
    for name in sorted(HANDWRITTEN - have):
        if name.startswith(f"{folder}/"):
            yield Fault(f"missing: {name}", "It is written by hand.", "git checkout it")


def _files(root: Path, folder: str) -> set[str]:
    found = set()
    for path in (root / folder).rglob("*"):
        relative = path.relative_to(root)
        if _LEFT_BEHIND.isdisjoint(relative.parts) and (path.is_symlink() or not path.is_dir()):
            found.add(relative.as_posix())
    return found


def _difference(committed: Path, fresh: Path) -> str:
    if committed.is_symlink() or not committed.is_file():
        return "It must be a plain file."
    old, new = committed.read_bytes(), fresh.read_bytes()
    if old == new:
        return ""
    lines = [
        line.rstrip("\n")
        for line in difflib.unified_diff(
            old.decode("utf-8", "replace").splitlines(keepends=True),
            new.decode("utf-8", "replace").splitlines(keepends=True),
            "committed",
            "from the contract",
            n=0,
        )
    ]
    if len(lines) > _DIFF_LINES_MAX:
        left = len(lines) - _DIFF_LINES_MAX
        lines = [*lines[:_DIFF_LINES_MAX], f"... and {left} more lines"]
    return "\n".join(lines) or "The bytes differ, though the text does not: line ends, or what is no UTF-8."
