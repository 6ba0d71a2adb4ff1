"""Scalar tests of masks against random masks of 8-bit indices, which wrap around all the time."""

import random

import numpy as np
import pytest

from tilec.ir.bindings import ir
from tilec.ir.context import make_context
from tilec.passes.analysis.facts.mask_tests import All, Flag, NoTestError, Positive, derive_test
from tilec.passes.analysis.facts.value_ranges import ValueRanges

EXTENT = 8
PREDICATES = {
    "eq": np.equal,
    "ne": np.not_equal,
    "slt": np.less,
    "sle": np.less_equal,
    "sgt": np.greater,
    "sge": np.greater_equal,
    "ult": lambda a, b: np.less(a.view(np.uint8), b.view(np.uint8)),
    "ule": lambda a, b: np.less_equal(a.view(np.uint8), b.view(np.uint8)),
    "ugt": lambda a, b: np.greater(a.view(np.uint8), b.view(np.uint8)),
    "uge": lambda a, b: np.greater_equal(a.view(np.uint8), b.view(np.uint8)),
}
SUMS = {"addi": np.add, "subi": np.subtract, "muli": np.multiply}
QUOTIENTS = {
    "divsi": lambda a, b: np.trunc(a / b),
    "remsi": np.fmod,
    "shrsi": np.right_shift,
}
JOINTS = {"andi": np.logical_and, "ori": np.logical_or, "xori": np.logical_xor}
EDGES = (-128, -127, -64, -9, -8, -1, 0, 1, 7, 8, 9, 63, 64, 120, 126, 127)


class Program:
    """A random mask as the text of a function, and as a function of NumPy."""

    SCALARS: tuple[str, ...] = ()

    def __init__(self, seed):
        self.random, self.lines = random.Random(seed), []
        self.name, self.value = self.mask(2)

    def emit(self, text, type_):
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {text} : {type_}")
        return name

    def index(self, depth):
        kind = self.random.choice(["range", "s", "t", "number"] if depth == 0 else [*SUMS, "s"])
        tile = f"tensor<{EXTENT}xi8>"
        if kind == "range":
            start = self.random.randint(-20, 110)
            text = f'"nv_tileaa.make_range"() {{start = {start} : i64}}'
            numbers = np.arange(start, start + EXTENT).astype(np.int8)
            return self.emit(text, f"() -> {tile}"), lambda names: numbers
        if kind in ("s", "t"):
            name = self.emit(f'"nv_tileaa.splat"(%{kind})', f"(i8) -> {tile}")
            return name, lambda names: np.full(EXTENT, names[kind], np.int8)
        if kind == "number" or (kind == "muli" and depth == 1):
            return self.number()
        left, a = self.index(depth - 1)
        right, b = self.number() if kind == "muli" else self.index(depth - 1)
        name = self.emit(f"arith.{kind} {left}, {right}", tile)
        return name, lambda names: SUMS[kind](a(names), b(names))

    def number(self):
        value = self.random.choice((-3, -1, 0, 1, 2, 5, 100))
        name = self.emit(f"arith.constant dense<{value}>", f"tensor<{EXTENT}xi8>")
        return name, lambda names: np.full(EXTENT, value, np.int8)

    def mask(self, depth):
        tile = f"tensor<{EXTENT}xi1>"
        kind = self.random.choice([*JOINTS, "cmpi"]) if depth else "cmpi"
        if kind == "cmpi":
            predicate = self.random.choice(list(PREDICATES))
            (left, a), (right, b) = self.index(2), self.index(1)
            name = self.emit(f"arith.cmpi {predicate}, {left}, {right}", f"tensor<{EXTENT}xi8>")
            return name, lambda names: PREDICATES[predicate](a(names), b(names))
        left, a = self.mask(depth - 1)
        if kind == "xori":
            truth = self.random.random() < 0.8
            right, b = (
                self.emit(f"arith.constant dense<{str(truth).lower()}>", tile),
                lambda _: truth,
            )
        else:
            right, b = self.mask(depth - 1)
        name = self.emit(f"arith.{kind} {left}, {right}", tile)
        return name, lambda names: JOINTS[kind](a(names), b(names))


class Quotients(Program):
    """A random mask of indices that are divided, and of scalar products, one of which may wrap."""

    SCALARS = (
        "%c15 = arith.constant 15 : i8",
        "%u = arith.andi %s, %c15 : i8",
        "%c4 = arith.constant 4 : i8",
        "%v = arith.muli %u, %c4 : i8",
        "%c12 = arith.constant 12 : i8",
        "%w = arith.muli %u, %c12 : i8",
    )

    def index(self, depth):
        tile = f"tensor<{EXTENT}xi8>"
        if depth == 0:
            if self.random.random() < 0.5:
                return super().index(0)
            scalar, factor = self.random.choice((("%v", 4), ("%w", 12)))
            name = self.emit(f'"nv_tileaa.splat"({scalar})', f"(i8) -> {tile}")
            wide = np.full(EXTENT, factor)
            return name, lambda names: (wide * (names["s"] & 15)).astype(np.int8)
        kind = self.random.choice(("divsi", "remsi", "shrsi", "addi"))
        if kind == "addi":
            return super().index(depth)
        left, a = self.index(depth - 1)
        number = self.random.choice((2, 4, 12))
        number = min(number, 7) if kind == "shrsi" else number
        right = self.emit(f"arith.constant dense<{number}>", tile)
        name = self.emit(f"arith.{kind} {left}, {right}", tile)
        return name, lambda names: QUOTIENTS[kind](a(names).astype(int), number).astype(np.int8)


