"""Choice of register layouts by price: a bounded, deterministic search. Pure Python.

The unknowns are groups of tiles, each with one layout. A group has a price in every layout: that of
its accesses to memory, and of the arithmetic on copies. Groups are tied by links, the operations
between tiles of different groups: a link says which layout of one group makes it free in another
one, and what it costs where the layouts do not fit. Prices are cycles of an SM.

The search starts with what products fix, lets it follow the links, and takes the first candidate of
each group that is left, the largest group first. Then it changes one group at a time, alone or with
all that follows it, as long as the sum of the prices falls. Groups that cost no more than they must
are not looked at, so a kernel whose layouts fit costs no time.

Where tiles are transposed between load and store, every layout is a compromise, and no candidate is
the usual one. Then the search starts a second time, with the cheapest candidate of each group whose
tiles are accessed in two orders, and the cheaper result counts.

Links that move tiles through shared memory share one scratch area, which has a price of its own:
its bytes may be missing elsewhere.
"""

from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from tilec.layout.register import RegisterLayout
from tilec.support.fast_dataclasses import dataclass, field

MAX_ROUNDS = 4
"""How often every group is looked at, at most."""
MAX_CHANGES = 2000
"""Changes that are priced for a kernel, at most; a change takes some 10 us."""
LEAST_SHARE = 0.45
"""Part of the price of what a change touches that it must gain. Prices are not more exact: of 12
kernels that were to gain less, 7 became more than 2 % slower on an H100, and 2 that much faster
(docs/measurements/2026-11-25-layout-search.md)."""

Key = Hashable
Layouts = Mapping[Any, RegisterLayout]


class Link(Protocol):
    """An operation between groups."""

    @property
    def groups(self) -> Sequence[Key]:
        """The groups that it ties, each once."""
        ...

    @property
    def reorders(self) -> bool:
        """Whether another axis is contiguous at its other end: every layout is a compromise."""
        ...

    def follow(self, origin: Key, layout: RegisterLayout) -> Mapping[Any, RegisterLayout]:
        """Return the layouts of other groups that make the link free where `origin` has `layout`.

        Groups for which there is none are left out. So is a group whose layout another link fixes.
        """
        ...

    def price(self, layouts: Sequence[RegisterLayout]) -> float:
        """Return the cycles that the link costs; `layouts` are in the order of `groups`."""
        ...

    def scratch_bytes(self, layouts: Sequence[RegisterLayout]) -> int:
        """Return the bytes of the scratch area that the link uses; all links share one."""
        ...


def no_price(area: int) -> float:
    """Return the cycles that a scratch area costs of which nobody needs the bytes: 0."""
    return 0.0


def _gains(before: float, after: float, most: float) -> bool:
    """Tell whether a change gains more than `most`, and a share that is worth it."""
    return before - after > max(most, LEAST_SHARE * before)


@dataclass(frozen=True)
class Group:
    """What the search has to know about a group.

    Attributes:
        size: Elements of a tile.
        candidates: Returns layouts with what they are; the first one is taken without a reason for
            another one.
        price: Returns the cycles that a layout costs.
        least: What the best layout that one could think of would cost.
        fixed: The layout that products fix.
        near: Returns layouts to try, with what they are, next to one that suits a tile it meets.
    """

    size: int
    candidates: Callable[[], Iterable[tuple[str, RegisterLayout]]]
    price: Callable[[RegisterLayout], float]
    least: float = 0.0
    fixed: RegisterLayout | None = None
    near: Callable[[RegisterLayout], Iterable[tuple[str, RegisterLayout]]] = lambda _: ()


@dataclass(frozen=True, slots=True)
class Change:
    """A change that the search made.

    Attributes:
        group: The group that it began with.
        what: What its new layout is.
        before: Cycles before, of everything that changed.
        after: Cycles after.
    """

    group: Any
    what: str
    before: float
    after: float


