"""What must hold when all agents of a run have come to their ends."""

from typing import Any

from tilec.passes.analysis.protocol.events import ProtocolViolationError


def check_ending(run: Any) -> None:
    """Check that nothing is left over from a run, a `Simulation`.

    Raises:
        ProtocolViolationError: A barrier is in mid-phase, nothing waited for what was loaded,
            something written was never read, bulk stores may still read shared memory, a CTA left
            too early, or accesses of global memory that memory tokens order are not ordered.
    """
    _check_barriers(run)
    _check_fills(run)
    _check_buffers(run)
    _check_nobody_left_early(run)
    run.memory.check()


def _check_barriers(run: Any) -> None:
    for barriers, what in ((run.barriers.full, "full"), (run.barriers.empty, "empty")):
        for (_, ring, slot), barrier in barriers.items():
            if barrier.pending != barrier.count or barrier.tx:
                raise ProtocolViolationError(
                    run.protocol.rings[ring].where,
                    f"the {what} barrier of ring {ring}, slot {slot} ends in mid-phase:"
                    f" {barrier.pending} arrivals and {barrier.tx} bytes are missing",
                )


def _check_fills(run: Any) -> None:
    """Check that a CTA waits for every load into its slots: they may not outlive it."""
    for (cta, ring, slot), barrier in run.barriers.full.items():
        own = (agent for agent in run.agents if agent.cta == cta)
        if barrier.phases and not any(not barrier.phases[-1] & ~agent.clock for agent in own):
            raise ProtocolViolationError(
                run.protocol.rings[ring].where,
                f"nothing waits for the last load into slot {slot} of ring {ring}",
            )


def _check_buffers(run: Any) -> None:
    for (_, buffer, *_), slot in (*run.slots.items(), *run.parts.items()):
        lost = [where for name, where in slot.unread.items() if name not in slot.excused]
        if lost:
            message = f"what is written to {run.hazards.name_of(buffer)} is never read"
            raise ProtocolViolationError(lost[0], message)
        for mark in slot.stores.values():
            if not any(agent.clock & mark for agent in run.agents):
                raise ProtocolViolationError(
                    "", "the kernel may end while a bulk store still reads shared memory"
                )


def _check_nobody_left_early(run: Any) -> None:
    """Check that a CTA outlives what other CTAs of the cluster do to its barriers."""
    for cta, actors in run.barriers.reached.items():
        own = [agent for agent in run.agents if agent.cta == cta]
        for actor, (mark, where) in actors.items():
            if not any(agent.clock & mark for agent in own):
                raise ProtocolViolationError(
                    where, f"CTA {cta} may exit before '{actor}' arrives at its barrier"
                )
