"""nv-tileas-assign-register-layouts on random programs.

Whatever the program, every tile must get a layout over all threads of the role that holds all of
its elements; and permute, view and broadcast, which move nothing, must find each element in the
register where the other side's layout has it.
"""

import random
from math import prod

import pytest

from tilec.ir.bindings import ir
from tilec.ir.context import make_context
from tilec.ir.text import parse_module
from tilec.ir.walks import walk_operations
from tilec.passes.analysis.kernels import kernel_functions
from tilec.passes.analysis.tma.shared_layouts import register_layout_of
from tilec.passes.registry import PassContext
from tilec.passes.transforms.nv_tileas.resources.assign_register_layouts import (
    assign_register_layouts,
)

MAX_ELEMENTS = 1 << 14
MAX_RANK = 4
EXTENTS = (1, 2, 3, 4, 8, 16, 32, 64, 96)
THREADS_TRIED = 4
A_SLOT = (
    "!nv_tileas.smem<tensor<{}x16xbf16, #nv_tileas.shared_layout<array<i64: {}, 16>, 32 : i64>>>"
)
B_SLOT = "!nv_tileas.smem<tensor<16x{}xbf16, #nv_tileas.shared_layout<array<i64: 16, 8>, 0 : i64>>>"
SPEC = "{{producer_warps = 0 : i64, consumer_warps = {} : i64}}"


@pytest.fixture(scope="module")
def context():
    return make_context()


def _type(shape):
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


