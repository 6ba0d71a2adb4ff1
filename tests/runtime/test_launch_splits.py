"""Launches of few blocks and many k-tiles split tiles along K whose extents are written."""

import os
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilec
from tests.support.gemm_source import gemm_source
from tilec.plan.gemm.launch_splits import best_split
from tilec.plan.split import SPLITS
from tilec.request.specialization import Specialization
from tilec.runtime.launch_variants import next_variant
from tilec.runtime.packaged_variants import pick

DTYPES = {"f32": np.float32, "bf16": ml_dtypes.bfloat16, "f16": np.float16}
TILE: dict[str, Any] = {"rows": 64, "columns": 128}


def compiled(extents, text=None, **given):
    """Return the variant that a product of some extents takes."""
    m, n, k = extents
    text = text or gemm_source(**{**TILE, **given})
    operands, result = given.get("operands", "bf16"), given.get("result", "bf16")
    shapes = (m, k), (k, n)
    arrays = [np.zeros(shape, DTYPES[operands]) for shape in shapes]
    return tilec.loads(text).product.compile(*arrays, np.zeros((m, n), DTYPES[result]))


@pytest.mark.parametrize(
    ("extents", "splits"),
    [
        ((16, 4096, 4096), 4),
        ((64, 4096, 14336), 4),
        ((64, 8192, 4096), 2),
        ((128, 4096, 4096), 2),
        ((256, 4096, 4096), 1),  # 128 blocks
        ((16, 8448, 4096), 1),  # 66 blocks
        ((16, 4096, 2048), 1),  # few k-tiles
        ((4096, 4096, 4096), 1),
    ],
)
def test_a_launch_takes_the_variant_for_its_splits(extents, splits):
    found = compiled(extents)
    assert found.plan["split_k"] == splits
    assert ("k_splits" in found.metadata) == (splits == 1), "launches of other extents ask it"
    assert found.metadata.get("variant") == (f"{splits} splits along K" if splits > 1 else None)
    reasons = [text for text in found.plan["reasons"] if text.startswith("split_k")]
    assert bool(reasons) == (splits > 1)


def test_launches_with_the_same_splits_share_a_variant():
    kernel = tilec.loads(gemm_source(**TILE)).product

    def variant(m, n, k):
        shapes = (m, k), (k, n), (m, n)
        return kernel.compile(*(np.zeros(shape, ml_dtypes.bfloat16) for shape in shapes))

    few, whole, others = (variant(m, 4096, k) for m, k in ((16, 4096), (4096, 4096), (64, 8192)))
    assert few is others
    assert whole is not few
    assert variant(4096, 4096, 8192) is whole


@pytest.mark.parametrize(
    "hints",
    [
        "split_k=1",
        "split_k=2",
        "persistent=False",
        "cluster=(2, 1)",
        "pingpong=True",
        "snake_k=True",
        "defer_stores=True",
        "stages=3",
    ],
)
def test_what_the_user_fixes_holds(hints):
    """Fields that go with splits leave them to the launch."""
    plan = compiled((128, 2048, 4096), rows=128, hints=hints).plan
    expected = {"split_k=2": 2, "stages=3": 3}.get(hints, 1)
    assert plan["split_k"] == expected


@pytest.mark.parametrize(
    ("operands", "result", "splits"),
    [("f16", "f16", 4), ("bf16", "f32", 4)],
)
def test_types(operands, result, splits):
    assert compiled((16, 4096, 4096), operands=operands, result=result).plan["split_k"] == splits


def test_whole_numbers():
    text = gemm_source(operands="i8", result="i32", depth=128, **TILE)
    text = text.replace("load(B, (k, n), (128, 128))", "load(B, (n, k), (128, 128)).T")
    text = text.replace("B: i8[K, N]", "B: i8[N, K]").replace("f32)", "i32)")
    arrays = [np.zeros(shape, np.int8) for shape in ((64, 8192), (4096, 8192))]
    found = tilec.loads(text).product.compile(*arrays, np.zeros((64, 4096), np.int32))
    assert found.plan["split_k"] == 4


WHOLE: dict[str, dict[str, Any]] = {
    "a store in the loop": {"after": ["for i in range(2):", "    acc = acc * 2.0"]},
    "no zeros": {"first": "zeros((64, 128), f32) + 1.0"},
    "scaled sums": {"text": ("acc = mma(", "acc = acc * 0.5\n        acc = mma(")},
    "bounds of the block": {"text": ("cdiv(K, 64)", "m + cdiv(K, 64)")},
    "a scalar": {"text": ("cdiv(K, 64)", "COUNT"), "scalars": ["COUNT: i32"]},
}


