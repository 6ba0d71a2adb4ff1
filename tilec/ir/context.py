"""MLIR contexts with every dialect of tilec loaded."""

from tilec.dialects import load_all
from tilec.ir.bindings import ir

UPSTREAM = ("arith", "cf", "irdl", "llvm", "math", "nvvm", "scf", "ub")
"""Dialects of MLIR whose operations tilec makes. All others are loaded when a text names them: to
load the forty of them takes 5 ms, more than our own."""


def make_context() -> ir.Context:
    """Return a context in which the four dialects of tilec and the upstream ones are loaded."""
    context = ir.Context(load_on_create_dialects=UPSTREAM)
    context.enable_multithreading(False)
    with context:
        load_all()
    return context
