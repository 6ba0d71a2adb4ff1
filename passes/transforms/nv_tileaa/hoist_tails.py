"""Compute once, after a branch, what both of its sides compute last.

Before:  %y, %m = scf.if %c {
           %a = max (mulf (reduce %x), %s); %p = fma %x, %s, (negf %a); yield %p, %a
         } else {
           %t = fma %x, %s, %mask; %b = max (reduce %t); %q = subf %t, %b; yield %q, %b }
After:   %z = scf.if %c { yield %x } else { %t = fma %x, %s, %mask; yield %t }
         %f = select %c, %s, 1.0; %m = max (mulf (reduce %z), %f); %y = fma %z, %f, (negf %m)

Attention scales scores while it subtracts the largest one; where a mask is added, it scales them
before. A branch between the two is a border for ptxas and for `nv-tileas-straddle-waits`, and what
one side does is nearly what the other one does. Both are made the same: a number is its product
with 1, and a difference is a multiply-add with 1 and a negated tile. Neither changes a result. What
the sides still have to themselves remains in the branch.

The pass looks at branches of loops with products, and changes one if its results then take no more
registers than before.
"""

from math import prod
from typing import Any

from tilec.ir.bindings import arith, ir, scf
from tilec.ir.removal import erase, is_used
from tilec.ir.structured import (
    body_operations,
    clone_whole,
    defining_operation,
    parent_operation,
    terminator,
)
from tilec.ir.values import block_of
from tilec.passes.analysis.facts.equal_bodies import same_form
from tilec.passes.analysis.facts.round_places import only_computes
from tilec.passes.analysis.kernels import kernel_operations
from tilec.passes.analysis.mma.product_loops import multiplies
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.support.fast_dataclasses import dataclass, field

_SPLAT = "nv_tileaa.splat"
_PRODUCT, _DIFFERENCE, _FUSED, _NEGATION = "arith.mulf", "arith.subf", "math.fma", "arith.negf"
_RENAMING = frozenset(f"nv_tileaa.{name}" for name in ("broadcast", "permute", "splat", "view"))
_ONE = 1.0


@dataclass(frozen=True)
class _Negated:
    """The negative of a value that is not computed yet."""

    value: Any


@dataclass(frozen=True)
class _Number:
    """A scalar that is not emitted yet."""

    value: float
    type: Any


@dataclass(frozen=True)
class _Leaf:
    """What the branch still returns: the result with a number."""

    number: int


@dataclass(frozen=True)
class _Node:
    """An operation after the branch: one of a side, on other operands.

    Attributes:
        template: The operation.
        operands: Values from outside of the branch, leaves and nodes.
    """

    template: Any
    operands: tuple[Any, ...]


@register_kernel_pass("nv-tileaa-hoist-tails")
def hoist_tails(function: Any, context: PassContext) -> bool:
    """Move what both sides of a branch compute to after the branch."""
    changed = False
    for branch in [op for op in kernel_operations(function) if _is_candidate(op)]:
        tails = _Tails(branch)
        roots = [tails.join(*pair) for pair in _yielded(branch)]
        if any(isinstance(root, _Node) for root in roots) and tails.fits():
            tails.emit(roots)
            changed = True
    return changed


def _is_candidate(op: Any) -> bool:
    """Tell whether `op` is a branch of a loop with products, with two sides and results."""
    if op.name != "scf.if" or not len(op.results):
        return False
    loop = parent_operation(op)
    return loop.name == "scf.for" and multiplies(loop)


def _yielded(branch: Any) -> list[tuple[Any, Any]]:
    sides = (terminator(region.blocks[0]).operands for region in branch.regions)
    return list(zip(*sides, strict=True))


def _elements(type_: Any) -> int:
    """Return the elements of a tile, which all take registers, or 1."""
    return prod(type_.shape) if isinstance(type_, ir.RankedTensorType) else 1


