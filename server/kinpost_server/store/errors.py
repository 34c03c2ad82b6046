"""Why a store could not be opened. Each text is for the person who starts the server."""

from __future__ import annotations

from kinpost_server.engine.ports import StoreFailed


class UnsupportedDatabase(ValueError):
    """The URL names a database that this store does not know."""


class StoreLocked(StoreFailed):
    """Another server uses the database."""


class SchemaTooNew(StoreFailed):
    """The database was written by a newer program that this one cannot stand in for."""


class ForeignDatabase(StoreFailed):
    """The database holds tables, but not Kinpost's."""
