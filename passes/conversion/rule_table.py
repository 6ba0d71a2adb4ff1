"""Conversion rules, by operation class.

A conversion rebuilds a kernel operation by operation. A *rule* takes one operation and the state
of the conversion, builds the replacement at the current insertion point (the location of the
operation is current, too) and returns what each result of the operation became, in order. The
files of a conversion register their rules in one `RuleTable`:

    RULES: RuleTable["Conversion"] = RuleTable()

    @RULES.converts(SplatOp)
    def convert_splat(op: Any, state: Conversion) -> Sequence[Any]: ...
"""

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

State = TypeVar("State")

Rule = Callable[[Any, State], Sequence[Any]]
"""From an operation and the state of the conversion to what the results became."""


class RuleTable(Generic[State]):
    """The rules of one conversion."""

    def __init__(self) -> None:
        """Make a table without rules."""
        self._rules: dict[str, Rule[State]] = {}
        self._dialects: dict[str, Rule[State]] = {}

    def converts(self, *classes: type) -> Callable[[Rule[State]], Rule[State]]:
        """Register the decorated rule for operation classes."""

        def register(rule: Rule[State]) -> Rule[State]:
            for operation in classes:
                self._rules[name_of(operation)] = rule
            return rule

        return register

    def converts_dialects(self, *names: str) -> Callable[[Rule[State]], Rule[State]]:
        """Register the decorated rule for all operations of dialects that have no rule."""

        def register(rule: Rule[State]) -> Rule[State]:
            for name in names:
                self._dialects[name] = rule
            return rule

        return register

    def find(self, op: Any) -> Rule[State] | None:
        """Return the rule for an operation; None when there is none."""
        return self._rules.get(op.name) or self._dialects.get(op.name.partition(".")[0])


def name_of(operation: Any) -> str:
    """Return the name of an operation class, for example `arith.addf`."""
    return operation.OPERATION_NAME
