"""Known divisors of integer and pointer values.

The lattice is that of divisors: 0 stands for the value 0 (everything divides it), 1 for nothing
known, and two facts about one value join by their greatest common divisor. Pointers count bytes,
integers themselves. Arithmetic is assumed not to overflow, as everywhere in index computations.
"""

from collections.abc import Callable
from math import gcd
from typing import Any

from tilec.dialects.cute.registry import ELEMENT_BITS
from tilec.ir.attributes import read_kernel_fact
from tilec.ir.bindings import ir
from tilec.passes.analysis.facts.slices import SLICE_BASE

UNKNOWN = 1


class Divisibility:
    """Divisors of the values of one kernel, computed on demand."""

    def __init__(self, function: Any) -> None:
        """Read what the metadata of `function` says about its parameters."""
        self._entry = function.regions[0].blocks[0]
        params = read_kernel_fact(function, "params", [])
        self._parameters = [param.get("div_by", UNKNOWN) for param in params]
        self._known: dict[Any, int] = {}

    def of(self, value: Any) -> int:
        """Return a divisor of `value`; 0 when the value is 0."""
        if value not in self._known:
            self._known[value] = UNKNOWN  # for a value that depends on itself
            self._known[value] = self._compute(value)
        return self._known[value]

    def _compute(self, value: Any) -> int:
        if isinstance(value, ir.BlockArgument):
            return self._of_argument(value)
        op = value.owner.operation
        if op.name == "arith.constant":
            attribute = op.attributes["value"]
            return abs(attribute.value) if isinstance(attribute, ir.IntegerAttr) else UNKNOWN
        if op.name.endswith(".assume"):
            return _combine(self.of(op.operands[0]), op.attributes["div_by"].value)
        if op.name.endswith(SLICE_BASE):
            return self._of_slice(op.opview)
        if op.name not in _TRANSFER or len(op.results) != 1:
            return UNKNOWN
        return _TRANSFER[op.name]([self.of(operand) for operand in op.operands])

    def _of_slice(self, op: Any) -> int:
        """Return a divisor, in bytes, of the address at which a slice begins."""
        memref, dim = op.memref.owner.opview, op.dim.value
        type_ = memref.memref.type
        given = iter(memref.strides)
        strides = [next(given) if stride is None else stride for stride in type_.strides]
        stride = strides[dim]
        step = abs(stride) if isinstance(stride, int) else self.of(stride)
        size = ELEMENT_BITS[str(type_.element_type)] // 8
        return gcd(self.of(memref.base), self.of(op.start) * step * size)

    def _of_argument(self, argument: Any) -> int:
        if argument.owner == self._entry:
            number = argument.arg_number
            return self._parameters[number] if number < len(self._parameters) else UNKNOWN
        parent = argument.owner.owner.operation
        if parent.name == "scf.for" and argument.arg_number == 0:
            return gcd(self.of(parent.operands[0]), self.of(parent.operands[2]))
        return UNKNOWN


def _combine(first: int, second: int) -> int:
    """Return the divisor of a value that both numbers divide."""
    if first == 0 or second == 0:
        return 0
    return first * second // gcd(first, second)


def _product(divisors: list[int]) -> int:
    return divisors[0] * divisors[1]


def _common(divisors: list[int]) -> int:
    return gcd(divisors[0], divisors[1])


def _same(divisors: list[int]) -> int:
    return divisors[0]


def _choice(divisors: list[int]) -> int:
    return gcd(divisors[1], divisors[2])


_TRANSFER: dict[str, Callable[[list[int]], int]] = {
    "arith.muli": _product,
    "arith.addi": _common,
    "arith.subi": _common,
    "arith.maxsi": _common,
    "arith.maxui": _common,
    "arith.minsi": _common,
    "arith.minui": _common,
    "arith.remsi": _common,
    "arith.remui": _common,
    "arith.extsi": _same,
    "arith.extui": _same,
    "arith.trunci": _same,
    "arith.index_cast": _same,
    "arith.select": _choice,
}
"""Divisor of the result from the divisors of the operands, by operation name."""
