"""NVIDIA's libdevice: LLVM bitcode of the math functions that NVPTX has no instructions for."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from tilec.codegen.tools import nvidia_folders
from tilec.support.diagnostics import CompileError, error
from tilec.support.environment import cuda_home

PREFIX = "__nv_"
"""How the names of all its functions start (libdevice user's guide)."""
_FILE = Path("nvvm", "libdevice", "libdevice.10.bc")
_PACKAGE = "nvidia-nvvm"
_FLAGS = """
!llvm.module.flags = !{!0}
!0 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
"""
"""Answers `__nvvm_reflect("__CUDA_FTZ")`: subnormal numbers are kept (LLVM NVPTX user guide)."""


def find_libdevice() -> Path | None:
    """Return the bitcode file, or None when it is not installed.

    The installed wheel comes first, then the toolkit that `CUDA_HOME` (or `CUDA_PATH`) names.
    """
    folders = list(nvidia_folders())
    home = cuda_home()
    if home is not None:
        folders.append(home)
    return next((folder / _FILE for folder in folders if (folder / _FILE).is_file()), None)


@lru_cache(maxsize=1)
def _read(path: Path) -> bytes:
    return path.read_bytes()


def _require(wanted: Sequence[str]) -> bytes:
    path = find_libdevice()
    if path is None:
        names = ", ".join(wanted)
        hint = f"install it with: pip install {_PACKAGE}"
        raise CompileError(error("T0605", f"libdevice, needed for {names}, is missing", hint=hint))
    return _read(path)


def missing_functions(module: Any) -> list[str]:
    """Return the libdevice functions that `module` (of llvmlite) calls but does not define."""
    return [
        function.name
        for function in module.functions
        if function.is_declaration and function.name.startswith(PREFIX)
    ]


def link_libdevice(module: Any, context: Any, builder: Any) -> None:
    """Add libdevice to `module` when it calls one of its functions.

    Everything that comes from there becomes internal, so that what is not used goes away and the
    rest is inlined.

    Args:
        module: A module of llvmlite, with triple and data layout set.
        context: Its LLVM context.
        builder: A pass builder for the target.

    Raises:
        CompileError: libdevice is not installed, or has no such function.
    """
    wanted = missing_functions(module)
    if not wanted:
        return
    import llvmlite.binding as llvm

    with (
        llvm.parse_bitcode(_require(wanted), context) as library,
        llvm.parse_assembly(_FLAGS, context) as flags,
        llvm.create_new_module_pass_manager() as cleanup,
    ):
        defined = {item.name for item in library.functions if not item.is_declaration}
        unknown = sorted(set(wanted) - defined)
        if unknown:
            raise CompileError(error("T0605", f"libdevice has no function {', '.join(unknown)}"))
        for part in (library, flags):
            part.triple = module.triple
            part.data_layout = module.data_layout
            module.link_in(part)
        for function in module.functions:
            if function.name in defined:
                function.linkage = llvm.Linkage.internal
        cleanup.add_global_dead_code_eliminate_pass()  # Or 350 functions would be optimised.
        cleanup.run(module, builder)
