"""What the planner is told about `auto` constants."""

import pytest

from tilec.frontend.semantics import analysis
from tilec.plan.overrides import PlanOverrides
from tilec.plan.products import NextProduct
from tilec.plan.tiles import TileChoice, TileUse
from tilec.request.specialization import ArraySpec, Specialization, column_major
from tilec.support.fast_dataclasses import replace
from tilec.support.mma_atoms import ProductTypes

MATMUL = """\
@kernel
def f(A: bf16[M, K], B: bf16[K, N], C: f16[M, N], BM: const = auto, BN: const = auto,
      BK: const = auto):
    m, n = grid(cdiv(M, BM), cdiv(N, BN))
    acc = zeros((BM, BN), f32)
    for k in range(cdiv(K, BK)):
        acc = mma(load(A, (m, k), (BM, BK)), load(B, (n, k), (BK, BN)), acc)
    store(C, (m, n), cast(acc, f16))
"""


def mma_use(*fields, **others):
    """Return the use of an extent by an mma of bf16, unless `product` says otherwise."""
    return TileUse(*fields, **{"product": ProductTypes("bf16", "bf16", "f32"), **others})


@pytest.fixture
def asked(monkeypatch):
    """Record the uses, and answer 32 for every constant."""
    seen: dict[str, TileUse] = {}

    def choose(uses, specialization, *, powers_of_two, overrides):
        assert not powers_of_two
        assert overrides == PlanOverrides()
        seen.update(uses)
        values = dict.fromkeys(uses, 32)
        return TileChoice(values, ("because",), cluster=(2, 1), candidates=("32x32x32",))

    monkeypatch.setattr(analysis, "plan_tiles", choose)
    return seen


def test_matmul(frontend, asked):
    program = frontend.analyze(MATMUL)
    extents = ("BM", "BN", "BK")
    assert asked == {
        "BM": mma_use(
            "mma_m", 2, extents, "M", 2, n_contiguous=True, deferrable=True, swappable=True
        ),
        "BN": mma_use(
            "mma_n", 2, extents, "N", 2, n_contiguous=True, deferrable=True, swappable=True
        ),
        "BK": mma_use(
            "mma_k", 2, extents, "K", 2, n_contiguous=True, deferrable=True, swappable=True
        ),
    }
    assert program.metadata["constants"] == {"BM": 32, "BN": 32, "BK": 32}
    assert program.metadata["tile_reasons"] == ["because"]
    assert program.metadata["tile_candidates"] == ["32x32x32"]
    assert program.metadata["planned_cluster"] == (2, 1)


def test_only_some_are_automatic(frontend, asked):
    frontend.analyze(MATMUL.replace("BN: const = auto", "BN: const = 128"))
    extents = ("BM", 128, "BK")
    assert asked["BM"] == mma_use(
        "mma_m", 2, extents, "M", 2, n_contiguous=True, deferrable=True, swappable=True
    )
    assert set(asked) == {"BM", "BK"}


def test_transposed_operand(frontend, asked):
    text = MATMUL.replace("B: bf16[K, N]", "B: bf16[N, K]")
    text = text.replace("load(B, (n, k), (BK, BN))", "load(B, (n, k), (BN, BK)).T")
    frontend.analyze(text)
    assert asked["BN"] == mma_use(
        "mma_n", 2, ("BM", "BN", "BK"), "N", 2, deferrable=True, swappable=True
    )


RESULT = """\
@kernel
def f(A: {T}[M, K], B: {T}[K, N], C: f32[M, N], R: f32[M, N], v: f32[N], start: i32, flag: bool,
      BM: const = auto, BN: const = auto, BK: const = auto):
    m, n = grid(cdiv(M, BM), cdiv(N, BN))
    acc = {first}
    for k in range({bounds}):
        a = load(A, (m, k), (BM, BK))
        acc = mma({a}, load(B, (k, n), (BK, BN)), acc)
{end}
"""
USUAL = {"T": "bf16", "first": "zeros((BM, BN), f32)", "bounds": "cdiv(K, BK)", "a": "a"}
STORE = "    store(C, (m, n), {})"
LOADED = "load(R, (m, n), (BM, BN))"
DEFERRABLE = {
    "as they are": {},
    "computed": {"end": STORE.format("acc / (1.0 + exp(-acc))")},
    "with a bias": {"end": STORE.format("acc + load(v, n, BN)[None, :]")},
    "with a residual": {"end": STORE.format(f"acc + {LOADED}")},
    "with a transposed residual": {"end": STORE.format("acc + load(R, (n, m), (BN, BM)).T")},
    "on top of a tile": {"first": LOADED},
    "in a branch": {"end": f"    if flag:\n        acc = maximum(acc, 0.0)\n{STORE.format('acc')}"},
    "from the second k-tile on": {"bounds": "1, cdiv(K, BK)"},
    "to an end that the caller gives": {"bounds": "start"},
    "of two products": {"a": "a, load(B, (k, n), (BK, BN)), acc)\n        acc = mma(a"},
}
NOT_DEFERRABLE = {
    "no sums": {"end": STORE.format("zeros((BM, BN), f32)")},
    "halves in another order": {
        "end": STORE.format("reshape(reshape(acc, (BM * BN,)), (BM, BN))"),
    },
    "two stores": {"end": f"{STORE.format('acc')}\n{STORE.format('acc').replace('C', 'R')}"},
    "a store in a branch": {"end": f"    if flag:\n    {STORE.format('acc')}"},
    "a product after the loop": {"end": STORE.format("mma(acc, acc, acc)"), "T": "f32"},
    "steps of two": {"bounds": "0, cdiv(K, BK), 2"},
    "a start that the caller gives": {"bounds": "start, cdiv(K, BK)"},
    "as many k-tiles as the block says": {"bounds": "m + 1"},
    "an operand that is computed": {"a": "a + a"},
    "two products, one of which reads what is computed": {
        "a": "a, load(B, (k, n), (BK, BN)), acc)\n        acc = mma(a + a"
    },
    "operands of 32 bits": {"T": "f32"},
}


