"""Sums of several `atomic_store_add` of a block: every order must lie in the bound."""

import itertools

import numpy as np
import pytest

from tests.support.fuzz_cases import lines, load, program
from tools.emulator.fuzz.evaluation import evaluate
from tools.emulator.fuzz.program import I32, Access, Store, name
from tools.emulator.fuzz.values import NUMPY, round_to

SIZE = 16


def stored(source, dtype, atomic="atomic_add"):
    return Store(Access("A"), (name("m", I32),), load(source, dtype), atomic)


def run(dtype, body, **arrays):
    memory = lines(**{key: (dtype, values) for key, values in arrays.items()})
    evaluate(program(body, dtype, {"M": SIZE}), memory)
    error = memory.blocks["A"].error
    return memory.blocks["A"].data, np.zeros(SIZE) if error is None else error


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32", "f64"])
def test_every_order_is_in_the_bound(dtype):
    random = np.random.default_rng(1)
    a, b, c = (round_to(random.standard_normal(SIZE), dtype) for _ in range(3))
    data, error = run(
        dtype, [stored("B", dtype), stored("C", dtype), stored("B", dtype)], A=a, B=b, C=c
    )
    orders = set()
    for order in itertools.permutations((b, c, b)):
        total = a
        for term in order:
            total = (total + term).astype(NUMPY[dtype])
        orders.add(total.tobytes())
        assert (np.abs(total.astype(np.float64) - data.astype(np.float64)) <= error).all()
    assert len(orders) > 1


def test_one_sum_is_exact():
    _, error = run("f32", [stored("B", "f32")], A=np.ones(SIZE), B=np.full(SIZE, 2.0**-30))
    assert not error.any()


def test_a_store_comes_between():
    body = [stored("B", "f32"), stored("B", "f32", ""), stored("B", "f32")]
    _, error = run("f32", body, A=np.ones(SIZE), B=np.full(SIZE, 0.1, np.float32))
    assert not error.any()


def test_an_order_may_overflow():
    huge = np.full(SIZE, 3e38, np.float32)
    _, error = run("f32", [stored("B", "f32"), stored("C", "f32")], A=huge, B=-huge, C=huge)
    assert np.isinf(error).all()
