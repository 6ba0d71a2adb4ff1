"""Blocks that may end without products become tiles of a loop only if CTAs sort them."""

import pytest

from tests.support.stranger_cases import PATH
from tilec.compiler.driver import compile_source
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import SourceFile

EMIT = CompileOptions(emit="nv_tileas", run_ptxas=False)
CONDITION = "if m * BM >= count:"


@pytest.mark.parametrize(
    ("condition", "plan", "persistent", "why"),
    [
        (CONDITION, {}, False, "a block may end early"),
        (CONDITION, {"order_tiles": True}, True, "a CTA takes sorted tiles"),
        (CONDITION, {"persistent": False}, False, "fixed by the user"),
        (CONDITION, {"persistent": True}, True, "fixed by the user"),
        ("if m * BM >= n * BN:", {}, True, "loads of the next tile overlap"),
    ],
    ids=["loaded", "sorted", "refused", "asked for", "known"],
)
def test_only_loaded_numbers_decide_about_the_loop_over_tiles(condition, plan, persistent, why):
    text = PATH.read_text()
    assert CONDITION in text
    source = SourceFile("f.tile", text.replace(CONDITION, condition))
    made = compile_source(source, "masked_groups", Specialization(plan=plan), EMIT)
    (said,) = [str(item) for item in made.remarks if "plan: persistent" in item.message]
    assert f"persistent = {str(persistent).lower()}" in said
    assert why in said
