"""Manifests to objects: one module a manifest type."""
