"""Runs Python command lines in forks of a process that has imported tilec already.

A lit test, or a page of the documentation, starts 2 to 20 short Python processes, which spend most
of their time on imports. Here each is a fork of this process: it has the folder, the environment
and the streams of its client, and shares nothing else with the others. The server ends with the
process that started it, and ends a command whose client has gone.
"""

import ast
import contextlib
import gc
import importlib
import os
import pkgutil
import runpy
import selectors
import signal
import socket
import sys
import traceback
from pathlib import Path
from typing import NoReturn

_EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "matmul.tile"
_REQUEST_BYTES = 1 << 20
_STREAMS = 3


def _warm_up() -> None:
    """Import tilec and FileCheck, and compile a kernel: the first one takes twice as long.

    What fails here fails again in the tests, which say so.
    """
    with contextlib.suppress(Exception):
        package = importlib.import_module("tilec")
        for item in pkgutil.walk_packages(package.__path__, "tilec."):
            if not item.name.endswith("__main__"):
                importlib.import_module(item.name)
        importlib.import_module("filecheck.main")
        driver = importlib.import_module("tilec.compiler.driver")
        sources = importlib.import_module("tilec.support.sources")
        driver.compile_source(sources.read_source_file(str(_EXAMPLE)))


def _serve(listener: socket.socket) -> None:
    """Run the commands of all clients, until standard input ends."""
    selector = selectors.DefaultSelector()
    selector.register(sys.stdin, selectors.EVENT_READ)
    selector.register(listener, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            if key.fileobj is sys.stdin:
                return
            if key.fileobj is listener:
                client, _ = listener.accept()
                child = _start(client)
                process = os.pidfd_open(child)
                selector.register(process, selectors.EVENT_READ, (child, client))
                selector.register(client, selectors.EVENT_READ, child)
            elif isinstance(key.fileobj, socket.socket):
                selector.unregister(key.fileobj)
                os.kill(key.data, signal.SIGKILL)
            else:
                child, client = key.data
                selector.unregister(key.fileobj)
                os.close(key.fd)
                _reply(child, client)
                with contextlib.suppress(KeyError):
                    selector.unregister(client)
                client.close()


def _start(client: socket.socket) -> int:
    """Start what a client asks for and return the process."""
    request, streams, _, _ = socket.recv_fds(client, _REQUEST_BYTES, _STREAMS)
    child = os.fork()
    if child == 0:
        folder, environment, words = ast.literal_eval(request.decode())
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        # Those of this process know what it could do with other files. A command may replace the
        # new ones, and what C++ prints still has to go there.
        sys.stdin = os.fdopen(0, closefd=False)
        sys.stdout = os.fdopen(1, "w", closefd=False)
        sys.stderr = os.fdopen(2, "w", 1, errors="backslashreplace", closefd=False)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        sys.path[0] = folder
        _run(words)
    for stream in streams:
        os.close(stream)
    return child


def _run(words: list[str]) -> NoReturn:
    """Do what `python WORDS` does, where the first word is `-m` or `-c`."""
    option, what, *rest = words
    sys.argv = [option, *rest]
    status = 0
    try:
        if option == "-m":
            runpy.run_module(what, run_name="__main__", alter_sys=True)
        else:
            exec(what, {"__name__": "__main__"})
    except SystemExit as request:
        status = request.code if isinstance(request.code, int) else int(request.code is not None)
    except BaseException:
        traceback.print_exc()
        status = 1
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status)


def _reply(child: int, client: socket.socket) -> None:
    """Tell a client how its command has ended."""
    _, status = os.waitpid(child, 0)
    with contextlib.suppress(OSError):
        client.send(str(os.waitstatus_to_exitcode(status)).encode())


def main() -> None:
    """Serve the socket whose number is the first argument.

    The second argument is the program that children of a command shall take for Python.
    """
    listener = socket.socket(fileno=int(sys.argv[1]))
    sys.executable = sys.argv[2]
    _warm_up()
    gc.collect()
    gc.freeze()  # a collection in a fork would copy all of this
    _serve(listener)


if __name__ == "__main__":
    main()
