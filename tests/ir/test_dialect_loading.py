"""Dialects are loaded by the text of their definitions, which says what the bindings would say."""

from typing import Any

import pytest

from tilec.dialects import DIALECTS
from tilec.ir.bindings import ir
from tilec.ir.context import make_context
from tilec.ir.dialect_loading import definition


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_the_text_defines_what_the_bindings_define(dialect: Any):
    parts = (dialect.types, dialect.attributes, dialect.operations)
    with make_context():
        made = ir.Module.parse(definition(dialect.name, *map(tuple, parts)))
        assert sorted(_lines(made)) == sorted(_lines(dialect._emit_module()))


def _lines(module: Any) -> list[str]:
    """Return what each operation of a module is, with its attributes, and where it stands."""
    found = []

    def visit(op: Any) -> Any:
        around = op.parent.attributes if op.parent is not None else {}
        place = around["sym_name"].value if "sym_name" in around else ""
        kinds = [value.owner.name for value in op.operands]
        fields = [str(item) for item in op.attributes.values()]
        found.append(f"{place} {op.name} {fields} {kinds}")
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found


def test_other_constraints_are_refused():
    class Field:
        name, constraint = "width", int

    class Kind:
        _name, _fields = "kind", [Field]

    with pytest.raises(TypeError, match="unsupported constraint"):
        definition("kinds", (Kind,), (), ())
