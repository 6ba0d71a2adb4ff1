"""Slicing, cloning and state threading over structured control flow (`scf`).

The bindings offer no region-branch interface, so the rules of `scf.for`, `scf.if` and `scf.while`
are written down here once, for every pass that needs to know where a value flows.
"""

from collections.abc import Callable
from typing import Any

from tilec.ir.bindings import ir
from tilec.ir.likeness import like
from tilec.ir.removal import erase, replace_operation
from tilec.ir.walks import walk_operations
from tilec.support.fast_dataclasses import dataclass, field

LOOPS = ("scf.for", "scf.while")
FOR_BOUNDS = 3  # operands of an `scf.for` before the values that it carries: start, end, step
STRUCTURED = ("scf.for", "scf.if", "scf.while")

CloneHook = Callable[[Any, dict[Any, Any]], bool]
"""Called for each plain operation of a slice with the value map; True when it did the cloning."""


def terminator(block: Any) -> Any:
    """Return the last operation of `block`."""
    return block.operations[len(block.operations) - 1].operation


def body_operations(block: Any) -> list[Any]:
    """Return the operations of `block` as a list that survives insertions and erasures."""
    return [op.operation for op in block.operations]


def operations_inside(op: Any) -> list[Any]:
    """Return every operation in the regions of `op`."""
    return [o for region in op.regions for block in region.blocks for o in walk_operations(block)]


def parent_operation(op: Any) -> Any:
    """Return the operation whose region holds `op`."""
    parent = op.parent
    return parent.operation if parent is not None else None


def enclosing_operations(op: Any) -> list[Any]:
    """Return the operations around `op`, innermost first."""
    found = []
    parent = parent_operation(op)
    while parent is not None:
        found.append(parent)
        parent = parent_operation(parent)
    return found


def enclosing_loops(op: Any) -> list[Any]:
    """Return the loops around `op`, innermost first."""
    return [around for around in enclosing_operations(op) if around.name in LOOPS]


def next_operation(op: Any) -> Any:
    """Return the operation after `op` in its block."""
    ops = body_operations(op.block)
    return ops[ops.index(op) + 1]


def defining_operation(value: Any) -> Any:
    """Return the operation that defines `value`, or None for a block argument."""
    return None if isinstance(value, ir.BlockArgument) else value.owner.operation


@dataclass
class Slice:
    """What a set of roots needs inside one block.

    Attributes:
        ops: Needed operations, structured ones included.
        carried: Needed carried values: (operation, index). For `scf.for` the index counts
            iteration arguments, for `scf.if` and `scf.while` results.
        arguments: Needed arguments of the condition of an `scf.while`: (operation, index).
    """

    ops: set[Any] = field(default_factory=set)
    carried: set[tuple[Any, int]] = field(default_factory=set)
    arguments: set[tuple[Any, int]] = field(default_factory=set)

    def indices(self, op: Any, count: int) -> list[int]:
        """Return the needed carried indices of `op`, in order."""
        return [index for index in range(count) if (op, index) in self.carried]

    def argument_indices(self, op: Any) -> list[int]:
        """Return the needed arguments of the condition of a `while`, in order."""
        return [index for index in range(len(op.operands)) if (op, index) in self.arguments]


def backward_slice(
    roots: list[Any], block: Any, unneeded: Callable[[Any], bool] = lambda value: False
) -> Slice:
    """Return everything under `block` that `roots` (operations) need to run.

    Values for which `unneeded` holds count as given: what defines them is left out.
    """
    search = _SliceSearch(set(walk_operations(block)), unneeded)
    for root in roots:
        search.need_op(root)
    while search.pending:
        search.need_value(search.pending.pop())
    return search.found


