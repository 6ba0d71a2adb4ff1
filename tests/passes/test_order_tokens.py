"""cuda-tile-order-tokens on random programs.

Each program is run abstractly after the pass: a token is the set of accesses that are complete
when it is. Every two accesses of one array of which one is a store must be ordered as written.
"""

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilec.dialects import cuda_tile as ct
from tilec.ir.bindings import arith, ir, scf
from tilec.ir.context import make_context
from tilec.ir.structured import body_operations, terminator
from tilec.ir.walks import walk_operations
from tilec.passes.registry import PassContext
from tilec.passes.transforms.cuda_tile.order_tokens import order_tokens

ARRAYS = 2
EXTENT = 8

accesses = st.tuples(st.sampled_from(["load", "store"]), st.integers(0, ARRAYS - 1))


def _nest(inner: Any) -> Any:
    body = st.lists(inner, max_size=3)
    return st.one_of(
        st.tuples(st.just("for"), st.integers(0, 3), body),
        st.tuples(st.just("while"), st.integers(0, 2), body),
        st.tuples(st.just("if"), st.booleans(), body, st.one_of(st.none(), body)),
    )


programs = st.lists(st.recursive(accesses, _nest, max_leaves=10), max_size=5)


@pytest.fixture(scope="module")
def context() -> Any:
    return make_context()


class _Builder:
    """Builds the IR of a program."""

    def __init__(self, entry: ct.EntryOp) -> None:
        self.i32 = ir.IntegerType.get_signless(32)
        self.views = [
            ct.MakePartitionViewOp.build(ct.MakeTensorViewOp.build(argument, [64], [1]), [EXTENT])
            for argument in entry.arguments
        ]
        tile = ct.TileType.of([EXTENT], ir.F32Type.get())
        self.tile = ct.ConstantOp.build(tile, 0.0)

    def number(self, value: int) -> Any:
        return arith.ConstantOp(self.i32, value).result

    def build(self, program: list[Any]) -> None:
        for kind, *rest in program:
            getattr(self, f"build_{kind}")(*rest)

    def build_load(self, array: int) -> None:
        ct.LoadViewTkoOp.build(self.views[array], [self.number(0)])

    def build_store(self, array: int) -> None:
        ct.StoreViewTkoOp.build(self.tile, self.views[array], [self.number(0)])

    def build_for(self, trips: int, body: list[Any]) -> None:
        loop = scf.ForOp(self.number(0), self.number(trips), self.number(1))
        with ir.InsertionPoint(loop.body):
            self.build(body)
            scf.YieldOp([])

    def build_while(self, trips: int, body: list[Any]) -> None:
        loop = ir.Operation.create(
            "scf.while", results=[self.i32], operands=[self.number(0)], regions=2
        )
        location = ir.Location.unknown()
        before = loop.regions[0].blocks.append(self.i32, arg_locs=[location])
        after = loop.regions[1].blocks.append(self.i32, arg_locs=[location])
        with ir.InsertionPoint(before):
            counter = before.arguments[0]
            more = arith.CmpIOp(arith.CmpIPredicate.slt, counter, self.number(trips)).result
            self.build(body[:1])
            scf.ConditionOp(more, [counter])
        with ir.InsertionPoint(after):
            self.build(body[1:])
            scf.YieldOp([arith.AddIOp(after.arguments[0], self.number(1)).result])

    def build_if(self, taken: bool, then: list[Any], other: list[Any] | None) -> None:
        condition = arith.ConstantOp(ir.IntegerType.get_signless(1), int(taken)).result
        op = ir.Operation.create("scf.if", operands=[condition], regions=2)
        for body, region in zip((then, other), op.regions, strict=True):
            if body is not None:
                with ir.InsertionPoint(region.blocks.append()):
                    self.build(body)
                    scf.YieldOp([])


def _build_module(program: list[Any]) -> Any:
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        entry = ct.EntryOp.build("k", [ct.PtrType.of(ir.F32Type.get())] * ARRAYS)
        with ir.InsertionPoint(entry.block):
            _Builder(entry).build(program)
            ct.ReturnOp.build()
    return module


@dataclass
class _Event:
    """One executed access: what it waited for, by event number."""

    is_store: bool
    array: int
    waited_for: frozenset[int]


