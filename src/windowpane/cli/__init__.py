"""The command line: one file per command, over the same workspace that the page uses."""

from windowpane.cli.program import main

__all__ = ["main"]
