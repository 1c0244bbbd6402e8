"""Where processes begin: the command line, settings and wiring."""