@dataclass
class _SliceSearch:
    """Worklist of a backward slice among the operations `inside`."""

    inside: set[Any]
    unneeded: Callable[[Any], bool]
    found: Slice = field(default_factory=Slice)
    pending: list[Any] = field(default_factory=list)

    def need_value(self, value: Any) -> None:
        """Add what defines `value`."""
        if self.unneeded(value):
            return
        if isinstance(value, ir.BlockArgument):
            self._need_argument(value)
        elif value.owner.operation.name in STRUCTURED:
            self.need_carried(value.owner.operation, ir.OpResult(value).result_number)
        else:
            self.need_op(value.owner.operation)

    def _need_argument(self, argument: Any) -> None:
        owner, number = argument.owner.owner.operation, argument.arg_number
        if owner not in self.inside:
            return
        if owner.name == "scf.for" and number > 0:
            self.need_carried(owner, number - 1)
        elif owner.name == "scf.while" and argument.owner == owner.regions[1].blocks[0]:
            self.need_carried(owner, number)
        elif owner.name == "scf.while" and (owner, number) not in self.found.arguments:
            self.found.arguments.add((owner, number))
            self.need_op(owner)
            returned = terminator(owner.regions[1].blocks[0]).operands[number]
            self.pending.extend([owner.operands[number], returned])

    def need_carried(self, op: Any, index: int) -> None:
        """Add carried value `index` of a structured operation."""
        if op not in self.inside or (op, index) in self.found.carried:
            return
        self.found.carried.add((op, index))
        self.need_op(op)
        self.pending.extend(_carried_sources(op, index))

    def need_op(self, op: Any) -> None:
        """Add an operation and what encloses it."""
        if op in self.found.ops or op not in self.inside:
            return
        self.found.ops.add(op)
        self.pending.extend(_shell_operands(op))
        parent = parent_operation(op)
        if parent is not None:
            self.need_op(parent)


def _shell_operands(op: Any) -> list[Any]:
    """Return the operands that `op` needs whatever is kept inside it."""
    if op.name == "scf.for":
        return list(op.operands)[:3]
    if op.name == "scf.while":
        return [terminator(op.regions[0].blocks[0]).operands[0]]
    return list(op.operands)


def _carried_sources(op: Any, index: int) -> list[Any]:
    if op.name == "scf.for":
        return [op.operands[3 + index], terminator(op.regions[0].blocks[0]).operands[index]]
    if op.name == "scf.while":
        return [terminator(op.regions[0].blocks[0]).operands[1 + index]]
    return [terminator(region.blocks[0]).operands[index] for region in op.regions]


def clone_slice(block: Any, kept: Slice, mapping: dict[Any, Any], hook: CloneHook) -> None:
    """Clone the operations of `kept` under `block` at the current insertion point.

    `mapping` takes original values to their clones and grows on the way. `hook` may replace the
    cloning of a plain operation.
    """
    for op in body_operations(block):
        if op not in kept.ops or op.name in ("scf.yield", "scf.condition"):
            continue
        if op.name == "scf.for":
            _clone_for(op, kept, mapping, hook)
        elif op.name == "scf.if":
            _clone_if(op, kept, mapping, hook)
        elif op.name == "scf.while":
            _clone_while(op, kept, mapping, hook)
        elif not hook(op, mapping):
            clone_operation(op, mapping)


def clone_operation(op: Any, mapping: dict[Any, Any]) -> Any:
    """Clone a plain operation with mapped operands and record its results in `mapping`."""
    clone = op.clone(ip=ir.InsertionPoint.current)
    for index, operand in enumerate(op.operands):
        clone.operands[index] = mapping.get(operand, operand)
    mapping.update(zip(op.results, clone.results, strict=True))
    return clone


def clone_whole(op: Any, mapping: dict[Any, Any]) -> Any:
    """Clone an operation with all that is inside of it, as `clone_operation` does a plain one."""
    clone = clone_operation(op, mapping)
    for inner in operations_inside(clone):
        for index, operand in enumerate(inner.operands):
            if operand in mapping:
                inner.operands[index] = mapping[operand]
    return clone


def _mapped(values: list[Any], mapping: dict[Any, Any]) -> list[Any]:
    return [mapping.get(value, value) for value in values]


def _fill_block(
    source: Any, target: Any, kept: Slice, mapping: dict[Any, Any], hook: CloneHook
) -> ir.InsertionPoint:
    inner = ir.InsertionPoint(target)
    with inner:
        clone_slice(source, kept, mapping, hook)
    return inner


def _yield(values: list[Any], target: Any, name: str, location: Any) -> None:
    ir.Operation.create(name, operands=values, loc=location, ip=ir.InsertionPoint(target))


def _yield_kept(source: Any, target: Any, indices: list[int], mapping: dict[Any, Any]) -> None:
    """End `target` with the kept ones of the values that block `source` yields."""
    last = terminator(source)
    values = _mapped([last.operands[index] for index in indices], mapping)
    _yield(values, target, "scf.yield", last.location)


def _clone_for(op: Any, kept: Slice, mapping: dict[Any, Any], hook: CloneHook) -> None:
    indices = kept.indices(op, len(op.results))
    inits = [op.operands[3 + index] for index in indices]
    body = op.regions[0].blocks[0]
    operands = _mapped([*list(op.operands)[:3], *inits], mapping)
    clone = like(op, operands, [op.results[index].type for index in indices], regions=1)
    arguments = [body.arguments[0], *[body.arguments[1 + index] for index in indices]]
    target = clone.regions[0].blocks.append(
        *[argument.type for argument in arguments], arg_locs=[op.location] * len(arguments)
    )
    mapping.update(zip(arguments, target.arguments, strict=True))
    _fill_block(body, target, kept, mapping, hook)
    _yield_kept(body, target, indices, mapping)
    mapping.update(zip([op.results[index] for index in indices], clone.results, strict=True))


