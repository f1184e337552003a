"""Lints, one by one and in place."""
