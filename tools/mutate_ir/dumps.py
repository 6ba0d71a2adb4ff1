"""The dumps that are edited: small kernels that have every kind of operation, at every stage."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tilec.compiler.driver import compile_source
from tilec.request.options import RESUME_CHOICES, CompileOptions
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import SourceFile

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
_SUFFIXES = {".ll": "llvmir", ".ptx": "ptx"}


@dataclass(frozen=True)
class Seed:
    """A kernel to dump: an example, its constants and fields of its plan."""

    example: str
    constants: dict[str, int] = field(default_factory=dict)
    plan: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Dump:
    """One dump: where it came from and its text."""

    kernel: str
    stage: str
    name: str
    text: str


_SMALL = {"BM": 128, "BN": 128, "BK": 64}
SEEDS = (
    Seed("vector_add"),
    Seed("copy_3d"),
    Seed("matmul", {"BM": 64, "BN": 64, "BK": 64}, {"specialize": 0}),
    Seed("matmul", _SMALL, {"cluster": (2, 1)}),
    Seed("matmul", _SMALL, {"cluster": (1, 1), "split_k": 2}),
    Seed("linear", _SMALL, {"cluster": (1, 1)}),
    Seed("matmul_bias_gelu", _SMALL, {"cluster": (1, 1)}),
)


def make_dumps(folder: Path, seeds: tuple[Seed, ...] = SEEDS) -> dict[str, list[Dump]]:
    """Compile kernels and return their dumps by stage.

    Args:
        folder: An empty folder, for the files.
        seeds: The kernels.
    """
    found: dict[str, list[Dump]] = {stage: [] for stage in RESUME_CHOICES}
    for number, seed in enumerate(seeds):
        path = EXAMPLES / f"{seed.example}.tile"
        target = folder / str(number)
        compile_source(
            SourceFile(path.name, path.read_text()),
            specialization=Specialization(constants=seed.constants, plan=seed.plan),
            options=CompileOptions(emit="ptx", dump_directory=target, run_ptxas=False),
        )
        for dump in _read(f"{number}-{seed.example}", target):
            found[dump.stage].append(dump)
    return found


def _read(kernel: str, folder: Path) -> Iterator[Dump]:
    for path in sorted(folder.iterdir()):
        if path.suffix == ".mlir":
            yield Dump(kernel, path.name.split("-")[1], path.name, path.read_text())
        elif path.suffix in _SUFFIXES:
            yield Dump(kernel, _SUFFIXES[path.suffix], path.name, path.read_text())
