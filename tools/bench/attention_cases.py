"""The attentions that the benchmark measures: kinds, head sizes, lengths, masks, sets."""

import re
from dataclasses import dataclass

TOKENS, DECODE_TOKENS = 16384, 2**17
"""Tokens of all sequences of a case together, and those that new queries attend to."""
WIDTH = 2048
"""Heads of queries times their size."""
ELEMENT_BYTES = 2
KINDS = ("forward", "backward", "decode", "fp8")
_SYNTAX = (
    "[backward:|decode:|fp8:]dSIZE:sLENGTH:full|causal[:gQUERIES][:hHEADS][:bSEQUENCES], as"
    " d128:s16384:causal:g4; decode has no mask"
)
_PATTERN = re.compile(r"(?:(\w+):)?d(\d+):s(\d+):(full|causal)(?::g(\d+))?(?::h(\d+))?(?::b(\d+))?")


@dataclass(frozen=True)
class AttentionCase:
    """Attention of `batch` sequences in bf16, arrays [batch, sequence, head, depth].

    By default a case has `TOKENS` tokens (or `DECODE_TOKENS`), and heads of `WIDTH` elements.

    Attributes:
        depth: Size of a head.
        length: Tokens of a sequence.
        causal: Whether a token sees no token after it.
        grouped: Heads of queries that share a head of keys and values.
        kind: `forward`; `backward`, the gradients of Q, K and V; `decode`, one new query for each
            sequence; `fp8`, forward with operands of 8 bits.
        given_heads: Heads of queries; 0 for the default.
        given_batch: Number of sequences; 0 for the default.
    """

    depth: int
    length: int
    causal: bool
    grouped: int = 1
    kind: str = "forward"
    given_heads: int = 0
    given_batch: int = 0

    def __str__(self) -> str:
        """Return the spelling that `parse_attention` reads."""
        first = "" if self.kind == "forward" else f"{self.kind}:"
        last = f":g{self.grouped}" if self.grouped > 1 else ""
        last += f":h{self.given_heads}" if self.given_heads else ""
        last += f":b{self.given_batch}" if self.given_batch else ""
        return f"{first}d{self.depth}:s{self.length}:{'causal' if self.causal else 'full'}{last}"

    @property
    def batch(self) -> int:
        """Number of sequences."""
        tokens = DECODE_TOKENS if self.kind == "decode" else TOKENS
        return self.given_batch or max(1, tokens // self.length)

    @property
    def heads(self) -> int:
        """Heads of queries."""
        return self.given_heads or WIDTH // self.depth

    @property
    def shared_heads(self) -> int:
        """Heads of keys and values."""
        return self.heads // self.grouped

    @property
    def unit(self) -> str:
        """What 1e12 of `operations` in a second are: memory bounds a new query."""
        return "TB/s" if self.kind == "decode" else "TFLOP/s"

    @property
    def operations(self) -> int:
        """Floating-point operations of the products, half of them where the mask is causal.

        There are two products, and backward five (the weights once more, and four gradients). For
        a new query, the bytes that are read and written.
        """
        if self.kind == "decode":
            return self.operand_bytes
        products = 5 if self.kind == "backward" else 2
        whole = 2 * products * self.batch * self.heads * self.length**2 * self.depth
        return whole // 2 if self.causal else whole

    @property
    def operand_bytes(self) -> int:
        """Bytes that a call reads and writes at least once."""
        rows = self.batch * self.length * self.depth
        if self.kind == "decode":
            queries = self.batch * self.heads * self.depth
            return 2 * ELEMENT_BYTES * (queries + rows * self.shared_heads)
        if self.kind == "fp8":
            return rows * (self.heads + 2 * self.shared_heads + ELEMENT_BYTES * self.heads)
        arrays = 4 if self.kind == "backward" else 2
        return arrays * ELEMENT_BYTES * rows * (self.heads + self.shared_heads)


def parse_attention(text: str) -> AttentionCase:
    """Return the case that `text` spells, for example `d128:s4096:causal`.

    Raises:
        ValueError: The text is no case; the message has the syntax.
    """
    found = _PATTERN.fullmatch(text)
    kind = (found[1] or "forward") if found else ""
    if found is None or kind not in KINDS or (kind == "decode" and found[4] == "causal"):
        raise ValueError(f"'{text}' is no case: expected {_SYNTAX}")
    depth, length, grouped = (int(found[number] or 1) for number in (2, 3, 5))
    heads, batch = (int(found[number] or 0) for number in (6, 7))
    if 0 in (depth, length, grouped) or (not heads and WIDTH % (depth * grouped)):
        raise ValueError(f"'{text}': {WIDTH} does not divide into heads of {depth} and groups")
    if heads % grouped:
        raise ValueError(f"'{text}': {heads} heads do not divide into groups of {grouped}")
    return AttentionCase(depth, length, found[4] == "causal", grouped, kind, heads, batch)


def _cases(depth: int, *lengths: int, kind: str = "forward") -> tuple[AttentionCase, ...]:
    masks = (False,) if kind == "decode" else (False, True)
    return tuple(AttentionCase(depth, n, causal, kind=kind) for n in lengths for causal in masks)


SETS: dict[str, tuple[AttentionCase, ...]] = {
    "quick": _cases(128, 4096),
    "d128": _cases(128, 16384, 4096, 1024),
    "d64": _cases(64, 16384, 4096, 1024),
    "d256": _cases(256, 16384, 4096, 1024),
    "grouped": tuple(AttentionCase(128, 4096, causal, 4) for causal in (False, True)),
    "backward": (
        *_cases(128, 16384, 4096, kind="backward"),
        *_cases(64, 16384, 4096, kind="backward"),
        AttentionCase(128, 4096, causal=True, grouped=4, kind="backward"),
    ),
    "decode": (
        *_cases(128, 16384, 4096, kind="decode"),
        *(AttentionCase(128, n, False, 8, "decode") for n in (2**17, 16384, 4096)),
        *_cases(64, 4096, kind="decode"),
        *(
            AttentionCase(128, length, False, grouped, "decode", 32, batch)
            for batch, length, grouped in ((64, 4096, 4), (16, 8192, 8), (1, 2**17, 4))
        ),
    ),
    "fp8": (*_cases(128, 16384, 4096, kind="fp8"), *_cases(64, 4096, kind="fp8")),
}
"""Cases by the name of their set."""
FULL = ("d128", "d64", "d256", "grouped")
"""The sets of the full protocol of attention forward."""
