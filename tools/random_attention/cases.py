"""Random calls of the attention examples: lengths, heads, sizes, masks, layouts, element types."""

import random
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
KERNELS = ("attention", "window_attention", "flex_attention", "varlen_attention")
LONGEST = 5000
"""Tokens of a sequence."""
MOST_SCORES = 2**26
"""Scores of a case: those of the reference take 0.5 GB, in f64."""
CAP = 2.0
"""Of the scores of `flex_attention`."""
DEPTHS = (64, 64, 96, 128, 128, 128, 192, 256, 256, 72, 136, 33)
"""Sizes of a head of `attention`. TMA cannot read rows of 33 elements."""
UNEQUAL = ((192, 128), (64, 128), (128, 64), (72, 40))
"""Other ones: elements of a key, and of a value."""
SMALL_DEPTHS = (8, 20, 33, 40, 64, 64, 72, 80, 120, 128, 128)
"""Of the others, whose tiles are fixed and fit the registers up to 128."""
GROUPS = ((1, 1), (2, 1), (1, 4), (2, 3), (1, 8), (4, 2), (3, 5))
"""Heads of keys, and how many heads of queries share one."""
LAYOUTS = ("tokens first", "heads first", "packed")
"""Of the axes: [batch, token, head, depth], [batch, head, token, depth], and the first with all
heads of Q, K and V one after the other."""
TILE, TOGETHER = 128, 2
"""Queries of a tile of `varlen_attention`, and heads that it computes at the same time."""
GUARD = 64
"""Elements before and after a result; 128 bytes, which keep its alignment."""


class View(NamedTuple):
    """An array in a block of memory.

    Attributes:
        block: Name of the block.
        dtype: Element type by its tilec name.
        offset: Index in the block of element (0, ..., 0).
        shape: Extent of each axis.
        strides: Stride of each axis in elements.
    """

    block: str
    dtype: str
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def end(self) -> int:
        """Index in the block after the last element."""
        last = sum((n - 1) * step for n, step in zip(self.shape, self.strides, strict=True))
        return self.offset + last + 1


def dense(block: str, dtype: str, *shape: int, offset: int = 0) -> View:
    """Return an array without gaps, the last axis the fastest."""
    strides = tuple(prod(shape[axis + 1 :]) for axis in range(len(shape)))
    return View(block, dtype, offset, shape, strides)


