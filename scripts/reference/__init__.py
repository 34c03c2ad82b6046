"""The pages of the documentation that are written from the code, and the picture of a message's life."""
