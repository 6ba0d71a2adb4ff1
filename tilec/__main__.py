"""`python -m tilec`: the same as the `tilec` command."""

from tilec.cli.start import command

if __name__ == "__main__":
    command()