@dataclass(frozen=True)
class Case:
    """One call.

    Attributes:
        kernel: Name of the example.
        batches: Sequences; `varlen_attention` gets one array of tokens, which holds several.
        length: Tokens of a sequence, or of all sequences of `varlen_attention`.
        groups: Heads of keys and values.
        shared: Heads of queries that share one of these.
        depth: Size of a head: elements of a query and of a key.
        width: Elements of a value and of the result.
        causal: Whether a query sees no key after it.
        window: Keys that a query of `window_attention` sees at most.
        alibi: Whether `flex_attention` has slopes; else they are 0.
        layout: One of `LAYOUTS`.
        dtype: Element type.
        starts: First token of each sequence of `varlen_attention`, and the number of tokens.
    """

    kernel: str
    batches: int
    length: int
    groups: int
    shared: int
    depth: int
    width: int
    causal: bool
    window: int
    alibi: bool
    layout: str
    dtype: str
    starts: tuple[int, ...]

    def __str__(self) -> str:
        """Return all that matters, as words that are joined by dashes."""
        words = [self.kernel, f"b{self.batches}", f"s{self.length}", f"d{self.depth}", self.dtype]
        words += [f"v{self.width}"] * (self.width != self.depth)
        words += [f"h{self.heads}", f"g{self.groups}", self.layout.replace(" ", "-")]
        words += ["causal"] * self.causal + ["alibi"] * self.alibi
        words += [f"w{self.window}"] * (self.kernel == "window_attention")
        return "-".join(words)

    @property
    def heads(self) -> int:
        """Heads of queries."""
        return self.groups * self.shared

    @property
    def scale(self) -> float:
        """Factor of the scores."""
        return self.depth**-0.5

    def _operands(self) -> dict[str, View]:
        counts = {"Q": self.heads, "K": self.groups, "V": self.groups}
        sizes = {"Q": self.depth, "K": self.depth, "V": self.width}
        if self.layout != "packed":
            return {name: self._dense(name, n, sizes[name]) for name, n in counts.items()}
        b, s, first, found = self.batches, self.length, 0, {}
        row = sum(n * sizes[name] for name, n in counts.items())
        for name, n in counts.items():
            d = sizes[name]
            strides = (s * row, row, d, 1)
            found[name] = View("QKV", self.dtype, first, (b, s, n, d), strides)
            first += n * d
        return found

    def _dense(self, name: str, heads: int, d: int, offset: int = 0) -> View:
        b, s = self.batches, self.length
        strides = (heads * s * d, heads * d, d, 1)
        if self.layout == "heads first":
            strides = (heads * s * d, d, s * d, 1)
        return View(name, self.dtype, offset, (b, s, heads, d), strides)

    @cached_property
    def arrays(self) -> dict[str, View]:
        """The arrays by the names of the kernel's parameters; the result is `O`."""
        found = self._operands() | {"O": self._dense("O", self.heads, self.width, GUARD)}
        if self.kernel == "varlen_attention":
            found = {
                name: item._replace(shape=item.shape[1:], strides=item.strides[1:])
                for name, item in found.items()
            }
            listed = dense("W", "i32", len(self.tiles), 2)
            return found | {"C": dense("C", "i32", len(self.starts)), "W": listed}
        if self.kernel == "attention":
            sums = dense("E", "f32", self.batches, self.heads, self.length)
            return found | {"E": sums}
        if self.kernel == "flex_attention":
            return found | {"A": dense("A", "f32", self.heads)}
        return found

    @property
    def tiles(self) -> list[tuple[int, int]]:
        """Sequence and number of each tile of `varlen_attention`, the longest first."""
        lengths = [end - start for start, end in pairwise(self.starts)]
        found = [(s, m) for s, length in enumerate(lengths) for m in range(-(-length // TILE))]
        return sorted(found, key=lambda tile: -tile[1])

    @property
    def scalars(self) -> dict[str, Any]:
        """Scalars and constants by the names of the kernel's parameters."""
        extents = [max(64, 1 << (size - 1).bit_length()) for size in (self.depth, self.width)]
        found: dict[str, Any] = {"scale": self.scale, "BD": extents[0]}
        if self.kernel == "attention":
            found["BV"] = extents[1]
            if (self.depth, self.width) in UNEQUAL:
                found["BD"] = _whole_columns(self.depth)
        if self.kernel in ("attention", "varlen_attention"):
            found["causal"] = int(self.causal)
        if self.kernel == "varlen_attention":
            found["together"] = TOGETHER
        if self.kernel == "window_attention":
            found["window"] = self.window
        if self.kernel == "flex_attention":
            found["cap"] = CAP
        return found

    @property
    def blocks(self) -> dict[str, tuple[str, int]]:
        """Element type and length of the blocks of memory that the arrays lie in, by name."""
        found: dict[str, tuple[str, int]] = {}
        for item in self.arrays.values():
            _, size = found.get(item.block, ("", 0))
            found[item.block] = (item.dtype, max(size, item.end))
        dtype, size = found["O"]
        return found | {"O": (dtype, size + GUARD)}


def _whole_columns(elements: int) -> int:
    """Return the columns of a tile that holds rows of so many elements: whole rows of 64 bytes."""
    return -(-elements // 32) * 32


def random_case(seed: int) -> Case:
    """Return the case of a seed; lengths are of all orders of magnitude."""
    rng = random.Random(seed)
    kernel = KERNELS[seed % len(KERNELS)]
    length = min(LONGEST, int(2 ** rng.uniform(0, 13)))
    most = max(1, MOST_SCORES // length**2)
    groups, shared = rng.choice(GROUPS)
    while groups * shared > most:
        groups, shared = 1, max(1, shared - 1)
    depth = rng.choice(DEPTHS if kernel == "attention" else SMALL_DEPTHS)
    width = depth
    if kernel == "attention" and rng.random() < 0.3:
        depth, width = rng.choice(UNEQUAL)
    several = kernel != "varlen_attention"
    inner = sorted(rng.randint(0, length) for _ in range(rng.randint(0, 6)))
    return Case(
        kernel=kernel,
        batches=rng.randint(1, max(1, min(3, most // (groups * shared)))) if several else 1,
        length=length,
        groups=groups,
        shared=shared,
        depth=depth,
        width=width,
        causal=rng.random() < 0.5 if kernel in ("attention", "varlen_attention") else True,
        window=rng.randint(1, length + 64),
        alibi=kernel == "flex_attention" and rng.random() < 0.5,
        layout=rng.choice(LAYOUTS),
        dtype="f16" if kernel == "attention" and rng.random() < 0.25 else "bf16",
        starts=(0, *inner, length),
    )
