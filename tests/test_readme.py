"""The README is executed: its kernel, its commands with their outputs, and its Python example.

So are the sessions in docs/debugging.md and docs/command-line.md. A console block holds commands
(`$ ...`) and what they print; `...` in an expected line stands for any text, and as a line of its
own for any lines. What needs a GPU or installs packages is not in console blocks but in `sh`
blocks, whose commands are only checked to exist.
"""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()
PAGES = {
    "README.md": README,
    **{name: (ROOT / "docs" / name).read_text() for name in ("debugging.md", "command-line.md")},
}
MAX_LINES = 150
KERNEL_LINES = 12
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ANY = "..."


@dataclass(frozen=True)
class Step:
    command: str
    expected: tuple[str, ...]


def blocks(language: str, page: str = README) -> list[str]:
    return [match[2] for match in _BLOCK.finditer(page) if match[1] == language]


def kernel_text() -> str:
    return next(block for block in blocks("python") if block.startswith("@kernel"))


def steps(block: str) -> list[Step]:
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


@pytest.fixture
def checkout(tmp_path):
    """A folder that looks like the checkout, with the README's kernel in it."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "matmul.tile").write_text(kernel_text())
    tools = tmp_path / "bin"
    tools.mkdir()
    launcher = tools / "tilec"
    launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tilec "$@"\n')
    launcher.chmod(0o755)
    return tmp_path


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(folder / "bin"), os.environ.get("PATH", "")])
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": path}
    return subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_commands_print_what_the_page_shows(name, checkout):
    session = [step for block in blocks("console", PAGES[name]) for step in steps(block)]
    assert session
    for step in session:
        result = run(step.command, checkout)
        assert result.returncode == 0, f"$ {step.command}\n{result.stdout}"
        if not pattern(step.expected).fullmatch(result.stdout):
            pytest.fail(f"$ {step.command}\nprints\n{result.stdout}", pytrace=False)


def test_python_example_runs(checkout):
    (example,) = (block for block in blocks("python") if block.startswith("import"))
    (checkout / "example.py").write_text(example)
    result = run(f"'{sys.executable}' -W error example.py", checkout)
    assert result.returncode == 0, result.stdout
    assert ".visible .entry matmul" in result.stdout


def test_kernel_has_twelve_lines_and_every_stage_is_named():
    from tilec.request.stages import STAGE_NAMES

    assert len(kernel_text().splitlines()) == KERNEL_LINES
    (picture,) = blocks("text")
    positions = [picture.index(f"\n {name}") for name in STAGE_NAMES]
    assert positions == sorted(positions)


def test_shell_commands_exist():
    """`dev.py` makes environments and runs this suite, so here only its parser answers."""
    script = str(ROOT / "tools" / "dev.py")
    helped = subprocess.run(
        [sys.executable, script, "--help"], capture_output=True, text=True, check=True
    )
    named = re.findall(r"tools/dev\.py (\w+)", "".join(blocks("sh")))
    assert sorted(set(named)) == ["demo", "test"]
    assert all(re.search(rf"^ +{name} ", helped.stdout, re.MULTILINE) for name in named)
    tilec = subprocess.run(
        [sys.executable, "-m", "tilec", "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    used = re.findall(r"^tilec (\w+)", "".join(blocks("sh")), re.MULTILINE)
    assert used
    assert all(name in tilec.stdout for name in used)


def test_readme_is_short():
    assert len(README.splitlines()) <= MAX_LINES
