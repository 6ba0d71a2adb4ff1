# What the type checker sees of `bindings.py`. The bindings ship no types; `typings/mlir` of the
# repository declares the part that tilec uses.

from typing import Any

from mlir import ir as ir
from mlir import passmanager as passmanager
from mlir.dialects import arith as arith
from mlir.dialects import ext as ext
from mlir.dialects import llvm as llvm
from mlir.dialects import math as math
from mlir.dialects import nvvm as nvvm
from mlir.dialects import scf as scf
from mlir.dialects.ext import Operand as Operand
from mlir.dialects.ext import Pure as Pure
from mlir.dialects.ext import Region as Region
from mlir.dialects.ext import Result as Result
from mlir.ir import MLIRError as MLIRError
from mlir.passmanager import PassManager as PassManager

PROVIDER: str
llvm_types = llvm

def load_module(name: str) -> Any: ...
def register_dialect_module(namespace: str) -> None: ...