def holds(condition, numbers):
    """Evaluate a condition; arithmetic that does not fit its width is a defect of the test."""
    if isinstance(condition, Flag):
        return bool(numbers[condition.value]) == condition.wanted
    if isinstance(condition, Positive):
        sums = []
        for part in condition.expression.parts():
            total = sum(numbers[value] * factor for value, factor in part.terms) + part.constant
            assert -(2 ** (condition.width - 1)) <= total < 2 ** (condition.width - 1)
            sums.append(total)
        return sums[0] > sums[1]
    parts = [holds(part, numbers) for part in condition.parts]
    return all(parts) if isinstance(condition, All) else any(parts)


@pytest.fixture(scope="module")
def context():
    return make_context()


def _tests(mask, ranges):
    """Return the conditions that a mask has, by the value that it then has."""
    for wanted in (True, False):
        try:
            yield wanted, derive_test(mask, wanted, ranges).condition
        except NoTestError:  # of quotients
            continue


def _count(context, program):
    """Return how often the tests of a random mask hold, and how often the mask is level."""
    body = "\n".join(
        [*program.SCALARS, *program.lines, f"return {program.name} : tensor<{EXTENT}xi1>"]
    )
    text = f"func.func @f(%s: i8, %t: i8) -> tensor<{EXTENT}xi1> {{\n{body}\n}}"
    module = ir.Module.parse(text, context)
    block = module.body.operations[0].regions[0].blocks[0]
    last = block.operations[len(block.operations) - 1]
    tests = dict(_tests(last.operands[0], ValueRanges(block, {})))
    computed = [op.results[0] for op in list(block.operations)[1 : len(program.SCALARS) : 2]]
    found = level = 0
    for s in EDGES:
        for t in EDGES:
            mask = np.broadcast_to(program.value({"s": s, "t": t}), EXTENT)
            numbers = dict(zip(block.arguments, (s, t), strict=True))
            low = s & 15
            products = (low, low * 4, (low * 12 + 128) % 256 - 128)
            numbers |= dict(zip(computed, products, strict=False))
            for wanted, condition in tests.items():
                if holds(condition, numbers):
                    assert np.all(mask == wanted), (s, t, text)
                    found += 1
                level += int(np.all(mask == wanted))
    return found, level


def test_no_test_is_wrong_and_most_find_what_they_can(context):
    with np.errstate(over="ignore"):
        counts = [_count(context, Program(seed)) for seed in range(150)]
    found, level = (sum(numbers) for numbers in zip(*counts, strict=True))
    assert found > level / 2, (found, level)


def test_no_test_of_quotients_is_wrong_and_some_find_what_they_can(context):
    with np.errstate(over="ignore"):
        counts = [_count(context, Quotients(seed)) for seed in range(400)]
    found, level = (sum(numbers) for numbers in zip(*counts, strict=True))
    assert found > level / 4, (found, level)


def test_an_index_that_wraps_has_no_quotient(context):
    text = """func.func @f(%s: i8) -> tensor<8xi1> {
      %c15 = arith.constant 15 : i8
      %u = arith.andi %s, %c15 : i8
      %a = "nv_tileaa.splat"(%u) : (i8) -> tensor<8xi8>
      %b = "nv_tileaa.make_range"() {start = 110 : i64} : () -> tensor<8xi8>
      %c = arith.addi %a, %b : tensor<8xi8>
      %d = arith.constant dense<1> : tensor<8xi8>
      %e = arith.shrsi %c, %d : tensor<8xi8>
      %m = arith.cmpi sgt, %e, %d : tensor<8xi8>
      return %m : tensor<8xi1>
    }"""
    with pytest.raises(NoTestError, match="an index that may wrap around is divided"):
        _derive(context, text)


def test_a_mask_of_many_operations_has_no_test(context):
    lines = ["%v0 = arith.cmpi slt, %a, %b : tensor<8xi8>"]
    lines += [f"%v{i} = arith.andi %v{i - 1}, %v{i - 1} : tensor<8xi1>" for i in range(1, 40)]
    body = "\n".join(lines)
    text = f"""func.func @f(%s: i8) -> tensor<8xi1> {{
      %a = "nv_tileaa.splat"(%s) : (i8) -> tensor<8xi8>
      %b = arith.constant dense<3> : tensor<8xi8>
      {body}
      return %v39 : tensor<8xi1>
    }}"""
    with pytest.raises(NoTestError, match="more than 64 operations"):
        _derive(context, text)


def _derive(context, text):
    module = ir.Module.parse(text, context)
    block = module.body.operations[0].regions[0].blocks[0]
    last = block.operations[len(block.operations) - 1]
    return derive_test(last.operands[0], True, ValueRanges(block, {}))
