"""Map the grid of tiles onto CTAs.

Before:  %m = get_program_id {axis = 0}; %n = get_program_id {axis = 1}
After:   %id = cta_id; %m = %id / cdiv(N, 256); %n = %id % cdiv(N, 256)

With `persistent = 1`:

    %id = cta_id; %ids = num_ctas
    scf.for %tile = %id to %total step %ids { %m = %tile / cdiv(N, 256); ... }

The grid is flattened into `gridDim.x`. So the launcher needs one number, and the compiler chooses
the order of the tiles. The order is row-major, last extent fastest. With a `tile_group`, that many
rows of tiles are visited column by column, every second group backwards. Then tiles that run at the
same time share operands in L2. Of three extents the first stays outermost. A persistent kernel
loops over tiles, so that the loads of the next tile overlap the stores of this one.

The plan may have an order of the axes of the grid, because some tiles load the same. The axes are
then digits in this order, the last one fastest. With `balance_tiles`, a CTA takes long and short
tiles alternately, and the shortest tiles of all come last, so that all CTAs have about the same
work (`passes/transforms/nv_tileas/plan/balanced_order.py`).

Where loaded numbers decide how many rounds a tile has, or whether it does anything, each CTA sorts
the tiles by that and takes those of a list (`order_tiles`,
`passes/transforms/nv_tileas/plan/ordered_tiles.py`):

    %D = deal_items ...; %n = gather %D[%own]
    scf.for %i = 0 to %n { %word = gather %D[%own + 1 + %i]; %m = ...; %n = ... }

A *wave* is the set of the n-th tiles of all CTAs of a persistent kernel; they run at about the same
time. A wave may read more of A and B than L2 keeps: at 4096^3 in bf16, each of four waves reads
34 MiB. The next wave has the same rows or the same columns of tiles as this one. If it began at
k = 0 again, L2 would just have dropped these k-tiles. So with `snake_k`, it begins at the other end
and finds the last ones in L2. By ncu, 4096^3 reads 110 instead of 130 MB from memory, 8192^3 1124
instead of 1392 MB (H200, 2026-11-22):

    %rounds = ceildiv(%end - %first, %s); %last = %first + (%rounds - 1) * %s
    %ends = %first + %last
    scf.for %tile = %id to %total step %ids {
      %backwards = (%tile / %ids) % 2 == 1
      %acc = scf.for %k = %first to %end step %s iter_args(%zeros) {
        %mirrored = %ends - %k; %at = select %backwards, %mirrored, %k; ... %at ... } }

The loop over k-tiles is only sums of products then, and its bounds are known before the loop over
tiles (`tilec.passes.analysis.mma.k_loops`). A tile adds up the same products, but the order depends
on its wave. So launches with the same number of CTAs give the same result bit by bit. With another
number of CTAs, or at another place in the grid, a tile may round differently.

A product with fewer tiles than SMs and a long K has S work items for each tile (`split_k`), which
divide its k-tiles. Only the last one computes the result, after it has added up the sums of all:

    %items = %tiles * S; %share = (%n + S - 1) / S
    scf.for %item = %id to %items step %ids {
      %split = %item / %tiles; %tile = %item % %tiles
      %first = %split * %share; %end = min(%n, %first + %share)
      %acc = scf.for %k = %first to %end step %c1 iter_args(%zeros) { ... }
      if %item >= %tiles * (S - 1): ... else: store_partial %acc, %partials, %tile, %split; ... }

Where CTAs compute a block together (`spread`), an index numbers clusters, and a cluster has one
tile: `%id = cluster_id; %m = %id / cdiv(N, 256); ...`. With a cluster of CTAs of a tile each:

    %id = cluster_id; %row = (%id / cdiv(N, 256)) * 2 + cluster_coord {axis = 0}

A cluster at the edge may have tiles beyond the grid. Its CTAs must not stop, because the others
rely on their copies. They load zeros and store nothing (the planner has checked this), and no
access is `in_bounds` any more.

Extents come from the grid expressions of the kernel, or from the hidden `grid` parameters if the
caller gives the grid. The kernel computes them as the launcher does, in 64 bits where a step may
need them.

Options:
    persistent: 1 makes each CTA loop over tiles.
    order_tiles: 1 lets each CTA sort the tiles by what they cost, as loaded numbers say.
    tile_group: Rows of tiles that are visited together; 0 keeps row-major order.
    balance_tiles: 1 if tiles are longer the larger their coordinate along the last axis is, -1 if
        they are shorter: a CTA then takes long and short ones alternately; 0 keeps the order.
    snake_k: 1 reverses the order of the k-tiles in every second tile of a CTA; 0 keeps it.
    split_k: CTAs that share the k-tiles of a tile; 1 for whole tiles.
    cluster: CTAs of a cluster along the last two axes of the grid.
    spread: CTAs of a cluster that compute a block together.
"""

from functools import cached_property, reduce
from typing import Any