@dataclass
class _Machine:
    """Runs IR on integers and on tokens (sets of event numbers)."""

    values: dict[Any, Any] = field(default_factory=dict)
    events: list[_Event] = field(default_factory=list)

    def run_block(self, block: Any, arguments: list[Any]) -> list[Any]:
        """Run a block and return the operand values of its terminator."""
        self.values.update(zip(block.arguments, arguments, strict=True))
        last = terminator(block)
        for op in body_operations(block)[:-1]:
            results = self.run_op(op)
            self.values.update(zip(op.results, results, strict=True))
        return [self.values.get(value) for value in last.operands]

    def run_op(self, op: Any) -> list[Any]:
        operands: list[Any] = [self.values.get(value) for value in op.operands]
        match op.name:
            case "arith.constant":
                return [ir.IntegerAttr(op.attributes["value"]).value]
            case "arith.addi":
                return [operands[0] + operands[1]]
            case "arith.cmpi":
                return [operands[0] < operands[1]]
            case "scf.for":
                return self.run_for(op, operands)
            case "scf.while":
                return self.run_while(op, operands)
            case "scf.if":
                region = op.regions[0 if operands[0] else 1]
                return self.run_block(region.blocks[0], []) if len(region.blocks) else []
            case "cuda_tile.make_token":
                return [frozenset()]
            case "cuda_tile.join_tokens":
                return [frozenset().union(*operands)]
            case "cuda_tile.load_view_tko" | "cuda_tile.store_view_tko":
                return self.run_access(op.opview)
        return [None] * len(op.results)

    def run_for(self, op: Any, operands: list[Any]) -> list[Any]:
        carried = operands[3:]
        for index in range(*operands[:3]):
            carried = self.run_block(op.regions[0].blocks[0], [index, *carried])
        return carried

    def run_while(self, op: Any, operands: list[Any]) -> list[Any]:
        carried = operands
        while True:
            more, *carried = self.run_block(op.regions[0].blocks[0], carried)
            if not more:
                return carried
            carried = self.run_block(op.regions[1].blocks[0], carried)

    def run_access(self, access: Any) -> list[Any]:
        waited_for = self.values[access.token]
        view = access.view.owner.opview.tensor_view.owner.opview
        is_store = isinstance(access, ct.StoreViewTkoOp)
        self.events.append(_Event(is_store, view.base.arg_number, waited_for))
        token = waited_for | {len(self.events) - 1}
        return [token] if is_store else [None, token]


def _conflicts(events: list[_Event]) -> list[tuple[int, int]]:
    return [
        (first, second)
        for second, later in enumerate(events)
        for first, earlier in enumerate(events[:second])
        if earlier.array == later.array and (earlier.is_store or later.is_store)
    ]


@settings(max_examples=150, deadline=None)
@given(program=programs)
def test_conflicting_accesses_keep_program_order(context, program):
    with context, ir.Location.unknown():
        module = _build_module(program)
        order_tokens(module, PassContext())
        module.operation.verify()
        machine = _Machine()
        machine.run_block(body_operations(module.body)[0].regions[0].blocks[0], [None] * ARRAYS)
        for first, second in _conflicts(machine.events):
            assert first in machine.events[second].waited_for


@settings(max_examples=50, deadline=None)
@given(program=programs)
def test_second_run_changes_nothing(context, program):
    with context, ir.Location.unknown():
        module = _build_module(program)
        order_tokens(module, PassContext())
        text = str(module)
        order_tokens(module, PassContext())
        assert str(module) == text


@settings(max_examples=50, deadline=None)
@given(program=st.lists(st.just(("load", 0)) | st.just(("for", 2, [("load", 1)])), max_size=4))
def test_loads_of_read_only_arrays_wait_for_nothing(context, program):
    with context, ir.Location.unknown():
        module = _build_module(program)
        order_tokens(module, PassContext())
        names = [op.name for op in walk_operations(module.body)]
        assert names.count("cuda_tile.make_token") == int(bool(program))
        machine = _Machine()
        machine.run_block(body_operations(module.body)[0].regions[0].blocks[0], [None] * ARRAYS)
        assert not any(event.waited_for for event in machine.events)
