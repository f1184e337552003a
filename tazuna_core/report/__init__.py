"""The report model and one renderer a form. Pure."""
