"""Hints for misspelled names."""

from collections.abc import Iterable


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that `name` most likely stands for, or None."""
    names = [item for item in known if item != name]
    by_case = next((item for item in names if item.lower() == name.lower()), None)
    if by_case is not None:
        return by_case
    import difflib  # only a program with a mistake needs it

    found = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    return found[0] if found else None


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """Return a hint that names the closest known name, or None when nothing is close."""
    found = closest(name, known)
    return None if found is None else f"did you mean '{found}'?"
