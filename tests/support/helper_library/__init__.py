"""A helper module for kernels in Python: helpers, constants, and a module inside it."""

import numpy as np

import tilec
from tests.support.helper_library import activations as activations
from tilec.language import f32

REAL = f32
UNIT = 16
STEP = np.float32(2.5)
SIZES = [4, 8]


@tilec.function
def scaled(x):
    """Return `x` times a constant of this module."""
    return x * STEP


def plain(x):
    """Return `x` plus 1: a helper without decorator."""
    return x + 1
