"""The GitHub side of the action: event in, one command run, its report published."""
