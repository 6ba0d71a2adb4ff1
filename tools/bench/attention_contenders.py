"""Contenders of attention on the GPU, their errors, and those of the forward pass in bf16."""

import importlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tools.bench.attention_cases import AttentionCase
from tools.bench.contenders import EXAMPLES, PROSE, ContenderError
from tools.bench.measure import operand_sets
from tools.bench.variants import Variant

PEERS = ("fa3", "cudnn", "fa4")
"""What `--peers` may name: FlashAttention-3 (wheel fa3-fwd), cuDNN (through torch), and
FlashAttention-4 (wheel flash-attn-4, whose Hopper kernels are written in CuTe DSL)."""
WHOLE_FACTOR, ELEMENT_FACTOR = 1.5, 2.0
"""How much farther than a peer ours may be from the reference: as a whole, and in one element."""
MAX_RELATIVE_ERROR = 2.0**-7
"""Of the whole result (Frobenius norm), for peers, and for ours without a peer: weights and results
are rounded to bf16, by up to 2^-9 each."""
MAX_LOG_ERROR = 1e-3
"""Of a log-sum-exp, which stays in f32."""


Pairs = Iterator[tuple[Any, Any]]
"""Parts of a result, and what they should be, in f32."""


def _nothing(_: Any) -> Pairs:
    return iter(())


@dataclass(frozen=True)
class Operands:
    """What all contenders of a case compute with.

    Attributes:
        sets: Tensors of one call each: of the forward pass Q, K and V.
        scale: Factor of the scores.
        pairs: Compares the result of the first set with a reference: a part, or some.
        limit: Largest relative error of each part (Frobenius norm), for peers, and for ours without
            a peer.
    """

    sets: list[tuple[Any, ...]]
    scale: float
    pairs: Callable[[Any], Pairs] = _nothing
    limit: float = MAX_RELATIVE_ERROR


@dataclass(frozen=True)
class Error:
    """How far a result is from the reference: relative (Frobenius norm), and largest element."""

    whole: float
    element: float


@dataclass
class Contender:
    """One that computes the attention.

    Attributes:
        attend: Launches it on one set of operands and returns the result: a tensor, or several.
        detail: What it chose: tile and plan.
        last: The result that the last call on each set returned. A graph that was captured from
            calls writes to it whenever it runs.
        sums: The log-sum-exp of each set, for ours of the forward pass.
    """

    attend: Callable[[int], Any]
    detail: dict[str, Any] = field(default_factory=dict)
    last: dict[int, Any] = field(default_factory=dict)
    sums: list[Any] = field(default_factory=list)

    def call(self, number: int) -> None:
        """Launch it on one set of operands."""
        self.last[number] = self.attend(number)

    def results(self) -> tuple[Any, ...]:
        """Return the tensors that it computed last of the first set."""
        last = self.last[0]
        return last if isinstance(last, tuple) else (last,)


def make_operands(torch: Any, case: AttentionCase) -> Operands:
    """Return normally distributed operands, as many sets as keep L2 cold."""

    def tensor(heads: int) -> Any:
        shape = (case.batch, case.length, heads, case.depth)
        return torch.randn(shape, device="cuda", dtype=torch.bfloat16)

    def one() -> tuple[Any, Any, Any]:
        return tensor(case.heads), tensor(case.shared_heads), tensor(case.shared_heads)

    count = operand_sets(case.operand_bytes)
    made = Operands([one() for _ in range(count)], case.depth**-0.5)

    def pairs(result: Any) -> Pairs:
        for head in {0, case.heads - 1}:
            yield result[-1, :, head].float(), reference(torch, case, made, head)[0]

    return replace(made, pairs=pairs)


