"""Drawing: a seed always makes the same program, the frontend takes it, and all is drawn."""

from collections import Counter

from tilec.frontend.syntax.parser import parse_source
from tilec.support.diagnostics import SourceFile
from tools.emulator.fuzz.draw import draw
from tools.emulator.fuzz.elements import ATOMICS
from tools.emulator.fuzz.folds import BUILTINS, FUNCTIONS
from tools.emulator.fuzz.memory import make_memory
from tools.emulator.fuzz.printing import FORMS, describe, source
from tools.emulator.fuzz.program import (
    Access,
    Jump,
    Scatter,
    accesses,
    expressions,
    statements,
    subexpressions,
)
from tools.emulator.fuzz.rules import RULES
from tools.emulator.fuzz.scope import ALL

DRAWN = [draw(seed) for seed in range(500)]


def test_a_seed_always_makes_the_same_program():
    assert describe(draw(5)) == describe(draw(5))
    assert draw(5) == draw(5)
    assert draw(5) != draw(6)


def test_sources_parse():
    for program in DRAWN[:60]:
        parse_source(SourceFile("program.tile", source(program)), {})


def test_every_operation_and_every_type_is_drawn():
    operations, types = Counter(), Counter()
    for program in DRAWN:
        types.update(item.dtype for item in program.arrays)
        for statement in statements(program.body):
            for top in expressions(statement):
                operations.update(item.op for item in subexpressions(top))
    assert set(types) == set(ALL)
    assert set(operations) == set(FORMS) == set(RULES)


def test_every_kind_of_statement_and_access_is_drawn():
    kinds = {type(item).__name__ for program in DRAWN for item in statements(program.body)}
    assert kinds == {"Assign", "Store", "Scatter", "For", "While", "If", "Jump"}
    found = [
        access for program in DRAWN for access, _ in accesses(program) if isinstance(access, Access)
    ]
    assert {access.allow_tma for access in found} == {True, False}
    assert any(access.dim_map for access in found)
    assert any(access.pad is not None for access in found)
    layouts = [item.layout for program in DRAWN for item in program.arrays]
    for field in ("order", "padding", "shift", "repeated", "backwards", "alias"):
        assert any(getattr(layout, field) for layout in layouts), field
    assert any(program.plan for program in DRAWN)


def test_every_reduction_and_every_function_is_drawn():
    drawn = [
        item.value
        for program in DRAWN
        for statement in statements(program.body)
        for top in expressions(statement)
        for item in subexpressions(top)
        if item.op == "fold"
    ]
    assert {item.call for item in drawn} == {*BUILTINS, "reduce", "scan"}
    assert {item.function for item in drawn} == {"", *FUNCTIONS}
    assert {(item.call, item.function) for item in drawn if not item.function} == {
        (call, "") for call in BUILTINS
    }
    assert any(item.keepdims for item in drawn)
    assert any(item.reverse for item in drawn)
    assert any(item.axes is None for item in drawn)
    assert any(item.axes is not None and len(item.axes) > 1 for item in drawn)


def test_every_atomic_operation_and_every_jump_is_drawn():
    found = [item for program in DRAWN for item in statements(program.body)]
    assert {item.atomic for item in found if isinstance(item, Scatter)} == {"", *ATOMICS}
    assert {item.word for item in found if isinstance(item, Jump)} == {
        "break",
        "continue",
        "return",
    }


def test_data_depend_on_the_seed_alone():
    first, second = (make_memory(DRAWN[3]) for _ in range(2))
    for name, block in first.blocks.items():
        assert (block.data.view("u1") == second.blocks[name].data.view("u1")).all()


def test_aliases_share_memory():
    program = next(item for item in DRAWN if any(array.layout.alias for array in item.arrays))
    memory = make_memory(program)
    alias = next(array for array in program.arrays if array.layout.alias)
    assert memory.views[alias.name].block is memory.views[alias.layout.alias].block
    assert memory.copy().views[alias.name].block is not memory.views[alias.name].block
