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


def __getattr__(name):
    """Fail as a module does that imports its parts when they are first used."""
    if name == "absent":
        raise ImportError(name)
    raise AttributeError(name)


def plain(x):
    """Return `x` plus 1: a helper without decorator."""
    return x + 1
