"""Attention as users of cuTile and Triton write it: arguments of the kernels, results in f64."""

from pathlib import Path

import numpy as np

from tilec.support.fast_dataclasses import dataclass

PATH = Path(__file__).resolve().parents[1] / "kernels" / "user_attention.tile"


@dataclass(frozen=True)
class Fmha:
    """A case of `fmha_kernel`.

    Attributes:
        heads: Batches, heads of queries, and heads of keys.
        lengths: Queries, and keys.
        depth: Length of a row of a head.
        tile: Queries and keys of a tile.
        causal: Whether a query sees no key after it.
        position: Place of the first query among the keys.
        even: Whether the keys are whole tiles.
    """

    heads: tuple[int, int, int] = (1, 2, 1)
    lengths: tuple[int, int] = (128, 128)
    depth: int = 64
    tile: tuple[int, int] = (64, 64)
    causal: bool = True
    position: int = 0
    even: bool = False

    def __str__(self) -> str:
        """Return the case as the name of a test."""
        kind = "causal" if self.causal else "full"
        lengths, tile = (f"{a}x{b}" for a, b in (self.lengths, self.tile))
        return f"{lengths}-d{self.depth}-{tile}-{kind}-{self.position}"

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the arrays, by parameter."""
        batch, heads, shared = self.heads
        queries, keys = self.lengths
        of_queries, of_keys = (batch, heads, queries), (batch, shared, keys)
        return {
            name: (*shape, self.depth)
            for name, shape in zip(
                ("Q", "K", "V", "Out"), (of_queries, of_keys, of_keys, of_queries), strict=True
            )
        }

    @property
    def constants(self) -> dict[str, int]:
        """Constants of the kernel."""
        rows, columns = self.tile
        flags = {"CAUSAL": int(self.causal), "EVEN_K": int(self.even)}
        return {**flags, "TILE_M": rows, "TILE_N": columns, "TILE_D": self.depth}

    @property
    def scalars(self) -> dict[str, float]:
        """Scalars of the kernel."""
        return {"qk_scale": self.depth**-0.5, "input_pos": self.position}

    def expected(self, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return the result in f64."""
        return {"Out": attend(arrays, self.causal, self.position)[0]}


@dataclass(frozen=True)
class Tutorial:
    """A case of `attn_fwd`.

    Attributes:
        heads: Batches and heads.
        length: Tokens, whole tiles.
        depth: Length of a row of a head.
        tile: Queries and keys of a tile.
        causal: Whether a query sees no key after it.
    """

    heads: tuple[int, int] = (1, 2)
    length: int = 128
    depth: int = 64
    tile: tuple[int, int] = (128, 64)
    causal: bool = True

    def __str__(self) -> str:
        """Return the case as the name of a test."""
        kind = "causal" if self.causal else "full"
        return f"{self.length}-d{self.depth}-{self.tile[0]}x{self.tile[1]}-{kind}"

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the arrays, by parameter."""
        rows = (*self.heads, self.length)
        return {**dict.fromkeys(("Q", "K", "V", "Out"), (*rows, self.depth)), "M": rows}

    @property
    def constants(self) -> dict[str, int]:
        """Constants of the kernel."""
        rows, columns = self.tile
        stage = 3 if self.causal else 1
        return {"STAGE": stage, "BLOCK_M": rows, "BLOCK_N": columns, "BLOCK_D": self.depth}

    @property
    def scalars(self) -> dict[str, float]:
        """Scalars of the kernel."""
        return {"sm_scale": self.depth**-0.5}

    def expected(self, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return the results in f64."""
        found, sums = attend(arrays, self.causal, 0)
        return {"Out": found, "M": sums / np.log(2.0)}


@dataclass(frozen=True)
class OneLoop:
    """A case of `fwd_kernel`.

    Attributes:
        heads: Batches and heads.
        length: Tokens.
        depth: Length of a row of a head.
        tile: Queries and keys of a tile.
        causal: Whether a query sees no key after it.
        added: Whether masks are added to scores, or scores to masks.
    """

    heads: tuple[int, int] = (1, 2)
    length: int = 128
    depth: int = 64
    tile: tuple[int, int] = (128, 64)
    causal: bool = True
    added: bool = True

    def __str__(self) -> str:
        """Return the case as the name of a test."""
        kind = ("causal" if self.causal else "full") + ("-added" if self.added else "")
        return f"{self.length}-d{self.depth}-{self.tile[0]}x{self.tile[1]}-{kind}"

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the arrays, by parameter."""
        return dict.fromkeys(("Q", "K", "V", "Out"), (*self.heads, self.length, self.depth))

    @property
    def constants(self) -> dict[str, int]:
        """Constants of the kernel."""
        rows, columns = self.tile
        flags = {"CAUSAL": int(self.causal), "ADDED": int(self.added)}
        return {**flags, "BLOCK_M": rows, "BLOCK_N": columns, "BLOCK_D": self.depth}

    @property
    def scalars(self) -> dict[str, float]:
        """Scalars of the kernel."""
        return {"sm_scale": self.depth**-0.5}

    def expected(self, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return the result in f64."""
        return {"Out": attend(arrays, self.causal, 0)[0]}


def attend(
    arrays: dict[str, np.ndarray], causal: bool, position: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the attention of `Q`, `K` and `V` in f64, and the log of the sums of exponentials."""
    q, k, v = (arrays[name].astype(np.float64) for name in "QKV")
    grouped = q.shape[1] // k.shape[1]
    k, v = (item.repeat(grouped, axis=1) for item in (k, v))
    scores = q @ k.swapaxes(-1, -2) * q.shape[-1] ** -0.5
    if causal:
        rows, columns = (np.arange(count) for count in scores.shape[-2:])
        scores = np.where(columns <= position + rows[:, None], scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - top)
    sums = weights.sum(axis=-1, keepdims=True)
    return weights / sums @ v, (top + np.log(sums))[..., 0]
