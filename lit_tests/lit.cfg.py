"""Configuration of the lit suite: `python -m lit lit_tests`."""
# pyright: reportUndefinedVariable=false

import atexit
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import lit.formats

_HERE = Path(__file__).resolve().parent
_ROOT = _HERE.parent
_SECONDS_PER_TEST = 120

config.name = "tilec"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".tile", ".test"]
config.excludes = ["Output", "inputs"]
config.test_source_root = str(_HERE)
config.test_exec_root = os.environ.get("LIT_EXEC_ROOT", str(_ROOT / "build" / "lit"))
config.maxIndividualTestTime = _SECONDS_PER_TEST


def _make_python() -> str:
    """Write a program that stands in for Python: see `warm_python/client.py`."""
    program = Path(config.test_exec_root) / "python"
    program.parent.mkdir(parents=True, exist_ok=True)
    client = _HERE / "warm_python" / "client.py"
    text = f'#!/bin/sh\nexec "{sys.executable}" -I -S "{client}" "$@"\n'
    if not program.exists() or program.read_text() != text:
        program.write_text(text)
        program.chmod(0o755)
    return str(program)


def _start_server(python: str) -> str:
    """Start the server that runs the tools, and return the name of its socket."""
    folder = tempfile.mkdtemp(prefix="tilec-lit-")
    name = str(Path(folder) / "socket")
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(name)
        listener.listen(128)
        number = listener.fileno()
        server = subprocess.Popen(
            [sys.executable, _HERE / "warm_python" / "server.py", str(number), python],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=[number],
            env={**os.environ, "PYTHONPATH": str(_ROOT)},
        )
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(server.communicate)  # closes its standard input, which ends it
    return name


_PYTHON = _make_python()
# lit's own `diff` and `cat` change PYTHONPATH for the commands after them, so it is set each time.
_TILEC = f"env PYTHONPATH={_ROOT} {_PYTHON} -m tilec"
config.substitutions.extend(
    [
        (r"(?<![-_./\w])tilec(?![-_./\w])", _TILEC),
        (r"(?<![-_./\w])FileCheck(?![-_./\w])", f"{_PYTHON} -m filecheck"),
        (r"%examples", str(_ROOT / "examples")),
        (r"%python", _PYTHON),
    ]
)

config.environment["TILEC_WARM_PYTHON"] = _start_server(_PYTHON)
config.environment["PYTHONPATH"] = str(_ROOT)
config.environment["TILEC_CACHE"] = "0"  # what is tested is the compiler, not what it made before
for _name in ("HOME", "XDG_CACHE_HOME", "TILEC_CACHE_DIR", "TMPDIR"):
    if _name in os.environ:
        config.environment[_name] = os.environ[_name]


def _has_ptxas() -> bool:
    site = next((Path(item) for item in sys.path if item.endswith("site-packages")), None)
    bundled = site is not None and any(site.glob("nvidia/*/bin/ptxas"))
    return bundled or shutil.which("ptxas") is not None


if _has_ptxas():
    config.available_features.add("ptxas")
