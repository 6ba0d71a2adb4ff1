"""The typed program between the syntax tree and MLIR: values in SSA form, operations, blocks.

Operations carry the mnemonic of the cuda_tile operation they become; on scalars the emitter
spells the same mnemonic with the arith and math dialects.
"""

from typing import Any

from tilec.support.diagnostics import SourceSpan
from tilec.support.dtypes import DType
from tilec.support.fast_dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ScalarType:
    """One number."""

    dtype: DType

    def __str__(self) -> str:
        return self.dtype.name


@dataclass(frozen=True, slots=True)
class TileType:
    """A tile: `shape` in elements, outermost axis first."""

    dtype: DType
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.dtype.name}[{', '.join(str(extent) for extent in self.shape)}]"


@dataclass(frozen=True, slots=True)
class PointerType:
    """Base address of an array."""

    dtype: DType

    def __str__(self) -> str:
        return f"pointer to {self.dtype.name}"


@dataclass(frozen=True, slots=True)
class TensorViewType:
    """An array: extents and strides in elements, None where they are run-time values."""

    dtype: DType
    shape: tuple[int | None, ...]
    strides: tuple[int | None, ...]

    def __str__(self) -> str:
        return f"array of {self.dtype.name}"


@dataclass(frozen=True, slots=True)
class PartitionViewType:
    """Tiles of an array, one every `steps` elements; tile axis i is array axis `dim_map[i]`.

    Without steps, there is one every tile extent.
    """

    tile: tuple[int, ...]
    view: TensorViewType
    dim_map: tuple[int, ...]
    padding: str
    steps: tuple[int, ...] | None = None

    def __str__(self) -> str:
        return f"view of {self.view.dtype.name} in tiles {shape_text(self.tile)}"


Type = ScalarType | TileType | PointerType | TensorViewType | PartitionViewType


def shape_text(shape: tuple[int, ...]) -> str:
    """Return a shape for a message: `128x64`."""
    return "x".join(str(extent) for extent in shape)


@dataclass(slots=True, eq=False)
class Value:
    """The result of an operation, or an argument of a block or of the kernel.

    Attributes:
        type: Its type.
        span: The expression that computes it.
        bounds: Smallest and largest integer that it is proven to be (see `intervals`); None where
            nothing is known beyond its type.
    """

    type: Type
    span: SourceSpan
    bounds: tuple[int, int] | None = None


@dataclass(slots=True, eq=False)
class Operation:
    """One operation; `regions` is non-empty for `if`, `for` and `while`."""

    name: str
    operands: tuple[Value, ...]
    attributes: dict[str, Any]
    results: tuple[Value, ...]
    span: SourceSpan
    regions: tuple["Block", ...] = ()


@dataclass(slots=True, eq=False)
class Block:
    """Operations in order. `yields` are the values that the block passes on at its end."""

    arguments: tuple[Value, ...] = ()
    operations: list[Operation] = field(default_factory=list)
    yields: tuple[Value, ...] = ()
    end_span: SourceSpan | None = None
