"""The benchmark of attention; nothing here needs a GPU."""

import math

import numpy as np
import pytest

from tools.bench import attention
from tools.bench import attention_contenders as contenders
from tools.bench.attention_cases import FULL, SETS, AttentionCase, parse_attention
from tools.bench.attention_decode import choose_parts
from tools.bench.attention_kinds import KINDS
from tools.bench.contenders import ContenderError
from tools.bench.report import format_table

EVERY = sorted({case for name in SETS for case in SETS[name]}, key=str)


@pytest.mark.parametrize("case", EVERY, ids=str)
def test_a_case_reads_its_own_spelling(case):
    assert parse_attention(str(case)) == case
    tokens = 2**17 if case.kind == "decode" else 16384
    assert case.batch == (case.given_batch or tokens // case.length)
    assert case.heads == (case.given_heads or 2048 // case.depth)
    assert set(KINDS[case.kind].peers) <= set(contenders.PEERS)


def test_a_causal_mask_halves_the_work_and_groups_share_keys():
    full, causal = AttentionCase(128, 4096, False), AttentionCase(128, 4096, True, 4)
    assert full.operations == 4 * 4 * 16 * 4096**2 * 128 == 2 * causal.operations
    assert (causal.heads, causal.shared_heads) == (16, 4)
    assert full.operand_bytes == 4 * 2 * 16384 * 2048
    assert causal.operand_bytes == 2 * 2 * 16384 * (2048 + 512)


def test_the_work_of_other_kinds():
    forward, backward, decode, eight = (
        AttentionCase(128, 4096, False, 4, kind)
        for kind in ("forward", "backward", "decode", "fp8")
    )
    assert 2 * backward.operations == 5 * forward.operations == 5 * eight.operations
    assert backward.operand_bytes == 2 * forward.operand_bytes  # as many gradients, O and its own
    assert eight.operand_bytes == 16384 * (2048 + 2 * 512 + 2 * 2048)
    assert decode.operations == decode.operand_bytes
    assert decode.operand_bytes == 2 * 2 * 2**17 * 512 + 2 * 2 * 32 * 2048
    assert (decode.unit, eight.unit) == ("TB/s", "TFLOP/s")


@pytest.mark.parametrize(
    ("tiles", "blocks", "parts"),
    [(64, 512, 1), (256, 32, 4), (2048, 2, 64), (1, 1, 1), (3, 1, 3), (64, 132, 1)],
)
def test_the_fewest_parts_that_keep_the_processors_busy(tiles, blocks, parts):
    assert choose_parts(tiles, blocks, 132) == parts


@pytest.mark.parametrize(
    "text",
    [
        "d128:s16:half",
        "d0:s16:full",
        "d96:s16:full",
        "d128:s16:full:g0",
        "d128:s16:full:g4:h6",
        "d128:s16:full:b2:h4",
        "sideways:d128:s16:full",
        "decode:d128:s16:causal",
    ],
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


def tensors(*values):
    """A stand-in for results of torch: arrays with the methods that the check calls."""

    class Tensor(np.ndarray):
        def isfinite(self):
            return np.isfinite(self).view(Tensor)

        def norm(self):
            return np.linalg.norm(self).astype(np.float32)

        abs = np.ndarray.__abs__

    return tuple(np.array(value, np.float32).view(Tensor) for value in values)


@pytest.mark.parametrize(
    ("last", "reason"),
    [((1, 2.001), None), ((1, 2.1), "relative error 5"), ((math.nan, 2), "finite")],
)
def test_every_part_of_a_result_is_checked(last, reason):
    got, expected = tensors(*([item] * 4 for item in last)), tensors([1] * 4, [2] * 4)
    operands = contenders.Operands(
        [()], 1.0, lambda found: zip(found, expected, strict=True), 2**-6
    )
    contender = contenders.Contender(lambda _: got)
    contender.call(0)
    if reason is None:
        assert contenders.find_error(operands, contender).whole == pytest.approx(5e-4, rel=1e-2)
    else:
        with pytest.raises(ContenderError, match=reason):
            contenders.find_error(operands, contender)


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
    table = format_table({"processes": [{"results": [{**result, "unit": "TB/s"}]}]})
    assert f"{case.operations * 1e-9 / 2:.2f} TB/s" in table
