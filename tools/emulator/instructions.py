"""What performs the statements of one warp: arithmetic, moves, memory."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from tools.emulator import carries, registers, rounding, scalar
from tools.emulator.asynchronous import ASYNCHRONOUS
from tools.emulator.atomics import atomic
from tools.emulator.errors import UnsupportedError
from tools.emulator.memory import PARAM_BASE, Bytes
from tools.emulator.operands import DEPOT_BYTES, Source, address, group, register_type, source
from tools.emulator.program import Program, Statement
from tools.emulator.scalar import BINARY, COMPARE, LANES, TERNARY, TYPES, UNARY, Lanes, storage
from tools.emulator.spaces import read_bytes, space_of
from tools.emulator.warp import ALL, Action, Mask, Warp

_NOTHING = frozenset(
    (
        "fence",
        "membar",
        "prefetch",
        "griddepcontrol",
        "nanosleep",
        "pmevent",
    )
)
_LOCAL_BYTES = 8 * DEPOT_BYTES
_SIGNLESS = ("add", "sub", "mul.lo", "mad.lo")
"""What gives integers of both kinds the same bits: registers are unsigned and need no view."""
_CLAMPS = frozenset(("sat", "relu"))
_ROUNDING = ("rn", "rm", "rz", "rp", "approx", "full", "ftz", "sat", "relu")


def build(program: Program, statement: Statement) -> Action:
    """Return what performs a statement."""
    make = _asynchronous(statement.name)
    if make is not None:
        return make(program, statement)
    name = statement.opcode[0]
    if carries.carries(statement):
        return carries.build(program, statement)
    if name == "setmaxnreg":
        return registers.build(program, statement)
    if name in _NOTHING or statement.name.startswith(("bar.warp.sync", "cp.async.bulk.prefetch")):
        return lambda warp, mask: True
    if name in _BUILDERS:
        return _BUILDERS[name](program, statement)
    return _arithmetic(program, statement)


@cache
def _asynchronous(opcode: str) -> Callable[[Program, Statement], Action] | None:
    """Return what builds a statement that involves others; None for all others."""
    found = (make for name, make in ASYNCHRONOUS.items() if opcode.startswith(name))
    return next(found, None)


def _arithmetic(program: Program, statement: Statement) -> Action:
    """Build what computes one result from sources of one type."""
    kind = statement.opcode[-1]
    words = [word for word in statement.opcode[:-1] if word not in _ROUNDING]
    name = ".".join(words)
    function: Any = UNARY.get(name) or BINARY.get(name) or TERNARY.get(name)
    if function is not None:
        function = _modified(function, name, kind, statement.opcode)
    if function is not None and kind in scalar.HALVES:
        function, kind = scalar.on_halves(function, kind), "b32"
    if function is None or kind not in TYPES:
        raise UnsupportedError(statement.text)
    target, *texts = statement.operands
    if name in _SIGNLESS and _CLAMPS.isdisjoint(statement.opcode):
        kind = kind.replace("s", "u")
    kinds = [kind] * len(texts)
    if name in ("shl", "shr"):
        kinds[1] = "u32"
    if name == "mad.wide":
        kinds[2] = f"{kind[0]}{2 * int(kind[1:])}"
    sources = [source(program, text, each) for text, each in zip(texts, kinds, strict=True)]
    return _computing(target, function, sources)


def _computing(target: str, function: Callable[..., Lanes], sources: list[Source]) -> Action:
    """Return what writes a function of its sources to a register."""
    first, second, third = [*sources, None, None, None][:3]

    def act_on_any(warp: Warp, mask: Mask) -> bool:
        warp.write(target, function(*(get(warp) for get in sources)), mask)
        return True

    def act_on_one(warp: Warp, mask: Mask) -> bool:
        warp.write(target, function(first(warp)), mask)
        return True

    def act_on_two(warp: Warp, mask: Mask) -> bool:
        warp.write(target, function(first(warp), second(warp)), mask)
        return True

    def act_on_three(warp: Warp, mask: Mask) -> bool:
        warp.write(target, function(first(warp), second(warp), third(warp)), mask)
        return True

    acts = {1: act_on_one, 2: act_on_two, 3: act_on_three}  # most statements are among these
    return acts.get(len(sources), act_on_any)


def _modified(function: Any, name: str, kind: str, opcode: tuple[str, ...]) -> Any:
    """Return a function of lanes as the modifiers of its opcode change it."""
    mode = next((word for word in rounding.DIRECTED if word in opcode), None)
    rounded = function
    if mode is not None and kind in ("f32", "f64"):

        def rounded(*values: Lanes) -> Lanes:
            return rounding.directed(name, list(values), function(*values), mode)

    return scalar.finished(rounded, flushes="ftz" in opcode, clamps=scalar.clamp_of(opcode))


def _simple(
    compute: Callable[..., Lanes], kinds: Callable[[Statement], list[str]]
) -> Callable[[Program, Statement], Action]:
    """Return a builder for an opcode that computes one result from sources of these types."""

    def make(program: Program, statement: Statement) -> Action:
        target, *texts = statement.operands
        wanted = zip(texts, kinds(statement), strict=True)
        return _computing(target, compute, [source(program, text, kind) for text, kind in wanted])

    return make


def _setp(program: Program, statement: Statement) -> Action:
    """Compare; `setp.lt.and` also needs what a predicate holds (PTX ISA, setp)."""
    compare, kind = COMPARE[statement.opcode[1]], statement.opcode[-1]
    words = [word for word in statement.opcode[2:-1] if word != "ftz"]
    target, *texts = statement.operands
    if not words and kind not in scalar.HALVES and "|" not in target:
        return _computing(target, compare, [source(program, text, kind) for text in texts])
    both = source(program, texts.pop(), "pred") if words == ["and"] else None
    if words and both is None:
        raise UnsupportedError(statement.text)
    targets = target.split("|")
    paired = kind in scalar.HALVES
    if paired != (len(targets) == 2):
        raise UnsupportedError(statement.text)
    a, b = (source(program, text, "b32" if paired else kind) for text in texts)

    def act(warp: Warp, mask: Mask) -> bool:
        values = [get(warp) for get in (a, b)]
        pairs = scalar.halves(values, kind) if paired else [values]
        for name, pair in zip(targets, pairs, strict=True):
            found = compare(*pair)
            warp.write(name, found if both is None else found & both(warp), mask)
        return True

    return act


def _mov(program: Program, statement: Statement) -> Action:
    kind = statement.opcode[-1]
    target, text = statement.operands
    targets, texts = group(target), group(text)
    if len(targets) == len(texts) == 1:
        get = source(program, text, kind)

        def move(warp: Warp, mask: Mask) -> bool:
            if not warp.flying:
                warp.write(target, get(warp), mask)
            elif text in warp.flying:  # LLVM renames what ptxas keeps in place
                warp.registers[target] = warp.registers[text]
                warp.flying[target] = warp.flying[text]
            else:
                warp.flying.pop(target, None)
                warp.write(target, get(warp), mask)
            return True

        return move
    part = f"b{scalar.size_of(kind) * 8 // max(len(targets), len(texts))}"
    sources = [source(program, item, kind if len(texts) == 1 else part) for item in texts]

    def act(warp: Warp, mask: Mask) -> bool:
        parts = np.array([storage(get(warp)) for get in sources]).T.copy()
        values = parts.view(TYPES[part if len(targets) > 1 else kind])
        for index, name in enumerate(targets):
            warp.write(name, np.ascontiguousarray(values[:, index]), mask)
        return True

    return act


def _cvt(program: Program, statement: Statement) -> Action:
    *modifiers, to, kind = statement.opcode[1:]
    target, *texts = statement.operands
    paired = kind in ("e4m3x2", "e5m2x2")
    if kind not in TYPES and not paired:
        raise UnsupportedError(statement.text)
    sources = [source(program, text, "b16" if paired else kind) for text in texts]

    def act(warp: Warp, mask: Mask) -> bool:
        values = [get(warp) for get in sources]
        if paired:
            result = scalar.widen(values[0], kind, to)
        elif to.endswith("x2"):
            result = scalar.pack(values[0], values[1], to)
        elif to == "tf32":
            result = scalar.round_to_tf32(values[0])
        else:
            result = scalar.convert(values[0], to, tuple(modifiers))
        wide = register_type(target)
        if wide is not None and result.itemsize < np.dtype(wide).itemsize:
            result = result.astype(np.dtype(f"{result.dtype.kind}{np.dtype(wide).itemsize}"))
        warp.write(target, result, mask)
        return True

    return act


def _shfl(program: Program, statement: Statement) -> Action:
    mode = statement.opcode[2]
    target, *texts = statement.operands
    value, lane = (source(program, text, "b32") for text in texts[:2])
    if mode not in ("idx", "bfly", "down", "up") or "|" in target:
        raise UnsupportedError(statement.text)
    own = np.arange(LANES)

    def act(warp: Warp, mask: Mask) -> bool:
        by = lane(warp).astype(np.int64)
        at = {"idx": by, "bfly": own ^ by, "down": own + by, "up": own - by}[mode]
        at = np.where((at < 0) | (at >= LANES), own, at)
        warp.write(target, value(warp)[at], mask)
        return True

    return act


def _elect(program: Program, statement: Statement) -> Action:
    number, elected = statement.operands[0].split("|")

    def act(warp: Warp, mask: Mask) -> bool:
        leader = int(np.argmax(ALL if mask is None else mask))
        warp.write(number, np.full(LANES, leader, np.uint32), mask)
        warp.write(elected, np.arange(LANES) == leader, mask)
        return True

    return act


def _ld(program: Program, statement: Statement) -> Action:
    space, kind = space_of(statement), statement.opcode[-1]
    targets, get = group(statement.operands[0]), address(program, statement.operands[1])
    each, dtype = scalar.size_of(kind), np.dtype(TYPES[kind])
    size = each * len(targets)
    widths = [np.dtype(register_type(name) or dtype).itemsize for name in targets]
    dtypes = [np.dtype(f"{dtype.kind}{width}") if width > each else dtype for width in widths]

    def act(warp: Warp, mask: Mask) -> bool:
        lanes = ALL if mask is None else mask
        at = get(warp)
        if mask is None and space in ("shared", "global"):
            write(warp, read_bytes(warp, space, at, size), mask)
            return True
        data = np.zeros((LANES, size), np.uint8)
        if space == "param":
            offset = int(at[0]) - PARAM_BASE
            data[:] = np.frombuffer(warp.cta.run.launched.parameters, np.uint8, size, offset)
        elif space == "local":
            places = (at[:, None] + np.arange(size))[lanes]
            data[lanes] = _local(warp)[np.nonzero(lanes)[0][:, None], places]
        else:
            data[lanes] = read_bytes(warp, space, at[lanes], size)
        write(warp, data, mask)
        return True

    def write(warp: Warp, data: Bytes, mask: Mask) -> None:
        words = data.view(dtype)
        for index, (name, wide) in enumerate(zip(targets, dtypes, strict=True)):
            warp.write(name, words[:, index].astype(wide), mask)

    return act


def _local(warp: Warp) -> Any:
    if warp.local is None:
        warp.local = np.full((LANES, _LOCAL_BYTES), 0xFF, np.uint8)
    return warp.local


def _st(program: Program, statement: Statement) -> Action:
    space, kind = space_of(statement), statement.opcode[-1]
    get, each = address(program, statement.operands[0]), scalar.size_of(kind)
    names = group(statement.operands[1])
    sources = [source(program, text, kind if each > 1 else "b16") for text in names]

    def act(warp: Warp, mask: Mask) -> bool:
        lanes = ALL if mask is None else mask
        values = [storage(item(warp)) for item in sources]
        parts = [value.view(np.uint8).reshape(LANES, -1)[:, :each] for value in values]
        data, at = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1), get(warp)
        size = data.shape[1]
        if space == "local":
            places = (at[:, None] + np.arange(size))[lanes]
            _local(warp)[np.nonzero(lanes)[0][:, None], places] = data[lanes]
        elif space == "shared":
            shared = warp.cta.shared
            shared.write(warp.number, shared.index(at[lanes], size), data[lanes])
        else:
            warp.cta.run.memory.write(at[lanes].view(np.uint64), data[lanes])
        return True

    return act


_OF_ALL_LANES: dict[str, tuple[str, Callable[[Lanes, Any], Any]]] = {
    "vote.sync.any.pred": ("pred", lambda votes, lanes: (votes & lanes).any()),
    "vote.sync.ballot.b32": (
        "pred",
        lambda votes, lanes: np.packbits(votes & lanes, bitorder="little").view(np.uint32)[0],
    ),
    "redux.sync.min.s32": ("s32", lambda values, lanes: values[lanes].min().view(np.uint32)),
}


def _gather_lanes(program: Program, statement: Statement) -> Action:
    """Build `vote.sync` and `redux.sync`."""
    target, text, _ = statement.operands
    if statement.name not in _OF_ALL_LANES:
        raise UnsupportedError(statement.text)
    kind, combine = _OF_ALL_LANES[statement.name]
    get = source(program, text, kind)

    def act(warp: Warp, mask: Mask) -> bool:
        found = combine(get(warp), ALL if mask is None else mask)
        warp.write(target, np.full(LANES, found), mask)
        return True

    return act


def _types(*kinds: str) -> Callable[[Statement], list[str]]:
    return lambda statement: [statement.opcode[-1] if kind == "*" else kind for kind in kinds]


def _bits(value: Lanes, start: Lanes, count: Lanes) -> Lanes:
    """Extract a field of bits that lies inside a register; a signed one is extended."""
    above = value.itemsize * 8 - count
    return value << (above - start).astype(value.dtype) >> above.astype(value.dtype)


def _inserted(field: Lanes, into: Lanes, start: Lanes, count: Lanes) -> Lanes:
    """Insert a field of bits that lies inside a register."""
    one = np.uint64(1)
    mask = ((one << count.astype(np.uint64)) - one) << start.astype(np.uint64)
    moved = field.astype(np.uint64) << start.astype(np.uint64)
    return (into.astype(np.uint64) & ~mask | moved & mask).astype(into.dtype)


def _shf(program: Program, statement: Statement) -> Action:
    """Build the shift of two registers side by side, by a count modulo 32."""
    if statement.name not in ("shf.l.wrap.b32", "shf.r.wrap.b32"):
        raise UnsupportedError(statement.text)
    drops = np.uint64(32 if statement.opcode[1] == "l" else 0)

    def compute(*values: Lanes) -> Lanes:
        low, high, count = (value.astype(np.uint64) for value in values)
        both, by = high << np.uint64(32) | low, count & np.uint64(31)
        return ((both << by if drops else both >> by) >> drops).astype(np.uint32)

    return _simple(compute, _types("u32", "u32", "u32"))(program, statement)


_BUILDERS: dict[str, Callable[[Program, Statement], Action]] = {
    "setp": _setp,
    "mov": _mov,
    "cvta": _mov,
    "cvt": _cvt,
    "shfl": _shfl,
    "redux": _gather_lanes,
    "vote": _gather_lanes,
    "elect": _elect,
    "ld": _ld,
    "st": _st,
    "atom": atomic,
    "red": atomic,
    "selp": _simple(lambda a, b, first: np.where(first, a, b), _types("*", "*", "pred")),
    "prmt": _simple(scalar.permute, _types("u32", "u32", "u32")),
    "bfe": _simple(_bits, _types("*", "u32", "u32")),
    "bfi": _simple(_inserted, _types("*", "*", "u32", "u32")),
    "shf": _shf,
    "createpolicy": lambda program, statement: _mov(
        program, Statement("", False, ("mov", "b64"), (statement.operands[0], "0"), statement.text)
    ),
}
