"""Passes on the llvm stage."""
