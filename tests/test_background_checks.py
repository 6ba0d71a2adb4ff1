"""Checks that overlap code generation have run when the `with` ends, and fail it."""

import threading

import pytest

from tilec.compiler.background_checks import BackgroundChecks
from tilec.compiler.compilation import Stopwatch, format_timings
from tilec.support.diagnostics import InternalCompilerError


def test_checks_overlap_the_body():
    entered, checked = threading.Event(), threading.Event()

    def check():
        assert entered.wait(10)
        checked.set()

    watch = Stopwatch()
    with BackgroundChecks([check], watch) as checks:
        checks.start()
        entered.set()
        assert checked.wait(10)
    (timing,) = watch.timings
    assert timing.overlapped
    assert format_timings(watch.timings).splitlines()[-1].split() == ["total", "0.0"]


def test_checks_that_nobody_started_run_at_the_end():
    runs = []
    with BackgroundChecks([lambda: runs.append(1), lambda: runs.append(2)], Stopwatch()):
        assert not runs
    assert runs == [1, 2]


def _run(check, body):
    checks = [] if check is None else [check]
    with BackgroundChecks(checks, Stopwatch()) as running:
        running.start()
        body()


def _fail_in_check():
    raise InternalCompilerError("found", pass_name="p")


def _fail_in_body():
    raise ValueError("what follows from it")


@pytest.mark.parametrize("body", [lambda: None, _fail_in_body])
def test_a_check_that_fails_goes_before_the_body(body):
    with pytest.raises(InternalCompilerError, match="found"):
        _run(_fail_in_check, body)


@pytest.mark.parametrize("check", [None, lambda: None])
def test_the_body_fails_as_it_does_without_checks(check):
    with pytest.raises(ValueError, match="what follows"):
        _run(check, _fail_in_body)
