"""Which loads threads pad, because TMA does not."""

from typing import Any

from tilec.passes.analysis.facts.slices import sliced_dims
from tilec.passes.analysis.kernels import tiled_access


def padded_axes(load: Any) -> list[int]:
    """Return the axes along which threads replace what TMA loads from outside of an array.

    TMA fills in zeros there, and does not know slices of arrays.

    Args:
        load: A tiled load of nv_tileaa.
    """
    access = tiled_access(load)
    own = sliced_dims(access.view) if load.opview.padding == "zero" else range(len(access.coords))
    return [axis for axis in own if not load.opview.in_bounds[axis]]
