"""Values as trees: what control flow can carry, and how two branches meet.

A region of `if`, `for` or `while` passes scalars and tiles. A tuple is carried leaf by leaf; a
constant becomes a run-time number where the branches differ; arrays, views and functions cannot be
chosen at run time, but may stay what they were.
"""

from collections.abc import Sequence

from tilec.frontend.semantics import hir, numeric
from tilec.frontend.semantics.context import Context
from tilec.frontend.semantics.facts.intervals import bounds_of, union
from tilec.frontend.semantics.values import (
    AnyValue,
    BuiltinValue,
    Constant,
    DTypeValue,
    FunctionValue,
    NoneValue,
    TupleValue,
    Unusable,
    describe,
)
from tilec.support.diagnostics import SourceSpan
from tilec.support.fast_dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Why two values cannot be one."""

    text: str


@dataclass(frozen=True, slots=True)
class Slot:
    """Stands for the n-th carried value inside a structure."""

    index: int


Shape = AnyValue | Slot | tuple["Shape", ...]


@dataclass(slots=True)
class Merged:
    """The meeting of two values: a structure with slots, and what each side puts into them."""

    shape: "Shape"
    types: list[hir.Type]
    leaves: tuple[list[hir.Value], list[hir.Value]]

    def rebuild(self, results: Sequence[hir.Value]) -> AnyValue:
        """Return the structure with `results` in its slots."""
        for index, (first, second) in enumerate(zip(*self.leaves, strict=True)):
            sides = bounds_of(first), bounds_of(second)
            if sides[0] is not None and sides[1] is not None:
                results[index].bounds = union(sides[0], sides[1])
        return fill(self.shape, results)


def fill(shape: "Shape", results: Sequence[hir.Value]) -> AnyValue:
    """Return `shape` with the slots replaced by `results`."""
    if isinstance(shape, Slot):
        return results[shape.index]
    if isinstance(shape, tuple):
        return TupleValue(tuple(fill(item, results) for item in shape))
    return shape


@dataclass(slots=True)
class _Merger:
    ctx: Context
    blocks: tuple[hir.Block, hir.Block]
    span: SourceSpan
    dead: int | None = None
    types: list[hir.Type] = field(default_factory=list)
    leaves: tuple[list[hir.Value], list[hir.Value]] = field(default_factory=lambda: ([], []))

    def merge(self, first: AnyValue, second: AnyValue) -> "Shape | Mismatch":
        if first is second or _same_constant(first, second):
            return first
        if isinstance(first, Unusable) or isinstance(second, Unusable):
            return first if isinstance(first, Unusable) else second
        if isinstance(first, TupleValue) and isinstance(second, TupleValue):
            return self._merge_tuples(first, second)
        if isinstance(first, NoneValue) and isinstance(second, NoneValue):
            return first
        if _is_leaf(first) and _is_leaf(second):
            return self._merge_leaves(first, second)
        return Mismatch(f"{describe(first)} and {describe(second)}")

    def merge_live(self, dead: AnyValue | None, live: AnyValue) -> "Shape | Mismatch":
        """Merge with a value that nothing reads; None where there is no such value."""
        if dead is live:
            return live
        if isinstance(live, TupleValue):
            others: Sequence[AnyValue | None] = (None,) * len(live.items)
            if isinstance(dead, TupleValue) and len(dead.items) == len(live.items):
                others = dead.items
            items: list[Shape] = []
            for other, item in zip(others, live.items, strict=True):
                part = self.merge_live(other, item)
                if isinstance(part, Mismatch):
                    return part
                items.append(part)
            return tuple(items)
        if isinstance(live, hir.Value) and _is_leaf(live):
            assert self.dead is not None
            with self.ctx.in_block(self.blocks[self.dead]):
                if isinstance(dead, hir.Value) and dead.type == live.type:
                    unread = dead
                else:
                    unread = placeholder(self.ctx, live, self.span)
            self.leaves[self.dead].append(unread)
            self.leaves[1 - self.dead].append(live)
            self.types.append(live.type)
            return Slot(len(self.types) - 1)
        if _is_fixed(live) or (dead is not None and dead == live):
            return live
        return Mismatch(f"only one branch has {describe(live)}")

    def _merge_tuples(self, first: TupleValue, second: TupleValue) -> "Shape | Mismatch":
        if len(first.items) != len(second.items):
            return Mismatch(f"{describe(first)} and {describe(second)}")
        items: list[Shape] = []
        for left, right in zip(first.items, second.items, strict=True):
            item = self.merge(left, right)
            if isinstance(item, Mismatch):
                return item
            items.append(item)
        return tuple(items)

    def _merge_leaves(self, first: AnyValue, second: AnyValue) -> "Shape | Mismatch":
        kind = self._common_type(first, second)
        if isinstance(kind, Mismatch):
            return kind
        for side, value in enumerate((first, second)):
            with self.ctx.in_block(self.blocks[side]):
                self.leaves[side].append(adapt(self.ctx, value, kind, self.span))
        self.types.append(kind)
        return Slot(len(self.types) - 1)

    def _common_type(self, first: AnyValue, second: AnyValue) -> "hir.Type | Mismatch":
        if isinstance(first, Constant) and isinstance(second, Constant):
            kinds = [numeric.weak_dtype(first.value), numeric.weak_dtype(second.value)]
            return hir.ScalarType(max(kinds, key=lambda item: (item.kind.value, item.bits)))
        for value, other in ((first, second), (second, first)):
            if isinstance(value, Constant) and isinstance(other, hir.Value):
                if adapts(value, other.type):
                    return other.type
                return Mismatch(f"{describe(first)} and {describe(second)}")
        if isinstance(first, hir.Value) and _has_type(second, first.type):
            return first.type
        return Mismatch(f"{describe(first)} and {describe(second)}")


def _is_fixed(value: AnyValue) -> bool:
    """Tell whether a value is the same wherever the kernel reads it."""
    if isinstance(value, FunctionValue):
        return value.closure is None
    return isinstance(value, Constant | NoneValue | DTypeValue | BuiltinValue | Unusable)


def placeholder(ctx: Context, value: hir.Value, span: SourceSpan) -> hir.Value:
    """Append a zero of the type of `value`, for where nothing reads it."""
    dtype, shape = numeric.dtype_of(value), numeric.shape_of(value)
    result = numeric.make_constant(ctx, 0, dtype, shape, span)
    result.bounds = value.bounds
    return result


def placeholders(ctx: Context, value: AnyValue, span: SourceSpan) -> AnyValue:
    """Return `value` with a placeholder for every value of the running kernel."""
    if isinstance(value, TupleValue):
        return TupleValue(tuple(placeholders(ctx, item, span) for item in value.items))
    return placeholder(ctx, value, span) if isinstance(value, hir.Value) else value


def _has_type(value: AnyValue, kind: hir.Type) -> bool:
    return isinstance(value, hir.Value) and value.type == kind


def _is_leaf(value: AnyValue) -> bool:
    return numeric.is_number(value)


def _same_constant(first: AnyValue, second: AnyValue) -> bool:
    if not isinstance(first, Constant) or not isinstance(second, Constant):
        return first == second and not isinstance(first, hir.Value)
    same_type = type(first.value) is type(second.value)
    return same_type and repr(first.value) == repr(second.value)


def adapts(value: Constant, kind: hir.Type) -> bool:
    """Tell whether a number of the source can be a scalar of that type."""
    if not isinstance(kind, hir.ScalarType) or not numeric.is_number(value):
        return False
    weak = numeric.weak_dtype(value.value)
    return weak.kind.value <= kind.dtype.kind.value and (
        weak is numeric.BOOL or kind.dtype is not numeric.BOOL
    )


def adapt(ctx: Context, value: AnyValue, kind: hir.Type, span: SourceSpan) -> hir.Value:
    """Return a leaf as a run-time value of type `kind`, which it has or adapts to."""
    if isinstance(value, Constant) and isinstance(kind, hir.ScalarType):
        numeric.check_fits(ctx, value, kind.dtype, value.span)
        return numeric.make_constant(ctx, value.value, kind.dtype, (), span)
    if isinstance(value, hir.Value):
        return value
    raise TypeError(f"{describe(value)} is not a scalar or tile")


def merge_branches(
    ctx: Context,
    first: AnyValue,
    second: AnyValue,
    blocks: tuple[hir.Block, hir.Block],
    span: SourceSpan,
) -> Merged | Mismatch:
    """Return how the values of two branches meet; constants are materialised in the branches."""
    merger = _Merger(ctx, blocks, span)
    return _merged(merger, merger.merge(first, second))


def merge_with_dead(
    ctx: Context,
    values: tuple[AnyValue | None, AnyValue | None],
    dead: int,
    blocks: tuple[hir.Block, hir.Block],
    span: SourceSpan,
) -> Merged | Mismatch:
    """Return how the values of two branches meet where nothing reads that of branch `dead`.

    Args:
        ctx: The analysis.
        values: The value in each branch; the one of branch `dead` may be None.
        dead: Index of the branch after which nothing reads the variable.
        blocks: The branches.
        span: The statement.
    """
    live = values[1 - dead]
    assert live is not None
    merger = _Merger(ctx, blocks, span, dead)
    return _merged(merger, merger.merge_live(values[dead], live))


def _merged(merger: _Merger, shape: "Shape | Mismatch") -> Merged | Mismatch:
    if isinstance(shape, Mismatch):
        return shape
    return Merged(shape, merger.types, merger.leaves)


@dataclass(slots=True)
class Carried:
    """A variable that a loop carries: its structure and what goes in."""

    shape: "Shape"
    initial: list[hir.Value]
    weak: list[Constant | None]

    @property
    def types(self) -> list[hir.Type]:
        """Types of the carried values."""
        return [item.type for item in self.initial]


def open_carried(
    ctx: Context, value: AnyValue, span: SourceSpan, dtypes: Sequence[hir.Type | None] = ()
) -> Carried | None:
    """Cut a variable into the values that a loop carries, or return None when it cannot be.

    Args:
        ctx: The analysis.
        value: The variable before the loop.
        span: The loop.
        dtypes: Per leaf the type that a constant takes; by default its own.
    """
    carried = Carried((), [], [])

    def visit(item: AnyValue) -> "Shape | None":
        if isinstance(item, TupleValue):
            parts = [visit(part) for part in item.items]
            known = tuple(part for part in parts if part is not None)
            return known if len(known) == len(parts) else None
        if not numeric.is_number(item) or not isinstance(item, Constant | hir.Value):
            return None
        index = len(carried.initial)
        forced = dtypes[index] if index < len(dtypes) else None
        if isinstance(item, Constant) and forced is not None:
            leaf = adapt(ctx, item, forced, span)
        else:
            leaf = numeric.materialize(ctx, item, span)
        carried.initial.append(leaf)
        carried.weak.append(item if isinstance(item, Constant) else None)
        return Slot(index)

    shape = visit(value)
    if shape is None:
        return None
    carried.shape = shape
    return carried


def flatten(value: AnyValue) -> list[AnyValue]:
    """Return the leaves of a value."""
    if isinstance(value, TupleValue):
        return [leaf for item in value.items for leaf in flatten(item)]
    return [value]


def same_structure(shape: "Shape", value: AnyValue) -> bool:
    """Tell whether `value` has the tuples that `shape` has."""
    if isinstance(shape, tuple):
        return (
            isinstance(value, TupleValue)
            and len(shape) == len(value.items)
            and all(same_structure(*pair) for pair in zip(shape, value.items, strict=True))
        )
    return not isinstance(value, TupleValue)
