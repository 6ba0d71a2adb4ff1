"""`tilec run` on a GPU: copies the host arrays to device memory and back, and launches."""

import sys
import warnings
from typing import Any

from tilec.cli.remarks import render_remarks
from tilec.cli.run_job import Job, Outcome, finish, prepare_arguments
from tilec.runtime.args.device_array import DeviceArray
from tilec.runtime.cuda.api import Driver
from tilec.runtime.jit import Kernel, KernelText
from tilec.support.diagnostics import PerformanceWarning, Severity

_DEVICE = 0


def run_on_gpu(job: Job, driver: Driver) -> Outcome:
    """Compile a job for the GPU, launch it and copy everything back.

    Args:
        job: What to run; its arguments are not written.
        driver: The GPU driver.

    Raises:
        TileError: The kernel cannot be compiled, or the launch failed.
    """
    text = KernelText.of(job.program)
    kernel = Kernel(
        text,
        job.kernel,
        job.specialization.plan,
        job.options.target,
        debug_waits=job.options.debug_waits,
        allow_spills=job.options.allow_spills,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PerformanceWarning)  # printed below, as commands print them
        compiled = kernel.compile_for(driver.device(_DEVICE).gpu, job.bound.values)
    shown = [item for item in compiled.remarks if item.severity is Severity.WARNING]
    sys.stderr.write(render_remarks(shown, [job.program.source]))
    arguments, before = prepare_arguments(job, compiled.metadata)
    on_device = {
        name: DeviceArray(
            array.memory, array.offset, array.shape, array.strides, device=_DEVICE, driver=driver
        )
        for name, array in arguments.arrays.items()
    }
    values: dict[str, Any] = {**job.bound.values, **on_device}
    launch = kernel if job.grid is None else kernel[job.grid]
    launch(**values)
    for name, array in arguments.arrays.items():
        on_device[name].download(array.memory)
    info = driver.device(_DEVICE)
    note = f"GPU {info.ordinal} ({info.name}), {compiled.registers} registers"
    return finish(note, arguments, before, compiled.metadata)
