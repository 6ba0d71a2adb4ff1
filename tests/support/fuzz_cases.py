"""Programs made by hand, for the tests of what draws and runs random ones."""

import numpy as np

from tools.emulator.fuzz.evaluation import Block as Frame
from tools.emulator.fuzz.memory import Block, Memory, View
from tools.emulator.fuzz.program import (
    I32,
    Access,
    Array,
    Assign,
    Expression,
    Program,
    name,
    number,
)
from tools.emulator.fuzz.values import NUMPY

TILE = (16,)


def load(array, dtype, index=None, shape=TILE, pad=None):
    at = (name("m", I32),) if index is None else index
    return Expression("load", at, dtype, shape, Access(array, pad))


def binary(op, left, right, dtype, shape=TILE):
    return Expression("binary", (left, right), dtype, shape, op)


def call(title, *args, dtype="f32", shape=TILE):
    return Expression("call", args, dtype, shape, (title,))


def program(body, dtype="f32", sizes=None, arrays="ABC", scalars=()):
    """Return a program on lines of 16 elements, all owned by their blocks."""
    made = tuple(Array(title, dtype, ("M",), owned=((0, 16, 0),)) for title in arrays)
    grid = (Expression("call", (name("M", I32), number(16, I32)), I32, (), ("cdiv",)),)
    return Program(7, made, tuple(scalars), grid, tuple(body), sizes or {"M": 40})


def lines(**arrays):
    """Return memory that holds these arrays."""
    blocks, views = {}, {}
    for title, (dtype, values) in arrays.items():
        data = np.array(values, np.float64 if dtype in ("f16", "bf16") else None)
        blocks[title] = Block(data.astype(NUMPY[dtype]))
        views[title] = View(blocks[title], dtype, 0, (len(values),), (1,))
    return Memory(blocks, views)


def value(expression, memory=None):
    """Return the value of an expression in the first block."""
    case = program([Assign("x", expression)])
    with np.errstate(all="ignore"):
        return Frame(case, memory or lines(), (0,)).value(expression)
