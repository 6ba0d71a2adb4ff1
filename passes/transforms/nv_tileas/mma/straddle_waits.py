"""Let the special functions of a tile straddle the wait for a product.

Before:  %t = reduce %s; ...; %b = broadcast %top; %x = fma %s, %c, %b; %p = exp2 %x; anchor %p
         %d = mma_wait %g, %m
         %sum = reduce (view %p); %a = truncf %p
After:   %t = reduce %s; ...; %x0 = fma %s[0], %c0, (broadcast %top[0]); %p0 = exp2 %x0
         %sum0 = reduce {serial} (view %p0); anchor %sum0
         %d = mma_wait %g, %m; %h = hold %top[1], %d
         %x1 = fma %s[1], %c1, (broadcast %h); %p1 = exp2 %x1; %sum1 = reduce {serial} (view %p1)
         %sum = join %sum0, %sum1; %p = join %p0, %p1; %a = truncf %p

`[0]` and `[1]` are the first and the last eight rows of each 16, which `view`, `tile_slice` and
`cat` take and join. A thread holds one row of each (PTX ISA, wgmma): they cost no instruction.

Special functions and other arithmetic run on different units of an SM, and overlap where a warp has
instructions of both kinds to issue. Without the cut, a softmax has two parts of only one kind: all
largest scores before the first special function, and sums and conversions after the last one. With
it, largest scores of the last rows are found during the special functions of the first rows. What
comes after the wait overlaps with the special functions of the last rows.

The special functions, and the element-wise operations before them, read a vector with one value for
each row, which is broadcast. For the last rows, `hold` returns this vector: it is small, and what
is computed from the result cannot move before the wait. Arithmetic after the wait that needs
neither the product nor the special functions moves before it.

Sums are `serial`: each addition follows its special function, and fewer registers wait for a
partner. The round that a rotated loop begins with adds in the same order. Serial, too, is the
search for the largest scores of long rows (`tilec/plan/reductions.py`).
"""

from typing import Any

from tilec.dialects.common.shape_ops import tile_type
from tilec.dialects.nv_tileas import AnchorOp, HoldOp, MmaWaitOp, TileSliceOp
from tilec.dialects.nv_tileas.tile_ops import BroadcastOp, CatOp, ReduceOp, SplatOp, ViewOp
from tilec.ir.bindings import arith, ir
from tilec.ir.constants import resized
from tilec.ir.likeness import like
from tilec.ir.removal import erase, is_used
from tilec.ir.sequences import operations_after, operations_between
from tilec.ir.structured import body_operations, clone_whole, defining_operation, next_operation
from tilec.ir.values import block_of, users_of
from tilec.passes.analysis.kernels import kernel_operations
from tilec.passes.analysis.schedule.loop_graph import operands_of
from tilec.passes.analysis.schedule.op_costs import (
    is_elementwise,
    is_name,
    is_special,
    op_cost,
    registers_of,
)
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.plan.reductions import chains_long_row
from tilec.support.fast_dataclasses import dataclass

ANCHOR = AnchorOp.OPERATION_NAME
_BLOCK, _HALF = 16, 8
"""Rows of a block of an accumulator, and how far apart the two rows of it are that a thread holds
(PTX ISA, wgmma, accumulator fragments)."""


@register_kernel_pass("nv-tileas-straddle-waits")
def straddle_waits(function: Any, context: PassContext) -> bool:
    """Cut the special functions that stand before a wait, where arithmetic follows it."""
    anchors = [op for op in kernel_operations(function) if op.name == ANCHOR]
    cuts = list(filter(None, map(_find_cut, anchors)))
    summed = {reduce.operands[0].type for cut in cuts for _, reduce in cut.sums()}
    for cut in cuts:
        cut.run()
    _add_alike(function, summed)
    return bool(cuts)


def _add_alike(function: Any, types: set[Any]) -> None:
    """Let every round sum up in the same order: also the one that a rotated loop begins with.

    Then a sum has the same bits whatever round is the first one, so it does not change where
    hidden rounds are left out (`nv-tileaa-skip-hidden-tiles`).

    Args:
        function: The kernel.
        types: Types of tiles whose sums are cut.
    """
    for op in kernel_operations(function):
        if op.name == ReduceOp.OPERATION_NAME and op.operands[0].type in types:
            maker = defining_operation(registers_of(op.operands[0]))
            if maker is not None and is_special(maker):
                op.opview.make_serial()


