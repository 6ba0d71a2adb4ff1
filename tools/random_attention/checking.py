"""Runs a case on the GPU and compares the result with f64, and with what a peer computes."""

import importlib
import importlib.util
import math
import os
import time
from dataclasses import dataclass
from typing import Any

from tools.random_attention.ahead import load_kernel
from tools.random_attention.cases import CAP, GUARD, Case

SECONDS = 10.0
"""When a kernel is taken to hang: all of ours are done in milliseconds."""
GUARD_BITS = 0x5A5A
TORCH_NAMES = {"bf16": "bfloat16", "f16": "float16", "f32": "float32", "i32": "int32"}
ROUNDINGS = {"bf16": 2 * 2.0**-8, "f16": 2 * 2.0**-11}
"""Of the mean magnitude of the values: weights and results are rounded by up to half of it each."""
TANH = 2.0**-11
"""Relative error of `tanh.approx.f32` (PTX ISA)."""
SMALLEST = 1e-5
"""What f32 arithmetic adds to the error of a result."""
WHOLE_FACTOR, ELEMENT_FACTOR = 1.5, 2.0
"""How much farther than a peer ours may be from f64: the whole (Frobenius norm), one element."""
CHANCE = 4.0
"""Standard deviations of the mean of random errors by which a peer may be lucky."""
MAX_LOG_ERROR = 1e-3
"""Of a log-sum-exp, which stays in f32."""


@dataclass(frozen=True)
class Outcome:
    """How far from f64 a result is, and that of the peer, relative to the norm and in one element.

    Attributes:
        problem: What is wrong; empty if nothing is.
        peer: `fa3`, or `rounded`: torch with weights rounded once, where FlashAttention-3 lacks it.
        whole: Relative error of ours (Frobenius norm).
        peer_whole: That of the peer.
        element: Largest error of an element of ours.
        peer_element: That of the peer.
    """

    problem: str
    peer: str
    whole: float
    peer_whole: float
    element: float
    peer_element: float


class Memory:
    """The blocks of a case on the GPU, with random operands and a poisoned result."""

    def __init__(self, torch: Any, case: Case) -> None:
        """Fill the blocks."""
        self.case = case
        self.blocks: dict[str, Any] = {}
        for name, (dtype, size) in case.blocks.items():
            kind = getattr(torch, TORCH_NAMES[dtype])
            if dtype == "i32":
                numbers = case.starts if name == "C" else case.tiles
                block = torch.tensor(numbers, dtype=kind, device="cuda").flatten()
            elif name == "A":
                heads = torch.arange(1, case.heads + 1, device="cuda")
                block = torch.exp2(-8.0 * heads / case.heads) * case.alibi
            elif name in ("O", "E"):
                block = torch.full((size,), math.nan, dtype=kind, device="cuda")
            else:
                block = torch.randn(size, device="cuda").to(kind)
            self.blocks[name] = block
        self._guards = [
            part.view(torch.int16).fill_(GUARD_BITS)
            for part in (self.blocks["O"][:GUARD], self.blocks["O"][-GUARD:])
        ]

    @property
    def arrays(self) -> dict[str, Any]:
        """The arrays by the names of the kernel's parameters."""
        return {
            name: self.blocks[item.block].as_strided(item.shape, item.strides, item.offset)
            for name, item in self.case.arrays.items()
        }

    def operand(self, name: str) -> Any:
        """Return Q, K, V or O with an axis of batches, which `varlen_attention` lacks."""
        found = self.arrays[name]
        return found if found.dim() == 4 else found[None]

    @property
    def is_guarded(self) -> bool:
        """Whether the memory around the result is as it was."""
        return all(bool((guard == GUARD_BITS).all()) for guard in self._guards)


def wait(torch: Any, what: str) -> None:
    """Wait for the GPU; a kernel that hangs ends the process, for nothing runs after it."""
    done = torch.cuda.Event()
    done.record()
    deadline = time.monotonic() + SECONDS
    while not done.query():
        if time.monotonic() > deadline:
            print(f"{what} did not finish in {SECONDS} s", flush=True)
            os._exit(3)
        time.sleep(1e-4)


def seen(torch: Any, case: Case) -> tuple[Any, Any]:
    """Return which keys a query sees, and how far before it they are."""
    tokens = torch.arange(case.length, device="cuda")
    distance = tokens[:, None] - tokens[None, :]
    mask = torch.ones_like(distance, dtype=torch.bool)
    if case.causal:
        mask &= distance >= 0
    if case.kernel == "window_attention":
        mask &= distance < case.window
    if case.kernel == "varlen_attention":
        starts = torch.tensor(case.starts, dtype=torch.int32, device="cuda")
        owner = torch.searchsorted(starts, tokens.int(), right=True)
        mask &= owner[:, None] == owner[None, :]
    return mask, distance


