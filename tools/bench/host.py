"""What a report says about the host: GPU, driver and versions."""

import importlib
import platform
import re
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

from tools.bench.gpu_state import GpuMonitor

ROOT = Path(__file__).resolve().parents[2]
_PACKAGES = ("torch", "triton", "llvmlite", "torch-mlir")


class HostError(Exception):
    """The host cannot run the benchmark; the message says what is missing."""


def import_torch() -> Any:
    """Return torch, when it sees a GPU.

    Raises:
        HostError: There is no torch, or no GPU.
    """
    try:
        torch = importlib.import_module("torch")
    except ImportError as failure:
        raise HostError(
            f"the benchmark needs PyTorch with CUDA in this Python ({failure}); "
            "run it with the Python that has it, or install the extra `bench`"
        ) from failure
    if not torch.cuda.is_available():
        raise HostError("the benchmark needs an NVIDIA GPU of compute capability 9.0: none found")
    capability = torch.cuda.get_device_capability()
    if capability != (9, 0):
        found = f"{torch.cuda.get_device_name()} has {capability[0]}.{capability[1]}"
        raise HostError(f"the benchmark needs a GPU of compute capability 9.0; {found}")
    return torch


def open_monitor(torch: Any) -> GpuMonitor:
    """Return the monitor of the GPU that torch uses."""
    return GpuMonitor(str(getattr(torch.cuda.get_device_properties(0), "uuid", "")))


def describe_host(torch: Any, monitor: GpuMonitor) -> dict[str, str]:
    """Return GPU, driver, versions and the commit; what cannot be found is left out."""
    import tilec

    found = {
        "gpu": torch.cuda.get_device_name(),
        "driver": monitor.driver_version(),
        "cuda": torch.version.cuda or "",
        "python": platform.python_version(),
        "tilec": tilec.__version__,
        "commit": _commit(),
        "ptxas": _ptxas(),
    }
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return {name: value for name, value in found.items() if value}


def _ptxas() -> str:
    """Return the release of the ptxas that tilec runs; empty without one."""
    from tilec.codegen.tools import find_tool

    path = find_tool("ptxas")
    if path is None:
        return ""
    return ptxas_release(
        subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    )


def ptxas_release(text: str) -> str:
    """Return the version in what `ptxas --version` prints; empty when there is none."""
    found = re.search(r"\bV(\d[\d.]*)", text)
    return found[1] if found else ""


def _commit() -> str:
    """Return the commit of the checkout, with `+` when files differ from it; empty without git."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--abbrev=12", "--dirty=+"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
