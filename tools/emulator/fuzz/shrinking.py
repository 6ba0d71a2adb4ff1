"""Makes a program that fails smaller, as long as it fails in the same way."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from tools.emulator.fuzz.program import (
    COORDINATES,
    I32,
    Access,
    Array,
    Assign,
    Expression,
    For,
    If,
    Jump,
    Layout,
    Program,
    Scatter,
    Statement,
    Store,
    While,
    accesses,
    number,
    statements,
    subexpressions,
)
from tools.emulator.fuzz.program import expressions as expressions_of

Body = tuple[Statement, ...]


def shrink(program: Program, fails: Callable[[Program], bool], seconds: float = 60.0) -> Program:
    """Return a smaller program that still fails.

    Args:
        program: One that fails.
        fails: Tells whether another one fails in the same way.
        seconds: When to stop.
    """
    end = time.monotonic() + seconds
    improved = True
    while improved:
        improved = False
        for candidate in candidates(program):
            if time.monotonic() > end:
                return program
            repaired = repair(candidate)
            if repaired != program and fails(repaired):
                program, improved = repaired, True
                break
    return program


def candidates(program: Program) -> Iterator[Program]:
    """Yield programs that are simpler by one step, those that lose most first."""
    count = len(program.body)
    for size in (count // 2, count // 4, 1):
        for start in range(0, count if size else 0, max(size, 1)):
            yield replace(program, body=program.body[:start] + program.body[start + size :])
    for body in _bodies(program.body):
        yield replace(program, body=body)
    yield from _calls(program)
    for body in _rewritten(program, program.body):
        yield replace(program, body=body)
    yield from _parameters(program)


def _bodies(body: Body) -> Iterator[Body]:
    """Yield bodies without one nested statement, or with one loop or branch opened."""
    for place, item in enumerate(body):
        before, after = body[:place], body[place + 1 :]
        for opened in _opened(item):
            yield (*before, *opened, *after)
        for inner in _inside(item):
            yield (*before, inner, *after)


def _opened(item: Statement) -> Iterator[Body]:
    yield ()
    if isinstance(item, For | While):
        yield item.body
    elif isinstance(item, If):
        yield item.then
        yield item.otherwise


def _inside(item: Statement) -> Iterator[Statement]:
    if isinstance(item, For | While):
        for body in _bodies(item.body):
            yield replace(item, body=body)
    elif isinstance(item, If):
        for body in _bodies(item.then):
            yield replace(item, then=body)
        for body in _bodies(item.otherwise):
            yield replace(item, otherwise=body)


def _calls(program: Program) -> Iterator[Program]:
    """Yield calls of the same kernel with simpler arguments, and without fields of the plan."""
    for field in program.plan:
        if field != "any_tile_extents":
            rest = {name: value for name, value in program.plan.items() if name != field}
            yield replace(program, plan=rest)
    if program.multiprocessors > 1:
        yield replace(program, multiprocessors=1)
    for grid in _grids(program.grid):
        yield replace(program, grid=grid)
    for name, size in program.sizes.items():
        for less in (1, 8, 16, 32, 64, size // 2):
            if 0 < less < size:
                yield replace(program, sizes={**program.sizes, name: less})
    yield from _arguments(program)


def _arguments(program: Program) -> Iterator[Program]:
    """Yield programs with plainer layouts, simpler data and smaller scalars."""
    for place, item in enumerate(program.arrays):
        for simple in _arrays(item):
            kept = (*program.arrays[:place], simple, *program.arrays[place + 1 :])
            yield replace(program, arrays=kept)
    for place, scalar in enumerate(program.scalars):
        for value in filter(lambda value: value < scalar.value, (0, 1, 2)):
            other = replace(scalar, value=type(scalar.value)(value))
            yield replace(
                program, scalars=(*program.scalars[:place], other, *program.scalars[place + 1 :])
            )


def _grids(grid: tuple[Expression, ...]) -> Iterator[tuple[Expression, ...]]:
    """Yield grids with an extent of 1 or 2 instead of what is computed, or of 1 instead of 2."""
    for place, extent in enumerate(grid):
        known = extent.value if extent.op == "number" else 3
        for less in range(1, known):
            yield (*grid[:place], number(less, I32), *grid[place + 1 :])


def _arrays(item: Array) -> Iterator[Array]:
    if not item.layout.alias:
        if item.layout != Layout():
            yield replace(item, layout=Layout())
        for field, plain in (("order", ()), ("step", 1), ("padding", 0), ("shift", 0),
                             ("repeated", ()), ("backwards", ())):  # fmt: skip
            if getattr(item.layout, field) != plain:
                yield replace(item, layout=replace(item.layout, **{field: plain}))
    else:
        yield replace(item, layout=Layout())
    if item.data != "small":
        yield replace(item, data="small")


def _rewritten(program: Program, body: Body) -> Iterator[Body]:
    """Yield bodies with one expression replaced by something simpler."""
    for place, item in enumerate(body):
        before, after = body[:place], body[place + 1 :]
        for other in _simpler_statements(program, item):
            yield (*before, other, *after)


def _simpler_statements(program: Program, item: Statement) -> Iterator[Statement]:
    if isinstance(item, Assign):
        yield from (replace(item, value=value) for value in _simpler(program, item.value))
    elif isinstance(item, Store):
        if item.atomic:
            yield replace(item, atomic="")
        yield from (replace(item, access=access) for access in _plainer(item.access))
        yield from (replace(item, tile=tile) for tile in _simpler(program, item.tile))
        yield from (
            replace(item, index=index) for index in _indices(program, item.access, item.index)
        )
    elif isinstance(item, Scatter):
        for place in range(item.elements.rank, len(item.args)):
            for other in _simpler(program, item.args[place]):
                yield replace(item, args=(*item.args[:place], other, *item.args[place + 1 :]))
    elif isinstance(item, For):
        yield replace(item, bounds=(number(2, I32),))
        yield from (replace(item, body=body) for body in _rewritten(program, item.body))
    elif isinstance(item, While):
        yield replace(item, limit=number(2, I32))
        yield from (replace(item, body=body) for body in _rewritten(program, item.body))
    elif isinstance(item, If):
        yield from (replace(item, condition=test) for test in _simpler(program, item.condition))
        yield from (replace(item, then=body) for body in _rewritten(program, item.then))
        yield from (replace(item, otherwise=body) for body in _rewritten(program, item.otherwise))


_FIRST_INDEX = {"extract": 1, "insert": 2}
"""From which operand on those of an operation are indices, which must be inside."""


def _simpler(program: Program, item: Expression) -> Iterator[Expression]:
    """Yield expressions of the same type and shape that are smaller."""
    plain = default(item)
    if item.size() > plain.size() and item.op not in ("name", "number"):
        yield plain
    for part in subexpressions(item):
        same = (part.dtype, part.shape) == (item.dtype, item.shape)
        if same and part != item and part.op != "number":
            yield part
    if item.op == "load":
        yield from (replace(item, value=access) for access in _plainer(item.value))
        yield from (replace(item, args=args) for args in _indices(program, item.value, item.args))
        return
    for place, arg in enumerate(item.args):
        for other in _operands(program, item, place, arg):
            yield replace(item, args=(*item.args[:place], other, *item.args[place + 1 :]))


def _operands(
    program: Program, item: Expression, place: int, arg: Expression
) -> Iterator[Expression]:
    """Yield what may stand for one operand: where not all values may, only what surely may."""
    if item.op in ("binary", "call") and place == 1 and item.dtype[0] in "iu":
        return  # a divisor that is not zero, an amount of a shift that fits
    if item.op == "gather" and place < item.value.rank:
        return  # an index in the part of a block
    if place >= _FIRST_INDEX.get(item.op, len(item.args)):  # an index that is inside
        if arg.op != "number":
            yield default(arg)
        return
    yield from _simpler(program, arg)


def _plainer(access: Access) -> Iterator[Access]:
    """Yield the same access without one of its particulars."""
    if access.pad is not None:
        yield replace(access, pad=None)
    if access.dim_map is not None and access.dim_map == tuple(range(len(access.dim_map))):
        yield replace(access, dim_map=None)
    if not access.allow_tma:
        yield replace(access, allow_tma=True)


def _indices(
    program: Program, access: Access, index: tuple[Expression, ...]
) -> Iterator[tuple[Expression, ...]]:
    """Yield simpler indices: of arrays that blocks share only inside the own part of a block."""
    owned = program.array(access.array).owned
    single = all(item.op == "number" and item.value == 1 for item in program.grid)
    for place, item in enumerate(index):
        axis = place if access.dim_map is None else access.dim_map[place]
        if item.op != "number" and (single or not owned or owned[axis] is None):
            yield (*index[:place], number(0, I32), *index[place + 1 :])


def _parameters(program: Program) -> Iterator[Program]:
    """Yield programs without a parameter that nothing uses."""
    used = {access.array for access, _ in accesses(program)}
    used |= {item.layout.alias for item in program.arrays}
    for item in program.arrays:
        if item.name not in used and len(program.arrays) > 1:
            yield replace(program, arrays=tuple(it for it in program.arrays if it != item))
    names = {name for item in _expressions(program) for name in item.names()}
    for scalar in program.scalars:
        if scalar.name not in names:
            yield replace(program, scalars=tuple(it for it in program.scalars if it != scalar))


def _expressions(program: Program) -> Iterator[Expression]:
    yield from program.grid
    for statement in statements(program.body):
        yield from expressions_of(statement)


def default(item: Expression) -> Expression:
    """Return the plainest expression of a type and a shape."""
    zero: Any = False if item.dtype == "bool" else 0 if item.dtype[0] in "iu" else 0.0
    if not item.shape:
        return number(zero, item.dtype)
    return Expression("full", (number(zero, item.dtype),), item.dtype, item.shape)


def repair(program: Program) -> Program:
    """Return a program in which what is not known at a place is replaced by something plain."""
    dims = {dim for item in program.arrays for dim in item.dims if isinstance(dim, str)}
    known = {*dims, *(item.name for item in program.scalars), *COORDINATES[: len(program.grid)]}
    grid = tuple(_known(item, known) for item in program.grid)
    grid = tuple(number(2, I32) if old != new else new
                 for old, new in zip(program.grid, grid, strict=True))  # fmt: skip
    return replace(program, grid=grid, body=_repaired(program.body, known))


def _repaired(body: Body, known: set[str]) -> Body:
    found: list[Statement] = []
    for item in body:
        found.append(_repaired_statement(item, known))
        if isinstance(item, Assign | Scatter):
            known = known | {item.target}
    return tuple(found)


def _repaired_statement(item: Statement, known: set[str]) -> Statement:
    if isinstance(item, Assign):
        return replace(item, value=_known(item.value, known))
    if isinstance(item, Store):
        index = tuple(_known(at, known) for at in item.index)
        return replace(item, index=index, tile=_known(item.tile, known))
    if isinstance(item, For):
        bounds = tuple(_known(bound, known) for bound in item.bounds)
        return replace(item, bounds=bounds, body=_repaired(item.body, known | {item.counter}))
    if isinstance(item, While):
        inner = _repaired(item.body, known | {item.counter})
        return replace(item, limit=_known(item.limit, known), body=inner)
    if isinstance(item, If):
        then, otherwise = (_repaired(body, known) for body in (item.then, item.otherwise))
        return If(_known(item.condition, known), then, otherwise)
    if isinstance(item, Scatter):
        return replace(item, args=tuple(_known(arg, known) for arg in item.args))
    assert isinstance(item, Jump)
    return item


def _known(item: Expression, known: set[str]) -> Expression:
    if all(part.op != "name" or part.value in known for part in subexpressions(item)):
        return item
    if item.op == "name":
        return default(item)
    return replace(item, args=tuple(_known(arg, known) for arg in item.args))
