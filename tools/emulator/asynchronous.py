"""What performs the statements that involve others: barriers, copies in flight, tensor cores."""

from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np

from tools.emulator import matrix_accesses, thread_copies, warp_products, warpgroup_products
from tools.emulator.atomics import COMBINATIONS
from tools.emulator.errors import UnsupportedError
from tools.emulator.memory import (
    CTA_SHIFT,
    PARAM_BASE,
    AccessError,
    MBarrier,
)
from tools.emulator.operands import address, source, tensor_operand
from tools.emulator.program import Program, Statement
from tools.emulator.scalar import LANES, Lanes
from tools.emulator.transfers import (
    BoxStore,
    TensorMap,
    box_places,
    load_box,
    put_box,
)
from tools.emulator.warp import ALL, Action, Cta, Mask, NamedBarrier, Warp

_OWN = (1 << CTA_SHIFT) - 1
_ONLY_COMPARED = ("i64",)
"""Types in a tensor map whose elements TMA compares, but neither adds nor combines bit by bit: that
is an illegal instruction (H100, driver 580, 2026-11-25)."""


def _active(mask: Mask) -> list[int]:
    return np.nonzero(ALL if mask is None else mask)[0].tolist()


def _resolve(warp: Warp, at: int) -> tuple[Cta, int]:
    """Return the CTA and the address in its window of a shared::cluster address."""
    rank = at >> CTA_SHIFT
    return (warp.cta.cluster[rank - 1] if rank else warp.cta), at & _OWN


def _init(program: Program, statement: Statement) -> Action:
    get, count = (
        address(program, statement.operands[0]),
        source(program, statement.operands[1], "u32"),
    )

    def act(warp: Warp, mask: Mask) -> bool:
        for lane in _active(mask):
            expected = int(count(warp)[lane])
            warp.cta.shared.barriers[int(get(warp)[lane])] = MBarrier(expected, expected)
        return True

    return act


def _arrive(program: Program, statement: Statement) -> Action:
    get = address(program, statement.operands[1])
    expects = "expect_tx" in statement.opcode
    amount = source(program, statement.operands[2], "u32") if expects else None

    def act(warp: Warp, mask: Mask) -> bool:
        for lane in _active(mask):
            cta, at = _resolve(warp, int(get(warp)[lane]))
            barrier = cta.shared.barrier(at)
            if amount is not None:
                barrier.tx += int(amount(warp)[lane])
            barrier.arrive()
        return True

    return act


def _try_wait(program: Program, statement: Statement) -> Action:
    target, where, parity = statement.operands[:3]
    get, phase = address(program, where), source(program, parity, "u32")

    def act(warp: Warp, mask: Mask) -> bool:
        places, parities = get(warp), phase(warp)
        if mask is not None:
            places, parities = places[mask], parities[mask]
        if not np.count_nonzero(places != places[0]) | np.count_nonzero(parities != parities[0]):
            places, parities = places[:1], parities[:1]  # all lanes ask the same
        for at, number in dict.fromkeys(zip(places.tolist(), parities.tolist(), strict=True)):
            barrier = warp.cta.shared.barrier(at)
            if barrier.phase & 1 == number:
                warp.awaited = barrier, barrier.phase
                return False
        warp.write(target, ALL, mask)
        return True

    return act


def _test_wait(program: Program, statement: Statement) -> Action:
    target, where, parity = statement.operands[:3]
    get, phase = address(program, where), source(program, parity, "u32")

    def act(warp: Warp, mask: Mask) -> bool:
        over = np.zeros(LANES, bool)
        for lane in _active(mask):
            barrier = warp.cta.shared.barrier(int(get(warp)[lane]))
            over[lane] = barrier.phase & 1 != int(phase(warp)[lane])
        warp.write(target, over, mask)
        return True

    return act


def _mapa(program: Program, statement: Statement) -> Action:
    target, *texts = statement.operands
    at, rank = (source(program, text, "u32") for text in texts)

    def act(warp: Warp, mask: Mask) -> bool:
        warp.write(target, at(warp) | (rank(warp) + np.uint32(1)) << np.uint32(CTA_SHIFT), mask)
        return True

    return act


