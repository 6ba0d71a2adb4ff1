"""Choosing the plan of a kernel by measurement."""
