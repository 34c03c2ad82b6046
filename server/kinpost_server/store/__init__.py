"""The tables, and the one store that keeps and reads them."""

from kinpost_server.store.errors import ForeignDatabase, SchemaTooNew, StoreLocked, UnsupportedDatabase
from kinpost_server.store.opening import OpenStore, open_store, sqlite_url
from kinpost_server.store.settings import StoreSettings

__all__ = [
    "ForeignDatabase",
    "OpenStore",
    "SchemaTooNew",
    "StoreLocked",
    "StoreSettings",
    "UnsupportedDatabase",
    "open_store",
    "sqlite_url",
]
