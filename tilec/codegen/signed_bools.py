"""Conversions of a signed i1 to bf16, which LLVM's NVPTX backend gets wrong.

A signed i1 is 0 or -1. NVPTX converts one to bf16 as if it were 0 or 1 (LLVM 22.1, the pattern of
`sitofp i1` to bf16 in NVPTXInstrInfo.td; those to f16, f32 and f64 are right). A program need not
hold such a conversion: LLVM's own simplification makes it of a shift by 31, of a choice of -1 or 0
and of a negated bool. So it is spelled as a choice of two numbers after that simplification.
"""

import re

_CONVERSION = re.compile(r"= sitofp i1 (\S+) to bfloat\b")
_VECTOR = re.compile(r"= sitofp (<(\d+) x i1>) (.+?) to (<\2 x bfloat>)")
_MINUS_ONE = "0xRBF80"


def may_make_signed_bools(text: str) -> bool:
    """Tell whether LLVM may make such a conversion of LLVM IR `text`."""
    return "sitofp" in text and "bfloat" in text


def choose_signed_bools(text: str) -> str:
    """Return LLVM IR `text` with every conversion of a signed i1 to bf16 as a `select`."""
    text = _CONVERSION.sub(rf"= select i1 \1, bfloat {_MINUS_ONE}, bfloat 0.0", text)
    splat = rf"\4 splat (bfloat {_MINUS_ONE}), \4 zeroinitializer"
    return _VECTOR.sub(rf"= select \1 \3, {splat}", text)
