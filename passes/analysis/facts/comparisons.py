"""Facts about comparisons of tiles of indices.

`arange(BN) < N` masks the columns of a row beyond its end. If N is a multiple of 16, the columns
8 to 15 are all inside or all outside: results are equal in runs of neighbouring elements, and one
comparison serves all of them.

`n * BN + arange(BN) < N` says the same as `arange(BN) < N - n * BN`, if no sum and no difference
wraps around: the difference of the operands is exact.
"""

from math import gcd
from typing import Any

from tilec.ir.attributes import integer
from tilec.ir.bindings import arith, ir
from tilec.ir.integers import i64
from tilec.passes.analysis.facts import intervals
from tilec.passes.analysis.facts.bounds import SWAPPED
from tilec.passes.analysis.facts.divisibility import Divisibility
from tilec.passes.analysis.facts.index_runs import is_level, level_divisor, run_divisor
from tilec.passes.analysis.facts.value_ranges import ValueRanges

EQUAL_RUN = "nv_tileaa.equal_run"
"""Attribute of a comparison of tiles: elements of the last axis in a row that have equal results.
A run starts at a multiple of this number."""
EXACT_DIFFERENCE = "nv_tileaa.exact_difference"
"""Attribute of a signed comparison of integer tiles: the numbers of the operands that may be
subtracted from the other one. The elements of both and the difference, as whole numbers, are
numbers of their type."""
COMPARISON_FACTS = (EQUAL_RUN, EXACT_DIFFERENCE)
LONGEST_RUN = 16
"""Longest run that is recorded: a thread holds at most 16 neighbouring elements in one vector."""
_P = arith.CmpIPredicate
_INDEX_FIRST = frozenset(map(int, (_P.slt, _P.sge, _P.ult, _P.uge)))
_LIMIT_FIRST = frozenset(map(int, (_P.sgt, _P.sle, _P.ugt, _P.ule)))


def equal_run(op: Any, facts: Divisibility) -> int:
    """Return how many neighbouring results of a comparison are equal.

    Indices count up by one from a multiple of d, and the limit is a multiple of d. Then no limit
    lies between two of the d indices that follow a multiple of d.

    Args:
        op: An `arith.cmpi` of tiles.
        facts: Divisors of the values of its kernel.
    """
    index, limit = op.operands
    predicate = integer(op, "predicate")
    if predicate in _LIMIT_FIRST:
        index, limit = limit, index
    elif predicate not in _INDEX_FIRST:
        return 1
    start = run_divisor(index, facts)
    if start is None or not is_level(limit):
        return 1
    return shared_run(start, level_divisor(limit, facts))


def shared_run(start: int, limit: int) -> int:
    """Return the run of indices from a multiple of `start` that are compared with one of `limit`.

    Both are divisors as in `Divisibility`; 0 is that of 0.
    """
    return gcd(start, limit, LONGEST_RUN)


def record_run(op: Any, run: int) -> None:
    """Write the run of a comparison into its attribute, if it is more than one element."""
    if run > 1:
        op.attributes[EQUAL_RUN] = i64(run)


def recorded_run(op: Any) -> int:
    """Return the run of a comparison that `record_run` wrote; 1 for all other operations."""
    return op.attributes[EQUAL_RUN].value if EQUAL_RUN in op.attributes else 1


def record_difference(op: Any, ranges: ValueRanges) -> None:
    """Write into an attribute of a comparison which operand may be subtracted from the other one.

    Args:
        op: An `arith.cmpi` of tiles.
        ranges: Ranges of the values of its kernel.
    """
    element = ir.RankedTensorType(op.operands[0].type).element_type
    predicate = integer(op, "predicate")
    if predicate not in SWAPPED or not isinstance(element, ir.IntegerType):
        return
    limits = intervals.signed_limits(ir.IntegerType(element).width)
    both = [ranges.of(operand) for operand in op.operands]
    differences = [intervals.subtract(both[1 - number], both[number]) for number in (0, 1)]
    if all(intervals.is_within(item, limits) for item in both):
        exact = [n for n, item in enumerate(differences) if intervals.is_within(item, limits)]
        if exact:
            op.attributes[EXACT_DIFFERENCE] = ir.DenseI64ArrayAttr.get(exact)
