"""How a kernel uses its `auto` constants: the questions that the planner answers.

The body is analysed once with provisional numbers that remember their names (`AutoInt`). Wherever
such a number is an extent of a tile that `load`, `store` or `mma` sees, the use is written down.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from tilec.dtypes import DType
from tilec.frontend.semantics.values import AutoInt
from tilec.plan.tiles import TileRole, TileUse

_MMA_ROLES: tuple[TileRole, TileRole, TileRole] = ("mma_m", "mma_n", "mma_k")


def _symbol(extent: int) -> int | str:
    return extent.name if isinstance(extent, AutoInt) else int(extent)


@dataclass(slots=True)
class TileUseRecorder:
    """Collects uses by name. A use by `mma` outweighs one as a plain tile."""

    mma: dict[str, TileUse] = field(default_factory=dict)
    plain: dict[str, TileUse] = field(default_factory=dict)
    dims: dict[str, str] = field(default_factory=dict)
    output_bytes: dict[tuple[int | str, ...], int] = field(default_factory=dict)

    def record_access(
        self,
        shape: Iterable[int],
        dims: Iterable[str | int | None],
        dtype: DType,
        *,
        is_store: bool,
    ) -> None:
        """Write down a tile that is loaded or stored; `dims` names what its axes walk over."""
        extents = tuple(_symbol(extent) for extent in shape)
        for extent, dim in zip(extents, dims, strict=True):
            if isinstance(extent, str):
                if isinstance(dim, str):
                    self.dims.setdefault(extent, dim)
                known = self.plain.get(extent)
                if known is None or known.element_bytes < dtype.bytes:
                    self.plain[extent] = TileUse("elementwise", dtype.bytes, extents)
        if is_store:
            self.output_bytes[extents] = dtype.bytes

    def record_mma(self, m: int, n: int, k: int, dtype: DType) -> None:
        """Write down the extents of one matrix multiplication with operands of `dtype`."""
        extents = (_symbol(m), _symbol(n), _symbol(k))
        for role, extent in zip(_MMA_ROLES, extents, strict=True):
            if isinstance(extent, str):
                self.mma.setdefault(extent, TileUse(role, dtype.bytes, extents))

    def uses(self) -> dict[str, TileUse]:
        """Return one use per constant."""
        result: dict[str, TileUse] = {}
        for name in {**self.mma, **self.plain}:
            use = self.mma.get(name) or self.plain[name]
            output = self.output_bytes.get(use.extents[:2], use.output_bytes)
            result[name] = replace(use, dim=self.dims.get(name), output_bytes=output)
        return result