@pytest.mark.parametrize("name", [*DEFERRABLE, *NOT_DEFERRABLE])
def test_results_that_can_wait(frontend, asked, name):
    fields = {**DEFERRABLE, **NOT_DEFERRABLE}[name]
    frontend.analyze(RESULT.format(**(USUAL | {"end": STORE.format("acc")} | fields)))
    assert asked["BM"].deferrable == (name in DEFERRABLE)


def test_a_column_major_operand(frontend, asked):
    spec = ArraySpec("bf16", column_major(2))
    frontend.analyze(MATMUL, specialization=Specialization(arrays={"B": spec}))
    assert not asked["BN"].n_contiguous
    frontend.analyze(MATMUL, specialization=Specialization(arrays={"A": spec}))
    assert asked["BN"].n_contiguous


def test_a_batch_of_products(frontend, asked):
    frontend.analyze(
        "@kernel\n"
        "def f(A: bf16[B, M, K], W: bf16[B, N, K], C: bf16[B, M, N], BM: const = auto,\n"
        "      BN: const = auto, BK: const = auto):\n"
        "    b, m, n = grid(B, cdiv(M, BM), cdiv(N, BN))\n"
        "    acc = zeros((BM, BN), f32)\n"
        "    for k in range(cdiv(K, BK)):\n"
        "        x = reshape(load(A, (b, m, k), (1, BM, BK)), (BM, BK))\n"
        "        w = reshape(load(W, (b, n, k), (1, BN, BK)), (BN, BK))\n"
        "        acc = mma(x, transpose(w), acc)\n"
        "    store(C, (b, m, n), reshape(cast(acc, bf16), (1, BM, BN)))\n"
    )
    extents = ("BM", "BN", "BK")
    assert asked["BM"] == mma_use(
        "mma_m", 2, extents, "M", 2, deferrable=True, swappable=True, batch=("B",)
    )
    assert asked["BN"] == mma_use(
        "mma_n", 2, extents, "N", 2, deferrable=True, swappable=True, batch=("B",)
    )


def test_operands_in_the_shape_of_the_result_are_no_epilogue(frontend, asked):
    frontend.analyze(
        "@kernel\ndef f(X: bf16[B, M, K], Y: bf16[B, K, N], Z: f16[3, B, M, N], BM: const = auto,"
        " BN: const = 64):\n"
        "    b, m, n = grid(B, cdiv(M, BM), cdiv(N, BN))\n"
        "    acc = zeros((BM, BN), f32)\n"
        "    for k in range(cdiv(K, 64)):\n"
        "        x = load(X, (b, m, k), (1, BM, 64)).reshape((BM, 64))\n"
        "        y = load(Y, (b, k, n), (1, 64, BN)).reshape((64, BN))\n"
        "        acc = mma(x, y, acc)\n"
        "    store(Z, (0, b, m, n), cast(acc, f16).reshape((1, 1, BM, BN)))\n"
    )
    expected = mma_use("mma_m", 2, ("BM", 64, 64), "M", 2, batch=(3, "B"))
    assert asked == {"BM": replace(expected, n_contiguous=True, deferrable=True, swappable=True)}


