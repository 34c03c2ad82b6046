"""The official Python binding: protobuf messages, gRPC stubs, and types for both."""

from __future__ import annotations

from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from contract.checkout import Checkout

_PACKAGE = '''"""The wire types of Kinpost. Generated: do not edit."""
'''

_VERSION_PACKAGE = '''"""Version 1 of the contract. Generated: do not edit."""

from kinpost.v1.version import PROTOCOL_VERSION as PROTOCOL_VERSION
'''


def version_module(version: int) -> str:
    """Returns the text of the module that carries the constant, for every Python binding."""
    return f'''"""The version of the contract. Generated: do not edit."""

from typing import Final

PROTOCOL_VERSION: Final = {version}
"""The version of the contract from which this package was generated."""
'''


def write_python(checkout: Checkout, contract: FileDescriptorSet, target: Path, home: Path) -> None:
    """Writes the package `kinpost` into the folder `target`; `contract` is what the checkout's files compile to."""
    messages = checkout.contract_files()
    services = [name for name in messages if name.endswith("_service.proto")]
    target.mkdir(parents=True, exist_ok=True)
    checkout.protoc(
        [
            f"--plugin=protoc-gen-mypy={checkout.tool('protoc-gen-mypy')}",
            f"--python_out={target}",
            f"--mypy_out=quiet:{target}",
            *messages,
        ],
        home,
        home,
    )
    # Only services have stubs: for other files the plugins would write modules without content.
    checkout.protoc(
        [
            f"--plugin=protoc-gen-mypy_grpc={checkout.tool('protoc-gen-mypy_grpc')}",
            f"--grpc_python_out={target}",
            f"--mypy_grpc_out=quiet:{target}",
            *services,
        ],
        home,
        home,
    )
    package = target / "kinpost"
    (package / "__init__.py").write_text(_PACKAGE, encoding="utf-8")
    (package / "py.typed").write_text("", encoding="utf-8")
    (package / "v1" / "__init__.py").write_text(_VERSION_PACKAGE, encoding="utf-8")
    (package / "v1" / "version.py").write_text(version_module(checkout.protocol_version()), encoding="utf-8")
