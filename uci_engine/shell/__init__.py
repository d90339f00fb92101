"""The command line as a shell and a reader of manuals see it."""
