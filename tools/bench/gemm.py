"""Benchmark of matrix products: tilec against cuBLAS (through torch), correctness first.

Usage: python -m tools.bench.gemm [--set SET] [--rounds N] [--seconds S] [--json FILE]

Every case is checked against an f32 product of the same operands before it is timed.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

import tilec
from tools.bench.measure import gpu_state, interleave, operand_sets, summarise

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
LAYOUTS = ("NN", "NT", "TN", "TT")


@dataclass(frozen=True)
class Case:
    """One product: sizes, element type and operand layouts (N row-major, T column-major)."""

    m: int
    n: int
    k: int
    dtype: str = "bfloat16"
    layout: str = "NN"

    def __str__(self) -> str:
        return f"{self.m}x{self.n}x{self.k} {self.dtype} {self.layout}"


SETS: dict[str, tuple[Case, ...]] = {
    "quick": (Case(8192, 8192, 8192), Case(4096, 4096, 4096), Case(1024, 1024, 1024)),
    "large": tuple(Case(n, n, n, layout=x) for n in (8192, 4096) for x in LAYOUTS),
    "huge": (Case(16384, 16384, 16384),),
    "short": tuple(Case(8192, 8192, k) for k in (512, 1024, 2048)),
    "small": tuple(Case(n, n, n) for n in (2048, 1024, 512)),
    "fp16": (Case(8192, 8192, 8192, "float16"), Case(4096, 4096, 4096, "float16")),
    "odd": (Case(4095, 4104, 4104), Case(1000, 1000, 1000), Case(4096, 4096, 4001)),
}


def operands(torch: Any, case: Case, sets: int) -> Iterator[tuple[Any, Any, Any]]:
    """Yield random operands and a poisoned result, `sets` times."""
    dtype = getattr(torch, case.dtype)

    def matrix(rows: int, columns: int, order: str) -> Any:
        shape = (rows, columns) if order == "N" else (columns, rows)
        data = torch.randn(shape, device="cuda").to(dtype)
        return data if order == "N" else data.T

    for _ in range(sets):
        a = matrix(case.m, case.k, case.layout[0])
        b = matrix(case.k, case.n, case.layout[1])
        yield a, b, torch.full((case.m, case.n), float("nan"), device="cuda", dtype=dtype)


def check(torch: Any, kernel: Any, a: Any, b: Any, c: Any) -> float:
    """Return the relative error of the kernel against an f32 product; NaN never passes."""
    kernel(a, b, c)
    expected = a.float() @ b.float()
    error = ((c.float() - expected).norm() / expected.norm()).item()
    limit = 2.0 ** (-8 if c.dtype == torch.bfloat16 else -10)
    if not error < limit:
        raise SystemExit(f"wrong result: relative error {error}, limit {limit}")
    return error


def run_case(torch: Any, case: Case, rounds: int, seconds: float) -> dict[str, Any]:
    """Check and time one case."""
    kernel = tilec.load(EXAMPLES / "matmul.tile").matmul
    size = torch.finfo(getattr(torch, case.dtype)).bits // 8
    total = size * (case.m * case.k + case.k * case.n + case.m * case.n)
    data = list(operands(torch, case, operand_sets(total)))
    error = check(torch, kernel, *data[0])
    samples = interleave(
        torch,
        {
            "tilec": lambda i: kernel(*data[i]),
            "cublas": lambda i: torch.mm(data[i][0], data[i][1], out=data[i][2]),
        },
        len(data),
        rounds,
        seconds,
    )
    work = 2e-9 * case.m * case.n * case.k
    plan = kernel.compile(*data[0])
    return {
        "case": asdict(case),
        "error": error,
        "tflops": {name: work / sample.median for name, sample in samples.items()},
        "ratio": summarise(samples["tilec"].ratios(samples["cublas"])),
        "constants": plan.metadata["constants"],
        "plan": {key: value for key, value in plan.plan.items() if key != "reasons"},
    }


def main() -> int:
    """Run the chosen sets and print a table."""
    import torch  # pyright: ignore[reportMissingImports] - only a benchmark needs it

    parser = argparse.ArgumentParser(description="GEMM: tilec against cuBLAS")
    parser.add_argument("--set", action="append", choices=sorted(SETS), dest="sets")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = True
    cases = [case for name in options.sets or ["quick"] for case in SETS[name]]
    report: dict[str, Any] = {
        "date": date.today().isoformat(),
        "torch": torch.__version__,
        "tilec": tilec.__version__,
        "gpu": gpu_state(),
        "results": [],
    }
    print(f"{'case':<32}{'tilec':>9}{'cuBLAS':>9}  ratio (min..max)     tile, plan")
    for number, case in enumerate(cases, 1):
        print(f"\r[{number}/{len(cases)}] {case}", end="", file=sys.stderr)
        result = run_case(torch, case, options.rounds, options.seconds)
        report["results"].append(result)
        print("\r" + " " * 60 + "\r", end="", file=sys.stderr)
        print(format_row(case, result), flush=True)
        torch.cuda.empty_cache()
    report["gpu_after"] = gpu_state()
    if options.json:
        options.json.write_text(json.dumps(report, indent=1))
    return 0


def format_row(case: Case, result: dict[str, Any]) -> str:
    """Return one line of the table."""
    ratio, constants, plan = result["ratio"], result["constants"], result["plan"]
    tile = "x".join(str(constants[name]) for name in ("BM", "BN", "BK"))
    return (
        f"{case!s:<32}{result['tflops']['tilec']:9.1f}{result['tflops']['cublas']:9.1f}"
        f"  {ratio['median']:.3f} ({ratio['min']:.3f}..{ratio['max']:.3f})"
        f"  {tile} stages {plan['stages']}"
    )


if __name__ == "__main__":
    raise SystemExit(main())
