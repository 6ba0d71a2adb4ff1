"""Memory-effect traits, so that CSE, LICM and dead-code elimination treat memory right."""

from typing import Any

from tilec.ir.bindings import ir


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
