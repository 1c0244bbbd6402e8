"""Script jobs: their processes, their ways out and their modules."""
