"""Reads zip archives that another program may have made, within bounds of memory.

Everything that an archive says about itself may be a lie: sizes are checked before a member is
read, and no more is unpacked than they allow.
"""

import io
import struct
import zipfile

MAX_ARCHIVE_BYTES = 1 << 30
MAX_MEMBER_BYTES = 1 << 28
"""No kernel is that large; a larger member is damage, or an attack on memory."""
MAX_TOTAL_BYTES = 1 << 30
MAX_DIRECTORY_BYTES = 1 << 20
"""For about 10,000 members. Python makes an object of every entry of the directory."""
_END = struct.Struct("<4s4H2LH")
_END_MARK = b"PK\5\6"
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Those that are unpacked piece by piece."""


class Archive:
    """The members of a zip archive, unpacked when they are asked for."""

    def __init__(self, data: bytes) -> None:
        """Read the directory of an archive.

        Args:
            data: The archive.

        Raises:
            BadZipFile: It is none, or its directory is too large or names a member twice.
        """
        if len(data) > MAX_ARCHIVE_BYTES:
            raise zipfile.BadZipFile(f"the file has {len(data)} bytes")
        _check_end(data)
        self._archive = zipfile.ZipFile(io.BytesIO(data))
        self._left = MAX_TOTAL_BYTES
        names = self._archive.namelist()
        if len(set(names)) < len(names):
            raise zipfile.BadZipFile("it holds two members of one name")

    def read(self, name: str, limit: int = 0) -> bytes:
        """Return the contents of a member.

        Args:
            name: Its name.
            limit: How many bytes it may have; 0 for as many as any member.

        Raises:
            BadZipFile: It is missing, damaged or too large, or all members together are.
        """
        try:
            item = self._archive.getinfo(name)
        except KeyError:
            raise zipfile.BadZipFile(f"it has no member '{name}'") from None
        allowed = min(limit or MAX_MEMBER_BYTES, MAX_MEMBER_BYTES, self._left)
        if item.file_size > allowed:
            raise zipfile.BadZipFile(f"{name} claims to have {item.file_size} bytes")
        if item.compress_type not in _METHODS:
            raise zipfile.BadZipFile(f"{name} is packed by method {item.compress_type}")
        with self._archive.open(item) as stream:
            data = stream.read(item.file_size + 1)
        if len(data) != item.file_size:
            raise zipfile.BadZipFile(f"{name} has not the {item.file_size} bytes that it claims")
        self._left -= len(data)
        return data


def _check_end(data: bytes) -> None:
    """Check the end record, which says how large the directory is; zipfile believes it.

    Raises:
        BadZipFile: It is not where tilec writes it, or the directory is too large.
    """
    if len(data) < _END.size:
        raise zipfile.BadZipFile("File is not a zip file")
    mark, *_, size, _, comment = _END.unpack(data[-_END.size :])
    if mark != _END_MARK or comment:
        raise zipfile.BadZipFile("File is not a zip file")
    if size > MAX_DIRECTORY_BYTES:
        raise zipfile.BadZipFile(f"its directory claims to have {size} bytes")
