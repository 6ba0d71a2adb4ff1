"""Attention of random shapes on the GPU, against f64: heads, lengths, masks, layouts, sequences.

`python -m tools.random_attention` runs more of them.
"""

import pytest

from tools.random_attention.cases import random_case
from tools.random_attention.checking import check

pytestmark = pytest.mark.gpu

CASES = 60


@pytest.mark.parametrize("seed", range(CASES), ids=lambda seed: f"{seed}-{random_case(seed)}")
def test_random_attention(torch, seed):
    outcome = check(torch, random_case(seed), seed)
    assert not outcome.problem, outcome
