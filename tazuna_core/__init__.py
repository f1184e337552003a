"""Loads, builds, hashes, compares and applies the bootstrap layer that one tazuna.yaml describes."""

__version__ = "0.1.0"
