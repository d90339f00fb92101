"""One module for each experiment: `add_arguments(parser)` and `run(options, tell)`."""
