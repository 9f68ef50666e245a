"""``python -m windowpane`` is the program ``windowpane``."""

import sys

from windowpane.cli import main

if __name__ == "__main__":
    sys.exit(main())
