"""What a broken rule of a kernel becomes: an internal error of the pass that found it."""

from tilec.passes.analysis.protocol.events import Violation
from tilec.support.diagnostics import InternalCompilerError, SourceSpan


def reject(violation: Violation | None, name: str) -> None:
    """Raise an error for a violation, if there is one.

    Args:
        violation: What a check found.
        name: The pass that checks.

    Raises:
        InternalCompilerError: There is a violation. The error names the source line.
    """
    if violation is not None:
        at = f"{violation.where}: " if violation.where else ""
        raise InternalCompilerError(
            f"{at}{violation.message}", pass_name=name, span=SourceSpan.read(violation.where)
        )
