"""The controller: it takes the steps of runs."""
