"""The time of a round of warpgroups that share the tensor cores."""


def queueing_time(tensor: float, alone: float, warpgroups: int) -> float:
    """Return the time in which every warpgroup does a round, by mean value analysis.

    Args:
        tensor: Cycles of a round that a warpgroup occupies the tensor cores.
        alone: Cycles of a round of a warpgroup that has all engines for itself.
        warpgroups: How many there are.
    """
    thinks = max(0.0, alone - tensor)
    queue = interval = 0.0
    for customers in range(1, warpgroups + 1):
        response = tensor * (1 + queue)
        interval = response + thinks
        queue = customers * response / interval if interval else 0.0
    return interval
