"""What a name of a Python module is to a kernel when it has no plain value."""

from tilec.support.fast_dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LanguageName:
    """A name of the language that a Python module has, perhaps under another name."""

    name: str


@dataclass(frozen=True, slots=True)
class ForeignValue:
    """A Python value that a kernel cannot use; an error only where it is used.

    Attributes:
        what: What it is, for messages.
        hint: What to write instead.
    """

    what: str
    hint: str

    def message(self, name: str) -> str:
        """Return the error for using it under `name`."""
        return f"'{name}' is {self.what}, which a kernel cannot use"
