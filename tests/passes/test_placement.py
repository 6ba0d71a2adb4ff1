"""nv-tileas-verify-placement: real kernels pass, and every fault of a place or a slot is found."""

import re

import pytest

from tests.support.seeded_faults import before_the_check, changed, lines_of, replaced
from tilec.ir.context import make_context
from tilec.ir.text import parse_module
from tilec.passes.registry import PassContext
from tilec.passes.transforms.nv_tileas.verify.verify_placement import verify_placement
from tilec.support.diagnostics import InternalCompilerError


def check(text: str) -> None:
    module = parse_module(text, make_context(), "dump.mlir")
    with module.context:
        verify_placement(module, PassContext(buffer="dump.mlir"))


def failure(text: str) -> str:
    with pytest.raises(InternalCompilerError) as caught:
        check(text)
    return str(caught.value)


@pytest.fixture(scope="module")
def matmul() -> str:
    """Two buffers of a ring of four, two barriers for each, and staging slots of two warpgroups."""
    return before_the_check(stages=4, epilogue_slots=1, defer_stores=0)


@pytest.fixture(scope="module")
def gelu() -> str:
    """Two rings, one for the operands and one for the slices of an epilogue."""
    return before_the_check(example="matmul_bias_gelu")


def offset_of(text: str, operation: str, number: int) -> int:
    line = text.splitlines()[lines_of(text, operation)[number]]
    return int(re.findall(r"offset = (\d+)", line)[0])


def shifted(operation: str, number: int, distance: int):
    """Return an edit that moves what an operation places."""

    def edit(text):
        old = offset_of(text, operation, number)
        return changed(operation, number, f"offset = {old} ", f"offset = {old + distance} ")(text)

    return edit


def at_place_of(operation: str, number: int, other: str, of: int):
    """Return an edit that places one thing where another one is."""

    def edit(text):
        old, new = offset_of(text, operation, number), offset_of(text, other, of)
        return changed(operation, number, f"offset = {old} ", f"offset = {new} ")(text)

    return edit


FAULTS = {
    "no place": (changed("alloc_shared", 1, "offset = 65536 : i64, ", ""), "has no place"),
    "a buffer off its swizzle": (shifted("alloc_shared", 0, 512), "needs a multiple of 1024"),
    "a buffer off by a byte": (shifted("alloc_shared", 1, 1), "needs a multiple of 1024"),
    "an mbarrier off by four": (shifted("alloc_mbarrier", 0, 4), "needs a multiple of 8"),
    "a buffer in the one before": (shifted("alloc_shared", 1, -1024), "overlaps the 128x64 bf16"),
    "two buffers in one place": (
        at_place_of("alloc_shared", 1, "alloc_shared", 0),
        "overlaps the",
    ),
    "a buffer beyond the end": (shifted("alloc_shared", 2, 1024), "but the kernel has"),
    "barriers in a buffer": (
        at_place_of("alloc_mbarrier", 1, "alloc_shared", 0),
        "an mbarrier at offset 0 overlaps",
    ),
    "barriers over barriers": (shifted("alloc_mbarrier", 1, -8), "overlaps an mbarrier"),
    "barriers beyond the end": (shifted("alloc_mbarrier", 1, 8), "but the kernel has"),
    "a kernel of fewer bytes": (
        replaced(r"shared_bytes = \d+", "shared_bytes = 1024"),
        "but the kernel has 1024",
    ),
    "a kernel of too many bytes": (
        replaced(r"shared_bytes = \d+", "shared_bytes = 232449"),
        "232449 bytes of shared memory, of at most 232448",
    ),
    "full barriers of fewer slots": (
        changed("alloc_mbarrier", 0, "slots = 4", "slots = 3"),
        "a ring of 4 stages has 3 mbarriers",
    ),
    "empty barriers of fewer slots": (
        changed("alloc_mbarrier", 1, "slots = 4", "slots = 3"),
        "a ring of 4 stages has 3 mbarriers",
    ),
    "a ring of more stages": (
        changed("create_ring", 0, "stages = 4", "stages = 5"),
        "a ring of 5 stages has 4 mbarriers",
    ),
    "a ring of fewer stages": (
        changed("create_ring", 0, "stages = 4", "stages = 3"),
        "a ring of 3 stages has 4 mbarriers",
    ),
    "a buffer of fewer slots": (
        changed("alloc_shared", 0, "slots = 4", "slots = 3"),
        "has 3 slots, but is used by a ring of 4 stages",
    ),
    "a staging buffer of fewer slots": (
        changed("alloc_shared", 2, "slots = 2", "slots = 1"),
        "has 1 slots, but is used by 2 warpgroups with 1 tiles each",
    ),
    "more slots for each warpgroup": (
        changed("warpgroup_view", 0, "slots = 1", "slots = 2"),
        "is used by 2 warpgroups with 2 tiles each",
    ),
    "one barrier for full and empty": (
        replaced(r"(create_ring\"\()(%\w+), %\w+\)", r"\1\2, \2)"),
        "an mbarrier of a ring is also used directly",
    ),
    "more warps than threads": (
        replaced("producer_warps = 4 : i64}", "producer_warps = 8 : i64}"),
        "roles of 16 warps in a kernel of 384 threads",
    ),
}


def test_the_kernel_without_a_fault(matmul, gelu):
    check(matmul)
    check(gelu)


@pytest.mark.parametrize("name", FAULTS)
def test_seeded_faults(matmul, name):
    edit, message = FAULTS[name]
    edited = edit(matmul)
    assert edited != matmul
    found = failure(edited)
    assert message in found
    assert found.startswith("dump.mlir:")
