from collections.abc import Sequence
from typing import Any

from mlir.ir import Block, OpView

class ForOp(OpView):
    def __init__(
        self,
        lower_bound: Any,
        upper_bound: Any,
        step: Any,
        iter_args: Sequence[Any] | None = None,
        *,
        loc: Any = None,
        ip: Any = None,
    ) -> None: ...
    @property
    def body(self) -> Block: ...
    @property
    def induction_variable(self) -> Any: ...
    @property
    def inner_iter_args(self) -> Any: ...

class IfOp(OpView):
    def __init__(
        self,
        cond: Any,
        results_: Sequence[Any] | None = None,
        *,
        has_else: bool = False,
        loc: Any = None,
        ip: Any = None,
    ) -> None: ...
    @property
    def then_block(self) -> Block: ...
    @property
    def else_block(self) -> Block: ...

class WhileOp(OpView):
    def __init__(
        self, results_: Sequence[Any], inits: Sequence[Any], *, loc: Any = None, ip: Any = None
    ) -> None: ...

class ConditionOp(OpView):
    def __init__(
        self, condition: Any, args: Sequence[Any], *, loc: Any = None, ip: Any = None
    ) -> None: ...

class YieldOp(OpView):
    def __init__(self, results_: Sequence[Any], *, loc: Any = None, ip: Any = None) -> None: ...
