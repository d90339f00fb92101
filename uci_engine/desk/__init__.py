"""The desk: analyse games, play in a terminal, look in a browser."""
