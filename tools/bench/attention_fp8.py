"""Contenders that compute attention in 8-bit floats (e4m3) with a scale for each head of keys."""

import importlib
import math
from typing import Any

from tools.bench.attention_cases import AttentionCase
from tools.bench.attention_contenders import Contender, Operands, Pairs, detail_of, load_kernel
from tools.bench.measure import operand_sets
from tools.bench.variants import Variant

MAX_RELATIVE_ERROR = 2.0**-4
"""Of a result (Frobenius norm): weights are rounded to 8 bits, each by up to 2^-4 of itself."""


def make_operands(torch: Any, case: AttentionCase) -> Operands:
    """Return normally distributed operands: Q, K and V in 8 bits, and a scale of each."""
    few = case.shared_heads

    def tensor(heads: int) -> Any:
        shape = (case.batch, case.length, heads, case.depth)
        return torch.randn(shape, device="cuda").to(torch.float8_e4m3fn)

    def one() -> tuple[Any, ...]:
        scales = torch.rand((3, case.batch, few), device="cuda") + 0.5
        return tensor(case.heads), tensor(few), tensor(few), *scales

    sets = [one() for _ in range(operand_sets(case.operand_bytes))]
    scale = case.depth**-0.5

    def pairs(result: Any) -> Pairs:
        for head in {0, case.heads - 1}:
            yield result[-1, :, head].float(), reference(torch, case, sets[0], scale, head)

    return Operands(sets, scale, pairs, MAX_RELATIVE_ERROR)


def reference(
    torch: Any, case: AttentionCase, tensors: tuple[Any, ...], scale: float, head: int
) -> Any:
    """Return the f32 result of one head of the last sequence."""
    torch.backends.cuda.matmul.allow_tf32 = False
    shared = head // case.grouped
    heads = (head, shared, shared)
    q, k, v = (item[-1, :, n].float() for item, n in zip(tensors[:3], heads, strict=True))
    query, key, value = (item[-1, shared] for item in tensors[3:])
    scores = (q @ k.T) * (scale * query * key)
    if case.causal:
        after = torch.ones_like(scores, dtype=torch.bool).triu_(1)
        scores.masked_fill_(after, -math.inf)
    return (scores.softmax(dim=1) @ v) * value


def ours(torch: Any, case: AttentionCase, operands: Operands, variant: Variant) -> Contender:
    """Return ours. The keys of its V are contiguous: the caller writes it so."""
    kernel = load_kernel("attention_fp8", variant)
    constants = {"causal": int(case.causal), "BD": case.depth, **variant.constants}
    data, results = [], []
    for q, k, v, *scales in operands.sets:
        results.append(torch.full(q.shape, math.nan, device="cuda", dtype=torch.bfloat16))
        values = v.permute(0, 2, 3, 1).contiguous()
        data.append((q, k, values, results[-1], *scales, operands.scale))
    compiled = kernel.compile(*data[0], **constants)

    def attend(number: int) -> Any:
        kernel(*data[number], **constants)
        return results[number]

    return Contender(attend, detail_of(compiled))


def fa3(torch: Any, case: AttentionCase, operands: Operands) -> Contender:
    """Return FlashAttention-3."""
    del torch
    flash = importlib.import_module("fa3_fwd_interface").flash_attn_func

    def attend(number: int) -> Any:
        q, k, v, query, key, value = operands.sets[number]
        descale = {"q_descale": query, "k_descale": key, "v_descale": value}
        found = flash(q, k, v, softmax_scale=operands.scale, causal=case.causal, **descale)
        return found[0] if isinstance(found, tuple) else found

    return Contender(attend)
