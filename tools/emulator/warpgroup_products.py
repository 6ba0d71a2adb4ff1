"""What performs wgmma: products that four warps issue together, and the waits for them."""

from collections.abc import Callable

import numpy as np

from tools.emulator import tensor_core
from tools.emulator.memory import AccessError
from tools.emulator.operands import group, source
from tools.emulator.program import Program, Statement
from tools.emulator.scalar import Lanes, undefined
from tools.emulator.warp import WARPGROUP, Action, Mask, Warp, Warpgroup

_UNDEFINED = undefined("b32")


def _mma(program: Program, statement: Statement) -> Action:
    accumulators = group(statement.operands[0])
    left = statement.operands[1]
    words = group(left) if left.startswith("{") else []
    texts = statement.operands[2 if words else 1 : 3]
    descriptors = [source(program, text, "b64") for text in texts]
    accumulate = source(program, statement.operands[3], "pred")
    wgmma = tensor_core.Wgmma.of(statement.opcode, statement.operands[4:], bool(words))

    def act(warp: Warp, mask: Mask) -> bool:
        number = warp.number // WARPGROUP
        mine = warp.cta.warpgroups.setdefault(number, Warpgroup())
        if mine.issued == warp.issued:
            mine.waiting.add(warp.number)
            if len(mine.waiting) < WARPGROUP:
                return False
            mine.waiting.clear()
            mine.issued += 1
            warps = warp.cta.warps[number * WARPGROUP : (number + 1) * WARPGROUP]
            places = [int(get(warp)[0]) for get in descriptors]
            names = (accumulators, words)
            _multiply(wgmma, warps, names, places, adds=_agree(warps, accumulate))
        warp.issued += 1
        return True

    return act


def _agree(warps: list[Warp], predicate: Callable[[Warp], Lanes]) -> bool:
    """Return what a predicate is in all lanes of a warpgroup."""
    values = np.concatenate([predicate(warp) for warp in warps])
    if values.any() != values.all():
        raise AccessError("the threads of a warpgroup differ in scale-d of a wgmma")
    return bool(values[0])


def _multiply(
    wgmma: tensor_core.Wgmma,
    warps: list[Warp],
    names: tuple[list[str], list[str]],
    descriptors: list[int],
    *,
    adds: bool,
) -> None:
    """Write a product to the registers of a warpgroup, or add it; keep what its operands were.

    Args:
        wgmma: The instruction.
        warps: The warps.
        names: Registers of the accumulator; those of A, if A is in registers.
        descriptors: Descriptors of the operands in shared memory.
        adds: Whether the product is added.
    """
    shared = warps[0].cta.shared
    accumulators, words = names
    operands = wgmma.operands(shared, *descriptors)
    for operand in operands:
        shared.proxies.check_async_read(operand, [warp.number for warp in warps])
    held = [np.array([warp.read(name, "b32") for name in words]) for warp in warps if words]
    parts = wgmma.product(shared, operands, held)
    for warp in warps:
        warp.multiplied |= dict.fromkeys(words, warp.groups_issued)
    for warp, part in zip(warps, parts, strict=True):
        held = [warp.registers.get(name, _UNDEFINED) for name in accumulators] if adds else None
        for name, value in zip(accumulators, wgmma.sums(held, part), strict=True):
            warp.registers[name] = value
            warp.flying[name] = warp.groups_issued
    warps[0].products[-1] += [(operand, shared.data[operand]) for operand in operands]


def _mma_commit(program: Program, statement: Statement) -> Action:
    def act(warp: Warp, mask: Mask) -> bool:
        warp.products.append([])
        warp.groups_issued += 1
        return True

    return act


def _mma_wait(program: Program, statement: Statement) -> Action:
    pending = int(statement.operands[0])

    def act(warp: Warp, mask: Mask) -> bool:
        while len(warp.products) - 1 > pending:
            for places, before in warp.products.pop(0):
                if not np.array_equal(warp.cta.shared.data[places], before):
                    raise AccessError("an operand of a wgmma in flight was overwritten")
        oldest = warp.groups_issued - pending
        for names in (warp.flying, warp.multiplied):
            for name in [name for name, number in names.items() if number < oldest]:
                del names[name]
        return True

    return act


ACTIONS: dict[str, Callable[[Program, Statement], Action]] = {
    "wgmma.mma_async": _mma,
    "wgmma.commit_group": _mma_commit,
    "wgmma.wait_group": _mma_wait,
}
"""By the beginning of the opcode."""
