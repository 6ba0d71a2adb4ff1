"""Every kernel of the examples and of the tests, compiled once, with all that holds for each.

The checks of placement, of the async protocol and of the final dialects find nothing. ptxas gives
no warning, and nothing spills but the kernels of `SPILLS`. Examples compile soon and multiply on
the tensor cores. For the first kernel of each file: a pass that says that it changed nothing has
changed nothing, because the runner does not verify then.
"""

import re
from dataclasses import replace
from functools import cache
from io import BytesIO
from time import process_time

import pytest

from tests.support.example_cases import fixed_extents
from tests.support.seeded_faults import ROOT, source_of
from tests.support.slowness import slowness
from tests.support.stranger_cases import SPILLS
from tilec.compiler.driver import STAMP, compile_kernel, compile_source
from tilec.compiler.program import Program
from tilec.frontend.syntax.parser import find_kernel, kernels
from tilec.passes import load_pass, runner
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization

EXAMPLES = sorted((ROOT / "examples").glob("*.tile"))
FILES = (*EXAMPLES, *sorted((ROOT / "tests" / "kernels").glob("*.tile")))
MOST_SECONDS = 2.0
"""Time of the processor, in seconds, that the compiler may take for an example, without ptxas."""
_KERNEL = re.compile(r"^@kernel.*\n(?:@.*\n)*def (\w+)", re.MULTILINE)
CHECKS = {
    "nv-tileas-verify-placement",
    "nv-tileas-verify-async-protocol",
    "verify-llvm-legality",
}


def named_kernels():
    """Find the kernels by their text: parsing all files would take seconds in each process."""
    for path in FILES:
        for name in _KERNEL.findall(path.read_text()):
            marks = [pytest.mark.spills] if name in SPILLS else []
            yield pytest.param(path, name, id=name, marks=marks)


@cache
def program_of(path) -> Program:
    """Parse a file once; most have tens of kernels."""
    return Program(source_of(path))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_kernel_of_a_file_is_found(path):
    tree = program_of(path).tree
    names = [kernel.name for kernel in kernels(tree)]
    assert names == [param.values[1] for param in named_kernels() if param.values[0] == path]
    assert all(find_kernel(tree, name).name == name for name in names)


class Unchanged:
    """Checks passes that say that they change nothing.

    Attributes:
        names: These passes.
        seconds: Time of the processor that the checks took.
    """

    def __init__(self):
        self.names: list[str] = []
        self.seconds = 0.0
        self._last: list[bytes] = []  # the module, while all passes say it is the same

    def load(self, name):
        """Return a pass that is checked when it runs."""
        found = load_pass(name)
        if found is None:
            self._last.clear()
            return None

        def run(module, context):
            before = self._last.pop() if self._last else self._state_of(module)
            changed = found.run(module, context)
            if changed is False:
                assert self._state_of(module) == before, name
                self.names.append(name)
                self._last.append(before)
            return changed

        return replace(found, run=run)

    def _state_of(self, module) -> bytes:
        """Return the bytecode of a module without its stamp, which the driver sets each time.

        It takes a twentieth of the time of the text.
        """
        started = process_time()
        if STAMP in module.operation.attributes:
            del module.operation.attributes[STAMP]
        stream = BytesIO()
        module.operation.write_bytecode(stream)
        self.seconds += process_time() - started
        return stream.getvalue()


@pytest.fixture
def unchanged(monkeypatch) -> Unchanged:
    """Check the passes that say that they change nothing."""
    found = Unchanged()
    monkeypatch.setattr(runner, "load_pass", found.load)
    return found


@pytest.mark.parametrize(("path", "name"), list(named_kernels()))
def test_kernel(path, name, request):
    """The time of ptxas is not counted: it is a process of its own."""
    is_first = name == _KERNEL.findall(path.read_text())[0]
    unchanged = request.getfixturevalue("unchanged") if is_first else Unchanged()
    started = process_time()
    extents = Specialization(constants=fixed_extents(path))
    made = compile_kernel(program_of(path), name, extents)
    seconds = process_time() - started - unchanged.seconds
    if is_first:
        assert {*unchanged.names} >= CHECKS
    assert made.assembly.cubin
    assert made.assembly.warnings == ()
    spills = made.assembly.spill_stores or made.assembly.spill_loads
    assert bool(spills) == (name in SPILLS)
    if path in EXAMPLES:
        assert seconds < MOST_SECONDS or seconds < MOST_SECONDS * slowness()
        assert [item for item in made.remarks if item.code == "T0541"] == []


@pytest.mark.parametrize(
    ("name", "plan"),
    [
        ("nv-tileas-alternate-tiles", {"pingpong": 1}),
        ("nv-tileas-slice-tiles", {"slice_columns": 32}),
        ("nv-tileas-attach-workspaces", {"split_k": 2}),
    ],
)
def test_passes_that_a_plan_asks_for_change_something(name, plan, unchanged):
    source = source_of(ROOT / "examples" / "matmul.tile")
    tile = {"BM": 128, "BN": 128, "BK": 64}
    emit = CompileOptions(emit="nv_tileas")
    for fields, expected in (({"mma_pending": 0}, True), (plan, False)):
        unchanged.names.clear()
        compile_source(source, "matmul", Specialization(constants=tile, plan=fields), emit)
        assert (name in unchanged.names) is expected
