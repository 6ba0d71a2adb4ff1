"""Shapes and candidates of the planner benchmark. Pure Python.

The kernel is examples/linear.tile: Y[M, N] = X[M, K] @ W[N, K]^T, all row-major, bf16.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

ELEMENT_BYTES = 2
DIVISOR = 16
"""A dim divisible by it is compiled as such; see `tilec.runtime.args.specialize.DIM_DIVISOR`."""


@dataclass(frozen=True)
class Shape:
    """One problem: M rows and N columns of Y, depth K, and the group that it belongs to."""

    m: int
    n: int
    k: int
    group: str

    def __str__(self) -> str:
        """Return `MxNxK`."""
        return f"{self.m}x{self.n}x{self.k}"

    @property
    def sizes(self) -> dict[str, int]:
        """Extents by the name of the kernel's dim."""
        return {"M": self.m, "N": self.n, "K": self.k}

    @property
    def divisible(self) -> str:
        """Names of the dims that are multiples of `DIVISOR`; variants are compiled for these."""
        return "".join(name for name, size in self.sizes.items() if size % DIVISOR == 0)

    @property
    def operations(self) -> int:
        """Floating-point operations."""
        return 2 * self.m * self.n * self.k

    @property
    def operand_bytes(self) -> int:
        """Bytes of all three arrays."""
        return ELEMENT_BYTES * (self.m * self.k + self.n * self.k + self.m * self.n)


def _shapes(group: str, *extents: tuple[int, int, int]) -> tuple[Shape, ...]:
    return tuple(Shape(*item, group) for item in extents)


SHAPES = (
    *_shapes("square", *((n, n, n) for n in (512, 1024, 1536, 2048, 3072, 4096, 6144, 8192))),
    *_shapes(
        "tall",
        (32768, 256, 2048),
        (16384, 1024, 1024),
        (16384, 2048, 4096),
        (8192, 512, 4096),
        (8192, 1024, 8192),
        (4096, 128, 4096),
    ),
    *_shapes(
        "wide",
        (64, 12288, 4096),
        (128, 8192, 8192),
        (256, 28672, 4096),
        (512, 16384, 4096),
        (1024, 8192, 2048),
        (2048, 16384, 1024),
    ),
    *_shapes(
        "small K", (16384, 16384, 64), (8192, 8192, 128), (4096, 4096, 256), (8192, 4096, 512)
    ),
    *_shapes(
        "ragged",
        (777, 2048, 2048),
        (3001, 5120, 1536),
        (5003, 4096, 4096),
        (1000, 1000, 1000),
        (4095, 4104, 4104),
        (2049, 3080, 1032),
    ),
)
"""The 30 shapes. TMA takes all of them: N and K are multiples of 8."""

BLOCK_M = (64, 128, 192, 256)
BLOCK_N = tuple(range(64, 257, 16))
BLOCK_K = 64
"""One 128-byte swizzle span of bf16."""
CLUSTERS = ((1, 1), (2, 1), (1, 2), (2, 2))
SCHEDULES: dict[str, Mapping[str, int]] = {
    "cooperative": {"pingpong": 0},
    "pingpong": {"pingpong": 1},
}
"""Plan fields by schedule."""
STAGE_CHOICES = 2
"""The most stages that fit, and one fewer."""


@dataclass(frozen=True)
class Candidate:
    """A tile, a cluster and a schedule, compiled for dims that are divisible or not.

    It stands for up to `STAGE_CHOICES` variants that differ in their stages.
    """

    bm: int
    bn: int
    cluster: tuple[int, int]
    schedule: str
    divisible: str

    @property
    def key(self) -> str:
        """A name that is unique and fit for a file."""
        cluster = f"{self.cluster[0]}x{self.cluster[1]}"
        tile = f"{self.bm}x{self.bn}x{BLOCK_K}"
        return f"{tile}-{cluster}-{self.schedule}-{self.divisible or 'none'}"

    @property
    def constants(self) -> dict[str, int]:
        """Values of the kernel's constants."""
        return {"BM": self.bm, "BN": self.bn, "BK": BLOCK_K}

    @property
    def slot_bytes(self) -> int:
        """Shared memory of one stage in bytes."""
        return (self.bm + self.bn) * BLOCK_K * ELEMENT_BYTES

    def plan(self, stages: int) -> dict[str, int | tuple[int, int]]:
        """Return the plan fields of the variant with `stages` stages."""
        fields = {"cluster": self.cluster, "stages": stages, "any_tile_extents": 1}
        return {**fields, **SCHEDULES[self.schedule]}


def candidates(divisible: str) -> Iterator[Candidate]:
    """Yield every candidate for shapes whose dims `divisible` are multiples of `DIVISOR`."""
    for bm, bn, cluster, schedule in product(BLOCK_M, BLOCK_N, CLUSTERS, SCHEDULES):
        yield Candidate(bm, bn, cluster, schedule, divisible)


def divisibility_classes(shapes: Sequence[Shape]) -> list[str]:
    """Return what the shapes are divisible in, the class of most shapes first."""
    found = [shape.divisible for shape in shapes]
    return sorted(dict.fromkeys(found), key=lambda item: -found.count(item))


def survivors(times: Mapping[str, float], factor: float) -> list[str]:
    """Return the names whose time is at most `factor` of the best, fastest first."""
    if not times:
        return []
    limit = factor * min(times.values())
    return sorted((name for name in times if times[name] <= limit), key=times.__getitem__)
