"""Controller, runner and client in one process, on virtual time."""
