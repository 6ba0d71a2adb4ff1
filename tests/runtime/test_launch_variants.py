"""Launches of few blocks and of few rounds take variants of their own."""

import json
import re

import ml_dtypes
import numpy as np
import pytest

import tilec
from tilec.compiler import driver
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.runtime import stored_kernels
from tilec.runtime.launch_variants import next_variant, planned_numbers

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
        (100, 2080, 66, 1, 6),
        (100, 2112, 66, 1, 6),
        (100, 2144, None, 1, 4),
    ],
)
def test_a_launch_of_few_blocks_takes_the_variant_for_them(rows, columns, planned, spread, stages):
    """Of 8, of 9 like those of 12, of 64, of 65 and 66, and of 67 like those of any number."""
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


@pytest.mark.parametrize(
    ("most", "blocks", "planned"),
    [(66, 66, 66), (66, 64, 64), (66, 57, 64), (57, 57, 57), (57, 56, 56), (1, 1, 1), (66, 67, 0)],
)
def test_the_largest_number_is_that_of_the_kernel(most, blocks, planned):
    asked = Specialization(sizes={"M": blocks})
    other = next_variant({"few_blocks": most, "grid": ["M"]}, asked)
    assert (other.most_blocks if other else 0) == planned
    assert planned_numbers(most)[-1] == most


@pytest.fixture
def steps(monkeypatch, tmp_path):
    """Record how far each compilation goes, with an empty kernel cache."""
    monkeypatch.setenv("TILEC_CACHE", "1")
    monkeypatch.setenv("TILEC_CACHE_DIR", str(tmp_path))
    made = []

    def counting(self, module, checks):
        made.append(self.specialization.variant or "any launch")
        return finish(self, module, checks)

    def planning(self, stage, position, module):
        if stage.passes[position] == "nv-tileas-plan-kernel":
            made.append("plan")
        return run_pass(self, stage, position, module)

    finish, run_pass = driver._Steps._finish, driver._Steps._run_pass
    monkeypatch.setattr(driver._Steps, "_finish", counting)
    monkeypatch.setattr(driver._Steps, "_run_pass", planning)
    return made


FEW, MANY = (100, 256), (100, 2144)
"""Extents of launches: of 8 blocks and few rounds, and of 67 blocks."""


def compile_any(kernel, extents):
    arrays = np.zeros(extents, ml_dtypes.bfloat16), np.zeros(extents[1], np.float32)
    return kernel.compile(*arrays, 0)


def test_only_what_a_launch_takes_is_compiled(steps):
    kernel = tilec.loads(ANY).sums
    first = compile_any(kernel, FEW)
    assert steps == ["plan", "plan", "plan", "at most 8 blocks, without share_rounds"]
    assert first.metadata["variant"] == first.plan["variant"] == steps[-1]
    steps.clear()
    assert compile_any(kernel, (112, 240)) is not first, "its rows are divisible by 16"
    assert compile_any(kernel, (90, 240)) is first
    steps.clear()
    assert "variant" not in compile_any(kernel, MANY).metadata
    assert compile_any(kernel, FEW) is first
    assert steps == ["plan", "any launch"]


def test_another_process_finds_what_a_launch_takes(steps):
    made = compile_any(tilec.loads(ANY).sums, FEW)
    steps.clear()
    again = compile_any(tilec.loads(ANY).sums, FEW)
    assert (again.ptx, again.metadata) == (made.ptx, made.metadata)
    assert steps == []
    compile_any(tilec.loads(ANY).sums, MANY)
    assert steps == ["plan", "any launch"]


def test_damaged_rules_are_made_again(steps, monkeypatch):
    monkeypatch.setattr(stored_kernels, "_rules_key", lambda key: "rules")
    cache = stored_kernels.DiskCache()
    entries = {}
    monkeypatch.setattr(cache, "read", entries.get)
    monkeypatch.setattr(cache, "write", entries.__setitem__)
    program, options = tilec.loads(ANY).sums.text.program, CompileOptions()
    sizes: dict[str, int] = dict(zip("MN", FEW, strict=True))
    parts = program, "sums", Specialization(sizes=sizes), options
    for damage in (b"", b"{", b'{"few_blocks": 0}', b'{"grid": 1}', b'{"other": 1}'):
        entries["rules"] = damage
        assert stored_kernels.obtain_kernel(cache, *parts).artifact is None
        assert json.loads(entries["rules"])["few_blocks"] == 66
    steps.clear()
    assert stored_kernels.obtain_kernel(cache, *parts).rules["few_blocks"] == 66
    assert steps == []


def test_other_fields_that_are_given_up_stay_so():
    asked = Specialization(sizes={"M": 1}, disabled=frozenset({"stream_tail"}))
    other = next_variant({"shared_rounds": RULE}, asked)
    assert other is not None
    assert other.disabled == {"stream_tail", "share_rounds"}


@pytest.mark.parametrize(
    ("facts", "title"),
    [
        ({}, ""),
        ({"most_blocks": 1}, "one block"),
        ({"most_blocks": 12}, "at most 12 blocks"),
        ({"most_blocks": 2, "disabled": frozenset("ba")}, "at most 2 blocks, without a and b"),
        ({"relaxed": True}, "without the fields that were fixed"),
    ],
)
def test_the_title_of_a_variant(facts, title):
    assert Specialization(**facts).variant == title


def test_ir_that_is_printed_has_the_title_of_its_variant(run_tilec):
    words = ("--size", "M=100,N=256", "--emit", "nv_tileas", "--print-ir-after", "cse")
    shown = run_tilec("compile", "-", *words, stdin=ANY).stderr
    titles = re.findall(r"IR after cse \((.*)\)", shown)
    few = "at most 8 blocks"
    assert titles == [
        *("cuda_tile", "nv_tileaa"),
        *(f"cuda_tile; {few}", f"nv_tileaa; {few}"),
        *(f"cuda_tile; {few}, without share_rounds", f"nv_tileaa; {few}, without share_rounds"),
    ]
