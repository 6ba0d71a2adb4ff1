"""A operands that wgmma takes from registers: which ones do, and what may happen to them."""

import pytest

from tests.support.seeded_faults import BEFORE, ROOT, failure, replaced, source_of, verify
from tilec.compiler.driver import compile_source
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import CompileError, SourceFile

KERNELS = ROOT / "tests" / "kernels" / "register_operands.tile"
PRODUCT = """
@kernel
def product[M, N, K](A: bf16[M, K], B: bf16[K, N], T: i32[M], C: f32[M, N]):
    m, n = grid(cdiv(M, 64), cdiv(N, 64))
    acc = zeros((64, 64), f32)
    for k in range(cdiv(K, 32)):
        acc = mma({a}, load(B, (k, n), (32, 64)), acc)
    store(C, (m, n), acc)
"""
TWICE = """
@kernel(any_tile_extents=True)
def twice[M, N, D](Q: bf16[M, D], K: bf16[N, D], V: bf16[N, D], O: f32[M, D], BN: const):
    m = grid(cdiv(M, 128))
    q, acc = load(Q, (m, 0), (128, 128)), zeros((128, 128), f32)
    for n in range(cdiv(N, BN)):
        scores = q @ load(K, (n, 0), (BN, 128)).T
        acc = mma(cast(scores, bf16), load(V, (n, 0), (BN, 128)), acc)
    store(O, (m, 0), acc)
"""
BIASED = """
@kernel
def biased[M, N, D](
    Q: bf16[M, D], K: bf16[N, D], T: i32[N], V: bf16[N, D], W: f32[M, N], O: f32[M, D],
):
    m = grid(cdiv(M, 64))
    q, acc = load(Q, (m, 0), (64, 64)), zeros((64, 64), f32)
    for n in range(cdiv(N, 64)):
        k = {k}
        scores = q @ k.T{bias}
        acc = mma(cast(scores, bf16), load(V, (n, 0), (64, 64)), acc)
    store(O, (m, 0), acc)
"""
GATHERED_BIAS = (
    " + gather(W, (m * 64 + arange(64)[:, None], (m - n) * 64 + arange(64)[:, None] - arange(64)))"
)
GATHERED_KEYS = "gather(K, (load(T, n, 64)[:, None], arange(64)[None, :]))"
SCALED = (
    "(load(A, (m, k), (64, 32)).reshape((64, {groups}, {size}))"
    " * load(A, (m, k), (64, {groups}))[:, :, None]).reshape((64, 32))"
)
COMPUTED = "operand A of the mma comes from registers: threads compute it"
STAGED = "operand A of the mma goes through registers"


@pytest.fixture(scope="module")
def scaled(tmp_path_factory):
    """Return a product with A in registers as it comes to the protocol check."""
    folder = tmp_path_factory.mktemp("scaled")
    options = CompileOptions(emit="nv_tileas", dump_directory=folder)
    compile_source(source_of(KERNELS), "scaled_rows", options=options)
    return next(folder.glob(f"*-{BEFORE}.mlir")).read_text()


def test_products_that_are_waited_for_pass(scaled):
    verify(scaled)


def test_products_do_not_stay_in_flight(scaled):
    """The next round of the loop would write registers that the product still reads."""
    edited = replaced(r"pending = 0 (: i64\} : \(tensor)", r"pending = 1 \1")(scaled)
    assert edited != scaled
    assert "a product in flight reads registers that are written again" in failure(edited)


@pytest.mark.parametrize(
    ("a", "message"),
    [
        ("load(A, (m, k), (64, 32)) * 2.0", COMPUTED),
        ("load(A, (m, k), (64, 32)) * cast(load(T, m, 64), bf16)[:, None]", COMPUTED),
        ("load(A, (m, k), (64, 32), allow_tma=False) * 2.0", STAGED),
        ("gather(A, (load(T, m, 64)[:, None], k * 32 + arange(32)[None, :]))", STAGED),
        (SCALED.format(groups=2, size=16), COMPUTED),
        (SCALED.format(groups=4, size=8), STAGED),
    ],
)
def test_what_threads_load_from_global_memory_is_staged(a, message):
    source = SourceFile("product.tile", PRODUCT.format(a=a))
    result = compile_source(source, options=CompileOptions(emit="nv_tileas"))
    remarks = [item.message for item in result.remarks]
    assert any(item.startswith(message) for item in remarks), remarks


