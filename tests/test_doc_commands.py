"""Every command that a page shows exists, with every option and path that it is given.

Console blocks run as a whole (tests/test_readme.py). This is about all other commands of the pages:
in `sh` and `text` blocks, and inside of sentences.
"""

import importlib.util
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.support.doc_sessions import read_blocks

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted(
    [
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "examples/README.md")),
    ]
)
RUN_AS_A_WHOLE = {"README.md", "debugging.md", "tutorial.md", "command-line.md"}
"""Pages whose console blocks tests/test_readme.py runs; those for a GPU run in tests/gpu."""
BENCHMARKS = {
    "rows": "tools.bench.rows",
    "planner": "tools.bench.planner",
    "plot": "tools.bench.plot",
}
_INLINE = re.compile(r"`([^`\n]+(?:\n[^`\n]+)?)`")
_COMMAND = re.compile(
    r"(?:^|(?<=[\s(;|]))(tilec|python3? -m|python3? tools/dev\.py|pytest|lit) "
    r"((?:(?! {3}|[|;#\n>]).)+)",
    re.MULTILINE,
)


def code(text: str) -> list[str]:
    """Return the code of a page: blocks of commands, and what stands in backquotes."""
    blocks = [
        re.sub(r"(^| )#.*$", "", block.text, flags=re.MULTILINE)
        for block in read_blocks(text)
        if block.language in ("sh", "text")
    ]
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return blocks + [" ".join(item.split()) for item in _INLINE.findall(prose)]


def commands(text: str) -> list[tuple[str, list[str]]]:
    """Return the program and the words of every command in the code of a page."""
    return [
        (program, words.split())
        for item in code(text)
        if not item.startswith(("import ", "from "))
        for program, words in _COMMAND.findall(item)
        if not words.startswith(("=", ":"))
    ]


@cache
def help_of(*words: str) -> str:
    """Return what `python WORDS --help` prints."""
    result = subprocess.run(
        [sys.executable, *words, "--help"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert result.returncode == 0, f"{words}: {result.stderr}"
    return result.stdout


def options(words: list[str]) -> set[str]:
    return {re.split("[=.]", word)[0] for word in words if re.match(r"-(-\w|\w)", word)}


def missing_in(text: str, words: list[str]) -> set[str]:
    return {word for word in options(words) if not re.search(rf"(?<![\w-]){word}\b", text)}


def check(program: str, words: list[str]) -> None:
    if program == "tilec":
        known = words[0].startswith("-") or words[0] == "COMMAND"
        text = help_of("-m", "tilec") if known else help_of("-m", "tilec", words[0])
        assert not missing_in(text, words)
    elif program.endswith("dev.py"):
        assert re.search(rf"^ +{words[0]} ", help_of("tools/dev.py"), re.MULTILINE)
        if words[0] == "bench":
            module = next((BENCHMARKS[word] for word in words if word in BENCHMARKS), None)
            assert not missing_in(help_of("-m", module or "tools.bench.gemm"), words)
    elif program.endswith("-m"):
        assert importlib.util.find_spec(words[0]) is not None
        if words[0].startswith(("tools.", "tilec.")):
            assert not missing_in(help_of("-m", words[0]), words[1:])
    else:
        paths = [word for word in words if word.startswith(("tests/", "lit_tests/"))]
        assert [path for path in paths if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_commands_of_the_page_exist(path):
    for program, words in commands(path.read_text()):
        try:
            check(program, words)
        except AssertionError as failure:
            pytest.fail(f"{program} {' '.join(words)}: {failure}", pytrace=False)


def test_console_blocks_stand_only_in_pages_that_are_run():
    shown = {
        path.name
        for path in PAGES
        if any(
            block.language == "console" and not block.needs_gpu
            for block in read_blocks(path.read_text())
        )
    }
    assert shown == RUN_AS_A_WHOLE


@pytest.mark.parametrize(
    "line",
    [
        "tilec nonsense FILE",
        "tilec compile FILE --nonsense",
        "python3 tools/dev.py nonsense",
        "python3 tools/dev.py bench --nonsense 1",
        "python -m tools.nonsense",
        "python -m tools.bench.launch --nonsense",
        "pytest tests/nonsense",
    ],
)
def test_a_command_that_does_not_exist_is_found(line):
    ((program, words),) = commands(f"Call `{line}`.")
    with pytest.raises(AssertionError):
        check(program, words)
