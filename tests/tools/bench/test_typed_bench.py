"""The benchmark of products of several types; nothing here needs a GPU."""

import pytest

from tools.bench import typed
from tools.bench.contenders import EXAMPLES
from tools.bench.typed_kernels import KERNELS, TypedCase, parse_typed_case


@pytest.mark.parametrize("case", [case for name in typed.SETS for case in typed.SETS[name]])
def test_a_case_reads_its_own_spelling(case):
    assert parse_typed_case(str(case)) == case


def test_every_kernel_is_an_example_and_in_a_set():
    assert {case.name for name in typed.SETS for case in typed.SETS[name]} == set(KERNELS)
    for name in KERNELS:
        assert (EXAMPLES / f"{name}.tile").is_file()


@pytest.mark.parametrize("text", ["swiglu", "swiglu:8x8", "swiglu:8x0x8", "matmul:8x8x8"])
def test_what_is_no_case_is_refused(text):
    with pytest.raises(ValueError, match=text.split(":")[0]):
        parse_typed_case(text)


def test_operations_count_every_product():
    assert TypedCase("matmul_fp8", 2, 4, 8).operations == 2 * 2 * 4 * 8
    assert TypedCase("swiglu", 2, 4, 8).operations == 2 * 2 * 2 * 4 * 8


def test_options():
    options = typed.parse_arguments(["--case", "swiglu:8x64x32", "--variant", "BM=128"])
    assert options.cases == [TypedCase("swiglu", 8, 64, 32)]
    assert [str(variant) for variant in options.variants] == ["BM=128"]
