"""Where the `tilec` command begins: signals are taken care of before anything else is imported."""

from typing import NoReturn

from tilec.support.cleanup import leave_on_signals


def command() -> NoReturn:
    """Run the command line as a process of its own: the console script `tilec`."""
    leave_on_signals()
    from tilec.cli.main import command as run

    run()
