"""A mistake that nobody catches shows the user's line and the message, and few frames of tilec."""

import traceback

import numpy as np
import pytest

import tilec

TEXT = """
@kernel
def double[N](X: f32[N], Y: f32[N]):
    i = grid(cdiv(N, 64))
    store(Y, i, load(X, i, 64) * two)
"""
X = np.zeros(5, np.float32)
MISTAKES = {
    "a mistake in the kernel": lambda: tilec.loads(TEXT).double(X, X),
    "a mistake in the kernel, with keywords": lambda: tilec.loads(TEXT).double(X, Y=X),
    "a wrong argument": lambda: tilec.loads(TEXT).double(X, X[None]),
    "a wrong argument of compile": lambda: tilec.loads(TEXT).double.compile(X),
    "an unwanted grid": lambda: tilec.loads(TEXT).double[3](X, X),
    "wrong syntax": lambda: tilec.loads("@kernel\ndef f(:"),
    "no such file": lambda: tilec.load("no_such_file.tile"),
    "no such package": lambda: tilec.load_package("no_such_file.tilepkg"),
    "a mistake ahead of time": lambda: tilec.compile("no_such_file.tile"),
    "a decorated class": lambda: tilec.kernel(type("K", (), {})),
}


def frames(mistake):
    with pytest.raises(tilec.TileError) as caught:
        mistake()
    lines = traceback.format_exception(caught.value)
    assert not any("direct cause" in line or "another exception" in line for line in lines)
    return [line for line in lines if f"{tilec.__name__}/" in line]


@pytest.mark.parametrize("name", MISTAKES)
def test_an_error_shows_at_most_four_frames_of_tilec(name):
    assert len(frames(MISTAKES[name])) <= 4


def test_the_environment_keeps_them(monkeypatch):
    monkeypatch.setenv("TILEC_TRACEBACK", "1")
    assert len(frames(MISTAKES["a mistake in the kernel"])) > 8
