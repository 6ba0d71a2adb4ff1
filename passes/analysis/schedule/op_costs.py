"""What an operation on tiles costs one warpgroup: the nodes of a loop's graph."""

from math import ceil, prod
from typing import Any

from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.bindings import ir
from tilec.ir.structured import body_operations
from tilec.ir.values import origin_of, users_of
from tilec.ir.walks import walk_operations
from tilec.passes.analysis.schedule.marks import stage_of
from tilec.plan import machine
from tilec.plan.graph import Engine, Op
from tilec.support.mma_atoms import TENSOR_BYTES_PER_CYCLE

DOT, _RECEIVE = "nv_tileas.dot", "nv_tileas.receive"
_LOAD_SHARED, _TOKEN = "nv_tileas.load_shared", "nv_tileas.receive_token"
_FREE = frozenset(
    (
        "nv_tileas.broadcast",
        "nv_tileas.make_range",
        "nv_tileas.permute",
        _RECEIVE,
        "nv_tileas.slot_view",
        "nv_tileas.splat",
        "nv_tileas.view",
        "arith.bitcast",
        "arith.constant",
    )
)
"""Operations that name registers or tiles, or whose cost a product hides."""
_NAMES = frozenset(("nv_tileas.broadcast", "nv_tileas.permute", "nv_tileas.view"))
"""Operations whose result lies in the registers of their operand."""
_SPECIAL = frozenset(("exp", "exp2", "log", "log2", "log10", "rsqrt", "sqrt", "sin", "cos", "tanh"))
"""Functions that an SM computes by its special function units, and a few other instructions."""
_FUSED = frozenset(("addf", "subf", "mulf", "negf", "fma"))
"""Operations of `VECTOR_PER_CYCLE`; all others are of `SIMPLE_PER_CYCLE`."""
_LANES_OF_ROW, _LANES_OF_COLUMN = 4, 32
"""Threads of a warpgroup among which a row and a column of an accumulator are spread (PTX ISA,
wgmma): the lanes of a quad, and the quads of four warps."""
_STEPS = {"divf": 10.0, "erf": 20.0, "powf": 30.0, "remf": 30.0, "divsi": 20.0, "remsi": 20.0}
"""Instructions of operations that have none of their own (by the PTX that LLVM emits; estimate)."""
_FULL_RANGE_STEPS = 3.0
"""Multiplications of a quotient that may err (`div.full.f32`, by its SASS): by two powers of two
that keep the divisor in range, and by the reciprocal, which rows and scalars have once."""


def op_cost(op: Any, warpgroups: int) -> Op:
    """Return what `op` costs where `warpgroups` share its tiles by rows."""
    cost = _product(op, warpgroups) if op.name == DOT else _threads(op, warpgroups)
    in_place = _in_shared_memory(op) or _in_predicates(op)
    shares = () if in_place else _registers_of_results(op, warpgroups)
    engine, cycles, latency = cost
    return Op(
        op.name,
        engine,
        cycles,
        latency,
        registers=sum(shares),
        stage=stage_of(op),
        in_place=in_place,
        shares=shares if len(shares) > 1 else (),
        arrives=op.name == _RECEIVE,
    )


def is_name(op: Any) -> bool:
    """Tell whether the result of `op` lies in the registers of its operand."""
    return op.name in _NAMES


def is_elementwise(op: Any) -> bool:
    """Tell whether `op` computes each element of its one result from those at the same place."""
    is_tile = len(op.results) == 1 and isinstance(op.results[0].type, ir.RankedTensorType)
    return is_tile and op.name.split(".")[0] in ("arith", "math") and len(op.operands) > 0


def is_special(op: Any) -> bool:
    """Tell whether `op` is an element-wise operation of the special function units."""
    return is_elementwise(op) and op_cost(op, 1).engine is Engine.SPECIAL


def registers_of(tile: Any) -> Any:
    """Return the tile in whose registers `tile` lies, past everything that only renames them."""
    return origin_of(tile, is_name)


def tile_registers(op: Any, warpgroups: int) -> int:
    """Return the registers of a thread that the results of `op` take."""
    return sum(_registers_of_results(op, warpgroups))


def _registers_of_results(op: Any, warpgroups: int) -> tuple[int, ...]:
    """Return the registers of a thread that each result of `op` takes."""
    if is_name(op) or op.name in ("nv_tileas.splat", "arith.constant"):
        return (0,) * len(op.results)
    return tuple(_registers_of(result.type, warpgroups) for result in op.results)


def _registers_of(kind: Any, warpgroups: int) -> int:
    if not isinstance(kind, ir.RankedTensorType):
        return 0
    return ceil(_elements(kind.shape, warpgroups) * element_bits(kind.element_type) / 32)


