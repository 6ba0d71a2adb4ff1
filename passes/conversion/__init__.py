"""Passes that convert one dialect to the next."""
