"""Real processes on a real store, seen from outside."""
