"""tazuna.yaml and the files beside it: text in, frozen models out, every error with its line."""
