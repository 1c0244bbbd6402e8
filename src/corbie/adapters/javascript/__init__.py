"""The JavaScript engines and the syntax they read."""
