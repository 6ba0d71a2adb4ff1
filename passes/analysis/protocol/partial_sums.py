"""Follows the partial sums that the splits of a tile hand over through global memory.

The scalar code of the consumers runs for a few extents and numbers of CTAs
(`tilec.passes.analysis.protocol.scalars`), and all CTAs of a launch run together. An
accumulator is known by the k-tiles whose products it holds: by the rounds of the producer in which
they were loaded, or without a producer by the rounds in which they are multiplied. Checked:

* a split stores its part, meets the other threads of its role, and then counts it, once;
* the last split waits for as many parts as are counted in all, meets the other threads, and adds
  each part once; what is computed from the sum holds every product once;
* no place in the workspace is written twice, or lies beyond those of the tiles that there are;
* the counter of each tile is zero at the end, for the next launch, and nobody waits forever.

A release that counts, an acquire that waits and barriers of the role on either side order the
writes of one CTA before the reads of another one (PTX ISA, causality order; see the conversion to
llvm).
"""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from tilec.dialects.nv_tileas.cluster_ops import cluster_of
from tilec.dialects.nv_tileas.epilogue_ops import is_per_warpgroup
from tilec.ir.bindings import ir
from tilec.layout.modes import WARPGROUP_WARPS
from tilec.passes.analysis.facts.constants import is_zeros
from tilec.passes.analysis.kernels import function_body, kernel_operations
from tilec.passes.analysis.protocol.filled_slots import FilledSlots
from tilec.passes.analysis.protocol.scalars import EndlessRunError, ScalarRun
from tilec.passes.analysis.scratch_areas import uses_scratch
from tilec.support.fast_dataclasses import dataclass, field

AWAIT = "nv_tileas.await_partials"
_HAND_OVER = (
    AWAIT,
    "nv_tileas.arrive_partial",
    "nv_tileas.reset_partials",
    "nv_tileas.add_partial",
    "nv_tileas.store_partial",
)
_CONVERT = "nv_tileas.convert_layout"
_MEETINGS = ("nv_tileas.barrier", "nv_tileas.order_memory")
_UNWRITTEN, _ZEROS = "unwritten", "zeros"
_FIRST = {"nv_tileas.undefined": _UNWRITTEN, "nv_tileas.zeros": ()}
"""What is known of an accumulator before its first product."""
_PASSED_ON = ("nv_tileas.mma_wait", "nv_tileas.mma_drain")
SMALL, LARGE = 1, 300
"""Extents to run for: less than a tile of the rest, several tiles of one dim."""
CTAS = 3
Product = tuple[int, int, int]
"""CTA (or team), round of the loop over tiles and round of the loop over k-tiles of a product.

The last one is the producer's, where there is one.
"""


class BrokenHandOverError(Exception):
    """An operation breaks a rule."""

    def __init__(self, op: Any, message: str) -> None:
        """Keep the operation and what is wrong with it."""
        self.found = (op, message)
        super().__init__(message)


def find_partial_sum_error(function: Any) -> tuple[Any, str] | None:
    """Return an operation of a kernel that hands partial sums over wrongly and why, or None."""
    ops = kernel_operations(function)
    if not any(op.name in _HAND_OVER for op in ops):
        return None
    block = function_body(function)
    i32 = ir.IntegerType.get_signless(32)
    numbers = [item for item in block.arguments if isinstance(item.type, ir.IntegerType)]
    dims = [item for item in numbers if item.type == i32]
    for large in range(len(dims) + 1):
        extents = dict.fromkeys(numbers, SMALL)
        extents.update(dict.fromkeys(dims[large : large + 1], LARGE))
        try:
            _Launch(ops, block, extents, CTAS if large < len(dims) else 1).run()
        except EndlessRunError:
            continue
        except BrokenHandOverError as broken:
            return broken.found
    return None


@dataclass
class _Part:
    """A partial sum in the workspace."""

    op: Any
    tile: int
    products: tuple[Product, ...]
    is_met: bool = False
    is_counted: bool = False


@dataclass
class _Agent:
    """The consumers of a CTA, or a team of them.

    Attributes:
        number: Which of them.
        scalars: Its run.
        slots: What the producer of its CTA loads.
        operations: What is left of it.
        blocked: The wait that it is at.
        awaited: Tile whose partial sums are there, and whether all threads know that.
        parts: Its own partial sums that it has not counted yet.
        added: Places of the parts that it has added to the tile.
    """

    number: int
    scalars: ScalarRun
    slots: FilledSlots | None
    operations: Iterator[Any]
    blocked: Any = None
    awaited: int | None = None
    has_met: bool = False
    parts: list[_Part] = field(default_factory=list)
    added: set[int] = field(default_factory=set)


