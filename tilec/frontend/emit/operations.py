"""Operations of the typed program, spelled with cuda_tile, and control flow with scf."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from tilec.dialects import cuda_tile
from tilec.dialects.common.combine_ops import combine_fields, source_fields
from tilec.frontend.emit.memory import MEMORY
from tilec.frontend.emit.scalars import emit_scalar, scalar_attribute
from tilec.frontend.emit.types import element_type, mlir_type, signedness
from tilec.frontend.semantics import hir
from tilec.frontend.semantics.facts.rounded_inputs import RoundedInputs
from tilec.ir.bindings import ir
from tilec.ir.integers import i64
from tilec.support.diagnostics import InternalCompilerError, SourceSpan

_PLAIN = {
    "addf": cuda_tile.AddFOp,
    "subf": cuda_tile.SubFOp,
    "mulf": cuda_tile.MulFOp,
    "divf": cuda_tile.DivFOp,
    "remf": cuda_tile.RemFOp,
    "pow": cuda_tile.PowOp,
    "fma": cuda_tile.FmaOp,
    "negf": cuda_tile.NegFOp,
    "absf": cuda_tile.AbsFOp,
    "ceil": cuda_tile.CeilOp,
    "floor": cuda_tile.FloorOp,
    "sqrt": cuda_tile.SqrtOp,
    "rsqrt": cuda_tile.RsqrtOp,
    "log": cuda_tile.LogOp,
    "log2": cuda_tile.Log2Op,
    "sin": cuda_tile.SinOp,
    "cos": cuda_tile.CosOp,
    "tan": cuda_tile.TanOp,
    "sinh": cuda_tile.SinHOp,
    "cosh": cuda_tile.CosHOp,
    "asin": cuda_tile.AsinOp,
    "acos": cuda_tile.AcosOp,
    "atan": cuda_tile.AtanOp,
    "log1p": cuda_tile.Log1pOp,
    "expm1": cuda_tile.Expm1Op,
    "popcount": cuda_tile.PopcountOp,
    "clz": cuda_tile.ClzOp,
    "erf": cuda_tile.ErfOp,
    "round": cuda_tile.RoundOp,
    "trunc": cuda_tile.TruncOp,
    "atan2": cuda_tile.Atan2Op,
    "addi": cuda_tile.AddIOp,
    "subi": cuda_tile.SubIOp,
    "muli": cuda_tile.MulIOp,
    "andi": cuda_tile.AndIOp,
    "ori": cuda_tile.OrIOp,
    "xori": cuda_tile.XOrIOp,
    "shli": cuda_tile.ShLIOp,
    "absi": cuda_tile.AbsIOp,
    "negi": cuda_tile.NegIOp,
    "select": cuda_tile.SelectOp,
}
_ROUNDED = {"exp": cuda_tile.ExpOp, "tanh": cuda_tile.TanHOp}
"""Functions that take a rounding."""
_SIGNED = {
    "remi": cuda_tile.RemIOp,
    "maxi": cuda_tile.MaxIOp,
    "mini": cuda_tile.MinIOp,
    "shri": cuda_tile.ShRIOp,
}
_EXTREMA = {"maxf": cuda_tile.MaxFOp, "minf": cuda_tile.MinFOp}
_CONVERSIONS = {
    "ftof": cuda_tile.FToFOp,
    "trunci": cuda_tile.TruncIOp,
    "bitcast": cuda_tile.BitcastOp,
}
_SIGNED_CONVERSIONS = {
    "ftoi": cuda_tile.FToIOp,
    "itof": cuda_tile.IToFOp,
    "exti": cuda_tile.ExtIOp,
}
_SHAPES = {"reshape": cuda_tile.ReshapeOp, "broadcast": cuda_tile.BroadcastOp}


class Emitter:
    """Builds operations at the current insertion point and remembers the values they give."""

    def __init__(self, body: hir.Block) -> None:
        """Start without values; `body` is the kernel that will be emitted."""
        self._values: dict[hir.Value, Any] = {}
        self._locations: dict[SourceSpan, Any] = {}
        self._types: dict[hir.Type, Any] = {}
        self._rounded = RoundedInputs(body)

    def location(self, span: SourceSpan) -> Any:
        """Return the MLIR location of a source range."""
        found = self._locations.get(span)
        if found is None:
            found = ir.Location.file(
                span.file, span.line, span.column, span.end_line, span.end_column
            )
            self._locations[span] = found
        return found

    def type(self, kind: hir.Type) -> Any:
        """Return the MLIR type of a value."""
        found = self._types.get(kind)
        if found is None:
            found = self._types[kind] = mlir_type(kind)
        return found

    def bind(self, values: Sequence[hir.Value], results: Sequence[Any]) -> None:
        """Remember the MLIR values of `values`."""
        for value, result in zip(values, results, strict=True):
            self._values[value] = result

    def get(self, value: hir.Value) -> Any:
        """Return the MLIR value of `value`."""
        return self._values[value]

    def emit_block(self, block: hir.Block) -> None:
        """Emit the operations of a block at the current insertion point."""
        for op in block.operations:
            self._emit(op)

    def _emit(self, op: hir.Operation) -> None:
        where = self.location(op.span)
        operands = [self._values[item] for item in op.operands]
        if op.name in _STRUCTURED:
            _STRUCTURED[op.name](self, op, operands, where)
        elif op.name in _MULTIPLE:
            self.bind(op.results, list(_MULTIPLE[op.name].build(loc=where).results))
        elif op.name == "print":
            value = operands[0] if operands else None
            cuda_tile.PrintOp.build(value, **op.attributes, loc=where)
        elif op.name == "assert":
            cuda_tile.AssertOp.build(*operands, **op.attributes, loc=where)
        elif op.name in MEMORY:
            self.bind(op.results, MEMORY[op.name](op, operands, where))
        else:
            self.bind(op.results, [self._emit_value(op, operands, where)])

    def is_rounded(self, op: hir.Operation) -> bool:
        """Tell whether the operand of `op` carries the rounding of numbers of 16 bits."""
        return self._rounded.holds(op.operands[0])

    def flushes(self, op: hir.Operation) -> bool:
        """Tell whether `op`, a function of one tile, flushes subnormal numbers to zero."""
        asked = op.attributes.get("flush_to_zero")
        return self.is_rounded(op) if asked is None else asked

    def _emit_value(self, op: hir.Operation, operands: list[Any], where: Any) -> Any:
        """Emit an operation with one result and return that."""
        if op.name == "reinterpret":
            return operands[0]
        if isinstance(op.results[0].type, hir.ScalarType):
            return emit_scalar(op, operands, where)
        name, attributes = op.name, op.attributes
        if name in _PLAIN:
            rounding = {"rounding": attributes["rounding"]} if "rounding" in attributes else {}
            return _PLAIN[name].build(*operands, **rounding, loc=where)
        if name in _SIGNED:
            signed = signedness(attributes["signed"])
            return _SIGNED[name].build(*operands, signedness=signed, loc=where)
        if name in _EXTREMA:
            spread = attributes.get("propagate_nan", False)
            return _EXTREMA[name].build(*operands, propagate_nan=spread, loc=where)
        kind = op.results[0].type
        if name in _SHAPES:
            return _SHAPES[name].build(operands[0], _extents(kind), loc=where)
        if name in _CONVERSIONS:
            return _CONVERSIONS[name].build(operands[0], _element(kind), loc=where)
        if name in _SIGNED_CONVERSIONS:
            signed = signedness(attributes["signed"])
            conversion = _SIGNED_CONVERSIONS[name]
            return conversion.build(operands[0], _element(kind), signedness=signed, loc=where)
        if name not in _SPECIAL:
            raise InternalCompilerError("no cuda_tile spelling", pass_name="emit", op=name)
        return _SPECIAL[name](self, op, operands, where)

    # Structured control flow

    def fill(self, region: Any, block: hir.Block, terminator: str, where: Any) -> None:
        """Emit `block` as the only block of `region`."""
        kinds = [self.type(item.type) for item in block.arguments]
        locations = [self.location(item.span) for item in block.arguments]
        target = region.blocks.append(*kinds, arg_locs=locations)
        self.bind(block.arguments, list(target.arguments))
        with ir.InsertionPoint(target):
            self.emit_block(block)
            values = [self._values[item] for item in block.yields]
            if terminator == cuda_tile.YieldOp.OPERATION_NAME:
                cuda_tile.YieldOp(**source_fields(values), loc=where)
            else:
                ir.Operation.create(terminator, operands=values, loc=where)

    def create(self, op: hir.Operation, operands: list[Any], regions: int, where: Any) -> Any:
        """Create the scf operation of `op` with empty regions."""
        return ir.Operation.create(
            f"scf.{op.name}",
            results=[self.type(item.type) for item in op.results],
            operands=operands,
            regions=regions,
            loc=where,
        )


def _extents(kind: hir.Type) -> list[int]:
    assert isinstance(kind, hir.TileType)
    return [int(extent) for extent in kind.shape]


def _element(kind: hir.Type) -> Any:
    assert isinstance(kind, hir.TileType | hir.ScalarType)
    return element_type(kind.dtype)


def _emit_if(emitter: Emitter, op: hir.Operation, operands: list[Any], where: Any) -> None:
    created = emitter.create(op, operands, 2, where)
    first, second = op.regions
    emitter.fill(created.regions[0], first, "scf.yield", where)
    if op.results or second.operations:
        emitter.fill(created.regions[1], second, "scf.yield", where)
    emitter.bind(op.results, list(created.results))


def _emit_for(emitter: Emitter, op: hir.Operation, operands: list[Any], where: Any) -> None:
    created = emitter.create(op, operands, 1, where)
    emitter.fill(created.regions[0], op.regions[0], "scf.yield", where)
    emitter.bind(op.results, list(created.results))


def _emit_while(emitter: Emitter, op: hir.Operation, operands: list[Any], where: Any) -> None:
    created = emitter.create(op, operands, 2, where)
    before, after = op.regions
    emitter.fill(created.regions[0], before, "scf.condition", where)
    emitter.fill(created.regions[1], after, "scf.yield", where)
    emitter.bind(op.results, list(created.results))


def _emit_combine(emitter: Emitter, op: hir.Operation, operands: list[Any], where: Any) -> None:
    tiles = [emitter.type(item.type) for item in op.results]
    elements = [operand.type.element_type for operand in operands]
    pairs = zip(elements, op.attributes["identities"], strict=True)
    attributes: dict[str, Any] = {
        "dim": i64(op.attributes["dim"]),
        "identities": ir.ArrayAttr.get([scalar_attribute(kind, value) for kind, value in pairs]),
    }
    kind = cuda_tile.ScanOp if op.name == "scan" else cuda_tile.ReduceOp
    created = kind(**combine_fields(operands, tiles), **attributes, loc=where)
    if op.attributes.get("reverse"):
        created.attributes["reverse"] = ir.UnitAttr.get()
    emitter.fill(created.body, op.regions[0], cuda_tile.YieldOp.OPERATION_NAME, where)
    emitter.bind(op.results, list(created.tiles))


# Operations whose builders differ


def _constant(emitter: Emitter, op: hir.Operation, _: list[Any], where: Any) -> Any:
    value = op.attributes["value"]
    return cuda_tile.ConstantOp.build(emitter.type(op.results[0].type), value, loc=where)


def _splat(_: Emitter, op: hir.Operation, operands: list[Any], where: Any) -> Any:
    return cuda_tile.SplatOp.build(operands[0], _extents(op.results[0].type), loc=where)


def _iota(_: Emitter, op: hir.Operation, __: list[Any], where: Any) -> Any:
    kind = op.results[0].type
    return cuda_tile.IotaOp.build(_extents(kind)[0], _element(kind), loc=where)


def _divide(_: Emitter, op: hir.Operation, operands: list[Any], where: Any) -> Any:
    signed = signedness(op.attributes["signed"])
    lhs, rhs = operands
    return cuda_tile.DivIOp.build(lhs, rhs, signedness=signed, loc=where)


def _compare_floats(_: Emitter, op: hir.Operation, operands: list[Any], where: Any) -> Any:
    predicate, ordering = op.attributes["predicate"], op.attributes["ordering"]
    return cuda_tile.CmpFOp.build(predicate, *operands, ordering=ordering, loc=where)


def _compare_integers(_: Emitter, op: hir.Operation, operands: list[Any], where: Any) -> Any:
    signed = signedness(op.attributes["signed"])
    predicate = op.attributes["predicate"]
    return cuda_tile.CmpIOp.build(predicate, *operands, signedness=signed, loc=where)


def _rounded(emitter: Emitter, op: hir.Operation, operands: list[Any], where: Any) -> Any:
    rounding = op.attributes.get("rounding")
    if rounding is None and op.name == "exp" and emitter.is_rounded(op):
        tile = operands[0].type
        scale = cuda_tile.ConstantOp.build(tile, math.log2(math.e), loc=where)
        scaled = cuda_tile.MulFOp.build(operands[0], scale, loc=where)
        return cuda_tile.Exp2Op.build(scaled, flush_to_zero=True, loc=where)
    return _ROUNDED[op.name].build(operands[0], rounding=rounding, loc=where)


def _exp2(emitter: Emitter, op: hir.Operation, operands: list[Any], where: Any) -> Any:
    return cuda_tile.Exp2Op.build(operands[0], flush_to_zero=emitter.flushes(op), loc=where)


def _permute(_: Emitter, op: hir.Operation, operands: list[Any], where: Any) -> Any:
    return cuda_tile.PermuteOp.build(operands[0], op.attributes["permutation"], loc=where)


def _cat(_: Emitter, op: hir.Operation, operands: list[Any], where: Any) -> Any:
    lhs, rhs = operands
    return cuda_tile.CatOp.build(lhs, rhs, op.attributes["dim"], loc=where)


def _extract(_: Emitter, op: hir.Operation, operands: list[Any], where: Any) -> Any:
    source, *index = operands
    return cuda_tile.ExtractOp.build(source, index, _extents(op.results[0].type), loc=where)


def _histogram(_: Emitter, op: hir.Operation, operands: list[Any], where: Any) -> Any:
    return cuda_tile.HistogramOp.build(operands[0], *_extents(op.results[0].type), loc=where)


def _tensor_view(_: Emitter, op: hir.Operation, operands: list[Any], where: Any) -> Any:
    kind = op.results[0].type
    assert isinstance(kind, hir.TensorViewType)
    rest = iter(operands[1:])
    shape = [next(rest) if extent is None else extent for extent in kind.shape]
    strides = [next(rest) if stride is None else stride for stride in kind.strides]
    return cuda_tile.MakeTensorViewOp.build(operands[0], shape, strides, loc=where)


def _partition_view(_: Emitter, op: hir.Operation, operands: list[Any], where: Any) -> Any:
    kind = op.results[0].type
    assert isinstance(kind, hir.PartitionViewType)
    return cuda_tile.MakePartitionViewOp.build(
        operands[0], kind.tile, dim_map=kind.dim_map, padding=kind.padding, loc=where
    )


def _strided_view(_: Emitter, op: hir.Operation, operands: list[Any], where: Any) -> Any:
    kind = op.results[0].type
    assert isinstance(kind, hir.PartitionViewType)
    assert kind.steps is not None
    return cuda_tile.MakeStridedViewOp.build(
        operands[0], kind.tile, kind.steps, dim_map=kind.dim_map, padding=kind.padding, loc=where
    )


def _slice_view(_: Emitter, op: hir.Operation, operands: list[Any], where: Any) -> Any:
    return cuda_tile.SliceViewOp.build(*operands, **op.attributes, loc=where)


def _mma_floats(_: Emitter, op: hir.Operation, operands: list[Any], where: Any) -> Any:
    return cuda_tile.MmaFOp.build(*operands, **op.attributes, loc=where)


def _mma_integers(_: Emitter, op: hir.Operation, operands: list[Any], where: Any) -> Any:
    return cuda_tile.MmaIOp.build(
        *operands,
        signedness_lhs=signedness(op.attributes["signed_lhs"]),
        signedness_rhs=signedness(op.attributes["signed_rhs"]),
        loc=where,
    )


_Structured = Callable[[Emitter, hir.Operation, list[Any], Any], None]
_STRUCTURED: dict[str, _Structured] = {
    "if": _emit_if,
    "for": _emit_for,
    "while": _emit_while,
    "reduce": _emit_combine,
    "scan": _emit_combine,
}
_MULTIPLE = {
    "get_tile_block_id": cuda_tile.GetTileBlockIdOp,
    "get_num_tile_blocks": cuda_tile.GetNumTileBlocksOp,
}
_SPECIAL: dict[str, Callable[[Emitter, hir.Operation, list[Any], Any], Any]] = {
    "constant": _constant,
    **dict.fromkeys(_ROUNDED, _rounded),
    "exp2": _exp2,
    "splat": _splat,
    "iota": _iota,
    "divi": _divide,
    "cmpf": _compare_floats,
    "cmpi": _compare_integers,
    "permute": _permute,
    "cat": _cat,
    "extract": _extract,
    "histogram": _histogram,
    "make_tensor_view": _tensor_view,
    "make_partition_view": _partition_view,
    "make_strided_view": _strided_view,
    "slice_view": _slice_view,
    "mmaf": _mma_floats,
    "mmai": _mma_integers,
}
