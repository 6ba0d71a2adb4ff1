"""From checked arguments to a running kernel."""
