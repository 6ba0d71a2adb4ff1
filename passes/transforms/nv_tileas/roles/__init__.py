"""Producers and consumers, and the rings between them."""
