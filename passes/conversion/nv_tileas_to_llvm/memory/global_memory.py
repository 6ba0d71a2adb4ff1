"""Rules for tiled loads and stores that threads do themselves, and for memrefs.

Each vector access has a predicate made of the bounds checks of the dims that may leave the array.
A load outside reads the first element of the array instead (extents are at least 1 at launch) and
its value is replaced by the padding, which keeps all loads in one straight line; a store outside is
branched around.
"""

from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import Any

from tilec.dialects.common.element_access import COMBINE
from tilec.dialects.nv_tileas.epilogue_ops import is_per_warpgroup
from tilec.dialects.nv_tileas.memory_ops import (
    CreateMemTokenOp,
    JoinMemTokenOp,
    MakeMemrefOp,
    RingTokenOp,
    SliceBaseOp,
    StoreTokenOp,
    TiledLoadOp,
    TiledStoreOp,
)
from tilec.dialects.nv_tileas.shared_ops import CopyOutOp
from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.bindings import arith, ir, scf
from tilec.layout import RegisterLayout
from tilec.passes.analysis.facts.runs import are_runs_aligned, run_length
from tilec.passes.analysis.tma.shared_layouts import layout_of_shared
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.arithmetic import restricted_floats
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import (
    RULES,
    Lowering,
    Memref,
    Role,
    tile_layout,
)
from tilec.passes.conversion.nv_tileas_to_llvm.memory import element_ptx
from tilec.passes.conversion.nv_tileas_to_llvm.memory.shared_memory import linear_offset, swizzled
from tilec.passes.conversion.nv_tileas_to_llvm.memory.shifted_loads import Run
from tilec.passes.conversion.nv_tileas_to_llvm.memory.words import (
    elements_of_word,
    from_words,
    to_words,
)
from tilec.passes.conversion.nv_tileas_to_llvm.synchronization.barriers import (
    WARPGROUP_THREADS,
    guarded,
)

_PADDING = {
    "zero": 0.0,
    "neg_zero": -0.0,
    "nan": float("nan"),
    "pos_inf": float("inf"),
    "neg_inf": float("-inf"),
}


