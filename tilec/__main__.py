"""`python -m tilec`: the same as the `tilec` command."""

from tilec.cli.main import command

if __name__ == "__main__":
    command()
