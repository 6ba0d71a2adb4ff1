"""Rules for accesses to single elements: gather, scatter, atomics.

Each register has an address, made of one index per dim, and a predicate: its mask and the bounds
checks. Weak loads of neighbouring elements are one access (`gathers.py`). An ordered access is
performed by one thread for each element, under its predicate.

The order of an access by several registers of a thread is that of fences around relaxed accesses:
a fence before what releases, another one after what acquires (PTX ISA, memory consistency model,
release and acquire patterns). That is one fence for all of them.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tilec.dialects.common.accesses import WEAK
from tilec.dialects.nv_tileas.element_ops import AtomicOp, GatherOp, ScatterOp
from tilec.ir.bindings import arith, ir, scf
from tilec.ir.removal import is_read
from tilec.ir.values import is_tile
from tilec.passes.analysis.facts.exchanges import needs_exchange
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import RULES, Lowering, Memref, tile_layout
from tilec.passes.conversion.nv_tileas_to_llvm.memory import element_ptx
from tilec.passes.conversion.nv_tileas_to_llvm.memory.gathers import load_weakly
from tilec.passes.conversion.nv_tileas_to_llvm.memory.shared_memory import (
    read_tile,
    scratch_area,
    write_tile,
)
from tilec.passes.conversion.nv_tileas_to_llvm.shape import plain_layout
from tilec.passes.conversion.nv_tileas_to_llvm.synchronization.barriers import guarded, role_barrier

_RELEASES, _ACQUIRES = ("release", "acq_rel"), ("acquire", "acq_rel")
_RELAXED = "relaxed"


@RULES.converts(GatherOp)
def lower_gather(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Load elements, neighbouring ones with one access where they are known to be."""
    elements = Elements(lowering, op)
    if op.opview.ACCESS.order_of(op) == WEAK:
        registers = load_weakly(elements)
    else:
        registers = _load_in_order(elements)
    return [elements.result(registers), None]


def _load_in_order(elements: "Elements") -> list[Any]:
    memref, padding = elements.memref, elements.padding
    order = _Order(elements, returns=True)
    found = order.perform(
        lambda pointer, _, predicate: element_ptx.load(
            pointer, memref.element, order.own, order.scope, predicate
        )
    )
    found = _exchanged(elements, found)
    checks = map(elements.inside, range(elements.count))
    return [
        value if inside is None else arith.select(inside, value, padding[register])
        for register, (value, inside) in enumerate(zip(found, checks, strict=True))
    ]


