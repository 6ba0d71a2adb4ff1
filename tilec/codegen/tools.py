"""Finding and running NVIDIA's command-line tools (ptxas, nvdisasm)."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from tilec.support.cleanup import run_child
from tilec.support.diagnostics import CompileError, error
from tilec.support.environment import cuda_home, search_path
from tilec.support.fast_dataclasses import dataclass

PACKAGES = {"ptxas": "'nvidia-cuda-nvcc<13.3'", "nvdisasm": "nvidia-cuda-nvdisasm"}
"""What to install for each tool, as pip takes it in a shell.

Later versions of ptxas make slower code (docs/measurements/2026-11-26-ptxas-versions.md).
"""
TIMEOUT_SECONDS = 300.0
"""A kernel with thousands of instructions takes ptxas about a second; this is a hang."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """How a run of a tool ended: exit code and what it wrote."""

    code: int
    output: str
    messages: str

    def without(self, text: str) -> "ToolResult":
        """Return the result with `text`, a temporary folder, taken out of what it says."""
        messages = self.messages.replace(text, "")
        return ToolResult(self.code, self.output.replace(text, ""), messages)


def nvidia_folders() -> Iterator[Path]:
    """Yield the folders that NVIDIA's wheels share (`site-packages/nvidia/cu13`), newest first."""
    try:
        import nvidia
    except ImportError:
        return
    for root in nvidia.__path__:
        yield from sorted(Path(root).glob("cu[0-9]*"), reverse=True)


def find_tool(name: str) -> Path | None:
    """Return tool `name`, or None when it is not installed.

    The installed wheels come first because tilec is tested with them, then `CUDA_HOME` (or
    `CUDA_PATH`), then `PATH`.
    """
    folders = [folder / "bin" for folder in nvidia_folders()]
    home = cuda_home()
    if home is not None:
        folders.append(home / "bin")
    for folder in folders:
        path = folder / name
        if path.is_file() and os.access(path, os.X_OK):
            return path
    found = shutil.which(name, path=search_path())
    return Path(found) if found is not None else None


def require_tool(name: str) -> Path:
    """Return tool `name`.

    Raises:
        CompileError: It is not installed.
    """
    path = find_tool(name)
    if path is None:
        package = PACKAGES.get(name)
        hint = f"install it with: pip install {package}" if package else None
        raise CompileError(error("T0606", f"'{name}' is not installed", hint=hint))
    return path


def run_tool(
    name: str, arguments: Sequence[str], *, timeout: float = TIMEOUT_SECONDS
) -> ToolResult:
    """Run tool `name` to its end.

    Args:
        name: Tool, as for `find_tool`.
        arguments: Command line without the tool itself.
        timeout: Seconds after which it is ended.

    Raises:
        CompileError: It is not installed, cannot be run, or does not end in time.
    """
    path = require_tool(name)
    try:
        done = run_child([path, *arguments], timeout=timeout)
    except subprocess.TimeoutExpired as failure:
        message = f"{name} did not end within {timeout:.0f} s"
        raise CompileError(error("T0606", message)) from failure
    except OSError as failure:
        message = f"'{path}' cannot be run: {failure.strerror or failure}"
        raise CompileError(error("T0606", message)) from failure
    return ToolResult(
        done.returncode,
        done.stdout.decode(errors="replace"),
        done.stderr.decode(errors="replace"),
    )
