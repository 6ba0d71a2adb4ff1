"""Which variant of a kernel a launch takes whose CTAs would share the rounds of a loop.

Such CTAs form a cluster, and exchange their results at the end. That pays from some number of
rounds on. The kernel that shares them says how many rounds a launch has and how many it should have
(`shared_rounds` in its metadata); launches of fewer take a variant that shares nothing.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tilec.request.specialization import Specialization
from tilec.runtime.launch.expressions import ExpressionError, evaluate

FIELD = "share_rounds"
"""Field of the plan that such a variant does without."""


def without_sharing(
    metadata: Mapping[str, Any], specialization: Specialization
) -> Specialization | None:
    """Return what to compile for a launch of few rounds; None where a kernel is right as it is.

    Args:
        metadata: The kernel, as it was compiled.
        specialization: What it was compiled for, with the sizes of the launch.
    """
    rule = metadata.get("shared_rounds")
    if rule is None or FIELD in specialization.disabled:
        return None
    environment = {**metadata.get("constants", {}), **specialization.sizes}
    try:
        rounds = evaluate(rule["rounds"], environment)
    except ExpressionError:
        return None
    if rounds >= rule["least"]:
        return None
    return replace(specialization, disabled=specialization.disabled | {FIELD})
