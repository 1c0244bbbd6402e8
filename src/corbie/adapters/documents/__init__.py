"""Definitions as files: YAML text, models, and reading them."""
