"""Stores that wait for the next tile: what keeps them from it, and seeded faults."""

import pytest

from tests.support.kernel_texts import BRANCH_WITH_LOAD
from tests.support.seeded_faults import (
    ROOT,
    before_the_check,
    changed,
    failure,
    replaced,
    source_of,
    swap_before,
    verify,
    without,
)
from tilec.compiler.backend import find_kernel_op
from tilec.compiler.driver import compile_source
from tilec.ir.attributes import read_kernel_metadata
from tilec.ir.sequences import operations_after
from tilec.passes.analysis.kernels import kernel_operations
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import CompileError, SourceFile

KERNEL = """\
@kernel
def product[M, N, K](A: bf16[M, K], B: bf16[K, N], C: {C}[M, N], D: bf16[M, N], v: f32[N],
                     start: i32, BK: const = auto):
    m, n = grid(cdiv(M, 128), cdiv(N, {columns}))
{before}    acc = zeros((128, {columns}), f32)
    for k in range({bounds}):
        acc = mma(load(A, (m, k), (128, BK)), load(B, (k, n), (BK, {columns})), acc)
{store}
"""
USUAL = {"C": "bf16", "before": "", "bounds": "cdiv(K, 64)", "columns": "256"}
STORE = "    store(C, (m, n), cast(acc, bf16))"
USUAL["store"] = STORE
BRANCH = BRANCH_WITH_LOAD.format(condition="start > 0", array="v", first=0, extents=256)
LOAD = "cast(load(D, (m, n), (128, 256)), f32)"
HALVES = "extract(acc, (0, 1), (128, 64)), extract(acc, (0, 0), (128, 64))"
COMPUTED = {
    "scaled": "acc * 2.0",
    "with a bias": "acc + load(v, n, 256)[None, :]",
    "with special functions": "acc / (1.0 + exp(-acc))",
    "transposed twice": "transpose(transpose(acc) * 2.0)",
}
UNCOUNTED = "the loop over k-tiles does not start at a constant with steps of 1"
REFUSED = {
    "two stores": (
        {"store": f"{STORE}\n{STORE.replace('C', 'D')}"},
        "the kernel has 1 products and 2 stores",
    ),
    "columns in another order": (
        {"store": STORE.replace("acc,", f"cat(({HALVES}), 1),"), "columns": "128"},
        "the result is not computed from the products element by element",
    ),
    "a store in a branch": (
        {"store": f"    if K > 64:\n    {STORE}"},
        "the store is in a loop or a branch",
    ),
    "steps of two": ({"bounds": "0, cdiv(K, 64), 2"}, UNCOUNTED),
    "a start that the caller gives": ({"bounds": "start, cdiv(K, 64)"}, UNCOUNTED),
    "bounds of the block": (
        {"bounds": "m, cdiv(K, 64)"},
        "the number of k-tiles depends on the block",
    ),
    "bounds of a branch that loads": (
        {
            "before": BRANCH,
            "bounds": "steps",
            "store": STORE.replace("acc,", "acc + x[None, :],"),
        },
        "the number of k-tiles comes from a branch or a loop that loads tiles",
    ),
    "a result of 32 bits": (
        {"C": "f32", "store": "    store(C, (m, n), acc)"},
        "128 registers of a result do not fit together with 128 accumulators of the next one",
    ),
}
REFUSED_PLANS = {
    "persistent": (0, "no loop over tiles"),
    "pingpong": (1, "consumers that ping-pong"),
    "split_k": (2, "the splits of a tile add up their sums first (split_k = 2)"),
    "epilogue_slots": (0, "the result is not stored in parts of one staging slot each"),
    "epilogue_batch": (2, "the result is not stored in parts of one staging slot each"),
}


