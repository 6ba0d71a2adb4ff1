"""The files that docs/language.md shows: those with a name in their first line are run."""

import importlib
import re
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import tilec

PAGE = Path(__file__).resolve().parents[2] / "docs" / "language.md"
FILES = dict(
    re.findall(r"^```python\n# (\w+\.(?:py|tile))\b.*?\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Write the files of the page to a folder from which Python imports."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(f"# {name}\n{text}")
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in FILES:
        sys.modules.pop(Path(name).stem, None)


def check(kernel):
    source, result = np.linspace(-1, 1, 4096, dtype=np.float32), np.empty(4096, np.float32)
    kernel(source, result)
    np.testing.assert_array_equal(result, np.where(source > 0, source, source * 0.25) + 0.25)


def test_helpers_of_another_tile_file(folder):
    check(tilec.load(folder / "network.tile").apply)


@pytest.mark.usefixtures("folder")
def test_helpers_of_another_python_module():
    check(importlib.import_module("model").apply)


def test_rows_at_a_glance(folder, capsys):
    rng = np.random.default_rng(0)
    source = rng.standard_normal((16, 64)).astype(ml_dtypes.bfloat16)
    result = np.empty((16, 64), np.float32)
    tilec.load(folder / "tour.tile").rows(source, result, alpha=1.0)
    seen = np.arange(64) <= np.arange(16)[:, None]
    power = np.where(seen, np.exp(source.astype(np.float32) / 2), 0)
    weights = power / power.sum(1, keepdims=True)
    summed = np.cumsum(weights, 1) / weights.max(1, keepdims=True)
    np.testing.assert_allclose(result, np.sqrt(2 * summed + summed**2), rtol=1e-5)
    best = weights[8:].argmax(1).tolist()
    assert f"[block 1] rows from 8: {best}" in capsys.readouterr().out


def test_elements_at_a_glance(folder):
    indices = np.random.default_rng(0).integers(-4, 20, 256, np.int32)
    table = np.arange(16, dtype=np.float32)
    found, counts, best = np.empty(256, np.float32), np.zeros(16, np.int32), np.zeros(1, np.int32)
    tilec.load(folder / "tour.tile").elements(indices, table, found, counts, best)
    inside = (indices >= 0) & (indices < 16)
    weights = np.where(inside, table[indices % 16], 1)
    np.testing.assert_array_equal(found, weights * 2 + weights)  # stored, then added
    np.testing.assert_array_equal(counts, np.bincount(indices[inside], minlength=16))
    assert best == indices.max()


def test_windows_at_a_glance(folder):
    source, result = np.arange(40, dtype=np.float32), np.empty(5, np.float32)
    tilec.load(folder / "tour.tile").windows(source, result, start=4)
    expected = [source[4 + at : 20 + at].sum() for at in range(0, 40, 8)]
    np.testing.assert_array_equal(result, expected)


def test_product_at_a_glance(folder):
    rng = np.random.default_rng(0)
    left, right = (rng.standard_normal((24, 40)).astype(np.float16) for _ in range(2))
    result = np.empty((24, 24), np.float16)
    tilec.load(folder / "tour.tile").product(left, right, result)
    np.testing.assert_allclose(result, left.astype("f4") @ right.T.astype("f4"), 1e-2, 1e-2)


def test_embedding_gathers_rows(folder):
    table = np.random.default_rng(0).standard_normal((8, 64)).astype(ml_dtypes.bfloat16)
    rows, result = np.arange(16) % 8, np.empty((16, 64), ml_dtypes.bfloat16)
    tilec.load(folder / "embedding.tile").embedding(rows, table, result)
    np.testing.assert_array_equal(result, table[rows])


def test_softmax_of_the_library(folder):
    scores = np.random.default_rng(0).standard_normal((2, 100)).astype(np.float32)
    result = np.empty_like(scores)
    tilec.load(folder / "attention_weights.tile").attention_weights(scores, result)
    np.testing.assert_allclose(result, np.exp(scores) / np.exp(scores).sum(1, keepdims=True), 1e-5)
