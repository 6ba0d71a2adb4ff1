"""Runs the blocks of a Markdown page in a folder, as a reader would.

A `console` block holds commands (`$ ...`) and what they print. `...` in an expected line stands for
any text, and as a line of its own for any lines. A comment in the line before a block says more:

    <!-- file: add.tile -->     the block is saved under this name
    <!-- gpu -->                the commands need a GPU: the `gpu` tests run them
    <!-- exit: 1 -->            each command of the block ends with this exit code, not with 0

What installs packages is in `sh` blocks, which do not run here.
"""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120
_BLOCK = re.compile(r"^(?:<!-- ([^\n]*) -->\n)?```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ANY = "..."


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and what the comment before it says."""

    language: str
    text: str
    file: str | None
    exit_code: int
    needs_gpu: bool


@dataclass(frozen=True)
class Step:
    """A command and the lines that it prints."""

    command: str
    expected: tuple[str, ...]


def read_blocks(page: str) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    found = []
    for comment, language, text in _BLOCK.findall(page):
        words = dict(re.findall(r"(\w+)(?:: ([\w./]+))?", comment))
        code = int(words.get("exit", 0))
        found.append(Block(language, text, words.get("file"), code, "gpu" in words))
    return found


def steps(block: str) -> list[Step]:
    """Return the commands of a console block with what they print."""
    found: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return [Step(command, tuple(expected)) for command, expected in found]


def pattern(expected: tuple[str, ...]) -> re.Pattern[str]:
    """Return what the whole output must match."""
    lines = []
    for line in expected:
        if line == _ANY:
            lines.append(r"(?:.*\n)*")
        else:
            lines.append(".*".join(re.escape(part) for part in line.rstrip().split(_ANY)) + r" *\n")
    return re.compile("".join(lines))


def make_checkout(folder: Path, warm_python: str | None = None) -> Path:
    """Make `folder` look like a checkout with `tilec` and `python` on the path; return it.

    Args:
        folder: Where.
        warm_python: Command that runs tilec instead of Python, see `lit_tests/warm_python`.
    """
    (folder / "examples").symlink_to(ROOT / "examples")
    tools = folder / "bin"
    tools.mkdir()
    python = f'"{sys.executable}"'
    for name, command in (("tilec", f"{warm_python or python} -m tilec"), ("python", python)):
        launcher = tools / name
        launcher.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        launcher.chmod(0o755)
    return folder


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a shell command in a folder of `make_checkout`; standard error joins the output."""
    path = os.pathsep.join([str(folder / "bin"), os.environ.get("PATH", "")])
    modules = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": modules, "PATH": path}
    return subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def check_step(step: Step, folder: Path, exit_code: int = 0) -> None:
    """Run a step; fail with what it printed where the page shows something else."""
    result = run(step.command, folder)
    if result.returncode != exit_code:
        code = f"ends with {result.returncode} instead of {exit_code} and"
        pytest.fail(f"$ {step.command}\n{code} prints\n{result.stdout}", pytrace=False)
    if not pattern(step.expected).fullmatch(result.stdout):
        pytest.fail(f"$ {step.command}\nprints\n{result.stdout}", pytrace=False)


def run_page(page: str, folder: Path, *, on_gpu: bool = False) -> int:
    """Save the files of a page and run its commands, in the order of the page.

    Args:
        page: Text of the page.
        folder: Folder of `make_checkout`.
        on_gpu: Run the commands that need a GPU, instead of all others.

    Returns:
        The number of commands that ran.
    """
    count = 0
    for block in read_blocks(page):
        if block.file is not None:
            (folder / block.file).write_text(block.text)
        elif block.language == "console" and block.needs_gpu == on_gpu:
            for step in steps(block.text):
                check_step(step, folder, block.exit_code)
                count += 1
    return count
