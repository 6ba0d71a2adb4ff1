"""The only import of the MLIR Python bindings.

Every other module takes MLIR from here. Two providers are accepted, in this order: the official
`mlir` package when it is real (its name on the package index is an empty placeholder, which is
skipped), else the copy of the upstream bindings that `torch_mlir` bundles.

The traps of the bindings are closed here, once:

* each Python-defined dialect gets a module stub in `sys.modules`
  (`register_dialect_module`). Without it the bindings search the import path on every access to
  an operation, which makes verification and traversal 10 to 40 times slower;
* a Python-defined dialect is loaded by `load_dialect`. The loader of the bindings keeps the module
  that defines the dialect in the class: when something else loads the dialect meanwhile, in another
  context, one context gets it twice, and MLIR ends the process. Operations that an import which
  was cut short defined count once: MLIR would refuse the second ones as redefinitions;
* `parse_float` and friends are not re-exported: float literals reach LLVM 22 through
  `tilec.codegen.llvmir`, which re-spells them.

`from __future__ import annotations` must not be used in modules that define operations: the
`ext` layer reads the annotations as objects and would turn every field into an attribute.
"""

import contextlib
import functools
import importlib
import importlib.util
import io
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


def _load(name: str) -> Any:
    return importlib.import_module(f"{PROVIDER}.{name}")


ir = _load("ir")
ext = _load("dialects.ext")
passmanager = _load("passmanager")
arith = _load("dialects.arith")
math = _load("dialects.math")
scf = _load("dialects.scf")
llvm_types = _load("_mlir_libs._mlirDialectsLLVM")
"""Types of the llvm dialect and its translation to LLVM IR."""
llvm: Any
nvvm: Any
_LATE = ("llvm", "nvvm")
"""Dialect modules that are imported when they are first asked for: they take 0.1 s, and
`tilec.ir.llvm_ops` does without them."""


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    module = _load(f"dialects.{name}")
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
    search = _load("_mlir_libs._mlir").globals
    search.dialect_search_modules = [_EMPTY_MODULES, *search.dialect_search_modules]


_EMPTY_MODULES = "tilec.ir.empty_dialects"
if tilec.ir.hide_generated_dialects:
    _hide_late_modules()


def register_dialect_module(namespace: str) -> None:
    """Give the Python-defined dialect `namespace` the module that the bindings look for."""
    name = f"{PROVIDER}.dialects.{namespace}"
    sys.modules.setdefault(name, types.ModuleType(name))


def load_dialect(dialect: Any) -> None:
    """Load a Python-defined dialect into the current context."""
    bindings, definitions = _load("_mlir_libs._mlir"), _load("dialects.irdl")
    _keep_last(dialect.operations, "_op_name")
    _keep_last(dialect.types, "_name")
    _keep_last(dialect.attributes, "_name")
    parts = (dialect.types, dialect.attributes, dialect.operations)
    definition = _definition(dialect, *map(tuple, parts))
    definitions.load_dialects(ir.Module.parse(definition))
    for operation in dialect.operations:
        operation._attach_traits()
    bindings.globals._register_dialect_impl(dialect.DIALECT_NAMESPACE, dialect, replace=True)
    for item in dialect.types:
        identity = ir.DynamicType.lookup_typeid(item.type_name)
        bindings.register_type_caster(identity, replace=True)(item)
    for item in dialect.attributes:
        identity = ir.DynamicAttr.lookup_typeid(item.attr_name)
        bindings.register_type_caster(identity, replace=True)(item)
    for operation in dialect.operations:
        bindings.register_operation(dialect, replace=True)(operation)
        bindings.register_op_adaptor(operation, replace=True)(operation.Adaptor)


@functools.cache
def _definition(dialect: Any, *_: Any) -> bytes:
    """Return the bytecode of the IRDL module that defines a dialect.

    To read it takes a quarter of the time that the bindings take to make it.

    Args:
        dialect: The dialect.
        _: All of its types, attributes and operations.
    """
    module = dialect._emit_module()
    manager = PassManager()
    manager.add("canonicalize, cse")
    manager.run(module.operation)
    buffer = io.BytesIO()
    module.operation.write_bytecode(buffer)
    return buffer.getvalue()


def _keep_last(classes: list[Any], name: str) -> None:
    """Drop all but the last of the classes that define the same thing."""
    classes[:] = {getattr(item, name): item for item in classes}.values()
