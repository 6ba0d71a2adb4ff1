"""The README is executed: its kernel, its programs, and its commands with their outputs.

So are the sessions in docs/debugging.md, docs/command-line.md and docs/tutorial.md, as
tests/support/doc_sessions.py says. tests/gpu/test_pages.py runs the blocks that need a GPU.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lit_tests.warm_python.start import VARIABLE, make_python, start_server
from tests.support.doc_sessions import Block, make_checkout, read_blocks, run, run_page

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()
DEBUGGING = (ROOT / "docs" / "debugging.md").read_text()
COMMANDS = (ROOT / "docs" / "command-line.md").read_text()
TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text()
MAX_LINES = 190
KERNEL_LINES = 12
FIRST_SCREEN = 70
"""Lines within which a reader of the README finds the commands and complete programs."""


def blocks(language: str) -> list[Block]:
    return [block for block in read_blocks(README) if block.language == language]


def kernel_text() -> str:
    return next(block.text for block in blocks("python") if block.text.startswith("@kernel"))


@pytest.fixture(scope="module")
def warm_python(tmp_path_factory):
    """What runs tilec quickly: most of the time of the commands would be imports."""
    python = make_python(tmp_path_factory.mktemp("python"))
    return f"env {VARIABLE}={start_server(python)} {python}"


@pytest.fixture
def checkout(tmp_path, warm_python):
    """A folder that looks like the checkout."""
    return make_checkout(tmp_path, warm_python)


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [README, DEBUGGING, COMMANDS, TUTORIAL],
    ids=["README.md", "debugging.md", "command-line.md", "tutorial.md"],
)
def test_commands_print_what_the_page_shows(page, checkout):
    assert run_page(page, checkout) > 0


@pytest.mark.parametrize("page", [README, TUTORIAL], ids=["README.md", "tutorial.md"])
def test_every_program_of_a_page_runs(page):
    """A Python block is saved as a file, and a command of the page runs or compiles that file.

    What needs a GPU is only parsed here; tests/gpu/test_pages.py runs it.
    """
    found = read_blocks(page)
    commands = "".join(block.text for block in found if block.language == "console")
    for block in found:
        if block.language == "python":
            assert block.file is not None, block.text
            assert f"`{block.file}`" in page, "a reader sees no comments"
            if block.file.endswith(".py"):
                compile(block.text, block.file, "exec")
            stem = block.file.removesuffix(".py")
            assert re.search(rf"^\$.*\b{re.escape(stem)}\b", commands, re.MULTILINE), block.file


def test_programs_give_no_warnings_and_show_the_code_of_the_kernel(checkout):
    for block in blocks("python"):
        (checkout / str(block.file)).write_text(block.text)
    result = run("python -W error with_numpy.py && python -W error look_inside.py", checkout)
    assert result.returncode == 0, result.stdout
    assert ".visible .entry matmul" in result.stdout


def test_kernel_has_twelve_lines_and_every_stage_is_named():
    from tilec.request.stages import STAGE_NAMES

    assert len(kernel_text().splitlines()) == KERNEL_LINES
    (picture,) = blocks("text")
    positions = [picture.text.index(f"\n {name}") for name in STAGE_NAMES]
    assert positions == sorted(positions)


def test_first_screen_holds_the_commands_and_complete_programs():
    first = "\n".join(README.splitlines()[:FIRST_SCREEN])
    programs = [item.text for item in read_blocks(first) if item.text.startswith("import")]
    assert "tools/dev.py demo" in first
    assert "tools/dev.py test" in first
    assert kernel_text() in first
    assert ["torch" in text for text in programs] == [False, True]
    assert all("assert_allclose" in text or "assert_close" in text for text in programs)


def test_shell_commands_exist():
    """`dev.py` makes environments and runs this suite, so here only its parser answers."""
    script = str(ROOT / "tools" / "dev.py")
    helped = subprocess.run(
        [sys.executable, script, "--help"], capture_output=True, text=True, check=True
    )
    text = "".join(block.text for block in blocks("sh"))
    named = re.findall(r"tools/dev\.py (\w+)", text)
    assert sorted(set(named)) == ["demo", "test"]
    assert all(re.search(rf"^ +{name} ", helped.stdout, re.MULTILINE) for name in named)
    tilec = subprocess.run(
        [sys.executable, "-m", "tilec", "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    used = re.findall(r"^tilec (\w+)", text, re.MULTILINE)
    assert used
    assert all(name in tilec.stdout for name in used)


def test_readme_is_short():
    assert len(README.splitlines()) <= MAX_LINES


def test_kernel_of_the_language_page_compiles(checkout):
    """The other programs of the page run in tests/api/test_language_page.py."""
    page = (ROOT / "docs" / "language.md").read_text()
    (kernel,) = (item.text for item in read_blocks(page) if item.text.startswith("# matmul.tile"))
    (checkout / "matmul.tile").write_text(kernel)
    result = run("tilec compile matmul.tile -o matmul.ptx", checkout)
    assert result.returncode == 0, result.stdout
