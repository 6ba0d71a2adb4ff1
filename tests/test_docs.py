"""The docs against the code: lit tests of passes, import table, excerpts, links, messages."""

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tilec.passes import PASS_MODULES, load_all_passes
from tilec.request.stages import STAGES
from tools.docs.examples import GROUPS
from tools.docs.passes import lit_test

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
EXAMPLES = ROOT / "examples"
PAGES = sorted(
    [*DOCS.rglob("*.md"), *(ROOT / "README.md", ROOT / "CONTRIBUTING.md", EXAMPLES / "README.md")]
)
_CODE = re.compile(r"^( *)```.*?^\1```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
"""Code, in blocks and in lines."""
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
"""A link or a picture."""


def page(name: str) -> str:
    return (DOCS / name).read_text()


def test_pass_registry_and_pipeline_agree():
    in_pipeline = [step.name for stage in STAGES for step in stage.steps if step.module]
    assert in_pipeline == list(PASS_MODULES)
    registered = {item.name: item for item in load_all_passes()}
    assert set(PASS_MODULES) <= set(registered)
    for name, module in PASS_MODULES.items():
        assert registered[name].run.__module__ == f"tilec.passes.{module}"


def test_passes_of_mlir_say_what_they_do_at_their_place():
    for stage in STAGES:
        for step in stage.steps:
            assert bool(step.module) != step.purpose.endswith("."), step


@pytest.mark.parametrize("name", PASS_MODULES)
def test_the_lit_test_of_a_pass_runs_it(name):
    """A lit file is called like its pass; a conversion may have a folder with one per family."""
    target = ROOT / lit_test(name)
    files = sorted(target.glob("*.mlir")) if target.is_dir() else [target]
    assert files
    for lit_file in files:
        assert re.search(rf"RUN:.*{name}", lit_file.read_text()), lit_file


def headings(text: str) -> set[str]:
    """Return the anchors of a page, as GitHub makes them."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_pictures_exist(path):
    for target in re.findall(r"!\[[^\]]*\]\(([^)\s]+)\)", _CODE.sub("", path.read_text())):
        assert (path.parent / target).is_file(), target


def test_every_picture_is_shown():
    shown = "".join(path.read_text() for path in PAGES)
    for picture in (DOCS / "pictures").iterdir():
        assert re.search(rf"!\[[^\]]+\]\((docs/)?pictures/{picture.name}\)", shown), picture


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_resolve(path):
    for target in _LINK.findall(_CODE.sub("", path.read_text())):
        if target.startswith(("https://", "http://")):
            continue
        name, _, anchor = target.partition("#")
        linked = (path.parent / name).resolve() if name else path
        assert linked.exists(), target
        assert not anchor or anchor in headings(linked.read_text()), target


def test_every_example_is_listed_once():
    listed = [name for names in GROUPS.values() for name in names]
    there = sorted(path.stem for path in EXAMPLES.glob("*.tile"))
    assert sorted(listed) == there, "add the example to GROUPS in tools/docs/examples.py"


GENERATED = ("passes.md", "diagnostics.md")
REPLACED = re.compile(r"\b(unasked|in turns?|behind|beside|walk(?!-through)(s|ed|ing)?)\b", re.I)
"""Words that the glossary replaces: by default, ping-pong or interleaved, after, next to, order."""


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_pages_use_the_words_of_the_glossary(path):
    if path.name not in GENERATED:
        prose = _CODE.sub("", path.read_text())
        assert [match[0] for match in REPLACED.finditer(prose)] == []


def imported_layers(folder: Path, layers: set[str]) -> set[str]:
    found = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = []
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            found |= {name.split(".")[1] for name in names if name.startswith("tilec.")}
    return found & layers


EVERYWHERE = {"support", "request"}
"""Folders that the table leaves out: all may import them."""


def test_layer_table_lists_the_imports():
    rows = re.findall(r"^\| `([\w/]+)` \| .+ \| ([^|]+) \|$", page("architecture.md"), re.MULTILINE)
    table = {
        name.removeprefix("tilec/"): set(allowed.replace("-", "").replace(",", " ").split())
        for name, allowed in rows
        if (ROOT / name).is_dir()
    }
    folders = {item.parent.name for item in (ROOT / "tilec").glob("*/__init__.py")}
    assert set(table) == folders
    for name, allowed in table.items():
        folder = (ROOT / "tilec" / name).resolve()
        assert imported_layers(folder, set(table)) - {name} - EVERYWHERE == allowed, name


@pytest.fixture(scope="module")
def dump(tmp_path_factory) -> Path:
    """The dumps of the example that docs/architecture.md follows."""
    folder = tmp_path_factory.mktemp("dump")
    source = ROOT / "examples" / "tma_load_walkthrough.tile"
    command = [sys.executable, "-m", "tilec", "compile", str(source), "--no-ptxas"]
    subprocess.run(
        [*command, "--dump-ir", str(folder), "-o", str(folder / "out")], cwd=ROOT, check=True
    )
    return folder


def normal(line: str) -> str:
    """Return `line` without indentation and SSA numbers, which change with every pass."""
    return re.sub(r"%\w+(:\d+|#\d+)?", "%", " ".join(line.split()))


@cache
def excerpts() -> list[tuple[str, tuple[str, ...]]]:
    found = re.findall(
        r"^<!-- dump: ([\w-]+) -->\n```\w+\n(.*?)^```$",
        page("architecture.md"),
        re.MULTILINE | re.DOTALL,
    )
    assert found
    return [(name, tuple(body.splitlines())) for name, body in found]


@pytest.mark.parametrize(("name", "lines"), excerpts(), ids=[name for name, _ in excerpts()])
def test_excerpts_are_in_the_dumps(name, lines, dump):
    (path,) = [*dump.glob(f"*-{name}.mlir"), *dump.glob(f"*.{name}")]
    rest = [normal(line) for line in path.read_text().splitlines()]
    for line in lines:
        parts = [re.escape(normal(part)) for part in line.split("...")]
        wanted = re.compile(r".*".join(parts))
        position = next((at for at, text in enumerate(rest) if wanted.fullmatch(text)), None)
        assert position is not None, f"not in {path.name}, or not in this order: {line}"
        rest = rest[position + 1 :]


def test_messages_of_the_protocol_check_exist():
    sources = "".join(
        path.read_text()
        for path in (
            *(ROOT / "passes/analysis/protocol").glob("*.py"),
            ROOT / "passes/transforms/nv_tileas/verify/verify_async_protocol.py",
        )
    )
    section = page("debugging.md").partition("## The protocol check")[2].partition("\n## ")[0]
    messages = re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)
    assert len(messages) > 10
    for message in messages:
        fixed = "deadlock: " if message.startswith("deadlock") else message
        assert fixed in sources, message


def test_glossary_is_in_alphabetical_order():
    words = re.findall(r"^- \*\*(.+?)\*\*: .", page("glossary.md"), re.MULTILINE)
    assert {"tile", "block", "CTA", "ring", "slot", "stage", "plan", "role"} <= set(words)
    assert words == sorted(set(words), key=str.lower)


def test_notes_of_measurements_have_their_date_in_name_and_title():
    notes = sorted((DOCS / "measurements").iterdir())
    assert notes
    for path in notes:
        named = re.fullmatch(r"(\d{4}-\d\d-\d\d)-[a-z0-9-]+\.md", path.name)
        assert named is not None, path.name
        title = path.read_text().splitlines()[0]
        assert title.startswith("# "), path.name
        assert title.endswith(named[1]), path.name