from tilec.dialects.nv_tileas import ClusterCoordOp, ClusterIdOp, CtaIdOp, NumClustersOp, NumCtasOp
from tilec.ir.attributes import read_kernel_fact, write_kernel_facts
from tilec.ir.bindings import arith, ir, scf
from tilec.ir.integers import constant, equal
from tilec.ir.structured import body_operations, enclosing_loops, terminator
from tilec.passes.analysis.facts.intervals import unsigned_limits
from tilec.passes.analysis.facts.value_ranges import ValueRanges
from tilec.passes.analysis.kernels import (
    cluster_of_spec,
    ctas_of_spec,
    function_body,
    is_tiled_access,
    kernel_operations,
    read_spec,
)
from tilec.passes.analysis.mma.k_loops import product_loop
from tilec.passes.analysis.schedule.tile_graph import tile_operations
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.passes.transforms.nv_tileas.plan.balanced_order import deal_tiles
from tilec.passes.transforms.nv_tileas.plan.grid_expressions import NARROW, Named, emit_expression
from tilec.passes.transforms.nv_tileas.plan.k_order import reverse_every_second, take_share
from tilec.passes.transforms.nv_tileas.plan.ordered_tiles import (
    GRID_QUERIES,
    OrderedTiles,
    replace_queries,
    split,
    tile_order,
)
from tilec.passes.transforms.nv_tileas.plan.partial_sums import Item, add_up, number_items
from tilec.support.fast_dataclasses import dataclass


@register_kernel_pass("nv-tileas-schedule-tiles")
def schedule_tiles(function: Any, context: PassContext) -> None:
    """Replace block coordinates by a decoding of a tile index; loop over tiles if planned."""
    users = [op for op in kernel_operations(function) if op.name in GRID_QUERIES]
    if not users:
        return
    spec = read_spec(function) or {}
    block = function_body(function)
    with ir.InsertionPoint.at_block_begin(block), function.location:
        extents = _grid_extents(function, block)
        ranges = ValueRanges.of_kernel(function)
        axes = tuple(spec.get("tile_order", ()))
        group, cluster = spec.get("tile_group", 0), cluster_of_spec(spec)
        balance, spread = spec.get("balance_tiles", 0), ctas_of_spec(spec)
        grid = _Grid(extents, cluster, group, ranges, axes, balance, spread)
        index = grid.first_index()
    item, decoder = None, grid
    order = tile_order(function, spec) if spec.get("order_tiles", False) else None
    if spec.get("persistent", False):
        index = _loop_over_tiles(function, index, grid)
        if spec.get("split_k", 1) > 1:
            item = number_items(index.owner.owner, spec["split_k"])
    if order is not None:
        decoder = OrderedTiles(function, index.owner.owner.operation, extents, order)
    with _point_after(item.split if item else index), function.location:
        coordinates = decoder.decode(item.tile if item else index)
    replace_queries(users, coordinates, extents)
    if spec.get("persistent", False):
        _order_products(function, spec, item)
    if grid.has_clusters:
        _leave_bounds_open(function)


def _point_after(value: Any) -> Any:
    """Return where operations come right after what makes a value."""
    if isinstance(value, ir.BlockArgument):
        return ir.InsertionPoint.at_block_begin(value.owner)
    return ir.InsertionPoint.after(value.owner.operation)


def _order_products(function: Any, spec: dict[str, Any], item: Item | None) -> None:
    """Choose which k-tiles of a tile a CTA computes, and in which order.

    Args:
        function: The kernel, whose loop over tiles is made.
        spec: Its plan.
        item: What a round of that loop computes of a tile; None for all of it.
    """
    if item is None and not spec.get("snake_k", False):
        return
    products = product_loop(kernel_operations(function))
    tiles = enclosing_loops(products)[0]
    if item is None:
        reverse_every_second(products, tiles)
        return
    take_share(products, tiles, item.split, spec["split_k"])
    add_up(function, products, item, spec["split_k"])


def _loop_over_tiles(function: Any, first: Any, grid: "_Grid") -> Any:
    """Wrap what depends on the block into a loop over tiles; return the tile index."""
    block = function_body(function)
    moved = tile_operations(body_operations(block)[:-1])
    with ir.InsertionPoint(terminator(block)), function.location:
        loop = scf.ForOp(first, grid.total(), grid.stride())
        with ir.InsertionPoint(loop.body):
            end = scf.YieldOp([]).operation
    for op in moved:
        op.move_before(end)
    write_kernel_facts(function, persistent=True)
    return loop.induction_variable


def _grid_extents(function: Any, block: Any) -> list[Any]:
    """Emit the grid extents; axes after the last one have extent 1."""
    names: dict[str, Named] = {}
    hidden: list[Any] = [None, None, None]
    params = read_kernel_fact(function, "params", [])
    for param, argument in zip(params, block.arguments, strict=False):
        if param["kind"] in ("dim", "scalar") and isinstance(argument.type, ir.IntegerType):
            names[param["name"]] = Named.of(argument, param)
        elif param["kind"] == "grid":
            hidden[param["axis"]] = argument
    if grid := read_kernel_fact(function, "grid"):
        return [emit_expression(text, names) for text in grid]
    return [value for value in hidden if value is not None]


