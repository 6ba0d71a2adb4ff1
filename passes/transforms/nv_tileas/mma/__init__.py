"""Products as asynchronous groups."""
