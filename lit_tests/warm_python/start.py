"""Starts the server that runs Python command lines in forks of a process with tilec in it."""

import atexit
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

VARIABLE = "TILEC_WARM_PYTHON"
"""Where the client finds the name of the socket of the server."""
_HERE = Path(__file__).resolve().parent
_ROOT = _HERE.parent.parent


def make_python(folder: Path) -> str:
    """Write a program that stands in for Python, see `client.py`, and return its path."""
    program = folder / "python"
    folder.mkdir(parents=True, exist_ok=True)
    text = f'#!/bin/sh\nexec "{sys.executable}" -I -S "{_HERE / "client.py"}" "$@"\n'
    if not program.exists() or program.read_text() != text:
        program.write_text(text)
        program.chmod(0o755)
    return str(program)


def start_server(python: str) -> str:
    """Start the server, which ends with this process, and return the name of its socket.

    Args:
        python: The program that children of a command shall take for Python.
    """
    folder = tempfile.mkdtemp(prefix="tilec-python-")
    name = str(Path(folder) / "socket")
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(name)
        listener.listen(128)
        number = listener.fileno()
        server = subprocess.Popen(
            [sys.executable, _HERE / "server.py", str(number), python],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=[number],
            env={**os.environ, "PYTHONPATH": str(_ROOT)},
        )
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(server.communicate)  # closes its standard input, which ends it
    return name
