"""The only import of the MLIR Python bindings.

Every other module takes MLIR from here. Two providers are accepted, in this order: the official
`mlir` package when it is real (its name on the package index is an empty placeholder, which is
skipped), else the copy of the upstream bindings that `torch_mlir` bundles.

The traps of the bindings are closed here, once:

* each Python-defined dialect gets a module stub in `sys.modules`
  (`register_dialect_module`). Without it the bindings search the import path on every access to
  an operation, which makes verification and traversal 10 to 40 times slower;
* the `__init__` of a Python-defined operation is made when it is first called
  (`_make_initializers_late`);
* a Python-defined dialect is loaded by `tilec.ir.dialect_loading`;
* `parse_float` and friends are not re-exported: float literals reach LLVM 22 through
  `tilec.codegen.llvmir`, which re-spells them.

`from __future__ import annotations` must not be used in modules that define operations: the
`ext` layer reads the annotations as objects and would turn every field into an attribute.
"""

import contextlib
import importlib
import importlib.util
import sys
import types
from collections.abc import Iterator
from typing import Any

import tilec.ir

_PROVIDERS = ("mlir", "torch_mlir")


def _is_usable(root: str) -> bool:
    """Tell whether package `root` holds the full upstream bindings."""
    try:
        if importlib.util.find_spec(root) is None:
            return False
        importlib.import_module(f"{root}._mlir_libs._mlir")
        importlib.import_module(f"{root}.dialects.ext")
        translation = importlib.import_module(f"{root}._mlir_libs._mlirDialectsLLVM")
    except ImportError:
        return False
    return hasattr(translation, "translate_module_to_llvmir")


def _find_provider() -> str:
    for root in _PROVIDERS:
        if _is_usable(root):
            return root
    raise ImportError(
        "no usable MLIR Python bindings: install 'torch-mlir==20261001' (tilec's default provider)"
    )


@contextlib.contextmanager
def _without_numpy() -> Iterator[None]:
    """Let imports inside the `with` find no NumPy, if the command line asked for that.

    The core of the bindings imports it for attribute builders that tilec does not use, and goes
    without where there is none. It takes as long as all the rest of them.
    """
    if not tilec.ir.hide_numpy or "numpy" in sys.modules:
        yield
        return
    nothing: Any = None  # what makes an import fail
    sys.modules["numpy"] = nothing
    try:
        yield
    finally:
        del sys.modules["numpy"]


with _without_numpy():
    PROVIDER = _find_provider()


def load_module(name: str) -> Any:
    """Return a module of the bindings, for example `dialects.irdl`."""
    return importlib.import_module(f"{PROVIDER}.{name}")


ir = load_module("ir")
ext = load_module("dialects.ext")
passmanager = load_module("passmanager")
arith = load_module("dialects.arith")
math = load_module("dialects.math")
scf = load_module("dialects.scf")
llvm_types = load_module("_mlir_libs._mlirDialectsLLVM")
"""Types of the llvm dialect and its translation to LLVM IR."""
llvm: Any
nvvm: Any
_LATE = ("llvm", "nvvm")
"""Dialect modules that are imported when they are first asked for: they take 0.1 s, and
`tilec.ir.llvm_ops` does without them."""


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    module = load_module(f"dialects.{name}")
    globals()[name] = module
    return module


Operand = ext.Operand
Result = ext.Result
Region = ext.Region
Pure = ext.Pure
MLIRError = ir.MLIRError
PassManager = passmanager.PassManager


def _hide_late_modules() -> None:
    """Keep the bindings from importing the late dialect modules when an operation is looked at.

    They look for a module of every dialect they meet. Here they find an empty one, and represent
    the operations of the dialect by the class that all have in common.
    """
    package = types.ModuleType(_EMPTY_MODULES)
    package.__path__ = []
    for name in (_EMPTY_MODULES, *(f"{_EMPTY_MODULES}.{dialect}" for dialect in _LATE)):
        sys.modules[name] = package
    search = load_module("_mlir_libs._mlir").globals
    search.dialect_search_modules = [_EMPTY_MODULES, *search.dialect_search_modules]


_EMPTY_MODULES = "tilec.ir.empty_dialects"
if tilec.ir.hide_generated_dialects:
    _hide_late_modules()


def _make_initializers_late() -> None:
    """Make the `__init__` of a Python-defined operation when it is first called.

    The bindings make it with the class, and its signature as an object, which takes a fifth of the
    time of importing the dialects. A compilation makes less than half of their operations.
    """
    make = ext.Operation._generate_init_method

    def make_late(cls: Any, fields: list[Any]) -> None:
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - it becomes one
            make.__func__(cls, fields)
            cls.__init__(self, *args, **kwargs)

        cls.__init__ = __init__

    ext.Operation._generate_init_method = classmethod(make_late)


_make_initializers_late()


def register_dialect_module(namespace: str) -> None:
    """Give the Python-defined dialect `namespace` the module that the bindings look for."""
    name = f"{PROVIDER}.dialects.{namespace}"
    sys.modules.setdefault(name, types.ModuleType(name))
