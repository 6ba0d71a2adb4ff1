"""The disk cache of compiled kernels.

Entries are files named by the SHA-256 of everything that determines the result, so they never
change and need no lock: two processes that compile the same kernel write the same file. Writes
are atomic; an entry that cannot be read or whose checksum is wrong is dropped and compiled anew.
When the folder outgrows its limit, the entries that were not used for longest go first.
"""

import contextlib
import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache as once
from pathlib import Path
from typing import Any

from tilec.support.environment import cache_directory, uses_kernel_cache
from tilec.support.file_io import read_limited, write_atomic
from tilec.version import __version__

DEFAULT_LIMIT_BYTES = 1 << 30
_SUFFIX = ".tilecache"
_DIGEST_BYTES = 32
_MAX_ENTRY_BYTES = 1 << 28
"""Of what is read and written. A kernel takes less than a megabyte; more is damage."""
_TOOLS = ("torch-mlir", "mlir-python-bindings", "llvmlite", "nvidia-cuda-nvcc", "nvidia-nvvm")
"""Distributions whose version changes the code that comes out."""
_SOURCE_SUFFIXES = (".py", ".lark", ".tile")


def cache_key(parts: Iterable[Any]) -> str:
    """Return the name of a cache entry: a digest of `parts` and of the compiler itself.

    Args:
        parts: Strings, numbers, tuples, mappings and dataclasses of them.
    """
    digest = hashlib.sha256()
    for part in (compiler_fingerprint(), *parts):
        digest.update(_canonical(part).encode())
        digest.update(b"\0")
    return digest.hexdigest()


def variant_key(identity: Any) -> str:
    """Return a text that is equal for equal identities (data classes) and no others."""
    return _canonical(identity)


def _canonical(value: Any) -> str:
    """Return a text that is equal exactly when the values are: 1, 1.0 and True differ."""
    if is_dataclass(value) and not isinstance(value, type):
        inner = ",".join(
            f"{item.name}={_canonical(getattr(value, item.name))}" for item in fields(value)
        )
        return f"{type(value).__name__}({inner})"
    if isinstance(value, Mapping):
        items = sorted((str(key), _canonical(item)) for key, item in value.items())
        return "{" + ",".join(f"{key!r}:{item}" for key, item in items) + "}"
    if isinstance(value, tuple | list):
        return "[" + ",".join(_canonical(item) for item in value) + "]"
    return f"{type(value).__name__}:{value!r}"


@once
def compiler_fingerprint() -> str:
    """Return a text that changes when tilec or a tool that it uses does.

    The source files count by name, size and time of change, so that an edited checkout does not
    find what it compiled before the edit.
    """
    from importlib import metadata  # slow to import, and not needed for a cached launch

    root = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256(__version__.encode())
    for name in _TOOLS:
        with contextlib.suppress(metadata.PackageNotFoundError):
            digest.update(f"{name}={metadata.version(name)}".encode())
    for folder, folders, names in os.walk(root, followlinks=True):
        folders[:] = sorted(item for item in folders if item != "__pycache__")
        for name in sorted(names):
            if name.endswith(_SOURCE_SUFFIXES):
                status = os.stat(os.path.join(folder, name))
                entry = f"{folder}/{name} {status.st_size} {status.st_mtime_ns}"
                digest.update(entry.encode())
    return digest.hexdigest()


class DiskCache:
    """Compiled kernels in a folder, shared by all processes of a user."""

    def __init__(self, folder: Path | None = None, limit: int = DEFAULT_LIMIT_BYTES) -> None:
        """Use `folder`, by default `kernels` in tilec's cache folder.

        Args:
            folder: Where the entries lie; it is made when the first one is written.
            limit: Total size in bytes that the entries may take; 0 stores nothing.

        With `TILEC_CACHE=0` in the environment it is empty and stays so.
        """
        self.folder = folder if folder is not None else cache_directory() / "kernels"
        self.limit = limit
        self.is_on = uses_kernel_cache()

    def read(self, key: str) -> bytes | None:
        """Return the entry called `key`, or None when there is none that is intact."""
        if not self.is_on:
            return None
        path = self._path(key)
        try:
            raw = read_limited(path, _MAX_ENTRY_BYTES)
        except FileNotFoundError:
            return None
        except OSError:  # a circle of links, a pipe, or more than an entry ever has
            raw = b""
        data = raw[_DIGEST_BYTES:]
        if hashlib.sha256(data).digest() != raw[:_DIGEST_BYTES]:
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        # The time of change orders the entries by last use; access times are often off.
        with contextlib.suppress(OSError):
            os.utime(path)
        return data

    def has(self, key: str) -> bool:
        """Tell whether there is an entry called `key`, intact or not."""
        return self.is_on and self._path(key).is_file()

    def write(self, key: str, data: bytes) -> None:
        """Store an entry. A cache that cannot be written is no error."""
        if not self.is_on or len(data) + _DIGEST_BYTES > min(self.limit, _MAX_ENTRY_BYTES):
            return
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(path, hashlib.sha256(data).digest() + data, durable=False)
            self._shrink(keep=path)
        except OSError:
            return

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}{_SUFFIX}"

    def _shrink(self, keep: Path) -> None:
        entries: list[tuple[float, int, Path]] = []
        for path in self.folder.glob(f"*/*{_SUFFIX}"):
            # Another process may have removed it.
            with contextlib.suppress(OSError):
                status = path.stat()
                entries.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in entries)
        for _, size, path in sorted(entries):
            if total <= self.limit:
                return
            if path != keep:
                with contextlib.suppress(OSError):
                    path.unlink()
                total -= size