class _Program:
    """The text of a random consumer role."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.warps = self.random.choice([1, 2, 4, 8])
        self.lines = []
        self.values = []
        self.slots = {}
        self.depth = 0
        if self.warps >= 4 and self.random.random() < 0.6:
            self.product()
        for _ in range(2):
            rank = self.random.randint(1, 3)
            self.constant(tuple(self.random.choice(EXTENTS) for _ in range(rank)))
        for _ in range(self.random.randint(3, 14)):
            shaping = (self.permute, self.view, self.broadcast)
            scratch = (self.cat, self.extract)
            step = self.random.choice([*shaping, *scratch, self.unary, self.binary, self.loop])
            step(*self.random.choice(self.values))

    def add(self, shape, text):
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        self.values.append((name, shape))
        return name

    def constant(self, shape):
        return self.add(shape, f"arith.constant dense<1.0> : {_type(shape)}")

    def product(self):
        m, n = 16 * self.warps * self.random.choice([1, 2]), self.random.choice([8, 32, 96, 128])
        acc, tile = self.constant((m, n)), _type((m, n))
        a, b = A_SLOT.format(m, min(m, 256)), B_SLOT.format(n)
        self.slots.update({"%a": a, "%b": b})
        group = self.add(
            (m, n),
            f'"nv_tileas.async_mma"(%a, %b, {acc}) {{a_major = "k", b_major = "n"}}'
            f" : ({a}, {b}, {tile}) -> ({tile}, !nv_tileas.mma_token)",
        )
        self.lines[-1] = self.lines[-1].replace(f"{group} =", f"{group}:2 =")
        self.values.pop()
        self.add(
            (m, n),
            f'"nv_tileas.mma_wait"({group}#0, {group}#1) {{pending = 0 : i64}}'
            f" : ({tile}, !nv_tileas.mma_token) -> {tile}",
        )

    def permute(self, value, shape):
        order = self.random.sample(range(len(shape)), len(shape))
        result = tuple(shape[axis] for axis in order)
        attribute = f"{{permutation = array<i64: {', '.join(map(str, order))}>}}"
        text = f'"nv_tileas.permute"({value}) {attribute} : ({_type(shape)}) -> {_type(result)}'
        self.add(result, text)

    def view(self, value, shape):
        rest, result = prod(shape), []
        for _ in range(self.random.randint(0, MAX_RANK - 1)):
            result.append(self.random.choice([d for d in range(1, rest + 1) if rest % d == 0]))
            rest //= result[-1]
        result.append(rest)
        self.random.shuffle(result)
        text = f'"nv_tileas.view"({value}) : ({_type(shape)}) -> {_type(result)}'
        self.add(tuple(result), text)

    def broadcast(self, value, shape):
        result = tuple(self.random.choice(EXTENTS) if e == 1 else e for e in shape)
        if prod(result) <= MAX_ELEMENTS:
            text = f'"nv_tileas.broadcast"({value}) : ({_type(shape)}) -> {_type(result)}'
            self.add(result, text)

    def unary(self, value, shape):
        self.add(shape, f"math.exp {value} : {_type(shape)}")

    def binary(self, value, shape):
        other, _ = self.random.choice([item for item in self.values if item[1] == shape])
        self.add(shape, f"arith.addf {value}, {other} : {_type(shape)}")

    def cat(self, value, shape):
        axis = self.random.randrange(len(shape))
        result = tuple(2 * e if i == axis else e for i, e in enumerate(shape))
        if prod(result) <= MAX_ELEMENTS:
            types = f"({_type(shape)}, {_type(shape)}) -> {_type(result)}"
            text = f'"nv_tileas.cat"({value}, {value}) {{dim = {axis} : i64}} : {types}'
            self.add(result, text)

    def extract(self, value, shape):
        result = tuple(
            self.random.choice([d for d in range(1, e + 1) if e % d == 0]) for e in shape
        )
        rank = len(shape)
        self.add(
            result,
            f'"nv_tileas.extract"({value}{", %i" * rank})'
            f" : ({_type(shape)}{', i32' * rank}) -> {_type(result)}",
        )

    def loop(self, value, shape):
        inner = f"%x{len(self.lines)}"
        tile = _type(shape)
        self.add(
            shape,
            f"scf.for %k = %i to %i step %i iter_args({inner} = {value}) -> ({tile}) : i32 {{\n"
            f"  {inner}_next = arith.addf {inner}, {inner} : {tile}\n"
            f"  scf.yield {inner}_next : {tile}\n}}",
        )

    def text(self):
        arguments = {"%i": "i32", **self.slots}
        parameters = ", ".join(f"{name}: {type_}" for name, type_ in arguments.items())
        body = "\n".join(self.lines)
        return f"""
        "nv_tileaa.func"() ({{
        ^bb0({parameters}):
        "nv_tileas.roles"() ({{
          "nv_tileas.yield"() : () -> ()
        }}, {{
        {body}
          "nv_tileas.yield"() : () -> ()
        }}) {SPEC.format(self.warps)} : () -> ()
        "nv_tileaa.return"() : () -> ()
        }}) {{sym_name = "k", function_type = ({", ".join(arguments.values())}) -> (),
        nv_tileaa.kernel_spec = {SPEC.format(self.warps)}}} : () -> ()
        """


def _row_major(coordinates, shape):
    index = 0
    for coordinate, extent in zip(coordinates, shape, strict=True):
        index = index * extent + coordinate
    return index


def _check_permute(op, source, result, thread):
    order = list(op.opview.permutation)
    for register in range(result.num_registers):
        there = source.coordinates(register, thread)
        assert result.coordinates(register, thread) == tuple(there[axis] for axis in order)


def _check_view(op, source, result, thread):
    del op
    for register in range(result.num_registers):
        here = _row_major(result.coordinates(register, thread), result.shape)
        assert here == _row_major(source.coordinates(register, thread), source.shape)


def _check_broadcast(op, source, result, thread):
    del op
    expected, registers = result.broadcast_source(source.shape)
    assert expected == source
    for register, origin in enumerate(registers):
        here = result.coordinates(register, thread)
        kept = tuple(c if e != 1 else 0 for c, e in zip(here, source.shape, strict=True))
        assert source.coordinates(origin, thread) == kept


CHECKS = {
    "nv_tileas.permute": _check_permute,
    "nv_tileas.view": _check_view,
    "nv_tileas.broadcast": _check_broadcast,
}


@pytest.mark.parametrize("seed", range(80))
def test_every_tile_has_a_layout_and_relabelling_agrees_with_it(context, seed):
    program = _Program(seed)
    module = parse_module(program.text(), context, "k.mlir")

    with context:
        (function,) = kernel_functions(module)
        assign_register_layouts(function, PassContext())

    assert module.operation.verify()
    chosen = random.Random(seed)
    for op in walk_operations(module.body):
        for result in op.results:
            if isinstance(result.type, ir.RankedTensorType):
                layout = register_layout_of(result)
                assert layout.shape == tuple(result.type.shape)
                assert layout.num_threads == 32 * program.warps
                assert layout.is_surjective
        if op.name in CHECKS:
            source, result = register_layout_of(op.operands[0]), register_layout_of(op.results[0])
            for thread in chosen.sample(range(32 * program.warps), THREADS_TRIED):
                CHECKS[op.name](op, source, result, thread)
        if op.name == "scf.for":
            carried = [op.operands[3], op.regions[0].blocks[0].arguments[1], op.results[0]]
            assert len({register_layout_of(value) for value in carried}) == 1
