"""The attentions that the benchmark measures: head sizes, lengths, masks, sets."""

import re
from dataclasses import dataclass

TOKENS = 16384
"""Tokens of all sequences of a case together."""
WIDTH = 2048
"""Heads of queries times their size."""
ELEMENT_BYTES = 2
_SYNTAX = "dSIZE:sLENGTH:full|causal[:gQUERIES], as d128:s16384:causal:g4"
_PATTERN = re.compile(r"d(\d+):s(\d+):(full|causal)(?::g(\d+))?")


@dataclass(frozen=True)
class AttentionCase:
    """Attention of `batch` sequences in bf16, arrays [batch, sequence, head, depth].

    Attributes:
        depth: Size of a head.
        length: Tokens of a sequence.
        causal: Whether a token sees no token after it.
        grouped: Heads of queries that share a head of keys and values.
    """

    depth: int
    length: int
    causal: bool
    grouped: int = 1

    def __str__(self) -> str:
        """Return the spelling that `parse_attention` reads."""
        last = f":g{self.grouped}" if self.grouped > 1 else ""
        return f"d{self.depth}:s{self.length}:{'causal' if self.causal else 'full'}{last}"

    @property
    def batch(self) -> int:
        """Number of sequences."""
        return max(1, TOKENS // self.length)

    @property
    def heads(self) -> int:
        """Heads of queries."""
        return WIDTH // self.depth

    @property
    def shared_heads(self) -> int:
        """Heads of keys and values."""
        return self.heads // self.grouped

    @property
    def operations(self) -> int:
        """Floating-point operations of both products; half of them where the mask is causal."""
        whole = 4 * self.batch * self.heads * self.length**2 * self.depth
        return whole // 2 if self.causal else whole

    @property
    def operand_bytes(self) -> int:
        """Bytes that a call reads and writes at least once."""
        rows = self.batch * self.length * self.depth
        return 2 * ELEMENT_BYTES * rows * (self.heads + self.shared_heads)


def parse_attention(text: str) -> AttentionCase:
    """Return the case that `text` spells, for example `d128:s4096:causal`.

    Raises:
        ValueError: The text is no case; the message has the syntax.
    """
    found = _PATTERN.fullmatch(text)
    if found is None:
        raise ValueError(f"'{text}' is no case: expected {_SYNTAX}")
    depth, length, grouped = (int(found[number] or 1) for number in (1, 2, 4))
    if 0 in (depth, length, grouped) or WIDTH % (depth * grouped):
        raise ValueError(f"'{text}': {WIDTH} does not divide into heads of {depth} and groups")
    return AttentionCase(depth, length, found[3] == "causal", grouped)


def _cases(depth: int, *lengths: int) -> tuple[AttentionCase, ...]:
    return tuple(AttentionCase(depth, n, causal) for n in lengths for causal in (False, True))


SETS: dict[str, tuple[AttentionCase, ...]] = {
    "quick": _cases(128, 4096),
    "d128": _cases(128, 16384, 4096, 1024),
    "d64": _cases(64, 16384, 4096, 1024),
    "d256": _cases(256, 16384, 4096, 1024),
    "grouped": tuple(AttentionCase(128, 4096, causal, 4) for causal in (False, True)),
}
"""Cases by the name of their set."""
FULL = tuple(name for name in SETS if name != "quick")
"""The sets of the full protocol."""
