"""Kernels: entry, return, block coordinates and assumptions."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tilec.dialects.common.verify import is_i32, report
from tilec.dialects.cuda_tile.base import NUMBERS, TileOperation
from tilec.dialects.cuda_tile.types import PtrType
from tilec.ir.attributes import write_kernel_metadata
from tilec.ir.bindings import Operand, Pure, Result, ext, ir
from tilec.support.numbers import is_power_of_two

_DIVISIBILITY = re.compile(r"div_by<\s*(\d+)\s*>")
_BOUNDS = re.compile(r"bounded<\s*(\?|-?\d+)\s*,\s*(\?|-?\d+)\s*>")
_BASE_NUMBERS = tuple(name for name in NUMBERS if name not in ("tf32", "f8E4M3FN", "f8E5M2"))


class EntryOp(TileOperation, name="entry", traits=[ir.IsIsolatedFromAboveTrait]):
    """A kernel. Its arguments are scalars and pointers; it returns nothing.

    Attributes:
        sym_name: Name of the kernel.
        function_type: Types of the arguments, without results.
        tilec.kernel: Optional; the metadata dictionary (`tilec.ir.attributes`).
    """

    sym_name: ir.StringAttr
    function_type: ir.TypeAttr
    body: ext.Region

    @property
    def block(self) -> Any:
        """The only block of the body."""
        return self.body.blocks[0]

    @property
    def arguments(self) -> Any:
        """Arguments of the kernel."""
        return self.block.arguments

    def find_error(self) -> str | None:
        """Return the first broken rule on the signature."""
        signature = ir.TypeAttr(self.function_type).value
        if not isinstance(signature, ir.FunctionType):
            return f"attribute 'function_type' must be a function type, but got '{signature}'"
        if signature.results:
            return "entry op must not return values"
        for number, type_ in enumerate(signature.inputs):
            if not isinstance(type_, PtrType) and str(type_) not in _BASE_NUMBERS:
                return f"argument #{number} must be a scalar or a pointer, but got '{type_}'"
        return None

    def verify_region_invariants(self) -> bool:
        """Report a body that is not one block with the arguments of the signature."""
        blocks = list(self.body.blocks)
        if len(blocks) != 1:
            message = "region #0 ('body') failed to verify constraint: region with 1 blocks"
            return report(self, message)
        declared = list(self.function_type.value.inputs)
        found = [argument.type for argument in blocks[0].arguments]
        if found != declared:
            return report(
                self,
                f"body has arguments ({_join(found)}), but the signature has ({_join(declared)})",
            )
        operations = blocks[0].operations
        last = operations[len(operations) - 1] if len(operations) else None
        if last is None or last.operation.name != ReturnOp.OPERATION_NAME:
            return report(self, f"expects its body to end with '{ReturnOp.OPERATION_NAME}'")
        return True

    @classmethod
    def build(
        cls,
        sym_name: str,
        argument_types: Sequence[Any],
        *,
        argument_locations: Sequence[Any] | None = None,
        metadata: Mapping[str, Any] | None = None,
        **where: Any,
    ) -> "EntryOp":
        """Build a kernel with an empty block and return the operation.

        Args:
            sym_name: Name of the kernel.
            argument_types: Types of the arguments: builtin scalars and `PtrType`.
            argument_locations: Location of each argument; default: that of the kernel.
            metadata: Value of the `tilec.kernel` attribute.
            **where: `loc` and `ip`.
        """
        types = list(argument_types)
        op = cls(
            sym_name=ir.StringAttr.get(sym_name),
            function_type=ir.TypeAttr.get(ir.FunctionType.get(types, [])),
            **where,
        )
        locations = argument_locations or [op.location] * len(types)
        op.body.blocks.append(*types, arg_locs=list(locations))
        if metadata is not None:
            write_kernel_metadata(op, metadata)
        return op


def _join(types: Sequence[Any]) -> str:
    return ", ".join(str(type_) for type_ in types)


class ReturnOp(TileOperation, name="return", traits=[ir.IsTerminatorTrait]):
    """End of a kernel."""

    def find_error(self) -> str | None:
        """Return a message when the parent is no kernel."""
        parent = self.operation.parent
        if parent is not None and parent.operation.name == EntryOp.OPERATION_NAME:
            return None
        return f"expects parent op '{EntryOp.OPERATION_NAME}'"

    @classmethod
    def build(cls, **where: Any) -> "ReturnOp":
        """Build the operation and return it."""
        return cls(**where)


class GridOperation(TileOperation, traits=[Pure]):
    """Base of the queries of the grid: three i32 results, x, y and z."""

    x: Result[Any]
    y: Result[Any]
    z: Result[Any]

    def find_error(self) -> str | None:
        """Return a message when a result is not i32."""
        bad = next((result for result in self.results if not is_i32(result.type)), None)
        return None if bad is None else f"expects i32 results, but got '{bad.type}'"

    @classmethod
    def build(cls, **where: Any) -> Any:
        """Build the operation and return it (results: `x`, `y`, `z`)."""
        i32 = ir.IntegerType.get_signless(32)
        return cls(x=i32, y=i32, z=i32, **where)


class GetTileBlockIdOp(GridOperation, name="get_tile_block_id"):
    """Coordinates of this block in the grid."""


class GetNumTileBlocksOp(GridOperation, name="get_num_tile_blocks"):
    """Extents of the grid in blocks."""


class AssumeOp(TileOperation, name="assume", traits=[Pure]):
    """The value itself, with a promise about it. A promise that does not hold is undefined.

    Attributes:
        predicate: `div_by<16>`, `bounded<0, ?>`, ... as text.
    """

    value: Operand[Any]
    result: Result[Any]
    predicate: ir.StringAttr

    def find_error(self) -> str | None:
        """Return the first broken rule on the type and the predicate."""
        if self.value.type != self.result.type:
            return "failed to verify that all of {value, result} have same type"
        return find_predicate_error(ir.StringAttr(self.predicate).value)

    @classmethod
    def build(cls, value: Any, predicate: str, **where: Any) -> Any:
        """Build the operation and return its result."""
        return cls(
            value=value, result=value.type, predicate=ir.StringAttr.get(predicate), **where
        ).result


def find_predicate_error(predicate: str) -> str | None:
    """Return what is wrong with the predicate of an assumption, or None."""
    divisibility = _DIVISIBILITY.fullmatch(predicate)
    if divisibility is not None:
        divisor = divisibility[1]
        if is_power_of_two(int(divisor)):
            return None
        return f"expected the divisor of div_by to be a power of two, got {divisor}"
    bounds = _BOUNDS.fullmatch(predicate)
    if bounds is None:
        return f"expected predicate 'div_by<divisor>' or 'bounded<low, high>', got '{predicate}'"
    if "?" not in bounds.groups() and int(bounds[1]) > int(bounds[2]):
        return f"expected the low bound not to be above the high bound, got '{predicate}'"
    return None
