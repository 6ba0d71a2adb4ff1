"""Contenders that compute the gradients of attention: Q, K, V and the result's gradient are given.

What the forward pass leaves for them (its result and log-sum-exp) is computed before, untimed.
"""

import importlib
import math
from collections.abc import Callable
from typing import Any

from tools.bench.attention_cases import AttentionCase
from tools.bench.attention_contenders import (
    FA4,
    Contender,
    Operands,
    Pairs,
    detail_of,
    forward_constants,
    load_kernel,
)
from tools.bench.measure import operand_sets
from tools.bench.variants import Variant

MAX_RELATIVE_ERROR = 2.0**-6
"""Of a gradient (Frobenius norm): results, weights and their gradients are rounded to bf16."""
_TILES = {64: (128, 128), 128: (64, 128)}
"""Queries and keys of a tile of our kernel, by the size of a head."""
_QUERY_TILES = {64: (128, 128), 128: (128, 64)}
"""The same of our kernel of DQ alone."""
_KEY_TILES = (64, 128)
"""The same of our kernel of DK and DV alone."""
ALONE = "ALONE"
"""Constant of a variant: 1 computes DQ in a kernel of its own, 0 all gradients in one kernel."""


def make_operands(torch: Any, case: AttentionCase) -> Operands:
    """Return normally distributed operands: Q, K, V and the gradient of the result."""

    def tensor(heads: int) -> Any:
        shape = (case.batch, case.length, heads, case.depth)
        return torch.randn(shape, device="cuda", dtype=torch.bfloat16)

    def one() -> tuple[Any, ...]:
        many, few = case.heads, case.shared_heads
        return tensor(many), tensor(few), tensor(few), tensor(many)

    sets = [one() for _ in range(operand_sets(case.operand_bytes))]
    scale = case.depth**-0.5

    def pairs(result: Any) -> Pairs:
        for shared in {0, case.shared_heads - 1}:
            first = shared * case.grouped
            dq, dk, dv = reference(torch, case, sets[0], scale, shared)
            for number, expected in enumerate(dq):
                yield result[0][-1, :, first + number].float(), expected
            yield result[1][-1, :, shared].float(), dk
            yield result[2][-1, :, shared].float(), dv

    return Operands(sets, scale, pairs, MAX_RELATIVE_ERROR)


def reference(
    torch: Any, case: AttentionCase, tensors: tuple[Any, ...], scale: float, shared: int
) -> tuple[list[Any], Any, Any]:
    """Return the f32 gradients of one head of keys of the last sequence.

    Args:
        torch: The module; products are without tf32.
        case: The case.
        tensors: Q, K, V and the gradient of the result.
        scale: Factor of the scores.
        shared: The head of keys and values.

    Returns:
        The gradients of its heads of queries, of the keys, and of the values.
    """
    torch.backends.cuda.matmul.allow_tf32 = False
    queries, keys, values, slopes = (item[-1].float() for item in tensors)
    k, v = keys[:, shared], values[:, shared]
    dq, dk, dv = [], torch.zeros_like(k), torch.zeros_like(v)
    for head in range(shared * case.grouped, (shared + 1) * case.grouped):
        q, do = queries[:, head], slopes[:, head]
        weights = (q @ k.T) * scale
        if case.causal:
            after = torch.ones_like(weights, dtype=torch.bool).triu_(1)
            weights.masked_fill_(after, -math.inf)
        weights = weights.softmax(dim=1)
        dv += weights.T @ do
        change = do @ v.T
        change -= (weights * change).sum(dim=1, keepdim=True)
        weights *= change
        dq.append(scale * (weights @ k))
        dk += scale * (weights.T @ q)
    return dq, dk, dv


def ours(torch: Any, case: AttentionCase, operands: Operands, variant: Variant) -> Contender:
    """Return ours. A variant fixes BM and BN (of two kernels those of DK and DV), QM, QN of DQ."""
    depth = case.depth
    forward = load_kernel("attention", Variant(""))
    delta = load_kernel("attention_backward_delta", Variant(""))
    shape = (case.batch, case.heads, case.length)
    outs, sums, means, powers, grads = [], [], [], [], []
    for q, k, v, _ in operands.sets:
        outs.append(torch.full_like(q, math.nan))
        sums.append(torch.full(shape, math.nan, device="cuda"))
        means.append(torch.full(shape, math.nan, device="cuda"))
        powers.append(torch.full(shape, math.nan, device="cuda"))
        grads.append(tuple(torch.full_like(item, math.nan) for item in (q, k, v)))
        forward(q, k, v, outs[-1], sums[-1], operands.scale, **forward_constants(case))
    data = [
        (*tensors, power, mean)
        for tensors, power, mean in zip(operands.sets, powers, means, strict=True)
    ]
    given = dict(variant.constants)
    make = _alone if given.pop(ALONE, 0) else _together
    run, compiled = make(torch, case, Variant(variant.text, given, variant.plan), operands.scale)
    detail = detail_of(compiled(data[0], grads[0]))

    def differentiate(number: int) -> Any:
        delta(outs[number], data[number][3], sums[number], means[number], powers[number], BD=depth)
        run(data[number], grads[number])
        return grads[number]

    return Contender(differentiate, detail)


