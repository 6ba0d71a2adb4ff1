"""Attention to packed sequences: cases of `tests/kernels/packed.tile`, and results in f64."""

from pathlib import Path

import numpy as np

from tests.support.user_attention import attend
from tilec.support.fast_dataclasses import dataclass

PATH = Path(__file__).resolve().parents[1] / "kernels" / "packed.tile"
_NUMBERS = 6
"""Documents of a sequence; their numbers begin with 1, and tokens beyond the end have 0."""
_HALF = 0.5


@dataclass(frozen=True)
class Packed:
    """A case of `packed`.

    Attributes:
        kind: Numbers of tokens: `sorted`; `shuffled`, where documents have any order; `random`,
            where tokens of all documents are mixed; `strange`, where some queries have numbers that
            no key has; `lengths`, where documents have random lengths, from one token to most of
            the sequence, and some of them come in several pieces.
        heads: Batches and heads.
        length: Tokens.
        depth: Length of a row of a head.
        tile: Queries and keys of a tile.
        causal: Whether a query sees no key after it.
        ordered: Whether a query sees keys with smaller numbers, too.
        guarded: Whether maxima begin with -inf.
        wide: Whether numbers of keys have 64 bits.
        seed: Of the random numbers.
    """

    kind: str = "sorted"
    heads: tuple[int, int] = (1, 1)
    length: int = 256
    depth: int = 64
    tile: tuple[int, int] = (64, 64)
    causal: bool = True
    ordered: bool = False
    guarded: bool = False
    wide: bool = False
    seed: int = 1

    def __str__(self) -> str:
        """Return the case as the name of a test."""
        flags = [name for name in ("causal", "ordered", "guarded", "wide") if getattr(self, name)]
        tile = f"{self.tile[0]}x{self.tile[1]}"
        kind = self.kind if self.seed == 1 else f"{self.kind}{self.seed}"
        return "-".join([kind, str(self.length), f"d{self.depth}", tile, *flags])

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the arrays of numbers, by parameter."""
        return dict.fromkeys(("Q", "K", "V", "Out"), (*self.heads, self.length, self.depth))

    @property
    def tables(self) -> dict[str, np.ndarray]:
        """The number of the document of each query and of each key."""
        rng = np.random.default_rng(self.seed)
        numbers = rng.integers(1, _NUMBERS + 1, (self.heads[0], self.length))
        if self.kind == "lengths":
            numbers = np.stack([self._pieces(rng) for _ in numbers])
        elif self.kind != "random":
            numbers = np.sort(numbers)
        if self.kind == "shuffled":
            numbers = 1 + rng.permutation(_NUMBERS)[numbers - 1]
        queries = numbers.copy()
        if self.kind == "strange":
            queries[:, self.length // 3 : self.length // 2] = _NUMBERS + 7
            queries[:, 5::9] = -_NUMBERS
        keys = numbers.astype(np.int64 if self.wide else np.int32)
        return {"Doc": queries.astype(np.int32), "KeyDoc": keys}

    def _pieces(self, rng: np.random.Generator) -> np.ndarray:
        """Return the numbers of the tokens of a sequence of pieces of random lengths."""
        mean = self.length / rng.choice([5, 10, 40])
        lengths = 1 + rng.exponential(mean, self.length).astype(np.int64)
        order = rng.integers(0, max(2, self.length // int(mean)), self.length)
        numbers = np.sort(order) if rng.random() < _HALF else order
        return np.repeat(numbers, lengths)[: self.length] - _NUMBERS

    @property
    def constants(self) -> dict[str, object]:
        """Constants of the kernel."""
        tile = {"BLOCK_M": self.tile[0], "BLOCK_N": self.tile[1], "BLOCK_D": self.depth}
        flags = {
            name: int(getattr(self, name.lower())) for name in ("CAUSAL", "ORDERED", "GUARDED")
        }
        return {**tile, **flags}

    @property
    def scalars(self) -> dict[str, float]:
        """Scalars of the kernel."""
        return {"sm_scale": self.depth**-0.5}

    def expected(self, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return the result in f64; 0 for queries that see no key."""
        queries = self.tables["Doc"][:, None, :, None]
        keys = self.tables["KeyDoc"][:, None, None, :]
        seen = queries >= keys if self.ordered else queries == keys
        return {"Out": attend(arrays, self.causal, 0, seen)[0]}
