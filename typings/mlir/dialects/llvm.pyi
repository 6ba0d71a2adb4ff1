from collections.abc import Sequence
from typing import Any

from mlir.ir import Context, OpView, Type

def translate_module_to_llvmir(module: Any) -> str: ...

class PointerType(Type):
    @staticmethod
    def get(address_space: int | None = None, *, context: Context | None = None) -> PointerType: ...
    @property
    def address_space(self) -> int: ...

class StructType(Type):
    @staticmethod
    def get_identified(name: str) -> StructType: ...
    def set_body(self, elements: Sequence[Any], *, packed: bool = False) -> None: ...
    @property
    def body(self) -> Any: ...

class _ResultOp(OpView):
    @property
    def res(self) -> Any: ...

class AddressOfOp(_ResultOp):
    def __init__(self, res: Any, global_name: Any, *, loc: Any = None, ip: Any = None) -> None: ...

class PoisonOp(_ResultOp):
    def __init__(self, res: Any, *, loc: Any = None, ip: Any = None) -> None: ...

class BitcastOp(_ResultOp):
    def __init__(self, res: Any, arg: Any, *, loc: Any = None, ip: Any = None) -> None: ...

class ZeroOp(_ResultOp):
    def __init__(self, res: Any, *, loc: Any = None, ip: Any = None) -> None: ...

class PtrToIntOp(_ResultOp):
    def __init__(self, res: Any, arg: Any, *, loc: Any = None, ip: Any = None) -> None: ...

class IntToPtrOp(_ResultOp):
    def __init__(self, res: Any, arg: Any, *, loc: Any = None, ip: Any = None) -> None: ...

class GEPOp(_ResultOp):
    def __init__(
        self,
        res: Any,
        base: Any,
        dynamicIndices: Sequence[Any],
        rawConstantIndices: Any,
        elem_type: Any,
        noWrapFlags: Any,
        *,
        loc: Any = None,
        ip: Any = None,
    ) -> None: ...

class AllocaOp(_ResultOp):
    def __init__(
        self,
        res: Any,
        arraySize: Any,
        elem_type: Any,
        *,
        alignment: int | None = None,
        inalloca: bool | None = None,
        loc: Any = None,
        ip: Any = None,
    ) -> None: ...

class LoadOp(_ResultOp):
    def __init__(
        self,
        res: Any,
        addr: Any,
        *,
        alignment: int | None = None,
        volatile_: bool | None = None,
        invariant: bool | None = None,
        ordering: Any = None,
        syncscope: str | None = None,
        loc: Any = None,
        ip: Any = None,
    ) -> None: ...

class StoreOp(OpView):
    def __init__(
        self,
        value: Any,
        addr: Any,
        *,
        alignment: int | None = None,
        volatile_: bool | None = None,
        ordering: Any = None,
        syncscope: str | None = None,
        loc: Any = None,
        ip: Any = None,
    ) -> None: ...

class ExtractElementOp(_ResultOp):
    def __init__(self, vector: Any, position: Any, *, loc: Any = None, ip: Any = None) -> None: ...

class InsertElementOp(_ResultOp):
    def __init__(
        self, vector: Any, value: Any, position: Any, *, loc: Any = None, ip: Any = None
    ) -> None: ...

class ExtractValueOp(_ResultOp):
    def __init__(
        self,
        res: Any,
        container: Any,
        position: Any,
        *,
        loc: Any = None,
        ip: Any = None,
    ) -> None: ...

class InlineAsmOp(_ResultOp):
    def __init__(
        self,
        res: Any,
        operands_: Sequence[Any],
        asm_string: str,
        constraints: str,
        *,
        has_side_effects: bool | None = None,
        asm_dialect: Any = None,
        loc: Any = None,
        ip: Any = None,
    ) -> None: ...

class CallOp(OpView):
    def __init__(
        self,
        result: Any,
        callee_operands: Sequence[Any],
        op_bundle_operands: Sequence[Any],
        op_bundle_sizes: Any,
        *,
        callee: Any = None,
        loc: Any = None,
        ip: Any = None,
    ) -> None: ...
    @property
    def result(self) -> Any: ...

class CallIntrinsicOp(OpView):
    def __init__(
        self,
        results_: Any,
        intrin: str,
        args: Sequence[Any],
        op_bundle_operands: Sequence[Any],
        op_bundle_sizes: Any,
        *,
        loc: Any = None,
        ip: Any = None,
    ) -> None: ...
    @property
    def results_(self) -> Any: ...

class LLVMFuncOp(OpView):
    def __init__(
        self,
        sym_name: str,
        function_type: Any,
        *,
        linkage: Any = None,
        arg_attrs: Any = None,
        loc: Any = None,
        ip: Any = None,
    ) -> None: ...
    @property
    def body(self) -> Any: ...

class GlobalOp(OpView):
    def __init__(
        self,
        global_type: Any,
        sym_name: str,
        linkage: Any,
        *,
        constant: bool | None = None,
        value: Any = None,
        alignment: int | None = None,
        addr_space: int | None = None,
        loc: Any = None,
        ip: Any = None,
    ) -> None: ...

class ReturnOp(OpView):
    def __init__(self, *, arg: Any = None, loc: Any = None, ip: Any = None) -> None: ...
