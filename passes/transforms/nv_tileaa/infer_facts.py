"""Record known divisors, and which tiles lie inside their array.

Before:  %r = make_memref %A, [%M, %K], [%s, 1]
         %t = tiled_load %r[%i, %j]
After:   %r = make_memref %A, [%M, %K], [%s, 1]
              {base_div_by = 16, size_div_by = [1, 1], stride_div_by = [16, 2]}
         %t = tiled_load %r[%i, %j] {coord_div_by = [128, 64], in_bounds = [false, true]}

A slice of an array gets `start_div_by`, a divisor of the element where it begins.

The facts come from the kernel metadata (alignment of the arguments, `--assume`), from assumptions
in the IR and from index arithmetic. `base_div_by` and `stride_div_by` are in bytes, `size_div_by`
and `coord_div_by` in elements. Later passes read these attributes and infer nothing themselves.

A tile is `in_bounds` along a dim if its index is always less than the number of whole tiles. This
is known for a constant, for the variable of a loop over the tiles of a dim whose extent is a
multiple of the tile, and for a block coordinate of a grid with that many blocks. A tile is
`never_before` the array if its coordinate is made of such numbers without a subtraction.

A `gather`, `scatter` or `atomic` gets `run`, the elements that one vector access may take, and
`ragged` if the end of the array may come in the middle of them. A comparison of a tile of indices
with a limit gets `equal_run`, the neighbouring elements that are all below the limit or all not:
the columns of `arange(BN) < N` come in runs of 16 if N is a multiple of 16. It also
gets `exact_difference`, the operands that may be subtracted from the other one: the difference does
not wrap around.
"""

from typing import Any

from tilec.dialects.cute.registry import ELEMENT_BITS
from tilec.ir.bindings import ir
from tilec.ir.integers import i64
from tilec.ir.values import is_tile
from tilec.passes.analysis.facts.comparisons import equal_run, record_difference, record_run
from tilec.passes.analysis.facts.divisibility import Divisibility
from tilec.passes.analysis.facts.element_accesses import is_element_access
from tilec.passes.analysis.facts.index_ranges import TileBounds
from tilec.passes.analysis.facts.index_runs import ends_whole, longest_run
from tilec.passes.analysis.facts.value_ranges import ValueRanges
from tilec.passes.analysis.kernels import kernel_operations, tiled_access
from tilec.passes.registry import PassContext, register_kernel_pass

TILED = ("nv_tileaa.tiled_load", "nv_tileaa.tiled_store", "nv_tileaa.prefetch")
"""Accesses of whole tiles."""


@register_kernel_pass("nv-tileaa-infer-facts")
def infer_facts(function: Any, context: PassContext) -> None:
    """Infer divisors of addresses, extents and coordinates, and tiles that stay in bounds."""
    facts, bounds = Divisibility(function), TileBounds(function)
    ranges = ValueRanges.of_kernel(function)
    operations = kernel_operations(function)
    for op in operations:
        if op.name == "nv_tileaa.make_memref":
            _describe_memref(op, facts)
        elif op.name == "nv_tileaa.slice_base":
            op.attributes["start_div_by"] = i64(facts.of(op.opview.start))
    for op in operations:
        if op.name in TILED:
            _describe_access(op, facts, bounds)
        elif is_element_access(op):
            run = longest_run(op.opview, facts)
            op.attributes["run"] = i64(run)
            if not ends_whole(op.opview, run):
                op.attributes["ragged"] = ir.UnitAttr.get()
        elif op.name == "arith.cmpi" and is_tile(op.results[0]):
            record_run(op, equal_run(op, facts))
            record_difference(op, ranges)


def all_sizes(memref_op: Any) -> list[Any]:
    """Return the extent of each dim of a `make_memref`: an int or a value."""
    rest = iter(memref_op.opview.sizes)
    shape = memref_op.results[0].type.shape
    return [next(rest) if extent is None else extent for extent in shape]


def _describe_memref(op: Any, facts: Divisibility) -> None:
    view, type_ = op.opview, op.results[0].type
    element = ELEMENT_BITS[str(type_.element_type)] // 8
    sizes = [size if isinstance(size, int) else facts.of(size) for size in all_sizes(op)]
    rest = iter(view.strides)
    strides = [
        element * (facts.of(next(rest)) if stride is None else abs(stride))
        for stride in type_.strides
    ]
    op.attributes["base_div_by"] = i64(facts.of(view.base))
    op.attributes["size_div_by"] = ir.DenseI64ArrayAttr.get(sizes)
    op.attributes["stride_div_by"] = ir.DenseI64ArrayAttr.get(strides)


def _describe_access(op: Any, facts: Divisibility, bounds: TileBounds) -> None:
    access = tiled_access(op)
    memref = access.view.owner.operation
    divisors = [facts.of(coord) for coord in access.coords]
    inside = [
        bounds.holds(coord, extent, size, divisor)
        for coord, extent, size, divisor in zip(
            access.coords,
            access.tile_type.shape,
            all_sizes(memref),
            memref.attributes["size_div_by"],
            strict=True,
        )
    ]
    op.attributes["coord_div_by"] = ir.DenseI64ArrayAttr.get(divisors)
    op.attributes["in_bounds"] = ir.DenseBoolArrayAttr.get(inside)
    begins = [fits or bounds.never_before(c) for fits, c in zip(inside, access.coords, strict=True)]
    op.attributes["never_before"] = ir.DenseBoolArrayAttr.get(begins)
