"""Parts of kernels that several tests compile."""

BRANCH_WITH_LOAD = """\
    if {condition}:
        steps = cdiv(K, 64)
        x = load({array}, {first}, {extents})
    else:
        steps = 3
        x = zeros({extents})
"""
"""Computes the number of k-tiles next to a load."""
