"""Random programs: each one either verifies as IR or ends with diagnostics that have a place."""

import random

import pytest

from tilec.frontend.emit.module import emit_module
from tilec.frontend.syntax.parser import parse_source
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import CompileError, SourceFile

HEADER = (
    "import numpy as np\n@function\ndef g(x, y=3):\n    if x > 2:\n        return y\n    return x\n"
    "@kernel\ndef f[M, N](A: f32[M, N], I: i32[M], n: i32, u: u32, alpha: f32, h: f16, b: bool,"
    " F: const = 0.5):\n    v = make_partition_view(A, (4, 8))\n    x = 1\n    y = alpha\n"
)
ATOMS = [
    "n", "u", "alpha", "h", "b", "F", "M", "3", "0", "-1", "2.5", "True", "inf", "x", "y", "A",
    "zeros((4, 8))", "arange(8)", "ones((4, 8), bf16)", "zeros((4, 8), bool)", "f32",
    "full((4, 8), 3, u8)", "load(A, (0, 0), (4, 8))", "load(I, n, 8)", "load(v, (0, n))",
    "arange(4)[:, None]", "1e39", "70000", "2147483647", "-2147483648", "1 << 40", "nan", "(1, 2)",
    "np.maximum", "A.shape[0]", "block_id(0)",
]  # fmt: skip
OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "&", "|", "<<", "<", "==", "and", "or"]
FUNCTIONS = {
    "exp": 1, "sqrt": 1, "abs": 1, "floor": 1, "maximum": 2, "min": 2, "fma": 3, "where": 3,
    "cdiv": 2, "g": 2, "mma": 3,
}  # fmt: skip
TYPES = ["f32", "bf16", "f16", "i8", "u8", "i32", "u32", "i64", "bool", "f64", "f8e4m3"]
PROGRAMS = 40
BATCHES = 10


class Writer:
    """Writes one random program."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def expression(self, depth: int) -> str:
        pick = self.random
        if depth <= 0 or pick.random() < 0.2:
            return pick.choice(ATOMS)
        inner = [self.expression(depth - 1) for _ in range(3)]
        kind = pick.randrange(6)
        if kind < 2:
            return f"({inner[0]} {pick.choice(OPERATORS)} {inner[1]})"
        if kind == 2:
            name = pick.choice(list(FUNCTIONS))
            return f"{name}({', '.join(inner[: FUNCTIONS[name]])})"
        if kind == 3:
            return f"cast({inner[0]}, {pick.choice(TYPES)})"
        if kind == 4:
            return f"({inner[0]} if {inner[1]} else {inner[2]})"
        forms = ["({}).T", "({})[None]", "(-{})", "(not {})", "reshape({}, (8, -1))", "~{}"]
        return pick.choice(forms).format(inner[0])

    def statement(self, depth: int, indent: str) -> str:
        pick = self.random
        kind = pick.randrange(8) if depth else 0
        if kind == 3:
            return f"{indent}{pick.choice('xyz')}: {pick.choice(TYPES)} = {self.expression(2)}\n"
        if kind < 4:
            return f"{indent}{pick.choice('xyz')} = {self.expression(3)}\n"
        body = "".join(self.statement(depth - 1, indent + "    ") for _ in range(2))
        bounds = ", ".join(self.expression(1) for _ in range(pick.randrange(1, 4)))
        header = [
            f"if {self.expression(1)}:",
            f"for i in range({bounds}):",
            f"while {self.expression(1)}:",
            f"if n > {pick.randrange(5)}:",
        ][kind - 4]
        return f"{indent}{header}\n{body}"

    def program(self) -> str:
        return HEADER + "".join(self.statement(2, "    ") for _ in range(2))


@pytest.mark.parametrize("batch", range(BATCHES))
def test_verifies_or_explains(batch, context):
    for seed in range(batch * PROGRAMS, (batch + 1) * PROGRAMS):
        text = Writer(seed).program()
        try:
            tree = parse_source(SourceFile("t.tile", text))
            emit_module(tree, None, Specialization(), context)
        except CompileError as failure:
            for item in failure.diagnostics:
                assert item.span is not None, text
                assert item.code != "T0500", text
