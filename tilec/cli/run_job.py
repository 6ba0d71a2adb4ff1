"""What `tilec run` runs, and the result: the records that the CPU and the GPU code share."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tilec.compiler.program import Program
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.runtime.args.arguments import BoundArguments
from tilec.testing.check import Arguments, Example


@dataclass(frozen=True)
class Job:
    """One kernel with its arguments.

    Attributes:
        program: The program.
        kernel: Name of the kernel in it.
        options: How to compile for the GPU.
        bound: The arguments as the kernel's interface sees them; their memory is never written.
        specialization: What the kernel is compiled for, from the arguments.
        arguments: The same arguments with the memory that holds them.
        example: The module with the NumPy function, if there is one.
        grid: Number of blocks, for a kernel that does not compute its own.
        given: Arrays whose values the user gave; they keep them even if the kernel only writes.
    """

    program: Program
    kernel: str
    options: CompileOptions
    bound: BoundArguments
    specialization: Specialization
    arguments: Arguments
    example: Example | None
    grid: tuple[int, ...] | None
    given: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Outcome:
    """What a run gave.

    Attributes:
        device: Where it ran.
        arguments: The arguments after the run.
        outputs: Names of the arrays that the kernel writes.
        constants: Values of its constants, defaults included.
        stray_bytes: Bytes outside of the arrays that the kernel changed, by array.
        loops: Whether the kernel has loops; only a run on the CPU reference says so.
    """

    device: str
    arguments: Arguments
    outputs: tuple[str, ...]
    constants: Mapping[str, Any] = field(default_factory=dict)
    stray_bytes: Mapping[str, int] = field(default_factory=dict)
    loops: bool = False


def prepare_arguments(job: Job, metadata: Mapping[str, Any]) -> tuple[Arguments, Arguments]:
    """Return fresh arguments and a copy of them; arrays that are only written hold poison."""
    arguments = job.arguments.copy()
    written = [item["name"] for item in metadata["arrays"] if item["access"] == "write"]
    arguments.poison(name for name in written if name not in job.given)
    return arguments, arguments.copy()


def finish(
    device: str, arguments: Arguments, before: Arguments, metadata: Mapping[str, Any]
) -> Outcome:
    """Return the outcome of a run from its arguments before and after."""
    outputs = tuple(item["name"] for item in metadata["arrays"] if item["access"] != "read")
    stray = {
        name: array.stray_writes(before.arrays[name].memory)
        for name, array in arguments.arrays.items()
    }
    changed = {name: count for name, count in stray.items() if count}
    return Outcome(device, arguments, outputs, metadata["constants"], changed)
