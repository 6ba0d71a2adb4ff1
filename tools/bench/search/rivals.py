"""The plans of an earlier search that a changed planner has to beat, without searching again."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.bench.search.candidates import BLOCK_K, Candidate, Shape

RIVALS = 3
"""Plans per shape: the fastest one of the search, and the next fastest ones."""


@dataclass(frozen=True)
class Rivals:
    """Names of the plans that count, by shape; without any of them all plans do."""

    names: Mapping[str, frozenset[str]]

    def has(self, candidate: Candidate) -> bool:
        """Tell whether some variant of a candidate counts for a shape."""
        stem = f"{candidate.key}-"
        return not self.names or any(
            name.startswith(stem) for names in self.names.values() for name in names
        )

    def has_variant(self, shape: Shape, name: str) -> bool:
        """Tell whether a variant counts for a shape."""
        return not self.names or name in self.names.get(str(shape), ())


EVERYONE = Rivals({})


def read_rivals(path: Path, shapes: Sequence[Shape]) -> Rivals:
    """Read the rivals of a planner from the report of a search.

    Raises:
        ValueError: The file is no such report, or does not have one of the shapes.
    """
    try:
        results = {item["shape"]: item for item in json.loads(path.read_text())["results"]}
        found = {str(shape): results.get(str(shape)) for shape in shapes}
        missing = [name for name, result in found.items() if not result or not result["looks"]]
        if missing:
            raise ValueError(f"{path} has no search for {', '.join(missing)}")
        return Rivals({str(item): _fastest(found[str(item)], item) for item in shapes})
    except (OSError, KeyError, TypeError, json.JSONDecodeError) as failure:
        raise ValueError(f"{path} is no report of a search: {failure!r}") from failure


def _fastest(result: Any, shape: Shape) -> frozenset[str]:
    """Return the names of the rivals in the result of a shape."""
    looks: dict[str, float] = result["looks"]
    names = [
        name for name in sorted(looks, key=looks.__getitem__) if not name.startswith("planner")
    ]
    plan, constants = result["best"]["plan"], result["best"]["constants"]
    schedule = "pingpong" if plan["teams"] > 1 else "cooperative"
    rows, columns, *_ = plan["cluster"]
    tile = constants["BM"], constants["BN"]
    best = Candidate(*tile, (rows, columns), schedule, shape.divisible)
    name = f"{best.key}-{plan['stages']}"
    if constants["BK"] == BLOCK_K and name in looks:
        names.insert(0, name)
    return frozenset(list(dict.fromkeys(names))[:RIVALS])
