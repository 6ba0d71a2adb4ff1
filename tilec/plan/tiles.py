"""Tile extents for `auto` constants, chosen before emission because tile types contain them.

For `mma` the choice minimises a model of the time of the whole matrix multiply over the tiles that
fit the machine; for other tiles a byte budget is split over the axes. Sizes come from `--size` or
from real arguments; a dim without a known size counts as large. Pure Python.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Literal

from tilec.diagnostics import CompileError, InternalCompilerError, error
from tilec.plan import machine
from tilec.plan.gemm_model import LARGE_EXTENT, GemmTile, gemm_clocks, misfit
from tilec.specialization import Specialization
from tilec.target import TARGETS, Target

TileRole = Literal["mma_m", "mma_n", "mma_k", "elementwise"]
_MMA_ROLES: tuple[TileRole, ...] = ("mma_m", "mma_n", "mma_k")

TILE_BYTES = 16 * 1024
"""Bytes of an elementwise tile: 4 to 8 accesses of 16 bytes for each of 128 to 256 threads."""
MIN_TILE_ELEMENTS, MAX_TILE_ELEMENTS = 2048, 8192
INNER_BYTES = 256
"""Bytes along the contiguous axis of an elementwise tile of rank 2 or more: two 128-byte lines."""


@dataclass(frozen=True, slots=True)
class TileUse:
    """How the kernel uses one `auto` constant.

    Attributes:
        role: Which extent of an `mma` it is, or `elementwise`.
        element_bytes: Size of an element: of an operand for `mma`, of the widest array element
            for `elementwise`.
        extents: For `mma` the extents (m, n, k), otherwise the extents of the tile, outermost
            first. An `int` is known, a `str` names an `auto` constant (this one or another).
        dim: Named dim that tiles of this extent walk over, if there is one.
        output_bytes: For `mma`: size of an element of the stored result.
    """

    role: TileRole
    element_bytes: int
    extents: tuple[int | str, ...]
    dim: str | None = None
    output_bytes: int = 4


@dataclass(frozen=True, slots=True)
class TileChoice:
    """Values of the `auto` constants and why they are what they are.

    Attributes:
        values: Value by name.
        reasons: One sentence per choice.
        mma_elements: Multiply-adds of one k-tile of the largest mma chosen; 0 without an mma.
    """

    values: Mapping[str, int]
    reasons: tuple[str, ...]
    mma_elements: int = 0


def choose_tiles(
    uses: Mapping[str, TileUse],
    specialization: Specialization | None = None,
    target: Target = TARGETS["sm_90a"],
) -> dict[str, int]:
    """Return the value of every `auto` constant; see `plan_tiles`."""
    return dict(plan_tiles(uses, specialization, target).values)


def plan_tiles(
    uses: Mapping[str, TileUse],
    specialization: Specialization | None = None,
    target: Target = TARGETS["sm_90a"],
) -> TileChoice:
    """Choose the value of every `auto` constant.

    Args:
        uses: The `auto` constants by name. Constants that appear in one tile are chosen together.
        specialization: Known sizes of named dims; none when absent.
        target: Machine to plan for.

    Raises:
        CompileError: Extents that the user fixed leave no tile that fits the machine (T0410).
    """
    sizes = dict(specialization.sizes) if specialization is not None else {}
    limit = specialization.mma_limit if specialization is not None else None
    values: dict[str, int] = {}
    reasons: list[str] = []
    largest = 0
    for name, use in _mma_first(uses):
        if name in values:
            continue
        unknown = [item for item in use.extents if isinstance(item, str) and item not in uses]
        if unknown:
            raise InternalCompilerError(f"tile of '{name}' names unknown constants {unknown}")
        bound = tuple(values.get(e, e) if isinstance(e, str) else e for e in use.extents)
        known = {item: _size_of(uses, item, sizes) for item in bound if isinstance(item, str)}
        if use.role in _MMA_ROLES:
            tile = _choose_mma(name, use, bound, known, target, limit)
            largest = max(largest, tile.m * tile.n * tile.k)
            pairs = zip(bound, (tile.m, tile.n, tile.k), strict=True)
            chosen = {item: value for item, value in pairs if isinstance(item, str)}
        else:
            chosen = _choose_elementwise(use, bound, known)
        values.update(chosen)
        reasons.append(_reason(use, chosen, known, uses))
    return TileChoice(values, tuple(reasons), largest)


def _mma_first(uses: Mapping[str, TileUse]) -> Iterable[tuple[str, TileUse]]:
    return sorted(uses.items(), key=lambda item: item[1].role not in _MMA_ROLES)


def _size_of(uses: Mapping[str, TileUse], name: str, sizes: Mapping[str, int]) -> int | None:
    dim = uses[name].dim
    return sizes.get(dim) if dim is not None else None


def _reason(
    use: TileUse,
    chosen: Mapping[str, int],
    sizes: Mapping[str, int | None],
    uses: Mapping[str, TileUse],
) -> str:
    values = ", ".join(f"{name} = {value}" for name, value in chosen.items())
    if use.role in _MMA_ROLES:
        what = f"lowest modelled time of the {use.element_bytes * 8}-bit mma"
    else:
        what = "tiles of about 16 KB, wide along the contiguous axis"
    known = [
        f"{name} walks {size} element{'s' * (size != 1)}"
        for name, size in sizes.items()
        if size is not None
    ]
    unknown = [uses[name].dim or name for name, size in sizes.items() if size is None]
    unknown = list(dict.fromkeys(unknown))
    if unknown:
        known.append(f"large extents assumed for {', '.join(unknown)}")
    return f"{values}: {what}; {', '.join(known)}"


def round_up_power_of_two(value: int) -> int:
    """Return the smallest power of two that is at least `value` (at least 1)."""
    return 1 << max(0, value - 1).bit_length()


def _choose_mma(
    name: str,
    use: TileUse,
    extents: tuple[int | str, ...],
    sizes: Mapping[str, int | None],
    target: Target,
    mma_limit: int | None,
) -> GemmTile:
    """Return the tile with the lowest modelled time; ties within 1% go to the larger tile."""
    candidates = list(_mma_candidates(use, extents, sizes))
    problem = tuple(
        (sizes.get(item) or LARGE_EXTENT) if isinstance(item, str) else max(item, LARGE_EXTENT)
        for item in extents
    )
    fitting = [tile for tile in candidates if misfit(tile, target) is None]
    if mma_limit is not None:
        fitting = [tile for tile in fitting if tile.m * tile.n * tile.k <= mma_limit]
    if not fitting:
        reason = misfit(candidates[0], target) or "all tiles are too large"
        raise CompileError(
            error(
                "T0410",
                f"no value of '{name}' fits: {reason}",
                hint="give this constant, or the other extents of its mma, a smaller value",
            )
        )
    clocks = {tile: gemm_clocks(tile, problem, target) for tile in fitting}
    limit = min(clocks.values()) * 1.01
    return max(
        (tile for tile in fitting if clocks[tile] <= limit),
        key=lambda tile: (tile.m * tile.n * tile.k, -clocks[tile], tile.n),
    )


def _mma_candidates(
    use: TileUse, extents: tuple[int | str, ...], sizes: Mapping[str, int | None]
) -> Iterable[GemmTile]:
    """Yield the tiles to compare: powers of two up to the rounded-up extents."""
    k_step = machine.MMA_K_BYTES // use.element_bytes
    span = machine.SWIZZLE_BYTES // use.element_bytes
    ranges = ((machine.MMA_ROWS, 256), (16, 256), (k_step, 2 * span))
    options: list[list[int]] = []
    for item, (low, high) in zip(extents, ranges, strict=True):
        size = sizes.get(item) if isinstance(item, str) else None
        most = high if size is None else min(high, max(low, round_up_power_of_two(size)))
        values = [low << shift for shift in range((most // low).bit_length())]
        options.append(values if isinstance(item, str) else [item])
    if isinstance(extents[2], str):
        options[2] = [k for k in options[2] if k >= span] or options[2][-1:]  # whole swizzle spans
    for m in options[0]:
        for n in options[1]:
            for k in options[2]:
                tile = dict(zip(extents, (m, n, k), strict=True))
                if (tile[extents[0]], tile[extents[1]], tile[extents[2]]) == (m, n, k):
                    yield GemmTile(m, n, k, use.element_bytes, use.output_bytes)


def _choose_elementwise(
    use: TileUse, extents: tuple[int | str, ...], sizes: Mapping[str, int | None]
) -> dict[str, int]:
    """Split the element budget over the `auto` extents of one tile.

    The contiguous axis gets `INNER_BYTES`; the rest is doubled evenly, inner axes first; what the
    other axes cannot take goes back to the contiguous one.
    """
    budget = min(max(TILE_BYTES // use.element_bytes, MIN_TILE_ELEMENTS), MAX_TILE_ELEMENTS)
    names = list(dict.fromkeys(item for item in reversed(extents) if isinstance(item, str)))
    values = dict.fromkeys(names, 1)

    def double(name: str) -> bool:
        grown = values | {name: values[name] * 2}
        size = sizes[name]
        if size is not None and grown[name] > round_up_power_of_two(size):
            return False
        if prod(grown[e] if isinstance(e, str) else e for e in extents) > budget:
            return False
        values[name] *= 2
        return True

    inner = extents[-1]
    if isinstance(inner, str):
        want = INNER_BYTES // use.element_bytes
        while values[inner] < want and double(inner):
            pass
    outer = [name for name in names if name != inner]
    while any(double(name) for name in sorted(outer, key=values.__getitem__)):
        pass
    while isinstance(inner, str) and double(inner):
        pass
    return values
