"""The `kinpost` command line."""
