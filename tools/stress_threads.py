"""Compiles from several threads and processes at once, each round in a fresh process.

    python -m tools.stress_threads --runs 50
    python -m tools.stress_threads --scenario fork-while-compiling --seed 7

A run is every scenario of `SCENARIOS` once, with one seed. A round is bad when its process dies,
does not end in time, or does not get the results that one thread alone gets.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.stress_scenarios import SCENARIOS

ROOT = Path(__file__).resolve().parent.parent
TIMEOUT_SECONDS = 180.0
"""A round takes about two seconds; ten times as long on a loaded machine."""
_LAST_LINES = 60


def run_round(scenario: str, seed: int, timeout: float = TIMEOUT_SECONDS) -> str:
    """Run one round in a process of its own and return what went wrong, or nothing.

    Args:
        scenario: A key of `SCENARIOS`.
        seed: Of the delays and the order of things in it.
        timeout: Seconds after which the process counts as hung and is killed.
    """
    with tempfile.TemporaryDirectory() as cache:
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        environment = {**os.environ, "PYTHONPATH": path, "TILEC_CACHE_DIR": cache}
        command = [sys.executable, "-m", "tools.stress_scenarios", scenario, str(seed)]
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,  # so that its children end with it
        )
        try:
            output, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            output, _ = process.communicate()
            return f"not done within {timeout:.0f} s\n{_tail(output)}"
    if process.returncode != 0:
        return f"exit status {process.returncode}\n{_tail(output)}"
    return ""


def _tail(output: str) -> str:
    return "\n".join(f"    {line}" for line in output.splitlines()[-_LAST_LINES:])


def main(words: Sequence[str] | None = None) -> int:
    """Run the rounds that the command line asks for; the exit code says whether one was bad."""
    parser = argparse.ArgumentParser(description="Stress the compiler with threads and forks.")
    parser.add_argument("--runs", type=int, default=1, help="how often, each with its own seed")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--scenario", action="append", choices=list(SCENARIOS))
    parser.add_argument("--jobs", type=int, default=1, help="rounds at the same time")
    parser.add_argument("--timeout", type=float, default=TIMEOUT_SECONDS)
    options = parser.parse_args(words)
    rounds = [
        (name, seed)
        for seed in range(options.seed, options.seed + options.runs)
        for name in options.scenario or SCENARIOS
    ]
    started, bad = time.monotonic(), 0
    with ThreadPoolExecutor(options.jobs) as threads:
        for (name, seed), problem in zip(
            rounds,
            threads.map(lambda item: run_round(*item, timeout=options.timeout), rounds),
            strict=True,
        ):
            if problem:
                bad += 1
                print(f"bad: {name}, seed {seed}: {problem}", flush=True)
    seconds = time.monotonic() - started
    print(f"{options.runs} runs, {len(rounds)} rounds, {bad} bad, {seconds:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
