"""Launches of few blocks and of few rounds take variants of their own."""

import re

import ml_dtypes
import numpy as np
import pytest

import tilec
from tilec.request.specialization import Specialization
from tilec.runtime.launch_variants import next_variant

SOURCE = """@kernel
def sums[M](X: bf16[M, N], S: f32[N], FIRST: i32, N: const, BM: const = 256):
    n = grid(cdiv(N, 32))
    total = zeros((BM, 32), f32)
    for i in range({bounds}):
        total += cast(load(X, (i, n), (BM, 32)), f32)
    store(S, n, sum(total, axis=0))
"""
RULE = {"rounds": "cdiv(M, 256)", "least": 16}


def plan_of(rows, bounds="cdiv(M, BM)", hints=""):
    """Return the plan and the metadata of the variant for a launch of so many rows."""
    text = SOURCE.format(bounds=bounds).replace("@kernel", f"@kernel({hints})")
    x, s = np.zeros((rows, 256), ml_dtypes.bfloat16), np.zeros(256, np.float32)
    found = tilec.loads(text).sums.compile(x, s, 0, 256)
    return found.plan, found.metadata


@pytest.mark.parametrize(
    ("rows", "shared"), [(100, False), (15 * 256, False), (15 * 256 + 1, True)]
)
def test_a_launch_takes_the_variant_for_its_rounds(rows, shared):
    plan, metadata = plan_of(rows)
    assert plan["share_rounds"] == shared
    assert (plan["spread"] > 1) == shared
    assert ("shared_rounds" in metadata) == shared
    assert any("share_rounds = false" in reason for reason in plan["reasons"]) != shared


def test_both_variants_are_kept():
    text = SOURCE.format(bounds="cdiv(M, BM)")
    kernel, s = tilec.loads(text).sums, np.zeros(256, np.float32)
    found = [
        kernel.compile(np.zeros((rows, 256), ml_dtypes.bfloat16), s, 0, 256)
        for rows in (100, 100_000, 200, 200_000)
    ]
    assert found[0] is found[2]
    assert found[1] is found[3]
    assert found[0] is not found[1]


@pytest.mark.parametrize(
    ("bounds", "rounds"),
    [
        ("1, cdiv(M, BM)", "(((M + 255) // 256) - 1)"),
        ("0, cdiv(M, BM), 2", "cdiv(((M + 255) // 256), 2)"),
        ("FIRST, cdiv(M, BM)", "(((M + 255) // 256) - FIRST)"),
    ],
)
def test_rounds_are_counted_by_the_bounds_of_the_loop(bounds, rounds):
    """Those that start at a scalar are not counted here, so launches share them."""
    assert plan_of(100_000, bounds)[1]["shared_rounds"] == {"rounds": rounds, "least": 16}
    assert plan_of(100, bounds)[0]["share_rounds"] == ("FIRST" in bounds)


def test_what_the_user_fixes_holds_for_all_launches():
    for rows in (100, 100_000):
        plan, metadata = plan_of(rows, hints="share_rounds=True")
        assert plan["share_rounds"]
        assert "shared_rounds" not in metadata
        assert not plan_of(rows, hints="share_rounds=False")[0]["share_rounds"]


@pytest.mark.parametrize(
    ("metadata", "sizes", "disabled"),
    [
        ({}, {"M": 1}, ()),
        ({"shared_rounds": RULE}, {"M": 4096}, ()),
        ({"shared_rounds": RULE}, {"K": 1}, ()),
        ({"shared_rounds": RULE}, {"M": 1}, ("share_rounds",)),
    ],
)
def test_a_kernel_that_is_right_as_it_is(metadata, sizes, disabled):
    asked = Specialization(sizes=sizes, disabled=frozenset(disabled))
    assert next_variant(metadata, asked) is None


ANY = (
    SOURCE.replace("def sums[M]", "def sums[M, N]")
    .replace("N: const, ", "")
    .replace("{bounds}", "cdiv(M, BM)")
)


@pytest.mark.parametrize(
    ("rows", "columns", "planned", "spread", "stages"),
    [
        (100_000, 256, 8, 8, 6),
        (100_000, 270, 12, 8, 4),
        (100, 256, 8, 1, 14),
        (100, 2048, 64, 1, 6),
        (100, 2080, None, 1, 4),
    ],
)
def test_a_launch_of_few_blocks_takes_the_variant_for_them(rows, columns, planned, spread, stages):
    """Of 8, of 9 like those of 12, of 64, and of 65 like those of any number."""
    x, s = np.zeros((rows, columns), ml_dtypes.bfloat16), np.zeros(columns, np.float32)
    x = np.zeros((rows, -(-columns // 8) * 8), ml_dtypes.bfloat16)[:, :columns]
    found = tilec.loads(ANY).sums.compile(x, s, 0)
    assert found.metadata.get("most_blocks") == planned
    assert ("few_blocks" in found.metadata) == (planned is None)
    assert (found.plan["spread"], found.plan["stages"]) == (spread, stages)


@pytest.mark.parametrize("emit", ["nv_tileas", "llvm", "llvmir", "plan"])
def test_every_stage_is_that_of_the_same_variant(run_tilec, emit):
    made = run_tilec("compile", "-", "--size", "M=100,N=256", "--emit", emit, stdin=ANY)
    assert re.search(r'\bstages"? ?[=:] ?14\b', made.stdout.decode()), made.stderr


@pytest.mark.parametrize(
    "change",
    [
        {"few_blocks": 0},
        {"grid": ["cdiv(N, 32)"]},
        {"grid": ["M * 100"]},
        {"grid": ["M - 8192"]},
        {"grid": ["unknown"]},
    ],
)
def test_other_launches_take_the_variant_for_any_number(change):
    metadata = {"few_blocks": 66, "grid": ["cdiv(M, 1024)"]}
    asked = Specialization(sizes={"M": 8192, "N": 4096})
    planned = next_variant(metadata, asked)
    assert planned is not None
    assert planned.most_blocks == 8
    assert next_variant(metadata, planned) is None
    assert next_variant(metadata | change, asked) is None


def test_other_fields_that_are_given_up_stay_so():
    asked = Specialization(sizes={"M": 1}, disabled=frozenset({"stream_tail"}))
    other = next_variant({"shared_rounds": RULE}, asked)
    assert other is not None
    assert other.disabled == {"stream_tail", "share_rounds"}
