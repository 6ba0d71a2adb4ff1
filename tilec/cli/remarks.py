"""Prints remarks and warnings: all that is said about one place comes after one quote of it."""

from collections.abc import Iterable, Sequence

from tilec.support.diagnostics import Diagnostic, SourceFile, SourceSpan, excerpt


def render_remarks(items: Iterable[Diagnostic], sources: Sequence[SourceFile]) -> str:
    """Return the text of diagnostics, grouped by their place in the source.

    The groups are in the order of their first diagnostic. A group of one looks like any diagnostic.
    A larger group has the place, the source line and the carets first, then a line for each
    diagnostic. What has no place is not grouped.

    Args:
        items: The diagnostics; notes and hints are printed with them.
        sources: Files to quote from.
    """
    groups: dict[SourceSpan | int, list[Diagnostic]] = {}
    for position, item in enumerate(items):
        key = position if item.span is None else item.span
        groups.setdefault(key, []).append(item)
    return "".join(_render_group(group, sources) + "\n" for group in groups.values())


def _render_group(group: Sequence[Diagnostic], sources: Sequence[SourceFile]) -> str:
    first = group[0]
    if len(group) == 1 or first.span is None:
        return first.render(sources)
    kinds = " and ".join(dict.fromkeys(f"{item.severity.value}s" for item in group))
    lines = [f"{first.span}: {len(group)} {kinds}:", *excerpt(first.span, sources)]
    for item in group:
        lines.append(f"  {item.headline()}")
        lines.extend(f"  {line}" for line in item.details(sources))
    return "\n".join(lines)
