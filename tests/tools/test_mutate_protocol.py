"""The mutation test of the protocol: a sample of the mutants, and what the tool makes of them."""

from collections import Counter

import pytest

from tilec.ir.context import make_context
from tilec.ir.text import parse_module
from tools.mutate_protocol.command import Choice, main, verdicts
from tools.mutate_protocol.judge import CAUGHT, EQUIVALENT, FAILURES, INVALID, subject
from tools.mutate_protocol.kernels import EXAMPLES, cases
from tools.mutate_protocol.mutations import DATA, mutations_of

SAMPLES = {
    "plain": 0.06,
    "cluster_2x2": 0.04,
    "split_k": 0.05,
    "gelu": 0.012,
    "pingpong": 0.03,
    "in_place": 0.05,
}
"""Part of the mutants of kernels that are judged here, for time; the command judges all of them."""
SEED = 1


@pytest.fixture(autouse=True)
def kernel_cache(tmp_path, monkeypatch):
    monkeypatch.setattr("tilec.runtime.cache.cache_directory", lambda: tmp_path / "cache")


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLES)
def test_no_mutant_is_missed(name):
    found = list(verdicts([name], Choice(SAMPLES[name], SEED)))
    wrong = [f"{item.text}: {reason}" for _, item, verdict, reason in found if verdict in FAILURES]
    assert not wrong
    counts = Counter(verdict for _, _, verdict, _ in found)
    assert counts[CAUGHT] > counts[EQUIVALENT]


def test_every_example_and_fourteen_more_are_mutated():
    known = cases()
    assert {path.stem for path in EXAMPLES.glob("*.tile")} <= set(known)
    assert len(known) == len(list(EXAMPLES.glob("*.tile"))) + 14


def test_mutants_differ_from_the_kernel_and_are_numbered_alike():
    own = subject("plain")
    again = mutations_of(parse_module(own.text, make_context(), "again.mlir"))
    assert again == own.mutations
    assert len(set(own.mutations)) == len(own.mutations)
    for mutation in own.mutations[::40]:
        assert own.mutant(mutation) != own.text, mutation


def test_a_coordinate_is_data():
    own = subject("plain")
    coordinates = [item for item in own.mutations if "tma_store" in item.text]
    assert {item.subject for item in coordinates if item.what in ("2", "3")} == {DATA}


def test_a_broken_mutant_is_refused_by_a_verifier():
    own = subject("plain")
    loads = [item for item in own.mutations if "tma_load" in item.text]
    assert {own.judge(item)[0] for item in loads if item.what == "tx_count"} == {INVALID}


def test_what_the_check_would_miss_is_found(monkeypatch, capsys):
    """Without the checks, dropped waits are missed, and the command says so."""
    for name in ("verify_async_protocol", "verify_placement"):
        monkeypatch.setattr(f"tools.mutate_protocol.judge.{name}", lambda module, context: False)
    words = ["--kernel", "plain", "--jobs", "1", "--match", "ring_wait .* drop"]
    assert main(words) == 1
    assert "missed: plain: consumer: ring_wait" in capsys.readouterr().out


def test_the_command_counts(capsys):
    words = ["--kernel", "plain", "--jobs", "1", "--match", "ring_release .* drop", "--verbose"]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "caught: plain: consumer: ring_release" in out
    assert "deadlock" in out
