"""Translates the memory tokens of a role to events: which accesses of global memory come first.

A token holds no value at run time. In a run of the check it holds the accesses that it stands for;
loops, branches and joins pass them on. Only tokens that order a store and another access of the
kernel become events.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from tilec.dialects.common.accesses import global_access
from tilec.dialects.nv_tileas.epilogue_ops import is_per_warpgroup
from tilec.ir.structured import parent_operation
from tilec.ir.walks import walk_operations
from tilec.passes.analysis.facts.memory_tokens import (
    BULK_STORE,
    comes_before_loads,
    is_token,
    trace_token,
)
from tilec.passes.analysis.protocol.events import Event, Kind

_JOIN, RING_TOKEN = "nv_tileas.join_mem_token", "nv_tileas.ring_token"
_COPIES = ("nv_tileas.async_tiled_tma_store", "nv_tileas.copy_out")


class Tokens:
    """The tokens of a role that order conflicting accesses."""

    def __init__(self, block: Any) -> None:
        """Find them among the operations of the role, which `block` has."""
        self._numbers: dict[Any, int] = {}
        self._needed: set[Any] = set()
        self._ordered: set[Any] = set()
        ops = walk_operations(block)
        for op in ops:
            after = _after(op)
            traces = [trace_token(token) for token in after]
            origins = {origin for trace in traces for origin in trace.origins}
            if any(comes_before_loads(op) or comes_before_loads(origin) for origin in origins):
                self._ordered.add(op)
                self._needed.update(*(trace.values for trace in traces))
        self._stores_in_bulk = any(
            op.name == BULK_STORE and (op in self._ordered or op.results[0] in self._needed)
            for op in ops
        )

    def events(self, op: Any, place: str) -> list[Event]:
        """Return what `op`, at `place` in the source, does to tokens."""
        if not self._needed:
            return []
        moves = tuple(
            (self._number(target), tuple(map(self._number, sources)))
            for target, sources in _moves(op)
            if target in self._needed
        )
        if moves:
            return [Event(Kind.TOKENS, place, moves=moves)]
        if global_access(op) is not None:
            kind = Kind.STORE if comes_before_loads(op) else Kind.LOAD
            return self._access(kind, op, place)
        if op.name == BULK_STORE:
            return self._access(Kind.STORED, op, place)
        if op.name in _COPIES and self._stores_in_bulk:
            by_threads = op.name == _COPIES[1]
            own = is_per_warpgroup(op)
            return [Event(Kind.STORING, place, amount=int(by_threads), per_warpgroup=own)]
        if op.name == "nv_tileas.bulk_commit" and self._stores_in_bulk:
            return [Event(Kind.CLOSE, place)]
        is_fence = op.name == "nv_tileas.fence_proxy" and op.opview.space.value != "shared"
        if is_fence or (op.name == "nv_tileas.order_memory" and not op.opview.is_by_threads):
            return [Event(Kind.FENCE_GLOBAL, place)]
        return []

    def loaded(self, op: Any, cursor: int, place: str) -> list[Event]:
        """Return the event of a `ring_token` at the current slot of `cursor`."""
        if op.results[0] not in self._needed:
            return []
        return [Event(Kind.RING_TOKEN, place, cursor, token=self._number(op.results[0]))]

    def _access(self, kind: Kind, op: Any, place: str) -> list[Event]:
        token = op.results[-1]
        if op not in self._ordered and token not in self._needed:
            return []
        after = tuple(self._number(value) for value in _after(op) if value in self._needed)
        own = is_per_warpgroup(op)
        event = Event(kind, place, token=self._number(token), after=after, per_warpgroup=own)
        return [event]

    def _number(self, token: Any) -> int:
        return self._numbers.setdefault(token, len(self._numbers))


def _after(op: Any) -> list[Any]:
    """Return the tokens that an access of global memory comes after; none for other operations."""
    if op.name == BULK_STORE or global_access(op) is not None:
        return [value for value in op.operands if is_token(value)]
    return []


def _moves(op: Any) -> Iterator[tuple[Any, list[Any]]]:
    """Yield the tokens that `op` sets, each with those whose accesses it takes over."""
    if op.name == _JOIN:
        yield op.results[0], list(op.operands)
    elif op.name == "scf.for":
        inits = list(op.operands)[3:]
        yield from _passed(inits, list(op.regions[0].blocks[0].arguments)[1:], op.results)
    elif op.name == "scf.while":
        yield from _passed(op.operands, op.regions[0].blocks[0].arguments)
    elif op.name == "scf.condition":
        loop = parent_operation(op)
        yield from _passed(list(op.operands)[1:], loop.regions[1].blocks[0].arguments, loop.results)
    elif op.name == "scf.yield":
        yield from _yielded(op, parent_operation(op))


def _yielded(op: Any, around: Any) -> Iterator[tuple[Any, list[Any]]]:
    if around.name == "scf.while":
        yield from _passed(op.operands, around.regions[0].blocks[0].arguments)
    elif around.name == "scf.for":
        carried = list(around.regions[0].blocks[0].arguments)[1:]
        yield from _passed(op.operands, carried, around.results)
    else:
        yield from _passed(op.operands, around.results)


def _passed(values: Iterable[Any], *targets: Iterable[Any]) -> Iterator[tuple[Any, list[Any]]]:
    sources = list(values)
    for group in targets:
        for source, target in zip(sources, group, strict=True):
            if is_token(target):
                yield target, [source]
