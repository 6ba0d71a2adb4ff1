"""Results of accesses that one thread gets and others need.

An atomic operation is performed once for each element, and a load that is not weak has to give all
threads the same. Where several threads hold an element, or the element is a scalar, one of them
does it and passes the result on through a scratch area in shared memory.
"""

from math import prod
from typing import Any

from tilec.dialects.common.accesses import must_happen
from tilec.dialects.common.element_access import element_of, shape_of
from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.removal import is_read
from tilec.ir.values import is_tile
from tilec.passes.analysis.facts.element_accesses import is_element_access
from tilec.passes.analysis.tma.shared_layouts import register_layout_of


def returns_once(op: Any) -> bool:
    """Tell whether `op` has a result that its access may give one thread only."""
    if not is_element_access(op) or not must_happen(op) or len(op.results) == 1:
        return False
    return is_read(op.results[0])


def needs_exchange(op: Any) -> bool:
    """Tell whether threads get the result of `op` from another one; layouts must be known."""
    if not returns_once(op):
        return False
    result = op.results[0]
    if not is_tile(result):
        return True
    return bool(register_layout_of(result).replica_terms())


def exchanged_bytes(op: Any) -> int:
    """Return the bytes of the result of `op`."""
    type_ = op.results[0].type
    return prod(shape_of(type_)) * element_bits(element_of(type_)) // 8