def reference(torch: Any, case: AttentionCase, operands: Operands, head: int) -> tuple[Any, Any]:
    """Return the f32 result and the log-sum-exp of one head of the last sequence of the first set.

    Args:
        torch: The module; products are without tf32.
        case: The case.
        operands: Its operands.
        head: The head of queries.
    """
    torch.backends.cuda.matmul.allow_tf32 = False
    q, k, v = operands.sets[0]
    q, k, v = (
        item[-1, :, number].float()
        for item, number in ((q, head), (k, head // case.grouped), (v, head // case.grouped))
    )
    scores = (q @ k.T) * operands.scale
    if case.causal:
        after = torch.ones_like(scores, dtype=torch.bool).triu_(1)
        scores.masked_fill_(after, -math.inf)
    sums = scores.logsumexp(dim=1)
    return scores.softmax(dim=1) @ v, sums


def find_error(operands: Operands, contender: Contender) -> Error:
    """Return the errors of what a contender computed last of the first set.

    Raises:
        ContenderError: The result is far off; NaN always is.
    """
    if not all(result.isfinite().all().item() for result in contender.results()):
        raise ContenderError("wrong result: not every element is a finite number")
    whole = element = 0.0
    for got, expected in operands.pairs(contender.last[0]):
        difference = got - expected
        error = (difference.norm() / expected.norm()).item()
        if not error < operands.limit:
            limit = f"limit {operands.limit:.1e}"
            raise ContenderError(f"wrong result: relative error {error:.2e}, {limit}")
        whole, element = max(whole, error), max(element, difference.abs().max().item())
    return Error(whole, element)


def check_ours(
    torch: Any,
    case: AttentionCase,
    operands: Operands,
    contender: Contender,
    peers: Sequence[Error],
) -> Error:
    """Return the errors of ours; they may exceed those of the worst peer by a factor.

    Raises:
        ContenderError: They are larger, or the log-sum-exp is wrong.
    """
    error = find_error(operands, contender)
    if peers:
        whole = WHOLE_FACTOR * max(peer.whole for peer in peers)
        element = ELEMENT_FACTOR * max(peer.element for peer in peers)
        if not (error.whole <= whole and error.element <= element):
            raise ContenderError(
                f"wrong result: relative error {error.whole:.2e} (limit {whole:.2e}), of an element"
                f" {error.element:.2e} (limit {element:.2e})"
            )
    for head in {0, case.heads - 1} if contender.sums else ():
        _, sums = reference(torch, case, operands, head)
        distance = (contender.sums[0][-1, head] - sums).abs().max().item()
        if not distance < MAX_LOG_ERROR:
            raise ContenderError(f"wrong log-sum-exp: off by {distance:.2e}")
    return error


def poison(contender: Contender) -> None:
    """Fill with NaN what a contender has computed of the first set."""
    for result in (*contender.results(), *contender.sums[:1]):
        result.fill_(math.nan)


def load_kernel(name: str, variant: Variant) -> Any:
    """Return the kernel of an example, with the fields of the plan that a variant fixes."""
    import tilec

    kernel: Any = tilec.load(EXAMPLES / f"{name}.tile")[name]
    return tilec.Kernel(kernel.text, name, variant.plan) if variant.plan else kernel


def detail_of(compiled: Any) -> dict[str, Any]:
    """Return constants and plan of a compiled kernel, for a report."""
    plan = {name: value for name, value in compiled.metadata["plan"].items() if name not in PROSE}
    return {"constants": dict(compiled.constants), "plan": plan}


def forward_constants(case: AttentionCase) -> dict[str, int]:
    """Return the constants of our forward kernel."""
    return {"causal": int(case.causal), "BD": case.depth}


def forward_arguments(
    torch: Any, case: AttentionCase, operands: Operands
) -> tuple[list[tuple[Any, ...]], list[Any], list[Any]]:
    """Return the arguments of our forward kernel for each set of operands, with poisoned results.

    Returns:
        The arguments; the outputs among them; the log-sum-exps among them.
    """
    shape = (case.batch, case.heads, case.length)
    sums = [torch.full(shape, math.nan, device="cuda") for _ in operands.sets]
    results = [torch.full_like(q, math.nan) for q, *_ in operands.sets]
    data = [
        (*tensors, result, rows, operands.scale)
        for tensors, result, rows in zip(operands.sets, results, sums, strict=True)
    ]
    return data, results, sums


def forward_ours(
    torch: Any, case: AttentionCase, operands: Operands, variant: Variant
) -> Contender:
    """Return ours."""
    kernel = load_kernel("attention", variant)
    constants = {**forward_constants(case), **variant.constants}
    data, results, sums = forward_arguments(torch, case, operands)
    compiled = kernel.compile(*data[0], **constants)

    def attend(number: int) -> Any:
        kernel(*data[number], **constants)
        return results[number]

    return Contender(attend, detail_of(compiled), sums=sums)


def forward_fa3(torch: Any, case: AttentionCase, operands: Operands) -> Contender:
    """Return FlashAttention-3."""
    return _flash(torch, case, operands, "fa3_fwd_interface")


def forward_fa4(torch: Any, case: AttentionCase, operands: Operands) -> Contender:
    """Return FlashAttention-4, which compiles its kernel in the first call."""
    return _flash(torch, case, operands, FA4)


FA4 = "flash_attn.cute.interface"
"""The module of FlashAttention-4 that has `flash_attn_func`."""


def _flash(torch: Any, case: AttentionCase, operands: Operands, module: str) -> Contender:
    """Return `flash_attn_func` of `module`."""
    del torch
    flash = importlib.import_module(module).flash_attn_func

    def attend(number: int) -> Any:
        q, k, v = operands.sets[number]
        found = flash(q, k, v, softmax_scale=operands.scale, causal=case.causal)
        return found[0] if isinstance(found, tuple) else found

    return Contender(attend)


def forward_cudnn(torch: Any, case: AttentionCase, operands: Operands) -> Contender:
    """Return cuDNN, through torch."""
    attention: Any = importlib.import_module("torch.nn.attention")

    def attend(number: int) -> Any:
        q, k, v = (item.transpose(1, 2) for item in operands.sets[number])
        with attention.sdpa_kernel(attention.SDPBackend.CUDNN_ATTENTION):
            found = torch.nn.functional.scaled_dot_product_attention(
                *(q, k, v),
                is_causal=case.causal,
                scale=operands.scale,
                enable_gqa=case.grouped > 1,
            )
        return found.transpose(1, 2)

    return Contender(attend)
