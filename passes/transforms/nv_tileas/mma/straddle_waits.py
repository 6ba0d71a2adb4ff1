"""Let the special functions of a tile straddle the wait for a product.

Before:  %b = broadcast %top; %x = fma %s, %c, %b; %p = exp2 %x; anchor %p; %d = mma_wait %g, %t
         %v = view %p; %sum = reduce %v; %a = truncf %p
After:   %x0 = fma (tile_slice %s {0, 0}), %c0, (broadcast %top); %p0 = exp2 %x0
         %r0 = reduce (view %p0); anchor %r0; %d = mma_wait %g, %t; %h = hold %top, %d
         %x1 = fma (tile_slice %s {0, 112}), %c1, (broadcast %h); %p1 = exp2 %x1
         %sum = addf %r0, (reduce (view %p1)); %p = cat %p0, %p1; %a = truncf %p

Special functions and other arithmetic run on different units of an SM, and overlap where a warp has
instructions of both kinds to issue. In a softmax, mostly special functions come before the wait for
a product, which hides them (`nv-tileas-schedule-mma`). Other arithmetic follows the wait: sums and
conversions. So the special functions of the last columns move after the wait, for as many columns
as take about as long as that arithmetic. The product then hides fewer cycles, but special functions
and arithmetic overlap after the wait.

The special functions, and the element-wise operations before them, read a vector with one value for
each row, which is broadcast. For the columns after the wait, `hold` returns this vector: it is
small, and what is computed from the result cannot move before the wait. Sums of the columns are cut
in the same way. Arithmetic after the wait that needs neither the product nor the special functions
moves before it.
"""

from typing import Any

from tilec.dialects.nv_tileas import AnchorOp, HoldOp, MmaWaitOp, TileSliceOp
from tilec.dialects.nv_tileas.tile_ops import BroadcastOp, CatOp, ReduceOp, SplatOp
from tilec.ir.bindings import arith, ir
from tilec.ir.removal import erase, is_used
from tilec.ir.sequences import operations_after, operations_between
from tilec.ir.structured import (
    body_operations,
    clone_whole,
    defining_operation,
    next_operation,
    parent_operation,
    terminator,
)
from tilec.ir.values import block_of
from tilec.passes.analysis.commutativity import is_commutative
from tilec.passes.analysis.kernels import kernel_functions, kernel_operations
from tilec.passes.analysis.schedule.loop_graph import operands_of
from tilec.passes.analysis.schedule.op_costs import is_name, op_cost
from tilec.passes.registry import PassContext, register_pass
from tilec.plan.graph import Engine
from tilec.support.fast_dataclasses import dataclass, replace

ANCHOR = AnchorOp.OPERATION_NAME
_STEP = 16
"""Columns of a step of K for operands of 16 bits (PTX ISA, wgmma): what is cut at their multiples
is still made of whole operands."""
_MOST = 0.5
"""Largest part of the special functions that comes after the wait (choice): a product that hides
nothing is waited for."""


@register_pass("nv-tileas-straddle-waits")
def straddle_waits(module: Any, context: PassContext) -> bool:
    """Cut the special functions that stand before a wait, where arithmetic follows it."""
    del context
    changed = False
    for function in kernel_functions(module):
        anchors = [op for op in kernel_operations(function) if op.name == ANCHOR]
        for anchor in anchors:
            cut = _find_cut(anchor)
            if cut is not None:
                cut.run()
                changed = True
    return changed


def _find_cut(anchor: Any) -> "_Cut | None":
    """Return how to cut what an anchor keeps before a wait, or None."""
    wait = next_operation(anchor)
    special = _special(anchor, wait)
    if special is None or len(special.results[0].type.shape) != 2:
        return None
    chain = _chain(special)
    held = next(filter(None, (_row_vector(value) for op in chain for value in op.operands)), None)
    readers = _readers(special, wait)
    if held is None or not all(op == anchor or _moves_freely(op) for op in readers):
        return None
    readers = [op for op in readers if op != anchor]
    cut = _Cut(anchor, wait, chain, held, readers)
    return cut.at(cut.columns_before())


