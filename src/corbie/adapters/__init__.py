"""What the ports are made of: one family a package."""