def _find_cut(anchor: Any) -> "_Cut | None":
    """Return how to cut what an anchor keeps before a wait, or None."""
    wait = next_operation(anchor)
    special = _special(anchor, wait)
    if special is None or not _has_halves(special.results[0].type):
        return None
    chain = _chain(special)
    held = next(filter(None, (_row_vector(value) for op in chain for value in op.operands)), None)
    readers = _readers(special, wait)
    if held is None or not all(op == anchor or _moves_freely(op) for op in readers):
        return None
    return _Cut(anchor, wait, chain, held, [op for op in readers if op != anchor])


def _special(anchor: Any, wait: Any) -> Any:
    """Return the special function that takes longest of those that a product hides, or None."""
    product = (
        None if wait.name != MmaWaitOp.OPERATION_NAME else defining_operation(wait.operands[0])
    )
    if product is None or product.block != wait.block:
        return None
    hidden = operations_between(product, anchor)
    return max(filter(is_special, hidden), key=lambda op: op_cost(op, 1).cycles, default=None)


def _readers(special: Any, wait: Any) -> list[Any]:
    """Return the operations before a wait that need a special function, in order."""
    needed, found = {*special.results}, []
    for op in operations_between(special, wait):
        if any(value in needed for value in operands_of(op)):
            needed.update(op.results)
            found.append(op)
    return found


def _chain(special: Any) -> list[Any]:
    """Return `special` and the element-wise operations that compute only its operands, in order."""
    found = {special}
    pending = [special]
    while pending:
        for value in pending.pop().operands:
            maker = defining_operation(value)
            if maker is not None and maker.block == special.block and is_elementwise(maker):
                users = {*users_of(maker.results[0])}
                if users <= found and maker.results[0].type.shape == special.results[0].type.shape:
                    found.add(maker)
                    pending.append(maker)
    return [op for op in body_operations(special.block) if op in found]


def _row_vector(value: Any) -> Any:
    """Return the vector of rows whose broadcast `value` is, or None."""
    maker = defining_operation(value)
    if maker is None or maker.name != BroadcastOp.OPERATION_NAME:
        return None
    source = maker.operands[0]
    words = str(source.type.element_type) in ("f32", "i32")
    return (
        source if block_of(source) == maker.block and words and source.type.shape[-1] == 1 else None
    )


