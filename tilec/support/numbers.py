"""Whole numbers. Pure Python."""


def is_power_of_two(value: int) -> bool:
    """Tell whether `value` is 1, 2, 4, ..."""
    return value > 0 and value & (value - 1) == 0


def round_up_power_of_two(value: int) -> int:
    """Return the smallest power of two that is at least `value` (at least 1)."""
    return 1 << max(0, value - 1).bit_length()