def _named_barrier(program: Program, statement: Statement) -> Action:
    number = source(program, statement.operands[0], "u32")
    texts = statement.operands[1:]
    threads = source(program, texts[0], "u32") if texts else None

    def act(warp: Warp, mask: Mask) -> bool:
        key = int(number(warp)[_active(mask)[0]])
        barrier = warp.cta.named.setdefault(key, NamedBarrier())
        if warp.waits_at is None:
            everyone = sum(not other.done for other in warp.cta.warps) * LANES
            expected = int(threads(warp)[0]) if threads else everyone
            warp.waits_at = (key, barrier.round)
            barrier.come(expected)
        if warp.waits_at == (key, barrier.round):
            barrier.settle()
        if warp.waits_at == (key, barrier.round):
            return False
        warp.waits_at = None
        return True

    return act


def _named_arrive(program: Program, statement: Statement) -> Action:
    number, threads = (source(program, text, "u32") for text in statement.operands)

    def act(warp: Warp, mask: Mask) -> bool:
        barrier = warp.cta.named.setdefault(int(number(warp)[_active(mask)[0]]), NamedBarrier())
        barrier.come(int(threads(warp)[0]))
        barrier.settle()
        return True

    return act


def _cluster_arrive(program: Program, statement: Statement) -> Action:
    def act(warp: Warp, mask: Mask) -> bool:
        warp.cluster_arrivals += 1
        return True

    return act


def _cluster_wait(program: Program, statement: Statement) -> Action:
    def act(warp: Warp, mask: Mask) -> bool:
        others = (other for cta in warp.cta.cluster for other in cta.warps if not other.done)
        return all(other.cluster_arrivals >= warp.cluster_arrivals for other in others)

    return act


def _tensor_map(warp: Warp, at: Lanes, lane: int) -> TensorMap:
    offset = int(at.view(np.uint64)[lane]) - PARAM_BASE
    if offset not in warp.cta.run.launched.maps:
        raise AccessError("the tensor map is no parameter")
    return warp.cta.run.launched.maps[offset]


def _load(program: Program, statement: Statement) -> Action:
    where, tensor, barrier, *rest = statement.operands
    at, full = address(program, where), address(program, barrier)
    tensor_map, coordinates = tensor_operand(program, tensor)
    multicast = (
        source(program, rest[0], "u16") if "multicast__cluster" in statement.opcode else None
    )

    def act(warp: Warp, mask: Mask) -> bool:
        run = warp.cta.run
        for lane in _active(mask):
            found = _tensor_map(warp, tensor_map(warp), lane)
            start = tuple(int(get(warp)[lane]) for get in coordinates)
            ctas = int(multicast(warp)[lane]) if multicast else 1 << warp.cta.rank
            place, signal = int(at(warp)[lane]) & _OWN, int(full(warp)[lane]) & _OWN
            for rank, cta in enumerate(warp.cta.cluster):
                if ctas >> rank & 1:
                    cta.shared.proxies.check_async_write(
                        box_places(found, cta.shared, place), [warp.number]
                    )
                    run.loads.append(_Landing(run, found, start, cta, place, signal))
        return True

    return act


class _Landing:
    """A copy into the shared memory of one CTA."""

    def __init__(
        self, run: Any, found: TensorMap, start: tuple[int, ...], cta: Cta, at: int, barrier: int
    ) -> None:
        self.run, self.map, self.start = run, found, start
        self.cta, self.at, self.barrier = cta, at, barrier

    def __call__(self) -> None:
        put_box(self.map, load_box(self.run.memory, self.map, self.start), self.cta.shared, self.at)
        barrier = self.cta.shared.barrier(self.barrier)
        barrier.tx -= self.map.box_bytes
        barrier.settle()


def _send(program: Program, statement: Statement) -> Action:
    where, text, signal = statement.operands
    kind = f"u{statement.opcode[-1][1:]}"
    at, word, barrier = (
        address(program, where),
        source(program, text, kind),
        address(program, signal),
    )

    def act(warp: Warp, mask: Mask) -> bool:
        for lane in _active(mask):
            cta, place = _resolve(warp, int(at(warp)[lane]))
            other, full = _resolve(warp, int(barrier(warp)[lane]))
            if cta is not other:
                raise AccessError("a remote store arrives at a barrier of another CTA")
            word_bytes = np.asarray(word(warp)[lane]).reshape(1).view(np.uint8)
            warp.cta.run.loads.append(SentWord(cta, place, full, word_bytes))
        return True

    return act


