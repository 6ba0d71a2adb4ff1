"""MLIR contexts with every dialect of tilec loaded."""

from tilec.dialects import load_all
from tilec.ir.bindings import ir

UPSTREAM = ("arith", "cf", "irdl", "llvm", "math", "nvvm", "scf", "ub")
"""Dialects of MLIR whose operations tilec makes. All others are loaded when a text names them: to
load the forty of them takes 5 ms, more than our own."""


USES = 16
"""Compilations that share a context. It keeps every type and attribute that was ever made in it."""


def compiler_context() -> ir.Context:
    """Return a context for one compilation, which may have served others.

    To load the dialects takes 5 to 7 ms, a twentieth of what a small kernel takes. What one
    compilation leaves in a context changes nothing for the next. The caller holds the lock of the
    compiler.
    """
    if _Current.context is None or _Current.uses == USES:
        _Current.context, _Current.uses = make_context(), 0
    _Current.uses += 1
    return _Current.context


class _Current:
    """The context that the next compilation gets."""

    context: ir.Context | None = None
    uses = 0


def make_context() -> ir.Context:
    """Return a context in which the four dialects of tilec and the upstream ones are loaded."""
    context = ir.Context(load_on_create_dialects=UPSTREAM)
    context.enable_multithreading(False)
    with context:
        load_all()
    return context
