"""What an operation on tiles costs one warpgroup: the nodes of a loop's graph."""

from math import ceil, prod
from typing import Any

from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.bindings import ir
from tilec.ir.structured import walk_operations
from tilec.passes.analysis.schedule.marks import stage_of
from tilec.plan import machine
from tilec.plan.graph import Engine, Op
from tilec.support.mma_atoms import TENSOR_BYTES_PER_CYCLE

DOT = "nv_tileas.dot"
_TOKEN = "nv_tileas.receive_token"
_FREE = frozenset(
    (
        "nv_tileas.broadcast",
        "nv_tileas.load_shared",
        "nv_tileas.make_range",
        "nv_tileas.permute",
        "nv_tileas.receive",
        "nv_tileas.slot_view",
        "nv_tileas.splat",
        "nv_tileas.view",
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
_STEPS = {"divf": 10.0, "erf": 20.0, "powf": 30.0, "remf": 30.0, "divsi": 20.0, "remsi": 20.0}
"""Instructions of operations that have none of their own (by the PTX that LLVM emits; estimate)."""


def op_cost(op: Any, warpgroups: int) -> Op:
    """Return what `op` costs where `warpgroups` share its tiles by rows."""
    cost = _product(op, warpgroups) if op.name == DOT else _threads(op, warpgroups)
    in_place = _in_shared_memory(op)
    registers = 0 if in_place else tile_registers(op, warpgroups)
    engine, cycles, latency = cost
    return Op(op.name, engine, cycles, latency, registers, stage_of(op), in_place)


def tile_registers(op: Any, warpgroups: int) -> int:
    """Return the registers of a thread that the results of `op` take."""
    if op.name in _NAMES:
        source = op.operands[0].owner
        held = source.operation if isinstance(op.operands[0], ir.OpResult) else None
        return 0 if held is None else tile_registers(held, warpgroups)
    if op.name in ("nv_tileas.splat", "arith.constant"):
        return 0
    threads = machine.WARPGROUP_THREADS * warpgroups
    tiles = (result.type for result in op.results if _is_tile(result))
    return sum(ceil(prod(t.shape) * element_bits(t.element_type) / 32 / threads) for t in tiles)


def _is_tile(value: Any) -> bool:
    return isinstance(value.type, ir.RankedTensorType)


def _in_shared_memory(op: Any) -> bool:
    """Tell whether the result of `op` is a tile that products read where it lies."""
    if op.name not in ("nv_tileas.receive", "nv_tileas.load_shared", "nv_tileas.view"):
        return False
    users = [use.owner.operation for use in op.results[0].uses]
    return all(user.name in (DOT, _TOKEN) or _in_shared_memory(user) for user in users)


def _product(op: Any, warpgroups: int) -> tuple[Engine, float, float]:
    m, n, k = op.opview.extents
    size = element_bits(op.operands[0].type.element_type) / 8
    rate = TENSOR_BYTES_PER_CYCLE
    return Engine.TENSOR, m * n * k * size / rate / warpgroups, 0.0


def _threads(op: Any, warpgroups: int) -> tuple[Engine, float, float]:
    """Return what an operation costs that threads perform, with the cheaper side of a branch."""
    if op.name in _FREE or not any(_is_tile(result) for result in op.results):
        return Engine.NONE, 0.0, 0.0
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
        rows = prod(op.results[0].type.shape) / warpgroups
        shuffles = rows * 4 * 2 / machine.SHUFFLE_PER_CYCLE  # four lanes have a row: two steps
        return Engine.VECTOR, elements / machine.SIMPLE_PER_CYCLE, shuffles
    name = op.name.rpartition(".")[2]
    if name in _SPECIAL:
        return Engine.SPECIAL, elements / machine.SPECIAL_PER_CYCLE, 0.0
    rate = machine.VECTOR_PER_CYCLE if name in _FUSED else machine.SIMPLE_PER_CYCLE
    return Engine.VECTOR, elements * _STEPS.get(name, 1.0) / rate, 0.0