def test_tiles_that_the_epilogue_loads(frontend, asked):
    text = MATMUL.replace("C: f16[M, N],", "C: f16[M, N], R: bf16[M, N], S: f32[M, N],")
    row, other = (f"cast(load({name}, (m, n), (BM, BN)), f32)" for name in "RS")
    frontend.analyze(text.replace("cast(acc, f16)", f"cast(acc + {row} + {row} * {other}, f16)"))
    extents = ("BM", "BN", "BK")
    expected = mma_use(
        "mma_m",
        2,
        extents,
        "M",
        2,
        epilogue_bytes=6,
        n_contiguous=True,
        deferrable=True,
        swappable=True,
    )
    assert asked["BM"] == expected


def test_elementwise_takes_the_widest_element(frontend, asked):
    frontend.analyze(
        "@kernel\ndef f(A: bf16[M, N], B: f32[M, N], BM: const = auto, BN: const = 64):\n"
        "    m, n = grid(cdiv(M, BM), cdiv(N, BN))\n"
        "    store(B, (m, n), load(A, (m, n), (BM, BN)) + load(B, (m, n), (BM, BN)))\n"
    )
    assert asked == {"BM": TileUse("elementwise", 4, ("BM", 64), "M", 4)}


def test_through_a_view_and_a_helper(frontend, asked):
    frontend.analyze(
        "@function\ndef get(X, i, B):\n"
        "    v = make_partition_view(X, (B,))\n    return load(v, i)\n"
        "@kernel\ndef f(A: f32[M], BM: const = auto):\n"
        "    m = grid(cdiv(M, BM))\n    store(A, m, get(A, m, BM))\n"
    )
    assert asked["BM"] == TileUse("elementwise", 4, ("BM",), "M", 4)


def test_assertions_and_errors_see_the_chosen_values(frontend, asked):
    (item,) = frontend.failure(MATMUL + "    assert BM > 32, 'no'\n").diagnostics
    assert item.code == "T0402"


def test_constant_that_is_no_extent(frontend, asked):
    text = "@kernel\ndef f(A: f32[M], BM: const = auto):\n    x = load(A, 0, 4)\n"
    assert frontend.failure(text).diagnostics[0].code == "T0405"


def test_an_error_in_the_source_comes_before_that(frontend, asked):
    text = "@kernel\ndef f(A: f32[M], BM: const = auto):\n    x = lod(A, 0, BM)\n"
    assert [item.code for item in frontend.failure(text).diagnostics] == ["T0201"]


def test_without_automatic_constants_there_is_no_planned_cluster(frontend, asked):
    text = MATMUL.replace("BK: const = auto", "BK: const = 64")
    text = text.replace("const = auto", "const = 128")
    metadata = frontend.analyze(text).metadata
    assert not {"planned_cluster", "tile_reasons", "tile_candidates"} & set(metadata)
    assert asked == {}


def test_real_planner(frontend):
    found = frontend.analyze(MATMUL).metadata["constants"]
    assert all(value & (value - 1) == 0 and value >= 16 for value in found.values())


SINGLES = MATMUL.replace("bf16", "f32").replace("C: f16", "C: f32").replace("cast(acc, f16)", "acc")


@pytest.mark.parametrize(
    ("options", "element", "products", "also_live"),
    [
        ("", "f32", 1, ()),
        (", precision='tf32'", "tf32", 1, ()),
        (", precision='tf32x3'", "tf32", 3, ()),
        (", precision='bf16x3', promote=32", "bf16", 3, (("BM", "BN"),)),
    ],
)
def test_options_of_an_mma(frontend, asked, options, element, products, also_live):
    frontend.analyze(SINGLES.replace(", acc)\n    store", f", acc{options})\n    store"))
    use = asked["BM"]
    assert use.element_bytes == 4
    assert use.product == ProductTypes(element, element, "f32")
    assert (use.together.products, use.together.also_live) == (products, also_live)


@pytest.mark.parametrize(("operand", "deferrable"), [("f8e4m3", False), ("bf16", True)])
def test_only_operands_that_lie_as_needed_leave_the_result_waiting(
    frontend, asked, operand, deferrable
):
    frontend.analyze(MATMUL.replace("bf16", operand))
    assert asked["BM"].deferrable is deferrable


def test_a_transposed_operand_of_8_bits_lies_as_needed(frontend, asked):
    source = MATMUL.replace("bf16", "f8e4m3").replace("B: f8e4m3[K, N]", "B: f8e4m3[N, K]")
    frontend.analyze(source.replace("load(B, (n, k), (BK, BN))", "load(B, (n, k), (BN, BK)).T"))
    assert asked["BM"].deferrable


TWICE = """\
@kernel
def f(Q: bf16[M, D], K: bf16[N, D], V: bf16[N, D], O: f32[M, D], L: i32[M], BM: const = auto,
      BN: const = auto):
    m = grid(cdiv(M, BM))
    q, acc = load(Q, (m, 0), (BM, 128)), zeros((BM, 256), f32)
    scores = zeros((BM, BN), f32)
    for n in range(END):
        before = scores
        scores = q @ load(K, (n, 0), (BN, 128)).T
        acc = mma(cast(exp(SOURCE), bf16), load(V, (n, 0), (BN, 256)), acc)
    store(O, (m, 0), acc)
"""


