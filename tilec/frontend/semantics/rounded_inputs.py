"""Which f32 values come from numbers of 16 bits or fewer, and so carry their rounding.

`exp2` of such a value is computed with `flush_to_zero`: what its input lost is far more than a
result below 2^-126. `exp` of it is computed as `exp2(x * log2(e))`, whose relative error of about
2^-22 + |x| 2^-23 (one rounding of the product, and CUDA math API, `exp2f`) is far less than the
|x| 2^-9 by which the rounding of the input changes the result. What loops carry counts as exact.
"""

from enum import IntEnum

from tilec.frontend.semantics import hir
from tilec.support.dtypes import DTYPES

_SHORT_BITS = 16


class Origin(IntEnum):
    """Where a float comes from."""

    NEUTRAL = 0
    """A constant or a scalar: it goes with anything."""
    ROUNDED = 1
    """Numbers of 16 bits or fewer, and neutral ones."""
    EXACT = 2
    """Anything else."""


_JOINED = frozenset(
    (
        *("addf", "subf", "maxf", "minf", "negf", "absf", "exp", "exp2", "log", "log2", "sqrt"),
        *("reduce", "scan"),
        *(
            "rsqrt",
            "sin",
            "cos",
            "tan",
            "tanh",
            "broadcast",
            "reshape",
            "permute",
            "extract",
            "cat",
        ),
    )
)
"""Operations whose result is as exact as the most exact operand."""
_PRODUCTS = frozenset(("mulf", "divf"))
"""Operations whose result is as rounded as the most rounded factor."""


class RoundedInputs:
    """Follows floats through a kernel, operation by operation in their order."""

    def __init__(self) -> None:
        """Start without values."""
        self._origins: dict[hir.Value, Origin] = {}

    def holds(self, value: hir.Value) -> bool:
        """Tell whether `value` is an f32 that carries the rounding of numbers of 16 bits."""
        kind = value.type
        is_f32 = isinstance(kind, hir.TileType) and kind.dtype == DTYPES["f32"]
        return is_f32 and self._of(value) is Origin.ROUNDED

    def note(self, op: hir.Operation) -> None:
        """Take in one operation, all of its regions having been taken in."""
        if op.name in ("for", "if"):
            for place, result in enumerate(op.results):
                self._set(result, self._join([block.yields[place] for block in op.regions]))
        elif len(op.results) == 1:
            self._set(op.results[0], self._origin(op))

    def _set(self, value: hir.Value, origin: Origin) -> None:
        if origin is not Origin.EXACT:
            self._origins[value] = origin

    def _of(self, value: hir.Value) -> Origin:
        if isinstance(value.type, hir.ScalarType):
            return Origin.NEUTRAL
        return self._origins.get(value, Origin.EXACT)

    def _join(self, values: list[hir.Value]) -> Origin:
        """Return the origin of what is computed from `values`."""
        return max((self._of(value) for value in values), default=Origin.EXACT)

    def _origin(self, op: hir.Operation) -> Origin:
        operands = list(op.operands)
        if op.name in ("constant", "splat"):
            return Origin.NEUTRAL
        if op.name == "ftof":
            return Origin.ROUNDED if _is_short(operands[0]) else self._of(operands[0])
        if op.name == "mmaf":
            return Origin.ROUNDED if _is_short(operands[0]) else Origin.EXACT
        if op.name == "select":
            return self._join(operands[1:])
        if op.name == "fma":
            return max(self._product(operands[:2]), self._of(operands[2]))
        if op.name in _PRODUCTS:
            return self._product(operands)
        return self._join(operands) if op.name in _JOINED else Origin.EXACT

    def _product(self, factors: list[hir.Value]) -> Origin:
        found = [self._of(value) for value in factors]
        return Origin.ROUNDED if Origin.ROUNDED in found else max(found)


def _is_short(value: hir.Value) -> bool:
    kind = value.type
    return isinstance(kind, hir.TileType) and kind.dtype.bits <= _SHORT_BITS
