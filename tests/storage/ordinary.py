"""Python code run as an ordinary account, for which permissions mean something."""

import os
import subprocess
import sys

ROOT_WITHOUT_PRIVILEGES = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


def run_as_ordinary(code: str, *arguments: str) -> str:
    """What the code prints. Root does without the right to pass over permissions."""
    prefix = ROOT_WITHOUT_PRIVILEGES if os.geteuid() == 0 else []
    command = [*prefix, sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
