"""Roles: which warps run which part of a kernel, and the register share of each."""

from typing import Any

from tilec.dialects.common.verify import report
from tilec.dialects.nv_tileas.base import CheckedOperation, find_choice_error
from tilec.dialects.nv_tileas.dialect import NvTileAS
from tilec.ir.attributes import integer
from tilec.ir.bindings import Operand, Pure, Region, Result, ir
from tilec.ir.integers import i64


class RolesOp(NvTileAS.Operation, name="roles"):
    """Split the threads of a CTA into a producer role and a consumer role.

    Every value that both roles use and that is not re-computable crosses through a ring. Values
    from above the op are uniform scalars and handles, which every thread computes.

    Attributes:
        producer_warps: Warps of the producer role; 0 when the consumers load for themselves (the
            producer region is then empty). The role owns whole warpgroups, so that `setmaxnreg`
            can move its registers; one elected thread of its first warp runs the region.
        consumer_warps: Warps of the consumer role, of each team of it.
        teams: Teams of consumers, each of which runs the region for itself, for other tiles than
            the rest (ping-pong); absent when all consumers run it together.
    """

    producer: Region
    consumer: Region
    producer_warps: ir.IntegerAttr
    consumer_warps: ir.IntegerAttr

    @classmethod
    def build(cls, producer_warps: int, consumer_warps: int, teams: int = 1, **where: Any) -> Any:
        """Build the op with two empty regions and return it."""
        roles = cls(
            producer_warps=i64(producer_warps),
            consumer_warps=i64(consumer_warps),
            **where,
        )
        if teams > 1:
            roles.attributes["teams"] = i64(teams)
        return roles

    @property
    def team_count(self) -> int:
        """Teams of consumers."""
        return self.attributes["teams"].value if "teams" in self.attributes else 1

    def verify_region_invariants(self) -> bool:
        """Each region is one block that `nv_tileas.yield` ends; there are one or two teams."""
        if self.team_count not in (1, 2):
            return report(self, f"expects one or two teams, but got {self.team_count}")
        for region in self.regions:
            blocks = list(region.blocks)
            last = blocks[0].operations[len(blocks[0].operations) - 1] if blocks else None
            if last is None or last.operation.name != "nv_tileas.yield":
                return report(self, "expects regions to end with 'nv_tileas.yield'")
        return True


class ProducerWarpOp(NvTileAS.Operation, name="producer_warp"):
    """Run a program on a separate warp of the producer role, in parallel with the region.

    One elected thread of the warp runs it. What it waits for holds nothing else up: a load whose
    slot becomes free late does not hold up the loads after it.

    Attributes:
        warp: Warp of the producer role; 0 runs the rest of the region.
    """

    body: Region
    warp: ir.IntegerAttr

    @classmethod
    def build(cls, warp: int, **where: Any) -> Any:
        """Build the op with an empty region and return it."""
        return cls(warp=i64(warp), **where)

    def verify_region_invariants(self) -> bool:
        """The op is in the producer region; its own region is one block that ends with a yield."""
        parent = self.operation.parent
        if parent is None or parent.operation.name != "nv_tileas.roles":
            return report(self, "expects to be in a region of 'nv_tileas.roles'")
        warps = integer(parent.operation, "producer_warps")
        if not 0 < self.warp.value < warps:
            return report(self, f"expects a warp in [1, {warps - 1}], but got {self.warp.value}")
        blocks = list(self.body.blocks)
        last = blocks[0].operations[len(blocks[0].operations) - 1] if blocks else None
        if last is None or last.operation.name != "nv_tileas.yield":
            return report(self, "expects its region to end with 'nv_tileas.yield'")
        return True


PRODUCER_WARP = ProducerWarpOp.OPERATION_NAME


def producer_warps(roles: Any) -> list[Any]:
    """Return the `producer_warp` operations in the producer region of a `roles` operation."""
    block = roles.regions[0].blocks[0]
    return [op.operation for op in block.operations if op.operation.name == PRODUCER_WARP]


class YieldOp(NvTileAS.Operation, name="yield", traits=[ir.IsTerminatorTrait]):
    """End a region of `roles` or `producer_warp`."""


class CtaIdOp(NvTileAS.Operation, name="cta_id", traits=[Pure]):
    """Return the index of this CTA in the flattened grid (i32)."""

    index: Result[Any]

    @classmethod
    def build(cls, **where: Any) -> Any:
        """Build the op and return the index."""
        return cls(index=ir.IntegerType.get_signless(32), **where).index


class NumCtasOp(NvTileAS.Operation, name="num_ctas", traits=[Pure]):
    """Return the number of CTAs of the grid (i32)."""

    count: Result[Any]

    @classmethod
    def build(cls, **where: Any) -> Any:
        """Build the op and return the count."""
        return cls(count=ir.IntegerType.get_signless(32), **where).count


class TeamIdOp(NvTileAS.Operation, name="team_id", traits=[Pure]):
    """Return the index of the calling team of consumers (i32)."""

    index: Result[Any]

    @classmethod
    def build(cls, **where: Any) -> Any:
        """Build the op and return the index."""
        return cls(index=ir.IntegerType.get_signless(32), **where).index


class SleepOp(NvTileAS.Operation, name="sleep"):
    """The warp rests for about as many nanoseconds, and for twice as many at most.

    Changes nothing but time (PTX ISA, nanosleep).

    Attributes:
        nanoseconds: From 0 to 1,000,000, i32.
    """

    nanoseconds: Operand[Any]


class SetRegistersOp(CheckedOperation, name="set_registers"):
    """Move registers between the warpgroups of the roles (`setmaxnreg`).

    Attributes:
        count: Registers per thread from here on: a multiple of 8 in 24..256 (PTX ISA, setmaxnreg).
        action: `increase` or `decrease`.
    """

    count: ir.IntegerAttr
    action: ir.StringAttr

    def find_error(self) -> str | None:
        """Return the message for a count or an action that the instruction cannot encode."""
        count = self.count.value
        if count % 8 or not 24 <= count <= 256:
            return f"attribute 'count' must be a multiple of 8 in [24, 256], but got {count}"
        return find_choice_error(self, "action", ("increase", "decrease"))
