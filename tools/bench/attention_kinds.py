"""The kinds of attention that are measured: what makes operands and contenders of each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tools.bench import attention_backward, attention_decode, attention_fp8
from tools.bench.attention_cases import AttentionCase
from tools.bench.attention_contenders import (
    Contender,
    Operands,
    forward_cudnn,
    forward_fa3,
    forward_fa4,
    forward_ours,
    make_operands,
)
from tools.bench.report import OURS, VARIANT_PREFIX
from tools.bench.variants import Variant

Maker = Callable[[Any, AttentionCase, Operands], Contender]
Makers = dict[str, Callable[[], Contender]]


@dataclass(frozen=True)
class Kind:
    """What a kind of attention is computed with.

    Attributes:
        operands: Makes the operands of a case, as many sets as keep L2 cold.
        ours: Makes ours, or a variant of it.
        peers: Make the others, by name.
    """

    operands: Callable[[Any, AttentionCase], Operands]
    ours: Callable[[Any, AttentionCase, Operands, Variant], Contender]
    peers: Mapping[str, Maker]


KINDS: dict[str, Kind] = {
    "forward": Kind(
        make_operands,
        forward_ours,
        {"fa3": forward_fa3, "cudnn": forward_cudnn, "fa4": forward_fa4},
    ),
    "backward": Kind(
        attention_backward.make_operands,
        attention_backward.ours,
        {
            "fa3": attention_backward.fa3,
            "cudnn": attention_backward.cudnn,
            "fa4": attention_backward.fa4,
        },
    ),
    "decode": Kind(
        attention_decode.make_operands,
        attention_decode.ours,
        {"fa3": attention_decode.fa3, "cudnn": attention_decode.cudnn},
    ),
    "fp8": Kind(attention_fp8.make_operands, attention_fp8.ours, {"fa3": attention_fp8.fa3}),
}
"""By the name in a case. Torch has no attention in 8-bit floats."""


def peer_makers(
    torch: Any, case: AttentionCase, operands: Operands, peers: Sequence[str]
) -> Makers:
    """Return what makes each peer that there is; a maker, and what it makes, may raise anything."""
    known = KINDS[case.kind].peers
    return {
        name: lambda make=known[name]: make(torch, case, operands)
        for name in peers
        if name in known
    }


def our_makers(
    torch: Any, case: AttentionCase, operands: Operands, variants: Sequence[Variant]
) -> Makers:
    """Return what makes each of ours; a maker may raise anything."""
    make = KINDS[case.kind].ours
    found: Makers = {OURS: lambda: make(torch, case, operands, Variant(""))}
    for variant in variants:
        found[f"{VARIANT_PREFIX}{variant}"] = lambda variant=variant: make(
            torch, case, operands, variant
        )
    return found
