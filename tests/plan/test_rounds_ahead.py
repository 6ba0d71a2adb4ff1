"""When threads load the tiles of the next round of a loop that reduces them."""

import pytest

from tilec.plan.rounds_ahead import reduces_ahead
from tilec.request.target import get_target


@pytest.mark.parametrize(
    ("blocks", "size", "elements", "ahead"),
    [
        (264, 16384, 4096, True),  # two rows of 4096 bf16: 32 registers of 128 threads
        (264, 16400, 4096, False),
        (264, 32768, 8192, True),  # 256 threads
        (792, 4096, 1024, True),
        (793, 4096, 1024, False),
    ],
)
def test_few_blocks_of_few_registers_load_ahead(blocks, size, elements, ahead):
    assert reduces_ahead(blocks, size, elements, get_target("sm_90a")) is ahead
