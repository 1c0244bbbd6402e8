"""Durable machines on nothing but a store of files."""

__version__ = "0.1.0"