@dataclass
class _Tails:
    """Finds what both sides of a branch compute.

    Attributes:
        branch: The branch.
        leaves: What it still returns, from the first and from the second side.
        known: What became of pairs of values.
    """

    branch: Any
    leaves: list[tuple[Any, Any]] = field(default_factory=list)
    known: dict[tuple[Any, Any], Any] = field(default_factory=dict)

    def fits(self) -> bool:
        """Tell whether the leaves take no more registers than the results of the branch."""
        before = sum(_elements(result.type) for result in self.branch.results)
        return sum(_elements(_type_of(first)) for first, _ in self.leaves) <= before

    def join(self, first: Any, second: Any) -> Any:
        """Return what is `first` after the first side, and `second` after the second one."""
        key = (first, second)
        if key not in self.known:
            found = self._same(first, second)
            if found is None:
                self.leaves.append(key)
                found = _Leaf(len(self.leaves) - 1)
            self.known[key] = found
        return self.known[key]

    def _same(self, first: Any, second: Any) -> Any:
        """Return the outer value or the node that stands for both, or None."""
        if isinstance(first, _Number) or isinstance(second, _Number):
            return None
        if isinstance(first, _Negated) or isinstance(second, _Negated):
            return self._negated(first, second)
        if first == second:
            return first
        a, b = self._maker(first), self._maker(second)
        if a is not None and b is not None and same_form(a, b):
            return _Node(a, self._operands(a.operands, b.operands))
        for op, value, other, turned in ((a, second, b, False), (b, first, a, True)):
            found = None if op is None else self._as_multiple(op, value, other, turned)
            if found is not None:
                return found
        return None

    def _operands(self, first: Any, second: Any, turned: bool = False) -> tuple[Any, ...]:
        pairs = zip(second, first, strict=True) if turned else zip(first, second, strict=True)
        return tuple(self.join(*pair) for pair in pairs)

    def _as_multiple(self, op: Any, value: Any, maker: Any, turned: bool) -> Any:
        """Return a node for a product or a multiply-add of one side, and a value of the other.

        Args:
            op: What makes the value of the one side.
            value: The value of the other side.
            maker: What makes that; None outside of the branch.
            turned: Whether the one side is the second one.
        """
        parts = [value] if op.name == _PRODUCT else []
        if op.name == _FUSED and maker is not None and maker.name == _DIFFERENCE:
            parts = list(maker.operands)
        scale = _scale_of(op)
        if scale is None or not parts:
            return None
        splat = op.operands[scale].owner.operation
        (scalar,) = splat.operands
        number = _Number(_ONE, scalar.type)
        whole, *taken = parts
        factor = _Node(splat, self._operands([scalar], [number], turned))
        (scaled,) = self._operands([op.operands[1 - scale]], [whole], turned)
        factors = (scaled, factor) if scale else (factor, scaled)
        added = self._operands(list(op.operands)[2:], [_Negated(item) for item in taken], turned)
        return _Node(op, (*factors, *added))

    def _negated(self, first: Any, second: Any) -> Any:
        """Return a node for a negated value of one side, and one of the other; None for two."""
        turned = isinstance(first, _Negated)
        value, negated = (second, first) if turned else (first, second)
        if isinstance(value, _Negated):
            return None
        a, b = self._maker(value), self._maker(negated.value)
        if a is not None and a.name == _NEGATION:
            return _Node(a, self._operands([a.operands[0]], [negated.value], turned))
        renames = a is not None and a.name in _RENAMING
        if a is not None and b is not None and renames and same_form(a, b):
            return _Node(a, self._operands([a.operands[0]], [_Negated(b.operands[0])], turned))
        return None

    def _maker(self, value: Any) -> Any:
        """Return the operation of the branch that makes a value, if it can stand after it."""
        op = None if self._is_outer(value) else defining_operation(value)
        if op is None:
            return None
        return op if only_computes(op) and len(op.results) == 1 and len(op.operands) else None

    def emit(self, roots: list[Any]) -> None:
        """Replace the branch by one that returns the leaves, and compute the roots after it.

        Scalars from outside of it are chosen without the branch, as canonicalization would do.
        """
        branch = self.branch
        returned = [pair for pair in self.leaves if not all(map(self._is_known, pair))]
        with ir.InsertionPoint(branch), branch.location:
            types = [_type_of(first) for first, _ in returned]
            made = scf.IfOp(branch.operands[0], types, has_else=True)
            results = dict(zip(returned, made.results, strict=True))
            leaves = [
                results[pair] if pair in results else self._chosen(pair) for pair in self.leaves
            ]
            for number, block in enumerate((made.then_block, made.else_block)):
                *moved, _ = body_operations(branch.regions[number].blocks[0])
                for op in moved:
                    block.append(op)
                with ir.InsertionPoint(block):
                    scf.YieldOp([_emitted(pair[number]) for pair in returned])
            built: dict[int, Any] = {}
            for result, root in zip(branch.results, roots, strict=True):
                result.replace_all_uses_with(_build(root, leaves, built))
        erase(branch)
        for region in made.operation.regions:
            _erase_unused(region.blocks[0])

    def _is_known(self, value: Any) -> bool:
        """Tell whether a value is a scalar from outside of the branch."""
        if isinstance(value, _Number):
            return True
        is_scalar = not isinstance(_type_of(value), ir.RankedTensorType)
        return is_scalar and not isinstance(value, _Negated) and self._is_outer(value)

    def _is_outer(self, value: Any) -> bool:
        return block_of(value) not in [region.blocks[0] for region in self.branch.regions]

    def _chosen(self, pair: tuple[Any, Any]) -> Any:
        return arith.select(self.branch.operands[0], *map(_emitted, pair))


def _build(item: Any, leaves: list[Any], built: dict[int, Any]) -> Any:
    """Emit a node, once, and return its result."""
    if isinstance(item, _Leaf):
        return leaves[item.number]
    if not isinstance(item, _Node):
        return item
    if id(item) not in built:
        operands = [_build(operand, leaves, built) for operand in item.operands]
        clone = clone_whole(item.template, {})
        for number, operand in enumerate(operands):
            clone.operands[number] = operand
        built[id(item)] = clone.results[0]
    return built[id(item)]


def _scale_of(op: Any) -> int | None:
    """Return which factor of a product or a multiply-add is a scalar for all elements, or None."""
    if op.name not in (_PRODUCT, _FUSED):
        return None
    makers = [defining_operation(factor) for factor in list(op.operands)[:2]]
    splats = [n for n, maker in enumerate(makers) if maker is not None and maker.name == _SPLAT]
    return splats[-1] if splats else None


def _type_of(value: Any) -> Any:
    return _type_of(value.value) if isinstance(value, _Negated) else value.type


def _emitted(value: Any) -> Any:
    """Emit what is not computed yet, and return the value."""
    if isinstance(value, _Number):
        return arith.constant(value.type, value.value)
    if isinstance(value, _Negated):
        return ir.Operation.create(_NEGATION, [value.value.type], [value.value]).result
    return value


def _erase_unused(block: Any) -> None:
    """Erase what was computed for results that are computed after the branch now."""
    for op in reversed(body_operations(block)[:-1]):
        if only_computes(op) and not is_used(op):
            erase(op)