@dataclass
class Assignment:
    """The search: its state and its result.

    Attributes:
        groups: The groups, in the order of the program.
        links: The links between them.
        area_price: Returns the cycles that a scratch area of so many bytes costs.
        layouts: The layout of each group.
        changes: Where a group got another layout than its first candidate, or than it had.
    """

    groups: Mapping[Any, Group]
    links: Sequence[Link]
    area_price: Callable[[int], float] = no_price
    layouts: dict[Any, RegisterLayout] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    _same: dict[RegisterLayout, RegisterLayout] = field(default_factory=dict)
    _prices: dict[tuple[Any, ...], float] = field(default_factory=dict)
    _followed: dict[tuple[int, Any, int], dict[Any, RegisterLayout]] = field(default_factory=dict)
    _next: dict[tuple[Any, int], dict[Any, RegisterLayout]] = field(default_factory=dict)
    _links_of: dict[Any, list[int]] = field(default_factory=dict)
    _areas: dict[tuple[Any, ...], int] = field(default_factory=dict)
    _current_areas: dict[int, int] | None = None
    _current_prices: dict[int, float] = field(default_factory=dict)
    _priced: int = 0

    def run(self) -> None:
        """Choose a layout for every group."""
        self._links_of = {key: [] for key in self.groups}
        for number, link in enumerate(self.links):
            for key in link.groups:
                self._links_of[key].append(number)
        order = sorted(self.groups, key=lambda key: -self.groups[key].size)
        self._start(order, compromise=False)
        usual = self.layouts.copy()
        self._search(order)
        if not any(link.reorders for link in self.links):
            return
        layouts, changes, total = self.layouts, self.changes, self._total()
        self.layouts, self.changes, self._priced = {}, [], 0
        self._start(order, compromise=True)
        is_new = self.layouts != usual  # from the same start, the search would find the same again
        if is_new:
            self._search(order)
        if not is_new or total < self._total():
            self.layouts, self.changes = layouts, changes

    def _search(self, order: Sequence[Key]) -> None:
        for _ in range(MAX_ROUNDS):
            improved = [key for key in order if self._improve(key)]
            if not improved:
                return

    def _total(self) -> float:
        own = sum(self._own_price(key, layout) for key, layout in self.layouts.items())
        every = range(len(self.links))
        own += sum(self._link_price(number, self.layouts) for number in every)
        return own + self.area_price(self._area(every, self.layouts))

    def _start(self, order: Sequence[Key], compromise: bool) -> None:
        self._current_areas, self._current_prices = None, {}
        fixed = [key for key in self.groups if self.groups[key].fixed is not None]
        for key in fixed:
            self.layouts[key] = self._one(self.groups[key].fixed)
        for key in fixed:
            self._spread(key)
        for key in order:
            if key not in self.layouts:
                self.layouts[key] = self._first(key, compromise)
                self._spread(key)

    def _first(self, key: Key, compromise: bool) -> RegisterLayout:
        """Return the first candidate, or the cheapest one if tiles are accessed in two orders."""
        candidates = ((what, self._one(new)) for what, new in self.groups[key].candidates())
        usual, first = next(candidates)
        reached = self._following(key, first, self.layouts) if compromise else ()
        links = (self.links[number] for other in reached for number in self._links_of[other])
        if not any(link.reorders for link in links):
            return first

        def price(layout: RegisterLayout) -> float:
            held = self._following(key, layout, self.layouts)
            return sum(self._own_price(other, held[other]) for other in held)

        prices = [(price(layout), what, layout) for what, layout in candidates]
        before = price(first)
        after, what, layout = min([(before, usual, first), *prices], key=lambda item: item[0])
        if layout is not first:
            self.changes.append(Change(key, what, before, after))
        return layout

    def _one(self, layout: RegisterLayout | None) -> RegisterLayout:
        """Return the one object that stands for all layouts equal to `layout`."""
        assert layout is not None
        return self._same.setdefault(layout, layout)

    def _follow(self, number: int, origin: Key, layout: RegisterLayout) -> Layouts:
        key = (number, origin, id(layout))
        if key not in self._followed:
            found = self.links[number].follow(origin, layout)
            self._followed[key] = {other: self._one(new) for other, new in found.items()}
        return self._followed[key]

    def _spread(self, origin: Key) -> None:
        """Give a layout to every group without one that follows `origin`."""
        for key, layout in self._following(origin, self.layouts[origin], self.layouts).items():
            self.layouts.setdefault(key, layout)

    def _following(
        self, origin: Key, layout: RegisterLayout, settled: Container[Any]
    ) -> dict[Any, RegisterLayout]:
        """Return the layouts of a group and of all that follow it, but for those in `settled`."""
        found, waiting = {origin: layout}, [origin]
        while waiting:
            key = waiting.pop(0)
            for other, new in self._neighbours(key, found[key]).items():
                if other not in found and other not in settled:
                    found[other] = new
                    waiting.append(other)
        return found

    def _neighbours(self, key: Key, layout: RegisterLayout) -> Layouts:
        """Return the layouts of the groups that follow a group; the first link to each counts."""
        place = (key, id(layout))
        if place not in self._next:
            found = self._next[place] = {}
            for number in self._links_of[key]:
                for other, new in self._follow(number, key, layout).items():
                    found.setdefault(other, new)
        return self._next[place]

    def _improve(self, key: Key) -> bool:
        """Make the change that begins with a group and gains most; tell whether there is one."""
        group = self.groups[key]
        if group.fixed is not None or self._is_content(key):
            return False
        best, most = None, 0.0
        for what, change in self._changes_of(key):
            if self._priced >= MAX_CHANGES:
                break
            self._priced += 1
            prices = self._prices_if_gains(change, most)
            if prices is not None:
                before, after = prices
                best, most = (change, Change(key, what, before, after)), before - after
        if best is None:
            return False
        self.layouts.update(best[0])
        self._current_areas, self._current_prices = None, {}
        self.changes.append(best[1])
        return True

    def _is_content(self, key: Key) -> bool:
        free = all(self._link_price_now(number) == 0 for number in self._links_of[key])
        return free and self._own_price(key, self.layouts[key]) <= self.groups[key].least

    def _changes_of(self, key: Key) -> Iterator[tuple[str, dict[Any, RegisterLayout]]]:
        """Yield changes that begin with a group: of it alone, and with all that follow it."""
        fixed = {other for other, group in self.groups.items() if group.fixed is not None}
        tried = {id(self.layouts[key])}
        for what, found in self._proposals(key):
            layout = self._one(found)
            if id(layout) in tried:
                continue
            tried.add(id(layout))
            yield what, {key: layout}
            yield what, self._following(key, layout, fixed)
        for other in self._met_layouts(key):  # they are near to a layout that stays
            for what, layout in self.groups[key].near(other):
                yield what, {key: self._one(layout)}

    def _proposals(self, key: Key) -> Iterator[tuple[str, RegisterLayout]]:
        for layout in self._met_layouts(key):
            yield "the layout of a tile that it meets", layout
        yield from self.groups[key].candidates()

    def _met_layouts(self, key: Key) -> list[RegisterLayout]:
        """Return the layouts that make the links of a group free, as the other groups are now."""
        followed = (
            self._follow(number, other, self.layouts[other])
            for number in self._links_of[key]
            for other in self.links[number].groups
        )
        return list(dict.fromkeys(found[key] for found in followed if key in found))

    def _prices_if_gains(self, change: Layouts, most: float) -> tuple[float, float] | None:
        """Return the prices of what a change touches, before and after.

        Or None, if it gains no more than `most`, or too small a share: most changes do, which shows
        before the scratch area and all of their links have been priced.
        """
        moved = [key for key in change if self.layouts[key] is not change[key]]
        touched = dict.fromkeys(number for key in moved for number in self._links_of[key])
        changed = {**self.layouts, **change}
        own, own_after = (
            sum(self._own_price(key, layouts[key]) for key in moved)
            for layouts in (self.layouts, changed)
        )
        links = sum(map(self._link_price_now, touched))
        if not _gains(own + links + self._area_price_now(), own_after, most):
            return None
        old, new = self._area_prices(touched, changed)
        before = own + links + max(0.0, old - new)
        links, after = 0.0, own_after + max(0.0, new - old)
        for number in touched:
            if not _gains(before, after, most):
                return None
            links += self._link_price(number, changed)
            after = own_after + links + max(0.0, new - old)
        return (before, after) if _gains(before, after, most) else None

    def _area_price_now(self) -> float:
        """Return the price of the scratch area: no change gains more of it."""
        if self.area_price is no_price:
            return 0.0
        return self.area_price(max(self._areas_now().values(), default=0))

    def _areas_now(self) -> dict[int, int]:
        """Return the bytes of the scratch area that links use, by link."""
        if self._current_areas is None:
            found = ((n, self._scratch_bytes(n, self.layouts)) for n in range(len(self.links)))
            self._current_areas = {number: area for number, area in found if area}
        return self._current_areas

    def _area_prices(self, touched: Mapping[int, Any], changed: Layouts) -> tuple[float, float]:
        """Return the prices of the scratch area before and after a change that touches links."""
        if self.area_price is no_price:
            return 0.0, 0.0
        areas = [self._area(touched, layouts) for layouts in (self.layouts, changed)]
        if not any(map(self.area_price, areas)):
            return 0.0, 0.0
        others = (area for number, area in self._areas_now().items() if number not in touched)
        least = max(others, default=0)
        old, new = (self.area_price(max(area, least)) for area in areas)
        return old, new

    def _area(self, links: Iterable[int], layouts: Layouts) -> int:
        """Return the bytes of the scratch area that links share."""
        return max((self._scratch_bytes(number, layouts) for number in links), default=0)

    def _scratch_bytes(self, number: int, layouts: Layouts) -> int:
        link = self.links[number]
        found = [layouts[key] for key in link.groups]
        key = (number, *map(id, found))
        if key not in self._areas:
            self._areas[key] = link.scratch_bytes(found)
        return self._areas[key]

    def _own_price(self, group: Key, layout: RegisterLayout) -> float:
        key = (group, id(layout))
        if key not in self._prices:
            self._prices[key] = self.groups[group].price(layout)
        return self._prices[key]

    def _link_price_now(self, number: int) -> float:
        if number not in self._current_prices:
            self._current_prices[number] = self._link_price(number, self.layouts)
        return self._current_prices[number]

    def _link_price(self, number: int, layouts: Layouts) -> float:
        link = self.links[number]
        found = [layouts[key] for key in link.groups]
        key = (number, *map(id, found))
        if key not in self._prices:
            self._prices[key] = link.price(found)
        return self._prices[key]
