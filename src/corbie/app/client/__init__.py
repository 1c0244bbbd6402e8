"""The client: it starts runs and reads them."""
