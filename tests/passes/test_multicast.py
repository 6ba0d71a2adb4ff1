"""Which loads the CTAs of a cluster share, how they divide a tile, and who shares with whom."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilec.ir.context import make_context
from tilec.ir.text import parse_module
from tilec.ir.walks import walk_operations
from tilec.layout import SharedLayout, Swizzle
from tilec.passes.analysis.protocol.counts import empty_arrivals, ring_peers
from tilec.passes.analysis.tma.multicast import (
    control_operands,
    dependences,
    multicast_layout,
    share_axis,
    shared_axes,
)

EXTENTS = [(rows, columns) for rows in range(1, 9) for columns in range(1, 9) if rows * columns < 9]
"""The clusters that CUDA guarantees: up to 8 CTAs."""
CLUSTERS = st.sampled_from(EXTENTS)
AXES = st.sampled_from([(), (0,), (1,), (0, 1)])


@given(CLUSTERS, AXES)
def test_peers_are_symmetric(cluster, axes):
    ranks = range(cluster[0] * cluster[1])
    peers = {rank: ring_peers(cluster, axes, rank) for rank in ranks}
    for rank in ranks:
        assert peers[rank][0] == rank
        assert len(set(peers[rank])) == len(peers[rank])
        assert set(peers[rank]) <= set(ranks)
        assert all(rank in peers[other] for other in peers[rank])


@given(CLUSTERS, AXES)
def test_peers_lie_in_the_same_row_or_column(cluster, axes):
    rows, columns = cluster
    for rank in range(rows * columns):
        for other in ring_peers(cluster, axes, rank)[1:]:
            same_column, same_row = rank // rows == other // rows, rank % rows == other % rows
            assert (same_column and 0 in axes) or (same_row and 1 in axes)


@given(CLUSTERS, AXES, st.integers(1, 16))
def test_every_peer_releases_a_slot(cluster, axes, warps):
    """Arrivals that a CTA sends are as many as it gets."""
    count = len(ring_peers(cluster, axes, 0))
    expected = 1 + (0 in axes) * (cluster[0] - 1) + (1 in axes) * (cluster[1] - 1)
    assert count == expected
    assert empty_arrivals(warps, count) == warps * expected


LAYOUTS = st.builds(
    lambda rows, columns, inner, swizzle: SharedLayout(
        (rows, columns * inner), 16, (rows, inner), swizzle
    ),
    st.sampled_from([8, 16, 32, 48, 64, 128, 192, 256]),
    st.integers(1, 8),
    st.just(64),
    st.just(Swizzle.B128),
)


@given(LAYOUTS, st.sampled_from([2, 3, 4, 8]))
def test_a_divided_tile_keeps_its_bytes(layout, peers):
    divided = multicast_layout(layout, peers)
    if divided is None:
        assert layout.box_count % peers
        return
    assert divided.box_count % peers == 0
    assert divided.size_bytes == layout.size_bytes
    for row in range(0, layout.shape[0], 7):
        for column in range(0, layout.shape[1], 13):
            assert divided.offset((row, column)) == layout.offset((row, column))


@given(LAYOUTS, st.sampled_from([2, 3, 4, 8]), st.booleans())
def test_shares_are_neighbouring_boxes(layout, peers, rows_are_k):
    """The boxes of share `n` are those of the n-th part of the tile along one axis."""
    divided = multicast_layout(layout, peers, rows_are_k=rows_are_k)
    if divided is None:
        return
    axis = share_axis(divided, peers)
    assert axis is not None
    extent, share = divided.shape[axis] // peers, divided.size_bytes // peers
    for number in range(peers):
        first = [0, 0]
        first[axis] = number * extent
        corner = [*divided.shape]
        corner[axis] = (number + 1) * extent
        last = tuple(end - 1 for end in corner)
        assert divided.offset(tuple(first)) == number * share
        assert divided.offset(last) // share == number


@given(LAYOUTS, st.sampled_from([2, 3, 4, 8]))
def test_steps_of_k_stay_whole_and_equally_far_apart(layout, peers):
    """A descriptor of wgmma: the spans of a step lie at multiples of one distance."""
    divided = multicast_layout(layout, peers, rows_are_k=True)
    if divided is None:
        assert layout.box_count % peers
        assert layout.shape[0] % (peers * 16)
        return
    if layout.box_count > 1:
        assert divided.box[0] % 16 == 0 or divided == layout
    for step in range(0, layout.shape[0] - 15, 16):
        spans = [divided.linear_offset((step, column)) for column in range(0, layout.shape[1], 64)]
        assert len({later - earlier for earlier, later in pairwise(spans)}) <= 1


@pytest.mark.parametrize(
    ("shape", "box", "peers", "expected"),
    [
        ((64, 256), (64, 64), 2, (64, 64)),
        ((64, 256), (64, 64), 4, (64, 64)),
        ((64, 192), (64, 64), 2, None),
        ((128, 64), (128, 64), 2, (64, 64)),
        ((128, 64), (128, 64), 4, (32, 64)),
        ((8, 64), (8, 64), 2, None),
        ((24, 64), (24, 64), 2, None),
        ((1, 128, 64), (1, 128, 64), 2, (1, 64, 64)),
        ((2, 8, 8, 64), (2, 8, 8, 64), 2, (1, 8, 8, 64)),  # rows of two axes: the first is cut
        ((1, 6, 4, 64), (1, 6, 4, 64), 2, None),
    ],
)
def test_boxes_of_a_divided_tile(shape, box, peers, expected):
    divided = multicast_layout(SharedLayout(shape, 16, box, Swizzle.B128), peers)
    assert (divided and divided.box) == expected


@pytest.mark.parametrize(
    ("shape", "peers", "expected"),
    [
        ((64, 192), 2, (32, 64)),
        ((64, 192), 3, (64, 64)),
        ((64, 192), 4, (16, 64)),
        ((64, 192), 8, None),
        ((32, 192), 2, (16, 64)),
        ((16, 192), 2, None),
    ],
)
def test_rows_that_are_steps_of_k_are_cut_in_all_boxes(shape, peers, expected):
    layout = SharedLayout(shape, 16, (shape[0], 64), Swizzle.B128)
    divided = multicast_layout(layout, peers, rows_are_k=True)
    assert (divided and divided.box) == expected


def test_a_vector_is_not_cut():
    assert multicast_layout(SharedLayout((256,), 16, (256,), Swizzle.NONE), 2) is None
    divided = multicast_layout(SharedLayout((1024,), 16, (256,), Swizzle.NONE), 2)
    assert divided is not None
    assert divided.box == (256,)


TEXT = """
!token = !nv_tileaa.mem_token
!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>
"nv_tileaa.func"() ({{
^bb0(%v: !v, %n: i32, %go: i1):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = "nv_tileas.get_program_id"() {{axis = 0 : i32}} : () -> i32
  %j = "nv_tileas.get_program_id"() {{axis = 1 : i32}} : () -> i32
  {body}
  "nv_tileaa.return"() : () -> ()
}}) {{sym_name = "k", function_type = (!v, i32, i1) -> ()}} : () -> ()
"""
LOAD = """%a, %t = "nv_tileas.tiled_load"(%v, {row}, {column}) {{atom = #load}} :
    (!v, i32, i32) -> (tensor<64x64xbf16>, !token)"""


def axes_of(body):
    """Return the cluster axes along which the only load of a kernel is shared."""
    module = parse_module(TEXT.format(body=body), make_context(), "k.mlir")
    with module.context:
        ops = list(walk_operations(module.body))
        (load,) = (op for op in ops if op.name == "nv_tileas.tiled_load")
        places = [op for op in ops if op.name == "nv_tileas.get_program_id"]
        ids = {op: int(op.attributes["axis"].value) for op in places}
        return shared_axes(load, list(load.operands)[1:3], ids)


def loop(row="%c0", column="%k", start="%c0", end="%n"):
    load = LOAD.format(row=row, column=column)
    return f"scf.for %k = {start} to {end} step %c1 : i32 {{ {load} }}"


CARRIED = """%r = scf.for %k = %c0 to %n step %c1 iter_args(%p = {start}) -> (i32) : i32 {{
    {load}
    %q = arith.addi %p, {step} : i32
    scf.yield %q : i32 }}"""
BRANCH = """scf.for %k = %c0 to %n step %c1 : i32 {{
    %x = scf.if {condition} -> (i32) {{ scf.yield {then} : i32 }} else {{ scf.yield %c0 : i32 }}
    {load} }}"""
INSIDE = """scf.for %k = %c0 to %n step %c1 : i32 {{
    %on = arith.cmpi slt, {left}, %n : i32
    scf.if %on {{ {load} }} }}"""
WHILE = """%r = scf.while (%p = {start}) : (i32) -> (i32) {{
    %on = arith.cmpi slt, %p, %n : i32
    scf.condition(%on) %p : i32
  }} do {{
  ^bb0(%q: i32):
    {load}
    scf.yield %q : i32 }}"""
BY_P = LOAD.format(row="%p", column="%k")
BY_X = LOAD.format(row="%x", column="%k")
BY_K = LOAD.format(row="%c0", column="%k")


@pytest.mark.parametrize(
    ("body", "axes"),
    [
        (loop(row="%i"), (1,)),
        (loop(row="%j"), (0,)),
        (loop(row="%n"), (0, 1)),
        (loop(row="%i", column="%j"), ()),
        (LOAD.format(row="%n", column="%n"), ()),
        (loop(end="%i"), ()),
        (loop(start="%j"), ()),
        (CARRIED.format(start="%i", step="%c1", load=BY_P), (1,)),
        (CARRIED.format(start="%c0", step="%j", load=BY_P), (0,)),
        (CARRIED.format(start="%c0", step="%c1", load=BY_P), (0, 1)),
        (BRANCH.format(condition="%go", then="%i", load=BY_X), (1,)),
        (BRANCH.format(condition="%go", then="%c1", load=BY_X), (0, 1)),
        (INSIDE.format(left="%k", load=BY_K), (0, 1)),
        (INSIDE.format(left="%i", load=BY_K), ()),
        (WHILE.format(start="%c0", load=LOAD.format(row="%q", column="%q")), (0, 1)),
        (WHILE.format(start="%i", load=LOAD.format(row="%c0", column="%c0")), ()),
    ],
)
def test_shared_axes(body, axes):
    assert axes_of(body) == axes


def test_the_condition_of_a_branch_counts_for_its_results():
    condition = "%on = arith.cmpi slt, %i, %n : i32"
    body = BRANCH.format(condition="%on", then="%c1", load=BY_X)
    assert axes_of(f"{condition}\n{body}") == (1,)


def test_what_decides_whether_an_operation_runs():
    text = TEXT.format(body=INSIDE.format(left="%j", load=BY_K))
    module = parse_module(text, make_context(), "k.mlir")
    with module.context:
        ops = list(walk_operations(module.body))
        (load,) = (op for op in ops if op.name == "nv_tileas.tiled_load")
        first, second = (op for op in ops if op.name == "nv_tileas.get_program_id")
        assert dependences(control_operands(load), {first, second}) == {second}
        assert dependences([], {first}) == set()
