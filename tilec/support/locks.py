"""Locks that a forked child finds free, and properties that need none.

A fork copies the memory of a process, but of its threads only the one that forks. A lock that
another thread held at that moment would stay held in the child forever.
"""

import os
import threading
import weakref
from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

_Value = TypeVar("_Value")


class Lock:
    """A reentrant lock: `with lock.held: ...`.

    What it guards must be right before every statement that changes it, since a forked child goes
    on from wherever another thread was.

    Attributes:
        held: The lock itself. A `with` enters and leaves it in one step, so that no exception of a
            signal handler can come between the lock and the `with`.
    """

    __slots__ = ("__weakref__", "held")

    def __init__(self) -> None:
        """Make a lock that nobody holds."""
        self.held = threading.RLock()
        _LOCKS.add(self)


_LOCKS: "weakref.WeakSet[Lock]" = weakref.WeakSet()


def _renew_all() -> None:
    for lock in _LOCKS:
        lock.held = threading.RLock()


os.register_at_fork(after_in_child=_renew_all)


class computed(Generic[_Value]):  # noqa: N801 - a decorator
    """A property that is computed when it is first read, and kept.

    Two threads may compute it both. `functools.cached_property` holds a lock meanwhile (Python
    3.11), which a forked child would find held.
    """

    def __init__(self, compute: Callable[[Any], _Value]) -> None:
        """Decorate the method that computes the value."""
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> "computed[_Value]": ...
    @overload
    def __get__(self, instance: object, owner: type) -> _Value: ...
    def __get__(self, instance: object | None, owner: type) -> "computed[_Value] | _Value":
        """Return the value; the instance's dictionary holds it from then on."""
        if instance is None:
            return self
        return instance.__dict__.setdefault(self._name, self._compute(instance))
