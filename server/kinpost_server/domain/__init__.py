"""The rules of the post office: pure, standard library only."""
