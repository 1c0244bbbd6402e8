"""Benchmarks: `make bench`, or `make bench ROWS=2,7`."""
