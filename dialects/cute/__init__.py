"""The cute dialect: copy and matrix-multiply atoms."""

from tilec.dialects.cute import copy_atom, mma_atom
from tilec.dialects.cute.dialect import Cute

__all__ = ["Cute", "copy_atom", "mma_atom"]
