"""Random matrix products with random epilogues and plans on the emulator.

Each is compared with the CPU reference.

    python -m tools.emulator.fuzz --products --first 1 --seconds 600

runs one seed after the other until the time is up, and prints the source and the arguments of every
kernel that went wrong. A seed always makes the same kernel, order of events included. Plans that
tilec refuses, since fields contradict each other, are counted and skipped: that they are refused
with a proper error is part of the test. ptxas is left out: the emulator minds no spills.
"""

import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import tilec
from tilec.plan.machine import MMA_ROWS
from tilec.runtime.cuda.current import set_driver
from tilec.support.diagnostics import TileError
from tilec.testing.check import compare, make_arguments
from tools.emulator.device import EmulatedDriver, launch_copies

SOURCE = """@kernel({hints})
def product[M, N, K](A: {operand}[M, K], B: {operand}[K, N], C: {result}[M, N]{parameters}):
    m, n = grid(cdiv(M, {rows}), cdiv(N, {columns}))
    acc = zeros(({rows}, {columns}), f32)
    for k in range({bounds}):
        a = load(A, (m, k), ({rows}, {depth}))
        b = load(B, (k, n), ({depth}, {columns}))
        acc = mma(a, b, acc)
{epilogue}    store(C, (m, n), cast(acc, {result}))
"""
EPILOGUES = (
    ("", ""),
    ("", ""),
    (
        ", bias: {other}[N]",
        "    acc = acc + cast(load(bias, n, {columns}), f32)[None, :]\n",
    ),
    (
        ", R: {other}[M, N]",
        "    acc = acc + cast(load(R, (m, n), ({rows}, {columns})), f32)\n",
    ),
    (
        ", bias: {operand}[N], R: {other}[M, N]",
        "    x = acc + cast(load(bias, n, {columns}), f32)[None, :]\n"
        "    r = cast(load(R, (m, n), ({rows}, {columns})), f32)\n"
        "    acc = x * (1.0 + tanh(x)) + r\n",
    ),
    (
        ", R: {other}[M, N]",
        "    x = cast(cast(acc, {operand}), f32)\n"
        "    acc = x * x + cast(load(R, (m, n), ({rows}, {columns})), f32)\n",
    ),
    (
        ", bias: {operand}[N], R: {other}[M, N], S: {operand}[M, N]",
        "    x = cast(acc + cast(load(bias, n, {columns}), f32)[None, :], {operand})\n"
        "    r = cast(load(R, (m, n), ({rows}, {columns})), f32)\n"
        "    s = load(S, (m, n), ({rows}, {columns}))\n"
        "    acc = tanh(cast(x * s, f32)) + r\n",
    ),
    (", scale: f32", "    acc = acc * scale\n"),
    (
        ", D: {operand}[M, N]",
        "    store(D, (m, n), cast(acc * 2.0, {operand}))\n",
    ),
)
"""More parameters of the kernel, and what stands between the loop and its store."""
BOUNDS = (
    *["cdiv(K, {depth})"] * 7,
    "1, cdiv(K, {depth})",
    "0, cdiv(K, {depth}), 2",
    "1, cdiv(K, {depth}), 3",
)
"""What the loop over k-tiles counts, mostly all of them."""
ROWS = (8, 40, 64, 64, 64, 128, 128, 192, 200)
COLUMNS = (16, 32, 48, 64, 64, 80, 96, 112, 128, 144)
SLICES = (64, 64, 128, 192)
"""Columns of a tile whose rows are no slices of wgmma: it computes the transpose."""
DEPTHS = (16, 32, 64, 64, 64, 128)
FIELDS: tuple[tuple[str, float, tuple[Any, ...]], ...] = (
    ("stages", 0.4, (1, 2, 3, 4, 5)),
    ("cluster", 0.3, ((1, 2), (2, 1), (2, 2), (4, 1))),
    ("pingpong", 0.3, (True,)),
    ("mma_pending", 0.3, (0, 1)),
    ("epilogue_slots", 0.3, (0, 1, 2, 3, 4)),
    ("epilogue_batch", 0.15, (1, 2, 4)),
    ("epilogue_stages", 0.1, (1, 2)),
    ("epilogue_pace", 0.1, (0, 10)),
    ("slice_columns", 0.1, (0, 16, 32, 64)),
    ("specialize", 0.1, (False,)),
    ("persistent", 0.15, (False,)),
    ("split_k", 0.2, (2, 3, 4)),
    ("stream_results", 0.1, (True,)),
    ("consumers", 0.15, (1, 2, 3)),
    ("tile_group", 0.2, (0, 1, 2, 8)),
    ("fill_gpu", 0.2, (True,)),
    ("defer_stores", 0.2, (True,)),
    ("defer_work", 0.1, (False,)),
    ("snake_k", 0.1, (False,)),
)
"""Fields of the plan: how often each is fixed, and its values."""
LAYOUTS = ("row", "col", "odd", "odd_col")
MULTIPROCESSORS = (1, 2, 3, 4, 5, 8)
MOST_WORK = 10_000_000
"""Multiply-adds of a product: they take seconds."""
ROUNDED = "x = cast("
"""What an epilogue that rounds its tile on the way has."""
TIES = 2**17
"""Tolerance where it does: sums on two sides of a tie come out 2^-8 apart, and are squared."""
TERMS = 4
"""Tolerance in roundings, for each product of a sum: operands of 16 bits, and a tanh after it."""


