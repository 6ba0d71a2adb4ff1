"""Reads operands: registers, immediates, symbols, addresses."""

import re
from collections.abc import Callable
from functools import cache

import numpy as np

from tools.emulator.errors import UnsupportedError
from tools.emulator.memory import PARAM_BASE, SHARED_BASE
from tools.emulator.program import Program, split_operands
from tools.emulator.scalar import LANES, TYPES, Lanes, literal, undefined
from tools.emulator.warp import Warp, is_register

Source = Callable[[Warp], Lanes]
_ADDRESS = re.compile(r"\[\s*([^\s\]+,]+)\s*(?:\+\s*(-?\d+))?\s*\]")
_WIDTHS = {"%rs": np.uint16, "%r": np.uint32, "%rd": np.uint64}
_DEPOT = "__local_depot"
DEPOT_BYTES = 4096
"""Room for the local variables of one function."""
_TID = np.arange(LANES, dtype=np.uint32)

SPECIAL: dict[str, Callable[[Warp], int | Lanes]] = {
    "%tid.x": lambda warp: _TID + np.uint32(warp.number * LANES),
    "%laneid": lambda warp: _TID,
    "%ntid.x": lambda warp: warp.cta.run.launched.threads,
    "%ctaid.x": lambda warp: warp.cta.number,
    "%nctaid.x": lambda warp: warp.cta.run.launched.blocks,
    "%clock64": lambda warp: warp.cta.run.clock,
    "%cluster_ctarank": lambda warp: warp.cta.rank,
    **{f"%{name}.{axis}": lambda warp: 0 for name in ("tid", "ctaid") for axis in "yz"},
    **{f"%{name}.{axis}": lambda warp: 1 for name in ("ntid", "nctaid") for axis in "yz"},
}


@cache
def register_type(name: str) -> type | None:
    """Return the unsigned type of a register by its prefix, or None for a predicate."""
    return _WIDTHS.get(name.rstrip("0123456789"))


def symbol(program: Program, name: str) -> int | None:
    """Return the address of a symbol, or None when there is no such symbol."""
    if name == "tilec_shared":
        return SHARED_BASE
    if name in program.parameters:
        return PARAM_BASE + program.parameters[name][0]
    if name in program.constants:
        return program.constants[name].ctypes.data
    if name.startswith(_DEPOT):  # One for each function, and none of ours has as many bytes.
        return int(name.removeprefix(_DEPOT)) * DEPOT_BYTES
    return None


def source(program: Program, text: str, kind: str) -> Source:
    """Return what reads an operand as values of a type."""
    if text in SPECIAL:
        get, wide = SPECIAL[text], np.uint64 if kind.endswith("64") else np.uint32
        return lambda warp: np.broadcast_to(np.asarray(get(warp), wide), LANES).copy()
    if is_register(text):  # `%clock64` looks like one
        return _register(text, kind)
    known = symbol(program, text)
    try:
        value = literal(text if known is None else str(known), kind)
    except ValueError as failure:
        raise UnsupportedError(f"operand '{text}'") from failure
    return lambda warp: value


def _register(name: str, kind: str) -> Source:
    """Return what reads a register as values of a type: `Warp.read`, quick where it is easy."""
    dtype, nothing = np.dtype(TYPES[kind]), undefined(kind)
    size = dtype.itemsize

    def get(warp: Warp) -> Lanes:
        value = warp.registers.get(name)
        if value is None:  # a value that LLVM leaves undefined
            return nothing
        if value.itemsize != size or (warp.flying and name in warp.flying):
            return warp.read(name, kind)
        return value if value.dtype is dtype else value.view(dtype)

    return get


def group(text: str) -> list[str]:
    """Return the members of `{a, b}`, or the operand alone."""
    return split_operands(text.strip()[1:-1]) if text.startswith("{") else [text]


def address(program: Program, text: str) -> Callable[[Warp], Lanes]:
    """Return what computes an address in brackets, in 64 bits."""
    match = _ADDRESS.fullmatch(text)
    if match is None:
        raise UnsupportedError(f"address '{text}'")
    name, offset = match[1], np.int64(int(match[2] or 0))
    if not is_register(name):
        value = symbol(program, name)
        constant = np.full(LANES, (int(name, 0) if value is None else value) + offset, np.int64)
        return lambda warp: constant

    def compute(warp: Warp) -> Lanes:
        value = warp.registers[name]
        if value.itemsize == 8:
            return value.view(np.int64) + offset if offset else value.view(np.int64)
        return value.astype(np.int64) + offset & 0xFFFFFFFF

    return compute


def tensor_operand(program: Program, text: str) -> tuple[Source, list[Source]]:
    """Return what reads the map and the coordinates of `[map, {coordinates}]`."""
    name, coordinates = split_operands(text.strip()[1:-1])
    return source(program, name, "b64"), [source(program, it, "s32") for it in group(coordinates)]
