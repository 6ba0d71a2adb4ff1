"""Functions of the nv_tileaa dialect; they stay until the LLVM stage."""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.common.verify import report, total
from tilec.dialects.nv_tileaa.dialect import NvTileAA
from tilec.ir.bindings import Region, ir


class FuncOp(NvTileAA.Operation, name="func", traits=[ir.IsIsolatedFromAboveTrait]):
    """A kernel: one block whose arguments are the kernel's parameters, no results.

    Attributes:
        sym_name: Name of the kernel.
        function_type: Types of the parameters.
    """

    sym_name: ir.StringAttr
    function_type: ir.TypeAttr
    body: Region

    @property
    def entry_block(self) -> Any:
        """The only block."""
        return self.body.blocks[0]

    def verify_region_invariants(self) -> bool:
        """Report a body that does not match the function type."""
        if len(self.body.blocks) != 1:
            return report(self, f"expects one block, but got {len(self.body.blocks)}")
        inputs = list(ir.FunctionType(ir.TypeAttr(self.function_type).value).inputs)
        if inputs != [argument.type for argument in self.entry_block.arguments]:
            return report(self, "expects the block arguments to match the function type")
        operations = self.entry_block.operations
        if len(operations) == 0 or operations[len(operations) - 1].name != "nv_tileaa.return":
            return report(self, "expects the body to end with 'nv_tileaa.return'")
        return True

    @classmethod
    def build(cls, name: str, inputs: Sequence[Any], **where: Any) -> "FuncOp":
        """Build the function with an empty entry block and return it."""
        op = cls(
            sym_name=ir.StringAttr.get(name),
            function_type=ir.TypeAttr.get(ir.FunctionType.get(list(inputs), [])),
            **where,
        )
        location = op.operation.location
        op.body.blocks.append(*inputs, arg_locs=[location] * len(inputs))
        return op


class ReturnOp(NvTileAA.Operation, name="return", traits=[ir.IsTerminatorTrait]):
    """End of a function."""

    @total
    def verify_invariants(self) -> bool:
        """Report a return outside of a function."""
        parent = self.operation.parent
        if parent is None or parent.name != "nv_tileaa.func":
            return report(self, "expects parent op 'nv_tileaa.func'")
        return True

    @classmethod
    def build(cls, **where: Any) -> "ReturnOp":
        """Build the op and return it."""
        return cls(**where)
