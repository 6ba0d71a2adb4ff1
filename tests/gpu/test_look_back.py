"""The running sum of an array, whose blocks wait for each other, with far more blocks than SMs."""

from pathlib import Path

import pytest

import tilec

pytestmark = pytest.mark.gpu
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "array_cumsum.tile"


@pytest.mark.parametrize("size", [2**26, 2**24 + 5])
def test_blocks_find_the_sums_before_them(torch, size):
    kernel = tilec.load(EXAMPLE).array_cumsum
    # Sums of such integers are exact in f32, in any order.
    x = torch.randint(-8, 9, (size,), device="cuda").float()
    want = torch.cumsum(x.double(), 0).float()
    y, words = torch.empty_like(x), torch.empty(size // 1024 + 1, device="cuda", dtype=torch.uint64)
    counter = torch.empty(1, device="cuda", dtype=torch.int32)
    for _ in range(3):
        y.fill_(-1.0)
        words.zero_()
        counter.zero_()
        kernel(x, y, words, counter)
        assert torch.equal(y, want)