@RULES.converts(ScatterOp)
def lower_scatter(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Store elements, neighbouring ones with one access where they are known to be."""
    elements = Elements(lowering, op)
    values = elements.registers_of(op.opview.value)
    if op.opview.ACCESS.order_of(op) != WEAK:
        order = _Order(elements, returns=False)
        order.perform(
            lambda pointer, register, predicate: element_ptx.store(
                pointer, values[register], order.own, order.scope, predicate
            )
        )
        return [None]

    def store(pointer: Any, registers: range, predicate: Any) -> None:
        with guarded(predicate):
            emit.store_vector(pointer, [values[register] for register in registers])

    for first in range(0, elements.count, elements.width):
        _perform_run(elements, range(first, first + elements.width), store)
    return [None]


def _perform_run(
    elements: "Elements", registers: range, access: Callable[[Any, range, Any], None]
) -> None:
    """Access neighbouring elements at once where all of them are inside, else one by one.

    Args:
        elements: The elements.
        registers: Those that lie next to each other.
        access: Emits an access to some of them, given the address of the first and a predicate.
    """
    if len(registers) == 1 or not elements.is_ragged:
        access(elements.pointer(registers[0]), registers, elements.performs(registers[0]))
        return
    whole = elements.inside_whole(registers)
    branch = scf.IfOp(whole, has_else=True)
    with ir.InsertionPoint(branch.then_block), elements.forgetting():
        access(elements.pointer(registers[0]), registers, elements.owner)
        scf.YieldOp([])
    with ir.InsertionPoint(branch.else_block), elements.forgetting():
        for register in registers:
            alone = range(register, register + 1)
            access(elements.pointer(register), alone, elements.performs(register))
        scf.YieldOp([])


@RULES.converts(AtomicOp)
def lower_atomic(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Change elements, each of them by one thread."""
    elements = Elements(lowering, op)
    mode = ir.StringAttr(op.attributes["mode"]).value
    values = [elements.registers_of(value) for value in op.opview.values]
    returns = is_read(op.results[0])
    order = _Order(elements, returns=returns)
    if not returns:
        _reduce(elements, order, mode, values)
        return [None, None]

    def perform(pointer: Any, register: int, predicate: Any) -> Any:
        own = [item[register] for item in values]
        return element_ptx.atomic(mode, pointer, own, order.own, order.scope, predicate)

    return [elements.result(_exchanged(elements, order.perform(perform))), None]


def _reduce(elements: "Elements", order: "_Order", mode: str, values: list[list[Any]]) -> None:
    """Change elements and return nothing, neighbouring ones at once if the hardware can."""

    def perform(pointer: Any, registers: range, predicate: Any) -> None:
        if len(registers) == 1:
            own = [item[registers[0]] for item in values]
            element_ptx.reduce(mode, pointer, own, order.own, order.scope, predicate)
        else:
            added = [values[0][register] for register in registers]
            element_ptx.add_vector(pointer, added, order.own, order.scope, predicate)

    width = elements.width if element_ptx.adds_vectors(mode, elements.memref.element) else 1
    distinct = elements.distinct()
    with order.fences():
        for first in range(0, elements.count, width):
            if distinct[first] == first:
                _perform_run(elements, range(first, first + width), perform)


class Elements:
    """The elements that one access names, by register.

    Attributes:
        indices: Of each axis the indices, by register.
        places: The indices that addresses are computed from; they may differ from `indices` where
            nothing is accessed.
    """

    def __init__(self, lowering: Lowering, op: Any) -> None:
        """Read the operands of `op`."""
        access = op.opview
        self.op, self.lowering = op, lowering
        self.memref: Memref = lowering.get(access.memref)
        first = access.indices[0]
        self.layout = tile_layout(first) if is_tile(first) else None
        self.indices = [self.registers_of(index) for index in access.indices]
        self.places = self.indices
        self.mask = self.registers_of(access.mask)
        self.padding = self.registers_of(getattr(access, "padding", None))
        self.count = len(self.indices[0])
        self.owner = (
            lowering.current_role.elected
            if self.layout is None
            else lowering.first_holder(self.layout)
        )
        self._known: dict[Any, Any] = {}

    @property
    def is_ragged(self) -> bool:
        """Whether the end of the array may come in the middle of a vector access."""
        return self.width > 1 and self.op.opview.ragged

    @contextmanager
    def forgetting(self) -> Iterator[None]:
        """Keep what is emitted meanwhile, in a branch, from uses after it."""
        outer, self._known = self._known, dict(self._known)
        yield
        self._known = outer

    @property
    def width(self) -> int:
        """Registers that one vector access takes."""
        if self.layout is None:
            return 1
        return self.layout.vector_width(self.layout.rank - 1, self.op.opview.run)

    def registers_of(self, value: Any) -> list[Any]:
        """Return the registers of a tile, or a scalar as the only one; none for None."""
        if value is None:
            return []
        found = self.lowering.get(value)
        return list(found) if is_tile(value) else [found]

    def result(self, registers: list[Any]) -> Any:
        """Return what a result with these registers is lowered to."""
        return registers[0] if self.layout is None else registers

    def distinct(self) -> list[int]:
        """Return of each register the first one of this thread that holds the same element."""
        if self.layout is None:
            return [0]
        first: dict[Any, int] = {}
        offsets = self.layout.register_offsets()
        return [first.setdefault(offset, number) for number, offset in enumerate(offsets)]

    def varying(self) -> list[int]:
        """Return the axes along which registers of a thread have different indices, or the last."""
        found = [axis for axis, index in enumerate(self.places) if len(set(index)) > 1]
        return found or [len(self.places) - 1]

    def offset(self, register: int, axes: Sequence[int]) -> Any:
        """Emit how far the indices along `axes` move an element, in elements (i64); or None."""
        total = None
        for axis in axes:
            index, stride = self.places[axis][register], self.memref.strides[axis]
            part = self.once(("scaled", axis, index), lambda i=index, s=stride: _scaled(i, s))
            total = part if total is None else arith.addi(total, part)
        return total

    def pointer(self, register: int) -> Any:
        """Emit the address of an element.

        What all registers of a thread share is added once, so that an index along one axis takes
        one instruction, a multiply-add of 64 bits.
        """
        own = self.varying()
        common = [axis for axis in range(len(self.places)) if axis not in own]
        place = self.memref.base
        if common:
            place = self.once("common", lambda: self._moved(place, self.offset(0, common)))
        return self._moved(place, self.offset(register, own)) if own else place

    def _moved(self, pointer: Any, offset: Any) -> Any:
        return emit.element_pointer(pointer, offset, emit.memory_type(self.memref.element))

    def inside(self, register: int) -> Any:
        """Emit whether an element is accessed; None where it always is."""
        checks = [self.mask[register]] if self.mask else []
        checked = () if self.op.opview.unchecked else range(len(self.indices))
        inside = self.inside_along(register, checked)
        return self._all(checks if inside is None else [*checks, inside])

    def inside_along(self, register: int, axes: Sequence[int]) -> Any:
        """Emit whether the indices along `axes` are inside of the array; None without axes."""
        checks = []
        for axis in axes:
            index, size = self.indices[axis][register], self.memref.sizes[axis]
            key = ("inside", axis, index)
            checks.append(self.once(key, lambda i=index, s=size: _is_inside(i, s)))
        return self._all(checks)

    def inside_whole(self, registers: range) -> Any:
        """Emit whether all elements of a run are accessed: its first and its last one are."""
        ends = [self.inside(registers[0]), self.inside(registers[-1])]
        return self._all([check for check in ends if check is not None])

    def performs(self, register: int) -> Any:
        """Emit whether this thread accesses an element that several threads hold."""
        inside = self.inside(register)
        return self._all([check for check in (self.owner, inside) if check is not None])

    def _all(self, checks: list[Any]) -> Any:
        result = None
        for check in checks:
            pair = (result, check)
            result = (
                check
                if result is None
                else self.once(("and", *pair), lambda p=pair: arith.andi(*p))
            )
        return result

    def once(self, key: Any, make: Any) -> Any:
        """Return what `make` emits, which registers with the same key share."""
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]


