"""Addresses of the registers of a tile: the shared part and the constants give every element."""

import pytest

from tilec.layout import (
    Swizzle,
    move_after_swizzle,
    thread_bits,
    tma_boxes,
    wgmma_accumulator,
)


def addresses(registers, shared, thread):
    """Yield (address by parts or None, address of the layout) of every register of a thread."""
    bits = thread_bits(registers, shared)
    own = shared.linear_offset(registers.thread_offset(thread))
    for register, offset in enumerate(registers.register_offsets()):
        parts = move_after_swizzle(shared, shared.linear_offset(offset), bits)
        found = None if parts is None else (shared.swizzle.apply(own) ^ parts[0]) + parts[1]
        yield found, shared.offset(registers.coordinates(register, thread))


@pytest.mark.parametrize(
    ("m", "warpgroups"), [(64, 1), (128, 2), (192, 3), (256, 2)], ids=lambda x: str(x)
)
@pytest.mark.parametrize("n", [16, 32, 48, 64, 80, 96, 112, 128, 192, 256])
@pytest.mark.parametrize("transposed", [False, True])
def test_accumulators_need_no_swizzle_per_register(m, n, warpgroups, transposed):
    registers = wgmma_accumulator(m, n, warpgroups)
    if transposed:
        registers = registers.permute((1, 0))
    shared = tma_boxes(registers.shape, 16)
    assert shared.swizzle is not Swizzle.NONE
    for thread in range(0, registers.num_threads, 7):
        for found, expected in addresses(registers, shared, thread):
            assert found == expected


def test_colliding_bits_are_refused():
    shared = tma_boxes((128, 64), 16)
    assert move_after_swizzle(shared, 16, 0x70) is None
    assert move_after_swizzle(shared, 0x80, 0x70) == (0x90, 0)
    assert move_after_swizzle(shared, 2048 + 16, 0x380) == (16, 2048)