@dataclass(frozen=True)
class RandomProduct:
    """A kernel and its arguments.

    Attributes:
        seed: What it was made from; it also decides the order of events and the data.
        source: The `.tile` file.
        sizes: Extents by dim.
        layouts: Layouts of the arrays that are not row-major.
        multiprocessors: SMs of the device.
        roundings: Tolerance of a result; None for `TERMS` for each of its products.
    """

    seed: int
    source: str
    sizes: dict[str, int]
    layouts: dict[str, str]
    multiprocessors: int
    roundings: int | None = None

    def __str__(self) -> str:
        """Return what repeats the run."""
        return (
            f"seed {self.seed}: {self.sizes}, {self.layouts}, {self.multiprocessors} SMs\n"
            f"{self.source}"
        )


def random_product(seed: int) -> RandomProduct:
    """Return the product of a seed."""
    random = Random(seed)
    rows = random.choice(ROWS)
    columns = random.choice(SLICES if rows % MMA_ROWS else COLUMNS)
    tile = {"M": rows, "N": columns, "K": random.choice(DEPTHS)}
    fixed = {name: random.choice(v) for name, often, v in FIELDS if random.random() < often}
    if any(extent & extent - 1 for extent in tile.values()):
        fixed["any_tile_extents"] = True
    operand = random.choice(("bf16", "f16"))
    names = {
        "rows": tile["M"],
        "columns": tile["N"],
        "depth": tile["K"],
        "operand": operand,
        "result": random.choice((operand, "f32")),
        "other": random.choice((operand, "f32")),
    }
    texts = random.choice(EPILOGUES)
    parameters, epilogue = (text.format(**names) for text in texts)
    roundings = TIES if ROUNDED in texts[1] else None
    bounds = random.choice(BOUNDS).format(**names)
    source = SOURCE.format(
        hints=", ".join(f"{name}={value}" for name, value in fixed.items()),
        bounds=bounds,
        parameters=parameters,
        epilogue=epilogue,
        **names,
    )
    sizes = {name: _extent(random, tile[name]) for name in "MNK"}
    if sizes["M"] * sizes["N"] * sizes["K"] > MOST_WORK:
        sizes["K"] = -(-sizes["K"] // 4)
    layouts = {name: random.choice(LAYOUTS) for name in "ABC" if random.random() < 0.4}
    multiprocessors = random.choice(MULTIPROCESSORS)
    return RandomProduct(seed, source, sizes, layouts, multiprocessors, roundings)


def _extent(random: Random, tile: int) -> int:
    """Return whole tiles, some tiles and a piece, or less than one."""
    whole = tile * random.randint(1, 3)
    return random.choice((whole, whole - random.choice((1, 7, 8, 9)), random.randint(1, tile)))


def run_product(case: RandomProduct, folder: Path) -> None:
    """Compile a product, run it and compare it with the CPU reference.

    Args:
        case: The product.
        folder: For the source.

    Raises:
        TileError: tilec refuses it.
        AssertionError: A result is wrong, or memory outside of an array was written.
        Exception: Whatever else a defect raises.
    """
    device = EmulatedDriver(case.seed, case.multiprocessors)
    previous = set_driver(device)
    try:
        path = folder / f"product{case.seed}.tile"
        path.write_text(case.source)
        kernel = tilec.load(path)["product"]
        inputs = make_arguments(kernel.signature, case.sizes, layouts=case.layouts, seed=case.seed)
        with patch("tilec.codegen.tools.find_tool", return_value=None):
            metadata = kernel.compile(**inputs.data(), **inputs.scalars).metadata
        outputs = [item["name"] for item in metadata["arrays"] if item["access"] != "read"]
        inputs.poison(outputs)
        expected, found = inputs.copy(), inputs.copy()
        kernel(**expected.data(), **expected.scalars)
        launch_copies(device, kernel, found)
    finally:
        set_driver(previous)
    terms = dict.fromkeys(outputs, case.roundings or TERMS * case.sizes["K"])
    result = compare(found.data(), {name: expected.data()[name] for name in outputs}, terms)
    assert result.ok, str(result)
    for name, array in found.arrays.items():
        assert array.stray_writes(inputs.arrays[name].memory) == 0, f"writes outside of {name}"


def main(first: int, count: int | None, seconds: float | None) -> int:
    """Run seeds until the time is up, or there were enough; 1 when something went wrong."""
    end = time.monotonic() + (60.0 if seconds is None else seconds)
    seed, right, refused, wrong = first, 0, 0, 0
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.dict(os.environ, {"TILEC_CACHE_DIR": folder}),
    ):
        while seed == first or (time.monotonic() < end and seed - first != count):
            case = random_product(seed)
            try:
                run_product(case, Path(folder))
                right += 1
            except TileError:
                refused += 1
            except Exception as failure:  # whatever a defect raises
                wrong += 1
                print(f"{case}\n{type(failure).__name__}: {failure}\n", flush=True)
            seed += 1
    print(f"seeds {first} to {seed - 1}: {right} right, {wrong} wrong, {refused} refused")
    return 1 if wrong else 0
