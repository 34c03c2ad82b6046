"""The configuration: sections of `kinpost.toml`, each key also an environment variable and an option of `serve`.

What is nearer wins: option, environment (`KINPOST_<SECTION>__<KEY>`), file, default. What is unknown, of the wrong type
or out of bounds is a fault that names the key and where it was found.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from kinpost_server.domain.approval import ApprovalLimits
from kinpost_server.domain.guards import MessagingLimits
from kinpost_server.domain.rate_window import PeerLimits
from kinpost_server.engine.settings import (
    BatchLimits,
    DeliveryLimits,
    EngineSettings,
    PluginLimits,
    ProducerLimits,
    RetentionLimits,
)
from kinpost_server.settings.faults import nearest, told, why
from kinpost_server.settings.sections import (
    ApprovalsSection,
    DeliverySection,
    EventsSection,
    HttpSection,
    LimitsSection,
    LogSection,
    MessagingSection,
    PeerSection,
    PluginsSection,
    ProducersSection,
    RetentionSection,
    Section,
    ServerSection,
    StorageSection,
    TracingSection,
)
from kinpost_server.store.settings import StoreSettings
from kinpost_server.transport.address import is_loopback, split_address
from kinpost_server.transport.limits import HttpLimits, TransportLimits
from kinpost_server.transport.tracing import TracingSettings

DEFAULT_FILE = Path("kinpost.toml")
PREFIX = "KINPOST_"
# Read by the command line itself or by clients, so not unknown to the server either.
OTHER_VARIABLES = frozenset({"KINPOST_CONFIG", "KINPOST_ADDRESS", "KINPOST_TOKEN"})
# Beside a body a request holds ids and a frame.
REQUEST_OVERHEAD_BYTES = 16 * 1024


class SettingsFault(Exception):
    """The configuration cannot be used; each line of the text names a key and what is wrong with it."""


class Settings(BaseSettings):
    """All of it."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", env_ignore_empty=False, extra="forbid", frozen=True
    )

    server: ServerSection = ServerSection()
    storage: StorageSection = StorageSection()
    messaging: MessagingSection = MessagingSection()
    delivery: DeliverySection = DeliverySection()
    approvals: ApprovalsSection = ApprovalsSection()
    producers: ProducersSection = ProducersSection()
    plugins: PluginsSection = PluginsSection()
    peer: PeerSection = PeerSection()
    retention: RetentionSection = RetentionSection()
    http: HttpSection = HttpSection()
    events: EventsSection = EventsSection()
    limits: LimitsSection = LimitsSection()
    tracing: TracingSection = TracingSection()
    log: LogSection = LogSection()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        *_others: PydanticBaseSettingsSource,
        **_named: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Return where values come from, the nearest first; the file comes with the options, see `load`."""
        assert isinstance(init_settings, InitSettingsSource)
        given = dict(init_settings.init_kwargs)
        from_file = given.pop("from_file", {})
        return (
            InitSettingsSource(settings_cls, init_kwargs=given),
            EnvSettingsSource(settings_cls),
            InitSettingsSource(settings_cls, init_kwargs=from_file),
        )

    def for_engine(self) -> EngineSettings:
        """Return what the engine has to know."""
        server = self.server
        return EngineSettings(
            messaging=MessagingLimits(**self.messaging.model_dump()),
            approvals=ApprovalLimits(**self.approvals.model_dump()),
            delivery=DeliveryLimits(**self.delivery.model_dump()),
            batch=BatchLimits(
                queue_max=server.queue_commands_max,
                batch_max=server.batch_commands_max,
                linger_seconds=server.linger_seconds,
                linger_commands_min=server.linger_commands_min,
            ),
            producers=ProducerLimits(**self.producers.model_dump()),
            plugins=PluginLimits(
                intercept_timeout_seconds=self.plugins.intercept_timeout_seconds,
                gates=tuple(self.plugins.in_order()),
            ),
            peer=PeerLimits(**self.peer.model_dump()),
            retention=RetentionLimits(**self.retention.model_dump()),
            sessions_per_token_max=self.limits.sessions_per_token_max,
        )

    def for_store(self) -> StoreSettings:
        """Return what the store has to know."""
        return StoreSettings(**self.storage.model_dump(exclude={"data_folder", "database_url"}))

    def for_transport(self) -> TransportLimits:
        """Return what the transport has to know."""
        shared = set(TransportLimits.__dataclass_fields__)
        return TransportLimits(**self.server.model_dump(include=shared), **self.limits.model_dump(include=shared))

    def for_http(self) -> HttpLimits:
        """Return what the HTTP port has to know."""
        bounds = self.http.model_dump(exclude={"enabled", "listen", "host_names"})
        return HttpLimits(**bounds, host_names=self.http.names())

    def for_tracing(self) -> TracingSettings:
        """Return what the traces have to know."""
        return TracingSettings(**self.tracing.model_dump())


class Key(NamedTuple):
    """One key of the configuration."""

    section: str
    name: str
    field: FieldInfo

    @property
    def variable(self) -> str:
        """Its environment variable."""
        return f"{PREFIX}{self.section}__{self.name}".upper()

    @property
    def option(self) -> str:
        """Its option of `kinpost serve`; those of `[server]` stand without their section."""
        name = self.name if self.section == "server" else f"{self.section}_{self.name}"
        return f"--{name}".replace("_", "-")


def keys() -> Iterator[Key]:
    """Return all keys, in the order of the sections."""
    for section, model in sections().items():
        for name, field in model.model_fields.items():
            yield Key(section, name, field)


def sections() -> dict[str, type[Section]]:
    """Return the model of each section."""
    return {name: field.annotation for name, field in Settings.model_fields.items()}  # type: ignore[misc]


def load(options: Mapping[str, Mapping[str, Any]], config: Path | None) -> Settings:
    """Read the configuration. Raises SettingsFault.

    `options` are those given on the command line, by section; `config` is the file, by default that named by
    KINPOST_CONFIG, else `kinpost.toml` where it is.
    """
    _check_variables()
    given: dict[str, Any] = {**options, "from_file": _file(config)}
    try:
        settings = Settings(**given)
    except ValidationError as fault:
        raise SettingsFault("\n".join(told(error, sections(), PREFIX) for error in fault.errors())) from None
    _check_whole(settings)
    return settings


def _file(config: Path | None) -> dict[str, Any]:
    named = os.environ.get("KINPOST_CONFIG")
    path = config or (Path(named) if named else DEFAULT_FILE)
    if path is DEFAULT_FILE and not path.exists():
        return {}
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as fault:  # a TOMLDecodeError is a ValueError, as is what is not UTF-8
        raise SettingsFault(f"{path}: {fault}") from None
    faults = []
    known = sections()
    for section, values in content.items():
        if section not in known:
            faults.append(f"{path}: [{section}]: there is no such section{nearest(section, known)}")
        elif not isinstance(values, dict):
            faults.append(f"{path}: {section}: is a section, not a key")
        else:
            try:
                known[section].model_validate(values, strict=True)
            except ValidationError as fault:
                faults += [f"{path}: {why(section, error, known)}" for error in fault.errors()]
    if faults:
        raise SettingsFault("\n".join(faults))
    return content


def _check_variables() -> None:
    known = {key.variable for key in keys()}
    unknown = sorted(
        name
        for name in os.environ
        if name.upper().startswith(PREFIX) and name.upper() not in known and name.upper() not in OTHER_VARIABLES
    )
    if unknown:
        raise SettingsFault(
            "\n".join(f"{name}: there is no such setting{nearest(name.upper(), known)}" for name in unknown)
        )


def _http_faults(settings: Settings) -> list[str]:
    http, server = settings.http, settings.server
    if not http.enabled:
        return []
    faults = []
    host, port = split_address(http.listen)
    if port is None:
        faults.append(f"[http] listen: {http.listen!r} is not of the form host:port")
    elif not (server.tls_cert_file or server.insecure or is_loopback(host)):
        faults.append(
            f"[http] listen: {http.listen} can be reached from other machines, which could read tokens and mail; "
            "set [server] tls_cert_file and tls_key_file, or say --insecure"
        )
    if http.requests_bytes_max < http.request_bytes_max:
        faults.append("[http] requests_bytes_max: must be at least request_bytes_max")
    return faults


def _check_whole(settings: Settings) -> None:
    """Check what concerns several keys. Raises SettingsFault."""
    server, delivery = settings.server, settings.delivery
    host, port = split_address(server.listen)
    faults = []
    if bool(server.tls_cert_file) != bool(server.tls_key_file):
        faults.append("[server] tls_cert_file and tls_key_file: one needs the other")
    if not (server.tls_cert_file or server.insecure or is_loopback(host)):
        faults.append(
            f"[server] listen: {server.listen} can be reached from other machines, which could read tokens and mail; "
            "set tls_cert_file and tls_key_file, or say --insecure"
        )
    if port is None:
        faults.append(f"[server] listen: {server.listen!r} is not of the form host:port")
    faults += _http_faults(settings)
    if delivery.heartbeat_seconds >= delivery.run_lease_seconds:
        faults.append("[delivery] heartbeat_seconds: must be shorter than run_lease_seconds")
    if server.requests_bytes_max < server.request_bytes_max:
        faults.append("[server] requests_bytes_max: must be at least request_bytes_max")
    room = server.request_bytes_max - REQUEST_OVERHEAD_BYTES
    for name, size in (
        ("[messaging] max_body_bytes", settings.messaging.max_body_bytes),
        ("[producers] body_bytes_max", settings.producers.body_bytes_max),
    ):
        if size > room:
            faults.append(f"{name}: {size} does not fit into a request of [server] request_bytes_max")
    if faults:
        raise SettingsFault("\n".join(faults))