_Run = Callable[[tuple[Any, ...], tuple[Any, ...]], Any]
"""Does something with the operands and the gradients of a call."""


def _together(torch: Any, case: AttentionCase, variant: Variant, scale: float) -> tuple[_Run, _Run]:
    """Return what computes all gradients in one kernel, and what compiles that kernel."""
    rows, columns = _TILES.get(case.depth, _TILES[128])
    constants = {"causal": int(case.causal), "BD": case.depth, "BM": rows, "BN": columns}
    constants |= variant.constants
    kernel = load_kernel("attention_backward", variant)
    finish = load_kernel("attention_backward_scale", Variant(""))
    shape = (case.batch, case.length, case.heads, case.depth)
    total = torch.empty(shape, device="cuda")

    def run(data: tuple[Any, ...], grads: tuple[Any, ...]) -> None:
        total.zero_()
        kernel(*data, total, *grads[1:], scale, **constants)
        finish(total, grads[0], scale, BD=case.depth)

    return run, lambda data, grads: kernel.compile(*data, total, *grads[1:], scale, **constants)


def _alone(torch: Any, case: AttentionCase, variant: Variant, scale: float) -> tuple[_Run, _Run]:
    """Return what computes DQ in a kernel of its own, and what compiles that of DK and DV."""
    del torch
    queries, keys = (
        load_kernel(f"attention_backward_{name}", variant) for name in ("queries", "keys")
    )
    given = dict(variant.constants)
    rows, columns = _QUERY_TILES.get(case.depth, _QUERY_TILES[128])
    both = {"causal": int(case.causal), "BD": case.depth}
    of_queries = {**both, "BM": given.pop("QM", rows), "BN": given.pop("QN", columns)}
    of_keys = {**both, "BM": _KEY_TILES[0], "BN": _KEY_TILES[1], **given}

    def run(data: tuple[Any, ...], grads: tuple[Any, ...]) -> None:
        queries(*data, grads[0], scale, **of_queries)
        keys(*data, *grads[1:], scale, **of_keys)

    return run, lambda data, grads: keys.compile(*data, *grads[1:], scale, **of_keys)


def fa3(torch: Any, case: AttentionCase, operands: Operands) -> Contender:
    """Return FlashAttention-3, where the installed wheel has gradients."""
    return _flash(torch, case, operands, "flash_attn_interface")


def fa4(torch: Any, case: AttentionCase, operands: Operands) -> Contender:
    """Return FlashAttention-4."""
    return _flash(torch, case, operands, FA4)


def _flash(torch: Any, case: AttentionCase, operands: Operands, module: str) -> Contender:
    """Return the gradients of `flash_attn_func` of `module`."""
    flash = importlib.import_module(module).flash_attn_func

    def forward(q: Any, k: Any, v: Any) -> Any:
        found = flash(q, k, v, softmax_scale=operands.scale, causal=case.causal)
        return found[0] if isinstance(found, tuple) else found

    return _by_autograd(torch, operands, forward)


def cudnn(torch: Any, case: AttentionCase, operands: Operands) -> Contender:
    """Return cuDNN, through torch."""
    attention: Any = importlib.import_module("torch.nn.attention")

    def forward(*tensors: Any) -> Any:
        q, k, v = (item.transpose(1, 2) for item in tensors)
        with attention.sdpa_kernel(attention.SDPBackend.CUDNN_ATTENTION):
            found = torch.nn.functional.scaled_dot_product_attention(
                *(q, k, v),
                is_causal=case.causal,
                scale=operands.scale,
                enable_gqa=case.grouped > 1,
            )
        return found.transpose(1, 2)

    return _by_autograd(torch, operands, forward)


def _by_autograd(torch: Any, operands: Operands, forward: Callable[..., Any]) -> Contender:
    """Return a contender that runs only the backward pass of `forward`.

    Autograd runs the kernels of a gradient on the stream of the forward pass, and a graph is
    captured on a stream of its own. So the forward passes run there, before.
    """
    if torch.cuda.graph.default_capture_stream is None:
        torch.cuda.graph.default_capture_stream = torch.cuda.Stream()
    passes = []
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.graph.default_capture_stream):
        for *tensors, slope in operands.sets:
            inputs = [item.detach().requires_grad_() for item in tensors]
            passes.append((forward(*inputs), inputs, slope))
    torch.cuda.synchronize()

    def differentiate(number: int) -> Any:
        out, inputs, slope = passes[number]
        found = torch.autograd.grad(out, inputs, slope, retain_graph=True)
        if not torch.cuda.is_current_stream_capturing():
            torch.cuda.synchronize()  # whoever reads them does so on another stream
        return found

    return Contender(differentiate)
