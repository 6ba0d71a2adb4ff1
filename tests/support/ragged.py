"""Attention to sequences of any lengths: cases of `tests/kernels/ragged.tile`, results in f64."""

from itertools import pairwise
from pathlib import Path

import numpy as np

from tilec.support.fast_dataclasses import dataclass

PATH = Path(__file__).resolve().parents[1] / "kernels" / "ragged.tile"


@dataclass(frozen=True)
class Ragged:
    """A case.

    Attributes:
        kernel: Name of the kernel.
        lengths: Tokens of each sequence.
        heads: Heads of queries and of keys.
        depth: Length of a row of a head.
        tile: Queries and keys of a tile.
        causal: Whether a query sees no key after it.
        longer: How much longer than needed the grid is.
    """

    kernel: str = "ends_early"
    lengths: tuple[int, ...] = (70, 0, 200, 1, 64, 130)
    heads: tuple[int, int] = (2, 1)
    depth: int = 64
    tile: tuple[int, int] = (64, 64)
    causal: bool = True
    longer: int = 0

    def __str__(self) -> str:
        """Return the case as the name of a test."""
        mask = "causal" if self.causal else "full"
        sizes = f"{len(self.lengths)}x{max(self.lengths)}"
        return f"{self.kernel}-{sizes}-d{self.depth}-{self.tile[0]}x{self.tile[1]}-{mask}"

    @property
    def tokens(self) -> int:
        """Tokens of all sequences."""
        return sum(self.lengths)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the arrays of numbers, by parameter."""
        queries, keys = ((self.tokens, heads, self.depth) for heads in self.heads)
        return {"Q": queries, "K": keys, "V": keys, "O": queries}

    @property
    def bounds(self) -> np.ndarray:
        """Where sequences begin, and the end of the last one."""
        return np.cumsum([0, *self.lengths]).astype(np.int32)

    @property
    def scalars(self) -> dict[str, float | int]:
        """Scalars of the kernel."""
        return {"scale": self.depth**-0.5, "longest": max(self.lengths) + self.longer}

    @property
    def constants(self) -> dict[str, int]:
        """Constants of the kernel."""
        tile = {"BM": self.tile[0], "BN": self.tile[1], "BD": self.depth}
        return {**tile, "causal": int(self.causal)}

    def expected(self, given: dict[str, np.ndarray]) -> np.ndarray:
        """Return the result in f64."""
        result = np.zeros(self.shapes["O"])
        groups = self.heads[0] // self.heads[1]
        for start, end in pairwise(self.bounds):
            q = given["Q"][start:end].astype(np.float64)
            k, v = (given[n][start:end].astype(np.float64).repeat(groups, axis=1) for n in "KV")
            scores = self.scalars["scale"] * np.einsum("ihd,jhd->hij", q, k)
            if self.causal:
                scores = np.where(np.tri(end - start, dtype=bool), scores, -np.inf)
            weights = np.exp(scores - scores.max(axis=-1, keepdims=True, initial=-1e30))
            weights /= weights.sum(axis=-1, keepdims=True)
            result[start:end] = np.einsum("hij,jhd->ihd", weights, v)
        return result
