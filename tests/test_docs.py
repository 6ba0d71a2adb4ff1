"""The docs against the code: pass table, import table, excerpts, commands, links, messages."""

import ast
import importlib.util
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tilec.passes import PASS_MODULES, load_all_passes
from tilec.plan.overrides import PLAN_FIELDS
from tilec.request.stages import STAGES

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.glob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
_CODE = re.compile(r"^( *)```.*?^\1```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
"""Code, in blocks and in lines."""
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_ROW = re.compile(
    r"^\| (\d+) \| (\w+) \| (?:\[`([\w-]+)`\]\(#([\w-]+)\)|`([\w-]+)`) \| (.+) \| (.+) \|$"
)


def page(name: str) -> str:
    return (DOCS / name).read_text()


def pipeline_rows() -> list[tuple[str, str]]:
    return [(stage.name, name) for stage in STAGES for name in stage.passes]


def pass_rows() -> list[re.Match[str]]:
    found = [
        _ROW.match(line) for line in page("passes.md").splitlines() if re.match(r"\| \d", line)
    ]
    assert all(found), "a row of the pass table has another form"
    return [match for match in found if match is not None]


def test_pass_table_follows_the_pipeline():
    rows = pass_rows()
    assert [(row[2], row[3] or row[5]) for row in rows] == pipeline_rows()
    assert [int(row[1]) for row in rows] == list(range(1, len(rows) + 1))
    assert all(row[4] == row[3] for row in rows)


def test_pass_registry_and_pipeline_agree():
    in_pipeline = [name for _, name in pipeline_rows() if name in PASS_MODULES]
    assert in_pipeline == list(PASS_MODULES)
    registered = {item.name: item for item in load_all_passes()}
    assert set(PASS_MODULES) <= set(registered)
    assert all(registered[name].summary.endswith(".") for name in PASS_MODULES)


@pytest.mark.parametrize("row", pass_rows(), ids=lambda row: f"{row[1]}-{row[3] or row[5]}")
def test_every_pass_has_a_section_and_a_lit_file(row):
    """A lit file is called like its pass; a conversion may have a folder with one per family."""
    name = row[3] or row[5]
    if name not in PASS_MODULES:
        assert row[7] == "MLIR"
        return
    assert f"\n### {name}\n" in page("passes.md")
    link = re.match(r"\[lit\]\((.+?)\)", row[7])
    assert link is not None
    target = DOCS / link[1]
    files = sorted(target.glob("*.mlir")) if target.is_dir() else [target]
    assert files
    assert target.is_dir() or target.stem == name
    for lit_file in files:
        assert re.search(rf"RUN:.*{name}", lit_file.read_text()), lit_file


def headings(text: str) -> set[str]:
    """Return the anchors of a page, as GitHub makes them."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_resolve(path):
    for target in _LINK.findall(_CODE.sub("", path.read_text())):
        if target.startswith(("https://", "http://")):
            continue
        name, _, anchor = target.partition("#")
        linked = (path.parent / name).resolve() if name else path
        assert linked.exists(), target
        assert not anchor or anchor in headings(linked.read_text()), target


def test_plan_fields_are_those_of_the_planner():
    section = page("language.md").partition("\n## Plan fields\n")[2].partition("\n## ")[0]
    assert tuple(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == PLAN_FIELDS


def test_diagnostics_page_is_current():
    spec = importlib.util.spec_from_file_location("gen_docs", ROOT / "tools" / "gen_docs.py")
    assert spec is not None
    assert spec.loader is not None
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    assert generator.PAGE.read_text() == generator.render(), "run tools/gen_docs.py"
    assert generator.NOT_YET.read_text() == generator.render_not_yet(), "run tools/gen_docs.py"


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
