"""How slow this machine is at the moment, for tests that limit a time."""

from time import process_time

_ENTRIES, _IDLE_SECONDS = 60_000, 0.03
"""Entries of a dictionary, and what it takes to make and read them on an idle machine of 2026. An
empty loop does not tell: what others do on the host slows down memory more than arithmetic."""


def slowness() -> float:
    """Return how many times slower than an idle machine this one is, at least 1."""
    start = process_time()
    made = {(number % 977, str(number)): [number, {"n": number}] for number in range(_ENTRIES)}
    total = sum(entry[0] for entry in made.values())
    assert total == _ENTRIES * (_ENTRIES - 1) // 2
    return max(1.0, (process_time() - start) / _IDLE_SECONDS)
