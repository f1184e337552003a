"""Random edits of a real cluster by many tools, and whether drift names exactly those paths and those managers.

The truth is computed here, from what the server stored before and after, by code that shares nothing with
``tazuna_core.diff``.
"""