@pytest.mark.parametrize(
    ("k", "bias"),
    [
        ("load(K, (n, 0), (64, 64))", GATHERED_BIAS),
        ("load(K, (n, 0), (64, 64))", " + load(W, (m, n), (64, 64), allow_tma=False)"),
        (GATHERED_KEYS, ""),
    ],
)
def test_what_a_product_has_computed_stays_in_its_registers(k, bias):
    """What threads load is combined with a result, or multiplied to one, whose layout is given."""
    source = SourceFile("biased.tile", BIASED.format(k=k, bias=bias))
    result = compile_source(source, options=CompileOptions(emit="nv_tileas"))
    remarks = [item.message for item in result.remarks]
    assert any(item.startswith(COMPUTED) for item in remarks), remarks
    assert not any(item.startswith(STAGED) for item in remarks), remarks


def test_groups_in_flight_are_refused():
    source, plan = source_of(KERNELS), {"mma_pending": 1}
    with pytest.raises(CompileError, match="every product has an A in registers"):
        compile_source(source, "scaled_rows", specialization=Specialization(plan=plan))


def test_what_a_branch_returns_is_followed():
    """The masked tile comes out of a branch; gathered elements still go through shared memory."""
    rows, columns = "(m * 64 + arange(64)[:, None])", "(k * 32 + arange(32)[None, :])"
    mask = f"({columns} <= {rows}) & ({columns} > {rows} - 9)"
    a = f"where({mask}, gather(A, ({rows}, {columns})), 0.0)"
    source = SourceFile("product.tile", PRODUCT.format(a=a))
    result = compile_source(source, options=CompileOptions(emit="nv_tileas"))
    remarks = [item.message for item in result.remarks]
    assert any(item.startswith("the mask is skipped") for item in remarks), remarks
    assert any(item.startswith(STAGED) for item in remarks), remarks


@pytest.mark.parametrize(("columns", "said"), [(128, COMPUTED), (192, COMPUTED), (208, STAGED)])
def test_wide_operands_stay_where_registers_hold_them_and_both_accumulators(columns, said):
    """With 64 registers of the result: 96 and 48 of 192 columns fit 208, 104 and 52 do not."""
    wanted = Specialization(constants={"BN": columns}, plan={"stages": 1})
    source, options = SourceFile("twice.tile", TWICE), CompileOptions(emit="nv_tileas")
    made = compile_source(source, None, wanted, options)
    (message,) = [item.message for item in made.remarks if item.code == "T0437"]
    assert message.startswith(said)


TURNED = "the mma is computed as its transpose"
STAGED_B = "operand B of the mma goes through registers"
LOADED = """
        a = load(A, (m, k), (64, 32))
        b = load(B, (k, n), (32, 64)){b}
        {statement}
"""


@pytest.mark.parametrize(
    ("b", "statement", "said"),
    [
        (" * 2.0", "acc = mma(a, b, acc)", {TURNED: True, STAGED_B: False}),
        (" * 2.0", "acc = mma(a * 2.0, b, acc)", {TURNED: False, STAGED_B: True}),
        (" * 2.0", "acc = mma(a, b, acc * 0.5)", {TURNED: False, STAGED_B: True}),
        ("", "acc = mma(a, b, acc)", {TURNED: False, STAGED_B: False}),
    ],
)
def test_a_computed_b_becomes_the_first_operand_where_that_is_possible(b, statement, said):
    """Both operands are computed in the second case; in the third, the loop scales its sum."""
    loop = PRODUCT.index("        acc = mma(")
    text = PRODUCT[:loop] + LOADED.format(b=b, statement=statement).strip("\n") + "\n"
    text += "    store(C, (m, n), acc)\n"
    source, options = SourceFile("product.tile", text), CompileOptions(emit="nv_tileas")
    remarks = [item.message for item in compile_source(source, options=options).remarks]
    found = {start: any(item.startswith(start) for item in remarks) for start in said}
    assert found == said


@pytest.mark.parametrize(("before", "advised"), [("", True), (" * 2.0", False)])
def test_the_remark_says_how_a_computed_b_stays_in_registers(before, advised):
    """The loop scales its sum, so the product is not turned by itself."""
    loop = PRODUCT.index("        acc = mma(")
    statement = f"acc = mma(a{before}, b, acc * 0.5)"
    text = PRODUCT[:loop] + LOADED.format(b=" * 2.0", statement=statement).strip("\n") + "\n"
    text += "    store(C, (m, n), acc)\n"
    source, options = SourceFile("product.tile", text), CompileOptions(emit="nv_tileas")
    remarks = [item.message for item in compile_source(source, options=options).remarks]
    (message,) = [item for item in remarks if item.startswith(STAGED_B)]
    assert message.endswith("'mma(b.T, a.T, acc)', would keep it in registers") == advised
