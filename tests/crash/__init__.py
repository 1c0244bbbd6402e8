"""Real processes, killed with kill -9 at the worst moments."""
