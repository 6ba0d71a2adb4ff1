"""Which f32 values come from numbers of 16 bits or fewer, and so carry their rounding.

`exp2` of such a value is computed with `flush_to_zero`: what its input lost is far more than a
result below 2^-126. `exp` of it is computed as `exp2(x * log2(e))`, whose relative error of about
2^-22 + |x| 2^-23 (one rounding of the product, and CUDA math API, `exp2f`) is far less than the
|x| 2^-9 by which the rounding of the input changes the result. What a `for` loop carries is as
exact as the most exact of what enters it and what its rounds pass on; a `while` carries exact
values.
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


_MAX_ROUNDS = 8
"""Rounds over a kernel after which all that loops carry counts as exact."""


class RoundedInputs:
    """Knows the origins of the floats of a kernel."""

    def __init__(self, body: hir.Block) -> None:
        """Follow the floats of a kernel, operation by operation, until loops carry nothing new."""
        self._origins: dict[hir.Value, Origin] = {}
        self._carried: dict[hir.Value, Origin] = {}
        for _ in range(_MAX_ROUNDS):
            before = dict(self._carried)
            self._follow(body)
            if self._carried == before:
                return
        self._carried = dict.fromkeys(self._carried, Origin.EXACT)
        self._follow(body)

    def holds(self, value: hir.Value) -> bool:
        """Tell whether `value` is an f32 that carries the rounding of numbers of 16 bits."""
        kind = value.type
        is_f32 = isinstance(kind, hir.TileType) and kind.dtype == DTYPES["f32"]
        return is_f32 and self._of(value) is Origin.ROUNDED

    def _follow(self, block: hir.Block) -> None:
        for op in block.operations:
            if op.name == "for":
                self._follow_loop(op)
                continue
            for region in op.regions if op.name in ("if", "while") else ():
                self._follow(region)
            if op.name == "if":
                for place, result in enumerate(op.results):
                    self._set(result, self._join([region.yields[place] for region in op.regions]))
            elif len(op.results) == 1:
                self._set(op.results[0], self._origin(op))

    def _follow_loop(self, op: hir.Operation) -> None:
        """Follow the body of a loop with what is known of the values that it carries."""
        body = op.regions[0]
        arguments = body.arguments[1:]
        initial = op.operands[len(op.operands) - len(arguments) :]
        for argument, value in zip(arguments, initial, strict=True):
            known = self._carried.get(argument, Origin.NEUTRAL)
            self._carried[argument] = max(known, self._of(value))
            self._set(argument, self._carried[argument])
        self._follow(body)
        for argument, value, result in zip(arguments, body.yields, op.results, strict=True):
            self._carried[argument] = max(self._carried[argument], self._of(value))
            self._set(result, self._carried[argument])

    def _set(self, value: hir.Value, origin: Origin) -> None:
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
