"""The error of the layout algebra."""

from tilec.support.diagnostics import InternalCompilerError


class LayoutError(InternalCompilerError):
    """A layout that cannot exist, or an operation that a layout cannot represent.

    A pass that asks for something that depends on the user's tile shapes catches it and reports a
    diagnostic; uncaught, it is a broken invariant of the compiler.
    """