def _special(anchor: Any, wait: Any) -> Any:
    """Return the special function that takes longest of those that a product hides, or None."""
    product = (
        None if wait.name != MmaWaitOp.OPERATION_NAME else defining_operation(wait.operands[0])
    )
    if product is None or product.block != wait.block:
        return None
    hidden = operations_between(product, anchor)
    costs = {op: op_cost(op, 1) for op in hidden if _is_elementwise(op)}
    found = [op for op, cost in costs.items() if cost.engine is Engine.SPECIAL]
    return max(found, key=lambda op: costs[op].cycles, default=None)


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
            if maker is not None and maker.block == special.block and _is_elementwise(maker):
                users = {*_users(maker)}
                if users <= found and maker.results[0].type.shape == special.results[0].type.shape:
                    found.add(maker)
                    pending.append(maker)
    return [op for op in body_operations(special.block) if op in found]


def _is_elementwise(op: Any) -> bool:
    is_tile = len(op.results) == 1 and isinstance(op.results[0].type, ir.RankedTensorType)
    return is_tile and op.name.split(".")[0] in ("arith", "math") and len(op.operands) > 0


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
    """Where to cut the special functions of a tile.

    Attributes:
        anchor: What keeps them before the wait.
        wait: The wait.
        chain: The special function, last, and the operations that compute its operands.
        held: The vector of rows that columns after the wait read.
        readers: Operations before the wait that need the special function, in order.
        columns: Columns before the wait.
    """

    anchor: Any
    wait: Any
    chain: list[Any]
    held: Any
    readers: list[Any]
    columns: int = 0

    def at(self, columns: int) -> "_Cut | None":
        """Return the cut with this number of columns before the wait; None if that is no cut."""
        return replace(self, columns=columns) if 0 < columns < self._width else None

    def columns_before(self) -> int:
        """Return the columns before the wait: the others take as long as arithmetic after it.

        Their sums are arithmetic, too, if they are cut.
        """
        sums = [reduce for _, reduce in self._sums(_STEP)]
        after = [*self.readers, *operations_after(self.wait)[:-1], *_next_readers(self.wait)]
        costs = {op: op_cost(op, 1) for op in after if op not in sums}
        other = sum(cost.cycles for cost in costs.values() if cost.engine is Engine.VECTOR)
        each = op_cost(self.chain[-1], 1).cycles - sum(op_cost(op, 1).cycles for op in sums)
        late = min(_MOST, other / each) * self._width if each > 0 else 0
        return self._width - round(late / _STEP) * _STEP

    def run(self) -> None:
        """Replace the special functions by two parts of them."""
        special = self.chain[-1]
        sums = self._sums(self.columns)
        self._hoist()
        for op in reversed(self.readers):
            op.move_after(self.wait)
        with ir.InsertionPoint(self.anchor), special.location:
            early = self._part(0, self.columns, self.held)
            totals = [_summed(early, *pair) for pair in sums]
            for tile in totals or [early]:
                AnchorOp(tile=tile)
        with ir.InsertionPoint(next_operation(self.wait)), special.location:
            held = HoldOp.build(self.held, self.wait.results[0])
            late = self._part(self.columns, self._width - self.columns, held)
            for total, (view, reduce) in zip(totals, sums, strict=True):
                both = _combined(reduce, total, _summed(late, view, reduce))
                reduce.results[0].replace_all_uses_with(both)
            joined = CatOp.build(early, late, 1)
        special.results[0].replace_all_uses_with(joined)
        reduced = [op for view, reduce in sums for op in (reduce, view)]
        makers = {defining_operation(value) for op in self.chain for value in op.operands}
        makers -= {None, *self.chain}
        for op in (self.anchor, *reduced, *reversed(self.chain)):
            erase(op)
        for maker in filter(_is_unused, makers):
            erase(maker)

    @property
    def _width(self) -> int:
        """Columns of the tile."""
        return self.chain[-1].results[0].type.shape[-1]

    def _hoist(self) -> None:
        """Move arithmetic that needs neither the product nor the special functions before them."""
        late = (self.wait, self.chain[-1], *self.readers)
        needed = {value for op in late for value in op.results}
        for op in operations_after(self.wait)[:-1]:
            if any(value in needed for value in operands_of(op)) or not _moves_freely(op):
                needed.update(op.results)
            else:
                op.move_before(self.anchor)

    def _sums(self, columns: int) -> list[tuple[Any, Any]]:
        """Return the views of the tile, and the reductions of them, that are cut at `columns`."""
        found = []
        for view in filter(is_name, _users(self.chain[-1])):
            shape, users = view.results[0].type.shape, _users(view)
            if [op.name for op in users] != [ReduceOp.OPERATION_NAME] or len(shape) != 3:
                continue
            (reduce,) = users
            is_cut = shape[1] * shape[2] == self._width and columns % shape[2] == 0
            steps = body_operations(reduce.opview.block)[:-1]
            adds = len(steps) == 1 and is_commutative(reduce) and reduce.opview.axis.value == 1
            if is_cut and adds:
                found.append((view, reduce))
        return found

    def _part(self, first: int, columns: int, held: Any) -> Any:
        """Emit the special functions of some columns, with what computes their operands."""
        values: dict[Any, Any] = {}
        for op in self.chain:
            operands = [
                values[value] if value in values else self._operand(value, first, columns, held)
                for value in op.operands
            ]
            (result,) = op.results
            values[result] = _alike(op, operands, _with_columns(result.type, columns))
        return values[self.chain[-1].results[0]]

    def _operand(self, value: Any, first: int, columns: int, held: Any) -> Any:
        """Emit some columns of a tile."""
        maker = defining_operation(value)
        type_ = _with_columns(value.type, columns)
        if maker is not None and maker.name == SplatOp.OPERATION_NAME:
            return _alike(maker, list(maker.operands), type_)
        if maker is not None and maker.name == "arith.constant":
            return _constant(maker, type_)
        if maker is not None and maker.name == BroadcastOp.OPERATION_NAME:
            source = maker.operands[0]
            if source.type.shape[-1] == 1:
                return _alike(maker, [held if source == self.held else source], type_)
        return TileSliceOp.build(value, type_.shape, (0, first))


