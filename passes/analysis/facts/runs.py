"""Runs: neighbouring elements of a row that a thread loads by aligned vectors.

A vector access moves elements that are all inside of the array or all outside, from an address that
is a multiple of its size. Where that is not known of a row, an access of narrow elements moves one.
But an aligned vector may be read whole if it holds an element of the array, so a thread can load a
run by the vectors that hold it (`passes/conversion/nv_tileas_to_llvm/memory/shifted_loads.py`).
"""

from typing import Any

from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.attributes import elements_of
from tilec.layout import RegisterLayout
from tilec.passes.analysis.facts.divisibility import UNKNOWN
from tilec.passes.analysis.kernels import tiled_access

RUN_BYTES = 16
"""Bytes of a run: the widest access of a thread (PTX ISA, ld)."""
NARROW_BITS = 16
"""Widest elements that gain. Loading a run of 32-bit elements one by one takes as many instructions
as shifting it."""
WIDEST_ACCESS = 32
"""Bits of the widest accesses of a thread, without runs, that gain. Layer norm of 4096x10002, whose
rows begin at multiples of 4 bytes, has 0.83 of the speed of a copy with runs, 0.61 without (H100,
docs/measurements/2026-11-27-alignments.md)."""


def run_elements(load: Any, vector_bits: int) -> int:
    """Return the elements of a run of a tiled load; 0 where runs do not serve.

    Args:
        load: The load.
        vector_bits: Of its accesses without runs.
    """
    access = tiled_access(load)
    view, bits = load.opview, element_bits(access.tile_type.element_type)
    if bits not in (8, NARROW_BITS) or vector_bits > WIDEST_ACCESS:
        return 0
    begins_inside = view.in_bounds[-1] or view.never_before[-1]
    return RUN_BYTES * 8 // bits if access.view.type.strides[-1] == 1 and begins_inside else 0


def run_length(load: Any, layout: RegisterLayout) -> int:
    """Return the elements of a run that is loaded by aligned vectors; 0 where runs do not serve.

    Args:
        load: The load.
        layout: Of the loaded tile.
    """
    length = run_elements(load, load.opview.atom.vector_bits)
    return length if length and layout.vector_width(layout.rank - 1, length) == length else 0


def are_runs_aligned(load: Any) -> bool:
    """Tell whether every run of a tiled load begins at a multiple of its size."""
    access = tiled_access(load)
    memref = access.view.owner.operation
    size = element_bits(access.tile_type.element_type) // 8
    base = memref.attributes.get("base_div_by")
    pitches = _divisors(memref, "stride_div_by")[:-1]
    columns = _divisors(load, "coord_div_by")[-1] * size
    known = (UNKNOWN if base is None else base.value, *pitches, columns)
    return all(divisor % RUN_BYTES == 0 for divisor in known)


def _divisors(op: Any, name: str) -> tuple[int, ...]:
    """Return the divisors that `nv-tileaa-infer-facts` wrote; one dim of none without it."""
    attribute = op.attributes.get(name)
    return (UNKNOWN,) if attribute is None else tuple(elements_of(attribute))
