"""Runs one program everywhere and says what came out: right, refused, or what is wrong."""

import signal
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any
from unittest.mock import patch

import numpy as np

import tilec
from tilec.runtime.args.arrays import ArrayView
from tilec.runtime.cuda.api import Driver
from tilec.runtime.cuda.current import get_driver, set_driver
from tilec.support.diagnostics import DeviceError, InternalCompilerError, TileError
from tools.emulator.device import EmulatedDriver
from tools.emulator.errors import UnsupportedError
from tools.emulator.fuzz.evaluation import evaluate
from tools.emulator.fuzz.memory import Memory, make_memory
from tools.emulator.fuzz.printing import source
from tools.emulator.fuzz.program import Program
from tools.emulator.fuzz.refusals import is_allowed

SECONDS = 120
"""When a program is taken to hang: a usual one takes less than a second."""
KINDS = ("right", "refused", "wrong", "internal", "false refusal", "unsupported")
"""What can come out of a program. `unsupported`: the emulator lacks an instruction."""

GPU_FAULT = "GPU fault"
"""Where a program failed that the driver ended: its process can use the GPU no more."""


@dataclass(frozen=True)
class Verdict:
    """What came out of a program.

    Attributes:
        kind: One of `KINDS`.
        where: What failed: `reference`, `emulator`, `GPU`, a code, the name of an exception.
        text: More about it.
        schedule: Seed of the order of events; None where it did not come to that.
        loose: Share of the results that may be anything, since their error has no bound.
    """

    kind: str
    where: str = ""
    text: str = ""
    schedule: int | None = None
    loose: float = 0.0

    @property
    def bad(self) -> bool:
        """Whether it needs a closer look."""
        return self.kind not in ("right", "refused")


