"""Effects of operations: what MLIR's passes and our own may drop, merge or move, and what not."""

from typing import Any

from tilec.dialects.common.accesses import WEAK, global_access, must_happen
from tilec.ir.bindings import ir
from tilec.ir.structured import STRUCTURED


class ReadsMemory:
    """The operation reads memory: it may be merged or dropped, but not moved over a write."""

    class Effects(ir.MemoryEffectsOpInterface):
        """Reports one read."""

        @staticmethod
        def get_effects(op: Any, effects: Any) -> None:
            """Add the effect of `op` to `effects`."""
            effects.append(ir.MemoryEffect.Read)

    @staticmethod
    def attach(op_name: str) -> None:
        """Attach the interface to the operation called `op_name`."""
        ReadsMemory.Effects.attach(op_name)


class ReadsInOrder:
    """Trait of a load: it reads memory; when it orders other accesses it must stay in place."""

    class Effects(ir.MemoryEffectsOpInterface):
        """Reports a read, and a write for any ordering but `weak`."""

        @staticmethod
        def get_effects(op: Any, effects: Any) -> None:
            """Add the effects of `op` to `effects`."""
            effects.append(ir.MemoryEffect.Read)
            access = global_access(op)
            if access is not None and access.order_of(op) != WEAK:
                effects.append(ir.MemoryEffect.Write)

    @staticmethod
    def attach(op_name: str) -> None:
        """Attach the interface to the operation called `op_name`."""
        ReadsInOrder.Effects.attach(op_name)


class WritesMemory:
    """The operation writes memory: it stays, and reads do not move over it."""

    class Effects(ir.MemoryEffectsOpInterface):
        """Reports one write."""

        @staticmethod
        def get_effects(op: Any, effects: Any) -> None:
            """Add the effect of `op` to `effects`."""
            effects.append(ir.MemoryEffect.Write)

    @staticmethod
    def attach(op_name: str) -> None:
        """Attach the interface to the operation called `op_name`."""
        WritesMemory.Effects.attach(op_name)


class Acts:
    """The operation is performed for what it does, whether or not a result of it is used.

    MLIR takes operations without a memory-effect trait to do anything; this trait tells our passes
    that one really does. Operations without results need none: they have no other purpose.
    """

    @staticmethod
    def attach(op_name: str) -> None:
        """Attach nothing: MLIR need not know."""


class Reports(Acts):
    """The operation tells the host something, and does nothing that the kernel itself could see.

    So it needs no order with loads and stores, and no barrier depends on it.
    """


class Hints(Acts):
    """The operation tells the hardware what comes, and does nothing that the kernel could see."""


def is_unseen(op: Any) -> bool:
    """Tell whether `op` does nothing that the kernel itself could see: it reports, or hints."""
    traits = getattr(type(op.opview), "_traits", ())
    return Reports in traits or Hints in traits


def has_effect(op: Any) -> bool:
    """Tell whether a kernel performs `op` for what it does, not for its results.

    Loops and branches have no effect of their own, and terminators have none.
    """
    if op.name in STRUCTURED or op.name.rpartition(".")[2] in _TERMINATORS:
        return False
    if global_access(op) is not None:
        return must_happen(op)
    traits = getattr(type(op.opview), "_traits", ())
    return not len(op.results) or any(
        trait in (Acts, Reports, Hints, WritesMemory) for trait in traits
    )


_TERMINATORS = frozenset({"yield", "yield_values", "condition", "return"})
