"""`tilec.tune`: measures other plans of a kernel than the planner's, and keeps the fastest.

The planner chooses by a model, without a GPU. Its choice is within a few percent of the best plan
for most kernels, not for all. Where the last percent counts, this search compiles candidates,
measures them on the arrays of a call, and stores the fastest for calls like it.

By default the candidates are the next best tiles of the planner, for kernels with `auto` constants,
then plans that differ from the fastest in one field (`tilec.plan.neighbours`), until none gains.
Several processes compile them (`tilec.runtime.tuning.compiling`); one is measured at a time.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from tilec.plan.neighbours import neighbours
from tilec.plan.overrides import PLAN_FIELDS, PlanValue
from tilec.plan.tiles import TileChoice
from tilec.request.specialization import ANY_TILE_EXTENTS, Specialization
from tilec.runtime.args.arguments import BoundArguments
from tilec.runtime.args.signature_binding import CONST, SCALAR, Interface, bind_call
from tilec.runtime.compiled import CompiledKernel
from tilec.runtime.cuda.current import get_driver
from tilec.runtime.errors import launch_error
from tilec.runtime.jit import Kernel, KernelWithGrid
from tilec.runtime.launch.dispatch import is_run_time_scalar
from tilec.runtime.launch.grid import Grid
from tilec.runtime.launch.streams import launch_stream, stream_handle
from tilec.runtime.tuned_plans import Candidate
from tilec.runtime.tuning.compiling import Compilers
from tilec.runtime.tuning.timing import Bench, open_bench
from tilec.runtime.variants import Variants
from tilec.support.diagnostics import Diagnostic, InternalCompilerError, TileError
from tilec.support.numbers import is_power_of_two
from tilec.support.suggest import did_you_mean
from tilec.support.tracebacks import shortens_tracebacks

RUNNERS_UP = 10
"""Tiles of the planner that are measured next to its choice."""
MAX_STEPS = 4
"""How often the search goes on from a plan that differs in one field from the fastest so far."""
LEAST_GAIN = 0.01
"""A plan must take so much less time than another one that was preferred before it (choice)."""
_USUAL = TileChoice({}, (), snake_k=True, defer_stores=True)
"""What the planner takes, if possible, where a caller fixes the tiles."""


@dataclass(frozen=True)
class Trial:
    """One candidate and what became of it.

    Attributes:
        candidate: What it fixes; nothing for the planner's own plan.
        seconds: Time of a launch; infinite if it was not measured.
        failure: Why it was not measured.
    """

    candidate: Candidate
    seconds: float = inf
    failure: str = ""

    def __str__(self) -> str:
        """Return it as a line of a table."""
        name = str(self.candidate) or "the planner's choice"
        if self.failure:
            return f"{'-':>10}     {name}: {self.failure}"
        return f"{self.seconds * 1e6:10.2f} us  {name}"


@dataclass(frozen=True)
class Tuning:
    """What `tilec.tune` found.

    Attributes:
        trials: The candidates: those that were measured, fastest first, then those that failed.
        best: The one that calls with such arguments take from now on.
        planned: The planner's own.
        left_out: How many candidates were not compiled, because the time was over.
        remarks: Why candidates were compiled one after the other, where they were (T0435).
    """

    trials: tuple[Trial, ...]
    best: Trial
    planned: Trial
    left_out: int = 0
    remarks: tuple[Diagnostic, ...] = ()

    def __str__(self) -> str:
        """Return a table, one candidate a line, the one that was chosen marked with `*`."""
        lines = [f"{'*' if item is self.best else ' '} {item}" for item in self.trials]
        if self.left_out:
            lines.append(f"{'':16}{self.left_out} more: the time was over")
        lines += [f"{'':16}{item.message}" for item in self.remarks]
        return "\n".join(lines)


@shortens_tracebacks
def tune(
    kernel: Kernel | KernelWithGrid,
    *arguments: Any,
    candidates: Iterable[Mapping[str, Any]] | None = None,
    seconds: float = 60.0,
    **keywords: Any,
) -> Tuning:
    """Measure other plans of a kernel on the arrays of a call, and keep the fastest.

    Calls with such arguments (the same specialization and named dims) take the plan from now on,
    also in later processes, for as long as the kernel cache keeps it and neither the kernel nor
    tilec changes. The arrays are not written: the launches run on copies. Another plan may round
    differently; what the kernel or the caller fixes stays as it is.

    Args:
        kernel: The kernel; `kernel[blocks]` if it has no grid of its own.
        *arguments: The arguments of a call, with arrays on a GPU.
        candidates: What to try: constants of the kernel and fields of the plan by name, such as
            `{"BN": 1024, "worker_warps": 8}`. None: what the planner ranks next, then others.
        seconds: Time after which no further candidate is compiled.
        **keywords: Arguments by name, and `stream`, as in a call.

    Raises:
        TileError: The planner's plan cannot be compiled, an argument is wrong, or a launch failed.
    """
    plain, grid = _parts(kernel)
    interface = plain.variants.interface()
    chosen = None if candidates is None else [_parse(item, interface) for item in candidates]
    named, stream = interface.take_stream(keywords)
    values = bind_call(interface, arguments, named)
    handle = launch_stream(values.values()) if stream is None else stream_handle(stream)
    if (bound := plain.check(values, handle)).device is None:
        raise interface.error("T0709", "tilec.tune measures on a GPU", hint="move the arrays there")
    with Compilers(plain.variants, seconds) as compilers:
        found = _Search(plain.variants, bound, grid, compilers).run(handle, chosen)
    plain.forget_launches()
    return found


def _parts(kernel: Any) -> tuple[Kernel, Grid | None]:
    """Return the kernel that a caller gave, and its grid.

    Raises:
        LaunchError: It is no kernel in source form (T0717).
    """
    if isinstance(kernel, KernelWithGrid):
        return kernel.kernel, kernel.grid
    if isinstance(kernel, Kernel):
        return kernel, None
    message = f"tilec.tune takes a kernel in source form, got {kernel!r}"
    raise launch_error("T0717", message, hint="load it with tilec.load or tilec.loads")


def _parse(given: Any, interface: Interface) -> Candidate:
    """Return the candidate that a caller wrote.

    Raises:
        LaunchError: It is no mapping (T0717), or a name is neither a constant of the kernel nor a
            field of the plan (T0701).
    """
    if not isinstance(given, Mapping):
        message = f"a candidate is a {type(given).__name__}, expected names with values"
        raise interface.error("T0717", message, hint='for example candidates=[{"BM": 64}]')
    constants = {item.name for item in interface.parameters if item.kind == CONST}
    for name in given:
        if name not in constants and name not in PLAN_FIELDS:
            names = sorted([*constants, *PLAN_FIELDS])
            message = f"a candidate has '{name}', neither a constant of it nor a field of the plan"
            hint = did_you_mean(name, names) or f"one of: {', '.join(names)}"
            raise interface.error("T0701", message, hint=hint)
    return Candidate(
        {name: value for name, value in given.items() if name in constants},
        {name: value for name, value in given.items() if name not in constants},
    )


class _Search:
    """One search: what was tried so far."""

    def __init__(
        self,
        variants: Variants,
        arguments: BoundArguments,
        grid: Grid | None,
        compilers: Compilers,
    ) -> None:
        self.variants, self.arguments, self.grid = variants, arguments, grid
        self.compilers = compilers
        self.driver = get_driver()
        self.device = arguments.device or 0
        gpu = self.driver.device(self.device).gpu
        self.specialization = variants.planned_specialization(arguments, gpu)
        scalars = variants.interface().of_kind(SCALAR)
        self.run_time = [item.name for item in scalars if is_run_time_scalar(item.dtype)]
        self.trials: dict[str, Trial] = {}
        self.compiled: dict[str, CompiledKernel] = {}
        self.left_out = 0
        self.fixed: set[str] = set()

    def run(self, stream: int, candidates: Sequence[Candidate] | None) -> Tuning:
        """Search, store the best plan, and return what was found.

        Raises:
            LaunchError: The stream is being captured, which notes launches down and runs none; or
                an array has no element.
        """
        if self.arguments.is_empty:
            raise launch_error("T0717", "tilec.tune cannot measure a call with an empty array")
        if self.driver.capture_id(self.device, stream):
            hint = "tune before the capture; the captured calls then take the plan"
            raise launch_error("T0717", "tilec.tune cannot measure during a capture", hint=hint)
        planned = Candidate()
        first = self._runners_up() if candidates is None else candidates
        self._start(first)  # while this process compiles the planner's own
        base = self.compiled[str(planned)] = self.variants.variant(self.specialization)
        self.fixed = {*self.specialization.plan, *base.metadata.get("hints", {})}
        arrays = base.metadata["arrays"]
        written = frozenset(item["name"] for item in arrays if item["access"] != "read")
        with open_bench(self.driver, self.arguments, written, stream) as bench:
            steps = MAX_STEPS if candidates is None else 0
            best = self._search(bench, planned, first, steps)
        self.variants.tuned.store(self.specialization, best if best is not planned else None)
        trials = sorted(self.trials.values(), key=lambda item: item.seconds)
        found = self.trials[str(best)], self.trials[str(planned)]
        return Tuning(tuple(trials), *found, self.left_out, self.compilers.remarks)

    def _search(
        self, bench: Bench, planned: Candidate, first: Sequence[Candidate], steps: int
    ) -> Candidate:
        """Return the fastest of the first candidates and of what is found from it on."""
        best = self._measure(bench, planned, first)
        for _ in range(steps):
            fields = neighbours(self.compiled[str(best)].plan)
            able = [best.combined(item) for item in fields if not self.fixed & item.keys()]
            self._start(able)
            before, best = best, self._measure(bench, best, able)
            if best is before:
                break
        return self._measure(bench, planned, [best], again=True) if best is not planned else best

    def _measure(
        self,
        bench: Bench,
        best: Candidate,
        candidates: Sequence[Candidate],
        *,
        again: bool = False,
    ) -> Candidate:
        """Time candidates next to the best so far, and return the best of all of them."""
        able = [item for item in candidates if again or self._compile(item)]
        together = [best, *able]
        plans = [self.compiled[str(item)] for item in together]
        call = self.driver, self.arguments, self.grid, self.run_time
        launches = [item.plan_launch(*call) for item in plans]
        times = bench.compare(launches, list(self.arguments.scalars.values()))
        for item, taken in zip(together, times, strict=True):
            self.trials[str(item)] = Trial(item, taken)
        fastest = min(range(len(times)), key=times.__getitem__)
        return together[fastest] if times[fastest] < times[0] * (1 - LEAST_GAIN) else best

    def _start(self, candidates: Sequence[Candidate]) -> None:
        """Begin to compile candidates that were not tried yet."""
        fresh = [item for item in candidates if not self._was_tried(item)]
        self.compilers.start([item.applied(self.specialization) for item in fresh])

    def _was_tried(self, candidate: Candidate) -> bool:
        return str(candidate) in self.trials or str(candidate) in self.compiled

    def _compile(self, candidate: Candidate) -> bool:
        """Compile a candidate; note why not if it was tried, fails, or is a code that was tried."""
        if self._was_tried(candidate):
            return False
        name = str(candidate)
        try:
            made = self.compilers.variant(candidate.applied(self.specialization))
        except (TileError, InternalCompilerError) as failure:
            # A bug of the compiler in one plan should not cost the times of the others.
            self.trials[name] = Trial(candidate, failure=str(failure).splitlines()[0])
            return False
        if made is None:
            self.left_out += 1
            return False
        for other, code in self.compiled.items():
            if _is_same(made, code):
                what = other or "the planner's choice"
                self.trials[name] = Trial(candidate, failure=f"the same code as {what}")
                return False
        self.compiled[name] = made
        return True

    def _runners_up(self) -> list[Candidate]:
        """Return the next best tiles of the planner."""
        choices = self.variants.runners_up(self.specialization, RUNNERS_UP)
        return [_of_choice(item, self.specialization) for item in choices]


def _of_choice(choice: TileChoice, specialization: Specialization) -> Candidate:
    """Return a choice of tiles as a candidate, with the fields that are not as usual."""
    from tilec.plan.model import PLANNED_FACTS

    plan: dict[str, PlanValue] = {}
    for name in PLANNED_FACTS:
        value = getattr(choice, name)
        if value != getattr(_USUAL, name) and name not in specialization.plan:
            plan[name] = value if isinstance(value, tuple) else int(value)
    if not all(map(is_power_of_two, choice.values.values())):
        plan[ANY_TILE_EXTENTS] = 1
    return Candidate(choice.values, plan)


def _is_same(first: CompiledKernel, second: CompiledKernel) -> bool:
    """Tell whether two variants launch the same code in the same way."""
    fields = ("blocks_per_sm", "balance_tiles", "fill_gpu")  # what the head of the PTX does not say
    plans = first.plan, second.plan
    same = all(plans[0][name] == plans[1][name] for name in fields)
    return same and first.ptx == second.ptx
