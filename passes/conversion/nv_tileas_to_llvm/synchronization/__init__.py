"""Rules for barriers, turns and clusters."""