@dataclass
class _Grid:
    """The iteration space, in units of the tiles that one cluster works on together.

    Attributes:
        extents: Tiles along every axis (i32).
        cluster: CTAs of a cluster along the last two axes.
        group: Rows of tiles that are swept together; 0 for row-major order.
        ranges: Ranges of the extents.
        order: Axes from the slowest to the fastest; empty for the order of the source.
        balance: 1 or -1 where long and short tiles alternate: the longest has the largest or the
            smallest coordinate along the fastest axis.
        spread: CTAs of a cluster that compute one tile together.
    """

    extents: list[Any]
    cluster: tuple[int, int]
    group: int
    ranges: ValueRanges
    order: tuple[int, ...] = ()
    balance: int = 0
    spread: int = 1

    @property
    def has_clusters(self) -> bool:
        """Whether a cluster is more than one CTA."""
        return self.cluster != (1, 1)

    @cached_property
    def units(self) -> list[Any]:
        """Extents in cluster tiles."""
        if not self.has_clusters:
            return self.extents
        *outer, rows, columns = self.extents
        pairs = zip((rows, columns), self.cluster, strict=True)
        return [*outer, *(arith.ceildivsi(e, constant(c)) if c > 1 else e for e, c in pairs)]

    def first_index(self) -> Any:
        """Emit the first index that this CTA works on."""
        _ = self.units
        ctas = self._ctas
        return CtaIdOp.build() if ctas == (1, 1) else ClusterIdOp.build(ctas)

    def stride(self) -> Any:
        """Emit the distance of the indices that a CTA of a persistent kernel works on."""
        ctas = self._ctas
        return NumCtasOp.build() if ctas == (1, 1) else NumClustersOp.build(ctas)

    @property
    def _ctas(self) -> tuple[int, int]:
        """The CTAs of a cluster: they have a tile each, or one tile together."""
        return (self.spread, 1) if self.spread > 1 else self.cluster

    def total(self) -> Any:
        """Emit the number of indices."""
        return reduce(arith.muli, self.units)

    def decode(self, index: Any) -> list[Any]:
        """Split an index into this CTA's coordinate along every axis."""
        coordinates = self._decode_units(index)
        if not self.has_clusters:
            return coordinates
        for axis, extent in enumerate(self.cluster):
            if extent > 1:
                place = len(coordinates) - 2 + axis
                first = arith.muli(coordinates[place], constant(extent))
                coordinates[place] = arith.addi(first, ClusterCoordOp.build(axis, self.cluster))
        return coordinates

    def _decode_units(self, index: Any) -> list[Any]:
        if self.order:
            units = [self.units[axis] for axis in self.order]
            found = (self._balanced if self.balance else split)(index, units)
            return [found[self.order.index(axis)] for axis in range(len(units))]
        if not self.group or len(self.units) < 2:
            return split(index, self.units)
        *outer, rows, columns = self.units
        if not outer:
            return self._decode_grouped(index, rows, columns)
        plane = arith.muli(rows, columns)
        inside = self._decode_grouped(arith.remui(index, plane), rows, columns)
        return [*split(arith.divui(index, plane), outer), *inside]

    def _balanced(self, index: Any, units: list[Any]) -> list[Any]:
        """Split an index into digits, so that all CTAs have about the same work."""
        *outer, length = units
        with ir.InsertionPoint(index.owner.owner.operation):
            rows = reduce(arith.muli, outer) if outer else constant(1)
        row, shorter = deal_tiles(index, rows, length)
        if self.balance < 0:
            shorter = arith.subi(arith.subi(length, constant(1)), shorter)
        return [*split(row, outer), shorter]

    def _decode_grouped(self, index: Any, rows: Any, columns: Any) -> list[Any]:
        """Sweep a group of rows of tiles column by column, every second group backwards."""
        group = self._group(rows, columns)
        width = arith.muli(group, columns)
        number = arith.divui(index, width)
        inside = arith.remui(index, width)
        first = arith.muli(number, group)
        height = arith.minui(arith.subi(rows, first), group)
        row = arith.addi(first, arith.remui(inside, height))
        column = arith.divui(inside, height)
        last = arith.subi(columns, constant(1))
        backwards = equal(arith.remui(number, constant(2)), constant(1))
        column = arith.select(backwards, arith.subi(last, column), column)
        return [row, column]

    def _group(self, rows: Any, columns: Any) -> Any:
        """Emit how many rows are swept together: so few that their tiles have a number."""
        group = max(1, self.group // self.cluster[0])
        size = constant(group)
        if group * self.ranges.signed(columns)[1] <= unsigned_limits(NARROW)[1]:
            return size
        return arith.minui(size, rows)


def _leave_bounds_open(function: Any) -> None:
    """Forget that tiles stay inside their arrays: clusters at the edge of the grid go beyond it."""
    for op in kernel_operations(function):
        if is_tiled_access(op) and "in_bounds" in op.attributes:
            del op.attributes["in_bounds"]
