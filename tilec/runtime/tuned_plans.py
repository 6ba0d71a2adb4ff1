"""Plans that were found to be the fastest by measurement, and what they were measured for.

`tilec.tune` stores them; a kernel that is called later, in this process or another one, finds them.
They lie in the disk cache, one entry for each kernel, so they go when the kernel's source or tilec
changes, or when the cache is emptied. A plan holds for arguments whose specialization is the same,
named dims included.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tilec.plan.overrides import PlanValue
from tilec.request.specialization import ConstantValue, Specialization
from tilec.runtime.cache import DiskCache, variant_key
from tilec.support.locks import Lock


@dataclass(frozen=True)
class Candidate:
    """What is fixed of a kernel's plan; the planner decides the rest.

    Attributes:
        constants: Values of `const` parameters.
        plan: Fields of the plan.
    """

    constants: Mapping[str, ConstantValue] = field(default_factory=dict)
    plan: Mapping[str, PlanValue] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return it as it is written in a call: `BM=128 stages=3 cluster=(2, 1)`."""
        return " ".join(
            f"{name}={value}" for name, value in {**self.constants, **self.plan}.items()
        )

    def applied(self, specialization: Specialization) -> Specialization:
        """Return a specialization with what the candidate fixes."""
        return replace(
            specialization,
            constants={**specialization.constants, **self.constants},
            plan={**specialization.plan, **self.plan},
        )

    def combined(self, plan: Mapping[str, PlanValue]) -> "Candidate":
        """Return the candidate with other fields of the plan."""
        return Candidate(self.constants, {**self.plan, **plan})


class TunedPlans:
    """The tuned plans of one kernel."""

    def __init__(self, cache: DiskCache, key: Callable[[], str]) -> None:
        """Read nothing yet.

        Args:
            cache: Where they are stored.
            key: Returns the name of the entry.
        """
        self._cache = cache
        self._key = key
        self._found: dict[str, Candidate] | None = None
        self._lock = Lock()

    def apply(self, specialization: Specialization) -> Specialization:
        """Return a specialization with the plan that was stored for it, if there is one."""
        found = self._entries().get(variant_key(specialization))
        return specialization if found is None else found.applied(specialization)

    def store(self, specialization: Specialization, candidate: Candidate | None) -> None:
        """Store the plan to take for a specialization; None leaves the choice to the planner."""
        name = variant_key(specialization)
        with self._lock.held:
            # Another process may have tuned the kernel for other arguments meanwhile.
            entries = {**(self._found or {}), **self._read()}
            entries.pop(name, None)
            if candidate is not None:
                entries[name] = candidate
            self._found = entries
            content = {
                key: {"constants": dict(item.constants), "plan": dict(item.plan)}
                for key, item in entries.items()
            }
            self._cache.write(self._key(), json.dumps(content).encode())

    def _entries(self) -> Mapping[str, Candidate]:
        with self._lock.held:
            if self._found is None:
                self._found = self._read()
            return self._found

    def _read(self) -> dict[str, Candidate]:
        data = self._cache.read(self._key())
        content: dict[str, Any] = json.loads(data) if data is not None else {}
        return {
            name: Candidate(item["constants"], {k: _value(v) for k, v in item["plan"].items()})
            for name, item in content.items()
        }


def _value(value: Any) -> PlanValue:
    return tuple(value) if isinstance(value, list) else value
