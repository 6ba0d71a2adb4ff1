"""The tiles that a matrix multiply may use, in the order of their modelled time. Pure Python."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from tilec.plan import machine
from tilec.plan.deferral import allows_deferral
from tilec.plan.epilogue import SlicedTile, divides, shares_rows
from tilec.plan.gemm.model import LARGE_EXTENT, gemm_cost
from tilec.plan.gemm.ranked_tile import RankedTile
from tilec.plan.gemm.sharing import may_share
from tilec.plan.gemm.tile import GemmTile, misfit, shares_divide
from tilec.plan.overrides import PlanOverrides
from tilec.plan.placement import GATHERINGS, may_gather
from tilec.plan.products import ALONE, TYPES_BY_SIZE, Extents, ProductsTogether
from tilec.plan.split import PARTIAL_BYTES, SPLIT_DEPTH, SPLIT_SHARE, SPLITS
from tilec.plan.teams import turns_conflict
from tilec.request.target import Target
from tilec.support.fast_dataclasses import dataclass, replace
from tilec.support.mma_atoms import ProductTypes, wgmma_family
from tilec.support.numbers import is_power_of_two, round_up_power_of_two

ROWS = (64, 128, 192, 256)
"""Rows of a tile: whole slices of 64 over one, two or three consumer warpgroups."""
ROW_PARTS = (1, 2, 4)
"""Into how many tiles to divide up to 256 rows of a product that may be transposed (32x64x128 led
64x32x128 by 1% at 128x128x65536, bf16, H100, 2026-11-25)."""
SWAPPED_ROWS = 1024
"""Most rows of a product that may be transposed; more were not measured. Up to here, tiles that
divide the rows evenly took 0.85 of the time of others, on average of 64 products whose choice
changed, 2% more at most (bf16, H100, docs/measurements/2026-11-26-skinny-others.md)."""
MAX_COLUMNS = 256
MIN_COLUMNS = 16
COLUMN_STEP = 16
"""Columns between two tiles: the finest step that fills a last wave (as in DeepGEMM)."""
MIN_ROW_BYTES = 64
"""Least bytes of rows of B where N is contiguous: 64x16x128 took 13% longer than 64x64x64 in four
splits at 64x2112x7168 NN (bf16, H100, 2026-11-25)."""
LEAST_SWIZZLE_BYTES = 32
"""Narrowest swizzle span of rows of A where M is contiguous: 104x128x64 tiles, in 13 boxes of 16
bytes, took 33 us at 200x7168x2048, 64x256x64 tiles 17 to 18; 96x64x64 and 48x64x64, with spans of
64 and 32 bytes, were among the best (TN and TT, bf16, H100, 2026-11-26)."""
MIN_STEPPED_COLUMNS = 64
"""Narrower tiles have powers of two of columns only: latency decides there, not the model."""
CLUSTERS = ((2, 1), (1, 2))
"""Clusters along M and N to consider, next to single CTAs. Larger ones leave SMs of a GPC idle.
Swapped tiles share B only, where one cluster has all rows and there is one wave: 96x64x64 in 2x1
took 14% less than 184x64x64 in two splits at 180x4096x4096, but three waves of 56x64x64 took 7%
more than 64x192x64 at 112x12288x4096 (bf16, H100, 2026-11-26). In ping-pong, CTAs share whole
swizzle spans: cut ones gained too little to tell. Clusters of neighbours are in `placement.py`."""
SCHEDULES = (False, True)
"""Whether consumers share tiles (False) or ping-pong (True): what to consider."""
CLUSTERED_TILES = 8
"""How many of the best tiles are considered in clusters, too."""
SECTOR_BYTES = 32
"""L2 moves sectors of this size (CUDA programming guide, device memory accesses)."""
STRADDLING = 1.45
"""What a 128-byte row of a box that begins inside of a sector costs: five sectors for four, in two
lines for one. Calibrated: 1.4 to 1.45 take the tiles that were the fastest at 4095x4104x4104 (bf16,
H200, 2026-11-22); alone, 256x128 tiles took 18% longer there than in clusters of 2x1."""
NOTHING_FIXED = PlanOverrides()
TIE = 1.004
"""Within this factor the deeper one of two like tiles wins: it waits less often."""
SHALLOW_ROWS = 16
"""Rows of a tile up to which the shallower one wins where K of the weights is not contiguous. It
took 0.94 to 1.01 of the time at six products of 1 to 16 rows, on average 0.99, and 1.01 and 1.02
at two of 40 and 80 rows (bf16, H100, docs/measurements/2026-11-27-late-crowds.md)."""
NEW_SHARE = 0.96
"""What a tile that is the best one only by its cluster and its start may take at most, of what the
usual choice takes in the best cluster and with the best start. Without that, 24x10240x8192 and
three of 49 fresh products took 2 to 7% longer, where 2 to 3% less were modelled (bf16, H100,
docs/measurements/2026-11-26-skinny-clusters.md)."""
DEEP_STAGES = 8
"""Fewest stages of tiles that are deeper than a swizzle span; fewer slots, of which consumers hold
two, keep too little on its way. In bf16 on an H200, 2026-11-22, 64x32x128 with 9 stages beat
64x32x64 by 1.6% at 512^3, but 64x128x64 with 8 stages beat 64x128x128 with 4 by 3.5% at 1024^3."""


@dataclass(frozen=True, slots=True)
class GemmProblem:
    """A matrix multiply to choose a tile for.

    Attributes:
        extents: M, N and K of the whole product.
        tile: The extents of a tile that are given; None where they are to be chosen.
        element_bytes: Size of an operand element.
        output_bytes: Size of a result element.
        epilogue_bytes: Bytes that the epilogue loads for each element of the result.
        batch: How many such products the kernel computes.
        known: For each of M, N and K whether the extent is known or only assumed.
        m_contiguous: Whether A lies in memory with M contiguous.
        n_contiguous: Whether B lies in memory with N contiguous, so that the columns of a tile
            are cut into swizzle spans.
        powers_of_two: Whether to consider only extents that are powers of two.
        equal: Pairs of positions in `tile` that must get the same value.
        clusters: Clusters along M and N to consider, in addition to single CTAs.
        schedules: Whether to consider consumers that share tiles (False), that ping-pong
            (True), or both.
        splits: Into how many splits along K to divide tiles where they are few.
        may_defer: Whether the kernel lets the store of a tile wait for the next tile.
        may_swap: Whether wgmma may compute the transpose of a product of few rows.
        overrides: Fields that the user fixed: tiles that do not go with them are left out.
        names: What the extents of `tile` are called, those to be chosen by their names.
        together: The products of the same extents that run with it.
        product: Element types; None for those that go with the size of an operand element.
    """

    extents: tuple[int, int, int]
    tile: tuple[int | None, int | None, int | None] = (None, None, None)
    element_bytes: int = 2
    output_bytes: int = 2
    epilogue_bytes: int = 0
    batch: int = 1
    known: tuple[bool, bool, bool] = (True, True, True)
    m_contiguous: bool = False
    n_contiguous: bool = False
    powers_of_two: bool = False
    equal: tuple[tuple[int, int], ...] = ()
    clusters: tuple[tuple[int, int], ...] = CLUSTERS
    schedules: tuple[bool, ...] = SCHEDULES
    splits: tuple[int, ...] = SPLITS
    may_defer: bool = False
    may_swap: bool = False
    overrides: PlanOverrides = NOTHING_FIXED
    names: Extents = ()
    together: ProductsTogether = ALONE
    product: ProductTypes | None = None

    @property
    def types(self) -> ProductTypes:
        """Element types of the product."""
        return self.product or TYPES_BY_SIZE[self.element_bytes]

    @property
    def operand_bytes(self) -> tuple[float, float]:
        """Bytes of memory that an element of A and of B takes."""
        return self.together.loaded or (self.element_bytes, self.element_bytes)

    @property
    def contiguous(self) -> tuple[bool, bool]:
        """Whether M is contiguous in A, and N in B; else K is."""
        return self.m_contiguous, self.n_contiguous

    @property
    def sector_factors(self) -> tuple[float, float]:
        """How many bytes of L2 a byte of A and of B costs: more where rows begin inside sectors."""
        axes = (0 if self.m_contiguous else 2, 1 if self.n_contiguous else 2)
        sizes = zip(axes, self.operand_bytes, strict=True)
        pitches = (self.extents[axis] * size for axis, size in sizes)
        first, second = (STRADDLING if pitch % SECTOR_BYTES else 1.0 for pitch in pitches)
        return first, second


def rank_tiles(
    problem: GemmProblem, target: Target, mma_limit: int | None = None
) -> list[RankedTile]:
    """Return the tiles that fit the machine: the one to take, then the others by score.

    Args:
        problem: The matrix multiply.
        target: Machine.
        mma_limit: Most multiply-adds of one k-tile; None for no limit.
    """
    alone = _rank(
        (
            tile
            for tile in candidates(problem)
            if (mma_limit is None or tile.volume <= mma_limit)
            and misfit(tile, target) is None
            and _keeps_fixed(tile, problem, target)
            and _deep_enough(tile, problem, target)
        ),
        problem,
        target,
    )
    if not alone:
        return []
    together = _rank(_shared_work(alone, problem, target), problem, target)
    ranked = _by_score([*alone, *(item for item in together if item.cost.finds_room)])
    best = _deepest_of_the_best(_without_small_gains(ranked))
    return [best, *(item for item in ranked if item is not best)]


def _rank(tiles: Iterable[GemmTile], problem: GemmProblem, target: Target) -> list[RankedTile]:
    """Return tiles by score."""
    factors = problem.sector_factors
    given = (problem.extents, target, problem.batch, factors, problem.contiguous)
    costs = ((tile, gemm_cost(tile, *given)) for tile in tiles)
    return _by_score(RankedTile(*pair, target.gpu) for pair in costs)


def _by_score(tiles: Iterable[RankedTile]) -> list[RankedTile]:
    """Return tiles by score; of equals, the wider one, whose rows of results are longer, first.

    32x64x128 in 16 splits took 0.93 and 0.98 of 64x32x128 at 128x128x65536, NN and NT (bf16, H200,
    docs/measurements/2026-11-28-few-rows.md).
    """
    return sorted(tiles, key=lambda item: (item.score, -item.tile.n))


def _shared_work(
    alone: Sequence[RankedTile], problem: GemmProblem, target: Target
) -> Iterator[GemmTile]:
    """Yield the tiles whose operands the CTAs of a cluster share, and those that CTAs share."""
    overrides = problem.overrides
    likely = sorted(alone, key=lambda item: item.early_score)[:CLUSTERED_TILES]
    for item in likely if overrides.cluster is None else ():
        if item.tile.by_warps:
            continue
        shared = (replace(item.tile, cluster=cluster) for cluster in problem.clusters)
        yield from (
            tile
            for tile in shared
            if may_share(tile, item.cost, problem.extents, problem.contiguous)
        )
        near = (replace(item.tile, cluster=cluster) for cluster in GATHERINGS)
        yield from (tile for tile in near if may_gather(tile, problem.extents))
    splits = overrides.split_k is None and not overrides.defer_stores
    for item in alone if splits else ():
        most = target.sm_count // item.cost.ctas if may_split(item, problem, target) else 1
        yield from (replace(item.tile, split_k=n) for n in problem.splits if 1 < n <= most)


def _without_small_gains(ranked: Sequence[RankedTile]) -> Sequence[RankedTile]:
    """Return tiles without those whose start alone makes them better, unless that is by much."""
    known = [item for item in ranked if not item.is_new]
    if not known:
        return ranked
    usual = _deepest_of_the_best(known)
    least = next(item for item in ranked if item.is_kin(usual)).score * NEW_SHARE
    return [i for i in ranked if not i.is_new or i.is_kin(usual) or i.score < least]


def _deepest_of_the_best(ranked: Sequence[RankedTile]) -> RankedTile:
    """Return the first tile, or one that is hardly worse and differs by its depth alone.

    The deeper one, which waits less often, but where few rows stream an operand whose K is not
    contiguous: memory gives no longer runs of it then, and a shallow first k-tile is there earlier.
    """
    first = ranked[0]
    alike = [
        item
        for item in ranked
        if item.score <= first.score * TIE and replace(item.tile, k=first.tile.k) == first.tile
    ]
    few = first.cost.placement.whole and first.tile.m <= SHALLOW_ROWS
    streams = few and first.cost.waves == 1 and first.tile.split_k == 1
    take = min if streams and not first.cost.reads_on else max
    return take(alike, key=lambda item: item.tile.k)


def _keeps_fixed(tile: GemmTile, problem: GemmProblem, target: Target) -> bool:
    """Tell whether the fields that the user fixed go with a tile."""
    overrides = problem.overrides
    if overrides.cluster is not None and not shares_divide(tile, problem.contiguous):
        return False
    if overrides.slice_columns and not _slices_fit(tile, overrides.slice_columns, target):
        return False
    if overrides.defer_stores and not tile.can_defer(target):
        return False
    # How many stages fit next to other staging slots than usual, the plan of the kernel says.
    usual = overrides.epilogue_slots is None and overrides.slice_columns is None
    return overrides.stages is None or not usual or overrides.stages <= tile.stages(target)


def _deep_enough(tile: GemmTile, problem: GemmProblem, target: Target) -> bool:
    """Tell whether a tile keeps enough slots for its depth, or the depth is given."""
    span = machine.SWIZZLE_BYTES // problem.element_bytes
    given = problem.tile[2] is not None
    return given or tile.k <= span or tile.stages(target) >= DEEP_STAGES


def _slices_fit(tile: GemmTile, columns: int, target: Target) -> bool:
    """Tell whether the result can be computed in slices of `columns`."""
    results = (SlicedTile(tile.m, tile.n, tile.output_bytes, tile.epilogue_bytes),)
    return divides(results, columns) and shares_rows(results, tile.consumers(target))


def may_split(ranked: RankedTile, problem: GemmProblem, target: Target) -> bool:
    """Tell whether to consider splits of a tile along K: there are few tiles and many k-tiles.

    Only wgmma leaves sums that can be split, and only if nothing but products is added to them.
    """
    few = ranked.cost.ctas < SPLIT_SHARE * target.sm_count and problem.extents[2] >= SPLIT_DEPTH
    on_wgmma = wgmma_family(problem.types) is not None
    splits = on_wgmma and problem.types.accumulator_bytes == PARTIAL_BYTES
    splits = splits and not ranked.tile.by_warps and not problem.together.sums
    return few and not ranked.tile.pingpong and splits


def candidates(problem: GemmProblem) -> Iterator[GemmTile]:
    """Yield the tiles to compare, those that do not fit the machine included."""
    options = (_row_options(problem), _column_options(problem), _depth_options(problem))
    choices = [
        (given,) if given is not None else found
        for given, found in zip(problem.tile, options, strict=True)
    ]
    overrides = problem.overrides
    schedules = problem.schedules if overrides.pingpong is None else (overrides.pingpong,)
    if turns_conflict(overrides.specialize is not False, overrides) is not None:
        schedules = (False,)
    for m, n, k in product(*choices):
        tile = (m, n, k)
        if any(tile[a] != tile[b] for a, b in problem.equal):
            continue
        if problem.tile[0] is None and m % machine.MMA_ROWS and n % machine.MMA_ROWS:
            continue  # neither the product nor its transpose has whole slices
        named = zip(problem.names, tile, strict=False)
        extents = {name: size for name, size in named if isinstance(name, str)}
        sizes = (problem.element_bytes, problem.output_bytes, problem.epilogue_bytes)
        for pingpong in schedules:
            yield GemmTile(
                *tile,
                *sizes,
                cluster=overrides.cluster or (1, 1),
                pingpong=pingpong,
                split_k=overrides.split_k or 1,
                fixed_consumers=overrides.consumers or 0,
                may_defer=problem.may_defer and allows_deferral(overrides),
                may_swap=problem.may_swap,
                together=problem.together,
                also_live=problem.together.accumulators_with(extents),
                sums=problem.together.sums,
                product=problem.product,
            )


def _most(problem: GemmProblem, axis: int, low: int, high: int) -> int:
    """Return the largest useful extent along `axis`: the rounded-up extent of the product."""
    if not problem.known[axis]:
        return high
    return min(high, max(low, round_up_power_of_two(problem.extents[axis])))


def _plain_only(problem: GemmProblem) -> bool:
    # Other products than those of wgmma run in layouts made of powers of two.
    rows = problem.tile[0] or machine.MMA_ROWS
    on_wgmma = wgmma_family(problem.types) is not None and rows % machine.MMA_ROWS == 0
    return problem.powers_of_two or not on_wgmma


def _row_options(problem: GemmProblem) -> Sequence[int]:
    most = _most(problem, 0, machine.MMA_ROWS, ROWS[-1])
    plain = _plain_only(problem)
    found = [m for m in ROWS if m <= most and (not plain or is_power_of_two(m))]
    step = machine.MMA_COLUMN_STEP
    rows = problem.extents[0] if problem.known[0] else LARGE_EXTENT
    if problem.may_swap and not plain and rows <= SWAPPED_ROWS:
        found += (-(-rows // (count * step)) * step for count in _row_parts(rows))
    span = machine.SWIZZLE_BYTES // problem.element_bytes
    run = LEAST_SWIZZLE_BYTES // problem.element_bytes

    def whole(m: int) -> bool:
        return m % run == 0 or rows <= m < span

    return sorted(m for m in set(found) if not problem.m_contiguous or whole(m))


def _row_parts(rows: int) -> Sequence[int]:
    """Return into how many tiles to divide the rows of a product that may be transposed."""
    if rows <= machine.MMA_ROWS:
        return (1,)  # others were not measured
    if rows <= machine.MMA_MAX_COLUMNS:
        return ROW_PARTS
    return range(-(-rows // machine.MMA_MAX_COLUMNS), rows // machine.MMA_ROWS + 1)


def _column_options(problem: GemmProblem) -> Sequence[int]:
    most = _most(problem, 1, MIN_COLUMNS, MAX_COLUMNS)
    found = set(range(MIN_COLUMNS, most + 1, COLUMN_STEP))
    step = machine.MMA_COLUMN_STEP
    if problem.known[1] and problem.extents[1] <= MAX_COLUMNS:
        found.add(-(-problem.extents[1] // step) * step)  # all columns in one tile
    size = problem.operand_bytes[1]
    span, least_run = (int(count / size) for count in (machine.SWIZZLE_BYTES, MIN_ROW_BYTES))

    def useful(n: int) -> bool:
        if problem.n_contiguous and n < min(most, least_run):
            return False
        if is_power_of_two(n):
            return n >= MIN_COLUMNS
        if n < MIN_STEPPED_COLUMNS or _plain_only(problem):
            return False
        # Columns that are no whole spans need a narrower swizzle, in many small boxes.
        return not problem.n_contiguous or n % span == 0

    return sorted(n for n in found if useful(n))


def _depth_options(problem: GemmProblem) -> Sequence[int]:
    """Return one and two swizzle spans of the narrowest operand in memory, and half of that.

    Less when K is shorter.
    """
    step = machine.MMA_K_BYTES // problem.element_bytes
    span = machine.SWIZZLE_BYTES // problem.element_bytes
    most = _most(problem, 2, step, 2 * int(machine.SWIZZLE_BYTES / min(problem.operand_bytes)))
    steps = [step << shift for shift in range((most // step).bit_length())]
    return [k for k in steps if k >= span] or steps[-1:]