def _elements(shape: list[int], warpgroups: int) -> float:
    """Return the elements of a tile that a thread holds.

    Rows and columns that are spread over an accumulator lie as it does: a thread has two rows of
    each 64, and a quarter of the columns.
    """
    *_, rows, columns = 1, 1, *shape
    if len(shape) > 1 and 1 in (rows, columns) and rows != columns:
        return rows / (_LANES_OF_COLUMN * warpgroups) if columns == 1 else columns / _LANES_OF_ROW
    return prod(shape) / (machine.WARPGROUP_THREADS * warpgroups)


def _is_tile(value: Any) -> bool:
    return isinstance(value.type, ir.RankedTensorType)


def _in_shared_memory(op: Any) -> bool:
    """Tell whether the result of `op` is a tile that products read where it lies."""
    if op.name not in ("nv_tileas.receive", "nv_tileas.load_shared", "nv_tileas.view"):
        return False
    users = users_of(op.results[0])
    return all(user.name in (DOT, _TOKEN) or _in_shared_memory(user) for user in users)


def _in_predicates(op: Any) -> bool:
    """Tell whether `op` computes a mask.

    It lies in predicates. To carry it to the next round, threads would pack and unpack each bit.
    """
    kinds = [result.type.element_type for result in op.results if _is_tile(result)]
    return any(isinstance(kind, ir.IntegerType) and kind.width == 1 for kind in kinds)


def _product(op: Any, warpgroups: int) -> tuple[Engine, float, float]:
    m, n, k = op.opview.extents
    size = element_bits(op.operands[0].type.element_type) / 8
    rate = TENSOR_BYTES_PER_CYCLE
    return Engine.TENSOR, m * n * k * size / rate / warpgroups, 0.0


def _threads(op: Any, warpgroups: int) -> tuple[Engine, float, float]:
    """Return what an operation costs that threads perform, with the cheaper side of a branch."""
    if op.name in _FREE or not any(_is_tile(result) for result in op.results):
        return Engine.NONE, 0.0, 0.0
    if op.name == _LOAD_SHARED:
        return _load(op, warpgroups)
    if len(op.regions) and op.name == "scf.if":
        sides = [
            sum(_threads(inner, warpgroups)[1] for inner in walk_operations(region.blocks[0]))
            for region in op.regions
            if len(region.blocks)
        ]
        return Engine.VECTOR, min(sides), 0.0
    tiles = [value for value in (*op.operands, *op.results) if _is_tile(value)]
    elements = max((prod(v.type.shape) for v in tiles), default=0) / warpgroups
    if op.name in ("nv_tileas.reduce", "nv_tileas.scan"):
        return _combination(op, elements, warpgroups)
    name = op.name.rpartition(".")[2]
    if name in _SPECIAL:
        return Engine.SPECIAL, elements / machine.SPECIAL_PER_CYCLE, 0.0
    if name == "divf" and "fastmath" in op.attributes:
        return Engine.VECTOR, elements * _FULL_RANGE_STEPS / machine.VECTOR_PER_CYCLE, 0.0
    return Engine.VECTOR, elements * _STEPS.get(name, 1.0) / _rate(name), 0.0


def _load(op: Any, warpgroups: int) -> tuple[Engine, float, float]:
    """Return what it costs threads to read a tile that they compute with, as pairs of elements.

    A product that is issued before it runs meanwhile.
    """
    if _in_shared_memory(op):
        return Engine.NONE, 0.0, 0.0
    elements = prod(op.results[0].type.shape) / warpgroups
    return Engine.VECTOR, elements / (2 * machine.WARP_THREADS), machine.SHARED_LATENCY


def _combination(op: Any, elements: float, warpgroups: int) -> tuple[Engine, float, float]:
    """Return what a reduction or scan of `elements` elements costs.

    Four lanes have a row of an accumulator: two steps between lanes, where the last axis is
    combined. Along other axes that a row is cut into, each lane combines what it has.
    """
    steps = [inner.name.rpartition(".")[2] for inner in body_operations(op.opview.block)[:-1]]
    rates = [_rate(name) for name in steps]
    cycles = elements * sum(1 / rate for rate in rates)
    if op.opview.axis.value < len(op.operands[0].type.shape) - 1:
        return Engine.VECTOR, cycles, 0.0
    rows = prod(op.results[0].type.shape) / warpgroups
    return Engine.VECTOR, cycles, rows * 4 * 2 / machine.SHUFFLE_PER_CYCLE


def _rate(name: str) -> int:
    """Return how often an SM performs an operation of threads in a cycle."""
    return machine.VECTOR_PER_CYCLE if name in _FUSED else machine.SIMPLE_PER_CYCLE
