"""Compiled kernels: read from the disk cache, or compiled and then stored there.

The Python API and the command line both use this module.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from tilec.compiler.program import Program
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.runtime.cache import DiskCache, cache_key
from tilec.support import compiler_threads
from tilec.support.diagnostics import Diagnostic

if TYPE_CHECKING:
    from tilec.support.workers import Apart


@dataclass(frozen=True)
class StoredKernel:
    """A compiled kernel.

    Attributes:
        artifact: What a launcher needs.
        remarks: What the compiler said about its choices.
        compilation: The compilation with the IR of its stages; None when the kernel came from the
            cache or from another process.
    """

    artifact: Any
    remarks: Sequence[Diagnostic]
    compilation: Any = None


def obtain_kernel(
    cache: DiskCache,
    program: Program,
    kernel: str,
    specialization: Specialization,
    options: CompileOptions,
    identity: Any = None,
    apart: "Apart | None" = None,
) -> StoredKernel:
    """Return a compiled kernel, from the cache if it is there.

    Args:
        cache: Where to look, and where to store what was compiled.
        program: The program.
        kernel: Name of the kernel.
        specialization: What to compile for.
        options: How to compile; they ask for PTX or for something made of it.
        identity: What the result depends on instead of the whole specialization.
        apart: Compiles in another process, which gets the program; None: in this one.

    Raises:
        CompileError: The program is wrong, or cannot be compiled for the target.
        InternalCompilerError: The compiler has a bug, or the other process has died.
    """
    look_up = partial(_look_up, cache, program, kernel, identity or specialization, options)
    # Who compiles elsewhere does not wait for what is compiled here, and has imported everything.
    key, found = compiler_threads.run_locked(look_up) if apart is None else look_up()
    if found is not None:
        return found
    parts = program, kernel, specialization, options
    made, entry = _compile(*parts) if apart is None else _compile_apart(apart, *parts)
    if entry:
        cache.write(key, entry)
    return made


def _compile(
    program: Program, kernel: str, specialization: Specialization, options: CompileOptions
) -> tuple[StoredKernel, bytes]:
    """Return a kernel, and its cache entry; no entry if it must not be stored.

    Without ptxas the PTX was not checked, and ptxas may be installed next time.
    """
    from tilec.compiler.driver import compile_kernel

    made = compile_kernel(program, kernel, specialization, options)
    stored = StoredKernel(made.artifact, made.remarks, made)
    if made.assembly is None and options.assembles:
        return stored, b""
    from tilec.runtime.cache_entry import pack_entry

    return stored, pack_entry(made.artifact, made.remarks)


def _compile_apart(apart: "Apart", *parts: Any) -> tuple[StoredKernel, bytes]:
    """Do what `_compile` does in another process, which keeps the IR."""
    artifact, remarks, entry = apart(_compile_there, *parts)
    return StoredKernel(artifact, remarks), entry


def _compile_there(*parts: Any) -> tuple[Any, Sequence[Diagnostic], bytes]:
    made, entry = _compile(*parts)
    return made.artifact, tuple(made.remarks), entry


def _look_up(
    cache: DiskCache, program: Program, kernel: str, identity: Any, options: CompileOptions
) -> tuple[str, StoredKernel | None]:
    """Return the name of an entry, and the kernel if the cache has one that is intact."""
    from tilec.runtime.cache_entry import unpack_entry

    key = kernel_key(program, kernel, identity, options)
    data = cache.read(key)
    entry = unpack_entry(data) if data is not None else None
    return key, StoredKernel(*entry) if entry is not None else None


def kernel_key(program: Program, kernel: str, identity: Any, options: CompileOptions) -> str:
    """Return the name of a cache entry for one kernel.

    Args:
        program: The program.
        kernel: Name of the kernel.
        identity: What else the entry depends on.
        options: How the kernel is compiled.
    """
    texts = tuple((item.name, item.text) for item in program.sources)
    how = (
        options.target,
        options.lineinfo,
        options.allow_spills,
        options.debug_waits,
        options.assembles,
    )
    return cache_key((texts, program.module_globals, kernel, identity, how))
