"""The command: makes inputs, runs them, prints how they ended, and keeps those that failed."""

import argparse
import io
import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np

from tools.fuzz_inputs import packages, texts, words
from tools.fuzz_inputs.shrinking import shrink
from tools.fuzz_inputs.trial import GOOD, Ending, Result, Trial, run_trials
from tools.mutate_ir.dumps import SEEDS, make_dumps
from tools.mutate_ir.edits import edit

COMMAND = "python -m tools.fuzz_inputs"
KINDS = ("text", "words", "package", "dump")
_SOURCE, _DUMP, _PACKAGE = "input.tile", "dump.mlir", "input.tilepkg"
_EMITS = ("cuda_tile", "cuda_tile", "ptx")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run inputs; return 1 when one failed."""
    options = _parser().parse_args(arguments)
    counts: dict[str, Counter[Ending]] = {kind: Counter() for kind in options.kinds}
    began, failed = time.monotonic(), 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"TILEC_CACHE_DIR": f"{folder}/cache", "TILEC_REPRODUCER_DIR": folder}
        made = Inputs(options.seed, Path(folder), options.kinds)
        for result in run_trials(_trials(made, options), options.jobs, work):
            counts[result.trial.kind][result.ending] += 1
            if result.ending not in GOOD:
                failed += 1
                _tell(result, options)
    for kind, found in counts.items():
        shown = ", ".join(f"{found[ending]} {ending.value}" for ending in Ending if found[ending])
        print(f"{kind}: {shown}")
    print(f"{time.monotonic() - began:.0f} s")
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="inputs of each kind (100)")
    parser.add_argument("--first", type=int, default=0, help="number of the first one (0)")
    parser.add_argument("--seed", default="0", help="makes other inputs")
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    parser.add_argument("--shrink", type=float, default=60.0, help="seconds for each source (60)")
    parser.add_argument("--keep", type=Path, help="folder for the inputs that fail")
    return parser


def _trials(made: "Inputs", options: argparse.Namespace) -> Iterator[Trial]:
    for number in range(options.first, options.first + options.count):
        for kind in options.kinds:
            yield made.trial(kind, number)


class Inputs:
    """What inputs are made from."""

    def __init__(self, seed: str, folder: Path, kinds: Sequence[str]) -> None:
        """Read sources, and make the dumps and packages that are edited.

        Args:
            seed: Makes other inputs.
            folder: An empty folder.
            kinds: The kinds of inputs that are wanted.
        """
        import tilec.compiler.driver  # noqa: F401 - so that no process loads it again

        self.seed = seed
        self.sources = texts.sources()
        self.dumps: list[str] = []
        self.package = b""
        if {"dump", "words"} & {*kinds}:
            dumps = make_dumps(folder, SEEDS[:3])
            self.dumps = [
                item.text for stage in ("cuda_tile", "nv_tileaa", "nv_tileas", "llvm")
                for item in dumps[stage]
            ]  # fmt: skip
        if "package" in kinds:
            self.package = _package(folder / "package.tilepkg")

    def trial(self, kind: str, number: int) -> Trial:
        """Return the input of a number."""
        chance = Random(f"{self.seed}:{kind}:{number}")
        if kind == "text":
            text = texts.edited(chance, self.sources)
            line = ("compile", _SOURCE, "--emit", chance.choice(_EMITS), "-o", "out", "--no-cache")
            return Trial(kind, number, {_SOURCE: _encoded(text)}, line)
        if kind == "package":
            data = packages.damaged_archive(self.package, chance)
            return Trial(kind, number, {_PACKAGE: data})
        if kind == "dump":
            text, _ = edit(chance, chance.choice(self.dumps), self.dumps)
            line = ("compile", _DUMP, "--emit", "ptx", "-o", "out")
            return Trial(kind, number, {_DUMP: _encoded(text)}, line)
        return Trial(kind, number, self._files(chance), tuple(words.drawn(chance)))

    def _files(self, chance: Random) -> dict[str, bytes]:
        """Return the files that command lines name."""
        array = io.BytesIO()
        np.save(array, np.ones((8, 8), chance.choice(("f4", "i4", "f2"))))
        return {
            "a.npy": array.getvalue(),
            "empty.tile": b"",
            "binary.tile": bytes(range(256)),
            _DUMP: _encoded(chance.choice(self.dumps)),
        }


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _package(path: Path) -> bytes:
    from tilec.cli.main import main as command

    example = str(texts.ROOT / "examples" / "copy_2d.tile")
    command(["compile", example, "--emit", "package", "-o", str(path)])
    return path.read_bytes()


def work(trial: Trial) -> int:
    """Give an input to tilec in this process, and return the exit code."""
    from tilec.cli.main import main as command
    from tilec.support.diagnostics import TileError

    if trial.kind != "package":
        return command(trial.words)
    import tilec

    try:
        loaded = tilec.load_package(Path(_PACKAGE))
        for kernel in loaded:
            for variant in kernel.variants:
                print(len(variant.ptx), variant.registers, variant.shared_bytes, variant.plan)
        loaded.save(Path("again.tilepkg"))
    except TileError as failure:
        print(failure)
        return 1
    return 0


def _tell(result: Result, options: argparse.Namespace) -> None:
    """Print a failure, and keep its input."""
    trial = result.trial
    if trial.kind == "text" and options.shrink:
        result = _smaller(result, options.shrink)
    again = f"{COMMAND} --kinds {trial.kind} --first {trial.number} --count 1 --seed {options.seed}"
    print(f"# {result.ending.value}, {result.seconds:.1f} s: {again}")
    print(f"# {' '.join(map(repr, trial.words))}")
    print("\n".join(f"# {line[:300]}" for line in result.said.splitlines()[-12:]))
    if trial.kind == "text":
        print(result.trial.files[_SOURCE].decode(errors="replace")[:2000], flush=True)
    if options.keep is not None:
        options.keep.mkdir(parents=True, exist_ok=True)
        for name, data in result.trial.files.items():
            (options.keep / f"{trial.kind}{trial.number}-{name}").write_bytes(data)


def _smaller(result: Result, seconds: float) -> Result:
    """Return the result of a smaller source that ends in the same way."""
    found = result

    def fails(text: str) -> bool:
        nonlocal found
        trial = replace(result.trial, files={_SOURCE: _encoded(text)})
        (again,) = run_trials([trial], 1, work)
        if again.ending is not result.ending:
            return False
        found = again
        return True

    shrink(result.trial.files[_SOURCE].decode("utf-8", "surrogatepass"), fails, seconds)
    return found
