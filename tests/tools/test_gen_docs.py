"""The generated pages are current, and say what the code says."""

import re
import subprocess
import sys

import pytest

from tilec.frontend.semantics.builtins.table import BUILTINS
from tilec.plan.overrides import PLAN_FIELDS
from tilec.request.specialization import ANY_TILE_EXTENTS
from tilec.request.stages import STAGES
from tools import gen_docs
from tools.docs import language, passes
from tools.docs.docstring import parse
from tools.docs.generated import ROOT, Generated, RegionError, replace_region

STEPS = [step for stage in STAGES for step in stage.steps if step.module]


@pytest.mark.parametrize("item", gen_docs.GENERATED, ids=lambda item: item.name)
def test_generated_text_is_current(item):
    assert item.is_current(), "run tools/gen_docs.py"


def test_the_script_runs_from_another_folder(tmp_path):
    script = ROOT / "tools" / "gen_docs.py"
    command = [sys.executable, str(script), "--check"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_check_names_an_old_file_and_a_run_writes_it(tmp_path, monkeypatch, capsys):
    page = tmp_path / "pages" / "page.md"
    monkeypatch.setattr(gen_docs, "GENERATED", (Generated(str(page), lambda: "new\n"),))
    monkeypatch.setattr(sys, "argv", ["gen_docs.py", "--check"])
    assert gen_docs.main() == 1
    assert "page.md is out of date: run tools/gen_docs.py" in capsys.readouterr().err
    assert not page.exists()
    monkeypatch.setattr(sys, "argv", ["gen_docs.py"])
    assert gen_docs.main() == 0
    assert page.read_text() == "new\n"


def test_a_region_keeps_the_prose_around_it(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("above\n<!-- generated: t -->\nold\n<!-- end -->\nbelow\n")
    item = Generated(str(page), lambda: "a \\1 row\n", region="t")
    assert not item.is_current()
    item.write()
    text = "above\n<!-- generated: t -->\na \\1 row\n<!-- end -->\nbelow\n"
    assert page.read_text() == text
    assert item.is_current()
    for wrong in ("no markers", text * 2, text.replace("<!-- end -->", "")):
        with pytest.raises(RegionError, match="once"):
            replace_region(wrong, "t", "row")


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_a_pass_has_an_example_or_changes_nothing(step):
    text = passes.pass_text(step)
    first = text.blocks[0]
    assert first.startswith(("```text\nBefore: ", "Changes nothing.")), first
    if first.startswith("```"):
        assert "\nAfter: " in first


def test_the_options_of_the_passes_are_plan_fields_and_flags():
    options = {step.name: set(passes.pass_text(step).options) for step in STEPS}
    flags = "".join(path.read_text() for path in (ROOT / "tilec" / "cli").glob("*.py"))
    assert options.pop("nv-tileas-plan-kernel") == {"any plan field"}
    named = set().union(*options.values())
    assert {name for name in named if name.startswith("--")} == {"--debug-waits"}
    assert '"--debug-waits"' in flags
    followed_by_the_planner_alone = {ANY_TILE_EXTENTS, "share_tiles", "fill_gpu"}
    assert {name for name in named if not name.startswith("--")} == (
        set(PLAN_FIELDS) - followed_by_the_planner_alone
    )


def test_docstrings_of_another_form_are_refused():
    with pytest.raises(ValueError, match="one line that ends with a full stop"):
        parse("Two\nlines.")
    with pytest.raises(ValueError, match="full stop"):
        parse("No full stop\n\nText.")
    with pytest.raises(ValueError, match="'name: text'"):
        parse("Sum.\n\nOptions:\n    nonsense")


def test_a_docstring_in_parts():
    text = parse(
        """Sum.

        Before:  a
        After:   b

        Some words:

            code
              more

        Options:
            one: First
                line.
            --two: Second.
        """
    )
    assert text.summary == "Sum."
    assert text.blocks == (
        "```text\nBefore:  a\nAfter:   b\n```",
        "Some words:",
        "```text\ncode\n  more\n```",
    )
    assert text.options == {"one": "First line.", "--two": "Second."}


def test_names_in_code_become_links():
    own = "cse"
    text = "`cse` `nv-tileas-slice-tiles` `tilec/plan/split.py` `tilec/no.py` `scf`"
    assert passes.linked(text, own) == (
        "`cse` [`nv-tileas-slice-tiles`](#nv-tileas-slice-tiles)"
        " [tilec/plan/split.py](../tilec/plan/split.py) `tilec/no.py` `scf`"
    )
    block = "```text\n`nv-tileas-slice-tiles`\n```"
    assert passes.linked(block, own) == block
    assert passes.linked("`docs/debugging.md#mutants`", own) == (
        "[debugging.md](debugging.md#mutants)"
    )


def test_a_pass_without_a_lit_test_is_refused():
    with pytest.raises(LookupError, match="pass nothing has 0 lit tests"):
        passes.lit_test("nothing")


def test_every_builtin_has_a_row():
    rows = re.findall(r"^\| `(\w+)\(", language.builtins(), re.MULTILINE)
    assert sorted(rows) == sorted(BUILTINS)
    assert (
        "| `maximum(a, b, *, propagate_nan=)` | arithmetic | `maxf`, `maxi` |"
        in language.builtins()
    )


def test_every_plan_field_has_a_row():
    rows = re.findall(r"^\| `(\w+)` \|", language.plan_fields(), re.MULTILINE)
    assert tuple(rows) == PLAN_FIELDS
