"""Which accumulators are live at the same time. Pure Python.

An accumulator is what one product or several add to, around a loop or not. Others are live with
it where a loop adds to both, or where one is kept while products add to another. This works on an
outline of the program, which the typed program gives as well as the IR.
"""

from collections.abc import Hashable, Iterable

from tilec.support.fast_dataclasses import dataclass, field


@dataclass(frozen=True)
class Body:
    """A block.

    Attributes:
        steps: Its operations, in order.
        yields: The tiles that it passes on.
        arguments: Of a loop: the tiles that a round begins with; `yields` are the next ones.
    """

    steps: "tuple[Step, ...]"
    yields: tuple[Hashable, ...] = ()
    arguments: tuple[Hashable, ...] = ()


@dataclass(frozen=True)
class Step:
    """An operation: the tiles that it makes and needs.

    Attributes:
        results: The tiles that it makes; those of its blocks, if it has any.
        operands: The tiles that it needs.
        bodies: Its blocks.
        added: Of a product: the tile that it adds to.
    """

    results: tuple[Hashable, ...]
    operands: tuple[Hashable, ...] = ()
    bodies: tuple[Body, ...] = ()
    added: Hashable | None = None


def live_together(program: Body, *, carried: bool = False) -> dict[Hashable, tuple[Hashable, ...]]:
    """Return by the result of each product those of the other accumulators that are live then.

    An accumulator is named by the result of its first product.

    Args:
        program: The outline.
        carried: Add the other tiles that loops carry, by their names in the loop.
    """
    found = _Accumulators()
    found.tie(program)
    found.back(program, set())
    return found.together(found.carried if carried else ())


@dataclass
class _Accumulators:
    """Tiles that are one accumulator, by union and find, and what is live at each product."""

    parents: dict[Hashable, Hashable] = field(default_factory=dict)
    products: dict[Hashable, set[Hashable]] = field(default_factory=dict)
    sources: set[Hashable] = field(default_factory=set)
    carried: dict[Hashable, None] = field(default_factory=dict)

    def tie(self, body: Body) -> None:
        """Join what products add to with their results, and what goes around a loop."""
        for step in body.steps:
            for inner in step.bodies:
                self.carried.update(dict.fromkeys(inner.arguments))
                self.tie(inner)
                for row in zip(inner.yields, step.results, strict=False):
                    self._join(row)
                for row in zip(inner.arguments, inner.yields, strict=False):
                    self._join(row)
            if step.added is None:
                if not step.operands and not step.bodies:
                    self.sources.update(step.results)  # zeros, which several may begin with
                continue
            self.products[step.results[0]] = set()
            if step.added not in self.sources:
                self._join((step.added, step.results[0]))

    def _join(self, row: tuple[Hashable, Hashable]) -> None:
        first, second = map(self._find, row)
        self.parents[second] = first

    def _find(self, tile: Hashable) -> Hashable:
        while (above := self.parents.setdefault(tile, tile)) != tile:
            tile = above
        return tile

    def back(self, body: Body, live: set[Hashable]) -> set[Hashable]:
        """Return what is live before `body` from what is live after it; note it at products."""
        live = live | set(body.yields)
        for step in reversed(body.steps):
            live -= set(step.results)
            if step.added is not None:
                self.products[step.results[0]] |= live
            ahead = [self.back(inner, live | _needed(inner)) for inner in step.bodies]
            live = live.union(step.operands, *ahead)
        return live - set(body.arguments)

    def together(self, carried: Iterable[Hashable]) -> dict[Hashable, tuple[Hashable, ...]]:
        """Return for every product the other accumulators, or `carried` tiles, that are live."""
        first = {}
        for tile in (*self.products, *carried):
            first.setdefault(self._find(tile), tile)
        found = {}
        for product, live in self.products.items():
            others = {self._find(tile) for tile in live} - {self._find(product)}
            found[product] = tuple(first[root] for root in first if root in others)
        return found


def _needed(body: Body) -> set[Hashable]:
    """Return the tiles that a block needs in each round, from around it."""
    needed = set(body.yields)
    made = set(body.arguments)
    for step in body.steps:
        made.update(step.results)
        needed.update(step.operands, *map(_needed, step.bodies))
    return needed - made
