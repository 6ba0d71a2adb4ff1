"""A softmax that straddles a wait is that of the loop: the cut changes no bit, and it is right."""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from tests.support.both_devices import host_array
from tilec.passes.transforms.nv_tileas.mma import straddle_waits
from tilec.runtime.jit import load
from tilec.testing.check import Arguments

FILE = Path(__file__).resolve().parents[2] / "examples" / "attention.tile"
TOKENS, DEPTH = 200, 128


@pytest.fixture
def cuts():
    """Return a list that gets the columns of each tile that is cut."""
    return []


@pytest.fixture
def attend(launch, monkeypatch, tmp_path, cuts):
    """Return what attends with so many columns before the wait, or those of the planner."""

    def run(keys, causal, first=None):
        folder = tmp_path / f"first-{first}"
        monkeypatch.setattr("tilec.runtime.cache.cache_directory", lambda: folder)
        if first is not None:
            monkeypatch.setattr(straddle_waits, "columns_before_wait", choose(first))
        given = arguments(keys, causal)
        launch(load(FILE).attention, given)
        return given.data()

    def choose(first):
        def columns_before_wait(columns):
            cuts.append(columns)
            return first

        return columns_before_wait

    return run


def arguments(keys, causal):
    rng = np.random.default_rng(keys)
    shape = (1, TOKENS, 1, DEPTH)
    arrays = {name: rng.standard_normal(shape).astype(ml_dtypes.bfloat16) for name in "QKV"}
    arrays |= {"O": np.zeros(shape, ml_dtypes.bfloat16), "E": np.zeros((1, 1, TOKENS), np.float32)}
    made = {name: host_array(name, values) for name, values in arrays.items()}
    constants = {"causal": causal, "BM": 128, "BN": keys, "BD": DEPTH}
    return Arguments(made, {"scale": DEPTH**-0.5, **constants})


def expected(data, causal):
    """Return the result and the log-sum-exp in f64."""
    q, k, v = (data[name][0, :, 0].astype(np.float64) for name in "QKV")
    scores = q @ k.T * DEPTH**-0.5
    if causal:
        scores[np.triu_indices(TOKENS, 1)] = -np.inf
    top = scores.max(axis=1, keepdims=True)
    weights = np.exp(scores - top)
    total = weights.sum(axis=1, keepdims=True)
    return weights @ v / total, (top + np.log(total))[:, 0]


@pytest.mark.parametrize(("keys", "causal"), [(80, 1), (128, 1), (176, 0)])
def test_attention(attend, keys, causal):
    found = attend(keys, causal)
    result, sums = expected(found, causal)
    most = 2.0**-7 * np.abs(result).max()
    np.testing.assert_allclose(found["O"][0, :, 0].astype(np.float64), result, atol=most, rtol=0)
    np.testing.assert_allclose(found["E"][0, 0], sums, atol=1e-5)


@pytest.mark.parametrize("first", [8, 56, 72])
def test_any_number_of_columns_may_come_before_the_wait(attend, cuts, first):
    whole, cut = attend(80, 1, 80), attend(80, 1, first)
    for name in "OE":
        assert whole[name].tobytes() == cut[name].tobytes()
    assert {*cuts} == {80}
