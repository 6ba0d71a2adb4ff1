"""Files that appear whole or not at all."""

import errno
import os
import stat
from pathlib import Path

from tilec.support.cleanup import temporary_file

_PERMISSIONS = 0o666
"""Before the umask, as for any file that a program creates."""
_DESCRIPTORS = Path("/proc/self/fd")
"""Where Linux shows open files; a file without a name gets one through here."""
_NO_UNNAMED_FILES = frozenset({errno.EISDIR, errno.ENOENT, errno.EOPNOTSUPP, errno.EINVAL})
"""What open(2) reports when the file system, or the kernel, cannot make files without a name."""


def read_limited(path: Path, limit: int) -> bytes:
    """Return the contents of a file of at most `limit` bytes.

    Raises:
        OSError: It cannot be read, is no regular file (a pipe might never end), or is larger.
    """
    with open(path, "rb", opener=_open_at_once) as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", str(path))
        # One that is too large is not read; one that grows now is read no further than the limit.
        data = stream.read(status.st_size + 1) if status.st_size <= limit else None
    if data is None or len(data) > limit:
        raise OSError(errno.EFBIG, f"it has more than {limit} bytes", str(path))
    return data


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)  # a pipe without a writer would wait for one


def write_atomic(path: Path, data: str | bytes, *, durable: bool = True) -> None:
    """Write `data` to `path` so that readers see the old contents or the new, never a part.

    The data goes to a new file in the same folder, which then takes the place of `path`. Where the
    system can (Linux, `O_TMPFILE`) that new file has no name while it is written, so that a process
    killed on the way leaves nothing behind; elsewhere it may leave a hidden file whose name ends in
    `.tmp`.

    Args:
        path: File to write. A link is followed; a device such as `/dev/null` is written directly.
        data: Contents; text is stored as UTF-8.
        durable: Wait until the data is on the disk, which takes milliseconds. What can be made
            again, or has a checksum, need not survive a loss of power.

    Raises:
        OSError: The folder is missing or not writable, the file is read-only, or the disk is full.
    """
    raw = data.encode() if isinstance(data, str) else data
    target = _resolve(path)
    mode = None
    if target.exists():
        if not target.is_file():
            target.write_bytes(raw)
            return
        if not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
        mode = stat.S_IMODE(target.stat().st_mode)
    temporary = target.with_name(f".{target.name}.{os.urandom(8).hex()}.tmp")
    with temporary_file(temporary):
        _write_new(temporary, raw, mode, durable)
        os.replace(temporary, target)


def _resolve(path: Path) -> Path:
    """Return `path` without links.

    Raises:
        OSError: They lead in a circle, which Python up to 3.12 reports as a `RuntimeError`.
    """
    try:
        return path.resolve()
    except RuntimeError:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path)) from None


def _write_new(path: Path, raw: bytes, mode: int | None, durable: bool) -> None:
    """Write `raw` to the new file `path`, which gets its name last where that is possible."""
    descriptor, is_named = _create(path)
    with os.fdopen(descriptor, "wb") as stream:
        if mode is not None:
            os.fchmod(stream.fileno(), mode)
        stream.write(raw)
        stream.flush()
        if durable:
            os.fsync(stream.fileno())
        if not is_named:
            _link(stream.fileno(), path)


def _create(path: Path) -> tuple[int, bool]:
    """Return a descriptor of a new empty file, and whether it has the name `path` already."""
    unnamed = getattr(os, "O_TMPFILE", None)
    if unnamed is not None and _DESCRIPTORS.is_dir():
        try:
            return os.open(path.parent, unnamed | os.O_WRONLY, _PERMISSIONS), False
        except OSError as failure:
            if failure.errno not in _NO_UNNAMED_FILES:
                raise
    return os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _PERMISSIONS), True


def _link(descriptor: int, path: Path) -> None:
    """Give the unnamed file of `descriptor` the name `path`."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        # With a folder descriptor Python calls linkat(2) and AT_SYMLINK_FOLLOW; link(2) would
        # try to link the entry of /proc itself.
        os.link(_DESCRIPTORS / str(descriptor), path.name, dst_dir_fd=folder)
    finally:
        os.close(folder)
