"""Grid extents in the kernel: the same numbers as the launcher's, whatever the steps need."""

import numpy as np
import pytest

from tests.support.both_devices import agree
from tilec.testing.host_arrays import HostArray

SOURCE = """@kernel({options})
def k(A: i8[_, N], B: i32[L], s: i32, t: i64, u: u32, v: i8):
    i, j = grid(2, {extent})
    store(B, i * num_blocks(1) + j, full(1, num_blocks(1) + j, i32))
"""
SCALARS = {"s": 65536, "t": 5 * 10**12 + 1, "u": 2**32 - 1, "v": -128}
EXTENTS = {
    "cdiv(A.shape[0] * N, 268435456)": 16,
    "cdiv(s * s, 268435456)": 16,
    "s * s // s // 16384": 4,
    "min(s * s, 3)": 3,
    "(s * s * 3) % 1000003 // 100000": 65536 * 65536 * 3 % 1000003 // 100000,
    "max(s - 65530, 0 - s * s)": 6,
    "(0 - 7) % 4 + (7 - s) % 3": 1 + (7 - 65536) % 3,
    "(7 - s) // (0 - 10000)": 6,
    "t // 1000000000000": 5,
    "u // 1000000000": 4,
    "cdiv(u + u, 2147483647)": 5,
    "v + 130": 2,
    "v % 5": -128 % 5,
}


@pytest.mark.parametrize("options", ["", "persistent=True"])
@pytest.mark.parametrize("text", EXTENTS)
def test_extents(device, options, text):
    """Blocks store how many there are and who they are; all 2^32 elements of A are one byte."""
    count = EXTENTS[text]
    arrays = {
        "A": HostArray("A", "i8", np.zeros(1, np.int8), 0, (65536, 65536), (0, 0)),
        "B": np.zeros(2 * count, np.int32),
    }
    source = SOURCE.format(options=options, extent=text)
    found = agree(device, source, arrays, **SCALARS)
    want = np.tile(np.arange(count, 2 * count, dtype=np.int32), 2)
    np.testing.assert_array_equal(found["B"], want)
