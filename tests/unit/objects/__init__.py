"""The objects package, with text in and data out."""