def scores_of(torch: Any, memory: Memory, kind: Any) -> tuple[Any, Any]:
    """Return the masked scores and the values in an element type, [batch, head, ...]."""
    case = memory.case
    q, k, v = (memory.operand(name).to(kind).transpose(1, 2) for name in "QKV")
    k, v = (x.repeat_interleave(case.shared, dim=1) for x in (k, v))
    mask, distance = seen(torch, case)
    scores = case.scale * (q @ k.mT)
    if case.kernel == "flex_attention":
        slopes = memory.blocks["A"].to(kind)[:, None, None]
        scores = CAP * ((scores - slopes * distance) / CAP).tanh()
    return scores.masked_fill(~mask, -math.inf), v


def rounded(torch: Any, memory: Memory) -> Any:
    """Return the result of f32 arithmetic, but for one rounding of weights and result."""
    kind = getattr(torch, TORCH_NAMES[memory.case.dtype])
    scores, v = scores_of(torch, memory, torch.float32)
    weights = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    total = weights.sum(dim=-1, keepdim=True)
    return ((weights.to(kind).float() @ v) / total).to(kind).transpose(1, 2)


def fa3(memory: Memory) -> Any:
    """Return what FlashAttention-3 computes."""
    flash = importlib.import_module("fa3_fwd_interface").flash_attn_func
    case = memory.case
    cap = CAP if case.kernel == "flex_attention" else 0.0
    operands = [memory.operand(name) for name in "QKV"]
    found = flash(*operands, softmax_scale=case.scale, causal=case.causal, softcap=cap)
    return found[0] if isinstance(found, tuple) else found


def has_fa3(case: Case) -> bool:
    """Whether the wheel fa3-fwd 0.0.3 computes a case: no windows, slopes, f16 or odd sizes.

    Nor do we ask it for values of another size than keys.
    """
    if case.width != case.depth:
        return False
    covered = case.kernel == "attention" or (case.kernel == "flex_attention" and not case.alibi)
    return covered and case.dtype == "bf16" and case.depth % 8 == 0


def peer_of(torch: Any, memory: Memory) -> tuple[str, Any]:
    """Return the peer of a case: its name, and its result."""
    if has_fa3(memory.case) and importlib.util.find_spec("fa3_fwd_interface"):
        return "fa3", fa3(memory)
    return "rounded", rounded(torch, memory)


def check(torch: Any, case: Case, seed: int) -> Outcome:
    """Run a case and compare."""
    torch.manual_seed(seed)
    torch.backends.cuda.matmul.allow_tf32 = False
    memory = Memory(torch, case)
    load_kernel(case.kernel)(**memory.arrays, **case.scalars)
    wait(torch, f"{seed} {case}")
    scores, v = scores_of(torch, memory, torch.float64)
    sums = scores.logsumexp(dim=-1)
    weights = scores.sub_(sums[..., None]).exp_()
    want, magnitude = ((weights @ x).transpose(1, 2) for x in (v, v.abs()))
    name, peer = peer_of(torch, memory)
    found, peer = memory.operand("O").double(), peer.double()
    error, other = ((x - want).abs().nan_to_num(nan=math.inf) for x in (found, peer))
    exact = (want.to(memory.blocks["O"].dtype).double() - want).abs()
    problem = _problem(memory, error, other, exact, magnitude)
    if case.kernel == "attention" and not problem:
        distance = (memory.arrays["E"] - sums).abs().nan_to_num(nan=math.inf).max().item()
        problem = f"log-sum-exp is off by {distance:.2e}" * (not distance < MAX_LOG_ERROR)
    norm = want.norm().item()
    ours, others = (x.norm().item() / norm for x in (error, other))
    return Outcome(problem, name, ours, others, error.max().item(), other.max().item())


def _problem(memory: Memory, error: Any, other: Any, exact: Any, magnitude: Any) -> str:
    """Say what is wrong with a result, if anything is.

    Args:
        memory: Of the case.
        error: How far each element is from f64.
        other: How far those of the peer are.
        exact: How far the elements are that are nearest to f64: a peer may be exact by chance.
        magnitude: Mean magnitude of the values of each element, by their weights.
    """
    case = memory.case
    # A score of the cap is off by so much, and so, relatively, are weights and their sum.
    part = ROUNDINGS[case.dtype] + (2 * CAP * TANH if case.kernel == "flex_attention" else 0.0)
    excess = (error - part * magnitude - SMALLEST).max().item()
    if not excess <= 0.0:
        return f"an element is off by {error.max().item():.2e}, {excess:.2e} more than it may be"
    slack = 1.0 + CHANCE * error.numel() ** -0.5
    limit = slack * ELEMENT_FACTOR * max(other.max().item(), exact.max().item()) + SMALLEST
    if not error.max().item() <= limit:
        return f"an element is off by {error.max().item():.2e}, limit of the peer {limit:.2e}"
    whole = slack * WHOLE_FACTOR * max(other.norm().item(), exact.norm().item()) + SMALLEST
    if not error.norm().item() <= whole:
        return f"the result is off by {error.norm().item():.2e}, limit of the peer {whole:.2e}"
    return "" if memory.is_guarded else "memory outside of the result was written"
