"""What is compiled after a plan that takes too many registers."""

from tilec.compiler import replan
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import CompileError, error


def test_nothing_is_given_up_twice(monkeypatch):
    def facts(module, name, default):
        return [{"spread": 16, "persistent": True}] if name == "plan" else []

    monkeypatch.setattr(replan, "_facts", facts)
    failure = CompileError(error("T0608", "a thread spills 4 bytes"))
    given_up, specialization = [], Specialization()
    while (found := replan.next_plan(failure, object(), specialization)) is not None:
        given_up.append(found.specialization.disabled - specialization.disabled)
        specialization = found.specialization
    assert given_up == [{"persistent"}, {"spread"}]