@RULES.converts(MakeMemrefOp)
def lower_make_memref(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Collect base, extents and strides, constants filled in."""
    view, type_ = op.opview, op.results[0].type
    sizes, strides = iter(view.sizes), iter(view.strides)
    memref = Memref(
        base=lowering.get(view.base),
        sizes=[lowering.get(next(sizes)) if size is None else size for size in type_.shape],
        strides=[lowering.get(next(strides)) if s is None else s for s in type_.strides],
        element=type_.element_type,
    )
    return [memref]


@RULES.converts(SliceBaseOp)
def lower_slice_base(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Compute the address of the first element of a slice."""
    memref: Memref = lowering.get(op.opview.memref)
    offset = scaled(lowering.get(op.opview.start), memref.strides[op.opview.dim.value])
    return [emit.element_pointer(memref.base, offset, emit.memory_type(memref.element))]


@RULES.converts(CreateMemTokenOp, JoinMemTokenOp, RingTokenOp, StoreTokenOp)
def lower_token(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Tokens hold no value: barriers keep the order by now."""
    return [None]


@RULES.converts(TiledLoadOp)
def lower_tiled_load(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Load a tile into registers, one vector at a time."""
    width, load = load_by_vector(lowering, op)
    registers: list[Any] = []
    for first in range(0, tile_layout(op.results[0]).num_registers, width):
        registers.extend(load(first))
    return [registers, None]


def load_by_vector(lowering: Lowering, op: Any) -> tuple[int, Callable[[int], list[Any]]]:
    """Return how many registers one access loads, and what emits the one for those from one on."""
    load = op.opview
    layout = tile_layout(op.results[0])
    accesses = _Accesses(lowering, load, layout)
    length, aligned = run_length(op, layout), are_runs_aligned(op)

    def run(first: int) -> list[Any]:
        return _load_run(lowering, accesses.run(first, length, aligned=aligned), load.padding)

    def vector(first: int) -> list[Any]:
        return _load(lowering, accesses, first, load.padding)

    return (length, run) if length else (accesses.width, vector)


def _load(lowering: Lowering, accesses: "_Accesses", first: int, padding: str) -> list[Any]:
    """Load a vector; return its elements.

    Where it may lie outside of the array, the load has a predicate and the registers are padded
    before. To select addresses and results instead takes six instructions more for 16 bytes, and
    to pad 16-bit elements one by one, three for each (SASS of ptxas 13.0, sm_90a).
    """
    memref, width = accesses.memref, accesses.width
    stored = emit.memory_type(memref.element)
    pointer = emit.element_pointer(memref.base, accesses.offset(first), stored)
    bounds = accesses.bounds(first)
    if not bounds:
        return emit.load_vector(pointer, memref.element, width)
    pad = to_words([_padding_constant(memref.element, padding)] * width)
    words = element_ptx.load_where(pointer, pad, bounds)
    return from_words(lowering, words, memref.element, width)


def _load_run(lowering: Lowering, run: Run, padding: str) -> list[Any]:
    """Load a run by aligned vectors; return its elements."""
    element = run.memref.element
    words = run.words(_padding_word(element, padding))
    return from_words(lowering, words, element, run.length)


def _padding_word(element: Any, padding: str) -> Any:
    """Return a register full of padding; None for zeros."""
    if padding == "zero" or not isinstance(element, ir.FloatType):
        return None
    (word,) = to_words([_padding_constant(element, padding)] * elements_of_word(element))
    return word


def _padding_constant(element: Any, padding: str) -> Any:
    if restricted_floats.is_restricted(element):
        return restricted_floats.constant(_PADDING[padding], element)
    if isinstance(element, ir.FloatType):
        return arith.ConstantOp(element, ir.FloatAttr.get(element, _PADDING[padding])).result
    return arith.constant(element, 0)


@RULES.converts(TiledStoreOp)
def lower_tiled_store(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Store a tile from registers, one vector at a time."""
    store = op.opview
    layout = tile_layout(store.value)
    registers = lowering.tile(store.value)
    if store.combine is not None:
        _combine_tile(lowering, store, layout, registers)
        return [None]
    width, write = store_by_vector(lowering, op)
    for first in range(0, layout.num_registers, width):
        write(first)
    return [None]


def store_by_vector(lowering: Lowering, op: Any) -> tuple[int, Callable[[int], None]]:
    """Return how many registers one access stores, and what emits the one for those from one on."""
    store = op.opview
    registers = lowering.tile(store.value)
    accesses = _Accesses(lowering, store, tile_layout(store.value))

    def write(first: int) -> None:
        offset, memref = accesses.offset(first), accesses.memref
        with guarded(accesses.inside(first)):
            pointer = emit.element_pointer(memref.base, offset, emit.memory_type(memref.element))
            emit.store_vector(pointer, registers[first : first + accesses.width])

    return accesses.width, write


def _combine_tile(
    lowering: Lowering, store: Any, layout: RegisterLayout, registers: list[Any]
) -> None:
    """Combine a tile with the array, one vector at a time; one of the threads does each element."""
    accesses = _Accesses(lowering, store, layout)
    owner = lowering.first_holder(layout)
    element = accesses.memref.element
    places = layout.register_offsets()
    for first in range(0, layout.num_registers, accesses.width):
        if places.index(places[first]) < first:
            continue  # another register of the thread holds the same elements
        offset, inside = accesses.offset(first), accesses.inside(first)
        pointer = emit.element_pointer(accesses.memref.base, offset, emit.memory_type(element))
        values = registers[first : first + accesses.width]
        _combine(store.combine, pointer, values, emit.both(owner, inside))


def _combine(mode: str, pointer: Any, values: list[Any], predicate: Any) -> None:
    """Combine neighbouring elements with those at `pointer`, each in one atomic step."""
    if len(values) > 1:
        element_ptx.add_vector(pointer, values, "relaxed", "gpu", predicate)
    else:
        element_ptx.reduce(mode, pointer, values, "relaxed", "gpu", predicate)


@RULES.converts(CopyOutOp)
def lower_copy_out(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Loop over the elements of the tile, neighbouring threads on neighbouring elements.

    This is rare. LLVM would compute addresses before the branch or loop around it, where they take
    registers next to the accumulators: the numbers of threads and the coordinates are opaque.
    """
    source = op.opview.source
    shared = layout_of_shared(source.type)
    memref: Memref = lowering.get(op.opview.memref)
    first, step = _copying_threads(lowering.current_role, op)
    coords = [emit.opaque(emit.value(lowering.get(coord))) for coord in op.opview.coords]
    loop = scf.ForOp(emit.opaque(first), emit.value(prod(shared.shape)), emit.value(step))
    with ir.InsertionPoint(loop.body):
        # Rows with ragged ends are rare: ptxas would unroll the loop to most of the kernel's code.
        emit.inline_ptx('.pragma "nounroll";', "")
        rest: emit.Index = loop.induction_variable
        inside = None
        place: list[emit.Index] = []
        for extent in reversed(shared.shape):
            place.insert(0, emit.remainder(rest, extent))
            rest = emit.divide(rest, extent)
        offset = arith.constant(emit.i64_type(), 0)
        for axis, coord in enumerate(coords):
            index = emit.add(coord, place[axis])
            inside = emit.both(inside, inside_extent(index, memref.sizes[axis]))
            offset = arith.addi(offset, scaled(index, memref.strides[axis]))
        with guarded(inside):
            address = swizzled(linear_offset(shared, place), shared.swizzle)
            stored = emit.memory_type(memref.element)
            value = emit.load_vector(emit.byte_offset(lowering.get(source), address), stored, 1)
            target = emit.element_pointer(memref.base, offset, stored)
            if COMBINE in op.attributes:
                held = [emit.from_memory(item, memref.element) for item in value]
                _combine(ir.StringAttr(op.attributes[COMBINE]).value, target, held, None)
            else:
                emit.store_vector(target, value)
        scf.YieldOp([])
    return ()


def _copying_threads(role: Role, op: Any) -> tuple[Any, int]:
    """Return this thread's number among those that perform `op` together, and their count."""
    if not is_per_warpgroup(op):
        return role.thread, role.threads
    return arith.remui(role.thread, emit.value(WARPGROUP_THREADS)), WARPGROUP_THREADS


def inside_extent(index: emit.Index, extent: Any) -> Any:
    """Emit whether 0 <= index < extent: extents are not negative, so one comparison tells both."""
    return emit.compare("ult", index, extent)


def scaled(coord: emit.Index, stride: Any) -> Any:
    """Emit `coord * stride` in 64 bits."""
    wide = (
        arith.constant(emit.i64_type(), coord)
        if isinstance(coord, int)
        else arith.extsi(emit.i64_type(), coord)
    )
    if isinstance(stride, int):
        if stride == 1:
            return wide
        stride = arith.constant(emit.i64_type(), stride)
    return arith.muli(wide, stride)


class _Accesses:
    """Element offsets and predicates of the vector accesses of a tile."""

    def __init__(self, lowering: Lowering, op: Any, layout: RegisterLayout) -> None:
        """Emit what all accesses have in common."""
        self.memref: Memref = lowering.get(op.memref)
        self.layout = layout
        bits = element_bits(self.memref.element)
        self.width = layout.vector_width(layout.rank - 1, max(1, op.atom.vector_bits // bits))
        thread = lowering.thread_coordinates(layout)
        self.start = [
            emit.add(lowering.get(coord), part)
            for coord, part in zip(op.coords, thread, strict=True)
        ]
        self.checked = [axis for axis, fits in enumerate(op.in_bounds) if not fits]
        self.never_before = op.never_before
        self.base_offset = self._offset(self.start)
        self.predicates: dict[tuple[int, int], Any] = {}

    def offset(self, register: int) -> Any:
        """Return the element offset (i64) of an access that begins with a register."""
        offset = self.base_offset
        steps = self.layout.register_offsets()[register]
        for step, stride in zip(steps, self.memref.strides, strict=True):
            if step:
                offset = arith.addi(offset, scaled(step, stride))
        return offset

    def bounds(self, register: int) -> list[element_ptx.Bound]:
        """Return the comparisons that hold for an access inside of the array; none: all are."""
        step = self.layout.register_offsets()[register]
        return [self._bound(axis, step[axis]) for axis in self.checked]

    def inside(self, register: int) -> Any:
        """Return whether an access is in the array (None: it always is)."""
        step = self.layout.register_offsets()[register]
        return self._all_checks((axis, step[axis]) for axis in self.checked)

    def run(self, register: int, length: int, *, aligned: bool) -> Run:
        """Return the run of `length` elements of a row that begins with a register.

        Args:
            register: The register.
            length: How many elements.
            aligned: Whether the run begins at a multiple of its size.
        """
        step, last = self.layout.register_offsets()[register], self.layout.rank - 1
        inside = self._all_checks((axis, step[axis]) for axis in self.checked if axis != last)
        left = None
        if last in self.checked:
            extent = emit.value(self.memref.sizes[last])
            left = arith.subi(extent, emit.value(emit.add(self.start[last], step[last])))
        return Run(self.memref, self.offset(register), length, inside, left, aligned)

    def _all_checks(self, checks: Iterable[tuple[int, int]]) -> Any:
        """Return whether coordinates, each an axis and a step on it, are in the array."""
        inside = None
        for axis, step in checks:
            if (axis, step) not in self.predicates:
                coord, extent, sign = self._bound(axis, step)
                self.predicates[axis, step] = emit.compare(f"{sign}lt", coord, extent)
            inside = emit.both(inside, self.predicates[axis, step])
        return inside

    def _bound(self, axis: int, step: int) -> element_ptx.Bound:
        """Return what must hold of a coordinate: without a sign, less is not negative, either."""
        coord, extent = self.start[axis], self.memref.sizes[axis]
        if self.never_before[axis]:  # one subtraction for all threads
            return emit.value(coord), emit.value(emit.add(extent, -step)), "s"
        return emit.value(emit.add(coord, step)), emit.value(extent), "u"

    def _offset(self, coords: Sequence[emit.Index]) -> Any:
        offset = arith.constant(emit.i64_type(), 0)
        for coord, stride in zip(coords, self.memref.strides, strict=True):
            offset = arith.addi(offset, scaled(coord, stride))
        return offset
