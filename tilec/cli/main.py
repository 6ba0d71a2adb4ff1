"""The `tilec` command: runs a subcommand and returns its exit code.

Only the module of that subcommand is imported, so `tilec --help` never loads MLIR.
"""

import argparse
import contextlib
import gc
import importlib
import os
import re
import shlex
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import NoReturn

import tilec.ir
from tilec.support.diagnostics import InternalCompilerError, TileError
from tilec.support.environment import shows_tracebacks
from tilec.support.suggest import did_you_mean
from tilec.version import __version__

EXIT_OK = 0
EXIT_DIAGNOSTICS = 1
EXIT_USAGE = 2
EXIT_INTERNAL = 70
"""EX_SOFTWARE of sysexits.h."""

_COMMANDS = {
    "compile": (
        "tilec.cli.compile_command",
        "compile a .tile or Python file to PTX, or to any stage",
    ),
    "run": (
        "tilec.cli.run_command",
        "run a kernel on the GPU or the CPU, on arrays from files or random ones",
    ),
    "opt": ("tilec.cli.opt_command", "run passes on IR in text form"),
    "passes": ("tilec.cli.list_commands", "list the stages and passes"),
    "targets": ("tilec.cli.list_commands", "list the GPU architectures"),
    "doctor": ("tilec.cli.doctor_command", "say what is installed and what is missing"),
}


class UsageError(Exception):
    """The command line is wrong in a way that argparse cannot check."""


_COLLECTION_THRESHOLDS = (200_000, 50, 100)
"""Most objects of a command live until it ends, so frequent garbage collection only costs time."""

_SWITCH_SECONDS = 0.0002
"""How long code generation waits for Python each time that LLVM returns, while checks run."""


def command() -> NoReturn:
    """Run the command line and end the process.

    The process ends without the clean-up of the interpreter. The clean-up takes about 0.1 s after a
    compilation and is not needed: results are on disk and the streams are flushed. A signal ends
    the process earlier (`tilec.cli.start`).
    """
    gc.set_threshold(*_COLLECTION_THRESHOLDS)
    sys.setswitchinterval(_SWITCH_SECONDS)
    tilec.ir.hide_numpy = True
    tilec.ir.hide_generated_dialects = True
    try:
        code = main()
    except SystemExit as request:  # argparse
        code = request.code if isinstance(request.code, int) else EXIT_OK
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Args:
        arguments: Words after the program name; by default those of this process.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = _dispatch(words)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has closed the pipe. The last flush of the interpreter needs another target.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return code


def _dispatch(words: list[str]) -> int:
    options = _parse(words)
    try:
        return options.execute(options)
    except UsageError as failure:
        sys.stderr.write(f"tilec {options.command}: error: {failure}\n")
        return EXIT_USAGE
    except TileError as failure:
        sys.stderr.write(f"{failure}\n")
        return EXIT_DIAGNOSTICS
    except InternalCompilerError as failure:
        _report_internal_error(failure)
        return EXIT_INTERNAL
    except (KeyboardInterrupt, BrokenPipeError):
        raise
    except Exception as failure:
        message = f"{type(failure).__name__}: {failure}"
        internal = InternalCompilerError(message, pass_name=f"tilec {options.command}")
        internal.__cause__ = failure
        _report_internal_error(internal)
        return EXIT_INTERNAL


def _report_internal_error(failure: InternalCompilerError) -> None:
    place = f" in {failure.pass_name}" if failure.pass_name else ""
    op = f" at '{failure.op}'" if failure.op else ""
    lines = [f"tilec: internal error[T0599]{place}{op}: {failure}"]
    lines.extend(f"  note: {item}" for item in getattr(failure, "__notes__", ()))
    lines.append("  this is a bug in tilec; TILEC_TRACEBACK=1 shows where it happened")
    if shows_tracebacks():
        traceback.print_exception(failure)
    sys.stderr.write("\n".join(lines) + "\n")


def _parse(words: list[str]) -> argparse.Namespace:
    """Parse the command line; end the process with what was probably meant where it is wrong."""
    name = next((word for word in words if not word.startswith("-")), None)
    parser, subparser = _make_parsers(name)
    if name is not None and subparser is None:
        parser.error(f"there is no command '{name}'; {_meant_command(words, name)}")
    options, unknown = parser.parse_known_args(words)
    if unknown:
        told = subparser or parser
        known = re.findall(r"--[a-z-]+", told.format_usage())
        hint = did_you_mean(unknown[0].partition("=")[0], known)
        told.error(f"unrecognized arguments: {' '.join(unknown)}{f'; {hint}' if hint else ''}")
    return options


def _meant_command(words: list[str], name: str) -> str:
    if name.endswith((".tile", ".py")):
        return f"did you mean 'tilec compile {shlex.join(words)}'?"
    return did_you_mean(name, _COMMANDS) or f"commands: {', '.join(_COMMANDS)}"


def _make_parsers(
    chosen: str | None,
) -> tuple[argparse.ArgumentParser, argparse.ArgumentParser | None]:
    """Return the parser of all commands, and that of the command `chosen` if there is one."""
    parser = argparse.ArgumentParser(
        prog="tilec",
        description="Compiles tile-level kernels to PTX for NVIDIA GPUs.",
        epilog="exit codes: 0 fine, 1 diagnostics, 2 usage, 70 internal error",
    )
    parser.add_argument("--version", action="version", version=f"tilec {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    found = None
    for name, (module, summary) in _COMMANDS.items():
        sub = commands.add_parser(
            name, help=summary, description=f"{summary[0].upper()}{summary[1:]}."
        )
        if name == chosen:
            configure: Callable[[argparse.ArgumentParser], None]
            configure = importlib.import_module(module).configure
            configure(sub)
            found = sub
    return parser, found
