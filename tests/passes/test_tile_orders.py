"""The order of tiles: what tiles share, what the plan makes of it, and which tile comes when."""

import operator
from collections.abc import Callable

import pytest

from tilec.compiler.backend import find_kernel_op
from tilec.compiler.driver import compile_source
from tilec.ir.attributes import read_kernel_metadata
from tilec.ir.bindings import arith, ir
from tilec.ir.context import make_context
from tilec.ir.walks import walk_operations
from tilec.passes.registry import PassContext
from tilec.passes.runner import run_pass
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import CompileError, SourceFile

KERNEL = """\
@kernel
def heads[N, H, W](
    Q: bf16[H, N, 64], K: bf16[H, N, 64], V: bf16[H, N, 64], O: bf16[H, N, 64], L: i32[H], w: i32
):
    {grid}
    q = load(Q, (h, m, 0), (1, 128, 64)).reshape((128, 64))
    acc = zeros((128, 64), f32)
    for n in range({bounds}):
        k = load(K, ({keys}, n, 0), (1, 64, 64)).reshape((64, 64))
        v = load(V, (h, n, 0), (1, 64, 64)).reshape((64, 64))
        acc = mma(cast(q @ k.T, bf16), v, acc)
    store(O, (h, m, 0), cast(acc, bf16).reshape((1, 128, 64)))
"""
SPARSE = (
    KERNEL.replace("L: i32[H]", "L: i32[W, W]")
    .replace("        k =", "        if load(L, (m, n), ()) != 0:\n            k =")
    .replace("        v =", "            v =")
    .replace("        acc = mma", "            acc = mma")
)
USUAL = {"grid": "h, m = grid(H, cdiv(N, 128))", "bounds": "cdiv(N, 64)", "keys": "h"}
ROWS_FIRST = {"grid": "m, h = grid(cdiv(N, 128), H)"}


def planned(changes, text=KERNEL, **plan):
    """Return order and direction that the plan of a variant of `KERNEL` has."""
    source = SourceFile("heads.tile", text.format(**USUAL | changes))
    options = CompileOptions(emit="nv_tileas")
    made = compile_source(source, specialization=Specialization(plan=plan), options=options)
    found = read_kernel_metadata(find_kernel_op(made.snapshots["nv_tileas"]))["plan"]
    return found["tile_group"], tuple(found["tile_order"]), found["balance_tiles"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, (0, (0, 1), 0)),
        (ROWS_FIRST, (0, (1, 0), 0)),
        ({"bounds": "cdiv(min(N, (m + 1) * 128), 64)"}, (0, (0, 1), 1)),
        ({"bounds": "m * 2, cdiv(N, 64)"}, (0, (0, 1), -1)),
        (ROWS_FIRST | {"bounds": "min(cdiv(N, 64), 2 * m + 2)"}, (0, (1, 0), 1)),
        ({"bounds": "max(0, 2 * m - 4), 2 * m + 2"}, (0, (0, 1), 0)),
        ({"bounds": "2 * m, max(2 * m + 2, cdiv(N, 64))"}, (0, (0, 1), -1)),
        ({"bounds": "m % 3"}, (0, (0, 1), 0)),
        ({"bounds": "w * m"}, (0, (0, 1), 0)),
        ({"bounds": "load(L, h, ())"}, (0, (), 0)),
        ({"keys": "m"}, (16, (), 0)),
        ({"grid": "h, m = grid(H, 4)"}, (0, (0, 1), 0)),
    ],
)
def test_the_order_follows_from_what_loops_load(changes, expected):
    assert planned(changes) == expected


def test_tiles_are_spread_where_a_table_says_which_rounds_they_have():
    causal = {"bounds": "cdiv(min(N, (m + 1) * 128), 64)"}
    assert planned({}, SPARSE, order_tiles=False) == (0, (1, 0), 0)
    assert planned(ROWS_FIRST, SPARSE, order_tiles=False) == (0, (0, 1), 0)
    assert planned(causal, SPARSE, order_tiles=False) == (0, (0, 1), 1)
    assert planned(causal, SPARSE) == (0, (), 0)


def test_loaded_bounds_have_the_order_of_loads_where_tiles_are_not_sorted():
    assert planned({"bounds": "load(L, h, ())"}, order_tiles=False) == (0, (0, 1), 0)


def test_the_user_decides():
    causal = {"bounds": "cdiv(min(N, (m + 1) * 128), 64)"}
    assert planned(causal, balance_tiles=0) == (0, (0, 1), 0)
    assert planned(causal, tile_group=4) == (4, (), 0)
    assert planned(causal, tile_group=0, balance_tiles=1) == (0, (0, 1), 1)
    with pytest.raises(CompileError, match="tile_group = 4 sweeps rows"):
        planned(causal, tile_group=4, balance_tiles=1)
    for changes in ({}, {"keys": "m"}):
        with pytest.raises(CompileError, match="balance_tiles = true: the"):
            planned(changes, balance_tiles=1)


