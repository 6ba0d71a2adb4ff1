"""Lists the mutations of a module, and applies one.

A mutation names its operation by its place in a walk of the module, so a list of them says the same
in every process that has the text.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tilec.ir.bindings import arith, ir
from tilec.ir.structured import body_operations
from tilec.ir.walks import walk_operations
from tools.mutate_protocol import sites

DATA, PROTOCOL = "data", "protocol"
DISTANCES = (1, 2)
"""How many synchronising operations a mutant's operation is moved past."""
NEAREST = 3
"""Values of the same type that replace an operand: those defined last before the operation."""
TILE = "!nv_tileas.smem"
STEPS = (1, -1)
OFFSET_STEPS = (8, -8, 16, -16, 128, -128, 1024, -1024)
"""Bytes that offsets are moved by: sizes and alignments of barriers and tiles."""
CHOICES = {
    "space": ("shared", "global"),
    "action": ("increase", "decrease"),
}
AXES = ((0,), (1,), (0, 1))


@dataclass(frozen=True)
class Mutation:
    """One change of a module.

    Attributes:
        kind: `drop`, `repeat`, `move`, `number`, `operand`, `bound` or `condition`.
        site: Number of the operation in a walk of the module.
        what: Attribute or operand that changes; empty where the whole operation does.
        value: What it becomes: depends on the kind.
        subject: `data` where a coordinate or a value changes, else `protocol`.
        text: What changes, in words.
    """

    kind: str
    site: int
    what: str
    value: Any
    subject: str
    text: str


def operations_of(module: Any) -> list[Any]:
    """Return the operations of a module in the order that mutations count them."""
    return walk_operations(module.body)


def mutations_of(module: Any) -> list[Mutation]:
    """Return every mutation of a module."""
    ops = operations_of(module)
    values = _values_by_attribute(ops)
    found: list[Mutation] = []
    for site, op in enumerate(ops):
        role = f"{sites.role_of(op)}: {sites.short_name(op)} {site}"
        for kind, what, value, subject in _changes(op, values):
            text = f"{role}: {kind} {what} {value}".rstrip()
            found.append(Mutation(kind, site, what, value, subject, text))
    return found


Change = tuple[str, str, Any, str]
"""Kind, what, value and subject of a mutation."""


def _changes(op: Any, values: dict[tuple[str, str], set[int]]) -> Iterator[Change]:
    if sites.is_event(op):
        yield from _event_changes(op)
    if sites.is_site(op):
        for name, value in _numbers(op, values):
            yield "number", name, value, DATA if name in sites.DATA_ATTRIBUTES else PROTOCOL
    for index, subject in _operands(op):
        yield from _replacements(op, index, subject)
    if op.name.startswith("scf.") and sites.synchronises(op):
        yield from _control_changes(op)


def _control_changes(op: Any) -> Iterator[Change]:
    subject = PROTOCOL if sites.crosses_roles(op) else DATA
    if op.name == "scf.if":
        yield "condition", "", "negated", subject
    elif op.name == "scf.for":
        for index in range(3):
            yield from (("bound", str(index), step, subject) for step in STEPS)
            yield from _replacements(op, index, subject)


def _event_changes(op: Any) -> Iterator[Change]:
    subject = DATA if sites.short_name(op) in sites.SUMS else PROTOCOL
    if _forwarded(op) is not None:
        yield "drop", "", "", subject
    yield "repeat", "", "", subject
    for steps in _moves(op):
        yield "move", "", steps, PROTOCOL


def _replacements(op: Any, index: int, subject: str) -> Iterator[Change]:
    """Yield the values that take the place of an operand."""
    own = op.operands[index]
    is_read = sites.only_reads(op)
    for choice, other in enumerate(_others(op, index)):
        is_tile = is_read and str(own.type).startswith(TILE)
        is_there = is_tile and (sites.holds_same_round(own, other) or sites.is_held(op, other))
        yield "operand", str(index), choice, DATA if is_there else subject


def _forwarded(op: Any) -> list[Any] | None:
    """Return which operand stands in for each result when `op` is dropped; None where none does."""
    found = []
    for result in op.results:
        same = [operand for operand in op.operands if operand.type == result.type]
        if not same and any(True for _ in result.uses):
            return None
        found.append(same[0] if same else None)
    return found


def _moves(op: Any) -> Iterator[int]:
    """Yield past how many synchronising operations `op` can be moved, up where negative."""
    block = body_operations(op.block)
    here = block.index(op)
    above = sum(map(sites.synchronises, block[:here]))
    below = sum(map(sites.synchronises, block[here + 1 : -1]))
    for distance in DISTANCES:
        if distance <= above:
            yield -distance
        if distance <= below:
            yield distance


def _values_by_attribute(ops: list[Any]) -> dict[tuple[str, str], set[int]]:
    """Return every value that an attribute has in operations of one name."""
    found: dict[tuple[str, str], set[int]] = {}
    for op in filter(sites.is_site, ops):
        for item in op.attributes:
            number = sites.integer_of(op.attributes[item])
            if number is not None:
                found.setdefault((_family(op, item), item), set()).add(number)
    return found


def _family(op: Any, name: str) -> str:
    """Return what shares the values of an attribute: all that is placed, else one operation."""
    return "" if name in ("offset", "id") else op.name


