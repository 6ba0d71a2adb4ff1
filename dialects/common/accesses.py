"""The interface of operations that read or write global memory.

Passes that order memory ask this interface, not the names of operations: the alias sets, the
ordering tokens, the barriers of a role and the check of the protocol. It is the same for
cuda_tile, nv_tileaa and nv_tileas. An operation has it when its class has a field `ACCESS`; the
classes of operations take no second base.
"""

from typing import Any

from tilec.ir.bindings import ir
from tilec.support.fast_dataclasses import dataclass

WEAK = "weak"
"""Memory order of an access that no other thread races with."""
ORDERS = (WEAK, "relaxed", "acquire", "release", "acq_rel")
"""Memory orders, by the names of the PTX memory consistency model."""
_SYNCHRONISING = frozenset(("acquire", "release", "acq_rel"))


@dataclass(frozen=True)
class Access:
    """What an operation does to global memory.

    Attributes:
        reads: Whether it reads.
        writes: Whether it writes.
        order_attribute: Name of the attribute with the memory order; weak where it is absent.
        combine_attribute: Name of the attribute that says how the access combines elements of the
            array with new ones; it overwrites them where the attribute is absent.
    """

    reads: bool = False
    writes: bool = False
    order_attribute: str = "mem_semantic"
    combine_attribute: str = ""

    def order_of(self, op: Any) -> str:
        """Return the memory order of `op`, one of `ORDERS`."""
        attribute = op.attributes.get(self.order_attribute)
        return attribute.value if isinstance(attribute, ir.StringAttr) else WEAK


def global_access(op: Any) -> Access | None:
    """Return what `op` does to global memory; None for an operation that does not touch it."""
    return getattr(type(op.opview), "ACCESS", None)


def writes_global(op: Any) -> bool:
    """Tell whether `op` writes global memory."""
    access = global_access(op)
    return access is not None and access.writes


def synchronises(op: Any) -> bool:
    """Tell whether `op` orders accesses of other arrays: an acquire, a release or both."""
    access = global_access(op)
    return access is not None and access.order_of(op) in _SYNCHRONISING


def combination(op: Any) -> str | None:
    """Return the mode in which an access combines elements of an array with new ones; else None.

    Accesses that combine in the same way need no order among themselves: the result is the same.
    """
    access = global_access(op)
    attribute = None if access is None else op.attributes.get(access.combine_attribute or "")
    return attribute.value if isinstance(attribute, ir.StringAttr) else None


def must_happen(op: Any) -> bool:
    """Tell whether an access has to be performed although nobody uses what it returns."""
    access = global_access(op)
    return access is not None and (access.writes or access.order_of(op) != WEAK)
