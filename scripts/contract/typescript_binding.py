"""The TypeScript binding: messages, enums and services as ES modules."""

from __future__ import annotations

import shutil
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from contract.checkout import Checkout, ToolError

_VERSION = """// The version of the contract. Generated: do not edit.

/** The version of the contract from which this package was generated. */
export const PROTOCOL_VERSION = {version};
"""


def write_typescript(checkout: Checkout, contract: FileDescriptorSet, target: Path, home: Path) -> None:
    """Writes the folder `src` into the folder `target`, and `dist`, which is compiled from it.

    What users install is compiled already, so that they need neither this compiler nor its settings.
    """
    source = target / "src"
    source.mkdir(parents=True, exist_ok=True)
    files = checkout.contract_files()
    checkout.protoc(
        [
            f"--plugin=protoc-gen-es={checkout.node_tool('protoc-gen-es')}",
            f"--es_out={source}",
            "--es_opt=target=ts,import_extension=js",
            *files,
        ],
        home,
        home,
    )
    version = _VERSION.format(version=checkout.protocol_version())
    (source / "version.ts").write_text(version, encoding="utf-8")
    exports = [f'export * from "./{name.removesuffix(".proto")}_pb.js";\n' for name in files]
    index = "// Everything of the contract. Generated: do not edit.\n\n" + "".join(exports)
    (source / "index.ts").write_text(index + 'export * from "./version.js";\n', encoding="utf-8")
    compile_typescript(checkout, source, target / "dist", home)


def compile_typescript(checkout: Checkout, source: Path, target: Path, home: Path) -> None:
    """Compiles `source` with the binding's own settings into `target`; raises ToolError when it cannot."""
    own = checkout.bindings / "typescript"
    with_settings = home / "typescript"
    shutil.copytree(source, with_settings / "src")
    for name in ("package.json", "tsconfig.json"):
        shutil.copyfile(own / name, with_settings / name)
    (with_settings / "node_modules").symlink_to(checkout.root / "node_modules")
    tsc = checkout.node_tool("tsc")
    try:
        checkout.run([tsc, "--project", "tsconfig.json", "--outDir", str(target)], with_settings, home)
    except ToolError as error:
        raise ToolError(f"bindings/typescript does not compile: {error}") from error
    finally:
        shutil.rmtree(with_settings)
