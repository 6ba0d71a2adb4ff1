"""How a kernel uses its `auto` constants: the questions that the planner answers.

The body is analysed once with provisional numbers that remember their names (`AutoInt`). Wherever
such a number is an extent of a tile that `load`, `store` or `mma` sees, the use is written down.
"""

from collections.abc import Iterable, Mapping

from tilec.frontend.semantics.facts.products import symbol
from tilec.plan.products import Extents, ProductsTogether
from tilec.plan.tiles import TileRole, TileUse
from tilec.support.dtypes import DType
from tilec.support.fast_dataclasses import dataclass, field, replace
from tilec.support.mma_atoms import ProductTypes

_MMA_ROLES: tuple[TileRole, TileRole, TileRole] = ("mma_m", "mma_n", "mma_k")


@dataclass(frozen=True, slots=True)
class _Stored:
    """A tile that is stored: its element size, and what its axes of extent 1 stand for."""

    element_bytes: int
    batch: tuple[int | str, ...]


@dataclass(slots=True)
class TileUseRecorder:
    """Collects uses by name. A use by `mma` outweighs one as a plain tile."""

    mma: dict[str, TileUse] = field(default_factory=dict)
    plain: dict[str, TileUse] = field(default_factory=dict)
    dims: dict[str, str] = field(default_factory=dict)
    stored: dict[tuple[int | str, ...], _Stored] = field(default_factory=dict)
    contiguous: dict[tuple[int | str, ...], set[int | str]] = field(default_factory=dict)
    epilogue: dict[tuple[int | str, ...], dict[str, int]] = field(default_factory=dict)
    deferrable: bool = False
    swappable: bool = False
    together: Mapping[Extents, ProductsTogether] = field(default_factory=dict)

    def record_access(
        self,
        array: str,
        shape: Iterable[int],
        dims: Iterable[str | int | None],
        dtype: DType,
        *,
        is_store: bool,
        contiguous_axis: int | None = None,
    ) -> None:
        """Write down a tile that is loaded or stored.

        Args:
            array: Parameter name.
            shape: Extents of the tile.
            dims: What each axis stands for: a named dim, a known extent, or something else.
            dtype: Element type.
            is_store: Whether it is stored.
            contiguous_axis: Axis of the tile along which the array is contiguous, if one is known.
        """
        extents = tuple(symbol(extent) for extent in shape)
        dims = tuple(dims)
        for extent, dim in zip(extents, dims, strict=True):
            if isinstance(extent, str):
                if isinstance(dim, str):
                    self.dims.setdefault(extent, dim)
                known = self.plain.get(extent)
                if known is None or known.element_bytes < dtype.bytes:
                    self.plain[extent] = TileUse("elementwise", dtype.bytes, extents)
        matrix = tuple(extent for extent in extents if extent != 1)
        if is_store:
            pairs = zip(extents, dims, strict=True)
            batch = tuple(dim for extent, dim in pairs if extent == 1 and dim is not None)
            self.stored[matrix] = _Stored(dtype.bytes, batch)
            return
        if any(use.extents[:2] == matrix for use in self.mma.values()):
            self.epilogue.setdefault(matrix, {})[array] = dtype.bytes
        if contiguous_axis is not None:
            self.contiguous.setdefault(matrix, set()).add(extents[contiguous_axis])

    def record_mma(self, extents: tuple[int, int, int], types: ProductTypes, size: int) -> None:
        """Write down one matrix multiplication.

        Args:
            extents: M, N and K of the tiles.
            types: Element types that the instructions multiply.
            size: Bytes of an operand element in memory.
        """
        m, n, k = map(symbol, extents)
        for role, extent in zip(_MMA_ROLES, (m, n, k), strict=True):
            if isinstance(extent, str):
                use = TileUse(role, size, (m, n, k), product=types)
                self.mma.setdefault(extent, use)

    def uses(self) -> dict[str, TileUse]:
        """Return one use per constant."""
        result: dict[str, TileUse] = {}
        for name in {**self.mma, **self.plain}:
            use = self._with_memory(self.mma[name]) if name in self.mma else self.plain[name]
            result[name] = replace(use, dim=self.dims.get(name))
        return result

    def _is_contiguous(self, extent: int | str, k: int | str) -> bool:
        """Tell whether an operand lies in memory with its extent other than `k` contiguous."""
        loads = (self.contiguous.get(pair, set()) for pair in ((k, extent), (extent, k)))
        return any(extent in axes for axes in loads)

    def _with_memory(self, use: TileUse) -> TileUse:
        """Return the use of an mma with what is known of its operands and its result."""
        m, n, k = use.extents
        use = replace(
            use,
            m_contiguous=self._is_contiguous(m, k),
            n_contiguous=self._is_contiguous(n, k),
            together=self.together.get((m, n, k), use.together),
        )
        stored = self.stored.get((m, n))
        if stored is None:
            return use
        return replace(
            use,
            output_bytes=stored.element_bytes,
            epilogue_bytes=sum(self.epilogue.get((m, n), {}).values()),
            deferrable=self.deferrable,
            swappable=self.swappable,
            batch=stored.batch,
        )
