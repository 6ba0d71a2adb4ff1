"""The copy-atom registry: which hardware primitives can move a given tile, and why others cannot.

Pure Python: no MLIR import. An entry is a family of atoms with one legality predicate; a predicate
returns None when the atom is legal and a reason, as a clause, when it is not.

Sources of the rules: cuda.h of CUDA 13.0 (cuTensorMapEncodeTiled, interleave NONE) for TMA; PTX ISA
8.0, `ld`, `st` (vector accesses are aligned to their size) and `cp.async` (4, 8 or 16 bytes).
"""

import enum
from collections.abc import Callable, Mapping
from math import gcd

from tilec.support.dtypes import DTYPES
from tilec.support.fast_dataclasses import dataclass, replace

GLOBAL_SPACE = 1
TMA_ALIGNMENT = 16
"""Bytes that base address, strides and inner box of a tensor map are multiples of."""
TMA_MAX_RANK = 5
LINE_BYTES = 128
"""Bytes that a thread prefetches: a line of L2."""
TMA_TIER = 90
CP_ASYNC_TIER = 80
VECTOR_BITS = (128, 64, 32, 16, 8)
CP_ASYNC_BYTES = (16, 8, 4)
TENSOR_MAP_ELEMENTS = frozenset(
    {"i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "tf32", "f8E4M3FN", "f8E5M2"}
)
"""MLIR element types with a CUtensorMapDataType; 8-bit floats travel as bytes."""
_WIDE_INTEGERS = frozenset({"i32", "i64"})
TMA_COMBINATIONS: Mapping[str, frozenset[str]] = {
    "addf": frozenset({"f16", "bf16", "f32"}),
    **dict.fromkeys(("add", "max", "min", "umax", "umin", "and", "or", "xor"), _WIDE_INTEGERS),
}
"""Element types that TMA combines with an array, by mode (PTX ISA, cp.reduce.async.bulk.tensor)."""
COMBINED_AS = {"i64": "u64"}
"""What a tensor map has to call elements that TMA adds, or whose bits it combines. With a map of
i64, `add`, `and`, `or` and `xor` end in an illegal instruction, while `max` and `min` are right;
with i32, u32 and u64 all six are (H100, driver 580, 2026-11-25)."""
UNSIGNED_MODES = {"max": False, "min": False, "umax": True, "umin": True}
"""Whether a mode compares numbers without a sign. TMA sees that in the tensor map instead."""
VECTOR_SUMS = frozenset({"f16", "bf16", "f32"})
"""Types of which `red` adds several neighbours at once (PTX ISA, red: sm_90)."""
ELEMENT_BITS: dict[str, int] = {dtype.mlir: dtype.bits for dtype in DTYPES.values()}
"""Bits of an element in memory by its MLIR type; an i1 takes a byte."""


class Interface(enum.Flag):
    """What an atom can do; passes ask for an interface, never for a name."""

    COPY = enum.auto()
    ASYNC_COPY = enum.auto()
    TMA = enum.auto()
    PREFETCH = enum.auto()
    COMBINE = enum.auto()


@dataclass(frozen=True, slots=True)
class CopyRequest:
    """What one tiled load or store asks for; tuples are in storage order, outermost first.

    Attributes:
        is_load: Load or store.
        compute_capability: Major * 10 + minor.
        address_space: Address space of the array; 1 is global memory.
        tile: Extents of the tile in elements.
        element: MLIR name of the element type.
        sizes: Extents of the array in elements, None at run time.
        strides: Strides in elements, None at run time.
        base_div_by: Known divisor of the base address in bytes.
        size_div_by: Known divisors of the extents in elements.
        stride_div_by: Known divisors of the strides in bytes; 0 for a stride of 0.
        coord_div_by: Known divisors of the coordinates in elements; 0 for coordinate 0.
        in_bounds: Whether the tile never leaves the array along a dim.
        padding: Value outside the array.
        mem_semantic: Memory ordering.
        allow_tma: False when the source forbids TMA.
        not_describable: Why the host cannot describe the array to TMA, None when it can.
        after_store: The load comes after a store or an acquire of this kernel.
        is_prefetch: The tile is not loaded yet, only brought to L2.
        combine: How the tile is combined with the array; None where it is copied.
        is_unsigned: Whether the tensor map says that the elements are numbers without a sign.
        array_div_by: Of a slice: known divisor of the base address of its array, in bytes.
        start_div_by: Of a slice: known divisors of where it begins in its array, in elements.
    """

    is_load: bool
    compute_capability: int
    address_space: int
    tile: tuple[int, ...]
    element: str
    sizes: tuple[int | None, ...]
    strides: tuple[int | None, ...]
    base_div_by: int
    size_div_by: tuple[int, ...]
    stride_div_by: tuple[int, ...]
    coord_div_by: tuple[int, ...]
    in_bounds: tuple[bool, ...]
    padding: str = "zero"
    mem_semantic: str = "weak"
    allow_tma: bool = True
    not_describable: str | None = None
    after_store: bool = False
    is_prefetch: bool = False
    combine: str | None = None
    is_unsigned: bool = False
    array_div_by: int | None = None
    start_div_by: tuple[int, ...] | None = None

    @property
    def whole(self) -> "CopyRequest":
        """The same tile as one of the whole array, which TMA describes."""
        if self.array_div_by is None or self.start_div_by is None:
            return self
        coords = tuple(map(gcd, self.coord_div_by, self.start_div_by))
        return replace(self, base_div_by=self.array_div_by, coord_div_by=coords, array_div_by=None)

    @property
    def rank(self) -> int:
        """Number of dims."""
        return len(self.tile)

    @property
    def element_bytes(self) -> int:
        """Size of an element in memory."""
        return ELEMENT_BITS[self.element] // 8


Predicate = Callable[[CopyRequest, int], str | None]


@dataclass(frozen=True, slots=True)
class CopyAtom:
    """A family of atoms.

    Attributes:
        kind: tma_load, tma_store, tma_reduce, tma_prefetch, ldg, stg, red, prefetch or cp_async.
        min_tier: Oldest compute capability that has it.
        loads: Whether it loads (else it stores).
        vector_bits: Bits per instruction of one thread; 0 when a tile moves as a whole.
        interfaces: What it can do.
        find_obstacle: Legality predicate; gets the request and `vector_bits`.
    """

    kind: str
    min_tier: int
    loads: bool
    vector_bits: int
    interfaces: Interface
    find_obstacle: Predicate

    def name_for(self, request: CopyRequest) -> str:
        """Return the witness name, for example `sm90_tma_load_2d_bf16` or `sm90_ldg_128_f32`."""
        element = request.element.lower()
        if Interface.TMA in self.interfaces:
            return f"sm90_{self.kind}_{request.rank}d_{element}"
        if Interface.ASYNC_COPY in self.interfaces:
            return f"sm80_{self.kind}_{self.vector_bits // 8}_{element}"
        tier = max(70, min(request.compute_capability, TMA_TIER))
        return f"sm{tier}_{self.kind}_{self.vector_bits}_{element}"


@dataclass(frozen=True, slots=True)
class Selection:
    """What the registry says about one request.

    Attributes:
        legal: Legal atoms, the preferred one first; never empty.
        tma_obstacle: Why TMA cannot move the tile; None when it can.
    """

    legal: tuple[CopyAtom, ...]
    tma_obstacle: str | None


def select_copy_atoms(request: CopyRequest) -> Selection:
    """Return the legal atoms for `request`, in order of preference."""
    candidates = [
        atom
        for atom in COPY_ATOMS
        if atom.loads == request.is_load
        and (Interface.PREFETCH in atom.interfaces) == request.is_prefetch
        and (Interface.COMBINE in atom.interfaces) == (request.combine is not None)
    ]
    obstacles = {atom: atom.find_obstacle(request, atom.vector_bits) for atom in candidates}
    legal = [atom for atom in candidates if obstacles[atom] is None]
    legal.sort(key=lambda atom: _preference(atom, request.compute_capability))
    tma = next(atom for atom in candidates if Interface.TMA in atom.interfaces)
    return Selection(tuple(legal), obstacles[tma])


def _preference(atom: CopyAtom, capability: int) -> tuple[int, int]:
    """Return the sort key: TMA, then the plain or asynchronous vector copies, widest first.

    From sm_90 on a tile that TMA cannot take goes through registers; before, cp.async is the way
    into shared memory.
    """
    if Interface.TMA in atom.interfaces:
        return 0, 0
    is_async = Interface.ASYNC_COPY in atom.interfaces
    prefer_async = capability < TMA_TIER
    return (1 if is_async == prefer_async else 2), -atom.vector_bits


def find_tma_obstacle(request: CopyRequest, vector_bits: int = 0) -> str | None:
    """Return why TMA cannot move the tile, or None."""
    del vector_bits  # a tile moves as a whole
    request = request.whole
    return (
        _find_policy_obstacle(request)
        or _find_shape_obstacle(request)
        or _find_stride_obstacle(request)
        or _find_start_obstacle(request)
        or request.not_describable
    )


def _find_policy_obstacle(request: CopyRequest) -> str | None:
    if request.compute_capability < TMA_TIER:
        return f"compute capability {request.compute_capability} has no TMA"
    if request.address_space != GLOBAL_SPACE:
        return "the array is not in global memory"
    if not request.allow_tma:
        return "the source says allow_tma = false"
    if request.mem_semantic != "weak" and request.combine is None:
        return f"its memory ordering is {request.mem_semantic}, and TMA copies are weak"
    if request.after_store:
        return "it comes after a store or an acquire of this kernel"
    return None


def _find_shape_obstacle(request: CopyRequest) -> str | None:
    if not 1 <= request.rank <= TMA_MAX_RANK:
        return f"rank {request.rank} is not between 1 and {TMA_MAX_RANK}"
    if request.element not in TENSOR_MAP_ELEMENTS:
        return f"tensor maps have no element type {request.element}"
    inner = request.tile[-1] * request.element_bytes
    if inner % TMA_ALIGNMENT:
        return f"the inner tile extent is {inner} bytes, not a multiple of {TMA_ALIGNMENT}"
    return None


def _find_start_obstacle(request: CopyRequest) -> str | None:
    """Return why TMA cannot copy a tile from where it starts.

    A load whose innermost coordinate is no multiple of 16 bytes ends in an illegal instruction
    (measured: H200, driver 580, 2026-11-23, f32 and bf16, three tile widths); other coordinates may
    be any. TMA also cuts the end of a row in units of 16 bytes (measured 2026-11-21), so a store
    has the same rule.
    """
    if request.coord_div_by[-1] * request.element_bytes % TMA_ALIGNMENT:
        return f"its rows are not known to start at multiples of {TMA_ALIGNMENT} bytes"
    return None


def _find_stride_obstacle(request: CopyRequest) -> str | None:
    inner = request.strides[-1]
    if inner != 1 and request.sizes[-1] != 1:
        known = "not known to be 1" if inner is None else f"{inner}, not 1"
        return f"the innermost stride is {known}"
    if request.base_div_by % TMA_ALIGNMENT:
        return f"base address is not known to be a multiple of {TMA_ALIGNMENT} bytes"
    for dim in reversed(range(request.rank - 1)):
        if request.sizes[dim] == 1:
            continue  # nothing steps along it, so the launcher may give any stride
        what = "row pitch" if dim == request.rank - 2 else f"stride of dim {dim}"
        stride = request.strides[dim]
        if stride is not None and stride <= 0:
            return f"{what} is {stride}, not positive"
        if request.stride_div_by[dim] % TMA_ALIGNMENT:
            if stride is None:
                return f"{what} is not known to be a multiple of {TMA_ALIGNMENT} bytes"
            pitch = stride * request.element_bytes
            return f"{what} is {pitch} bytes, not a multiple of {TMA_ALIGNMENT}"
    return None


def find_vector_obstacle(request: CopyRequest, vector_bits: int) -> str | None:
    """Return why a thread cannot move `vector_bits` consecutive bits at a time, or None.

    A vector must be contiguous, aligned to its size for every tile, and wholly inside or wholly
    outside of the array.
    """
    size, element = vector_bits // 8, request.element_bytes
    if size < element:
        return f"an element has {element} bytes"
    if size == element:
        return None
    if not request.tile or request.strides[-1] != 1:
        return "consecutive elements are not known to be contiguous"
    if request.base_div_by % size:
        return f"base address is not known to be a multiple of {size} bytes"
    if any(divisor % size for divisor in request.stride_div_by[:-1]):
        return f"a stride is not known to be a multiple of {size} bytes"
    if (request.tile[-1] * element) % size or (request.coord_div_by[-1] * element) % size:
        return f"rows of the tile do not start at multiples of {size} bytes"
    if not request.in_bounds[-1] and (request.size_div_by[-1] * element) % size:
        return f"the inner extent is not known to be a multiple of {size} bytes"
    return None


def find_tma_reduction_obstacle(request: CopyRequest, vector_bits: int = 0) -> str | None:
    """Return why TMA cannot combine the tile with its array, or None.

    Each step is relaxed at the scope of the GPU (PTX ISA, cp.reduce.async.bulk.tensor).
    """
    mode = request.combine or ""
    if request.element not in TMA_COMBINATIONS.get(mode, ()):
        return f"TMA has no '{mode}' of {request.element}"
    if UNSIGNED_MODES.get(mode, request.is_unsigned) != request.is_unsigned:
        return f"TMA sees in the tensor map whether numbers have a sign, and '{mode}' differs"
    return find_tma_obstacle(request, vector_bits)


def find_reduction_obstacle(request: CopyRequest, vector_bits: int) -> str | None:
    """Return why a thread cannot combine `vector_bits` consecutive bits at a time, or None."""
    is_one = vector_bits <= ELEMENT_BITS[request.element]
    if not is_one and (request.combine != "addf" or request.element not in VECTOR_SUMS):
        return f"an instruction combines one element of {request.element}"
    return find_vector_obstacle(request, vector_bits)


def find_async_obstacle(request: CopyRequest, vector_bits: int) -> str | None:
    """Return why cp.async cannot copy `vector_bits` at a time to shared memory, or None."""
    if request.compute_capability < CP_ASYNC_TIER:
        return f"compute capability {request.compute_capability} has no cp.async"
    if request.mem_semantic != "weak":
        return f"its memory ordering is {request.mem_semantic}, and cp.async copies are weak"
    if request.padding != "zero" and not all(request.in_bounds):
        return f"cp.async pads with zeros, not with {request.padding}"
    if request.after_store:
        return "it comes after a store or an acquire of this kernel"
    return find_vector_obstacle(request, vector_bits)


_TMA = Interface.COPY | Interface.ASYNC_COPY | Interface.TMA
_TMA_PREFETCH = Interface.TMA | Interface.PREFETCH
_COMBINE = Interface.COPY | Interface.COMBINE
COPY_ATOMS: tuple[CopyAtom, ...] = (
    CopyAtom("tma_load", TMA_TIER, True, 0, _TMA, find_tma_obstacle),
    CopyAtom("tma_store", TMA_TIER, False, 0, _TMA, find_tma_obstacle),
    CopyAtom("tma_reduce", TMA_TIER, False, 0, _TMA | _COMBINE, find_tma_reduction_obstacle),
    CopyAtom("tma_prefetch", TMA_TIER, True, 0, _TMA_PREFETCH, find_tma_obstacle),
    CopyAtom("prefetch", 70, True, 8 * LINE_BYTES, Interface.PREFETCH, lambda *_: None),
    *(CopyAtom("ldg", 70, True, b, Interface.COPY, find_vector_obstacle) for b in VECTOR_BITS),
    *(CopyAtom("stg", 70, False, b, Interface.COPY, find_vector_obstacle) for b in VECTOR_BITS),
    *(CopyAtom("red", 70, False, b, _COMBINE, find_reduction_obstacle) for b in VECTOR_BITS),
    *(
        CopyAtom(
            "cp_async",
            CP_ASYNC_TIER,
            True,
            size * 8,
            Interface.COPY | Interface.ASYNC_COPY,
            find_async_obstacle,
        )
        for size in CP_ASYNC_BYTES
    ),
)
"""Every family of copy atoms."""


def interfaces_of(kind: str) -> Interface:
    """Return what atoms of `kind` can do."""
    return next(atom.interfaces for atom in COPY_ATOMS if atom.kind == kind)
