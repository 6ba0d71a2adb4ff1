"""Entry point of the `tilec` command: handles signals before it imports anything else."""

from typing import NoReturn

from tilec.support.cleanup import leave_on_signals


def command() -> NoReturn:
    """Run the command line as a process: the console script `tilec`."""
    leave_on_signals()
    from tilec.cli.main import command as run

    run()
