"""Let the CTAs of a cluster share the rounds of a loop, where the plan says so.

Before:  %t = scf.for %i = 0 to %n step 1 iter_args(%s = zeros) { ...; yield (addf %s, %x) }
         %r = reduce add %t {axis = 0}
After:   %c = cluster_coord {axis = 0, cluster = [16, 1]}
         %t = scf.for %i = %c to %n step 16 iter_args(%s = zeros) { ...; yield (addf %s, %x) }
         %r = reduce add %t {axis = 0, across_ctas}

A block is computed by the CTAs of a cluster (plan fields `spread` and `share_rounds`). Each takes
every 16th round, with a ring of its own, and `nv-tileas-gather-in-clusters` combines the results of
the reductions. Which loops that may be, `passes/analysis/shared_rounds.py` says. The order of
additions changes, which the language leaves open.

Options:
    spread: CTAs that compute a block together.
    share_rounds: Whether they share the rounds of the loop, and not each tile.
"""

from typing import Any

from tilec.dialects.nv_tileas import ClusterCoordOp
from tilec.ir.attributes import integer
from tilec.ir.bindings import arith, ir
from tilec.ir.structured import defining_operation
from tilec.passes.analysis.kernels import ctas_of_spec, read_spec, shares_rounds
from tilec.passes.analysis.shared_rounds import ACROSS_CTAS, reductions_after, shared_loop
from tilec.passes.registry import PassContext, register_kernel_pass


@register_kernel_pass("nv-tileas-share-rounds")
def share_rounds(function: Any, context: PassContext) -> bool:
    """Give each CTA of a cluster its rounds."""
    spec = read_spec(function) or {}
    if not shares_rounds(spec):
        return False
    loop = shared_loop(function)
    _share(loop, ctas_of_spec(spec))
    for reduction in reductions_after(loop):
        reduction.attributes[ACROSS_CTAS] = ir.UnitAttr.get()
    return True


def _share(loop: Any, ctas: int) -> None:
    """Let each of `ctas` CTAs begin with another round, and skip those of the others."""
    lower, _, step = list(loop.operands)[:3]
    kind = step.type
    with ir.InsertionPoint(loop), loop.location:
        rank = ClusterCoordOp.build(0, (ctas, 1))
        if kind != rank.type:
            rank = arith.extui(kind, rank)
        loop.operands[0] = arith.addi(lower, arith.muli(rank, step))
        loop.operands[2] = _times(step, ctas)


def _times(step: Any, ctas: int) -> Any:
    """Emit the distance of a CTA's rounds."""
    maker = defining_operation(step)
    if maker is not None and maker.name == "arith.constant":
        value = integer(maker, "value") * ctas
        return arith.constant(step.type, value)
    return arith.muli(step, arith.constant(step.type, ctas))
