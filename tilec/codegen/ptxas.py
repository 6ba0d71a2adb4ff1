"""PTX to cubin with ptxas, and what its messages mean for a kernel.

A kernel that spills registers or whose wgmma instructions are serialised still runs, but slower,
often several times, and ptxas only mentions it. Here that is a diagnostic, which says where.
"""

import re
from collections.abc import Collection, Sequence

from tilec.codegen.ptx_lines import SourceMap
from tilec.codegen.tools import ToolResult, run_tool
from tilec.request.target import Target
from tilec.support.cleanup import temporary_folder
from tilec.support.diagnostics import CompileError, Diagnostic, SourceSpan, error, note
from tilec.support.fast_dataclasses import dataclass, replace

REJECTED_CODES = frozenset(
    ("C7504", "C7508", *(f"C75{number:02}" for number in range(9, 20)), "C7602")
)
"""Notices of lost performance: setmaxnreg ignored (C7504, C7508), wgmma serialised (C7509 to
C7516), a wait or a fence that ptxas put in by itself (C7517, C7518, C7519), one wgmma with more
registers than the kernel starts with (C7602). Seen with ptxas 13.0 and 13.5."""

_MESSAGE = re.compile(
    r"^ptxas(?: +(?P<file>[^,\n]+), line (?P<line>\d+);)? *"
    r"(?P<severity>info|warning|error|fatal) *: *(?:\((?P<code>[CP]\d+)\) *)?(?P<text>.*)$",
    re.MULTILINE,
)
_LINE_IN_TEXT = re.compile(r"\b(?:in|at|around) line (\d+)")
_FUNCTION_IN_TEXT = re.compile(r"\bfunction '([^']+)'")
_ENTRY = re.compile(r"Compiling entry function '([^']+)'")
_STACK = re.compile(
    r"^ +(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", re.MULTILINE
)
_USED = re.compile(r"Used (\d+) registers(?:, used (\d+) barriers)?")
_SHARED = re.compile(r"(\d+) bytes smem")
_STATISTICS = re.compile(
    r"\d+ bytes |Compiling entry function|Function properties for|Used \d+ registers"
    r"|Compile time|Overriding maximum register limit"
)
_ACCEPTED = "--allow-spills, allow_spills=True in Python"
_AGGREGATE = "Ptx assembly aborted due to errors"


@dataclass(frozen=True, slots=True)
class PtxasMessage:
    """One message of ptxas.

    Attributes:
        severity: `info`, `warning`, `error` or `fatal`.
        code: For example `C7510`; empty when the message has none.
        text: What it says.
        line: PTX line that it names, None when it names none.
        span: The source line that it comes from, when the PTX carries `.loc`.
    """

    severity: str
    code: str
    text: str
    line: int | None = None
    span: SourceSpan | None = None


@dataclass(frozen=True, slots=True)
class EntryUsage:
    """What one kernel uses, as ptxas reports it.

    Attributes:
        name: Kernel.
        registers: 32-bit registers a thread (the highest count when setmaxnreg is used).
        barriers: Named barriers.
        stack_bytes: Stack frame of a thread.
        spill_stores: Bytes of registers that a thread writes to the stack.
        spill_loads: Bytes that it reads back.
        shared_bytes: Static shared memory; tilec's kernels use dynamic shared memory only.
    """

    name: str
    registers: int
    barriers: int = 0
    stack_bytes: int = 0
    spill_stores: int = 0
    spill_loads: int = 0
    shared_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Assembly:
    """What ptxas made.

    Attributes:
        cubin: The machine code, an ELF file.
        entries: Usage of every kernel, in PTX order of compilation.
        warnings: Every message beyond the statistics.
        losses: T0608 for each kernel that spills, T0609 for each notice of lost performance.
    """

    cubin: bytes
    entries: tuple[EntryUsage, ...]
    warnings: tuple[PtxasMessage, ...] = ()
    losses: tuple[Diagnostic, ...] = ()

    @property
    def is_serialised(self) -> bool:
        """Whether ptxas reports lost performance besides spills."""
        return any(item.code == "T0609" for item in self.losses)

    @property
    def registers(self) -> int:
        """Registers of the kernel that uses most."""
        return max((entry.registers for entry in self.entries), default=0)

    @property
    def stack_bytes(self) -> int:
        """The largest stack frame."""
        return max((entry.stack_bytes for entry in self.entries), default=0)

    @property
    def spill_stores(self) -> int:
        """Bytes spilled by all kernels together."""
        return sum(entry.spill_stores for entry in self.entries)

    @property
    def spill_loads(self) -> int:
        """Spilled bytes read back by all kernels together."""
        return sum(entry.spill_loads for entry in self.entries)

    @property
    def shared_bytes(self) -> int:
        """The largest static shared memory."""
        return max((entry.shared_bytes for entry in self.entries), default=0)

    def entry(self, name: str) -> EntryUsage | None:
        """Return the usage of kernel `name`, or None when there is no such kernel."""
        return next((entry for entry in self.entries if entry.name == name), None)