def _numbers(op: Any, values: dict[tuple[str, str], set[int]]) -> Iterator[tuple[str, Any]]:
    """Yield what the attributes of `op` become."""
    for name in sorted(set(op.attributes) - sites.SHAPE_ATTRIBUTES):
        attribute = op.attributes[name]
        number = sites.integer_of(attribute)
        if number is not None:
            others = values[_family(op, name), name]
            near = {number + step for step in STEPS} | {0, 2 * number} | others
            if name == "offset":
                near |= {number + step for step in OFFSET_STEPS}
            yield from ((name, value) for value in sorted(near - {number}) if value >= 0)
        elif isinstance(attribute, ir.UnitAttr):
            yield name, "absent"
        elif name in CHOICES:
            old = ir.StringAttr(attribute).value
            yield from ((name, value) for value in CHOICES[name] if value != old)
        elif isinstance(attribute, ir.BoolAttr) or str(attribute) in ("true", "false"):
            yield name, str(attribute) == "false"
        elif name in ("multicast_axes", "cluster", "origin"):
            old = tuple(ir.DenseI64ArrayAttr(attribute))
            new = AXES if name == "multicast_axes" else (old[::-1],)
            yield from ((name, value) for value in new if value != old)
    if sites.short_name(op) in ("barrier", "bulk_wait", "bulk_commit") and (
        "per_warpgroup" not in op.attributes
    ):
        yield "per_warpgroup", "present"


def _operands(op: Any) -> Iterator[tuple[int, str]]:
    """Yield the operands of `op` that something else can take the place of."""
    if not sites.is_site(op) and not sites.carries_handles(op):
        return
    bound = sites.short_name(op) in sites.SCALAR_BOUNDS
    for index, value in enumerate(op.operands):
        if sites.is_handle(value):
            yield index, PROTOCOL
        elif sites.is_site(op) and str(value.type) in ("i32", "i1", "index"):
            yield index, PROTOCOL if bound else DATA


def _others(op: Any, index: int) -> list[Any]:
    """Return the values that operand `index` of `op` might be instead, the nearest ones first."""
    own = op.operands[index]
    found: list[Any] = []
    for value in sites.visible_before(op):
        if value.type == own.type and value != own and value not in found:
            found.append(value)
            if len(found) == NEAREST:
                break
    return found


def apply(module: Any, mutation: Mutation) -> None:
    """Change a module, which may not verify afterwards.

    Args:
        module: A module with the text that the mutation was listed for.
        mutation: What to change.
    """
    op = operations_of(module)[mutation.site]
    with module.context, op.location:
        _APPLY[mutation.kind](op, mutation)


def _drop(op: Any, mutation: Mutation) -> None:
    for result, operand in zip(op.results, _forwarded(op) or (), strict=True):
        if operand is not None:
            result.replace_all_uses_with(operand)
    op.erase()


def _repeat(op: Any, mutation: Mutation) -> None:
    """Let `op` happen twice: the second time on what the first one left."""
    ops = body_operations(op.block)
    following = ops[ops.index(op) + 1]
    copy = op.clone(ip=ir.InsertionPoint(following))
    chained = [
        (result, index)
        for result in op.results
        for index, operand in enumerate(op.operands)
        if operand.type == result.type
    ]
    for result, index in chained[:1]:
        result.replace_all_uses_except(copy.results[result.result_number], [copy.operation])
        copy.operation.operands[index] = result


def _move(op: Any, mutation: Mutation) -> None:
    block = body_operations(op.block)
    here, steps = block.index(op), mutation.value
    side = block[:here][::-1] if steps < 0 else block[here + 1 : -1]
    passed = [other for other in side if sites.synchronises(other)][abs(steps) - 1]
    if steps < 0:
        op.move_before(passed)
    else:
        op.move_after(passed)


def _number(op: Any, mutation: Mutation) -> None:
    name, value = mutation.what, mutation.value
    if value == "absent":
        del op.attributes[name]
    elif value == "present":
        op.attributes[name] = ir.UnitAttr.get()
    elif isinstance(value, bool):
        op.attributes[name] = ir.BoolAttr.get(value)
    elif isinstance(value, str):
        op.attributes[name] = ir.StringAttr.get(value)
    elif isinstance(value, tuple):
        op.attributes[name] = ir.DenseI64ArrayAttr.get(list(value))
    else:
        kind = ir.IntegerAttr(op.attributes[name]).type
        op.attributes[name] = ir.IntegerAttr.get(kind, value)


def _operand(op: Any, mutation: Mutation) -> None:
    index = int(mutation.what)
    op.operands[index] = _others(op, index)[mutation.value]


def _bound(op: Any, mutation: Mutation) -> None:
    index = int(mutation.what)
    with ir.InsertionPoint(op):
        step = arith.constant(op.operands[index].type, mutation.value)
        op.operands[index] = arith.addi(op.operands[index], step)


def _condition(op: Any, mutation: Mutation) -> None:
    with ir.InsertionPoint(op):
        true = arith.constant(op.operands[0].type, 1)
        op.operands[0] = arith.xori(op.operands[0], true)


_APPLY: dict[str, Callable[[Any, Mutation], None]] = {
    "drop": _drop,
    "repeat": _repeat,
    "move": _move,
    "number": _number,
    "operand": _operand,
    "bound": _bound,
    "condition": _condition,
}
