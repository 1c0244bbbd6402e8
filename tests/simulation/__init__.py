"""The simulator: real controllers, runners and clients as actors under faults."""
