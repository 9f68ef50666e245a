"""Fills `web/static/lib` with the few files that come from npm.

It owns nothing but that folder: when its files are there, the build touches no network. npm runs
in a folder of its own, so that a developer's `frontend/node_modules` stays as it is.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LIBRARY_FILES = {"temml/dist/temml.min.js": "temml.min.js", "temml/LICENSE": "temml.LICENSE"}


class CustomBuildHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        library = Path(self.root, "src/windowpane/web/static/lib")
        if all((library / name).is_file() for name in LIBRARY_FILES.values()):
            return
        npm = shutil.which("npm")
        if npm is None:
            raise RuntimeError("npm is not on the PATH: install Node.js 20.19 or newer first.")
        library.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            for name in ("package.json", "package-lock.json", ".npmrc"):
                shutil.copy(Path(self.root, "frontend", name), folder)
            subprocess.run([npm, "ci", "--omit=dev", "--ignore-scripts"], cwd=folder, check=True)
            for source, name in LIBRARY_FILES.items():
                shutil.copy(Path(folder, "node_modules", source), library / name)
