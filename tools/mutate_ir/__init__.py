"""Random edits of dumps: whatever stands in a file, tilec answers with a diagnostic.

See `python -m tools.mutate_ir --help`.
"""
