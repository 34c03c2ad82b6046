"""The composition root: settings, store, engine and transport become a server."""

from __future__ import annotations

import asyncio
import gc
import inspect
import logging
import os
import signal
import sys
from collections.abc import Callable, MutableMapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import structlog
import typer
import uvloop
from uuid_utils import uuid7

from kinpost_server.domain.identity import SERVICE, TokenKind
from kinpost_server.engine.accident import facts_of
from kinpost_server.engine.engine import Engine
from kinpost_server.engine.ports import StoreFailed
from kinpost_server.engine.tokens import CreateToken
from kinpost_server.settings import Key, Settings, SettingsFault, keys, load, sections
from kinpost_server.store.errors import UnsupportedDatabase
from kinpost_server.store.opening import DATABASE_FILE, OpenStore, open_store, sqlite_url
from kinpost_server.transport import event_codec
from kinpost_server.transport.address import split_address
from kinpost_server.transport.admin_handlers import SERVER_VERSION
from kinpost_server.transport.http.server import HttpServer
from kinpost_server.transport.server import CannotListen, Server
from kinpost_server.transport.tls import CertificateFault, Certificates
from kinpost_server.transport.tracing import CannotTrace, Tracing, begin_tracing

log = structlog.get_logger(__name__)

EXIT_CONFIGURATION = 2
EXIT_STORE = 3
TRACES_SECONDS_MIN = 1.0  # for the last spans, where nobody had to be waited for
ADMIN_TOKEN_FILE = "admin.token"  # noqa: S105 - a file's name


class Listening(NamedTuple):
    """A server that is ready."""

    engine: Engine
    server: Server
    address: str
    http: HttpServer | None = None
    http_address: str = ""
    tracing: Tracing | None = None


async def start(settings: Settings, opened: OpenStore, certificates: Certificates | None) -> Listening:
    """Start engine and transport over an open store. Raises CannotListen, CannotTrace; the store is closed then."""
    try:
        tracing = begin_tracing(settings.for_tracing(), SERVER_VERSION)
    except CannotTrace:
        opened.store.close()
        raise
    engine = Engine(
        opened.store,
        opened.reader,
        opened.own_reader,
        settings.for_engine(),
        envelope_key=opened.envelope_key,
        decode=event_codec.decode,
        heartbeat_seconds=settings.events.heartbeat_seconds,
        poll_seconds=settings.events.poll_seconds,
        log=_log_engine,
        tracer=tracing,
    )
    try:
        await _start_engine(engine, settings)
        await ensure_admin_token(engine, Path(settings.storage.data_folder))
        server = Server(engine, settings.for_transport(), tracing)
        http = HttpServer(engine, settings.for_http(), certificates, tracing) if settings.http.enabled else None
        # First the port that can be refused without anybody having been served.
        http_address = _named(settings.http.listen, await http.start(settings.http.listen)) if http is not None else ""
        try:
            port = await server.start(settings.server.listen, certificates)
        except BaseException:
            if http is not None:
                await http.stop(0)
            raise
    except BaseException:
        await engine.stop()
        raise
    return Listening(engine, server, _named(settings.server.listen, port), http, http_address, tracing)


def _named(listen: str, port: int) -> str:
    host, _ = split_address(listen)
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


async def _start_engine(engine: Engine, settings: Settings) -> None:
    try:
        await engine.start()
    except StoreFailed as fault:
        # A URL may hold a password: it is not named.
        named = "the database" if settings.storage.database_url else f"{settings.storage.data_folder}/{DATABASE_FILE}"
        raise StoreFailed(f"{named}: {fault}") from fault


async def stop(listening: Listening, seconds: float) -> None:
    """Answer what was taken in, then let go of the store."""
    http = listening.http
    await asyncio.gather(listening.server.stop(seconds), *([http.stop(seconds)] if http is not None else []))
    await listening.engine.stop()
    if listening.tracing is not None:
        await asyncio.to_thread(listening.tracing.end, max(seconds, TRACES_SECONDS_MIN))


def open_data(settings: Settings) -> OpenStore:
    """Open the database; its folder is made for the owner only. Raises StoreFailed, UnsupportedDatabase."""
    folder = Path(settings.storage.data_folder)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as fault:
        raise StoreFailed(f"cannot use the data folder {folder}: {fault.strerror}") from None
    url = settings.storage.database_url or sqlite_url(folder.absolute() / DATABASE_FILE)
    return open_store(
        url, encode=event_codec.encode, decode_body=event_codec.decode_body, settings=settings.for_store()
    )


async def ensure_admin_token(engine: Engine, folder: Path) -> None:
    """Make the first admin token and write it to `admin.token`, for the owner's eyes only.

    A lone token without its file is one whose writing a crash prevented: nobody knows it, so another is made.
    """
    path = folder / ADMIN_TOKEN_FILE
    known = len(engine.tokens)
    if known > 1 or (known and path.exists()):
        return
    _, secret = await engine.execute(CreateToken(SERVICE, str(uuid7()), TokenKind.ADMIN))
    try:
        _write_secret(path, secret)
    except OSError as fault:
        raise StoreFailed(f"cannot write the first admin token: {fault}") from None
    log.info("admin_token_written", path=str(path))


