# What the type checker sees of `bindings.py`: the MLIR bindings ship no types, and the classes that
# tilec derives from theirs take keyword arguments that only a declaration can tell.

from typing import Any, Generic, TypeVar

from tilec.ir import _ext as ext
from tilec.ir import _untyped as arith
from tilec.ir import _untyped as ir
from tilec.ir import _untyped as llvm
from tilec.ir import _untyped as math
from tilec.ir import _untyped as nvvm
from tilec.ir import _untyped as passmanager
from tilec.ir import _untyped as rewrite
from tilec.ir import _untyped as scf

__all__ = [
    "PROVIDER",
    "MLIRError",
    "Operand",
    "PassManager",
    "Pure",
    "Region",
    "Result",
    "arith",
    "ext",
    "ir",
    "llvm",
    "math",
    "nvvm",
    "passmanager",
    "register_dialect_module",
    "rewrite",
    "scf",
]

_T = TypeVar("_T")

PROVIDER: str
PassManager: Any
Pure: Any

class MLIRError(Exception):
    message: str
    error_diagnostics: list[Any]

class Operand(Generic[_T]):
    def __getattr__(self, name: str) -> Any: ...

class Result(Generic[_T]):
    def __getattr__(self, name: str) -> Any: ...

class Region:
    blocks: Any
    def __getattr__(self, name: str) -> Any: ...

def register_dialect_module(namespace: str) -> None: ...
