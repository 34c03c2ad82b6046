"""One file a command: load, decide, record; and the batch that runs them."""
