"""NVIDIA's libdevice: LLVM bitcode of the math functions that NVPTX has no instructions for."""

from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from tilec.codegen.tools import nvidia_folders
from tilec.support.diagnostics import CompileError, error
from tilec.support.environment import cache_directory, cuda_home
from tilec.support.file_io import write_atomic

PREFIX = "__nv_"
"""How the names of all its functions start (libdevice user's guide)."""
_FILE = Path("nvvm", "libdevice", "libdevice.10.bc")
_PACKAGE = "nvidia-nvvm"
_CHECKSUM_BYTES = sha256().digest_size
_PARTS: dict[str, bytes] = {}
"""Parts of libdevice that this process has used."""
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


def missing_functions(module: Any) -> list[str]:
    """Return the libdevice functions that `module` (of llvmlite) calls but does not define."""
    return [
        function.name
        for function in module.functions
        if function.is_declaration and function.name.startswith(PREFIX)
    ]


def link_libdevice(module: Any, context: Any, builder: Any) -> None:
    """Add libdevice to `module` when it calls one of its functions.

    Everything that comes from there becomes internal, so that it is inlined.

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
        llvm.parse_bitcode(_part(tuple(sorted(wanted)), builder), context) as library,
        llvm.parse_assembly(_FLAGS, context) as flags,
    ):
        for part in (library, flags):
            part.triple = module.triple
            part.data_layout = module.data_layout
            module.link_in(part)
        for name in wanted:
            module.get_function(name).linkage = llvm.Linkage.internal


def _part(wanted: tuple[str, ...], builder: Any) -> bytes:
    """Return the bitcode of some functions of libdevice and of what they call.

    To read all of libdevice takes longer than to read the rest of a kernel. So a part is kept in
    the folder of caches, under a name that tells which functions of which libdevice it has.

    Raises:
        CompileError: libdevice is not installed, or has no such function.
    """
    library = find_libdevice()
    if library is None:
        hint = f"install it with: pip install {_PACKAGE}"
        message = f"libdevice, needed for {', '.join(wanted)}, is missing"
        raise CompileError(error("T0605", message, hint=hint))
    key = _key(library, wanted)
    found = _PARTS.get(key)
    if found is None:
        path = _kept(key)
        found = _load(path)
        if found is None:
            found = _extract(library.read_bytes(), wanted, builder)
            _store(path, found)
        _PARTS[key] = found
    return found


def _extract(library: bytes, wanted: Sequence[str], builder: Any) -> bytes:
    """Return bitcode without the functions that nobody wants."""
    import llvmlite.binding as llvm

    with (
        llvm.create_context() as context,
        llvm.parse_bitcode(library, context) as module,
        llvm.create_new_module_pass_manager() as cleanup,
    ):
        defined = [item for item in module.functions if not item.is_declaration]
        unknown = sorted({*wanted} - {item.name for item in defined})
        if unknown:
            raise CompileError(error("T0605", f"libdevice has no function {', '.join(unknown)}"))
        for function in defined:
            if function.name not in wanted:
                function.linkage = llvm.Linkage.internal
        cleanup.add_global_dead_code_eliminate_pass()
        cleanup.run(module, builder)
        return module.as_bitcode()


def _key(library: Path, wanted: Sequence[str]) -> str:
    """Return a name for a part that tells it from those of other libraries and LLVM versions."""
    import llvmlite.binding as llvm

    status = library.stat()
    what = (str(library), status.st_size, status.st_mtime_ns, llvm.llvm_version_info, *wanted)
    return sha256(repr(what).encode()).hexdigest()[:20]


def _kept(key: str) -> Path | None:
    """Return the file that keeps a part; None without a folder for it."""
    try:
        return cache_directory() / f"libdevice-{key}.bc"
    except RuntimeError:  # no home directory
        return None


def _load(path: Path | None) -> bytes | None:
    """Return what a file keeps, after its checksum; None if it is not there, or damaged."""
    try:
        data = b"" if path is None else path.read_bytes()
    except OSError:
        return None
    checksum, found = data[:_CHECKSUM_BYTES], data[_CHECKSUM_BYTES:]
    return found if sha256(found).digest() == checksum else None


def _store(path: Path | None, part: bytes) -> None:
    """Keep a part for other processes where that is possible."""
    if path is None:
        return
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, sha256(part).digest() + part, durable=False)