def _write_secret(path: Path, secret: str) -> None:
    """Write it whole under another name first: a reader never sees half a token."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)  # whoever made it could read what is written to it
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(f"{secret}\n")
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


async def run(settings: Settings, certificates: Certificates | None, ready_file: Path | None) -> None:
    """Serve until SIGTERM or SIGINT. Raises StoreFailed, UnsupportedDatabase, CannotListen."""
    opened = open_data(settings)
    listening = await start(settings, opened, certificates)
    loop = asyncio.get_running_loop()
    ending = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ending.set)
    # Without TLS the signal means nothing, and must not end the server either.
    loop.add_signal_handler(signal.SIGHUP, certificates.reload if certificates is not None else lambda: None)
    gc.collect()
    gc.freeze()  # what a start makes stays: the collector need not look at it again
    try:
        _announce(listening, ready_file)
        await ending.wait()
    finally:
        log.info("shutting_down")
        await stop(listening, settings.server.shutdown_seconds)
        log.info("stopped")


def _announce(listening: Listening, ready_file: Path | None) -> None:
    address = listening.address
    if ready_file is not None:
        try:
            ready_file.write_text(f"{address}\n")
        except OSError as fault:
            raise SettingsFault(f"--ready-file: {fault}") from None
    typer.echo(f"kinpost listening on {address}")
    if listening.http_address:
        typer.echo(f"kinpost listening for HTTP on {listening.http_address}")
    sys.stdout.flush()


def configure_log(level: str, form: str) -> None:
    """Log to standard error: lines for people, or JSON for programs."""
    least = logging.getLevelNamesMapping()[level.upper()]
    render: Any = structlog.processors.JSONRenderer()
    if form == "text":
        render = structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    shared: list[Any] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, render],
        wrapper_class=structlog.make_filtering_bound_logger(least),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
    # What libraries say goes there too, in the same form.
    of_libraries = logging.StreamHandler(sys.stderr)
    of_libraries.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, render],
            foreign_pre_chain=[*shared, _without_words],
        )
    )
    logging.basicConfig(level=max(least, logging.WARNING), handlers=[of_libraries], force=True)


def _without_words(_logger: object, _name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Tell of a library's accident what kind it was and where, as of our own: its words may hold a body."""
    record: logging.LogRecord = event["_record"]
    event["logger"] = record.name
    failure = record.exc_info[1] if record.exc_info else None
    event.pop("exc_info", None)
    if failure is not None:
        event.update(facts_of(failure))
    return event


def _log_engine(event: str, facts: dict[str, object]) -> None:
    log.warning(event, **facts)


def _command(function: Callable[..., None]) -> Callable[..., None]:
    """Give the command an option for each key of the configuration, and two of its own."""
    # The backslash keeps the bracket from being taken for markup.
    titles = {name: f"\\[{name}] {(model.__doc__ or '').strip()}" for name, model in sections().items()}
    parameters = [
        inspect.Parameter(
            "config",
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[
                Path | None,
                typer.Option(
                    help="Configuration, TOML. Environment: KINPOST_CONFIG. Default: kinpost.toml if it is there"
                ),
            ],
        ),
        inspect.Parameter(
            "ready_file",
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[Path | None, typer.Option(help="Write the address there once the server is ready")],
        ),
        *(
            inspect.Parameter(
                _parameter(key),
                inspect.Parameter.KEYWORD_ONLY,
                default=None,
                annotation=Annotated[_kind(key), _option(key, titles[key.section])],
            )
            for key in keys()
        ),
    ]
    vars(function)["__signature__"] = inspect.Signature(parameters)
    function.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return function


def _parameter(key: Key) -> str:
    return f"{key.section}__{key.name}"


def _kind(key: Key) -> Any:
    kind = key.field.annotation
    return kind | None if kind in (bool, int, float) else str | None


def _option(key: Key, title: str) -> Any:
    default = key.field.default
    shown = {True: "true", False: "false"}.get(default, default) if isinstance(default, bool) else default
    text = f"{key.field.description}. Environment: {key.variable}. Default: {shown if shown != '' else 'none'}"
    names = [key.option]
    if key.field.annotation is bool:
        names = [f"{key.option}/--no-{key.option[2:]}"]
    elif key.option == "--storage-data-folder":
        names.append("--data")
    return typer.Option(*names, help=text, show_default=False, rich_help_panel=title)


@_command
def serve(**options: Any) -> None:
    """Run the post office.

    Each key can be given as an option, in the environment, or in a section of kinpost.toml, in this order.

    Ends with 0 after a signal, 2 when the configuration cannot be used, 3 when the data cannot.
    """
    config, ready_file = options.pop("config"), options.pop("ready_file")
    given: dict[str, dict[str, Any]] = {}
    for name, value in options.items():
        if value is not None:
            section, _, key = name.partition("__")
            given.setdefault(section, {})[key] = value
    try:
        settings = load(given, config)
        configure_log(settings.log.level, settings.log.format)
        certificates = None
        if settings.server.tls_cert_file:
            certificates = Certificates(Path(settings.server.tls_cert_file), Path(settings.server.tls_key_file))
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(run(settings, certificates, ready_file))
    except (SettingsFault, CertificateFault, CannotListen, CannotTrace, UnsupportedDatabase) as fault:
        typer.echo(f"kinpost: {fault}", err=True)
        raise typer.Exit(EXIT_CONFIGURATION) from None
    except StoreFailed as fault:
        typer.echo(f"kinpost: {fault}", err=True)
        raise typer.Exit(EXIT_STORE) from None
