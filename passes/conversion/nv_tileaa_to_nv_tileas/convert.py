"""Replace each nv_tileaa operation by the nv_tileas operation of the same name.

Before:  nv_tileaa.tiled_load %r[%i, %j] {atom = ...}
After:   nv_tileas.tiled_load %r[%i, %j] {atom = ...}

Operands, types and attributes (the copy atom and the facts) stay as they are. A `dot` gets the
widest legal MMA atom. `func` and `return` stay in nv_tileaa. Assumptions are dropped, because their
facts are attributes now.
"""

from typing import Any

from tilec.dialects.cute.mma_atom import MmaAtomAttr
from tilec.dialects.nv_tileas import NvTileAS
from tilec.ir.bindings import ir
from tilec.ir.removal import replace_operation
from tilec.ir.walks import walk_operations
from tilec.passes.analysis.kernels import kernel_functions, kernel_operations, reject, tiled_access
from tilec.passes.registry import PassContext, register_pass
from tilec.support.mma_atoms import fallback_mma_atom, select_mma_atom

SOURCE, TARGET = "nv_tileaa.", "nv_tileas."
KEPT = ("nv_tileaa.func", "nv_tileaa.return")
FAILED = "failed to convert nv_tileaa to nv_tileas"
_SUPPORTED_SEMANTICS = ("weak", "relaxed")


@register_pass("convert-nv-tileaa-to-nv-tileas")
def run(module: Any, context: PassContext) -> None:
    """Replace nv_tileaa operations by those of the same name in nv_tileas; the witness stays."""
    twins = {operation.OPERATION_NAME for operation in NvTileAS.operations}
    for function in kernel_functions(module):
        for op in kernel_operations(function):
            if op.name.startswith(SOURCE) and op.name not in KEPT:
                _convert(op, twins)
    for op in walk_operations(module.body):
        if op.name.startswith(SOURCE) and op.name not in KEPT:
            raise reject(op, "T0512", f"{FAILED}: '{op.name}' was not converted")


def _convert(op: Any, twins: set[str]) -> None:
    if op.name in ("nv_tileaa.assume", "nv_tileaa.bounded"):
        replace_operation(op, [op.operands[0]])
        return
    name = TARGET + op.name.removeprefix(SOURCE)
    if name not in twins:
        raise reject(
            op, "T0512", f"{FAILED}: '{op.name}' has no operation of the same name in nv_tileas"
        )
    if name.endswith((".tiled_load", ".tiled_store")):
        _check_access(op)
    twin = ir.Operation.create(
        name,
        results=[result.type for result in op.results],
        operands=list(op.operands),
        attributes=dict(op.attributes.items()),
        regions=len(op.regions),
        loc=op.location,
        ip=ir.InsertionPoint(op),
    )
    for source, target in zip(op.regions, twin.regions, strict=True):
        source.blocks[0].append_to(target)
    if name.endswith(".dot"):
        twin.attributes["atom"] = _mma_atom(twin.opview)
    replace_operation(op, twin.results)


def _mma_atom(dot: Any) -> MmaAtomAttr:
    """Return the atom of a product: wgmma when it can do it, else one thread's multiply-add."""
    atom = select_mma_atom(dot.product_types, dot.extents)
    if isinstance(atom, str):
        atom = fallback_mma_atom(dot.product_types)
    return MmaAtomAttr.of(atom.name, atom.shape)


def _check_access(op: Any) -> None:
    """Raise for an access without a witness or with an ordering that nv_tileas does not have."""
    noun = "load" if tiled_access(op).is_load else "store"
    view = op.opview
    if view.mem_semantic not in _SUPPORTED_SEMANTICS:
        message = f"{noun}: memory ordering {view.mem_semantic} is not supported yet"
        raise reject(op, "T0510", message)
    if view.atom is None:
        raise reject(op, "T0512", f"{FAILED}: the {noun} has no copy atom")
