"""The search for layouts: it follows links, changes what pays, and stops."""

from dataclasses import replace

import pytest

from tilec.layout import RegisterLayout, blocked
from tilec.layout.assignment import MAX_CHANGES, Assignment, Group, no_price

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

    def scratch_bytes(self, layouts):
        return 0 if layouts[0] == layouts[1] else 4096


def group(candidates=(ROWS, COLUMNS), prices=None, fixed=None, size=1024):
    """Return a group; `prices` by layout are those of its accesses."""
    found = prices or {}
    return Group(
        size,
        lambda: (("a candidate", layout) for layout in candidates),
        lambda layout: found.get(layout, 0.0),
        fixed=fixed,
    )


def search(groups, links=(), area_price=no_price):
    found = Assignment(groups, links, area_price)
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
    """A link at whose other end the other axis is contiguous."""

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


def test_a_layout_near_that_of_a_tile_it_meets_is_tried():
    near = {COLUMNS: (("near", ROWS),)}
    groups = {
        "x": replace(group((COLUMNS,), {COLUMNS: 100.0}), near=lambda layout: near[layout]),
        "y": group(fixed=COLUMNS),
    }
    found = search(groups, [Same("x", "y", 9.0)])
    assert found.layouts["x"] == ROWS
    assert found.changes[0].what == "near"


def shared(number):
    """Return tiles that products hold in rows, and that are stored in columns, each by itself."""
    groups, links = {}, []
    for tile in range(number):
        groups[f"product{tile}"] = group(fixed=ROWS)
        groups[f"stored{tile}"] = group(prices={ROWS: 100.0, COLUMNS: 10.0})
        links.append(Same(f"product{tile}", f"stored{tile}", 9.0))
    return groups, links


@pytest.mark.parametrize(("cycles", "expected"), [(20.0, COLUMNS), (500.0, ROWS)])
def test_a_scratch_area_has_a_price(cycles, expected):
    found = search(*shared(1), lambda area: cycles if area > 1024 else 0.0)
    assert found.layouts["stored0"] == expected


def test_the_first_tile_pays_for_the_scratch_area_of_all():
    """One tile alone is not worth the area. Where another one needs it anyway, both use it."""
    groups, links = shared(2)
    price = {0: 0.0, 4096: 85.0}.get
    assert set(search(groups, links, price).layouts.values()) == {ROWS}
    groups |= {"first": group(fixed=ROWS), "second": group(fixed=COLUMNS)}
    found = search(groups, [*links, Same("first", "second", 9.0)], price)
    assert found.layouts["stored0"] == found.layouts["stored1"] == COLUMNS
