"""Compiled kernels: read from the disk cache, or compiled and then stored there.

A kernel of which launches take other variants is compiled when the first launch takes this one.
Until then, it is only planned for those that do not, and the rules that say so are stored.

The Python API and the command line both use this module.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from tilec.compiler.program import Program
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.runtime.cache import DiskCache, cache_key
from tilec.runtime.launch_variants import next_variant, rules_of
from tilec.support import compiler_threads
from tilec.support.diagnostics import Diagnostic

if TYPE_CHECKING:
    from tilec.support.workers import Apart


@dataclass(frozen=True)
class StoredKernel:
    """A kernel that is compiled, or planned as far as to know that a launch takes another one.

    Attributes:
        artifact: What a launcher needs; None where the kernel is only planned.
        remarks: What the compiler said about its choices.
        compilation: The compilation with the IR of its stages; None when the kernel came from the
            cache or from another process.
        rules: Where it is only planned, which launches take others (`launch_variants`).
    """

    artifact: Any
    remarks: Sequence[Diagnostic] = ()
    compilation: Any = None
    rules: Mapping[str, Any] = field(default_factory=dict)

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The kernel's metadata, as far as `next_variant` reads them."""
        return self.rules if self.artifact is None else self.artifact.kernels[-1].metadata


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

    Where a launch of the sizes of `specialization` takes another variant, no code is made.

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
    if found is not None and not _lacks_code(found, specialization):
        return found
    parts = program, kernel, specialization, options
    made, entry = _compile(*parts) if apart is None else _compile_apart(apart, *parts)
    if entry:
        cache.write(_rules_key(key) if made.artifact is None else key, entry)
    return made


def obtain_variant(
    cache: DiskCache,
    program: Program,
    kernel: str,
    specialization: Specialization,
    options: CompileOptions,
) -> StoredKernel:
    """Return the variant of a kernel that a launch takes: see `obtain_kernel`."""
    while True:
        found = obtain_kernel(cache, program, kernel, specialization, options)
        other = next_variant(found.metadata, specialization)
        if other is None:
            return found
        specialization = other


def _lacks_code(found: StoredKernel, specialization: Specialization) -> bool:
    """Tell whether a launch needs the code of a kernel that was only planned."""
    return found.artifact is None and next_variant(found.rules, specialization) is None


def _compile(
    program: Program, kernel: str, specialization: Specialization, options: CompileOptions
) -> tuple[StoredKernel, bytes]:
    """Return a kernel, and its cache entry; no entry if it must not be stored.

    Without ptxas the PTX was not checked, and ptxas may be installed next time.
    """
    from tilec.compiler.attempts import OtherVariantError
    from tilec.compiler.driver import compile_kernel

    try:
        made = compile_kernel(program, kernel, specialization, options, next_variant)
    except OtherVariantError as found:
        rules = rules_of(found.metadata)
        return StoredKernel(None, rules=rules), json.dumps(rules).encode()
    stored = StoredKernel(made.artifact, made.remarks, made)
    if made.assembly is None and options.assembles:
        return stored, b""
    from tilec.runtime.cache_entry import pack_entry

    return stored, pack_entry(made.artifact, made.remarks)


def _compile_apart(apart: "Apart", *parts: Any) -> tuple[StoredKernel, bytes]:
    """Do what `_compile` does in another process, which keeps the IR."""
    return apart(_compile_there, *parts)


def _compile_there(*parts: Any) -> tuple[StoredKernel, bytes]:
    made, entry = _compile(*parts)
    return replace(made, remarks=tuple(made.remarks), compilation=None), entry


def _look_up(
    cache: DiskCache, program: Program, kernel: str, identity: Any, options: CompileOptions
) -> tuple[str, StoredKernel | None]:
    """Return the name of an entry, and the kernel if the cache has one that is intact."""
    from tilec.runtime.cache_entry import unpack_entry

    key = kernel_key(program, kernel, identity, options)
    data = cache.read(key)
    entry = unpack_entry(data) if data is not None else None
    if entry is not None:
        return key, StoredKernel(*entry)
    rules = _parse_rules(cache.read(_rules_key(key)))
    return key, StoredKernel(None, rules=rules) if rules else None


def _rules_key(key: str) -> str:
    """Return the name of the entry with the rules of a kernel that has no code yet."""
    return cache_key((key, "rules"))


def _parse_rules(data: bytes | None) -> Mapping[str, Any]:
    """Return the rules of an entry; none where it cannot be read."""
    from tilec.codegen.kernel_schema import LAUNCH_RULES
    from tilec.codegen.manifest import parse_json
    from tilec.codegen.schema import SchemaError

    try:
        rules = parse_json(data or b"{}")
        LAUNCH_RULES(rules, "the rules")
    except (SchemaError, ValueError, RecursionError):
        return {}
    return rules


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
