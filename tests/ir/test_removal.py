"""Operations that are still read cannot be removed."""

import pytest

from tilec.ir.bindings import ir
from tilec.ir.removal import erase, is_used
from tilec.support.diagnostics import InternalCompilerError

TEXT = """
%a = arith.constant 1 : i32
%b = arith.addi %a, %a : i32
"""


def test_only_what_nobody_reads_is_removed():
    with ir.Context():
        module = ir.Module.parse(TEXT)
        constant, sum_ = (op.operation for op in module.body.operations)
        assert is_used(constant)
        assert not is_used(sum_)
        with pytest.raises(InternalCompilerError, match="still read") as raised:
            erase(constant)
        assert raised.value.op == "arith.constant"
        erase(sum_)
        erase(constant)
        assert not list(module.body.operations)