class _Launch:
    """All CTAs of a launch."""

    def __init__(self, ops: list[Any], block: Any, extents: dict[Any, int], ctas: int) -> None:
        self._parts: dict[int, _Part] = {}
        self._counters: Counter[int] = Counter()
        self._awaited: dict[int, int] = {}
        self._reset: set[int] = set()
        self._last: Any = None
        self._has_moved = False
        roles = next(op for op in ops if op.name == "nv_tileas.roles")
        self._products = sum(op.name == "nv_tileas.async_mma" for op in ops)
        self._warps = roles.opview.consumer_warps.value
        teams = roles.opview.team_count
        sizes = [cluster_of(op) for op in ops if op.name == "nv_tileas.num_clusters"]
        rows, columns = sizes[0] if sizes else (1, 1)
        producer, consumer = (region.blocks[0] for region in roles.regions)
        has_producer = roles.opview.producer_warps.value > 0
        self._agents: list[_Agent] = []
        for number in range(ctas * rows * columns * teams):
            cta, team = divmod(number, teams)
            queries = {
                "nv_tileas.cta_id": cta,
                "nv_tileas.num_ctas": ctas * rows * columns,
                "nv_tileas.cluster_id": cta // (rows * columns),
                "nv_tileas.num_clusters": ctas,
                "nv_tileas.team_id": team,
                "nv_tileas.warpgroup_id": 0,
            }
            slots = None
            if has_producer:
                slots = FilledSlots(ScalarRun(dict(extents), queries), block, producer)
            run = ScalarRun(dict(extents), queries)
            operations = self._operations(run, block, consumer)
            self._agents.append(_Agent(number, run, slots, operations))

    def _operations(self, run: ScalarRun, block: Any, consumer: Any) -> Iterator[Any]:
        for op in run.run(block):
            if op.name == "nv_tileas.roles":
                yield from run.run(consumer)
            else:
                yield op

    def run(self) -> None:
        """Run all of them.

        Raises:
            BrokenHandOverError: A rule is broken.
            EndlessRunError: It takes too long.
        """
        waiting = self._agents
        while waiting:
            self._has_moved = False
            waiting = [agent for agent in waiting if not self._advance(agent)]
            if waiting and not self._has_moved:
                message = "deadlock: the partial sums of a tile are never all there"
                self._break(waiting[0].blocked, message)
        self._check_ending()

    def _advance(self, agent: _Agent) -> bool:
        """Run an agent until it waits; tell whether it has come to its end."""
        while True:
            op, agent.blocked = agent.blocked or next(agent.operations, None), None
            if op is None:
                return True
            if op.name == AWAIT and not self._await(agent, op):
                agent.blocked = op
                return False
            self._has_moved = True
            self._perform(agent, op)

    def _break(self, op: Any, message: str) -> None:
        raise BrokenHandOverError(op, message)

    def _perform(self, agent: _Agent, op: Any) -> None:
        get = agent.scalars.get
        if op.name == "nv_tileas.async_mma":
            self._multiply(agent, op)
        elif op.name in _FIRST:
            agent.scalars.values[op.results[0]] = _FIRST[op.name]
        elif op.name in _PASSED_ON:
            agent.scalars.values[op.results[0]] = get(op.operands[0])
        elif op.name in _MEETINGS or (op.name == _CONVERT and uses_scratch(op)):
            self._meet(agent, op)
        elif op.name in _ACTIONS:
            _ACTIONS[op.name](self, agent, op)
        elif op.name == "arith.constant":
            agent.scalars.values[op.results[0]] = _ZEROS if is_zeros(op.results[0]) else None
        else:
            for value in op.operands:
                products = get(value)
                if isinstance(products, tuple):
                    self._use(agent, op, products)
            if agent.slots is not None:
                agent.slots.follow(agent.scalars, op)

    def _multiply(self, agent: _Agent, op: Any) -> None:
        """Add a product to an accumulator, or begin one with it."""
        products, rounds = self._sum(agent, op.operands[2]), agent.scalars.rounds
        if len(op.operands) > 3 and agent.scalars.get(op.operands[3]) is False:
            products = ()
        if products == _UNWRITTEN:
            self._break(op, "a sum begins with registers that are not written")
        own = (agent.number, rounds[0], self._k_tile(agent, op))
        agent.scalars.values[op.results[0]] = (*(products or ()), own)

    def _k_tile(self, agent: _Agent, op: Any) -> int:
        """Return the number of the k-tile that a product multiplies."""
        if agent.slots is None:
            return agent.scalars.rounds[-1]
        operands = list(op.operands)[:2]
        found = [agent.slots.rounds(agent.scalars, operand) for operand in operands]
        rounds = found[0] | found[1]
        if len(rounds) > 1:
            self._break(op, "a product multiplies tiles of different rounds")
        return next(iter(rounds), agent.scalars.rounds[-1])

    def _sum(self, agent: _Agent, value: Any) -> Any:
        """Return the products that an accumulator holds; None for one that is no sum."""
        products = agent.scalars.get(value)
        return () if products == _ZEROS else products

    def _meet(self, agent: _Agent, op: Any) -> None:
        """Let the threads of the role know what each of them has done."""
        if is_per_warpgroup(op) and self._warps > WARPGROUP_WARPS:
            return
        agent.has_met = True
        for part in agent.parts:
            part.is_met = True

    def _place(self, agent: _Agent, op: Any) -> int:
        """Return which place in the workspace `op` means."""
        tile, split = agent.scalars.get(op.opview.tile), agent.scalars.get(op.opview.split)
        count = op.opview.count.value
        if tile is None or split is None:
            raise EndlessRunError
        if not 0 <= split < count:
            self._break(op, f"split {split} of a tile that has {count} partial sums")
        return tile * count + split

    def _tile(self, agent: _Agent, op: Any) -> int:
        tile = agent.scalars.get(op.opview.tile)
        if tile is None:
            raise EndlessRunError
        return tile

    def store(self, agent: _Agent, op: Any) -> None:
        """Leave a partial sum."""
        place = self._place(agent, op)
        products = self._sum(agent, op.opview.sum)
        if not isinstance(products, tuple):
            self._break(op, "what is left for the last split is no sum of products")
        if place in self._parts:
            self._break(op, "a partial sum is overwritten")
        part = _Part(op, self._tile(agent, op), products)
        self._parts[place] = part
        agent.parts.append(part)

    def arrive(self, agent: _Agent, op: Any) -> None:
        """Count a partial sum."""
        tile = self._tile(agent, op)
        parts, agent.parts = agent.parts, []
        if [part.tile for part in parts] != [tile]:
            self._break(op, f"{len(parts)} partial sums are counted as one of a tile")
        if not parts[0].is_met:
            self._break(op, "a partial sum is counted before all threads have stored theirs")
        if tile in self._awaited:
            self._break(op, "a partial sum is counted, but nothing waits for it")
        parts[0].is_counted = True
        self._counters[tile] += 1

    def _await(self, agent: _Agent, op: Any) -> bool:
        tile, count = self._tile(agent, op), agent.scalars.get(op.opview.count)
        if tile in self._awaited:
            self._break(op, "the partial sums of a tile are awaited twice")
        if count is None:
            raise EndlessRunError
        if self._counters[tile] != count:
            return False
        self._awaited[tile] = count
        agent.awaited, agent.has_met, agent.added = tile, False, set()
        return True

    def add(self, agent: _Agent, op: Any) -> None:
        """Add a partial sum."""
        place, tile = self._place(agent, op), self._tile(agent, op)
        part = self._parts.get(place)
        if agent.awaited != tile or not agent.has_met:
            self._break(op, "a partial sum is added before all threads know that it is there")
        if part is None or part.tile != tile or not part.is_counted:
            self._break(op, "what is added is no partial sum of the tile")
            return
        if place in agent.added:
            self._break(op, "a partial sum is added twice")
        agent.added.add(place)
        own = self._sum(agent, op.opview.acc) or ()
        agent.scalars.values[op.results[0]] = (*own, *part.products)

    def reset(self, agent: _Agent, op: Any) -> None:
        """Set a counter back to zero."""
        tile = self._tile(agent, op)
        if agent.awaited != tile:
            self._break(op, "a counter is reset before the partial sums of its tile are there")
        self._counters[tile] = 0
        self._reset.add(tile)
        self._last = op

    def _use(self, agent: _Agent, op: Any, products: tuple[Product, ...]) -> None:
        """Check what is computed from an accumulator."""
        tile = agent.awaited
        if tile is None or len(agent.added) != self._awaited[tile]:
            self._break(op, "a sum is used before all partial sums are added")
            return
        parts = [part for part in self._parts.values() if part.tile == tile]
        own = [item for item in products if item[:2] == (agent.number, agent.scalars.rounds[0])]
        others = Counter(item for part in parts for item in part.products)
        if Counter(products) != others + Counter(own):
            self._break(op, "a sum does not hold each product of its splits once")
        rounds = Counter(item[2] for item in products)
        steps = {later - earlier for earlier, later in pairwise(sorted(rounds))}
        times = {*rounds.values(), *Counter(products).values()}
        if len(steps) > 1 or len(times) > 1 or max(times, default=0) > self._products:
            self._break(
                op, "the splits of a tile do not share its k-tiles: some are left, or twice"
            )

    def _check_ending(self) -> None:
        for part in self._parts.values():
            if part.tile not in self._awaited or not part.is_counted:
                self._break(part.op, "a partial sum is never added")
        tiles = len(self._awaited)
        for place, part in self._parts.items():
            if place >= tiles * part.op.opview.count.value:
                self._break(part.op, "a partial sum lies beyond the workspace")
        if set(self._awaited) != set(range(tiles)) or any(self._counters.values()):
            last = self._last or next(iter(self._parts.values())).op
            self._break(last, "the counter of a tile is not zero at the end of a launch")


_ACTIONS = {
    AWAIT: lambda launch, agent, op: None,
    "nv_tileas.store_partial": _Launch.store,
    "nv_tileas.arrive_partial": _Launch.arrive,
    "nv_tileas.add_partial": _Launch.add,
    "nv_tileas.reset_partials": _Launch.reset,
}