class _Order:
    """How an ordered access is performed: the order of each instruction, and the fences around.

    Attributes:
        own: Memory order of each instruction.
        scope: Memory scope of each instruction.
    """

    def __init__(self, elements: Elements, *, returns: bool) -> None:
        """Decide between the order of one instruction and fences."""
        order = elements.op.opview.ACCESS.order_of(elements.op)
        self.scope = elements.op.opview.mem_scope
        self._elements = elements
        single = len(set(elements.distinct())) == 1 and (returns or order not in _ACQUIRES)
        self.own = order if single else _RELAXED
        self._before = not single and order in _RELEASES
        self._after = not single and order in _ACQUIRES

    def perform(self, access: Any) -> list[Any]:
        """Emit `access(pointer, register, predicate)` for each element; return its results."""
        elements = self._elements
        found: list[Any] = []
        with self.fences():
            for register, first in enumerate(elements.distinct()):
                if first != register:
                    found.append(found[first])
                    continue
                predicate = elements.performs(register)
                found.append(access(elements.pointer(register), register, predicate))
        return found

    @contextmanager
    def fences(self) -> Iterator[None]:
        """Emit the fences around what is emitted meanwhile."""
        if self._before:
            element_ptx.fence(self.scope)
        yield
        if self._after:
            element_ptx.fence(self.scope)


def _exchanged(elements: Elements, registers: list[Any]) -> list[Any]:
    """Give every thread that holds an element what the one that accessed it got."""
    op, lowering = elements.op, elements.lowering
    if not needs_exchange(op):
        return registers
    scratch, element = scratch_area(lowering, op), elements.memref.element
    with guarded(elements.owner):
        if elements.layout is None:
            emit.store_vector(scratch, registers)
        else:
            plain = plain_layout(op.results[0].type)
            write_tile(lowering, scratch, plain, elements.layout, registers)
    role_barrier(lowering, op)
    if elements.layout is None:
        found = emit.load_vector(scratch, element, 1)
    else:
        plain = plain_layout(op.results[0].type)
        found = read_tile(lowering, scratch, plain, elements.layout, element)
    role_barrier(lowering, op)
    return found


def _scaled(index: Any, stride: Any) -> Any:
    """Emit `index * stride` in 64 bits."""
    i64 = emit.i64_type()
    wide = index if index.type == i64 else arith.extsi(i64, index)
    if isinstance(stride, int):
        if stride == 1:
            return wide
        stride = emit.constant(i64, stride)
    return arith.muli(wide, stride)


def _is_inside(index: Any, size: Any) -> Any:
    """Emit whether 0 <= index < size: sizes are not negative, so one comparison tells both."""
    if isinstance(size, int):
        limit = emit.constant(index.type, size)
    else:
        limit = size if size.type == index.type else arith.extui(index.type, size)
    return arith.cmpi(arith.CmpIPredicate.ult, index, limit)
