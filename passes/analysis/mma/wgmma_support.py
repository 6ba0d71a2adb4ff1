"""Which products the tensor cores can do: types by the registry of MMA atoms, and shapes."""

from typing import Any

from tilec.dialects.common.matmul_ops import k_part
from tilec.layout import LayoutError, warpgroup_share
from tilec.layout.warp_products import WarpProduct
from tilec.support.mma_atoms import (
    MmaFamily,
    serves_swapped,
    warp_family,
    wgmma_family,
    why_not_tiled,
)

_MATRIX_RANK = 2


def family_of(op: Any) -> MmaFamily | None:
    """Return the wgmma instructions for the element types of a product, if there are any."""
    return wgmma_family(op.opview.product_types)


def why_not_wgmma(op: Any, warpgroups: int) -> str | None:
    """Return why wgmma cannot do the product `op`, or None when it can."""
    dot = op.opview
    if len(dot.d.type.shape) != _MATRIX_RANK:
        return "the product is batched"
    family = family_of(op)
    if family is None:
        return f"wgmma does not multiply {dot.product_types}"
    m, n, k = dot.extents
    try:
        warpgroup_share(m, n, warpgroups)
    except LayoutError:
        if n % family.columns[0]:
            return why_not_tiled(family, (family.rows, n, family.inner))
        return f"{m} rows do not split into slices of {family.rows} over {warpgroups} warpgroups"
    return why_not_tiled(family, (m, n, k))


def swapping_serves(op: Any) -> bool:
    """Tell whether wgmma can do the product `op` with its operands swapped, and not as it is."""
    if len(op.opview.d.type.shape) != _MATRIX_RANK or why_not_wgmma(op, 1) is None:
        return False
    return serves_swapped(op.opview.product_types, op.opview.extents)


def warp_product(op: Any, warps: int) -> WarpProduct | str:
    """Return how `warps` compute the product `op` by `mma.sync`, or why they cannot.

    Args:
        op: A `dot`, or a `warp_mma` that it became.
        warps: Warps of the role.
    """
    product = op.opview
    result = op.results[0].type
    types = product.product_types
    *batch, m, n = result.shape
    extents = (m, n, k_part(product)[1])
    family = warp_family(types, extents)
    if family is None:
        return f"mma.sync does not multiply {types}"
    defect = why_not_tiled(family, extents)
    if defect is not None:
        return defect
    bits = types.operand_bytes * 8
    return WarpProduct(m, n, family.rows, family.inner, bits, warps, *batch)


def way_to_wgmma(op: Any) -> str:
    """Return what to change in the source so that wgmma can do the product `op`."""
    dot = op.opview
    family = warp_family(dot.product_types)
    if family is not None:
        return (
            f"make the tile a multiple of {family.rows} in M, of {family.columns[0]} in N and of "
            f"{family.inner} in K"
        )
    if dot.product_types.a == "f32":
        return "write precision='tf32' or, with the accuracy of f32, precision='tf32x3'"
    return "cast the operands to f32, f16, bf16 or an 8-bit type"
