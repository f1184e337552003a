"""Recorded, desired and live in; verdicts out. Pure."""
