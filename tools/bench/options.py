"""Options that the benchmarks share, and what reads their values."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tools.bench.variants import parse_variant


def new_parser(name: str, description: str | None, epilog: str) -> argparse.ArgumentParser:
    """Return a parser for `python -m tools.bench.NAME`, whose help keeps its line breaks."""
    return argparse.ArgumentParser(
        prog=f"python -m tools.bench.{name}",
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def add_case_options(
    parser: argparse.ArgumentParser,
    sets: Mapping[str, Sequence[Any]],
    parse_case: Callable[[str], Any],
    *,
    case: str,
    variant: str,
    default: str = "all",
) -> None:
    """Add what chooses cases and variants of our kernel.

    Args:
        parser: Gets the options.
        sets: Cases by the name of their set.
        parse_case: Reads a case; it raises a ValueError.
        case: Help for `--case`: an example.
        variant: An example of a variant.
        default: Which sets run without `--set` and `--case`.
    """
    add_case_choice(parser, sets, parse_case, case=case, default=default)
    parser.add_argument(
        "--variant",
        action="append",
        type=spelt(parse_variant),
        default=[],
        dest="variants",
        help=f"our kernel once more, with constants and fields of the plan: {variant}",
    )


def add_case_choice(
    parser: argparse.ArgumentParser,
    sets: Mapping[str, Sequence[Any]],
    parse_case: Callable[[str], Any],
    *,
    case: str,
    default: str = "all",
) -> None:
    """Add `--set` and `--case`; the arguments are those of `add_case_options`."""
    text = f"cases to run ({default})"
    add = parser.add_argument
    add("--set", action="append", choices=sorted(sets), dest="sets", help=text)
    add("--case", action="append", type=spelt(parse_case), default=[], help=case)


def add_peers(
    parser: argparse.ArgumentParser, known: Sequence[str], default: Sequence[str], note: str
) -> None:
    """Add `--peers`, a list of `known` names; `note` says what the default is."""

    def parse(text: str) -> tuple[str, ...]:
        names = tuple(name for name in text.split(",") if name)
        if not set(names) <= set(known):
            raise ValueError(f"'{text}': expected names of {', '.join(known)}")
        return names

    parser.add_argument(
        "--peers", type=spelt(parse), default=default, help=f"of {','.join(known)} ({note})"
    )


def add_run_options(parser: argparse.ArgumentParser, seconds: float) -> None:
    """Add how long to measure (`seconds` of GPU time a round by default), and the report."""
    add = parser.add_argument
    add("--rounds", type=positive(int), default=20, help="rounds of a process (20)")
    add(
        "--seconds",
        type=positive(float),
        default=seconds,
        help=f"GPU time of a round ({seconds})",
    )
    add("--budget", type=positive(float), help="stop after about this many seconds")
    add("--seed", type=int, default=0, help="of the operands; each process adds its number (0)")
    add("--json", type=Path, help="write the report to this file")


def chosen_cases(
    options: argparse.Namespace, sets: Mapping[str, Sequence[Any]], default: Sequence[str]
) -> list[Any]:
    """Return the cases of `--set` and `--case`, each once; those of `default` without both."""
    names = options.sets or ([] if options.case else default)
    return list(dict.fromkeys([case for name in names for case in sets[name]] + options.case))


def spelt(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return `parse` with its ValueError as one that argparse prints."""

    def convert(text: str) -> Any:
        try:
            return parse(text)
        except ValueError as failure:
            raise argparse.ArgumentTypeError(str(failure)) from failure

    return convert


def positive(kind: type[int] | type[float]) -> Any:
    """Return what reads a positive number for argparse."""

    def convert(text: str) -> int | float:
        value = kind(text)
        if not value > 0:
            raise argparse.ArgumentTypeError(f"{text} is not positive")
        return value

    convert.__name__ = kind.__name__  # argparse names it in its message
    return convert