def _is_unused(op: Any) -> bool:
    """Tell whether nothing reads what only renames registers."""
    renames = is_name(op) or op.name == SplatOp.OPERATION_NAME
    return renames and not is_used(op)


def _users(op: Any) -> list[Any]:
    return [use.owner.operation for use in op.results[0].uses]


def _next_readers(wait: Any) -> list[Any]:
    """Return the arithmetic of the next round on what a wait returns."""
    found = []
    for use in wait.results[0].uses:
        if (
            use.owner.operation == terminator(wait.block)
            and parent_operation(wait).name == "scf.for"
        ):
            carried = wait.block.arguments[1 + use.operand_number]
            found += [item.owner.operation for item in carried.uses]
    return list(filter(_is_elementwise, found))


def _moves_freely(op: Any) -> bool:
    return _is_elementwise(op) or is_name(op) or op.name == ReduceOp.OPERATION_NAME


def _with_columns(type_: Any, columns: int) -> Any:
    """Return the type of a tile with other columns."""
    shape = [*type_.shape[:-1], columns]
    return ir.RankedTensorType.get(shape, type_.element_type, loc=ir.Location.unknown())


def _alike(op: Any, operands: list[Any], type_: Any) -> Any:
    """Emit an operation like `op` on other operands; return its result, of type `type_`."""
    attributes = {item: op.attributes[item] for item in op.attributes}
    made = ir.Operation.create(op.name, results=[type_], operands=operands, attributes=attributes)
    return made.results[0]


def _constant(maker: Any, type_: Any) -> Any:
    """Emit a constant tile of one value for a part of a tile of that value."""
    value = ir.DenseElementsAttr(maker.attributes["value"]).get_splat_value()
    return arith.constant(type_, ir.DenseElementsAttr.get_splat(type_, value))


def _summed(tile: Any, view: Any, reduce: Any) -> Any:
    """Emit what a reduction of a view gives for some columns of the tile."""
    rows, width = view.results[0].type.shape[::2]
    shape = [rows, tile.type.shape[-1] // width, width]
    type_ = ir.RankedTensorType.get(shape, tile.type.element_type, loc=ir.Location.unknown())
    seen = _alike(view, [tile], type_)
    return clone_whole(reduce, {reduce.operands[0]: seen}).results[0]


def _combined(reduce: Any, first: Any, second: Any) -> Any:
    """Emit the function of a reduction on two tiles."""
    step = body_operations(reduce.opview.block)[0]
    return _alike(step, [first, second], first.type)
