"""The launcher's half of assertions and of debug builds (`--debug-waits`): the record.

It is provided, read and explained here; `tilec.request.wait_records` describes it. Each kernel of
a launch gets one of its own.
"""

import ctypes
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tilec.request import assertions
from tilec.request.assertions import FAILED
from tilec.request.wait_records import INDEX_HINT, METADATA_KEY, RECORD_BYTES, Word, index_message
from tilec.runtime.cuda.api import Driver
from tilec.runtime.launch.device_records import device_memory, download
from tilec.support.diagnostics import (
    DeadlockError,
    Diagnostic,
    InternalCompilerError,
    KernelAssertionError,
    OutOfRangeError,
    SourceFile,
    SourceSpan,
    TileError,
    error,
    note,
)

_RECORD = struct.Struct(f"<{RECORD_BYTES // 4}I")
_WARPGROUP_THREADS = 128
_CAUSES = {
    "full": "the slot was not filled: compare the bytes that mbarrier_arrive_expect_tx announces "
    "with those of the copies, and look where the one that fills the slot waits",
    "partials": "another split did not say that its partial sum is there: look for its "
    "arrive_partial, and where it waits",
    "empty": "the slot was not released: look for the ring_release of the consumers, for the count "
    "of the ring's empty barriers, and where the consumers wait",
}


@dataclass(frozen=True, slots=True)
class WaitWatch:
    """Watches the launches of a plan whose kernels are debug builds.

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
        """Provide the records of the launches in the `with`, and wait until those have ended.

        Args:
            stream: Stream that they are launched on.

        Yields:
            Address of the record of each kernel.

        Raises:
            DeadlockError: A wait ran into its limit (T0811).
            KernelAssertionError: An assertion failed (T0578).
            OutOfRangeError: An index was out of range (T0575).
            DeviceError: The driver failed.
        """
        size = RECORD_BYTES * len(self.kernels)
        with device_memory(self.driver, self.device, stream, size, size) as buffer:
            yield tuple(buffer + index * RECORD_BYTES for index in range(len(self.kernels)))
            self.driver.synchronize(self.device)
            found = download(self.driver, self.device, buffer, size)
        for metadata, record in zip(self.kernels, _RECORD.iter_unpack(found), strict=True):
            if record[Word.STATE]:
                raise failure_of(metadata, record)


def failure_of(metadata: Mapping[str, Any], record: Sequence[int]) -> TileError:
    """Return the error that a record stands for.

    Args:
        metadata: The `tilec.kernel` dictionary of the kernel.
        record: Its words, in the order of `tilec.request.wait_records.Word`.

    Raises:
        InternalCompilerError: The kernel has no wait or assertion of that id.
    """
    if record[Word.STATE] == FAILED:
        return _failed_assertion(metadata, record)
    build = metadata[METADATA_KEY]
    if record[Word.WAIT] >= len(build["waits"]):
        name = metadata["name"]
        raise InternalCompilerError(f"{name}: the debug buffer names wait {record[Word.WAIT]}")
    wait = build["waits"][record[Word.WAIT]]
    if wait["barrier"] == "extract":
        found = out_of_range(metadata["name"], wait, record)
        return OutOfRangeError(found, _sources(wait))
    return DeadlockError(deadlock(metadata, wait, record), _sources(wait))


def _failed_assertion(metadata: Mapping[str, Any], record: Sequence[int]) -> TileError:
    """Return the error of the assertion that wrote a record."""
    table = metadata[assertions.METADATA_KEY]
    name, number = metadata["name"], record[Word.WAIT]
    if number >= len(table):
        raise InternalCompilerError(f"{name}: the debug buffer names assertion {number}")
    row = table[number]
    block = [record[word] for word in assertions.COORDINATES]
    rank = len(metadata.get("grid", ())) or len(block)
    text = assertions.failure_text(name, block, rank, row["message"])
    return KernelAssertionError(error("T0578", text, _span(row)), _sources(row))


def out_of_range(kernel: str, check: Mapping[str, Any], record: Sequence[int]) -> Diagnostic:
    """Return what to say about an index of `extract`.

    Args:
        kernel: Name of the kernel.
        check: Its row of the table.
        record: Words of the record.
    """
    index = ctypes.c_int32(record[Word.SLOT]).value
    where = f"in thread {record[Word.THREAD]} of CTA {record[Word.BLOCK]}"
    message = index_message(index, record[Word.PARITY], record[Word.ITERATION])
    return error("T0575", f"{kernel}: {message}, {where}", _span(check), hint=INDEX_HINT)


def deadlock(
    metadata: Mapping[str, Any], wait: Mapping[str, Any], record: Sequence[int]
) -> Diagnostic:
    """Return what to say about a wait that ran into its limit.

    Args:
        metadata: The `tilec.kernel` dictionary of the kernel.
        wait: Its row of the table.
        record: Words of the record.
    """
    limit = metadata[METADATA_KEY]["limit"]
    message = (
        f"{metadata['name']}: {_waiter(wait, record)} waited longer than {limit:,} cycles "
        f"for {_awaited(wait, record)}"
    )
    return error(
        "T0811",
        message,
        _span(wait),
        notes=[note(_CAUSES[wait["barrier"]])],
        hint="the roles of the kernel deadlock, which is a defect of tilec or of an edited dump; "
        "what the kernel wrote is meaningless; 'tilec compile --dump-ir DIR' shows the rings in "
        "the dump of nv-tileas-debug-waits",
    )


def _span(row: Mapping[str, Any]) -> SourceSpan | None:
    return SourceSpan(*row["span"]) if row["span"] else None


def _sources(row: Mapping[str, Any]) -> list[SourceFile]:
    """Return the file with the only line that is known here: that which the message is about."""
    span = _span(row)
    return [] if span is None else [SourceFile(span.file, "\n" * (span.line - 1) + row["line"])]


def _awaited(wait: Mapping[str, Any], record: Sequence[int]) -> str:
    """Return what a wait is for."""
    slot, parity, iteration = record[Word.SLOT], record[Word.PARITY], record[Word.ITERATION]
    if wait["barrier"] == "partials":
        splits = "split" if iteration == 1 else "splits"
        return f"the partial sums of {iteration} {splits} of tile {slot} (so far: {parity})"
    outcome = "be filled" if wait["barrier"] == "full" else "be released"
    place = f"slot {slot} of ring {wait['ring']}"
    return f"{place} to {outcome} (parity {parity}, iteration {iteration})"


def _waiter(wait: Mapping[str, Any], record: Sequence[int]) -> str:
    place = f"of CTA {record[Word.BLOCK]}"
    if wait["role"] == "producer":
        return f"the producer {place}"
    thread = record[Word.THREAD] - wait["first_thread"]
    # Without a producer all warps are of one role.
    role = "consumer warpgroup" if wait["first_thread"] else "warpgroup"
    return f"{role} {thread // _WARPGROUP_THREADS} {place}"