def planned(fields: dict[str, str], **plan: int):
    """Return the plan of a kernel with other text in some of its places."""
    text = KERNEL.format(**(USUAL | fields))
    source = SourceFile("product.tile", text)
    options = CompileOptions(emit="nv_tileas")
    made = compile_source(source, specialization=Specialization(plan=plan), options=options)
    metadata = read_kernel_metadata(find_kernel_op(made.snapshots["nv_tileas"]))
    if "defer_stores" not in plan:  # tiles are chosen for what happens
        assert metadata["planned_deferral"] == metadata["plan"]["defer_stores"]
    return metadata["plan"]


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_wait(name):
    fields, reason = REFUSED[name]
    assert not planned(fields)["defer_stores"]
    with pytest.raises(CompileError) as caught:
        planned(fields, defer_stores=True)
    assert f"error[T0421]: defer_stores = true: {reason}" in str(caught.value)


@pytest.mark.parametrize("name", COMPUTED)
def test_results_that_are_computed_wait(name):
    plan = planned({"store": STORE.replace("acc,", f"{COMPUTED[name]},")})
    assert plan["defer_stores"]
    assert plan["slice_columns"] == (64 if "special" in name else 0)


@pytest.mark.parametrize("columns", [0, 32, 64])
def test_results_of_tiles_that_are_loaded_wait(columns):
    plan = planned({"store": STORE.replace("acc,", f"acc + {LOAD},")}, slice_columns=columns)
    assert plan["defer_stores"]
    assert plan["slice_columns"] == columns


@pytest.mark.parametrize("field", REFUSED_PLANS)
def test_plans_in_which_nothing_waits(field):
    value, reason = REFUSED_PLANS[field]
    with pytest.raises(CompileError) as caught:
        planned({"columns": "128"}, defer_stores=True, **{field: value})
    assert f"error[T0421]: defer_stores = true: {reason}" in str(caught.value)


@pytest.mark.parametrize("bounds", ["8", "1, cdiv(K, 64)", "2, 5"])
def test_known_bounds(bounds):
    assert planned({"bounds": bounds})["defer_stores"]


def test_what_only_the_sum_needs_comes_after_the_store_of_the_tile_before():
    """The product would wait for a scale that threads load before the branch with the store."""
    example = source_of(ROOT / "examples" / "matmul_fp8_blocks.tile")
    chosen = Specialization(constants={"BM": 128})
    made = compile_source(example, specialization=chosen, options=CompileOptions(emit="nv_tileas"))
    ops = kernel_operations(find_kernel_op(made.snapshots["nv_tileas"]))
    (product,) = (op for op in ops if op.name == "nv_tileas.async_mma")
    names = [op.name for op in operations_after(product)]
    order = ["scf.if", "nv_tileas.gather", "arith.mulf", "nv_tileas.mma_wait", "math.fma"]
    assert [name for name in names if name in order] == order


def test_a_store_waits_unless_somebody_objects():
    assert planned({})["defer_stores"]
    plan = planned({}, defer_stores=False)
    assert not plan["defer_stores"]
    assert "defer_stores = false: fixed by the user" in plan["reasons"]


ROUNDED = "cast(cast({}, bf16), f32)"
SUM = ROUNDED.format("acc")
BIAS = "load(v, n, 256)[None, :]"
WORK = {
    # Four slices in four steps each, and the same four alone.
    "a residual": (f"{SUM} + {LOAD}", 4 * 4 + 4),
    "special functions": (f"{SUM} / (1.0 + exp(-{SUM}))", 4 * 4 + 4),
    "what an argument scales": (f"{SUM} * cast(start, f32) + {LOAD}", 4 * 4 + 4),
    "a tile that no slices are cut of": (f"{SUM} * 2.0", 2),
    "a bias that is read then": (f"{SUM} * {BIAS}", 2),
    "nothing, as nothing is rounded": (f"acc * 2.0 + {LOAD}", 0),
    "nothing, as it is rounded last": ("acc", 0),
    "nothing, as a bias is read before, too": (
        f"{ROUNDED.format('acc + ' + BIAS)} * {BIAS}",
        0,
    ),
    "nothing, as a residual is read before, too": (
        f"{ROUNDED.format('acc + ' + LOAD)} * {LOAD}",
        0,
    ),
    "what differs from block to block": (f"{SUM} * cast(m, f32)", 2),
    "nothing, as functions are long": (f"sin({SUM})", 0),
    "nothing but floats": ("where(acc > 0.0, load(D, (m, n), (128, 256)), cast(0.0, bf16))", 0),
}
EARLY = "    b = load(v, n, 256)[None, :]\n"


