"""Registers, shared memory and workspaces."""
