"""The torture: clients that keep a journal of what they were promised, while the server is killed under them."""
