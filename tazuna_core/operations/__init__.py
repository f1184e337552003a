"""What a command does, step by step. The only package that writes to a cluster."""
