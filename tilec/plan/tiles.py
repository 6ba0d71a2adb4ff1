"""Tile extents for `auto` constants, chosen before emission because tile types contain them.

For `mma` the choice minimises a model of the time of the whole matrix multiply over the tiles that
fit the machine; for other tiles a byte budget is split over the axes. Sizes come from `--size` or
from real arguments; a dim without a known size counts as large. Pure Python.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import prod
from typing import Literal

from tilec.plan.chain_tiles import ChainProblem, RankedChain, rank_chains
from tilec.plan.copies import PROMOTION
from tilec.plan.elementwise_tiles import choose_elementwise
from tilec.plan.gemm.candidates import (
    NOTHING_FIXED,
    SCHEDULES,
    SPLITS,
    GemmProblem,
    candidates,
    rank_tiles,
)
from tilec.plan.gemm.model import LARGE_EXTENT
from tilec.plan.gemm.ranked_tile import RankedTile, tile_text
from tilec.plan.gemm.tile import misfit
from tilec.plan.overrides import PlanOverrides
from tilec.plan.products import ALONE, ProductsTogether
from tilec.request.gpu import get_gpu
from tilec.request.specialization import Specialization
from tilec.request.target import TARGETS, Target
from tilec.support.diagnostics import CompileError, InternalCompilerError, error
from tilec.support.fast_dataclasses import dataclass, replace
from tilec.support.mma_atoms import ProductTypes

Ranked = RankedTile | RankedChain
TileRole = Literal["mma_m", "mma_n", "mma_k", "elementwise"]
_MMA_ROLES: tuple[TileRole, ...] = ("mma_m", "mma_n", "mma_k")

SHOWN_CANDIDATES = 5
"""How many tiles of an mma a plan lists: the choice and its runners-up."""


@dataclass(frozen=True, slots=True)
class TileUse:
    """How the kernel uses one `auto` constant.

    Attributes:
        role: Which extent of an `mma` it is, or `elementwise`.
        element_bytes: Size of an element: of an operand for `mma`, of the widest array element
            for `elementwise`.
        extents: For `mma` the extents (m, n, k), otherwise the extents of the tile, outermost
            first. An `int` is known, a `str` names an `auto` constant (this one or another).
        dim: Named dim that tiles of this extent divide, if there is one.
        output_bytes: For `mma`: size of an element of the stored result.
        epilogue_bytes: For `mma`: bytes that the epilogue loads for each element of the result.
        m_contiguous: For `mma`: whether A lies in memory with M contiguous.
        n_contiguous: For `mma`: whether B lies in memory with N contiguous.
        deferrable: For `mma`: whether the store of the result can wait for the next tile.
        swappable: For `mma`: whether wgmma may compute the transpose instead.
        batch: For `mma`: what the axes of extent 1 count, each a number or a named dim. Their
            product is the number of matrices.
        together: For `mma`: the products of the same extents that run with it.
        product: For `mma`: its element types.
    """

    role: TileRole
    element_bytes: int
    extents: tuple[int | str, ...]
    dim: str | None = None
    output_bytes: int = 4
    epilogue_bytes: int = 0
    m_contiguous: bool = False
    n_contiguous: bool = False
    deferrable: bool = False
    swappable: bool = False
    batch: tuple[int | str, ...] = ()
    together: ProductsTogether = ALONE
    product: ProductTypes | None = None


@dataclass(frozen=True, slots=True)
class TileChoice:
    """Values of the `auto` constants and why they are what they are.

    Attributes:
        values: Value by name.
        reasons: One sentence per choice.
        cluster: CTAs of a cluster along M and N of the largest mma.
        pingpong: Whether consumers ping-pong over tiles of the largest mma.
        mma_elements: Multiply-adds of one k-tile of the largest mma chosen; 0 without an mma.
        l2_promotion: Bytes that TMA brings into L2 at a time, of operands of the largest mma.
        dependent_launch: Whether the kernel may start before the one before it has ended.
        share_tiles: Whether the CTAs of the cluster share what they load alike.
        fill_gpu: Whether every SM should have a CTA, though fewer need no more rounds of tiles.
        split_k: Splits of each tile of the largest mma along K.
        defer_stores: Whether the store of a tile of the largest mma waits for the next tile.
        snake_k: Whether L2 cannot keep the operands of a wave of the largest mma for the next one.
        ranked: Where the extents of one mma are all there is to choose, its tiles, best first.
        extents: Those extents, (m, n, k): numbers, and names of constants.
        candidates: For each mma the tile chosen and the next best ones, with their modelled times.
    """

    values: Mapping[str, int]
    reasons: tuple[str, ...]
    mma_elements: int = 0
    cluster: tuple[int, int] = (1, 1)
    pingpong: bool = False
    split_k: int = 1
    candidates: tuple[str, ...] = ()
    defer_stores: bool = False
    snake_k: bool = False
    l2_promotion: int = PROMOTION
    dependent_launch: bool = True
    share_tiles: bool = True
    fill_gpu: bool = False
    ranked: Sequence[Ranked] = ()
    extents: tuple[int | str, ...] = ()


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
    *,
    powers_of_two: bool = False,
    overrides: PlanOverrides = NOTHING_FIXED,
) -> TileChoice:
    """Choose the value of every `auto` constant.

    Args:
        uses: The `auto` constants by name. Constants that appear in one tile are chosen together.
        specialization: Known sizes of named dims; none when absent.
        target: Architecture to plan for; the GPU is that of `specialization`.
        powers_of_two: Whether to consider only extents that are powers of two.
        overrides: Fields of the plan that the user fixed. Tiles that go with them are preferred to
            all others; where there is none, the plan of the kernel says why.

    Raises:
        CompileError: Extents that the user fixed leave no tile that fits the machine (T0410).
    """
    products = {use.extents for use in uses.values() if use.role in _MMA_ROLES}
    known = specialization or Specialization()
    machine = replace(target, gpu=get_gpu(known.gpu))
    planner = _Planner(known, machine, powers_of_two, overrides, len(products) == 1)
    values: dict[str, int] = {}
    reasons: list[str] = []
    rankings: list[Sequence[Ranked]] = []
    for name, use in _mma_first(uses):
        if name in values:
            continue
        bound = _bind_extents(use, values, uses)
        sizes = {item: _size_of(uses, item, planner) for item in bound if isinstance(item, str)}
        chosen, ranked = _choose(name, use, bound, sizes, planner)
        rankings.append(ranked)
        values.update(chosen)
        reasons.append(_reason(use, chosen, sizes, uses) + _runners_up(ranked))
        if chosen.keys() == uses.keys():
            return make_choice(values, reasons, rankings, bound)
    return make_choice(values, reasons, rankings)


def make_choice(
    values: Mapping[str, int],
    reasons: Sequence[str],
    rankings: Sequence[Sequence[Ranked]],
    extents: tuple[int | str, ...] = (),
) -> TileChoice:
    """Return the choice; cluster, turns and splits are those of the largest mma.

    Args:
        values: Value by name.
        reasons: One sentence per choice.
        rankings: For each mma its tiles, best first.
        extents: Extents of the only mma, if there is nothing else to choose.
    """
    best = [ranked[0] for ranked in rankings if ranked]
    chosen = max(best, key=lambda item: item.tile.volume, default=None)
    if chosen is None:
        return TileChoice(values, tuple(reasons))
    largest = chosen.tile
    return TileChoice(
        values,
        tuple(reasons),
        largest.volume,
        largest.cluster,
        largest.pingpong,
        largest.split_k,
        tuple(str(item) for ranked in rankings for item in ranked[:SHOWN_CANDIDATES]),
        ranked=rankings[0] if extents else (),
        extents=extents,
        **chosen.plan_fields,
    )


@dataclass(frozen=True, slots=True)
class _Planner:
    """What all choices of one kernel have in common; `alone`: there is a single mma."""

    known: Specialization
    target: Target
    powers_of_two: bool
    overrides: PlanOverrides
    alone: bool


def _bind_extents(
    use: TileUse, values: Mapping[str, int], uses: Mapping[str, TileUse]
) -> tuple[int | str, ...]:
    """Return the extents of a tile, those chosen before as numbers."""
    unknown = [item for item in use.extents if isinstance(item, str) and item not in uses]
    if unknown:
        raise InternalCompilerError(f"a tile names unknown constants {unknown}")
    return tuple(values.get(item, item) if isinstance(item, str) else item for item in use.extents)


def _choose(
    name: str,
    use: TileUse,
    extents: tuple[int | str, ...],
    sizes: Mapping[str, int | None],
    planner: _Planner,
) -> tuple[dict[str, int], Sequence[Ranked]]:
    """Return the constants of one tile and, for an mma, its tiles in order."""
    if use.role not in _MMA_ROLES:
        return choose_elementwise(use.element_bytes, extents, sizes), []
    ranked = _rank_chain(use, extents, sizes, planner)
    ranked = ranked or _rank_mma(name, use, extents, sizes, planner)
    return values_of(ranked[0], extents), ranked


def values_of(ranked: Ranked, extents: tuple[int | str, ...]) -> dict[str, int]:
    """Return the constants among the extents of an mma, for one of its tiles."""
    pairs = zip(extents, (ranked.tile.m, ranked.tile.n, ranked.tile.k), strict=True)
    return {item: value for item, value in pairs if isinstance(item, str)}


def _runners_up(ranked: Sequence[Ranked]) -> str:
    """Return the next best tiles and how much worse their scores are."""
    if len(ranked) < 2:
        return ""
    best = ranked[0].score
    others = (
        f"{tile_text(item.tile)} {item.score / best - 1:+.1%}"
        for item in ranked[1:SHOWN_CANDIDATES]
    )
    return f"; runners-up: {', '.join(others)}"


def _mma_first(uses: Mapping[str, TileUse]) -> Iterable[tuple[str, TileUse]]:
    return sorted(uses.items(), key=lambda item: item[1].role not in _MMA_ROLES)


def _size_of(uses: Mapping[str, TileUse], name: str, planner: _Planner) -> int | None:
    dim = uses[name].dim
    return planner.known.sizes.get(dim) if dim is not None else None


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
        f"{name} covers {size} element{'s' * (size != 1)}"
        for name, size in sizes.items()
        if size is not None
    ]
    unknown = [uses[name].dim or name for name, size in sizes.items() if size is None]
    unknown = list(dict.fromkeys(unknown))
    if unknown:
        known.append(f"large extents assumed for {', '.join(unknown)}")
    return f"{values}: {what}; {', '.join(known)}"


def _rank_chain(
    use: TileUse,
    extents: tuple[int | str, ...],
    sizes: Mapping[str, int | None],
    planner: _Planner,
) -> Sequence[Ranked]:
    """Return the tiles of two products of which one needs the other, best first; often none."""
    after, (m, n, k) = use.together.next, extents
    if after is None or isinstance(after.columns, str) or isinstance(k, str):
        return []
    problem = ChainProblem(
        tile=(None if isinstance(m, str) else m, None if isinstance(n, str) else n, k),
        columns=after.columns,
        element_bytes=use.element_bytes,
        rows=sizes.get(m) if isinstance(m, str) else None,
        inner=sizes.get(n) if isinstance(n, str) else None,
        staircase=after.staircase,
        powers_of_two=planner.powers_of_two,
    )
    limit = planner.known.mma_limit
    return rank_chains(problem, planner.target, limit, planner.overrides)


def _rank_mma(
    name: str,
    use: TileUse,
    extents: tuple[int | str, ...],
    sizes: Mapping[str, int | None],
    planner: _Planner,
) -> list[RankedTile]:
    """Return the tiles for the `auto` extents of an mma, best first; there is at least one."""
    problem = _gemm_problem(use, extents, sizes, planner)
    free = replace(problem, overrides=NOTHING_FIXED)
    for option in (problem, free):
        ranked = rank_tiles(option, planner.target, planner.known.mma_limit)
        if ranked:
            return ranked
    reason = misfit(next(iter(candidates(free))), planner.target) or "all tiles are too large"
    raise CompileError(
        error(
            "T0410",
            f"no value of '{name}' fits: {reason}",
            hint="give this constant, or the other extents of its mma, a smaller value",
        )
    )


def _gemm_problem(
    use: TileUse,
    extents: tuple[int | str, ...],
    sizes: Mapping[str, int | None],
    planner: _Planner,
) -> GemmProblem:
    asked = [sizes.get(item) if isinstance(item, str) else None for item in extents]
    whole = [
        (size or LARGE_EXTENT) if isinstance(item, str) else max(item, LARGE_EXTENT)
        for item, size in zip(extents, asked, strict=True)
    ]
    given = [None if isinstance(item, str) else item for item in extents]
    known = [size is not None for size in asked]
    return GemmProblem(
        extents=(whole[0], whole[1], whole[2]),
        tile=(given[0], given[1], given[2]),
        element_bytes=use.element_bytes,
        output_bytes=use.output_bytes,
        epilogue_bytes=use.epilogue_bytes,
        batch=prod(planner.known.sizes.get(e, 1) if isinstance(e, str) else e for e in use.batch),
        known=(known[0], known[1], known[2]),
        m_contiguous=use.m_contiguous,
        n_contiguous=use.n_contiguous,
        powers_of_two=planner.powers_of_two,
        splits=SPLITS if planner.alone and _sums_alone(use) else (1,),
        may_defer=use.deferrable and planner.alone and "defer_stores" not in planner.known.disabled,
        may_swap=use.swappable and planner.alone,
        overrides=planner.overrides,
        schedules=_schedules(use, planner),
        names=use.extents,
        together=use.together,
        product=use.product,
        equal=tuple(
            (first, second)
            for first, second in combinations(range(len(extents)), 2)
            if isinstance(extents[first], str) and extents[first] == extents[second]
        ),
    )


def _schedules(use: TileUse, planner: _Planner) -> tuple[bool, ...]:
    """Return whether consumers may share tiles, and ping-pong, which copies of both keep from."""
    together = any(use.together.copied) or "pingpong" in planner.known.disabled
    return (False,) if together else SCHEDULES


def _sums_alone(use: TileUse) -> bool:
    """Tell whether an mma runs with no other one and with no other accumulator."""
    return use.together.products == 1 and not use.together.also_live
