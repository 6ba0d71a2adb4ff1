"""Checks that run in parallel with code generation.

A check changes nothing, so all that matters is that it has passed before anybody gets to see what
was compiled. LLVM and ptxas take a second core for several times as long as the checks, and Python
has nothing else to do meanwhile.
"""

import contextlib
import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from tilec.compiler.compilation import Stopwatch
from tilec.support import compiler_threads


class BackgroundChecks:
    """Has run its checks when a `with` ends; the first one that fails fails the `with`.

    What a check finds goes before any failure of the body, which works with what was to be checked.
    """

    def __init__(self, checks: Sequence[Callable[[], None]], watch: Stopwatch) -> None:
        """Take the checks, and where to write down the time that they take."""
        self._checks = checks
        self._watch = watch
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="tilec checks")

    def start(self) -> None:
        """Start the checks, in the body of the `with`."""
        if self._checks and self._thread.ident is None:
            with contextlib.suppress(RuntimeError):  # no thread is to be had: they run at the end
                self._thread.start()

    def __enter__(self) -> Self:
        """Start nothing yet."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        failure: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Wait for the checks.

        Raises:
            InternalCompilerError: A check failed.
        """
        if not self._checks or not (failure is None or isinstance(failure, Exception)):
            return  # nobody waits for the result, so nothing depends on the checks
        self.start()
        if self._thread.ident is None:
            self._run()
        else:
            self._thread.join()
        if self._failure is not None:
            raise self._failure from None

    def _run(self) -> None:
        try:
            with self._watch.step("checks", "overlapped with code generation", overlapped=True):
                for check in self._checks:
                    with compiler_threads.LOCK.held:
                        check()
        except BaseException as failure:  # raised where the checks were asked for
            self._failure = failure
