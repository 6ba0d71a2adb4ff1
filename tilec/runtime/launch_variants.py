"""Which variant of a kernel a launch takes, by its size.

What is planned for any launch may be wrong for some. The metadata of a kernel say of which launches
that is so, and how to tell from their dims:

- `few_blocks`: a grid of so few blocks leaves most SMs idle, so they should load more at a time,
  and CTAs may share what a block does. Such a launch takes the variant for its number of blocks.
- `k_splits`: tiles whose extents are written, and which are too few for all SMs, may be divided
  along K among several CTAs. How many there should be, the planner says for each launch.
- `shared_rounds`: CTAs that share the rounds of a loop form a cluster, and exchange their results
  at the end. Launches of few rounds take a variant that shares none.
"""

from collections.abc import Mapping
from dataclasses import replace
from math import prod
from typing import Any

from tilec.codegen.kernel_schema import LAUNCH_FACTS
from tilec.request.specialization import Specialization
from tilec.runtime.launch.expressions import ExpressionError, evaluate

FIELD = "share_rounds"
"""Field of the plan that launches of few rounds do without."""
BLOCKS = (1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64)
"""Numbers of blocks that have variants of their own, besides the largest one that is planned for
its number (`few_blocks`); any other takes that of the next one (choice)."""


def planned_numbers(most: int) -> tuple[int, ...]:
    """Return the numbers of blocks that have variants of their own, the largest one last.

    Args:
        most: Blocks up to which a launch is planned for its own number of them.
    """
    return (*(number for number in BLOCKS if number < most), most)


def rules_of(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of a kernel's metadata that `next_variant` reads."""
    return {name: metadata[name] for name in LAUNCH_FACTS if name in metadata}


def next_variant(
    metadata: Mapping[str, Any], specialization: Specialization
) -> Specialization | None:
    """Return what to compile for a launch instead; None where a kernel is right as it is.

    Args:
        metadata: The kernel, as it was planned.
        specialization: What it was compiled for, with the sizes of the launch.
    """
    environment = _environment(metadata, specialization)
    try:
        found = _for_few_blocks(metadata, specialization, environment)
        found = found or _without_sharing(metadata, specialization, environment)
        return found or _in_splits(metadata, specialization, environment)
    except ExpressionError:  # a scalar decides
        return None


def has_rules(metadata: Mapping[str, Any]) -> bool:
    """Tell whether some launches of a package take another variant than this one."""
    return "few_blocks" in metadata or "shared_rounds" in metadata


def is_decided(metadata: Mapping[str, Any], specialization: Specialization) -> bool:
    """Tell whether the sizes that a kernel is compiled for decide what a launch takes."""
    environment = _environment(metadata, specialization)
    rounds = [metadata["shared_rounds"]["rounds"]] if "shared_rounds" in metadata else []
    try:
        for text in (*metadata.get("grid", ()), *rounds):
            evaluate(text, environment)
    except ExpressionError:
        return False
    return True


def _environment(metadata: Mapping[str, Any], specialization: Specialization) -> dict[str, Any]:
    """Return the values of the names in the rules, as far as they are known."""
    return {**metadata.get("constants", {}), **specialization.sizes}


def _for_few_blocks(
    metadata: Mapping[str, Any], specialization: Specialization, environment: Mapping[str, Any]
) -> Specialization | None:
    most = metadata.get("few_blocks", 0)
    if not most or specialization.most_blocks:
        return None
    blocks = prod(evaluate(text, environment) for text in metadata.get("grid", ()))
    if not 1 <= blocks <= most:
        return None
    planned = next(number for number in planned_numbers(most) if number >= blocks)
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


def _in_splits(
    metadata: Mapping[str, Any], specialization: Specialization, environment: Mapping[str, Any]
) -> Specialization | None:
    product = metadata.get("k_splits")
    if product is None or specialization.splits:
        return None
    grid = [int(evaluate(text, environment)) for text in metadata.get("grid", ())]
    rounds = int(evaluate(product["rounds"], environment))
    if not all(extent >= 1 for extent in (*grid, rounds)):
        return None
    from tilec.plan.gemm.launch_splits import best_split  # other kernels do without it

    splits = best_split(product, grid, rounds, specialization.gpu)
    return replace(specialization, splits=splits) if splits > 1 else None
