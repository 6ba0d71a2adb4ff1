"""The benchmark of attention; nothing here needs a GPU."""

import math

import pytest

from tools.bench import attention
from tools.bench import attention_contenders as contenders
from tools.bench.attention_cases import FULL, SETS, AttentionCase, parse_attention
from tools.bench.contenders import ContenderError
from tools.bench.report import format_table

EVERY = sorted({case for name in SETS for case in SETS[name]}, key=str)


@pytest.mark.parametrize("case", EVERY, ids=str)
def test_a_case_reads_its_own_spelling(case):
    assert parse_attention(str(case)) == case
    assert case.batch * case.length == 16384
    assert case.heads * case.depth == 2048


def test_a_causal_mask_halves_the_work_and_groups_share_keys():
    full, causal = AttentionCase(128, 4096, False), AttentionCase(128, 4096, True, 4)
    assert full.operations == 4 * 4 * 16 * 4096**2 * 128 == 2 * causal.operations
    assert (causal.heads, causal.shared_heads) == (16, 4)
    assert full.operand_bytes == 4 * 2 * 16384 * 2048
    assert causal.operand_bytes == 2 * 2 * 16384 * (2048 + 512)


@pytest.mark.parametrize(
    "text", ["d128:s16:half", "d0:s16:full", "d96:s16:full", "d128:s16:full:g0"]
)
def test_what_is_no_case_is_refused(text):
    with pytest.raises(ValueError, match="d"):
        parse_attention(text)


def test_default_is_every_set_with_both_peers():
    options = attention.parse_arguments([])
    assert options.cases == [case for name in FULL for case in SETS[name]]
    assert (options.peers, options.rounds) == (("fa3", "cudnn"), 20)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--case", "d128"], "is no case"),
        (["--peers", "triton"], "expected names of fa3, cudnn"),
        (["--variant", "stage=3"], "no field 'stage'"),
        (["--rounds", "0"], "not positive"),
    ],
)
def test_wrong_options_are_refused(words, reason, capsys):
    with pytest.raises(SystemExit, match="2"):
        attention.parse_arguments(words)
    assert reason in capsys.readouterr().err


class Rows(dict):
    """A stand-in for tensors that knows what they were filled with."""

    def fill_(self, value):
        self["filled"] = value


@pytest.mark.parametrize(
    ("whole", "element", "reason"),
    [(1.6e-3, 1e-3, "relative error"), (1e-3, 2.1e-3, "of an element"), (math.nan, 0, "relative")],
)
def test_ours_may_not_be_much_farther_off_than_a_peer(monkeypatch, whole, element, reason):
    found = contenders.Error(whole, element)
    monkeypatch.setattr(contenders, "find_error", lambda *_: found)
    operands = contenders.Operands([(None, None, None)], 1.0)
    ours = contenders.Contender(lambda _: None)
    with pytest.raises(ContenderError, match=reason):
        contenders.check_ours(
            None, AttentionCase(64, 16, False), operands, ours, [contenders.Error(1e-3, 1e-3)]
        )


def test_what_a_graph_did_not_compute_is_not_a_number():
    ours = contenders.Contender(lambda _: Rows(), sums=[Rows()])
    ours.call(0)
    contenders.poison(ours)
    assert math.isnan(ours.last[0]["filled"])
    assert math.isnan(ours.sums[0]["filled"])


def test_the_table_counts_the_operations_of_the_case():
    case = AttentionCase(128, 16384, False)
    entry = {"detail": {"constants": {"BM": 128, "BN": 64}, "plan": {"stages": 2}}}
    times = {"tilec": [2.0, 2.0], "fa3": [1.0, 1.5]}
    found = {name: {**entry, "times": item} for name, item in times.items()}
    result = {"case": str(case), "operations": case.operations, "contenders": found}
    table = format_table({"processes": [{"results": [result]}]})
    assert f"{case.operations * 1e-9 / 2:.0f}" in table
    assert "ratio to FA3" in table
    assert "128x64, 2 stages" in table
    assert "0.625 (0.500..0.750)" in table
