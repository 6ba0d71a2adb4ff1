"""Every environment variable that tilec reads. Nothing else calls `os.environ`."""

import os
import tempfile
from pathlib import Path


def cache_directory() -> Path:
    """Return the folder for the parser and kernel caches; it may not exist yet.

    `TILEC_CACHE_DIR` wins, then `XDG_CACHE_HOME/tilec`, then `~/.cache/tilec`.
    """
    own = os.environ.get("TILEC_CACHE_DIR")
    if own:
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "tilec"


def uses_kernel_cache() -> bool:
    """Tell whether compiled kernels are kept on disk (not with `TILEC_CACHE=0`)."""
    return os.environ.get("TILEC_CACHE", "1") != "0"


def reproducer_directory() -> Path:
    """Return the folder for reproducers of internal errors.

    `TILEC_REPRODUCER_DIR` wins, else the system's folder for temporary files.
    """
    own = os.environ.get("TILEC_REPRODUCER_DIR")
    return Path(own) if own else Path(tempfile.gettempdir())


def shows_tracebacks() -> bool:
    """Tell whether errors have their whole Python tracebacks (`TILEC_TRACEBACK=1`)."""
    return os.environ.get("TILEC_TRACEBACK", "") not in ("", "0")


def uses_extension() -> bool:
    """Tell whether repeated calls go through the extension (not with `TILEC_EXTENSION=0`).

    It calls the driver by address and assumes the legacy default stream, so it stays off where
    `CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM` asks cuda-python for another one.
    """
    per_thread = os.environ.get("CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM", "0")
    return os.environ.get("TILEC_EXTENSION", "1") != "0" and per_thread in ("", "0")


def cuda_home() -> Path | None:
    """Return the CUDA toolkit that `CUDA_HOME` or `CUDA_PATH` names, or None."""
    for name in ("CUDA_HOME", "CUDA_PATH"):
        value = os.environ.get(name)
        if value:
            return Path(value)
    return None


def search_path() -> str:
    """Return `PATH`."""
    return os.environ.get("PATH", "")
