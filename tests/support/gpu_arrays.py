"""Moves test arrays between host memory and torch."""

import time

import numpy as np
import pytest

SECONDS = 10.0
"""Longest the kernels of one test may take: all of ours are done in milliseconds."""
GUARD = 64
"""Elements before and after a result; 128 bytes, which keep its alignment."""
GUARD_BITS = 0x5A5A
POISON = -7.0
"""What results hold before a kernel runs, and the memory around them before and after."""
TORCH_NAMES = {
    "bool": "bool",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "u64": "uint64",
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "tf32": "float32",
    "f64": "float64",
    "f8e4m3": "float8_e4m3fn",
    "f8e5m2": "float8_e5m2",
}


def torch_dtype(torch, dtype):
    """Return torch's element type for a name of the language."""
    return getattr(torch, TORCH_NAMES[dtype])


def upload(torch, array):
    """Copy the memory of a `HostArray` to the GPU.

    Returns:
        The whole memory as bytes, and the array as a strided view of it.
    """
    memory = torch.from_numpy(array.memory.view(np.uint8).copy()).cuda()
    typed = memory.view(torch_dtype(torch, array.dtype))
    return memory, typed.as_strided(array.shape, array.strides, array.offset)


def launch_on_gpu(torch, kernel, arguments):
    """Launch a kernel on copies of its arrays on the GPU, and copy all of their memory back.

    Args:
        torch: The module.
        kernel: What is called with the arrays and scalars by name.
        arguments: `tilec.testing.check.Arguments`, whose arrays hold the results afterwards.
    """
    memories, arrays = {}, {}
    for name, array in arguments.arrays.items():
        memories[name], arrays[name] = upload(torch, array)
    kernel(**arrays, **arguments.scalars)
    torch.cuda.synchronize()
    for name, array in arguments.arrays.items():
        download(memories[name], array)


def download(memory, array):
    """Copy the bytes of `upload` back into the memory of the `HostArray`."""
    array.memory.view(np.uint8)[:] = memory.cpu().numpy()


def wait(torch, what):
    """Wait for the GPU; a kernel that hangs ends the session, for nothing runs after it."""
    done = torch.cuda.Event()
    done.record()
    deadline = time.monotonic() + SECONDS
    while not done.query():
        if time.monotonic() > deadline:
            pytest.exit(f"{what} did not finish in {SECONDS} s", returncode=3)
        time.sleep(1e-4)


def operand(torch, order, *shape):
    """Return normal random numbers, row-major (`N`) or with the last two axes swapped (`T`)."""
    *outer, rows, columns = shape
    if order == "N":
        return torch.randn(shape, device="cuda").bfloat16()
    return torch.randn((*outer, columns, rows), device="cuda").bfloat16().mT


def poisoned(torch, *shape):
    """Return memory with guards at both ends, and the array of NaN between them."""
    count = torch.Size(shape).numel()
    memory = torch.full((2 * GUARD + count,), GUARD_BITS, dtype=torch.int16, device="cuda")
    return memory, memory[GUARD:-GUARD].view(torch.bfloat16).view(shape).fill_(float("nan"))


def check_product(torch, memory, found, expected, terms):
    """Check a result in bf16 of sums of `terms` products, and that its guards are untouched."""
    # One rounding to bf16 of the largest element, and the f32 sum's own error.
    limit = expected.abs().max().item() * 2.0**-8 + terms * 2.0**-20
    error = (found.float() - expected).abs().nan_to_num(nan=float("inf")).max().item()
    assert error <= limit, f"max error {error}, limit {limit}"
    for guard in (memory[:GUARD], memory[-GUARD:]):
        assert bool((guard == GUARD_BITS).all()), "C's guards were written"


def padded(torch, rows, columns, dtype, order="N"):
    """Return poisoned memory and an array in it, with room after each row and after the last."""
    outer, inner = (rows, columns) if order == "N" else (columns, rows)
    whole = torch.full((outer + 1, (inner + 15) // 8 * 8), POISON, dtype=dtype, device="cuda")
    inside = whole[:outer, :inner]
    return whole, inside if order == "N" else inside.T


def filled(torch, rows, columns, dtype, order="N"):
    """Return random numbers in an array whose pitch TMA can take."""
    _, inside = padded(torch, rows, columns, dtype, order)
    return inside.copy_(torch.randn((rows, columns), device="cuda"))


def check_padded(whole, found, expected, limit):
    """Check a result in memory of `padded`, and that what lies around it is untouched."""
    error = (found.float() - expected).abs().max().item()
    assert error <= limit, f"max error {error}, limit {limit}"
    found.fill_(POISON)
    assert bool((whole == POISON).all()), "memory outside of the array was written"


def limit_of(expected, k):
    """One rounding to bf16 of the largest element, and the f32 sum's own error."""
    return expected.abs().max().item() * 2.0**-8 + k * 2.0**-18
