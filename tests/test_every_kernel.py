"""Every kernel of the examples and of the tests, compiled once, with all that holds for each.

The checks of placement, of the async protocol and of the final dialects find nothing. ptxas gives
no warning and spills nothing. Examples compile soon and multiply on the tensor cores. For the
first kernel of each file: a pass that says that it changed nothing has changed nothing, because
the runner does not verify then.
"""

from dataclasses import replace
from time import process_time

import pytest

from tests.support.example_cases import fixed_extents
from tests.support.seeded_faults import ROOT, source_of
from tilec.compiler.driver import compile_source
from tilec.frontend.syntax.parser import find_kernel, kernels, parse_source
from tilec.passes import load_pass, runner
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization

EXAMPLES = sorted((ROOT / "examples").glob("*.tile"))
FILES = (*EXAMPLES, *sorted((ROOT / "tests" / "kernels").glob("*.tile")))
MOST_SECONDS = 2.0
"""Time of the processor, in seconds, that the compiler may take for an example, without ptxas."""
CHECKS = {
    "nv-tileas-verify-placement",
    "nv-tileas-verify-async-protocol",
    "verify-llvm-legality",
}


def named_kernels():
    for path in FILES:
        tree = parse_source(source_of(path))
        for kernel in kernels(tree):
            assert find_kernel(tree, kernel.name).name == kernel.name
            yield pytest.param(path, kernel.name, id=kernel.name)


@pytest.fixture
def unchanged(monkeypatch) -> list[str]:
    """The passes that said that they changed nothing; each is checked."""
    names: list[str] = []

    def load(name):
        found = load_pass(name)
        if found is None:
            return None

        def run(module, context):
            before = str(module)
            changed = found.run(module, context)
            if changed is False:
                assert str(module) == before, name
                names.append(name)
            return changed

        return replace(found, run=run)

    monkeypatch.setattr(runner, "load_pass", load)
    return names


def compile_usual(path, name, **options):
    """Compile a kernel for its usual sizes."""
    wanted = Specialization(constants=fixed_extents(path))
    return compile_source(source_of(path), name, wanted, CompileOptions(**options))


@pytest.mark.parametrize(("path", "name"), list(named_kernels()))
def test_kernel(path, name):
    """The time of ptxas is not counted: it is a process of its own."""
    started = process_time()
    made = compile_usual(path, name)
    seconds = process_time() - started
    assert made.assembly.cubin
    assert made.assembly.warnings == ()
    assert (made.assembly.spill_stores, made.assembly.spill_loads) == (0, 0)
    if path in EXAMPLES:
        assert seconds < MOST_SECONDS
        assert [item for item in made.remarks if item.code == "T0541"] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_passes_that_change_nothing_say_so(path, unchanged):
    first = next(iter(kernels(parse_source(source_of(path)))))
    compile_usual(path, first.name, run_ptxas=False)
    assert set(unchanged) >= CHECKS


@pytest.mark.parametrize(
    ("name", "plan"),
    [
        ("nv-tileas-alternate-tiles", {"pingpong": 1}),
        ("nv-tileas-slice-tiles", {"slice_columns": 32}),
        ("nv-tileas-split-k", {"split_k": 2}),
        ("nv-tileas-attach-workspaces", {"split_k": 2}),
    ],
)
def test_passes_that_a_plan_asks_for_change_something(name, plan, unchanged):
    source = source_of(ROOT / "examples" / "matmul.tile")
    tile = {"BM": 128, "BN": 128, "BK": 64}
    emit = CompileOptions(emit="nv_tileas")
    for fields, expected in (({"mma_pending": 0}, True), (plan, False)):
        unchanged.clear()
        compile_source(source, "matmul", Specialization(constants=tile, plan=fields), emit)
        assert (name in unchanged) is expected
