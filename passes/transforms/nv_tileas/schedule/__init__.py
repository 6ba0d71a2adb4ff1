"""Passes that schedule the operations of loops."""
