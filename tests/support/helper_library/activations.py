"""Helpers of a module that lies in another one."""

# A helper is Python by its syntax only.
# pyright: reportReturnType=false, reportOperatorIssue=false

import tilec
from tilec.language import where, zeros

OFFSET = 0.5


@tilec.function
def relu(x):
    """Return `x` where it is positive, else 0."""
    return where(x > 0.0, x, 0.0)


@tilec.function
def shifted(x):
    """Return `x` moved by a constant of this module."""
    return relu(x) + OFFSET


@tilec.function
def wrong(x):
    """Add a tile whose extent is no power of two."""
    return x + zeros((3,))


@tilec.kernel
def kernel(A):
    """Stand for a kernel that another one calls."""
