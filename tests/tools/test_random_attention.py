"""The random calls of attention: what is drawn, and that it compiles without a GPU."""

import numpy as np
import pytest

from tools.random_attention import command
from tools.random_attention.ahead import compile_case
from tools.random_attention.cases import GUARD, KERNELS, LAYOUTS, LONGEST, MOST_SCORES, random_case

SEEDS = range(500)


def test_all_kinds_are_drawn():
    cases = [random_case(seed) for seed in SEEDS]
    assert {case.kernel for case in cases} == {*KERNELS}
    assert {case.layout for case in cases} == {*LAYOUTS}
    assert {64, 128, 192, 256, 33} <= {case.depth for case in cases}
    assert {(192, 128), (128, 128)} <= {(case.depth, case.width) for case in cases}
    assert min(case.length for case in cases) == 1
    assert max(case.length for case in cases) == LONGEST
    assert all(c.batches * c.heads * c.length**2 <= MOST_SCORES for c in cases)


@pytest.mark.parametrize("seed", range(40))
def test_arrays_lie_in_their_blocks(seed):
    """The elements of the arrays of a block are different ones, and guards surround the result."""
    case = random_case(seed)
    owners = {name: np.zeros(size, np.int8) for name, (_, size) in case.blocks.items()}
    for item in case.arrays.values():
        block = owners[item.block]
        strides = [step * block.itemsize for step in item.strides]
        view = np.lib.stride_tricks.as_strided(block[item.offset :], item.shape, strides)
        view += 1
    for name, count in owners.items():
        inner = count[GUARD:-GUARD] if name == "O" else count
        assert (inner == 1).all()
        assert count.sum() == inner.size


@pytest.mark.parametrize("seed", range(4))
def test_a_case_compiles(seed):
    text, problem = compile_case(seed)
    assert not problem
    assert f".entry {random_case(seed).kernel}" in text


def test_command(capsys):
    assert command.main(["--compile", "--first", "3", "--count", "1"]) == 0
    assert capsys.readouterr().out == "1 cases take 1 kernels\n"
