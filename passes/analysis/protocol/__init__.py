"""Proof of the asynchronous protocol of a kernel: events, their extraction and their simulation."""
