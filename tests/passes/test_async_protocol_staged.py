"""Faults in rotated loops that compute an operand early and store it when the product is done."""

import contextlib
import io

import pytest

from tests.support.seeded_faults import (
    BEFORE,
    ROOT,
    check_fault,
    moved,
    source_of,
    verify,
    without,
)
from tilec.compiler.driver import compile_source
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization

STORED, READ, STORED_LAST = range(3)
"""Barriers of all consumers around the products: after the store and after the wait of a round, and
after the store of what the loop has computed last."""
OVERWRITTEN = "the 128x64 bf16 buffer may be overwritten while"
EARLY = "a tile is read before the write"


@pytest.fixture(scope="module")
def converted() -> str:
    """Take a product whose operands threads convert and scale; B goes to shared memory."""
    options = CompileOptions(emit="nv_tileas", print_after=(BEFORE,))
    tiles = Specialization(constants={"BM": 128, "BN": 128, "BK": 64}, plan={"rotate": True})
    source = source_of(ROOT / "tests" / "kernels" / "strangers.tile")
    with contextlib.redirect_stderr(io.StringIO()) as printed:
        compile_source(source, "mxfp8", tiles, options)
    return printed.getvalue()


def test_the_kernel_passes(converted):
    verify(converted)


@pytest.mark.parametrize(
    "fault",
    [
        (without("barrier", STORED), OVERWRITTEN),
        (without("barrier", READ), EARLY),
        (without("barrier", STORED_LAST), OVERWRITTEN),
        (moved("barrier", READ, "mma_wait", 0), OVERWRITTEN),
        (moved("store_shared", 0, "mma_wait", 0), "a slot is read that does not hold its tile"),
    ],
)
def test_a_fault_is_found(converted, fault):
    check_fault(converted, fault)
