"""The runner: it runs the script jobs of runs."""
