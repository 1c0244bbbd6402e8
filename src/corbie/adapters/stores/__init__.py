"""Stores: memory, directory, and the wrappers around any store."""
