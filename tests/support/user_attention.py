"""Attention as users of cuTile and Triton write it: arguments of the kernels, results in f64."""

from pathlib import Path

import numpy as np

from tilec.support.fast_dataclasses import dataclass

_CAP = 2.0
"""Soft cap of scores, so small that it changes most of them."""
_LEAST = -1e30
"""At most the largest score of a query; one that sees no key has no finite score."""
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


@dataclass(frozen=True)
class Sparse:
    """A case of `block_sparse`: the table has 0 for no key, 1 for a causal mask, 2 for all keys.

    Attributes:
        heads: Batches and heads.
        length: Tokens, whole tiles.
        depth: Length of a row of a head.
        tile: Queries and keys of a tile.
    """

    heads: tuple[int, int] = (1, 2)
    length: int = 256
    depth: int = 64
    tile: tuple[int, int] = (64, 64)

    def __str__(self) -> str:
        """Return the case as the name of a test."""
        return f"{self.length}-d{self.depth}-{self.tile[0]}x{self.tile[1]}"

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the arrays of numbers, by parameter."""
        return dict.fromkeys(("Q", "K", "V", "Out"), (*self.heads, self.length, self.depth))

    @property
    def tables(self) -> dict[str, np.ndarray]:
        """The table of kinds, in which one row of tiles of each head has no keys."""
        rows, columns = (np.arange(self.length // extent) for extent in self.tile)
        full = (columns + 1) * self.tile[1] <= rows[:, None] * self.tile[0] + 1
        rng = np.random.default_rng(1)
        kinds = rng.integers(0, 3, (self.heads[1], len(rows), len(columns)))
        kinds = np.where(full, kinds, np.minimum(kinds, 1))
        kinds[:, len(rows) // 2] = 0
        return {"Table": kinds.astype(np.int8)}

    @property
    def constants(self) -> dict[str, int]:
        """Constants of the kernel."""
        return {"BLOCK_M": self.tile[0], "BLOCK_N": self.tile[1], "BLOCK_D": self.depth}

    @property
    def scalars(self) -> dict[str, float]:
        """Scalars of the kernel."""
        return {"sm_scale": self.depth**-0.5}

    def expected(self, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return the result in f64."""
        kinds = self.tables["Table"]
        for axis, extent in zip((1, 2), self.tile, strict=True):
            kinds = kinds.repeat(extent, axis=axis)
        tokens = np.arange(self.length)
        seen = (kinds == 2) | ((kinds == 1) & (tokens <= tokens[:, None]))
        return {"Out": attend(arrays, False, 0, seen)[0]}


@dataclass(frozen=True)
class Documents:
    """A case of `documents`.

    Attributes:
        heads: Batches and heads.
        length: Tokens, whole tiles.
        depth: Length of a row of a head.
        tile: Queries and keys of a tile.
        capped: Whether scores have a soft cap.
    """

    heads: tuple[int, int] = (2, 1)
    length: int = 128
    depth: int = 64
    tile: tuple[int, int] = (64, 64)
    capped: bool = False

    def __str__(self) -> str:
        """Return the case as the name of a test."""
        kind = "capped" if self.capped else "plain"
        return f"{self.length}-d{self.depth}-{self.tile[0]}x{self.tile[1]}-{kind}"

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the arrays of numbers, by parameter."""
        return dict.fromkeys(("Q", "K", "V", "Out"), (*self.heads, self.length, self.depth))

    @property
    def tables(self) -> dict[str, np.ndarray]:
        """The number of the document of each token."""
        rng = np.random.default_rng(1)
        return {"Doc": np.sort(rng.integers(0, 4, (self.heads[0], self.length), np.int32))}

    @property
    def constants(self) -> dict[str, int]:
        """Constants of the kernel."""
        tile = {"BLOCK_M": self.tile[0], "BLOCK_N": self.tile[1], "BLOCK_D": self.depth}
        return {**tile, "CAPPED": int(self.capped)}

    @property
    def scalars(self) -> dict[str, float]:
        """Scalars of the kernel."""
        return {"sm_scale": self.depth**-0.5, "cap": _CAP}

    def expected(self, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return the result in f64."""
        documents = self.tables["Doc"]
        seen = documents[:, None, :, None] == documents[:, None, None, :]
        cap = _CAP if self.capped else np.inf
        return {"Out": attend(arrays, True, 0, seen, cap)[0]}


def attend(
    arrays: dict[str, np.ndarray],
    causal: bool,
    position: int,
    seen: np.ndarray | bool = True,
    cap: float = np.inf,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the attention of `Q`, `K` and `V` in f64, and the log of the sums of exponentials."""
    q, k, v = (arrays[name].astype(np.float64) for name in "QKV")
    grouped = q.shape[1] // k.shape[1]
    k, v = (item.repeat(grouped, axis=1) for item in (k, v))
    scores = q @ k.swapaxes(-1, -2) * q.shape[-1] ** -0.5
    if np.isfinite(cap):
        scores = cap * np.tanh(scores / cap)
    scores = np.where(seen, scores, -np.inf)
    if causal:
        rows, columns = (np.arange(count) for count in scores.shape[-2:])
        scores = np.where(columns <= position + rows[:, None], scores, -np.inf)
    top = np.maximum(scores.max(axis=-1, keepdims=True), _LEAST)
    weights = np.exp(scores - top)
    sums = np.maximum(weights.sum(axis=-1, keepdims=True), 1e-300)
    return weights / sums @ v, (top + np.log(sums))[..., 0]