def _clone_if(op: Any, kept: Slice, mapping: dict[Any, Any], hook: CloneHook) -> None:
    indices = kept.indices(op, len(op.results))
    types = [op.results[index].type for index in indices]
    clone = like(op, _mapped(list(op.operands), mapping), types, regions=2)
    for source, region in zip(op.regions, clone.regions, strict=True):
        if not len(source.blocks):
            continue
        target = region.blocks.append()
        _fill_block(source.blocks[0], target, kept, mapping, hook)
        _yield_kept(source.blocks[0], target, indices, mapping)
    mapping.update(zip([op.results[index] for index in indices], clone.results, strict=True))


def _clone_while(op: Any, kept: Slice, mapping: dict[Any, Any], hook: CloneHook) -> None:
    results = kept.indices(op, len(op.results))
    arguments = kept.argument_indices(op)
    operands = _mapped([op.operands[index] for index in arguments], mapping)
    clone = like(op, operands, [op.results[index].type for index in results], regions=2)
    passed = [0, *(1 + index for index in results)]
    for region, target, taken, returned in zip(
        op.regions, clone.regions, (arguments, results), (passed, arguments), strict=True
    ):
        source = region.blocks[0]
        carried = [source.arguments[index] for index in taken]
        block = target.blocks.append(
            *[argument.type for argument in carried], arg_locs=[op.location] * len(carried)
        )
        mapping.update(zip(carried, block.arguments, strict=True))
        _fill_block(source, block, kept, mapping, hook)
        last = terminator(source)
        values = [last.operands[index] for index in returned]
        _yield(_mapped(values, mapping), block, last.name, last.location)
    for index, result in zip(results, clone.results, strict=True):
        mapping[op.results[index]] = result


def thread_value(block: Any, value: Any, user: Any, step: Callable[[Any], Any]) -> Any:
    """Carry a state value through `block` past operation `user`; return the state at the end.

    `step` takes the state before `user` and returns the state after it; it may erase `user`. The
    structured operations around `user` are rebuilt with one more carried value.
    """
    holder = user
    while holder.block != block:
        holder = parent_operation(holder)
    if holder == user:
        return step(value)
    return _thread_structured(holder, value, user, step)


def _thread_structured(op: Any, state: Any, user: Any, step: Callable[[Any], Any]) -> Any:
    inside = _region_number(op, user)
    is_loop = op.name in LOOPS
    clone = add_carried_value(op, state.type, state if is_loop else None)
    for number, region in enumerate(clone.regions):
        block = region.blocks[0]
        inner = block.add_argument(state.type, clone.location) if is_loop else state
        if number == inside:
            inner = thread_value(block, inner, user, step)
        append_operand(terminator(block), inner)
    return clone.results[len(clone.results) - 1]


def _region_number(op: Any, nested: Any) -> int:
    """Return which region of `op` holds operation `nested`."""
    while parent_operation(nested) != op:
        nested = parent_operation(nested)
    return [len(r.blocks) and r.blocks[0] == nested.block for r in op.regions].index(True)


def add_carried_value(op: Any, type_: Any, initial: Any) -> Any:
    """Replace `op` by one that has one more result and holds the same blocks; return that.

    The blocks keep their arguments and terminators, which the caller extends. A missing `else`
    block is added, since an `scf.if` with results needs both.

    Args:
        op: scf.for, scf.while or scf.if.
        type_: Type of the value.
        initial: The value before the first iteration; None for scf.if.
    """
    operands = list(op.operands) if initial is None else [*op.operands, initial]
    types = [*[result.type for result in op.results], type_]
    with ir.InsertionPoint(op):
        clone = like(op, operands, types, regions=len(op.regions))
    for region, target in zip(op.regions, clone.regions, strict=True):
        if len(region.blocks):
            region.blocks[0].append_to(target)
        else:
            _yield([], target.blocks.append(), "scf.yield", op.location)
    replace_operation(op, list(clone.results)[:-1])
    return clone


def append_operand(last: Any, value: Any) -> None:
    """Replace terminator `last` by one with the operand `value` more."""
    with ir.InsertionPoint(last):
        like(last, [*last.operands, value])
    erase(last)
