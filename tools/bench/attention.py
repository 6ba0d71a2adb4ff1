"""Benchmark of attention: tilec against FlashAttention-3 and cuDNN (through torch).

Kinds of attention are the forward pass in bf16 and in 8-bit floats, the gradients (backward), and
one new query for each sequence (decode), whose speed is that of memory.

All contenders run in one process, interleaved, on the same normally distributed operands. Each is
checked against an f32 result before it is timed: ours may be no farther from it than a peer, by a
small factor. A case has 16384 tokens and heads of 2048 elements together, in bf16.
"""

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from tools.bench.attention_cases import FULL, SETS, AttentionCase, parse_attention
from tools.bench.attention_contenders import (
    PEERS,
    Contender,
    Error,
    check_ours,
    find_error,
    poison,
)
from tools.bench.attention_kinds import KINDS, our_makers, peer_makers
from tools.bench.contenders import ContenderError
from tools.bench.measure import interleave
from tools.bench.options import (
    add_case_options,
    add_peers,
    add_run_options,
    chosen_cases,
    new_parser,
)
from tools.bench.session import Benchmark, Entries, add_samples, first_lines, measure, run_command

_NEEDS = """
It needs an H100, H200 or GH200, and PyTorch 2.8 or newer with CUDA. FlashAttention-3 (the wheel
fa3-fwd) takes part where it is installed. For FlashAttention-4, install flash-attn-4 and ask with
--peers.
"""
_CASE = "a case, as d128:s4096:causal or backward:d64:s1024:full:g4 (4 heads share keys)"


def parse_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options; `cases` holds the chosen cases."""
    parser = new_parser("attention", __doc__, _NEEDS)
    variant, default = "BM=192,stages=2", "all of the forward pass"
    add_case_options(parser, SETS, parse_attention, case=_CASE, variant=variant, default=default)
    add_peers(parser, PEERS, PEERS[:2], "the first 2")
    add_run_options(parser, seconds=0.2)
    options = parser.parse_args(words)
    options.cases = chosen_cases(options, SETS, FULL)
    return options


class _Entrants:
    """The contenders of one case: those that run, and an entry of the report for each.

    A contender that fails is left out, with the reason.
    """

    def __init__(
        self, torch: Any, case: AttentionCase, options: argparse.Namespace, entries: Entries
    ) -> None:
        """Make and check all of them, the peers first: they say how far off ours may be."""
        self.torch, self.case = torch, case
        self.operands = KINDS[case.kind].operands(torch, case)
        self.entries = entries
        self.running: dict[str, Contender] = {}
        self._errors: list[Error] = []
        self._ours = our_makers(torch, case, self.operands, options.variants)
        peers = peer_makers(torch, case, self.operands, options.peers)
        for name, make in {**peers, **self._ours}.items():
            try:
                contender = make()
                contender.call(0)
                error = self._check(name, contender)
            except Exception as failure:  # a peer raises anything; the report says what
                self.entries[name] = {"failed": first_lines(failure)}
                continue
            if name in peers:
                self._errors.append(error)
            self.entries[name] = {"error": error.whole, "detail": contender.detail}
            self.running[name] = contender

    def _check(self, name: str, contender: Contender) -> Error:
        if name in self._ours:
            return check_ours(self.torch, self.case, self.operands, contender, self._errors)
        return find_error(self.operands, contender)

    def check_graph(self, name: str, run: Callable[[], Any]) -> None:
        """Check what the graph that was timed computes; `run` runs it once."""
        poison(self.running[name])
        run()
        try:
            self._check(name, self.running[name])
        except ContenderError as failure:
            self.entries[name] = {"failed": f"in a graph: {failure}"}


def run_case(
    torch: Any, case: AttentionCase, options: argparse.Namespace, read: Any, entries: Entries
) -> None:
    """Check and time one case: see `Benchmark.run_case`."""
    entrants = _Entrants(torch, case, options, entries)
    calls = {name: contender.call for name, contender in entrants.running.items()}
    sets, rounds = len(entrants.operands.sets), options.rounds
    check = entrants.check_graph
    add_samples(entries, interleave(torch, calls, sets, rounds, options.seconds, read, check))


def _work(case: AttentionCase) -> dict[str, Any]:
    return {"operations": case.operations, "unit": case.unit}


BENCHMARK = Benchmark("attention", run_case, _work, prepare=lambda torch: None)


def main(words: Sequence[str] | None = None) -> int:
    """Run the benchmark; 1 when one of ours failed, 2 when it cannot run."""
    options = parse_arguments(words)
    return run_command(BENCHMARK.name, lambda: measure(BENCHMARK, options))


if __name__ == "__main__":
    raise SystemExit(main())
