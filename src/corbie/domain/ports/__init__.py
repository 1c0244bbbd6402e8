"""What the core needs from outside, one protocol a module."""
