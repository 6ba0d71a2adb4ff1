"""The command: compiles or runs cases, and prints what is wrong."""

import argparse
import importlib
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from tools.random_attention.ahead import compile_ahead
from tools.random_attention.cases import random_case
from tools.random_attention.checking import Outcome, check


def main(words: Sequence[str] | None = None) -> int:
    """Compile or run cases; return 1 when one is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tools.random_attention", description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="first seed (0)")
    parser.add_argument("--count", type=int, default=500, help="how many seeds (500)")
    parser.add_argument("--compile", action="store_true", help="only compile, without a GPU")
    parser.add_argument("--jobs", type=int, default=1, help="processes that compile (1)")
    options = parser.parse_args(words)
    seeds = range(options.first, options.first + options.count)
    if options.compile:
        lines = list(compile_ahead(seeds, options.jobs))
        print("\n".join(lines))
        return 1 if len(lines) > 1 else 0
    return _run(importlib.import_module("torch"), seeds)


def _run(torch: Any, seeds: range) -> int:
    start, bad = time.monotonic(), 0
    found: list[tuple[str, Outcome]] = []
    for seed in seeds:
        case = random_case(seed)
        try:
            outcome = check(torch, case, seed)
        except Exception as failure:  # whatever a case raises, the others are still of interest
            bad += 1
            print(f"{seed} {case}: {type(failure).__name__}: {failure}", flush=True)
            continue
        found.append((str(case), outcome))
        if outcome.problem:
            bad += 1
            print(f"{seed} {case}: {outcome.problem}", flush=True)
    print("\n".join(_summary(found)))
    print(f"{len(seeds)} cases, {bad} wrong, {time.monotonic() - start:.0f} s")
    return 1 if bad else 0


def _summary(found: Sequence[tuple[str, Outcome]]) -> list[str]:
    """Compare our errors with those of the peers."""
    lines = []
    for name, count in sorted(Counter(item.peer for _, item in found).items()):
        cases = [(text, item) for text, item in found if item.peer == name]
        mine = [item for _, item in cases]
        ratios = sorted((x.whole / x.peer_whole, text) for text, x in cases if x.peer_whole)
        line = f"{name}: {count} cases; largest error of an element "
        line += f"{max(item.element for item in mine):.2e}, "
        line += f"of the peer {max(item.peer_element for item in mine):.2e}"
        if ratios:
            line += "; error of the whole, of the peer's: "
            line += f"median {ratios[len(ratios) // 2][0]:.3f}, largest {ratios[-1][0]:.3f} "
            line += f"({ratios[-1][1]})"
        lines.append(line)
    return lines