class _TimeoutError(Exception):
    """A program takes too long."""


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Raise in what runs too long; only in the main thread of a process."""

    def stop(_: int, frame: FrameType | None) -> None:
        raise _TimeoutError(f"more than {seconds} s")

    previous = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


def check(
    program: Program,
    folder: Path,
    schedules: Sequence[int],
    *,
    gpu: bool = False,
    ahead: bool = False,
) -> Verdict:
    """Compile and run a program on the CPU reference and the emulator, and compare.

    Args:
        program: The program.
        folder: For its source.
        schedules: Seeds of the order of events, one run each; without any, there is no emulator.
        gpu: Whether it runs on the GPU of the machine, too.
        ahead: Whether it is compiled for a GPU, too, which a later run may then find in the cache.
    """
    try:
        with time_limit(SECONDS):
            verdict = _check(program, folder, schedules)
            if verdict.kind == "right" and ahead:
                inputs = make_memory(program)
                load(program, folder).compile(**inputs.arrays(), **scalars_of(program))
            if verdict.kind == "right" and gpu:
                verdict = _check_on_gpu(program, folder, verdict.loose)
            return verdict
    except DeviceError as failure:
        return Verdict("wrong", GPU_FAULT, str(failure))
    except TileError as failure:
        return refusal(failure, program)
    except UnsupportedError as failure:
        return Verdict("unsupported", type(failure).__name__, str(failure))
    except InternalCompilerError as failure:
        return Verdict("internal", f"{failure.pass_name}: {failure}"[:60], str(failure))
    except _TimeoutError as failure:
        return Verdict("internal", "time", str(failure))
    except Exception as failure:  # whatever a defect raises
        text = "".join(traceback.format_exception(failure)[-6:])
        return Verdict("internal", type(failure).__name__, text)


def refusal(failure: TileError, program: Program) -> Verdict:
    """Return the verdict about a program that tilec refuses."""
    code = failure.diagnostics[0].code or ""
    kind = "refused" if is_allowed(code, program) else "false refusal"
    return Verdict(kind, code, str(failure))


def load(program: Program, folder: Path, title: str = "program") -> Any:
    """Return the kernel of a program, its source in `folder` under the name `title`.

    It may spill: tiles are drawn without regard to registers.
    """
    path = folder / f"{title}.tile"
    path.write_text(source(program))
    return tilec.load(path, allow_spills=True)["program"]


def scalars_of(program: Program) -> dict[str, Any]:
    """Return the scalar arguments of a program by name."""
    return {item.name: item.value for item in program.scalars}


def _check(program: Program, folder: Path, schedules: Sequence[int]) -> Verdict:
    expected, inputs = expectations(program)
    device = EmulatedDriver(0, program.multiprocessors)
    previous = set_driver(device)
    try:
        kernel = load(program, folder)
        scalars = scalars_of(program)
        if schedules:
            with patch("tilec.codegen.tools.find_tool", return_value=None):
                kernel.compile(**inputs.arrays(), **scalars)
        reference = inputs.copy()
        kernel(**reference.arrays(), **scalars)
        exact = make_memory(program)
        evaluate(program, exact, fused=False)
        if wrong := difference(exact, reference):
            return Verdict("wrong", "reference", wrong)
        for schedule in schedules:
            found = inputs.copy()
            device.seed = schedule
            if failure := _emulate(kernel, found, scalars, device):
                return Verdict("wrong", *failure, schedule)
            if wrong := difference(expected, found):
                return Verdict("wrong", "emulator", wrong, schedule)
    finally:
        set_driver(previous)
    return Verdict("right", loose=looseness(expected))


def _check_on_gpu(program: Program, folder: Path, loose: float) -> Verdict:
    """Compile a program with ptxas, run it on the GPU, and compare."""
    expected, found = expectations(program)
    launch(load(program, folder), found, scalars_of(program), get_driver())
    if wrong := difference(expected, found):
        return Verdict("wrong", "GPU", wrong)
    return Verdict("right", loose=loose)


def expectations(program: Program) -> tuple[Memory, Memory]:
    """Return the memory that a program leaves, and what it finds."""
    inputs = make_memory(program)
    expected = inputs.copy()
    evaluate(program, expected)
    return expected, inputs


def _emulate(
    kernel: Any, found: Memory, scalars: dict[str, Any], device: Driver
) -> tuple[str, str] | None:
    """Run a kernel on the emulator; return what faulted, if anything did."""
    from tools.emulator.machine import DeadlockError, EmulatedFaultError
    from tools.emulator.memory import AccessError

    try:
        launch(kernel, found, scalars, device)
    except (DeadlockError, EmulatedFaultError, AccessError) as failure:
        return type(failure).__name__, str(failure)
    return None


@dataclass(frozen=True)
class _DeviceView:
    """An array in device memory that another library owns."""

    view: ArrayView

    def __tilec_array__(self) -> ArrayView:
        return self.view


def launch(kernel: Any, memory: Memory, scalars: dict[str, Any], driver: Driver) -> None:
    """Call a kernel on a copy of memory on a device, and copy it back.

    Args:
        kernel: What is called.
        memory: Its blocks hold the results afterwards.
        scalars: Scalar arguments.
        driver: The driver of the process.
    """
    pointers: dict[str, int] = {}
    try:
        for name, block in memory.blocks.items():
            size = block.data.nbytes
            pointers[name] = driver.allocate(0, size)
            driver.upload(0, pointers[name], block.data.ctypes.data, size)
        owners = {id(block): name for name, block in memory.blocks.items()}
        arrays: dict[str, _DeviceView] = {}
        for name, item in memory.views.items():
            base = pointers[owners[id(item.block)]]
            pointer = base + item.offset * item.block.data.itemsize
            kind = "f32" if item.dtype == "tf32" else item.dtype
            arrays[name] = _DeviceView(
                ArrayView(pointer, item.shape, item.strides, kind, "cuda", 0, "tilec")
            )
        kernel(**arrays, **scalars)
        driver.synchronize(0)
        for name, block in memory.blocks.items():
            driver.download(0, block.data.ctypes.data, pointers[name], block.data.nbytes)
    finally:
        for pointer in pointers.values():
            driver.free(0, pointer)


def difference(expected: Memory, found: Memory) -> str:
    """Say where memory differs from what it should be by more than it may; empty if nowhere.

    All of it is compared, the guards around the arrays and the gaps between rows included.
    """
    lines = []
    for name, block in expected.blocks.items():
        bad = np.nonzero(_differs(block.data, found.blocks[name].data, block.error))[0]
        if bad.size:
            first = int(bad[0])
            view = expected.views[name]
            places = np.full(block.data.size, -1, np.int64)
            count = np.arange(int(np.prod(view.shape)), dtype=np.int64).reshape(view.shape)
            view.of(places)[...] = count
            at = int(places[first])
            where = tuple(map(int, np.unravel_index(at, view.shape))) if at >= 0 else "outside"
            bound = 0.0 if block.error is None else float(block.error[first])
            lines.append(
                f"{name}: {bad.size} of {block.data.size} elements differ; first at {where}: "
                f"{found.blocks[name].data[first]}, expected {block.data[first]} (+- {bound:.3g})"
            )
    return "\n".join(lines)


def _differs(want: Any, have: Any, error: Any) -> Any:
    """Tell where one array differs from the other by more than it may."""
    if want.dtype.kind in "iub":
        differ = want != have
        return differ if error is None else differ & ~(error > 0)
    with np.errstate(all="ignore"):
        a, b = want.astype(np.float64), have.astype(np.float64)
        differ = ~((a == b) | (np.isnan(a) & np.isnan(b)))
        if error is None:
            return differ
        return differ & ~((np.abs(a - b) <= error) | np.isinf(error))


def looseness(memory: Memory) -> float:
    """Return the share of elements that may be anything."""
    count = sum(block.data.size for block in memory.blocks.values())
    loose = sum(
        int(np.isinf(block.error).sum())
        for block in memory.blocks.values()
        if block.error is not None
    )
    return loose / max(count, 1)
