"""Which kernel of a file is meant: one rule and one message for everything that takes a name."""

from collections.abc import Iterable, Sequence

from tilec.support.diagnostics import CompileError, SourceFile, SourceSpan, error
from tilec.support.suggest import did_you_mean

CODE = "T0006"


def select_kernel(
    names: Iterable[str],
    wanted: str | None,
    holder: str,
    span: SourceSpan | None = None,
    sources: Sequence[SourceFile] = (),
) -> str:
    """Return the name of the kernel to take: `wanted`, or the only one.

    Args:
        names: The kernels that there are, in source order.
        wanted: The name that was asked for, or None.
        holder: What defines them, for the message: usually the name of the file.
        span: Where the first of them is defined.
        sources: Files to quote from.

    Raises:
        CompileError: T0006: there is no such kernel, or none was named and there are several.
    """
    known = list(names)
    if wanted is None and len(known) == 1:
        return known[0]
    if wanted is not None and wanted in known:
        return wanted
    listed = ", ".join(known) or "none"
    if wanted is None:
        message = f"{holder} defines {len(known)} kernels, and none was chosen"
        hint = f"choose one with --kernel: {listed}"
    else:
        meant = did_you_mean(str(wanted), known)
        message = f"{holder} defines no kernel called '{wanted}'"
        hint = f"{meant or ''} it defines: {listed}".strip()
    raise CompileError(error(CODE, message, span, hint=hint), sources)
