"""Edits dumps of every stage at random, resumes each, and counts how that ended.

    python -m tools.mutate_ir --edits 2000 --jobs 16

A diagnostic is fine, and so is PTX, since an edit may change nothing or only what is computed. An
internal error, a process that MLIR or LLVM ended, one that hung or ran out of memory is not: those
are printed, and the exit status is 1. Seed, stage and number say which edit it was:
`--seed S --stages nv_tileas --first N --edits 1 --keep DIR` makes it again and keeps the text.
"""

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from tilec.request.options import RESUME_CHOICES
from tools.mutate_ir.dumps import SEEDS, Dump, make_dumps
from tools.mutate_ir.edits import edit
from tools.mutate_ir.trial import BAD, Ending, Result, Trial, keep, run_trials

_SECONDS = 60.0


def main(words: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    options = _parse(words)
    counts: dict[str, Counter[Ending]] = {stage: Counter() for stage in options.stages}
    codes: Counter[str] = Counter()
    bad: list[Result] = []
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        os.environ["TILEC_REPRODUCER_DIR"] = name
        dumps = make_dumps(Path(name), SEEDS[: options.kernels])
        base = {dump.kernel: _code(dump.text) for dump in dumps["ptx"]}
        trials = _trials(dumps, options)
        for result in run_trials(trials, options.jobs, options.seconds):
            found = _compared(result, base)
            counts[found.trial.stage][found.ending] += 1
            codes[found.code] += found.ending is Ending.DIAGNOSTIC
            wanted = found.ending in BAD or found.code == options.code
            if wanted or (options.places and not found.located):
                _tell(found, options.keep)
            bad += [found] if found.ending in BAD else []
    _print_counts(counts, codes, time.monotonic() - began)
    return 1 if bad else 0


def _parse(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.mutate_ir", description=__doc__)
    parser.add_argument("--edits", type=int, default=100, help="edits at each stage")
    parser.add_argument("--first", type=int, default=0, help="number of the first one")
    parser.add_argument("--seed", default="0", help="makes other edits")
    parser.add_argument("--stages", nargs="+", default=RESUME_CHOICES, choices=RESUME_CHOICES)
    parser.add_argument("--kernels", type=int, default=len(SEEDS), help="how many kernels to dump")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=_SECONDS, help="then it counts as hung")
    parser.add_argument("--keep", type=Path, help="folder for the edits that are printed")
    parser.add_argument("--code", help="also print the diagnostics with this code")
    parser.add_argument("--places", action="store_true", help="also print those without a place")
    return parser.parse_args(words)


def _trials(dumps: dict[str, list[Dump]], options: argparse.Namespace) -> Iterator[Trial]:
    texts = [dump.text for stage in RESUME_CHOICES for dump in dumps[stage]]
    for number in range(options.first, options.first + options.edits):
        for stage in options.stages:
            chance = Random(f"{options.seed}:{stage}:{number}")
            dump = chance.choice(dumps[stage])
            text, names = edit(chance, dump.text, texts)
            yield Trial(stage, number, names, f"{dump.kernel}/{dump.name}", text)


def _code(ptx: str) -> str:
    """Return PTX without the comments before and after it, which name the file."""
    return "\n".join(line for line in ptx.splitlines() if not line.startswith("//"))


def _compared(result: Result, base: dict[str, str]) -> Result:
    kernel = result.trial.origin.partition("/")[0]
    if result.ending is Ending.COMPILED and _code(result.ptx) == base[kernel]:
        return replace(result, ending=Ending.UNCHANGED)
    return result


def _tell(result: Result, folder: Path | None) -> None:
    trial = result.trial
    kept = f" {keep(result, folder)}" if folder is not None else ""
    place = f"{trial.stage} {trial.number} ({trial.origin}, {trial.edits}, {result.seconds:.1f} s)"
    print(f"{place}{kept}: {result.ending.value}: {result.detail}", flush=True)


def _print_counts(counts: dict[str, Counter[Ending]], codes: Counter[str], seconds: float) -> None:
    names = [ending.value for ending in Ending]
    print(f"{'':<10}" + "".join(f"{name:>18}" for name in names))
    for stage, found in counts.items():
        print(f"{stage:<10}" + "".join(f"{found[ending]:>18}" for ending in Ending))
    print("diagnostics: " + ", ".join(f"{code} {count}" for code, count in codes.most_common()))
    print(f"{seconds:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
