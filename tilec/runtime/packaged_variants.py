"""The variants of a kernel in a package: which ones are compiled, and which a launch takes.

Where the sizes that a package is compiled for decide what a launch takes, it holds that variant
alone. Otherwise it holds the one for any launch, which comes first, and those that launches of few
blocks or few rounds take instead (`tilec/runtime/launch_variants.py`). Numbers of blocks whose plan
is the same share a variant: that of the most blocks. Tiles are split along K only for given sizes.
"""

import re
from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from tilec.compiler.attempts import OtherVariantError
from tilec.compiler.compilation import Compilation
from tilec.compiler.program import Program
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.runtime.launch_variants import (
    FIELD,
    has_rules,
    is_decided,
    next_variant,
    planned_numbers,
)
from tilec.support.diagnostics import remark
from tilec.support.fast_dataclasses import replace

_OF_THE_VARIANT = ("most_blocks", "disabled", "variant")
"""Facts of a kernel that tell its variants apart, and nothing of its code."""


def compile_variants(
    program: Program, kernel: str, specialization: Specialization, options: CompileOptions
) -> list[Compilation]:
    """Compile what launches of a kernel may take: the variant for any launch first.

    Args:
        program: The program.
        kernel: Name of the kernel.
        specialization: What is known about its arguments.
        options: How to compile; all variants but the first have a folder of their own for dumps.

    Raises:
        CompileError: The program is wrong, or cannot be compiled for the target.
    """
    from tilec.compiler.variants import compile_variant

    made = compile_variant(program, kernel, specialization, options, next_variant)
    metadata = _metadata(made)
    if is_only(metadata):
        return [made]
    if not _is_general(metadata) or is_decided(metadata, specialization):
        sizes = ", ".join(f"{name} = {size}" for name, size in specialization.sizes.items())
        message = f"the package has the variant for {sizes} alone"
        message += "" if "splits" in metadata else "; without sizes, it has all"
        made.sink.emit(remark("T0433", f"{kernel}: {message}"))
        return [made]
    others = _Others(program, kernel, specialization, options)
    others.add_for(metadata)
    found = [made, *others.made]
    titles = [_metadata(item).get("variant", "any launch") for item in found]
    message = f"the package has {len(found)} variants: {'; '.join(titles)}"
    made.sink.emit(remark("T0433", f"{kernel}: {message}"))
    return found


def is_only(metadata: Mapping[str, Any]) -> bool:
    """Tell whether any launch takes a variant."""
    return _is_general(metadata) and not has_rules(metadata)


def _is_general(metadata: Mapping[str, Any]) -> bool:
    """Tell whether a variant was compiled for launches of any size."""
    planned = "most_blocks" in metadata or "splits" in metadata
    return not planned and FIELD not in metadata.get("disabled", ())


def pick(variants: Sequence[Mapping[str, Any]], sizes: Mapping[str, int]) -> int:
    """Return the number of the variant that a launch takes.

    Args:
        variants: Metadata of the variants, that for any launch first.
        sizes: Extents of the named dims of the launch.
    """
    place, taken = 0, Specialization(sizes=sizes)
    while len(variants) > 1 and (other := next_variant(variants[place], taken)) is not None:
        found = _closest(variants, other)
        if found is None:
            break
        place, taken = found, other
    return place


def _closest(variants: Sequence[Mapping[str, Any]], wanted: Specialization) -> int | None:
    """Return the number of the variant for the fewest blocks that serves a launch, if one does."""
    serving = [
        (reach, place)
        for place, metadata in enumerate(variants)
        if (FIELD in metadata.get("disabled", ())) == (FIELD in wanted.disabled)
        and metadata.get("splits", 0) == wanted.splits
        and (reach := metadata.get("most_blocks", inf)) >= (wanted.most_blocks or inf)
    ]
    return min(serving)[1] if serving else None


class _Others:
    """Compiles the variants that launches take instead of that for any launch.

    Attributes:
        made: The variants, those for many blocks first.
    """

    def __init__(
        self, program: Program, kernel: str, specialization: Specialization, options: CompileOptions
    ) -> None:
        """Start without variants."""
        self.made: list[Compilation] = []
        self._parts = program, kernel
        self._specialization = specialization
        self._options = options
        self._plans: dict[bool, Any] = {}

    def add_for(self, metadata: Mapping[str, Any]) -> None:
        """Add all of them.

        Args:
            metadata: The variant for any launch.
        """
        most = metadata.get("few_blocks", 0)
        for number in (0, *reversed(planned_numbers(most) if most else ())):
            shares = replace(self._specialization, most_blocks=number)
            found = self._add(shares) if number else metadata
            if "shared_rounds" in found:
                self._add(replace(shares, disabled=shares.disabled | {FIELD}))

    def _add(self, specialization: Specialization) -> Mapping[str, Any]:
        """Compile a variant, unless its plan is that of the last one; return its metadata."""
        alone = FIELD in specialization.disabled
        last, plans = self._plans.get(alone), self._plans

        def is_known(metadata: Mapping[str, Any], asked: Specialization) -> Specialization | None:
            plans[alone] = _plan(metadata)
            return asked if plans[alone] == last else None

        from tilec.compiler.driver import compile_kernel

        options = self._options
        if options.dump_directory is not None:
            folder = re.sub(r"\W+", "-", specialization.variant)
            options = replace(options, dump_directory=options.dump_directory / folder)
        try:
            made = compile_kernel(*self._parts, specialization, options, is_known)
        except OtherVariantError as known:
            return known.metadata
        self.made.append(made)
        return _metadata(made)


def _plan(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the code of a variant follows from, right after it was planned."""
    plan = {name: value for name, value in metadata["plan"].items() if name != "reasons"}
    rest = {name: value for name, value in metadata.items() if name not in _OF_THE_VARIANT}
    return rest | {"plan": plan}


def _metadata(made: Compilation) -> Mapping[str, Any]:
    return made.artifact.kernels[-1].metadata
