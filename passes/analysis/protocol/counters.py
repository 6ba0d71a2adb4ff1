"""What operations on counters do to the protocol, their barriers included."""

from typing import Any

from tilec.dialects.nv_tileas.count_ops import COUNTER_BARRIERS, ClearCountsOp
from tilec.passes.analysis.protocol.events import Event, Kind


def counter_events(op: Any, place: str, buffer: int) -> list[Event]:
    """Return the events of an operation on the counters in `buffer`.

    To count is to read what was cleared: the order of counts does not matter, and what reads them
    begins with a barrier.
    """
    is_clear = op.name == ClearCountsOp.OPERATION_NAME
    access = Event(Kind.WRITE if is_clear else Kind.READ, place, buffer=buffer)
    barriers = [Event(Kind.BARRIER, place)] * COUNTER_BARRIERS.get(op.name, 0)
    return [*barriers[1:], access, *barriers[:1]]
