"""The shape of the code: imports go down the levels, thinking is pure, one place decides."""

import ast
from collections.abc import Iterator
from importlib.util import resolve_name
from pathlib import Path

import windowpane

ROOT = Path(windowpane.__file__).parent
# A part may import its own level's parts only where the level is a set of words or of thoughts:
# edges meet in the agent, faces meet in the workspace. A file that is not named here is a word.
LEVELS = (
    {"words"},
    {"catalog", "tokens", "filters", "search", "context", "accounting", "records"},
    {"providers", "tools", "storage", "vfs"},
    {"agent"},
    {"workspace"},
    {"render"},
    {"web", "cli", "library"},
)
# The faces' one other meeting: a command starts the server.
STARTS_THE_SERVER = (Path("cli/serving.py"), "web")
WORDS, THINKING, EDGES, *_, DRAWING, FACES = range(len(LEVELS))
CLOCKS = {"datetime.now", "datetime.utcnow", "datetime.today", "date.today"}
IMPURE = (ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith, ast.Await)


def level(part: str) -> int:
    if (ROOT / f"{part}.py").is_file() and not any(part in parts for parts in LEVELS):
        return WORDS
    found = [number for number, parts in enumerate(LEVELS) if part in parts]
    assert found, f"{part} has no level: give it one"
    return found[0]


def modules() -> Iterator[tuple[str, Path, ast.Module]]:
    for path in sorted(ROOT.rglob("*.py")):
        relative = path.relative_to(ROOT)
        part = relative.parts[0].removesuffix(".py")
        if part not in ("__init__", "__main__"):
            yield part, relative, ast.parse(path.read_text())


def imported_parts(tree: ast.Module, path: Path) -> Iterator[str]:
    package = ".".join(("windowpane", *path.parent.parts))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = resolve_name("." * node.level + (node.module or ""), package)
            names = [f"{module}.{alias.name}" for alias in node.names]
        else:
            continue
        for root, part in (name.split(".")[:2] for name in names if "." in name):
            if root == "windowpane" and part != "__version__":
                yield part


def may_import(importer: str, imported: str) -> bool:
    above, below = level(importer), level(imported)
    if above == DRAWING and below > THINKING:
        return importer == imported
    if above == below:
        return above not in (EDGES, FACES) or importer == imported
    return above > below


def calls(tree: ast.Module) -> Iterator[str]:
    return (ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call))


def test_imports_only_go_down_the_levels() -> None:
    wrong = [
        f"{path} imports {imported}"
        for part, path, tree in modules()
        for imported in imported_parts(tree, path)
        if not may_import(part, imported) and (path, imported) != STARTS_THE_SERVER
    ]
    assert wrong == []


def test_thinking_waits_for_nothing_and_reads_no_file_and_no_clock() -> None:
    wrong: list[str] = []
    for part, path, tree in modules():
        if level(part) == THINKING:
            wrong += [f"{path}: {call}()" for call in calls(tree) if call in {"open", *CLOCKS}]
            wrong += [f"{path}:{n.lineno} waits" for n in ast.walk(tree) if isinstance(n, IMPURE)]
    assert wrong == []


def test_only_context_decides_what_is_sent() -> None:
    deciders = {
        part
        for part, _, tree in modules()
        if any(call.split(".")[-1] == "ContextPlan" for call in calls(tree))
    }
    assert deciders <= {"context"}
