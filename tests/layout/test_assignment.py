"""The search for layouts: it follows links, changes what pays, and stops."""

import pytest

from tilec.layout import RegisterLayout, blocked
from tilec.layout.assignment import MAX_CHANGES, Assignment, Group

SHAPE = (32, 32)
ROWS, COLUMNS = blocked(SHAPE, 1, 4, (1, 0)), blocked(SHAPE, 1, 4, (0, 1))


class Same:
    """A link between tiles of one layout; another one costs `cycles`."""

    reorders = False

    def __init__(self, left, right, cycles):
        self.groups, self.cycles = [left, right], cycles

    def follow(self, origin, layout):
        return {key: layout for key in self.groups if key != origin}

    def price(self, layouts):
        return 0.0 if layouts[0] == layouts[1] else self.cycles


def group(candidates=(ROWS, COLUMNS), prices=None, fixed=None, size=1024):
    """Return a group; `prices` by layout are those of its accesses."""
    found = prices or {}
    return Group(
        size,
        lambda: (("a candidate", layout) for layout in candidates),
        lambda layout: found.get(layout, 0.0),
        fixed=fixed,
    )


def search(groups, links=()):
    found = Assignment(groups, links)
    found.run()
    return found


def test_the_first_candidate_is_taken_without_a_reason():
    found = search({"x": group()})
    assert found.layouts == {"x": ROWS}
    assert found.changes == []


def test_layouts_follow_what_products_fix():
    links = [Same("x", "y", 9.0), Same("y", "z", 9.0)]
    groups = {"z": group(size=4096), "x": group(), "y": group(fixed=COLUMNS)}
    assert set(search(groups, links).layouts.values()) == {COLUMNS}


def test_a_group_changes_alone_where_the_link_costs_less():
    links = [Same("x", "y", 9.0)]
    groups = {"x": group(prices={COLUMNS: 50.0}), "y": group(prices={ROWS: 100.0}, size=64)}
    found = search(groups, links)
    assert found.layouts == {"x": ROWS, "y": COLUMNS}
    (change,) = found.changes
    assert (change.group, change.before, change.after) == ("y", 100.0, 9.0)


def test_all_that_follows_changes_with_a_group():
    links = [Same("x", "y", 1000.0), Same("y", "z", 1000.0)]
    costly = {ROWS: 100.0}
    groups = {name: group(prices=costly) for name in "xyz"}
    assert set(search(groups, links).layouts.values()) == {COLUMNS}


def test_what_is_fixed_stays():
    groups = {"x": group(fixed=ROWS, prices={ROWS: 100.0}), "y": group(prices={ROWS: 5.0})}
    found = search(groups, [Same("x", "y", 9.0)])
    assert found.layouts == {"x": ROWS, "y": ROWS}


def test_small_gains_change_nothing():
    """Prices are not exact enough for them."""
    assert search({"x": group(prices={ROWS: 100.0, COLUMNS: 95.0})}).layouts == {"x": ROWS}


@pytest.mark.parametrize("count", [10, 400])
def test_the_search_is_bounded(count):
    many = [RegisterLayout((count,), blocked((count,), 1, 1, (0,)).modes)] * 1
    many += [blocked(SHAPE, 1, vector, order) for vector in (1, 2, 4) for order in ((0, 1), (1, 0))]
    prices = {layout: 100.0 - number for number, layout in enumerate(many)}
    groups = {number: group(many, prices) for number in range(count)}
    found = search(groups, [Same(number, number + 1, 50.0) for number in range(count - 1)])
    assert found._priced <= MAX_CHANGES
    assert set(found.layouts) == set(groups)


class Turned(Same):
    """A link behind which the other axis is contiguous."""

    reorders = True

    def follow(self, origin, layout):
        other = COLUMNS if layout == ROWS else ROWS
        return {key: other for key in self.groups if key != origin}

    def price(self, layouts):
        return 0.0 if layouts[0] != layouts[1] else self.cycles


def test_the_cheapest_candidate_counts_where_tiles_are_transposed():
    """A change would gain too little for the accuracy of prices, but nothing speaks for rows."""
    groups = {
        "x": group(prices={ROWS: 100.0, COLUMNS: 60.0}),
        "y": group(prices={COLUMNS: 100.0, ROWS: 60.0}, size=64),
    }
    assert search(groups, [Same("x", "y", 0.0)]).layouts["x"] == ROWS
    found = search(groups, [Turned("x", "y", 9.0)])
    assert found.layouts == {"x": COLUMNS, "y": ROWS}
    (change,) = found.changes
    assert (change.group, change.before, change.after) == ("x", 200.0, 120.0)
