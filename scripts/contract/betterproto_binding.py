"""The betterproto binding: messages as dataclasses, and stubs that carry them over grpc.aio."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet, MethodDescriptorProto, ServiceDescriptorProto

from contract.checkout import Checkout
from contract.descriptors import own_files
from contract.python_binding import version_module

_PACKAGE = '''"""The wire types of Kinpost as dataclasses. Generated: do not edit."""

from kinpost_betterproto.kinpost.v1 import *  # noqa: F403
from kinpost_betterproto.version import PROTOCOL_VERSION as PROTOCOL_VERSION
'''

_SERVICES = '''"""Stubs that carry the dataclasses over grpc.aio. Generated: do not edit.

Each attribute is called like its official twin: with a message, and with `timeout` and `metadata` if wanted.
"""

from __future__ import annotations

from grpc import aio

from kinpost_betterproto.kinpost import v1
'''

# The compiler formats its output with ruff, which obeys the nearest settings: these, and nobody else's.
_RUFF_SETTINGS = 'target-version = "py311"\n'


def write_betterproto(checkout: Checkout, contract: FileDescriptorSet, target: Path, home: Path) -> None:
    """Writes the package `kinpost_betterproto` into the folder `target`; `contract` gives the services."""
    package = target / "kinpost_betterproto"
    package.mkdir(parents=True, exist_ok=True)
    clean = home / "betterproto"
    clean.mkdir()
    (clean / "ruff.toml").write_text(_RUFF_SETTINGS, encoding="utf-8")
    checkout.protoc(
        [
            f"--plugin=protoc-gen-python_betterproto2={checkout.tool('protoc-gen-python_betterproto2')}",
            f"--python_betterproto2_out=client_generation=none:{package}",
            *checkout.contract_files(),
        ],
        clean,
        home,
    )
    shutil.rmtree(clean)
    (package / "__init__.py").write_text(_PACKAGE, encoding="utf-8")
    (package / "version.py").write_text(version_module(checkout.protocol_version()), encoding="utf-8")
    services = [service for file in own_files(contract) for service in file.service]
    text = _SERVICES + "".join(_stub(service) for service in sorted(services, key=lambda s: s.name))
    (package / "services.py").write_text(text, encoding="utf-8")


def _stub(service: ServiceDescriptorProto) -> str:
    body = "\n".join(line for method in service.method for line in _method(service, method))
    return (
        f"\n\nclass {service.name}Stub:\n"
        f'    """Calls kinpost.v1.{service.name}."""\n\n'
        f"    def __init__(self, channel: aio.Channel) -> None:\n{body}\n"
    )


def _method(service: ServiceDescriptorProto, method: MethodDescriptorProto) -> Iterator[str]:
    kinds = ("Stream" if flag else "Unary" for flag in (method.client_streaming, method.server_streaming))
    kind = "".join(kinds)
    request, response = (f"v1.{name.rsplit('.', 1)[1]}" for name in (method.input_type, method.output_type))
    type_ = f"aio.{kind}MultiCallable[{request}, {response}]"
    yield f"        self.{_snake_case(method.name)}: {type_} = channel.{_snake_case(kind)}("
    yield f'            "/kinpost.v1.{service.name}/{method.name}",'
    yield f"            request_serializer={request}.__bytes__,"
    yield f"            response_deserializer={response}.parse,"
    yield "        )"


def _snake_case(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
