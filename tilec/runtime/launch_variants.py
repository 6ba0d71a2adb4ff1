"""Which variant of a kernel a launch takes, by its size.

What is planned for any launch may be wrong for some. The metadata of a kernel say of which launches
that is so, and how to tell from their dims:

- `few_blocks`: a grid of so few blocks leaves most SMs idle, so they should load more at a time,
  and CTAs may share what a block does. Such a launch takes the variant for its number of blocks.
- `shared_rounds`: CTAs that share the rounds of a loop form a cluster, and exchange their results
  at the end. Launches of few rounds take a variant that shares none.
"""

from collections.abc import Mapping
from dataclasses import replace
from math import prod
from typing import Any

from tilec.request.specialization import Specialization
from tilec.runtime.launch.expressions import ExpressionError, evaluate

FIELD = "share_rounds"
"""Field of the plan that launches of few rounds do without."""
BLOCKS = (1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64)
"""Numbers of blocks that have variants of their own; any other takes that of the next one,
and one of more than these is planned as any launch (choice)."""


def next_variant(
    metadata: Mapping[str, Any], specialization: Specialization
) -> Specialization | None:
    """Return what to compile for a launch instead; None where a kernel is right as it is.

    Args:
        metadata: The kernel, as it was compiled.
        specialization: What it was compiled for, with the sizes of the launch.
    """
    environment = {**metadata.get("constants", {}), **specialization.sizes}
    try:
        found = _for_few_blocks(metadata, specialization, environment)
        return found or _without_sharing(metadata, specialization, environment)
    except ExpressionError:  # a scalar decides
        return None


def _for_few_blocks(
    metadata: Mapping[str, Any], specialization: Specialization, environment: Mapping[str, Any]
) -> Specialization | None:
    most = metadata.get("few_blocks", 0)
    if not most or specialization.most_blocks:
        return None
    blocks = prod(evaluate(text, environment) for text in metadata.get("grid", ()))
    planned = next((number for number in BLOCKS if number >= blocks), None)
    if planned is None or blocks < 1 or blocks > most:
        return None
    return replace(specialization, most_blocks=planned)


def _without_sharing(
    metadata: Mapping[str, Any], specialization: Specialization, environment: Mapping[str, Any]
) -> Specialization | None:
    rule = metadata.get("shared_rounds")
    if rule is None or FIELD in specialization.disabled:
        return None
    if evaluate(rule["rounds"], environment) >= rule["least"]:
        return None
    return replace(specialization, disabled=specialization.disabled | {FIELD})
