"""What `cast` makes of numbers with a rounding mode or with saturation."""

from collections.abc import Callable

import numpy as np

from tools.emulator.fuzz.values import (
    NUMPY,
    Numbers,
    Value,
    cast,
    grid_step,
    inexact,
    is_float,
    largest,
    spoiled,
    unit,
    wide,
)

_WHOLE: dict[str, Callable[[Numbers], Numbers]] = {
    "": np.trunc,
    "rn": np.rint,
    "rz": np.trunc,
    "rm": np.floor,
    "rp": np.ceil,
}


def convert(value: Value, dtype: str, mode: str, *, saturate: bool) -> Value:
    """Return `cast(value, dtype, rounding=mode, saturate=saturate)`.

    Args:
        value: A float, or an integer that becomes another integer.
        dtype: The target: no restricted float.
        mode: `rn`, `rz`, `rm`, `rp`, or empty for the default.
        saturate: Whether what does not fit becomes the nearest number of the type.
    """
    if is_float(dtype):
        return _to_float(value, dtype, mode, saturate)
    limits = np.iinfo(NUMPY[dtype])
    if not is_float(value.dtype):
        exact = [min(max(int(item), limits.min), limits.max) for item in value.data.flat]
        data = np.array(exact, object).astype(NUMPY[dtype]).reshape(value.data.shape)
        return spoiled(data, dtype, value)
    whole = _WHOLE[mode](wide(value))
    fits = (whole > float(limits.min)) & (whole < float(limits.max) + 1.0)
    data = np.where(fits, whole, 0.0).astype(NUMPY[dtype])
    data = np.where(whole <= float(limits.min), limits.min, data)
    data = np.where(whole >= float(limits.max) + 1.0, limits.max, data)
    return spoiled(data.astype(NUMPY[dtype]), dtype, value)


def _to_float(value: Value, dtype: str, mode: str, saturate: bool) -> Value:
    directed = mode in ("rz", "rm", "rp")
    data = _rounded(wide(value), dtype, mode) if directed else wide(cast(value, dtype))
    if saturate:
        data = np.where(np.isnan(data), data, np.clip(data, -largest(dtype), largest(dtype)))
    found = data.astype(np.float64).astype(NUMPY[dtype])
    if value.error is None:
        return Value(found, dtype, None if directed else cast(value, dtype).error)
    loose = value.error + np.where(value.error > 0, 2 * unit(found, dtype), 0.0)
    return Value(found, dtype, inexact(data, loose, dtype).error)


def _rounded(exact: Numbers, dtype: str, mode: str) -> Numbers:
    """Round f64 numbers to multiples of the distance of their neighbours in a float type."""
    step = grid_step(exact, dtype)
    with np.errstate(all="ignore"):
        data = _WHOLE[mode](exact / step) * step
    beyond = np.isfinite(exact) & (np.abs(data) > largest(dtype))
    outward = (mode == "rp") & (exact > 0) | (mode == "rm") & (exact < 0)
    limit = np.where(outward, np.inf, largest(dtype))
    return np.where(beyond, np.copysign(limit, exact), np.where(np.isfinite(exact), data, exact))
