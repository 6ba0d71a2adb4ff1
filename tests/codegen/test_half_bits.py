"""The bits of an f16 as a bf16, where LLVM would end the process: compared, and of an integer."""

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


@pytest.mark.parametrize("source", ["bool", "u8", "i16", "i32"])
@pytest.mark.parametrize(("first", "second"), [("f16", "bf16"), ("bf16", "f16")])
def test_bits_of_an_integer_that_are_compared(source, first, second):
    text = KERNEL.format(source=source, first=first, second=second)
    options = CompileOptions(emit="ptx", run_ptxas=False)
    assert "mov.b16" in compile_source(SourceFile("f.tile", text), options=options).texts["ptx"]
