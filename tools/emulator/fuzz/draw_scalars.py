"""Draws scalars: indices, bounds, conditions. Integers only, so that all of them are exact."""

from tools.emulator.fuzz.program import I32, Expression, number
from tools.emulator.fuzz.scope import Scope

FAR = (2**31 - 1, -(2**31), 2**26, 2**28, -(2**26), 65536, 1103515245)
"""Numbers whose products leave 32 bits."""


def integer(scope: Scope, depth: int = 2) -> Expression:
    """Return an i32 scalar of any sign and size."""
    random = scope.random
    if depth == 0 or scope.chance(0.35):
        known = scope.scalars()
        if known and scope.chance(0.8):
            return random.choice(known).use
        return number(
            random.choice(FAR if scope.chance(0.1) else (0, 1, 2, 3, 5, 7, -1, 1000)), I32
        )
    op = random.choice(("+", "-", "*", "//", "%", "min", "max", "cdiv", "choose", "&"))
    first = integer(scope, depth - 1)
    if op in ("//", "%", "cdiv"):
        second = number(random.choice((1, 2, 3, 7, -2, 2**31 - 1)), I32)
    else:
        second = integer(scope, depth - 1)
    if op == "choose":
        return Expression("choose", (condition(scope, depth - 1), first, second), I32, ())
    return _of(op, first, second)


def _of(op: str, first: Expression, second: Expression) -> Expression:
    if first.op == second.op == "number":  # Two numbers are computed in Python, with no width.
        return first
    if op in ("min", "max", "cdiv"):
        return Expression("call", (first, second), I32, (), (op,))
    return Expression("binary", (first, second), I32, (), op)


def small(scope: Scope, limit: int) -> Expression:
    """Return an i32 scalar from 0 to `limit` - 1."""
    if limit == 1 or scope.chance(0.4):
        return number(scope.random.randrange(limit), I32)
    return Expression("binary", (_run_time(scope), number(limit, I32)), I32, (), "%")


def _run_time(scope: Scope) -> Expression:
    """Return an i32 scalar that is no number of the source."""
    drawn = integer(scope, 1)
    if drawn.op != "number":
        return drawn
    return scope.random.choice(scope.scalars()).use


def count(scope: Scope) -> Expression:
    """Return an i32 scalar that is small: rounds of a loop."""
    known = [item for item in scope.scalars() if item.counts]
    if known and scope.chance(0.7):
        use = scope.random.choice(known).use
        if scope.chance(0.3):
            return _of(scope.random.choice("+-"), use, number(1, I32))
        return use
    return number(scope.random.randrange(4), I32)


def condition(scope: Scope, depth: int = 1) -> Expression:
    """Return a scalar bool."""
    random = scope.random
    if depth > 0 and scope.chance(0.25):
        op = random.choice(("and", "or", "not"))
        args = [condition(scope, depth - 1) for _ in range(1 if op == "not" else 2)]
        if op == "not":
            return Expression("not", tuple(args), "bool", ())
        return Expression("logic", tuple(args), "bool", (), op)
    first = _run_time(scope)
    counts = [item for item in scope.scalars() if item.counts]
    if counts and scope.chance(0.5):  # what loops count to, too
        first = random.choice(counts).use
    second = integer(scope, 0)
    op = random.choice(("<", "<=", ">", ">=", "==", "!="))
    return Expression("compare", (first, second), "bool", (), op)