@dataclass(frozen=True)
class _Cut:
    """Special functions of a tile, which are cut by rows.

    Attributes:
        anchor: What keeps them before the wait.
        wait: The wait.
        chain: The special function, last, and the operations that compute its operands.
        held: The vector of rows that rows after the wait read.
        readers: Operations before the wait that need the special function, in order.
    """

    anchor: Any
    wait: Any
    chain: list[Any]
    held: Any
    readers: list[Any]

    def run(self) -> None:
        """Replace the special functions by those of the first and of the last rows."""
        special, sums = self.chain[-1], self.sums()
        self._hoist()
        for op in reversed(self.readers):
            op.move_after(self.wait)
        with ir.InsertionPoint(self.anchor), special.location:
            early = self._half(0, _half(self.held, 0))
            totals = [_summed(early, *pair) for pair in sums]
            for tile in totals or [early]:
                AnchorOp(tile=tile)
        with ir.InsertionPoint.after(self.wait), special.location:
            late = self._half(1, HoldOp.build(_half(self.held, 1), self.wait.results[0]))
            for total, (view, reduce) in zip(totals, sums, strict=True):
                both = _joined(total, _summed(late, view, reduce))
                reduce.results[0].replace_all_uses_with(both)
            joined = _joined(early, late)
        special.results[0].replace_all_uses_with(joined)
        self._find_tops_in_chains()
        reduced = [op for view, reduce in sums for op in (reduce, view)]
        makers = {defining_operation(value) for op in self.chain for value in op.operands}
        makers -= {None, *self.chain}
        for op in (self.anchor, *reduced, *reversed(self.chain)):
            erase(op)
        for maker in filter(_is_unused, makers):
            erase(maker)

    def _hoist(self) -> None:
        """Move arithmetic that needs neither the product nor the special functions before them."""
        late = (self.wait, self.chain[-1], *self.readers)
        needed = {value for op in late for value in op.results}
        for op in operations_after(self.wait)[:-1]:
            if any(value in needed for value in operands_of(op)) or not _moves_freely(op):
                needed.update(op.results)
            else:
                op.move_before(self.anchor)

    def sums(self) -> list[tuple[Any, Any]]:
        """Return the views of the tile, and the reductions of them along their rows."""
        rows = self.chain[-1].results[0].type.shape[0]
        found = []
        for view in filter(is_name, users_of(self.chain[-1].results[0])):
            users = users_of(view.results[0])
            if [op.name for op in users] != [ReduceOp.OPERATION_NAME]:
                continue
            (reduce,) = users
            along_rows = view.results[0].type.shape[0] == rows and reduce.opview.axis.value > 0
            if along_rows and len(reduce.operands) == 1:
                found.append((view, reduce))
        return found

    def _find_tops_in_chains(self) -> None:
        """Let the reductions from which `held` is computed combine long rows in one chain."""
        pending, seen = [self.held], set[Any]()
        while pending:
            maker = defining_operation(pending.pop())
            if maker is None or maker in seen or maker.block != self.chain[-1].block:
                continue
            seen.add(maker)
            if maker.name == ReduceOp.OPERATION_NAME:
                if chains_long_row(maker.operands[0].type.shape[-1]):
                    maker.opview.make_serial()
            elif is_name(maker) or is_elementwise(maker):
                pending += maker.operands

    def _half(self, part: int, held: Any) -> Any:
        """Emit the special functions of the first or last rows, with what computes them."""
        values: dict[Any, Any] = {}
        for op in self.chain:
            operands = [
                values[value] if value in values else self._operand(value, part, held)
                for value in op.operands
            ]
            (result,) = op.results
            values[result] = _alike(op, operands, _half_type(result.type))
        return values[self.chain[-1].results[0]]

    def _operand(self, value: Any, part: int, held: Any) -> Any:
        """Emit the first or last rows of a tile."""
        maker, type_ = defining_operation(value), _half_type(value.type)
        if maker is not None and maker.name == SplatOp.OPERATION_NAME:
            return _alike(maker, list(maker.operands), type_)
        if maker is not None and maker.name == "arith.constant":
            return arith.constant(type_, resized(maker.attributes["value"], type_))
        if maker is not None and maker.name == BroadcastOp.OPERATION_NAME:
            source = maker.operands[0]
            if source == self.held:
                return _alike(maker, [held], type_)
            rows = source if source.type.shape[0] == 1 else _half(source, part)
            return _alike(maker, [rows], type_)
        return _half(value, part)


def _has_halves(type_: Any) -> bool:
    return len(type_.shape) == 2 and type_.shape[0] % _BLOCK == 0


def _half_type(type_: Any) -> Any:
    """Return the type of half of the rows of a tile."""
    return tile_type([type_.shape[0] // 2, *type_.shape[1:]], type_.element_type)


def _half(value: Any, part: int) -> Any:
    """Emit the first or last rows of each block of a tile."""
    rows, *others = value.type.shape
    blocks = ViewOp.build(value, (rows // _BLOCK, 2, _HALF, *others))
    shape, origin = (rows // _BLOCK, 1, _HALF, *others), (0, part, 0, *(0 for _ in others))
    return ViewOp.build(TileSliceOp.build(blocks, shape, origin), (rows // 2, *others))


def _joined(first: Any, last: Any) -> Any:
    """Emit the tile of whose blocks these are the first and last rows."""
    rows, *others = first.type.shape
    blocks = (rows // _HALF, 1, _HALF, *others)
    whole = CatOp.build(ViewOp.build(first, blocks), ViewOp.build(last, blocks), 1)
    return ViewOp.build(whole, (2 * rows, *others))


def _is_unused(op: Any) -> bool:
    """Tell whether nothing reads what only renames registers."""
    renames = is_name(op) or op.name == SplatOp.OPERATION_NAME
    return renames and not is_used(op)


def _moves_freely(op: Any) -> bool:
    return is_elementwise(op) or is_name(op) or op.name == ReduceOp.OPERATION_NAME


def _alike(op: Any, operands: list[Any], type_: Any) -> Any:
    """Emit an operation like `op` on other operands; return its result, of type `type_`."""
    return like(op, operands, [type_]).results[0]


def _summed(tile: Any, view: Any, reduce: Any) -> Any:
    """Emit what a reduction of a view gives for half of the rows."""
    seen = _alike(view, [tile], _half_type(view.results[0].type))
    made = clone_whole(reduce, {reduce.operands[0]: seen})
    made.results[0].set_type(_half_type(reduce.results[0].type))
    made.opview.make_serial()
    return made.results[0]
