"""Runs risky work of LLVM in a process of its own, because LLVM ends the process when it fails.

The child is this module run by the same Python. It reads one JSON request from standard input and
answers with one JSON object on standard output.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping

from tilec.diagnostics import CompileError, TileError, error
from tilec.records import dataclass
from tilec.transient import run_child

_TIMEOUT_SECONDS = 120.0
_NOISE = ("PLEASE submit", "Stack dump", "#")
"""Starts of lines that LLVM prints around the one that says what is wrong."""


@dataclass(frozen=True, slots=True)
class IsolatedResult:
    """How the child ended: the text it made, or None and what it said."""

    text: str | None
    message: str


def run_isolated(task: str, arguments: Mapping[str, str]) -> IsolatedResult:
    """Run `task` in a child process.

    Args:
        task: A key of the tasks of this module.
        arguments: Passed to the task.

    Raises:
        CompileError: No child could be started, it did not end in time, or the task itself
            reported an error.
    """
    request = json.dumps({"task": task, "path": sys.path, **arguments})
    try:
        done = run_child(
            [sys.executable, "-c", "from tilec.codegen.isolation import main; main()"],
            request=request.encode(),
            timeout=_TIMEOUT_SECONDS,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as failure:
        message = f"the LLVM IR needs a process of its own, which failed: {failure}"
        raise CompileError(error("T0604", message)) from failure
    if done.returncode != 0:
        return IsolatedResult(None, _reason(done.stderr.decode(errors="replace")))
    answer = json.loads(done.stdout)
    if "error" in answer:
        raise CompileError(error(answer["code"], answer["error"]))
    return IsolatedResult(answer["text"], "")


def _reason(messages: str) -> str:
    lines = [line.strip() for line in messages.splitlines()]
    telling = [line for line in lines if line and not line.startswith(_NOISE)]
    return telling[0].removeprefix("LLVM ERROR: ") if telling else ""


def _emit_ptx(request: Mapping[str, str]) -> str:
    from tilec.codegen.ptx import emit_here
    from tilec.target import get_target

    return emit_here(request["text"], get_target(request["target"]))


_TASKS: dict[str, Callable[[Mapping[str, str]], str]] = {"emit-ptx": _emit_ptx}


def main() -> None:
    """Serve the request on standard input (the child's side)."""
    request = json.loads(sys.stdin.read())
    sys.path[:] = request["path"]
    try:
        answer = {"text": _TASKS[request["task"]](request)}
    except TileError as failure:
        first = failure.diagnostics[0]
        answer = {"code": first.code, "error": first.message}
    sys.stdout.write(json.dumps(answer))
