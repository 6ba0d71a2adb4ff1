"""Fixtures shared by the whole suite."""

import gc
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

# The workers of pytest-xdist take all cores. More threads for each product of NumPy would wait for
# each other actively: the examples took twice the time of the processor.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Most objects of a session live to its end (modules, tests, IR that MLIR keeps), and the default
# looks at all of them every few compilations: 6 to 8 % of the time of the tests that compile.
gc.set_threshold(20_000, 20, 20)

ROOT = Path(__file__).resolve().parent.parent
_SECONDS = 120


def _ptxas_version() -> str:
    """Return the release of ptxas that kernels are assembled with, `13.5, V13.5.37`."""
    from tilec.codegen.tools import run_tool

    (version,) = re.findall(r"release (.*)", run_tool("ptxas", ["--version"]).output)
    return version


def pytest_report_header() -> str:
    """Name the release of ptxas above the results, some of which depend on it."""
    from tilec.codegen.tools import find_tool

    return f"ptxas: {'not installed' if find_tool('ptxas') is None else _ptxas_version()}"


def pytest_sessionfinish() -> None:
    """Collect the garbage of the session once.

    pytest does so five times after this, for objects whose end makes new garbage, and looks at all
    that is alive each time: 2 % of the time of the suite. What is frozen it does not look at.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def ptxas_version() -> str:
    """Return the release of ptxas that kernels are assembled with."""
    return _ptxas_version()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the slow tests first, so that workers end together; skip GPU tests without a GPU."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
    marked = [item for item in items if item.get_closest_marker("gpu") is not None]
    if not marked:
        return
    from tilec.runtime.cuda.current import get_driver
    from tilec.support.diagnostics import DeviceError

    try:
        get_driver()
    except DeviceError as failure:
        skip = pytest.mark.skip(reason=failure.diagnostics[0].message)
        for item in marked:
            item.add_marker(skip)


@pytest.fixture(scope="session", autouse=True)
def session_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep kernels in a folder of this session, which its workers share.

    A session compiles each kernel once, finds none that was compiled before, and leaves the cache
    of the user as it is.
    """
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TILEC_CACHE_DIR", str(shared / "tilec-cache"))
        yield


@pytest.fixture(autouse=True)
def no_spills(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a kernel that spills fail its test, unless it was allowed or is the subject.

    Users get a warning, which tests of results would not notice. Tests whose subject it is have the
    marker `spills`.
    """
    if request.node.get_closest_marker("spills") is None:
        from tilec.compiler.backend import CodeGenerator
        from tilec.support.diagnostics import CompileError

        report = CodeGenerator.report

        def refuse(generator: CodeGenerator, losses: CompileError) -> None:
            if not generator.options.allow_spills:
                raise losses
            report(generator, losses)

        monkeypatch.setattr(CodeGenerator, "report", refuse)


@pytest.fixture(scope="session")
def examples() -> Path:
    """Return the folder of the example kernels."""
    return ROOT / "examples"


@pytest.fixture
def run_tilec(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess]:
    """Return a function that runs the `tilec` command in an empty folder.

    Keyword arguments: `stdin` (text or bytes) and `env` (added to this process's environment).
    The kernel cache is off unless `env` turns it on: what is tested is the compiler.
    """

    def run(*words: object, stdin: str | bytes = b"", env: dict[str, str] | None = None):
        data = stdin.encode() if isinstance(stdin, str) else stdin
        result = subprocess.run(
            [sys.executable, "-m", "tilec", *map(str, words)],
            input=data,
            capture_output=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT), "TILEC_CACHE": "0", **(env or {})},
            timeout=_SECONDS,
            check=False,
        )
        return subprocess.CompletedProcess(
            result.args, result.returncode, result.stdout, result.stderr.decode()
        )

    return run
