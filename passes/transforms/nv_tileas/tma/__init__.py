"""Loads and stores as asynchronous copies."""
