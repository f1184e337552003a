"""The command line: one module a command, one process boundary."""
