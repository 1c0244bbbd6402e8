"""One container for each kind of process."""
