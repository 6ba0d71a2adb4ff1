"""Layout algebra: where the elements of a tile live. Pure Python, no MLIR.

`register.py` says which thread holds an element in which register, `shared.py` where it lies in
shared memory, `addressing.py` which part of its address is a constant, `matrix_accesses.py` which
tiles `stmatrix` and `ldmatrix` move, `descriptors.py` how wgmma addresses it there, `banks.py` what
an access costs.
"""

from tilec.layout.addressing import move_after_swizzle, thread_bits
from tilec.layout.banks import AccessCost, access_cost, matrix_access_cost, wavefronts
from tilec.layout.constructors import (
    blocked,
    choose_blocked,
    warpgroup_share,
    wgmma_a_fragment,
    wgmma_accumulator,
)
from tilec.layout.descriptors import descriptor_fields, k_step_bytes, row_block_bytes
from tilec.layout.errors import LayoutError
from tilec.layout.matrix_accesses import MatrixAccesses, matrix_accesses
from tilec.layout.modes import Mode, Owner, ThreadTerm
from tilec.layout.parts import TilePart, sliced_from, tile_slice, warpgroup_part
from tilec.layout.register import RegisterLayout
from tilec.layout.shared import (
    MAX_BOX_EXTENT,
    AddressTerm,
    SharedLayout,
    Swizzle,
    choose_swizzle,
    matmul_operand,
    row_major,
    tma_boxes,
)
from tilec.layout.units import axis_in, box_of_view, differ_in_units, without_units

__all__ = [
    "MAX_BOX_EXTENT",
    "AccessCost",
    "AddressTerm",
    "LayoutError",
    "MatrixAccesses",
    "Mode",
    "Owner",
    "RegisterLayout",
    "SharedLayout",
    "Swizzle",
    "ThreadTerm",
    "TilePart",
    "access_cost",
    "axis_in",
    "blocked",
    "box_of_view",
    "choose_blocked",
    "choose_swizzle",
    "descriptor_fields",
    "differ_in_units",
    "k_step_bytes",
    "matmul_operand",
    "matrix_access_cost",
    "matrix_accesses",
    "move_after_swizzle",
    "row_block_bytes",
    "row_major",
    "sliced_from",
    "thread_bits",
    "tile_slice",
    "tma_boxes",
    "warpgroup_part",
    "warpgroup_share",
    "wavefronts",
    "wgmma_a_fragment",
    "wgmma_accumulator",
    "without_units",
]
