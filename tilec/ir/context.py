"""MLIR contexts with every dialect of tilec loaded."""

from tilec.dialects import load_all
from tilec.ir.bindings import ir


def make_context() -> ir.Context:
    """Return a context in which the four dialects of tilec and the upstream ones are loaded."""
    context = ir.Context()
    context.enable_multithreading(False)
    with context:
        load_all()
    return context
