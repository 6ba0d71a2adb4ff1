"""Products on the emulator: every schedule, odd sizes and layouts, in random orders of events."""

import pytest

from tests.support.emulated_gemm import Gemm

SCHEDULES = [
    Gemm((256, 256, 320), (128, 128, 64)),
    Gemm((256, 256, 320), (128, 128, 64), "specialize=False"),
    Gemm((256, 256, 320), (128, 128, 64), "persistent=False, stages=2"),
    Gemm((256, 256, 320), (128, 128, 64), "stages=1"),
    Gemm((128, 256, 320), (64, 256, 64), "mma_pending=1"),
    Gemm((256, 256, 320), (128, 256, 64), "mma_pending=1"),
    Gemm((384, 384, 128), (192, 128, 64)),
    Gemm((256, 512, 128), (256, 128, 64), "epilogue_slots=1"),
    Gemm((256, 256, 128), (128, 128, 64), "epilogue_slots=0"),
    Gemm((256, 512, 128), (128, 256, 64), "epilogue_slots=4, epilogue_batch=2"),
    Gemm((256, 512, 128), (128, 256, 64), "epilogue_slots=4, epilogue_batch=4"),
    Gemm((256, 512, 128), (128, 256, 64), "stream_results=True"),
    Gemm((384, 384, 328), (128, 128, 64), "snake_k=False"),
    Gemm((384, 384, 328), (128, 128, 64), "snake_k=True", "TTT"),
    Gemm((256, 416, 128), (128, 208, 64)),
    Gemm((256, 288, 128), (128, 144, 64), layout="NNT"),
]
DEFERRED = [
    Gemm((384, 512, 64), (128, 256, 64)),
    Gemm((384, 512, 192), (128, 256, 64)),
    Gemm((384, 512, 256), (128, 256, 64), multiprocessors=3),
    Gemm((384, 512, 320), (128, 256, 64), "epilogue_slots=1"),
    Gemm((300, 200, 392), (128, 128, 64), "epilogue_slots=3, stages=2", "TNN", multiprocessors=3),
    Gemm((200, 520, 330), (64, 256, 64), layout="NTN", multiprocessors=3),
    Gemm((300, 390, 136), (128, 192, 64), "defer_stores=True, mma_pending=1", "NNT"),
    Gemm((384, 256, 320), (192, 128, 64), "defer_stores=True, stages=3"),
    Gemm((520, 512, 320), (128, 256, 64), "cluster=(2, 1)", "TTN", multiprocessors=4),
    Gemm((129, 257, 65), (128, 128, 64), multiprocessors=1),
]
"""Stores of tiles that wait for the next ones: with fewer k-tiles than parts, as many, and more."""
CLUSTERS = [
    Gemm((512, 256, 320), (128, 128, 64), "cluster=(2, 1)", multiprocessors=4),
    Gemm((256, 512, 320), (128, 128, 64), "cluster=(1, 2)", "TTN", multiprocessors=4),
    Gemm((512, 512, 192), (128, 128, 64), "cluster=(2, 2)", multiprocessors=4),
    Gemm((512, 384, 192), (128, 192, 64), "cluster=(2, 1)", multiprocessors=4),
    Gemm((520, 256, 192), (128, 128, 64), "cluster=(4, 1)", multiprocessors=4),
    Gemm((512, 256, 320), (128, 128, 64), "cluster=(2, 1), share_tiles=False", multiprocessors=4),
]
TURNS = [
    Gemm((512, 256, 320), (128, 128, 64), "pingpong=True"),
    Gemm((512, 384, 64), (64, 128, 64), "pingpong=True"),
    Gemm((512, 128, 192), (128, 128, 64), "pingpong=True, fill_gpu=True", multiprocessors=3),
    Gemm((640, 384, 128), (128, 192, 64), "pingpong=True", "TNT", multiprocessors=3),
    Gemm((512, 256, 192), (128, 128, 64), "pingpong=True, mma_pending=0, stages=2"),
    Gemm((384, 256, 128), (64, 128, 64), "pingpong=True, stages=3, epilogue_slots=1"),
    Gemm((512, 512, 192), (128, 128, 64), "pingpong=True, cluster=(2, 1)", multiprocessors=4),
    Gemm((512, 512, 192), (64, 128, 64), "pingpong=True, cluster=(1, 2)", multiprocessors=4),
]
SPLITS = [
    Gemm((256, 128, 512), (128, 128, 64), "split_k=2", multiprocessors=8),
    Gemm((256, 128, 512), (128, 128, 64), "split_k=4", multiprocessors=3),
    Gemm((128, 128, 512), (64, 128, 64), "split_k=3", multiprocessors=4),
    Gemm((300, 200, 712), (128, 128, 64), "split_k=4", "TNT", multiprocessors=5),
    Gemm((128, 128, 64), (128, 128, 64), "split_k=4", multiprocessors=4),
    Gemm((128, 256, 640), (128, 256, 64), "split_k=2, specialize=False"),
]
SWAPPED = [
    Gemm((16, 256, 320), (16, 64, 64)),
    Gemm((5, 200, 136), (8, 64, 64), layout="NTN"),
    Gemm((100, 300, 200), (104, 128, 64), "split_k=3", "TNN", multiprocessors=5),
    Gemm((200, 136, 192), (200, 64, 64), layout="TTT"),
    Gemm((40, 512, 136), (24, 128, 128), "defer_stores=True", "NNT", multiprocessors=3),
    Gemm((48, 512, 192), (48, 64, 64), "cluster=(1, 2)", multiprocessors=4),
    Gemm((33, 130, 65), (40, 64, 64), "pingpong=True"),
]
"""Rows that are no slices of wgmma: it computes the transpose."""
ODD = [
    Gemm((m, n, k), (128, 128, 64), layout=layout)
    for (m, n, k), layout in zip(
        [(300, 200, 72), (129, 257, 64), (1, 7, 16), (127, 130, 65), (8, 129, 1)],
        ["NNN", "TTT", "NTN", "TNT", "NNT"],
        strict=True,
    )
]


def label(value):
    """Return the id of a case; a seed has the usual one."""
    return getattr(value, "id", None)


@pytest.mark.parametrize(("seed", "case"), list(enumerate(SCHEDULES)), ids=label)
def test_schedules(multiply, seed, case):
    multiply(case, seed)


@pytest.mark.parametrize(("seed", "case"), list(enumerate(DEFERRED)), ids=label)
def test_deferred_stores(multiply, seed, case):
    multiply(case, seed)


@pytest.mark.parametrize(("seed", "case"), list(enumerate(CLUSTERS)), ids=label)
def test_clusters(multiply, seed, case):
    multiply(case, seed)


@pytest.mark.parametrize(("seed", "case"), list(enumerate(TURNS)), ids=label)
def test_teams_that_take_turns(multiply, seed, case):
    multiply(case, seed)


@pytest.mark.parametrize(("seed", "case"), list(enumerate(SPLITS)), ids=label)
def test_tiles_that_are_split_along_k(multiply, seed, case):
    multiply(case, seed)


@pytest.mark.parametrize(("seed", "case"), list(enumerate(SWAPPED)), ids=label)
def test_swapped_operands(multiply, seed, case):
    multiply(case, seed)


@pytest.mark.parametrize("case", ODD, ids=lambda case: case.id)
def test_odd_extents(multiply, case):
    multiply(case)
