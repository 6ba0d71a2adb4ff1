"""The launcher's half of `print`: provides the buffer of a kernel, and prints what is in it.

`tilec.request.prints` describes the buffer. Texts come in the order of the blocks, and of the
statements of each block, whatever order the blocks ran in.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from tilec.request.prints import (
    BUFFER_BYTES,
    CAPACITY,
    HEADER_BYTES,
    METADATA_KEY,
    RECORD_BYTES,
    Word,
    printed,
    rank_of,
)
from tilec.runtime.cuda.api import Driver
from tilec.runtime.launch.device_records import device_memory, download

_WORDS = RECORD_BYTES // 4


@dataclass(frozen=True, slots=True)
class PrintWatch:
    """Prints what the launches of a plan report.

    Attributes:
        driver: What launches them.
        device: Ordinal of the GPU.
        kernels: Metadata of every kernel, in launch order.
    """

    driver: Driver
    device: int
    kernels: tuple[Mapping[str, Any], ...]

    @contextmanager
    def records(self, stream: int) -> Iterator[tuple[int, ...]]:
        """Provide the buffers of the launches in the `with`, wait for their end, and print.

        Args:
            stream: Stream that they are launched on.

        Yields:
            Address of the buffer of each kernel.

        Raises:
            DeviceError: The driver failed.
        """
        sizes = (BUFFER_BYTES, HEADER_BYTES)
        with ExitStack() as stack:
            buffers = [
                stack.enter_context(device_memory(self.driver, self.device, stream, *sizes))
                for _ in self.kernels
            ]
            yield tuple(buffers)
            self.driver.synchronize(self.device)
            texts = [
                self._text(metadata, buffer)
                for metadata, buffer in zip(self.kernels, buffers, strict=True)
            ]
        for text in texts:
            sys.stdout.write(text)

    def _text(self, metadata: Mapping[str, Any], buffer: int) -> str:
        """Return what one kernel prints."""
        header = download(self.driver, self.device, buffer, HEADER_BYTES)
        asked = int.from_bytes(header[:4], "little")
        count = min(asked, CAPACITY)
        start = buffer + HEADER_BYTES
        text = text_of(metadata, download(self.driver, self.device, start, count * RECORD_BYTES))
        if asked > count:
            text += f"[{asked - count} values more than there is room for were not printed]\n"
        return text


def text_of(metadata: Mapping[str, Any], records: bytes) -> str:
    """Return the text that records stand for.

    Args:
        metadata: The `tilec.kernel` dictionary of the kernel.
        records: Records, in any order; one that is there twice counts once.
    """
    import numpy as np  # most kernels print nothing, and NumPy takes long to load

    table, rank = metadata.get(METADATA_KEY, ()), rank_of(metadata)
    words = np.frombuffer(records, np.uint32).reshape(-1, _WORDS)
    place = [words[:, Word.X + axis] for axis in range(3)]
    order = np.lexsort((words[:, Word.ELEMENT], words[:, Word.SEQUENCE], *place))
    words = words[order]
    keys = words[:, [Word.X, Word.X + 1, Word.X + 2, Word.SEQUENCE]]
    changes = np.flatnonzero((keys[1:] != keys[:-1]).any(axis=1)) + 1
    parts = []
    for group in np.split(words, changes):
        if len(group):
            row = table[int(group[0, Word.PRINT])]
            block = [int(item) for item in group[0, Word.X : Word.X + rank]]
            values = _values(row, group)
            parts.append(printed(row["template"], values, block, starts=row["starts"]))
    return "".join(parts)


def _values(row: Mapping[str, Any], group: Any) -> Sequence[Any]:
    """Return the value of a print: nothing, a NumPy scalar, or an array."""
    import numpy as np

    from tilec.support.numpy_types import NUMPY_BY_NAME

    if not row["dtype"]:
        return ()
    kind = NUMPY_BY_NAME[row["dtype"]]
    bits = np.ascontiguousarray(group[:, [Word.LOW, Word.HIGH]]).view(np.uint64)[:, 0]
    narrow = bits.astype(f"u{kind.itemsize}").view(kind)
    found = np.zeros(int(np.prod(row["shape"], dtype=np.int64)), kind)
    found[group[:, Word.ELEMENT]] = narrow
    return (found.reshape(row["shape"])[()],)
