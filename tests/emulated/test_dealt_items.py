"""Work items that CTAs sort and deal out among themselves, on the emulator."""

import ctypes
import re
from types import SimpleNamespace

import numpy as np
import pytest

from tilec.codegen.llvmir import translate
from tilec.codegen.ptx import emit_ptx
from tilec.dialects.nv_tileas.measure_ops import MOST_DEALT, deal_bytes, order_bytes
from tilec.ir.context import make_context
from tilec.ir.text import parse_module
from tilec.passes.registry import PassContext
from tilec.passes.runner import run_pass
from tilec.request.stages import STAGES
from tilec.request.target import get_target
from tilec.runtime.cuda.api import LaunchShape
from tilec.runtime.launch.expressions import evaluate
from tools.emulator.device import EmulatedDriver
from tools.emulator.machine import EmulatedFaultError
from tools.emulator.memory import POISON, AccessError

WARPS = 4
KERNEL = f"""
!costs = !nv_tileaa.memref<memref<?xi32, strided<[1]>, 1>, 0 : i64>
"nv_tileaa.func"() ({{
^bb0(%c: !nv_tileaa.ptr<i32>, %o: !nv_tileaa.ptr<i32>, %d: !nv_tileaa.ptr<i64>,
     %n: i32, %f: i32, %w: i32):
  %costs = "nv_tileas.make_memref"(%c, %n) : (!nv_tileaa.ptr<i32>, i32) -> !costs
  %zero = arith.constant 0 : i32
  %order = "nv_tileas.order_items"(%o, %n) ({{
  ^bb0(%i: i32):
    %cost, %t = "nv_tileas.gather"(%costs, %i, %zero)
      {{operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>}}
      : (!costs, i32, i32) -> (i32, !nv_tileaa.mem_token)
    "nv_tileas.yield_values"(%cost) : (i32) -> ()
  }}) : (!nv_tileaa.ptr<i32>, i32) -> !nv_tileaa.ptr<i32>
  %dealt = "nv_tileas.deal_items"(%d, %order, %n, %f, %w)
    {{balanced = BALANCED : i64}} : (!nv_tileaa.ptr<i64>, !nv_tileaa.ptr<i32>, i32, i32, i32)
    -> !nv_tileaa.ptr<i64>
  "nv_tileas.roles"() ({{ "nv_tileas.yield"() : () -> () }}, {{ "nv_tileas.yield"() : () -> () }})
    {{producer_warps = 0 : i64, consumer_warps = {WARPS} : i64}} : () -> ()
  "nv_tileaa.return"() : () -> ()
}}) {{sym_name = "k", tilec.kernel = {{block_threads = {32 * WARPS} : i64, cluster = [1, 1, 1]}},
  function_type = (!nv_tileaa.ptr<i32>, !nv_tileaa.ptr<i32>, !nv_tileaa.ptr<i64>, i32, i32, i32)
  -> ()}} : () -> ()
"""
SEEDS = range(6)


def compiled(balanced):
    text = KERNEL.replace("BALANCED", str(int(balanced)))
    module = parse_module(text, make_context(), "k.mlir")
    for name in STAGES[-1].passes:
        run_pass(module, name, PassContext())
    return emit_ptx(translate(module), get_target("sm_90a"))


@pytest.fixture(scope="module")
def ptx():
    return compiled(balanced=True)


