"""Cost of shared-memory accesses: bank conflicts computed from layouts.

Shared memory has 32 banks of 4 bytes. A warp's access is served in groups of lanes that together
ask for at most 128 bytes; a group takes as many wavefronts as the most loaded bank has distinct
4-byte words (CUDA programming guide, shared memory of compute capability 5.x and newer; lanes per
group for 8- and 16-byte accesses: Nsight Compute documentation, memory tables). `stmatrix` and
`ldmatrix` move 128 bytes for each matrix: the rows at the addresses of eight lanes, such a group.
"""

from collections.abc import Sequence
from operator import add

from tilec.layout.errors import LayoutError
from tilec.layout.matrix_accesses import MATRIX_EXTENT, MatrixAccesses
from tilec.layout.modes import WARP_LANES
from tilec.layout.register import RegisterLayout
from tilec.layout.shared import CHUNK_BYTES, SharedLayout
from tilec.support.fast_dataclasses import dataclass

BANKS = 32
BANK_BYTES = 4
SECTOR_BYTES = 32
"""Unit in which global memory is read and written (CUDA programming guide, global memory)."""


@dataclass(frozen=True, slots=True)
class AccessCost:
    """Cost of moving a tile between registers and shared memory with one warp or more.

    Attributes:
        instructions: Accesses that the warps issue.
        wavefronts: Passes that shared memory needs for them.
        ideal_wavefronts: Passes that the same accesses need without any conflict.
    """

    instructions: int
    wavefronts: int
    ideal_wavefronts: int

    @property
    def conflicts(self) -> int:
        """Passes beyond the ideal."""
        return self.wavefronts - self.ideal_wavefronts


def wavefronts(addresses: Sequence[int], width_bytes: int) -> int:
    """Return the passes that one access of a warp needs.

    Args:
        addresses: Byte address of each lane, aligned to `width_bytes`.
        width_bytes: Bytes that each lane accesses: 1, 2, 4, 8 or 16.

    Raises:
        LayoutError: `width_bytes` is not a width that a lane can access.
    """
    if width_bytes not in (1, 2, 4, 8, 16):
        raise LayoutError(f"no shared-memory access of {width_bytes} bytes")
    lanes = min(WARP_LANES, WARP_LANES * BANK_BYTES // width_bytes)
    unit = max(width_bytes, BANK_BYTES)  # an access of several words has them in neighbouring banks
    places = BANKS * BANK_BYTES // unit
    total = 0
    for start in range(0, len(addresses), lanes):
        loads = [0] * places
        for number in {address // unit for address in addresses[start : start + lanes]}:
            loads[number % places] += 1
        total += max(loads)
    return total


def access_cost(
    registers: RegisterLayout,
    shared: SharedLayout,
    axis: int,
    width: int,
    warps: int | None = None,
    samples: int | None = None,
) -> AccessCost:
    """Return what reading or writing a tile costs, all warps and registers together.

    Args:
        registers: Layout of the tile in registers.
        shared: Layout of the same tile in shared memory.
        axis: Axis along which a thread accesses `width` elements at once.
        width: Elements of one access; their bytes must be contiguous in shared memory.
        warps: How many warps to count, from the first one on; all of them by default.
        samples: Of how many accesses of a warp to count the passes, and to take the rest to be
            alike; all of them by default.

    Raises:
        LayoutError: The layouts differ in shape, or an access is not contiguous and aligned.
    """
    if registers.shape != shared.shape:
        raise LayoutError(f"tiles of {registers.shape} and {shared.shape} differ")
    if width > 1 and shared.box[axis] % width:
        raise LayoutError(f"boxes of {shared.box} have no rows of whole accesses of {width}")
    width_bytes = width * shared.element_bytes
    groups, count = registers.access_groups(axis, width), warps or registers.num_warps
    counted = groups[:: -(-len(groups) // (samples or len(groups)))]
    passes = (_warp_passes(registers, shared, counted, warp) for warp in range(count))
    ideal = max(1, WARP_LANES * width_bytes // (BANKS * BANK_BYTES))
    instructions = len(groups) * count
    total = -(-sum(passes) * len(groups) // len(counted))
    return AccessCost(instructions, total, instructions * ideal)


def _warp_passes(
    registers: RegisterLayout, shared: SharedLayout, groups: Sequence[Sequence[int]], warp: int
) -> int:
    """Return the passes in which a warp accesses these groups of its registers."""
    offsets = registers.register_offsets()
    start = registers.thread_offset(warp * WARP_LANES)
    columns = list(zip(*registers.lane_offsets(), strict=True)) or [(0,) * WARP_LANES]
    total = 0
    for group in groups:
        if len(group) > 1:
            _check_contiguous(shared, [_add(start, offsets[register]) for register in group])
        addresses = shared.offsets_from(columns, _add(start, offsets[group[0]]))
        width_bytes = len(group) * shared.element_bytes
        unaligned = [address for address in addresses if address % width_bytes]
        if unaligned:
            raise LayoutError(f"the access at byte {unaligned[0]} is not aligned to its width")
        total += wavefronts(addresses, width_bytes)
    return total


def matrix_access_cost(
    accesses: MatrixAccesses, shared: SharedLayout, warps: int | None = None
) -> AccessCost:
    """Return what moving a tile as matrices costs, all warps and instructions together.

    Args:
        accesses: The instructions.
        shared: Layout of the tile in shared memory.
        warps: How many warps to count, from the first one on; all of them by default.
    """
    lanes = accesses.matrices * MATRIX_EXTENT
    count = warps or accesses.rows.num_warps
    instructions = count * len(accesses.registers)
    total = 0
    for warp in range(count):
        start = accesses.rows.thread_offset(warp * WARP_LANES)
        bases = [_add(start, lane) for lane in accesses.rows.lane_offsets()[:lanes]]
        for number in range(len(accesses.registers)):
            first = accesses.rows.register_offsets()[number]
            rows = [_add(base, first) for base in bases]
            total += wavefronts(shared.offsets(rows), CHUNK_BYTES)
    return AccessCost(instructions, total, instructions * accesses.matrices)


def sectors(
    registers: RegisterLayout, axis: int, width: int, element_bytes: int, samples: int | None = None
) -> list[int]:
    """Return the sectors of 32 bytes that accesses of the first warp to global memory touch, each.

    The tile starts at a sector and is contiguous along its last axis; its other axes are far apart.

    Args:
        registers: Layout of the tile in registers.
        axis: Axis along which a thread accesses `width` elements at once.
        width: Elements of one access.
        element_bytes: Size of an element.
        samples: At how many accesses to look; at all of them by default.
    """
    bases = registers.lane_offsets()
    offsets, counts = registers.register_offsets(), []
    groups = registers.access_groups(axis, width)
    for group in groups[:: -(-len(groups) // (samples or len(groups)))]:
        touched = set()
        for base in bases:
            *outer, last = _add(base, offsets[group[0]])
            touched.add((*outer, last * element_bytes // SECTOR_BYTES))
        counts.append(len(touched))
    return counts


def _add(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(map(add, left, right))


def _check_contiguous(shared: SharedLayout, elements: Sequence[tuple[int, ...]]) -> None:
    """Check that elements are neighbours in shared memory.

    Those of one lane decide it for all whose address is aligned: the boxes have rows of whole
    accesses, and a swizzle moves whole chunks of 16 bytes.
    """
    found, size = shared.offsets(elements), shared.element_bytes
    if found != list(range(found[0], found[0] + len(found) * size, size)):
        raise LayoutError(f"elements {elements} are not contiguous in shared memory")
