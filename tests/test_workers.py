"""Child processes that do tasks side by side: answers, failures, ends."""

import math
import os
import sys
import threading
import time
from types import MappingProxyType

import pytest

from tilec.support import workers as workers_module
from tilec.support.diagnostics import CompileError, InternalCompilerError, error
from tilec.support.workers import Workers, why_not_sent

SECONDS = 60


def number(_=None):
    return os.getpid()


def meet(folder, own, other):
    (folder / own).touch()
    end = time.monotonic() + SECONDS
    while not (folder / other).exists():
        assert time.monotonic() < end
        time.sleep(0.01)
    return os.getpid()


def name_and_values(module, values):
    return module.__name__, dict(values)


def reject():
    raise CompileError(error("T0501", "no"))


def fail():
    raise ZeroDivisionError("x")


def die():
    os.abort()


def hang(path):
    path.write_text(str(os.getpid()))
    time.sleep(SECONDS)


@pytest.fixture
def workers():
    with Workers(1) as made:
        yield made


def result(workers, task, *arguments):
    return workers.submit(lambda apart: apart(task, *arguments)).result(SECONDS)


def test_two_tasks_run_at_the_same_time(tmp_path):
    with Workers(2) as workers:
        names = [("a", "b"), ("b", "a")]
        found = [
            workers.submit(lambda apart, own=own, other=other: apart(meet, tmp_path, own, other))
            for own, other in names
        ]
        assert len({os.getpid(), *(item.result(SECONDS) for item in found)}) == 3


def test_one_process_does_one_task_after_the_other(workers):
    assert result(workers, number) == result(workers, number) != os.getpid()


def test_failures_come_back(workers):
    before = result(workers, number)
    with pytest.raises(CompileError, match="no") as failure:
        result(workers, reject)
    assert failure.value.diagnostics[0].code == "T0501"
    with pytest.raises(InternalCompilerError, match="ZeroDivisionError: x"):
        result(workers, fail)
    assert result(workers, number) == before


def test_a_process_that_died_is_replaced(workers):
    before = result(workers, number)
    with pytest.raises(InternalCompilerError, match="a process that compiles ended: SIGABRT"):
        result(workers, die)
    assert result(workers, number) != before


def test_no_python_for_the_process(workers, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(InternalCompilerError, match="No such file"):
        result(workers, number)


def test_what_is_sent(workers):
    values = MappingProxyType({"a": 1})
    assert result(workers, name_and_values, math, values) == ("math", {"a": 1})
    assert "mappingproxy" in (why_not_sent((values, math, MappingProxyType, None)) or "")
    assert why_not_sent((values, math)) is None
    assert why_not_sent(number) == f"{__name__}.number is not of tilec"


def test_the_end_ends_tasks(tmp_path):
    path = tmp_path / "number"
    with Workers(1) as workers:
        busy = workers.submit(lambda apart: apart(hang, path))
        waiting = workers.submit(lambda apart: apart(hang, path))
        while not path.exists() or not path.read_text():
            time.sleep(0.01)
    assert waiting.cancelled()
    assert isinstance(busy.exception(), InternalCompilerError)
    with pytest.raises(ProcessLookupError):
        os.kill(int(path.read_text()), 0)


def test_a_thread_that_begins_at_the_end_starts_no_process(monkeypatch):
    begun, go_on = threading.Event(), threading.Event()

    class Late(workers_module._Child):
        def __init__(self):
            super().__init__()
            begun.set()
            go_on.wait(SECONDS)

    monkeypatch.setattr(workers_module, "_Child", Late)
    with Workers(1) as workers:
        late = workers.submit(lambda apart: apart(number))
        begun.wait(SECONDS)
        threading.Timer(0.2, go_on.set).start()
    with pytest.raises(InternalCompilerError, match="nobody waits for the result"):
        late.result()