@pytest.mark.parametrize("name", WORK)
def test_work_that_waits_with_its_tile(tmp_path, name):
    value, steps = WORK[name]
    text = KERNEL.format(**(USUAL | {"store": STORE.replace("acc,", f"{value},")}))
    options = CompileOptions(emit="nv_tileas", dump_directory=tmp_path)
    overrides = Specialization(plan={"defer_stores": True})
    compile_source(SourceFile("product.tile", text), specialization=overrides, options=options)
    dump = next(tmp_path.glob("*-nv-tileas-rotate-loops.mlir")).read_text()
    assert dump.count('"nv_tileas.opaque"') == steps


def test_work_does_not_wait_for_tiles_that_are_loaded_early(tmp_path):
    """Its producer would wait for a slot that comes free during products it has not loaded yet."""
    fields = {"before": EARLY, "store": STORE.replace("acc,", f"{SUM} * b,")}
    options = CompileOptions(emit="nv_tileas", dump_directory=tmp_path)
    source = SourceFile("product.tile", KERNEL.format(**(USUAL | fields)))
    compile_source(source, options=options)
    dump = next(tmp_path.glob("*-nv-tileas-rotate-loops.mlir")).read_text()
    assert "scf.while" in dump
    assert "nv_tileas.opaque" not in dump


def test_work_that_was_asked_for_and_is_not_there():
    with pytest.raises(CompileError) as caught:
        planned({}, defer_work=True)
    assert "error[T0421]: defer_work = true: nothing is left to compute" in str(caught.value)
    assert "round the tile first" in str(caught.value)


@pytest.mark.parametrize("result", ["i16", "i8"])
def test_integers_wait(result):
    fields = {"C": result, "store": STORE.replace("bf16", result)}
    plan = planned(fields)
    assert (plan["defer_stores"], plan["defer_work"]) == (True, False)


OVERWRITTEN, UNFENCED = "may be overwritten while 'bulk:", "no proxy fence"
FAULTS = {
    "a part too many in flight": (
        changed("bulk_wait", 5, "pending = 1", "pending = 2"),
        OVERWRITTEN,
    ),
    "no wait for the slot of a part": (without("bulk_wait", 6), OVERWRITTEN),
    "no wait ahead of the last tile's store": (without("bulk_wait", 0), OVERWRITTEN),
    "no fence in the shadow": (without("fence_proxy", 4), UNFENCED),
    "no fence alone": (without("fence_proxy", 3), UNFENCED),
    "no barrier in the shadow": (without("barrier", 9), "a tile is read before"),
    "the slot of another part": (
        changed("warpgroup_view", 5, "slot = 1", "slot = 0"),
        OVERWRITTEN,
    ),
    "a product in flight": (
        replaced(r"pending = 0 (: i64\} : \(tensor)", r"pending = 1 \1"),
        "an accumulator is used while a product that writes it is in flight",
    ),
    "released in the shadow": (
        swap_before("ring_release", "mma_wait"),
        "may be overwritten while 'mma:",
    ),
    "no drain at the end": (without("bulk_wait", -1), "may end while a bulk store"),
}
"""Faults by the number of an operation: 0 to 3 stand alone, 4 to 7 in the shadow of products."""


@pytest.fixture(scope="module")
def deferred() -> str:
    return before_the_check(defer_stores=1)


def test_the_kernel_without_a_fault(deferred):
    verify(deferred)


@pytest.mark.parametrize("name", FAULTS)
def test_seeded_faults(deferred, name):
    edit, message = FAULTS[name]
    assert message in failure(edit(deferred))