GRID = """
"nv_tileaa.func"() ({{
^bb0(%b: i32, %h: i32, %m: i32):
  %x = "nv_tileas.get_program_id"() {{axis = 0 : i32}} : () -> i32
  %y = "nv_tileas.get_program_id"() {{axis = 1 : i32}} : () -> i32
  %z = "nv_tileas.get_program_id"() {{axis = 2 : i32}} : () -> i32
  %use = builtin.unrealized_conversion_cast %x, %y, %z : i32, i32, i32 to i64
  "nv_tileaa.return"() : () -> ()
}}) {{sym_name = "k", function_type = (i32, i32, i32) -> (), tilec.kernel = {{
  params = [{{kind = "dim", name = "B", array = "A", axis = 0 : i64}},
    {{kind = "dim", name = "H", array = "A", axis = 1 : i64}},
    {{kind = "dim", name = "M", array = "A", axis = 2 : i64}}], grid = ["B", "H", "M"]}},
  nv_tileaa.kernel_spec = {{persistent = true, {spec}}}}} : () -> ()
"""
STEPS: dict[str, Callable[..., int]] = {
    "arith.addi": lambda a, b: a + b,
    "arith.subi": lambda a, b: a - b,
    "arith.muli": lambda a, b: a * b,
    "arith.divui": lambda a, b: a // b,
    "arith.remui": lambda a, b: a % b,
    "arith.minui": min,
    "arith.maxsi": max,
    "arith.select": lambda condition, a, b: a if condition else b,
}

COMPARISONS = {arith.CmpIPredicate.eq: operator.eq, arith.CmpIPredicate.uge: operator.ge}


def tiles_of(spec, extents, ctas):
    """Return the tiles of each CTA in its order, by the arithmetic that the pass emits."""
    with make_context(), ir.Location.unknown():
        module = ir.Module.parse(GRID.format(spec=spec))
        run_pass(module, "nv-tileas-schedule-tiles", PassContext())
        (function,) = module.body.operations
        block = function.operation.regions[0].blocks[0]
        ops = walk_operations(block)
        (loop,) = (op for op in ops if op.name == "scf.for")
        index = loop.regions[0].blocks[0].arguments[0]
        fixed = dict(zip(block.arguments, extents, strict=True))
        total = extents[0] * extents[1] * extents[2]
        return [
            [tile_at(ops, {**fixed, index: tile}, ctas) for tile in range(cta, total, ctas)]
            for cta in range(ctas)
        ]


def tile_at(ops, values, ctas) -> tuple[int, ...]:
    """Return the coordinates that `ops` compute from the values of arguments."""
    for op in ops:
        operands = [values.get(operand, 0) for operand in op.operands]
        if op.name == "builtin.unrealized_conversion_cast":
            return tuple(operands)
        if op.name == "arith.constant":
            values[op.results[0]] = ir.IntegerAttr(op.attributes["value"]).value
        elif op.name == "nv_tileas.num_ctas":
            values[op.results[0]] = ctas
        elif op.name == "nv_tileas.opaque":
            values[op.results[0]] = operands[0]
        elif op.name == "arith.cmpi":
            predicate = ir.IntegerAttr(op.attributes["predicate"]).value
            compare = COMPARISONS[arith.CmpIPredicate(predicate)]
            values[op.results[0]] = compare(*operands)
        elif op.name in STEPS:
            values[op.results[0]] = STEPS[op.name](*operands)
    raise AssertionError("no coordinates")


@pytest.mark.parametrize("extents", [(1, 4, 8), (2, 3, 7), (3, 1, 5), (1, 1, 1), (2, 2, 33)])
@pytest.mark.parametrize("ctas", [1, 4, 7, 60])
@pytest.mark.parametrize("direction", [1, -1])
def test_every_tile_comes_once_and_long_and_short_ones_in_turn(extents, ctas, direction):
    spec = f"tile_order = [1, 0, 2], balance_tiles = {direction} : i64"
    b, h, m = extents
    tiles = tiles_of(spec, extents, min(ctas, b * h * m))
    every = [tile for cta in tiles for tile in cta]
    assert len(set(every)) == len(every) == b * h * m
    rounds, (rest, rows) = b * h * m // (2 * len(tiles)), (b * h * m % (2 * len(tiles)), b * h)
    for cta in tiles:
        lengths = [z if direction > 0 else m - 1 - z for *_, z in cta]
        firsts = lengths[: 2 * rounds]
        for one, other in zip(firsts[::2], firsts[1::2], strict=True):
            assert m - 1 <= one + other <= m + rest // rows
        assert max(lengths[2 * rounds :], default=0) <= rest // rows


@pytest.mark.parametrize(
    ("extents", "most"),
    [
        ((1, 16, 128), 1.002),
        ((4, 16, 32), 1.01),
        ((16, 16, 8), 1.03),
        ((1, 32, 86), 1.005),
        ((1, 1, 100), 1.7),
        ((1, 16, 16), 1.2),
    ],
)
def test_ctas_get_about_the_same_work(extents, most):
    """Of tiles in row-major order some CTA has up to 1.8 times the mean."""
    ctas, (b, h, m) = 132, extents
    spec = "tile_order = [0, 1, 2], balance_tiles = 1 : i64"
    work = [sum(z + 2.5 for *_, z in cta) for cta in tiles_of(spec, extents, min(ctas, b * h * m))]
    mean = sum(work) / len(work)
    assert max(work) <= max(most * mean, m + 1.5)


def test_tiles_that_share_follow_each_other():
    tiles = tiles_of("tile_order = [1, 0, 2]", (2, 3, 4), 1)
    assert tiles == [[(b, h, m) for h in range(3) for b in range(2) for m in range(4)]]
