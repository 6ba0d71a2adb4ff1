"""What the scheduler has to know about loops."""
