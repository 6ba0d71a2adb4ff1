"""Compiles candidates ahead of time, on all cores, into packages that a GPU process loads.

Results stay in a folder named after the compiler that made them, so a second run compiles nothing.
"""

import hashlib
import json
import multiprocessing
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import (
    BrokenExecutor,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    as_completed,
)
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import tilec
from tilec.request.target import TARGETS
from tilec.support.file_io import write_atomic
from tools.bench.search.candidates import DIVISOR, STAGE_CHOICES, Candidate, Shape

ROOT = Path(__file__).resolve().parents[3]
SOURCE = ROOT / "examples" / "linear.tile"
TARGET = "sm_90a"
NO_ROOM = "T0424"
"""Code of `shared memory does not hold the kernel`: one stage fewer may fit."""


@dataclass(frozen=True)
class Variant:
    """A compiled kernel.

    Attributes:
        name: Unique name.
        path: Its package.
        constants: Values of the constants.
        plan: Its plan, without the reasons.
    """

    name: str
    path: str
    constants: dict[str, Any]
    plan: dict[str, Any]


@dataclass(frozen=True)
class Built:
    """What became of a candidate, or of the planner's own choice for a shape.

    Attributes:
        variants: Compiled kernels.
        refusal: Code of the diagnostic with which the compiler refused it; empty if it did not.
        message: What the compiler said.
        crash: An exception that is no diagnostic; a failure of the compiler.
    """

    variants: tuple[Variant, ...] = ()
    refusal: str = ""
    message: str = ""
    crash: str = ""


def variants_folder(base: Path) -> Path:
    """Return the folder for variants of this compiler and this source, made if need be."""
    from tilec.runtime.cache import compiler_fingerprint

    parts = compiler_fingerprint() + SOURCE.read_text()
    folder = base / hashlib.sha256(parts.encode()).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def build_candidate(candidate: Candidate, folder: Path) -> Built:
    """Compile the variants of a candidate: the most stages that the compiler accepts, and fewer.

    More stages than fit are refused with `NO_ROOM`; that is the search for the most, and counts
    as a refusal only when no stage fits.
    """

    def build() -> Built:
        most = TARGETS[TARGET].shared_memory_bytes // candidate.slot_bytes
        variants: list[Variant] = []
        refused = Built(refusal=NO_ROOM, message=f"no stage of {candidate.slot_bytes} bytes fits")
        for stages in range(most, 0, -1):
            name = f"{candidate.key}-{stages}"
            made = _compile(
                name,
                folder,
                constants=candidate.constants,
                divisors=dict.fromkeys(candidate.divisible, DIVISOR),
                plan=candidate.plan(stages),
            )
            variants += made.variants
            if not made.variants and (variants or made.refusal != NO_ROOM):
                refused = made
                break
            if len(variants) == STAGE_CHOICES:
                break
        return Built(tuple(variants)) if variants else refused

    return _remembered(folder / f"{candidate.key}.json", build)


def build_choice(shape: Shape, folder: Path) -> Built:
    """Compile what the planner chooses for a shape: nothing is fixed."""
    name = f"planner-{shape}"

    def build() -> Built:
        divisors = dict.fromkeys(shape.divisible, DIVISOR)
        return _compile(name, folder, sizes=shape.sizes, divisors=divisors)

    return _remembered(folder / f"{name}.json", build)


def build_one(item: Shape | Candidate, folder: Path) -> Built:
    """Build the planner's choice for a shape, or the variants of a candidate."""
    if isinstance(item, Shape):
        return build_choice(item, folder)
    return build_candidate(item, folder)


def _compile(name: str, folder: Path, **options: Any) -> Built:
    """Compile one variant into `folder`."""
    path = folder / f"{name}.tilepkg"
    try:
        package = tilec.compile(
            SOURCE, kernel="linear", target=TARGET, allow_spills=False, **options
        )
        package.save(path)
    except tilec.CompileError as failure:
        first = failure.diagnostics[0]
        return Built(refusal=first.code, message=first.message)
    except Exception as failure:  # a bug of the compiler is a result of this search
        return Built(crash=f"{type(failure).__name__}: {failure}")
    made = package.linear.variants[0]
    plan = {key: value for key, value in made.metadata["plan"].items() if key != "reasons"}
    return Built((Variant(name, str(path), dict(made.constants), plan),))


def _remembered(path: Path, build: Callable[[], Built]) -> Built:
    """Return the result in `path`, or build it and leave it there; crashes are not kept."""
    if path.is_file():
        data = json.loads(path.read_text())
        variants = tuple(Variant(**item) for item in data.pop("variants"))
        if all(Path(item.path).is_file() for item in variants):
            return Built(variants, **data)
    built = build()
    if not built.crash:
        write_atomic(path, json.dumps(asdict(built)))
    return built


class _Compiler:
    """A process that compiles; one that dies costs what it compiled and is replaced."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._executor: ProcessPoolExecutor | None = None

    def build(self, item: Shape | Candidate, folder: Path) -> Built:
        """Return what becomes of `item`."""
        if self._executor is None:
            # MLIR keeps threads, which a fork would lose.
            context = multiprocessing.get_context("spawn")
            self._executor = ProcessPoolExecutor(1, mp_context=context)
        try:
            return self._executor.submit(build_one, item, folder).result()
        except BrokenExecutor:
            self.close()
            return Built(crash="the process of the compiler died")

    def close(self) -> None:
        """End the process."""
        if self._executor is not None:
            self._executor.shutdown()
            self._executor = None


def build_all(
    items: Sequence[Shape | Candidate],
    folder: Path,
    deadline: float,
    report: Callable[[str], None],
) -> dict[Shape | Candidate, Built]:
    """Build on all cores of the host; what is not ready at the deadline is left out.

    Args:
        items: Shapes (their planned kernel) and candidates, in order of importance.
        folder: Where the results go.
        deadline: Time of `time.monotonic` at which to stop.
        report: Called with the name of everything that is ready.
    """
    compilers = [_Compiler() for _ in range(min(os.cpu_count() or 1, len(items)))]
    idle: SimpleQueue[_Compiler] = SimpleQueue()
    for compiler in compilers:
        idle.put(compiler)

    def build(item: Shape | Candidate) -> Built:
        compiler = idle.get()
        built = compiler.build(item, folder)
        idle.put(compiler)
        return built

    built: dict[Shape | Candidate, Built] = {}
    threads = ThreadPoolExecutor(max(1, len(compilers)))
    futures = {threads.submit(build, item): item for item in items}
    try:
        for future in as_completed(futures, timeout=max(0.0, deadline - time.monotonic())):
            item = futures[future]
            built[item] = future.result()
            report(str(item) if isinstance(item, Shape) else item.key)
    except TimeoutError:
        report("no time left to compile the rest")
    finally:
        threads.shutdown(cancel_futures=True)
        for compiler in compilers:
            compiler.close()
    return built
