"""docs/passes.md: the pipeline, and a section per pass from the docstring of its module."""

import importlib
import re
from collections.abc import Iterator
from pathlib import Path

from tilec.passes import PASS_MODULES
from tilec.plan.overrides import PLAN_FIELDS
from tilec.request.stages import STAGES, Stage, Step
from tools.docs.docstring import PassText, parse
from tools.docs.generated import ROOT

_HEAD = """\
# Passes

<!-- Written by tools/gen_docs.py from the docstrings under passes/; do not edit. -->

A compilation runs these passes from top to bottom. `tilec passes` prints the same list.
`tilec opt FILE.mlir --passes a,b` runs single passes, and `tilec compile FILE --dump-ir DIR` writes
the IR after every pass. [tilec/request/stages.py](../tilec/request/stages.py) defines the pipeline.

Each pass of tilec is one function in one file, with a lit test of the same name. Its section shows
a short example of IR; types and attributes that do not matter are left out. The options of a pass
are [plan fields](language.md#plan-fields) and command-line flags. Passes marked MLIR are part of
MLIR.
"""
_CODE = re.compile(r"```.*?^```|`([^`\n]+)`", re.DOTALL | re.MULTILINE)
"""A block of code, or code in a line."""


def pass_text(step: Step) -> PassText:
    """Return what the docstring of the module of a pass says.

    Raises:
        ValueError: The docstring is missing or has another form.
    """
    module = importlib.import_module(f"tilec.passes.{step.module}")
    if not module.__doc__:
        raise ValueError(f"the module of pass {step.name} has no docstring")
    return parse(module.__doc__)


def lit_test(name: str) -> Path:
    """Return the lit test of a pass, or the folder of them, relative to the root.

    Raises:
        LookupError: There is none, or more than one.
    """
    folder = ROOT / "lit_tests"
    found = sorted(folder.rglob(f"{name}.mlir"))
    found = found or [item for item in folder.rglob(name.removeprefix("convert-")) if item.is_dir()]
    if len(found) != 1:
        raise LookupError(f"pass {name} has {len(found)} lit tests of its name; expected one")
    return found[0].relative_to(ROOT)


def render() -> str:
    """Return the text of docs/passes.md."""
    parts = [_HEAD, _overview()]
    for stage in STAGES:
        parts.append(f"## {stage.name}\n\nThis stage knows: {stage.summary}.\n")
        parts += [_section(step) for step in stage.steps if step.module]
    return "\n".join(parts)


def _steps() -> Iterator[tuple[Stage, Step]]:
    for stage in STAGES:
        for step in stage.steps:
            yield stage, step


def _overview() -> str:
    rows = ["| # | Stage | Pass | What it does |", "|---|---|---|---|"]
    for number, (stage, step) in enumerate(_steps(), 1):
        if step.module:
            shown, does = f"[`{step.name}`](#{step.name})", pass_text(step).summary
        else:
            shown, does = f"`{step.name}` (MLIR)", step.purpose
        rows.append(f"| {number} | {stage.name} | {shown} | {does} |")
    return "\n".join([*rows, ""])


def _section(step: Step) -> str:
    text = pass_text(step)
    parts = [f"### {step.name}", text.summary, *text.blocks]
    if text.options:
        listed = [f"- {_option(name)}: {what}" for name, what in text.options.items()]
        parts.append("\n".join(["Options:\n", *listed]))
    source = f"passes/{step.module.replace('.', '/')}.py"
    test = lit_test(step.name).as_posix()
    parts.append(f"File: [{source}](../{source}). Test: [{test}](../{test}).")
    return linked("\n\n".join(parts), step.name) + "\n"


def _option(name: str) -> str:
    if name in PLAN_FIELDS:
        return f"[`{name}`](language.md#plan-fields)"
    return f"`{name}`" if name.startswith("--") else name


def linked(text: str, own: str) -> str:
    """Return Markdown in which names of passes and of files in code are links.

    Args:
        text: The Markdown.
        own: Name of the pass whose section this is; it is not linked.
    """

    def link(match: re.Match[str]) -> str:
        name = match[1]
        if name is None or text[: match.start()].endswith("["):
            return match[0]
        path, _, anchor = name.partition("#")
        if name in PASS_MODULES and name != own:
            return f"[{match[0]}](#{name})"
        if "/" not in path or not (ROOT / path).exists():
            return match[0]
        if path.startswith("docs/"):
            page = path.removeprefix("docs/")
            return f"[{page}]({page}#{anchor})" if anchor else f"[{page}]({page})"
        return f"[{path}](../{path})"

    return _CODE.sub(link, text)
