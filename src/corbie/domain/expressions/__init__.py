"""Templates: texts with expressions, the names they read, and filling them in."""
