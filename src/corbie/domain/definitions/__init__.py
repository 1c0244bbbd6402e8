"""Definitions of machines as frozen values, and their rules."""
