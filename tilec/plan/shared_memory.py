"""How a kernel divides shared memory between the ring and the staging of results. Pure Python."""

from typing import TYPE_CHECKING

from tilec.plan import machine
from tilec.plan.failure import fail
from tilec.plan.gemm_model import MIN_STAGES
from tilec.plan.overrides import PlanOverrides
from tilec.target import Target

if TYPE_CHECKING:
    from tilec.plan.kernel import KernelProblem


def choose_epilogue(
    problem: "KernelProblem", consumers: int, target: Target, fixed: PlanOverrides
) -> tuple[int, tuple[str, ...]]:
    """Return the staging slots of a warpgroup, and why unless there is nothing to choose."""
    if fixed.epilogue_slots is not None:
        if fixed.epilogue_slots and not problem.part_bytes:
            message = "no store of the kernel can go out in parts"
            fail("T0421", f"epilogue_slots = {fixed.epilogue_slots}: {message}")
        return fixed.epilogue_slots, (
            f"epilogue_slots = {fixed.epilogue_slots}: fixed by the user",
        )
    if not problem.part_bytes:
        return 0, ()
    stages = {
        slots: _fitting_stages(problem, problem.bytes_beside_ring(consumers, slots), target)
        for slots in (1, machine.EPILOGUE_SLOTS)
    }
    if stages[machine.EPILOGUE_SLOTS] < MIN_STAGES <= stages[1]:
        return 1, (f"epilogue_slots = 1: more would leave less than {MIN_STAGES} stages",)
    why = "one is filled while TMA reads the other"
    return machine.EPILOGUE_SLOTS, (f"epilogue_slots = {machine.EPILOGUE_SLOTS}: {why}",)


def _ring_slot(problem: "KernelProblem") -> int:
    """Return the bytes between two slots of the ring."""
    return -(-problem.ring_slot_bytes // machine.SLOT_ALIGNMENT) * machine.SLOT_ALIGNMENT


def _fitting_stages(problem: "KernelProblem", beside: int, target: Target) -> int:
    """Return how many ring slots fit beside `beside` bytes; many without a ring."""
    free = target.shared_memory_bytes - machine.SHARED_RESERVE_BYTES - beside
    return free // _ring_slot(problem) if problem.ring_slot_bytes else machine.MAX_STAGES


def choose_stages(
    problem: "KernelProblem", beside: int, target: Target, fixed: PlanOverrides
) -> tuple[int, str]:
    """Return the number of ring slots: enough bytes in flight, within shared memory."""
    free = target.shared_memory_bytes - machine.SHARED_RESERVE_BYTES - beside
    if free < 0:
        fail(
            "T0424",
            f"the kernel needs {beside} bytes of shared memory outside of loops; "
            f"{target.shared_memory_bytes - machine.SHARED_RESERVE_BYTES} are available",
            "use smaller tiles",
        )
    if not problem.has_loop_loads or not problem.ring_slot_bytes:
        if fixed.stages not in (None, 1):
            fail("T0421", f"stages = {fixed.stages}: the kernel has no loads in a loop")
        return 1, "stages = 1: no loads in a loop"
    slot = _ring_slot(problem)
    fit = free // slot
    if fit < 1 or (fixed.stages or 0) > fit:
        stages = fixed.stages or 1
        needed = stages * slot + beside + machine.SHARED_RESERVE_BYTES
        fail(
            "T0424",
            f"{stages} stage{'s' * (stages > 1)} of {slot} bytes, {beside} bytes "
            f"outside of the ring and {machine.SHARED_RESERVE_BYTES} bytes for barriers need "
            f"{needed} bytes of shared memory; {target.shared_memory_bytes} are available",
            "use smaller tiles" if fit < 1 else f"at most {fit} stages fit",
        )
    if fixed.stages is not None:
        return fixed.stages, f"stages = {fixed.stages}: fixed by the user"
    flight = machine.FLIGHT_BYTES if problem.mma else machine.STREAM_FLIGHT_BYTES
    wanted = min(max(4 if problem.mma else 2, -(-flight // slot)), machine.MAX_STAGES)
    stages = min(wanted, fit)
    limit = f"{fit} fit beside {beside} bytes"
    return stages, f"stages = {stages} of {slot} bytes: {wanted} wanted, {limit}"