@pytest.mark.parametrize("given", WHOLE.values(), ids=list(WHOLE))
def test_tiles_that_stay_whole(given):
    """Those that cannot be split, and those whose k-tiles a launch cannot count."""
    old, new = given.get("text", ("", ""))
    others = {name: value for name, value in given.items() if name != "text"}
    text = gemm_source(**TILE, **others).replace(old, new, 1 if old else 0)
    shapes = (16, 4096), (4096, 4096), (16, 4096)
    arrays = [np.zeros(shape, ml_dtypes.bfloat16) for shape in shapes]
    found = tilec.loads(text).product.compile(*arrays, *([3] if "scalars" in given else []))
    assert found.plan["split_k"] == 1


def test_products_of_one_sum():
    """Two in a k-tile, each of half of K."""
    text = gemm_source(inputs=["E: bf16[M, K]", "F: bf16[K, N]"], **TILE)
    first = "acc = mma(load(A, (m, k), (64, 64)), load(B, (k, n), (64, 128)), acc)"
    second = first.replace("load(A", "load(E").replace("load(B", "load(F")
    text = text.replace(first, f"{first}\n        {second}")
    for n, splits in ((4096, 4), (16384, 1)):
        shapes = (16, 4096), (4096, n), (16, 4096), (4096, n), (16, n)
        arrays = [np.zeros(shape, ml_dtypes.bfloat16) for shape in shapes]
        found = tilec.loads(text).product.compile(*arrays)
        assert found.plan["split_k"] == splits
        assert "k_splits" not in found.metadata or found.metadata["k_splits"]["products"] == 2


def test_an_epilogue_runs_on_whole_sums():
    found = compiled((16, 4096, 4096), after=["acc = acc * acc + 1.0"])
    assert found.plan["split_k"] == 4


def test_the_matrices_of_a_batch_count_as_blocks():
    kernel = tilec.loads(gemm_source(batched=True, **TILE)).product
    for batch, splits in ((4, 4), (20, 1)):
        shapes = (batch, 16, 4096), (batch, 4096, 1024), (batch, 16, 1024)
        arrays = [np.zeros(shape, ml_dtypes.bfloat16) for shape in shapes]
        assert kernel.compile(*arrays).plan["split_k"] == splits


def test_auto_tiles_decide_for_themselves():
    text = gemm_source(rows="BM", columns="BN", depth="BK")
    text = text.replace("[M, N])", "[M, N], BM: const = auto, BN: const = auto, BK: const = auto)")
    for extents in ((16, 4096, 4096), (4096, 4096, 4096)):
        assert "k_splits" not in compiled(extents, text).metadata


def test_splits_are_said(run_tilec):
    words = ("compile", "-", "--emit", "nv_tileas", "--remarks", "-o", "-")
    shown = run_tilec(*words, stdin=gemm_source(**TILE)).stderr
    assert "launches of few blocks and many k-tiles take variants that split tiles along K" in shown
    package = ("compile", "-", "--emit", "package", "--no-ptxas", "--remarks", "-o", os.devnull)
    shown = run_tilec(*package, stdin=gemm_source(**TILE)).stderr
    assert "a package has one only for given sizes" in shown
    size = ("--size", "M=16,N=4096,K=4096")
    assert "split_k = 4: there are" in run_tilec(*words, *size, stdin=gemm_source(**TILE)).stderr


def test_a_package_splits_tiles_for_given_sizes():
    text = gemm_source(**TILE)
    (variant,) = tilec.compile(text, sizes={"M": 16, "N": 4096, "K": 4096}).product.variants
    assert variant.metadata["split_k"] == 4
    made = tilec.compile(text)
    (variant,) = made.product.variants
    assert "split_k" not in variant.metadata
    said = [item.message for item in made.remarks if item.code == "T0433"]
    assert any("a package has one only for given sizes" in message for message in said)
    assert pick([variant.metadata], {"M": 16, "N": 4096, "K": 4096}) == 0


@pytest.mark.parametrize("grid", [(1, 1), (1, 8), (2, 8), (4, 16), (65, 1), (8, 8)])
@pytest.mark.parametrize("rounds", [1, 48, 64, 1000])
def test_the_model_of_auto_tiles_answers(grid, rounds):
    rule = compiled((4096, 4096, 4096)).metadata["k_splits"]
    splits = best_split(rule, grid, rounds, "H100")
    assert splits in SPLITS
    assert splits == 1 or splits * grid[0] * grid[1] <= 132
    assert (splits == 1) == (rounds == 1), "launches of few blocks and many k-tiles are split"


def test_an_empty_launch_takes_no_splits():
    metadata = compiled((4096, 4096, 4096)).metadata
    for sizes in ({"M": 0, "N": 64, "K": 8192}, {"M": 64, "N": 64, "K": 0}, {"M": 64}):
        asked = Specialization(sizes=sizes)
        assert next_variant(metadata, asked) is None
