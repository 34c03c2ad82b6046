"""`kinpost watch`: a terminal UI that shows sessions, mail and what waits for a person."""
