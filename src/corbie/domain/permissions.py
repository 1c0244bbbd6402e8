"""Permission entries: kinds, scopes, covering, and what a set of layers decides.

Source: Permissions and approval.
"""
