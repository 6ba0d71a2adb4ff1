"""Descriptors, multicast and shared memory of TMA copies."""
