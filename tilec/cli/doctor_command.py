"""`tilec doctor`: what is installed, what is missing, and how to fix it."""

import argparse
import enum
import importlib.metadata
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tilec.cli.main import EXIT_DIAGNOSTICS, EXIT_OK
from tilec.request.target import TARGETS
from tilec.support.cleanup import run_child
from tilec.support.diagnostics import TileError
from tilec.support.environment import cache_directory
from tilec.version import __version__

_TOOL_SECONDS = 20
_OLDEST_PYTHON = (3, 11)
_PACKAGES = ("cuda-bindings", "lark", "llvmlite", "ml_dtypes", "numpy")


class Status(enum.Enum):
    """Outcome of one check."""

    OK = "ok"
    ABSENT = "absent"
    """It is missing, but kernels can be compiled and checked without it."""
    BROKEN = "BROKEN"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report.

    Attributes:
        status: Whether it works.
        subject: What was checked.
        detail: Version, path or reason.
        fix: What the user can do; empty when nothing is wrong.
    """

    status: Status
    subject: str
    detail: str
    fix: str = ""

    def __str__(self) -> str:
        line = f"{self.status.value:<7} {self.subject}: {self.detail}"
        return f"{line}\n        fix: {self.fix}" if self.fix else line


def configure(parser: argparse.ArgumentParser) -> None:
    """Set the function that runs `tilec doctor`, which has no options."""
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    """Print the report. The exit code is 1 when something that compiling needs is broken."""
    del options
    print(f"tilec {__version__} in {Path(__file__).resolve().parents[1]}")
    broken = False
    for finding in examine():
        print(finding, flush=True)
        broken = broken or finding.status is Status.BROKEN
    return EXIT_DIAGNOSTICS if broken else EXIT_OK


def examine() -> Iterator[Finding]:
    """Yield one finding for each thing that tilec needs or can use."""
    yield _python()
    yield _mlir()
    for name in _PACKAGES:
        yield _package(name)
    yield _nvptx()
    yield _tool("ptxas", "nvidia-cuda-nvcc", "PTX is not checked and there is no cubin")
    yield _tool("nvdisasm", "nvidia-cuda-nvdisasm", "there is no SASS listing")
    yield _libdevice()
    yield _extension()
    yield _cache()
    yield from _devices()


def _python() -> Finding:
    version = sys.version.split()[0]
    if sys.version_info < _OLDEST_PYTHON:
        return Finding(Status.BROKEN, "Python", version, "use Python 3.11 or newer")
    return Finding(Status.OK, "Python", f"{version} ({sys.executable})")


def _mlir() -> Finding:
    try:
        from tilec.ir.bindings import PROVIDER
        from tilec.ir.context import make_context

        make_context()
    except ImportError as failure:
        return Finding(Status.BROKEN, "MLIR bindings", str(failure), _install("torch-mlir"))
    return Finding(Status.OK, "MLIR bindings", f"{PROVIDER} {_version(PROVIDER)}")


def _package(name: str) -> Finding:
    version = _version(name)
    if not version:
        return Finding(Status.BROKEN, name, "not installed", _install(name))
    return Finding(Status.OK, name, version)


def _nvptx() -> Finding:
    subject = "LLVM NVPTX backend"
    try:
        import llvmlite.binding as llvm

        llvm.initialize_all_targets()
        llvm.Target.from_triple("nvptx64-nvidia-cuda")
    except (ImportError, OSError, RuntimeError) as failure:
        return Finding(Status.BROKEN, subject, str(failure), _install("llvmlite"))
    return Finding(Status.OK, subject, f"LLVM {'.'.join(map(str, llvm.llvm_version_info))}")


def _tool(name: str, package: str, consequence: str) -> Finding:
    from tilec.codegen.tools import find_tool

    path = find_tool(name)
    if path is None:
        return Finding(Status.ABSENT, name, consequence, _install(package))
    try:
        result = run_child([path, "--version"], timeout=_TOOL_SECONDS)
        result.check_returncode()
    except (OSError, subprocess.SubprocessError) as failure:
        return Finding(Status.BROKEN, name, f"{path} does not run: {failure}", _install(package))
    lines = result.stdout.decode(errors="replace").splitlines()
    release = next((line for line in lines if "release" in line), "")
    return Finding(Status.OK, name, f"{release.rpartition('release ')[2]} ({path})")


def _libdevice() -> Finding:
    from tilec.codegen.libdevice import find_libdevice

    path = find_libdevice()
    if path is None:
        reason = "kernels with transcendental functions cannot be compiled"
        return Finding(Status.ABSENT, "libdevice", reason, _install("nvidia-nvvm"))
    return Finding(Status.OK, "libdevice", str(path))


def _extension() -> Finding:
    """Report whether repeated calls are launched by compiled code."""
    from tilec.runtime.launch.repeats import extension_file
    from tilec.support.environment import uses_extension

    subject, slower = "launch extension", "repeated calls take longer to launch"
    file = extension_file()
    if file is None:
        fix = "install a C compiler, then: pip install --force-reinstall --no-deps tilec"
        return Finding(Status.ABSENT, subject, f"not built; {slower}", fix)
    if not uses_extension():
        fix = "unset TILEC_EXTENSION"
        return Finding(Status.ABSENT, subject, f"switched off; {slower}", fix)
    return Finding(Status.OK, subject, file)


def _cache() -> Finding:
    folder = cache_directory()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as failure:
        reason = f"{folder} is not writable: {failure.strerror}; every command takes longer"
        return Finding(Status.ABSENT, "cache", reason, "set TILEC_CACHE_DIR to a writable folder")
    return Finding(Status.OK, "cache", str(folder))


def _devices() -> Iterator[Finding]:
    from tilec.runtime.cuda.cuda_driver import CudaDriver

    try:
        driver = CudaDriver()
    except TileError as failure:
        reason = failure.diagnostics[0]
        fix = reason.hint or "kernels still compile, and run on the CPU reference"
        yield Finding(Status.ABSENT, "GPU", reason.message, fix)
        return
    version = driver.cuda_version
    yield Finding(Status.OK, "CUDA driver", f"CUDA {version // 1000}.{version % 1000 // 10}")
    supported = {target.compute_capability for target in TARGETS.values()}
    for ordinal in range(driver.device_count()):
        info = driver.device(ordinal)
        detail = f"{info.name}, compute capability {info.compute_capability / 10}"
        known = info.compute_capability in supported
        fix = "" if known else f"tilec compiles for: {', '.join(TARGETS)}"
        yield Finding(Status.OK if known else Status.ABSENT, f"GPU {ordinal}", detail, fix)


def _version(package: str) -> str:
    for name in (package, package.replace("_", "-")):
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return ""


def _install(package: str) -> str:
    requirement = next(
        (item.split(";")[0] for item in _requirements() if item.startswith(package)), package
    )
    return f"pip install '{requirement}'"


def _requirements() -> list[str]:
    try:
        return importlib.metadata.requires("tilec") or []
    except importlib.metadata.PackageNotFoundError:
        return []
