"""The demonstration: three agents of a real framework write to each other through a real server."""