class SentWord:
    """A word on its way to the shared memory of a CTA."""

    def __init__(self, cta: Cta, at: int, barrier: int, data: Any) -> None:
        """Send the bytes `data` to an address in a CTA, whose mbarrier at `barrier` counts them."""
        self.cta, self.at, self.barrier, self.data = cta, at, barrier, data

    def __call__(self) -> None:
        """Let it arrive."""
        if all(warp.done for warp in self.cta.warps):
            raise AccessError("a word is sent to a CTA that has ended")
        shared = self.cta.shared
        shared.data[shared.index(np.array([self.at]), len(self.data))[0]] = self.data
        barrier = shared.barrier(self.barrier)
        barrier.tx -= len(self.data)
        barrier.settle()


def _store(program: Program, statement: Statement) -> Action:
    tensor, where = statement.operands[:2]
    at = address(program, where)
    tensor_map, coordinates = tensor_operand(program, tensor)
    combine = next((COMBINATIONS[word] for word in statement.opcode if word in COMBINATIONS), None)
    if combine is None and "reduce" in statement.opcode:
        raise UnsupportedError(statement.text)
    computes = combine not in (None, np.minimum, np.maximum)

    def act(warp: Warp, mask: Mask) -> bool:
        run, shared = warp.cta.run, warp.cta.shared
        for lane in _active(mask):
            found = _tensor_map(warp, tensor_map(warp), lane)
            start = tuple(int(get(warp)[lane]) for get in coordinates)
            place = int(at(warp)[lane])
            shared.proxies.check_async_read(box_places(found, shared, place), [warp.number])
            if computes and found.encoding.dtype in _ONLY_COMPARED:
                raise AccessError("TMA cannot do this to i64")
            copy = BoxStore(run.memory, found, start, shared, place, combine)
            run.stores.append(copy)
            warp.bulk.setdefault(lane, [[]])[-1].append(copy)
        return True

    return act


def _commit(program: Program, statement: Statement) -> Action:
    def act(warp: Warp, mask: Mask) -> bool:
        for lane in _active(mask):
            warp.bulk.setdefault(lane, [[]]).append([])
        return True

    return act


def _drain(program: Program, statement: Statement) -> Action:
    pending, only_read = int(statement.operands[0]), "read" in statement.opcode

    def act(warp: Warp, mask: Mask) -> bool:
        for lane in _active(mask):
            groups = warp.bulk.setdefault(lane, [[]])
            closed = max(0, len(groups) - 1 - pending)
            for copy in chain(*groups[:closed]):
                if only_read:
                    copy.read()
                else:
                    warp.cta.run.finish_store(copy)
            if not only_read:
                del groups[:closed]
        return True

    return act


def _no_fence(program: Program, statement: Statement) -> Action:
    return lambda warp, mask: True


def _proxy_fence(program: Program, statement: Statement) -> Action:
    def act(warp: Warp, mask: Mask) -> bool:
        warp.cta.shared.proxies.fence(warp.number)
        return True

    return act if "global" not in statement.opcode else _no_fence(program, statement)


ASYNCHRONOUS: dict[str, Callable[[Program, Statement], Action]] = {
    "mbarrier.init": _init,
    "mbarrier.arrive": _arrive,
    "mbarrier.try_wait.parity": _try_wait,
    "mbarrier.test_wait.parity": _test_wait,
    "mapa": _mapa,
    "st.async": _send,
    "bar.sync": _named_barrier,
    "bar.arrive": _named_arrive,
    "barrier.cluster.arrive": _cluster_arrive,
    "barrier.cluster.wait": _cluster_wait,
    "cp.async.bulk.tensor.1d.global": _store,
    "cp.async.bulk.tensor.2d.global": _store,
    "cp.async.bulk.tensor.3d.global": _store,
    "cp.async.bulk.tensor.4d.global": _store,
    "cp.async.bulk.tensor.5d.global": _store,
    "cp.async.bulk.tensor": _load,
    "cp.reduce.async.bulk.tensor": _store,
    "cp.async.bulk.commit_group": _commit,
    "cp.async.bulk.wait_group": _drain,
    **thread_copies.ACTIONS,
    **warpgroup_products.ACTIONS,
    "wgmma.fence": _no_fence,
    "fence.proxy.async": _proxy_fence,
    "mma.sync": warp_products.build,
    "stmatrix": matrix_accesses.store,
    "ldmatrix": matrix_accesses.load,
}
"""By the beginning of the opcode; the first one that fits counts."""
