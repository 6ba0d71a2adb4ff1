"""The bits of floats as other types, which LLVM and older versions of ptxas get wrong."""

import re

import pytest

from tilec.compiler.driver import compile_source
from tilec.request.options import CompileOptions
from tilec.support.diagnostics import SourceFile

KERNEL = """
@kernel
def zeros_in[N](A: {source}[N], B: bool[N]):
    i = grid(cdiv(N, 128))
    x = load(A, (i,), (128,))
    store(B, (i,), bitcast(cast(x, {first}), {second}) != 0.0)
"""

NARROWED = """
@kernel
def narrowed[N](A: {source}[N], B: {target}[N], C: {target}[N]):
    i = grid(cdiv(N, 128))
    x = load(A, (i,), (128,))
    store(B, (i,), cast(bitcast(cast(x, {kind}), {bits}), {target}), allow_tma=False)
    y = bitcast(cast(load(A, i, ()), {kind}), {bits})
    scatter(C, arange(1) + i, full((1,), cast(y, {target}), {target}))
"""


def ptx_of(text):
    options = CompileOptions(emit="ptx", run_ptxas=False)
    return compile_source(SourceFile("f.tile", text), options=options).texts["ptx"]


@pytest.mark.parametrize("source", ["bool", "u8", "i16", "i32"])
@pytest.mark.parametrize(("first", "second"), [("f16", "bf16"), ("bf16", "f16")])
def test_bits_of_an_integer_that_are_compared(source, first, second):
    text = KERNEL.format(source=source, first=first, second=second)
    assert "mov.b16" in ptx_of(text)


@pytest.mark.parametrize(
    ("source", "kind", "bits", "target"),
    [
        ("i16", "f16", "i16", "i8"),
        ("i16", "bf16", "i16", "u8"),
        ("i32", "f32", "i32", "i16"),
        ("i32", "f32", "i32", "u8"),
        ("u64", "f64", "i64", "i32"),
        ("i64", "f64", "i64", "i16"),
    ],
)
def test_a_part_of_the_bits_is_not_stored_from_a_register_of_a_float(source, kind, bits, target):
    """In tiles and scalars, a move stands between what makes the float and the store."""
    ptx = ptx_of(NARROWED.format(source=source, kind=kind, bits=bits, target=target))
    floats = set(re.findall(r"cvt\.rn\.b?f\d+\.\w+\s+(%\w+),", ptx))
    stored = set(re.findall(r"st\.global\.b\d+\s+\[[^]]*\], (%\w+);", ptx))
    moved = dict(re.findall(rf"mov\.b{bits[1:]} (%\w+), (%\w+);", ptx))
    narrowed = dict(re.findall(r"cvt\.u\d+\.u\d+\s+(%\w+), (%\w+);", ptx))
    assert len(stored) == len(floats) == 2
    assert {narrowed.get(register, register) for register in stored} == set(moved)
    assert not floats & set(moved)
