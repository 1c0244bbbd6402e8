"""What Corbie does: the controller, the runner and the client."""
