"""Numbers that every source can use by name."""

import math
from collections.abc import Mapping

CONSTANT_NAMES: Mapping[str, float] = {"inf": math.inf, "nan": math.nan, "pi": math.pi}