@pytest.mark.parametrize(
    ("end", "source", "expected"),
    [
        ("cdiv(N, BN)", "scores", NextProduct(256)),
        (
            "cdiv(min(N, (m + 1) * BM), BN)",
            "where(scores > 0.0, scores, 1.0)",
            NextProduct(256, True),
        ),
        ("cdiv(load(L, 0, ()), BN)", "scores", NextProduct(256)),
        ("cdiv(N, BN)", "before", None),
    ],
)
def test_a_product_that_needs_another_one_of_its_round(frontend, asked, end, source, expected):
    """What comes from the round before does not need this round."""
    frontend.analyze(TWICE.replace("END", end).replace("SOURCE", source))
    for name in ("BM", "BN"):
        assert asked[name].extents == ("BM", "BN", 128)
        assert asked[name].together.next == expected


def test_three_products_are_no_chain(frontend, asked):
    source = TWICE.replace("END", "cdiv(N, BN)").replace("SOURCE", "scores")
    frontend.analyze(source.replace("        before = scores\n", "        before = q @ q.T\n"))
    assert asked["BN"].together.next is None


WEIGHTS = """\
@kernel
def f(X: bf16[M, K], W: {kind}[N, H], S: bf16[N], Y: bf16[M, N], BM: const = auto, BN: const = auto,
      BK: const = auto):
    m, n = grid(cdiv(M, BM), cdiv(N, BN))
    scale = load(S, n, BN)
    acc = zeros((BM, BN), f32)
    for k in range(cdiv(K, BK)):
        x = load(X, (m, k), (BM, BK))
        w = {weights}
        acc = mma({x}, w.T, acc)
    store(Y, (m, n), cast(acc, bf16))
"""
BYTES = "load(W, (n, k), (BN, BK))"
HALVES = "load(W, (n, k), (BN, BK // 2))[:, :, None]"


@pytest.mark.parametrize(
    ("kind", "weights", "x", "loaded", "computed"),
    [
        ("i8", f"cast({BYTES}, bf16) * scale[:, None]", "x", (2, 1), (False, True)),
        ("i8", f"cast({BYTES}, bf16)", "x * 2.0", (2, 1), (True, True)),
        ("i8", f"cast(cat(({HALVES}, {HALVES}), 2).reshape((BN, BK)), bf16)", "x", (2, 1), None),
        ("u16", f"bitcast({BYTES}, bf16)", "x", (2, 2), (False, True)),
        ("bf16", BYTES, "x", None, (False, False)),
        (
            "bf16",
            "cast(mma(load(W, (n, k), (BN, BK)), x.T, zeros((BN, BM))), bf16)",
            "x.T",
            None,
            (),
        ),
    ],
)
def test_what_computed_operands_are_loaded_from(
    frontend, asked, kind, weights, x, loaded, computed
):
    """Two loads of half of the bytes count twice; a product is no load."""
    frontend.analyze(WEIGHTS.format(kind=kind, weights=weights, x=x))
    together = asked["BN"].together
    assert together.loaded == loaded
    assert together.computed == ((False, True) if computed is None else computed or (False, False))
    assert asked["BN"].swappable == (computed != ())
    assert asked["BN"].deferrable == (weights == BYTES)
    assert together.copied == (False, False)


GATHERED = """\
@kernel
def f(X: bf16[T, K], R: i32[M], W: bf16[N, K], Y: bf16[M, N], BM: const = auto, BN: const = auto,
      BK: const = auto):
    m, n = grid(cdiv(M, BM), cdiv(N, BN))
    rows = load(R, m, BM)[:, None]
    acc = zeros((BM, BN), f32)
    for k in range(cdiv(K, BK)):
        x = gather(X, (rows, k * BK + arange(BK)[None, :]))
        w = load(W, (n, k), (BN, BK))
        acc = mma({a}, {b}, acc)
    store(Y, (m, n), cast(acc, bf16))
"""


@pytest.mark.parametrize(
    ("a", "b", "computed", "copied"),
    [
        ("x", "w.T", (False, False), (True, False)),
        ("w", "x.T", (False, False), (False, True)),
        ("x * 2.0", "w.T", (True, False), (False, False)),
    ],
)
def test_gathered_operands_are_copied(frontend, asked, a, b, computed, copied):
    """But not what threads compute from them."""
    frontend.analyze(GATHERED.format(a=a, b=b))
    together = asked["BK"].together
    assert (together.computed, together.copied) == (computed, copied)
    assert together.loaded == (2, 2)
    assert not asked["BK"].deferrable
