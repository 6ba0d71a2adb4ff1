"""Random command lines: words of right ones that are dropped, doubled, exchanged or spoiled."""

from collections.abc import Sequence
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[2]
_EXAMPLE = str(ROOT / "examples" / "copy_2d.tile")
_MATMUL = str(ROOT / "examples" / "matmul.tile")
_PYTHON = str(ROOT / "examples" / "python_kernel.py")
RIGHT: tuple[tuple[str, ...], ...] = (
    ("compile", _EXAMPLE, "-o", "out.ptx"),
    ("compile", _EXAMPLE, "--emit", "cuda_tile", "--kernel", "copy_2d"),
    ("compile", _MATMUL, "-D", "BM=64", "-D", "BN=64", "-D", "BK=64", "--emit", "nv_tileas"),
    ("compile", _MATMUL, "--plan", "stages=3", "--plan", "specialize=0", "--emit", "plan"),
    ("compile", _EXAMPLE, "--target", "sm_90a", "--remarks", "--no-cache", "--timing"),
    ("compile", _EXAMPLE, "--dump-ir", "dumps", "--print-ir-after", "nv-tileaa-infer-facts"),
    ("compile", _EXAMPLE, "--emit", "package", "-o", "out.tilepkg"),
    ("compile", _PYTHON, "--emit", "cuda_tile"),
    ("compile", "dump.mlir", "--start-from", "nv_tileaa", "--emit", "ptx"),
    ("run", _EXAMPLE, "--device", "cpu", "--size", "M=8", "--size", "N=8", "--check"),
    ("run", _EXAMPLE, "--device", "cpu", "--size", "M=8", "--layout", "A=col", "--seed", "3"),
    ("run", _EXAMPLE, "--device", "cpu", "--input", "A=a.npy", "--output", "B=b.npy"),
    ("run", _MATMUL, "--device", "cpu", "--size", "M=64", "--size", "N=64", "--size", "K=64"),
    ("opt", "dump.mlir", "--passes", "canonicalize"),
    ("opt", "dump.mlir", "--split-input-file", "--verify-diagnostics"),
    ("passes",),
    ("targets",),
    ("doctor",),
    ("--version",),
    ("compile", "--help"),
)
"""Command lines that work, or nearly do; `dump.mlir` and `a.npy` are files of the trial."""


def _listed(*lines: str) -> list[str]:
    return [word for line in lines for word in line.split()]


_VALUES = [
    *_listed(
        "- = =64 BM=1e99 BM=64=64 BM=-1 BM=0 BM=9999999999999999999 BM=None BM=auto BM=nan",
        "bm=64 M= M=0 M=-5 M=x M=99999999999 N=1 stages=0 stages=99 stages=x cluster=2",
        "cluster=(2,1) cluster=() x=1 absent.tile absent/ . /dev/null empty.tile a.npy A=a.npy",
        "A=absent.npy A=empty.tile A= A=col A=row A=diagonal Z=col sm_90a sm_100 sm_ gpu",
        "cuda:99 cpu llvm ptx cubin sass plan compile run opt binary.tile out/of/nowhere.ptx",
        "dump.mlir %s {} ' 7 -7 canonicalize alpha=2 B=b.npy nv_tileas nv_tileaa cuda_tile",
        "package aligned 1,1,1 0,0,0 1,2,3,4 cse,canonicalize",
    ),
    *("", "a\nb", "9" * 300, "long" * 100, "a b", "M=\u0661", "\udcff", "\U0001f600", "\x1b[31m"),
]
_OPTIONS = _listed(
    "-D -o --emit --size --plan --kernel --target --layout --input --output --start-from --passes",
    "--device --seed --check --help --nothing -x --no-cache --remarks -- --dump-ir --timing",
    "--print-ir-after --debug-waits --verify-diagnostics --assume --no-assume --grid --lineinfo",
    "--locations --no-ptxas --allow-spills --split-input-file",
)


def drawn(chance: Random) -> list[str]:
    """Return the words of a command line after one to four edits."""
    words = list(chance.choice(RIGHT))
    for _ in range(chance.choice((1, 1, 1, 1, 2, 3))):
        words = _edited(chance, words)
    return words


def _edited(chance: Random, words: Sequence[str]) -> list[str]:
    found = list(words) or [""]
    place = chance.randrange(len(found))
    values = [at for at in range(1, len(found)) if not found[at].startswith("-")]
    kind = chance.randrange(10)
    if kind == 0:
        del found[place]
    elif kind == 1:
        found.insert(place, found[place])
    elif kind == 2:
        found.insert(place + 1, chance.choice([*_VALUES, *_OPTIONS]))
    elif kind < 5:
        found += [chance.choice(_OPTIONS), chance.choice(_VALUES)]
    elif kind < 8 and values:
        found[chance.choice(values)] = chance.choice(_VALUES)
    elif kind == 8:
        other = chance.randrange(len(found))
        found[place], found[other] = found[other], found[place]
    else:
        found[place] = _spoiled(chance, found[place])
    return found


def _spoiled(chance: Random, word: str) -> str:
    place = chance.randrange(len(word) + 1)
    return word[:place] + chance.choice(("=", "-", "\u00e9", " ", "0", "x", ",")) + word[place:]
