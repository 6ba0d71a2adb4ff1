"""LLVM IR text to PTX, with llvmlite's NVPTX backend.

LLVM ends the process when it meets an intrinsic that it has no instruction for. The intrinsics
that tilec's own passes use are known to be fine (`tilec.codegen.supported`); text that declares
any other one, or that people have edited, is compiled in a process of its own.
"""

import re
from collections.abc import Sequence
from contextlib import ExitStack
from functools import lru_cache
from typing import Any

from tilec.codegen.isa_versions import Version, needed_version
from tilec.codegen.libdevice import link_libdevice
from tilec.codegen.signed_bools import choose_signed_bools, may_make_signed_bools
from tilec.codegen.supported import is_known_intrinsic
from tilec.request.target import Target, get_target
from tilec.support import compiler_threads
from tilec.support.diagnostics import CompileError, InternalCompilerError, error
from tilec.support.isolation import run_isolated

TRIPLE = "nvptx64-nvidia-cuda"
OPTIMIZATION_LEVEL = 3
"""Below 1 LLVM copies registers around wgmma, and ptxas serialises it (C7517, C7511)."""
_SHORT_POINTERS = "--nvptx-short-ptr"
"""Addresses of shared memory take one 32-bit register instead of two."""
_FUNCTIONS_OF_THE_DRIVER = frozenset({"vprintf", "__assertfail", "malloc", "free"})
"""Functions that the CUDA driver provides to device code (CUDA programming guide)."""
_EXTERNAL = re.compile(r"^\.extern \.func(?: *\([^)]*\))?\s*([\w.$]+)", re.MULTILINE)
_INTRINSIC = re.compile(r"\ndeclare\b[^@]*@(llvm\.[\w.]+)\(")
_POSITION = re.compile(r"^<string>:(\d+):(\d+): error: (.*)$", re.MULTILINE)

_LOCK = compiler_threads.awaited_lock()
"""LLVM's target machine serves one thread at a time."""


def emit_ptx(llvm_text: str, target: Target, *, edited: bool = False) -> str:
    """Compile LLVM IR to PTX.

    Args:
        llvm_text: What `tilec.codegen.llvmir.translate` returned, perhaps edited.
        target: Architecture, and the oldest PTX version to write.
        edited: The text comes from outside and may hold anything, so it is compiled in a process
            of its own (about 0.2 s slower).

    Returns:
        The PTX text.

    Raises:
        CompileError: T0603 if LLVM rejects the text, T0604 if it uses an intrinsic that LLVM does
            not know or cannot select, T0605 if a libdevice function is missing.
    """
    if "\0" in llvm_text:  # LLVM would stop reading there, and say nothing.
        raise CompileError(error("T0603", "LLVM rejects the LLVM IR: it holds a zero byte"))
    version = needed_version(llvm_text, target.ptx_version)
    strange = [
        name for name in _INTRINSIC.findall(f"\n{llvm_text}") if not is_known_intrinsic(name)
    ]
    isolated = edited or strange
    ptx = _emit_isolated(llvm_text, target, strange) if isolated else emit_here(llvm_text, target)
    _check_externals(ptx)
    _check_header(ptx, target.name, version)
    return ptx


def emit_here(llvm_text: str, target: Target) -> str:
    """Compile LLVM IR to PTX in this process, which LLVM ends if it cannot select something.

    Raises:
        CompileError: LLVM rejects the text, or a libdevice function is missing.
    """
    with _LOCK.held:
        version = needed_version(llvm_text, target.ptx_version)
        machine = _target_machine(target.name, version)
        return _optimize_and_print(llvm_text, machine)


def _optimize_and_print(llvm_text: str, machine: Any) -> str:
    import llvmlite.binding as llvm

    # Everything is closed here, in reverse order: LLVM crashes when the garbage collector frees
    # a context before the modules in it.
    with ExitStack() as stack:
        context = stack.enter_context(llvm.create_context())
        try:
            module = stack.enter_context(llvm.parse_assembly(llvm_text, context))
            module.triple = TRIPLE
            module.data_layout = str(machine.target_data)
            module.verify()
        except RuntimeError as failure:
            raise CompileError(_rejection(str(failure), llvm_text)) from None
        options = llvm.create_pipeline_tuning_options(speed_level=OPTIMIZATION_LEVEL)
        stack.enter_context(options)
        options.loop_unrolling = False  # The schedule decided about it, and ptxas unrolls too.
        builder = stack.enter_context(llvm.create_pass_builder(machine, options))
        link_libdevice(module, context, builder)
        passes = stack.enter_context(builder.getModulePassManager())
        passes.run(module, builder)
        if may_make_signed_bools(llvm_text):
            text = choose_signed_bools(str(module))
            module = stack.enter_context(llvm.parse_assembly(text, context))
        return machine.emit_assembly(module)


@lru_cache(maxsize=4)
def _target_machine(name: str, ptx_version: tuple[int, int]) -> Any:
    import llvmlite.binding as llvm

    _initialize()
    return llvm.Target.from_triple(TRIPLE).create_target_machine(
        cpu=name,
        features="+ptx{}{}".format(*ptx_version),
        opt=OPTIMIZATION_LEVEL,
    )


@lru_cache(maxsize=1)
def _initialize() -> None:
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    llvm.set_option("tilec", _SHORT_POINTERS)


def _rejection(message: str, llvm_text: str) -> Any:
    """Return the diagnostic for text that LLVM does not accept, with the line that it names."""
    match = _POSITION.search(message)
    if match is None:
        return error("T0603", f"LLVM rejects the LLVM IR: {message.strip()}")
    lines = llvm_text.splitlines()
    number = int(match[1])
    line = lines[number - 1].strip() if number <= len(lines) else ""
    return error("T0603", f"LLVM rejects line {number} of the LLVM IR: {match[3]}: {line}")


def _emit_isolated(llvm_text: str, target: Target, strange: Sequence[str]) -> str:
    outcome = run_isolated(_emit_for, llvm_text, target.name)
    names = ", ".join(f"'{name}'" for name in strange) or "the LLVM IR"
    if outcome.over_limit:
        message = f"LLVM needs more than {outcome.over_limit} to compile {names}"
        raise CompileError(error("T0583", message))
    if not outcome.answered:
        reason = f": {outcome.message}" if outcome.message else ""
        raise CompileError(error("T0604", f"LLVM cannot compile {names} for {target.name}{reason}"))
    return outcome.answer


def _emit_for(llvm_text: str, target: str) -> str:
    return emit_here(llvm_text, get_target(target))


def _check_externals(ptx: str) -> None:
    names = sorted(set(_EXTERNAL.findall(ptx)) - _FUNCTIONS_OF_THE_DRIVER)
    intrinsics = [name for name in names if name.startswith("llvm.")]
    if intrinsics:
        message = f"LLVM does not know the intrinsic {', '.join(intrinsics)}"
        raise CompileError(error("T0604", message))
    if names:
        message = f"the code calls {', '.join(names)}, which nothing defines"
        raise CompileError(error("T0604", message))


def _check_header(ptx: str, target: str, version: Version) -> None:
    for line in (".version {}.{}".format(*version), f".target {target}"):
        if f"\n{line}\n" not in ptx:
            raise InternalCompilerError(f"LLVM did not write '{line}' into the PTX")
