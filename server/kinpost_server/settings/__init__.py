"""The configuration: what can be set, and how it is read."""

from kinpost_server.settings.loading import Key, Settings, SettingsFault, keys, load, sections

__all__ = ["Key", "Settings", "SettingsFault", "keys", "load", "sections"]
