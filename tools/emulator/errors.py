"""What the emulator raises."""


class UnsupportedError(Exception):
    """The program has something that the emulator does not know."""
