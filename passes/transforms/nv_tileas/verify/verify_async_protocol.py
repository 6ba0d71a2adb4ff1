"""Simulate the asynchronous protocol, and refuse one that can hang or race.

Changes nothing. The pass takes the events of all roles on rings, buffers, fences, barriers and
memory tokens from the IR. It runs them with vector clocks (`tilec.passes.analysis.protocol`). The
driver lets the check run in parallel with code generation. Results are stored by the shape of the
protocol, so equal protocols run once.

The number of rounds of a loop and the outcome of a branch follow from *variables*. Each combination
of unknown values in a loop bound or a comparison is one variable, and equal combinations in
different roles are the same variable. So two loops to `n` and `n + 1` differ by one in every run,
and two roles whose bounds are not known to be equal run different numbers of rounds in some run.
The check uses the values at which a ring of S slots behaves differently: 0, 1, 2, S-1, S, S+1 and
2S+1 rounds of an innermost loop, 0 to 3 rounds of the loops around it, both outcomes of every
comparison, and values that change from tile to tile.

The check refuses

- deadlocks,
- overwrites that are not ordered after every read,
- reads that are not ordered after the write that they need,
- loads that nothing waits for, and tiles that are written but never read (a loop without rounds and
  a branch may leave out reads),
- missing proxy fences,
- waits and arrivals that may hit the wrong phase, and barriers that end in the middle of a phase,
- accumulators that are used while a product writes them,
- accesses of global memory in another order than their tokens give,
- operations with effects that the check does not know,
- an operation that does not use the current position of its ring, and copies of a tile that do not
  move each of its boxes once,
- register counts whose sum does not fit, and a named barrier of more than one group of threads.

In a cluster, CTAs that share a tile must each load their own share of the same tile, and the roles
must use the same axis of the cluster for it. If CTAs fill slots of each other, all CTAs of the
cluster run together: a copy lands in each of them, a release arrives in each of them, and no CTA
may end before the last arrival from another one. For partial sums (`split_k`), the scalar
code of the consumers runs for some extents: each part must be stored, counted and added once, by
threads that have met at a barrier, and counters must end at zero.

The first violation is an internal error of the compiler that names the source line, because no
source may lead to one. `docs/debugging.md#the-protocol-check` explains the messages.
"""

from functools import partial
from typing import Any

from tilec.passes.analysis.kernels import kernel_functions
from tilec.passes.registry import PassContext, register_pass

NAME = "nv-tileas-verify-async-protocol"


@register_pass(NAME)
def verify_async_protocol(module: Any, context: PassContext) -> bool:
    """Check rings, fences, barriers and register moves of every kernel."""
    context.check(NAME, module, partial(_check, context))
    return False


def _check(context: PassContext, module: Any) -> None:
    # Maybe while LLVM works.
    from tilec.passes.analysis.protocol.check import find_violation
    from tilec.passes.analysis.protocol.rejection import reject

    registers = context.target.registers_per_sm
    for function in kernel_functions(module):
        reject(find_violation(function, registers, context.buffer), NAME)