def deal(ptx, costs, free, together, ctas, seed=0):
    """Return the tiles of each CTA, as pairs of an item and a number of free digits."""
    device = EmulatedDriver(seed)
    sizes = {"items": len(costs), "tiles": len(costs) * free, "free": free}
    tables = [np.asarray(costs, np.int32).view(np.uint8)]
    tables += [
        np.full(int(evaluate(text, sizes)), POISON, np.uint8)
        for text in (order_bytes("items"), deal_bytes("tiles", "free"))
    ]
    for table in tables:
        device.memory.add(table.ctypes.data, table)
    numbers = [ctypes.c_uint32(number) for number in (len(costs), free, together)]
    values = [*(ctypes.c_uint64(table.ctypes.data) for table in tables), *numbers]
    addresses = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
    kernel = device.load(0, "k", b"", ptx, 0)
    shape = LaunchShape(ctas, 32 * WARPS, (1, 1, 1), 0)
    device.launch(SimpleNamespace(kernel=kernel, shape=shape), 0, addresses)
    words = tables[2].view(np.uint64)
    length = -(-len(costs) * free // min(ctas, MOST_DEALT)) + 1 + free
    found = []
    for cta in range(min(ctas, MOST_DEALT)):
        count, *tiles = map(int, words[cta * length : (cta + 1) * length])
        found.append([(word & 0xFFFFFFFF, word >> 32) for word in tiles[:count]])
    return found


def check(costs, free, lists):
    """Check that every tile with a cost is in one list, once."""
    wanted = [(item, digit) for item, cost in enumerate(costs) if cost for digit in range(free)]
    assert sorted(tile for tiles in lists for tile in tiles) == wanted


def busiest(costs, lists):
    """Return what the CTA with the most to do has, of the mean."""
    loads = [sum(costs[item] for item, _ in tiles) for tiles in lists]
    return max(loads) / np.mean(loads)


def lengths(count, seed=0):
    """Return costs of tiles of causal attention to sequences, some of which end early."""
    rng = np.random.default_rng(seed)
    tiles = np.exp(rng.uniform(0, np.log(40), count)).astype(int)
    return [2 * m + 5 if m < own else 0 for own in tiles for m in range(40)]


@pytest.mark.parametrize(
    ("costs", "free", "together", "ctas"),
    [
        ([7], 1, 1, 1),
        ([0, 0, 0], 4, 1, 2),
        ([1, 0, 5, 100000, 2**30], 3, 2, 4),
        ([5] * 70, 3, 3, 5),
        (lengths(3), 5, 2, 7),
        (lengths(4), 7, 7, 9),
        (lengths(2), 1, 1, 3),
        ([3, 0] * 90, 1, 1, 161),
    ],
    ids=["one", "nothing", "few", "equal", "parts", "together", "no digits", "more than dealt"],
)
def test_every_tile_is_dealt_once(ptx, costs, free, together, ctas):
    check(costs, free, deal(ptx, costs, free, together, ctas))


@pytest.mark.parametrize("together", [1, 3, 24])
def test_ctas_have_about_the_same_to_do(ptx, together):
    costs = lengths(6)
    lists = deal(ptx, costs, 24, together, 12)
    check(costs, 24, lists)
    assert busiest(costs, lists) < 1.03
    longest = max(costs)
    assert all(2 * costs[tiles[0][0]] > longest for tiles in lists)


@pytest.mark.parametrize("balanced", [True, False])
def test_equal_tiles_stay_in_their_order(balanced):
    costs = [4, 4, 0, 4] * 15
    lists = deal(compiled(balanced), costs, 2, 2, 4)
    check(costs, 2, lists)
    rows = [[tiles[row] for tiles in lists] for row in range(2)]
    assert [sorted(row) for row in rows] == [
        [(0, 0), (0, 1), (1, 0), (1, 1)],
        [(3, 0), (3, 1), (4, 0), (4, 1)],
    ]


def test_the_order_of_events_decides_nothing(ptx):
    costs = lengths(2)
    found = [deal(ptx, costs, 3, 2, 5, seed) for seed in range(3)]
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("number", range(2))
def test_a_missing_barrier_is_found(ptx, number):
    """After the counts of classes, or the order; a single CTA, as others write the same."""
    costs = [0] * 12000 + [7, 9, 20, 80]
    barriers = list(re.finditer(r"\tbar\.sync \t0;\n", ptx))
    assert len(barriers) == 3  # and one before the roles
    start, end = barriers[number].span()
    broken, right = ptx[:start] + ptx[end:], deal(ptx, costs, 1, 1, 1)
    assert any(_differs(broken, costs, right, seed) for seed in SEEDS)


def _differs(broken, costs, right, seed):
    try:
        return deal(broken, costs, 1, 1, 1, seed) != right
    except (AccessError, EmulatedFaultError):
        return True
