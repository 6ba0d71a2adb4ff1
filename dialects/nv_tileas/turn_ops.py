"""Turns: warpgroups of a role ping-pong, which issue their products one after the other.

A warpgroup takes its turn when the one before it has passed it on; the first one begins. Each has a
named barrier at which it waits, and the one before arrives without waiting (PTX ISA, barrier.cta).
`nv-tileas-assign-buffers` adds `id`, the barrier of the first warpgroup; the others follow.
Turns only say when something happens: to memory and rings they do nothing.
"""

from tilec.dialects.common.effects import Hints
from tilec.dialects.nv_tileas.dialect import NvTileAS

TURNS = ("nv_tileas.turn_start", "nv_tileas.turn_take", "nv_tileas.turn_pass")


class TurnStartOp(NvTileAS.Operation, name="turn_start", traits=[Hints]):
    """Let the first warpgroup take the first turn. Stands once, before all turns."""


class TurnTakeOp(NvTileAS.Operation, name="turn_take", traits=[Hints]):
    """Wait until it is this warpgroup's turn."""


class TurnPassOp(NvTileAS.Operation, name="turn_pass", traits=[Hints]):
    """Pass the turn on to the next warpgroup, or from the last one to the first."""
