"""The declared fields of a plan against what is accepted."""

import pytest

from tilec.plan.fields import FIELDS
from tilec.plan.overrides import PLAN_FIELDS, parse_overrides
from tilec.support.diagnostics import CompileError


def test_every_field_is_declared_with_default_and_meaning():
    assert tuple(FIELDS) == PLAN_FIELDS
    for name, field in FIELDS.items():
        assert field.name == name
        assert field.default
        assert field.meaning


@pytest.mark.parametrize("name", FIELDS)
def test_the_declared_values_are_those_that_are_accepted(name):
    allowed = FIELDS[name].allowed
    if FIELDS[name].is_flag:
        good, bad = [0, 1, True], [2, -1]
    elif allowed is None:
        good, bad = [(1, 1), (2, 4), 8], [(3, 3), (0, 1), (2, 2, 1)]
    else:
        good = [allowed[0], allowed[-1]]
        bad = [allowed[0] - 1, allowed[-1] + 1, allowed[0] + allowed.step / 2, True]
    for value in good:
        assert getattr(parse_overrides({name: value}), name) is not None
    for value in bad:
        with pytest.raises(CompileError, match=f"expected {FIELDS[name].values}"):
            parse_overrides({name: value})


def test_values_in_words():
    assert FIELDS["stages"].values == "1 to 32"
    assert FIELDS["producer_registers"].values == "24 to 256 in steps of 8"
    assert FIELDS["persistent"].values == "true or false"
    assert FIELDS["cluster"].values == "two extents whose product is at most 8"