def assemble(
    ptx: str,
    target: Target,
    *,
    lineinfo: bool = False,
    allow_spills: bool = False,
    accepted: Collection[str] = (),
) -> Assembly:
    """Assemble PTX.

    Args:
        ptx: PTX text. With `.loc` directives messages name the source line.
        target: Architecture to assemble for.
        lineinfo: Keep the source lines in the cubin, for profilers.
        allow_spills: Return losses of performance instead of raising them.
        accepted: Codes of notices that the schedule counts on, for example `C7517`.

    Returns:
        The cubin, the registers and memory of every kernel, and the remaining messages.

    Raises:
        CompileError: T0606 if ptxas is missing or hangs, T0607 if it rejects the text, T0608 if
            registers spill, T0609 if it reports lost performance.
    """
    source_map = SourceMap(ptx)
    result, cubin = _run(ptx, target, lineinfo)
    messages = parse_messages(result.messages + result.output, source_map)
    if result.code != 0 or not cubin:
        raise CompileError(_rejections(messages, result))
    assembly = Assembly(cubin, parse_usage(result.messages), messages)
    losses = _lost_performance(assembly, source_map, accepted)
    if losses and not allow_spills:
        raise CompileError(losses)
    return replace(assembly, losses=tuple(losses))


def _run(ptx: str, target: Target, lineinfo: bool) -> tuple[ToolResult, bytes]:
    with temporary_folder() as folder:
        source, output = folder / "kernel.ptx", folder / "kernel.cubin"
        source.write_text(ptx, encoding="utf-8")
        arguments = [f"-arch={target.name}", "-v", "-o", str(output), str(source)]
        if lineinfo:
            arguments.insert(0, "-lineinfo")
        result = run_tool("ptxas", arguments).without(f"{folder}/")
        return result, output.read_bytes() if output.exists() else b""


def parse_messages(text: str, source_map: SourceMap) -> tuple[PtxasMessage, ...]:
    """Return the messages in the output of ptxas `-v`, without its statistics.

    Args:
        text: Everything that ptxas printed.
        source_map: Of the PTX, to find source lines.
    """
    found: dict[PtxasMessage, None] = {}
    for match in _MESSAGE.finditer(text):
        severity, body = match["severity"], match["text"].strip()
        if severity == "info" and match["code"] is None and _STATISTICS.match(body):
            continue
        named = _LINE_IN_TEXT.search(body)
        number = match["line"] or (named[1] if named is not None else None)
        line = int(number) if number is not None else None
        span = _locate(line, body, source_map)
        found[PtxasMessage(severity, match["code"] or "", body, line, span)] = None
    return tuple(found)


def _locate(line: int | None, text: str, source_map: SourceMap) -> SourceSpan | None:
    """Return the source position of a message: of its PTX line, else of the kernel it names."""
    span = source_map.span(line) if line is not None else None
    if span is not None:
        return span
    function = _FUNCTION_IN_TEXT.search(text)
    return source_map.entry_span(function[1] if function is not None else None)


def parse_usage(text: str) -> tuple[EntryUsage, ...]:
    """Return the usage of every kernel in the output of ptxas `-v`."""
    usage = []
    _, *sections = _ENTRY.split(text)
    for name, section in zip(sections[::2], sections[1::2], strict=True):
        used, stack, shared = (pattern.search(section) for pattern in (_USED, _STACK, _SHARED))
        registers = int(used[1]) if used is not None else 0
        barriers = int(used[2] or 0) if used is not None else 0
        frame, stores, loads = map(int, stack.groups()) if stack is not None else (0, 0, 0)
        static = int(shared[1]) if shared is not None else 0
        usage.append(EntryUsage(name, registers, barriers, frame, stores, loads, static))
    return tuple(usage)


def _rejections(messages: Sequence[PtxasMessage], result: ToolResult) -> list[Diagnostic]:
    errors = [
        error("T0607", f"ptxas: {_describe(item)}", item.span)
        for item in messages
        if item.severity in ("error", "fatal") and item.text != _AGGREGATE
    ]
    if errors:
        return errors
    said = result.messages.strip() or result.output.strip() or "it printed nothing"
    return [error("T0607", f"ptxas failed with exit code {result.code}: {said}")]


def _describe(message: PtxasMessage) -> str:
    """Return the message with its code, and with the PTX line where that is all there is."""
    code = f"({message.code}) " if message.code else ""
    here = message.line is not None and "line" not in message.text and message.span is None
    return f"{code}{message.text}" + (f" (PTX line {message.line})" if here else "")


def _lost_performance(
    assembly: Assembly, source_map: SourceMap, accepted: Collection[str]
) -> list[Diagnostic]:
    spills = [
        _spill(entry, source_map.entry_span(entry.name))
        for entry in assembly.entries
        if entry.spill_stores or entry.spill_loads
    ]
    hint = f"accept it: {_ACCEPTED}"
    notices = [
        error("T0609", f"ptxas: {_describe(message)}", message.span, hint=hint)
        for message in assembly.warnings
        if message.code in REJECTED_CODES and message.code not in accepted
    ]
    return spills + notices


def _spill(entry: EntryUsage, span: SourceSpan | None) -> Diagnostic:
    message = (
        f"kernel '{entry.name}' needs more than its {entry.registers} registers: a thread spills"
        f" {entry.spill_stores} bytes and loads {entry.spill_loads} back"
    )
    return error(
        "T0608",
        message,
        span,
        hint=f"make the tiles smaller, or accept it: {_ACCEPTED}",
        notes=[note(f"its stack frame has {entry.stack_bytes} bytes", span)],
    )
