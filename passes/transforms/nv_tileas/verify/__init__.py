"""Proofs about the final IR, and what watches it at run time."""
