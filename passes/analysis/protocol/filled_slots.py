"""Tells in which round of the producer's loop over k-tiles the operands of a product were loaded.

A consumer may multiply a tile a round after it has read it, or after its loop (see
`nv-tileas-rotate-loops`). So the number of its own round does not say which k-tile that is. The
round of the producer that filled the slot does.
"""

from typing import Any

from tilec.passes.analysis.protocol.scalars import ScalarRun

_FILL = "nv_tileas.async_tiled_tma_load"
_VIEW = "nv_tileas.slot_view"
_STORE = "nv_tileas.store_shared"
Rounds = frozenset[int]
"""Rounds in which the tiles were loaded that a value is computed from."""


class FilledSlots:
    """What the producer of a CTA fills slots with.

    A slot is known by its buffer and its ring position. Tiles that no loop over k-tiles loads have
    no round.
    """

    def __init__(self, run: ScalarRun, block: Any, producer: Any) -> None:
        """Run the producer.

        Args:
            run: A run that has not begun.
            block: The body of the kernel.
            producer: The block of the producer's role.

        Raises:
            EndlessRunError: It takes too long.
        """
        self._rounds: dict[tuple[Any, int | None], Rounds] = {}
        for op in run.run(block):
            if op.name == "nv_tileas.roles":
                for inner in run.run(producer):
                    self._take(run, inner)
            else:
                self._take(run, op)

    def _take(self, run: ScalarRun, op: Any) -> None:
        if op.name == _VIEW:
            run.values[op.results[0]] = (op.opview.buffer, run.get(op.opview.position))
        elif op.name == _FILL:
            slot = run.get(op.operands[1])
            if slot is not None and len(run.rounds) > 1:
                self._rounds[slot] = frozenset(run.rounds[-1:])

    def follow(self, run: ScalarRun, op: Any) -> None:
        """Set what is known of the results of a consumer's operation on tiles."""
        if op.name == _VIEW:
            slot = (op.opview.buffer, run.get(op.opview.position))
            run.values[op.results[0]] = self._rounds.get(slot, Rounds())
            return
        sources, targets = list(op.operands), list(op.results)
        if op.name == _STORE:  # what the buffer held before is overwritten
            sources, targets = sources[:1], sources[1:]
        found = Rounds().union(*(self.rounds(run, value) for value in sources))
        for target in targets if found else ():
            run.values[target] = found

    def rounds(self, run: ScalarRun, value: Any) -> Rounds:
        """Return the rounds in which what `value` is computed from was loaded."""
        found = run.get(value)
        return found if isinstance(found, frozenset) else Rounds()
