"""The package list of pyproject.toml against the folders on disk."""

import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINKED = ("dialects", "passes")


def _project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def _packages_on_disk() -> set[str]:
    found = set()
    for top, prefix in (("tilec", "tilec"), *((name, f"tilec.{name}") for name in LINKED)):
        for marker in (ROOT / top).rglob("__init__.py"):
            parts = marker.parent.relative_to(ROOT / top).parts
            if not (top == "tilec" and parts and parts[0] in LINKED):
                found.add(".".join((prefix, *parts)))
    return found


def test_every_package_is_listed():
    assert set(_project()["tool"]["setuptools"]["packages"]) == _packages_on_disk()


def test_every_folder_with_modules_is_a_package():
    for top in ("tilec", *LINKED):
        folders = {path.parent for path in (ROOT / top).rglob("*.py")}
        assert [str(path) for path in folders if not (path / "__init__.py").exists()] == []


def test_links_point_at_the_top_level_folders():
    for name in LINKED:
        link = ROOT / "tilec" / name
        assert link.is_symlink()
        assert link.resolve() == ROOT / name


def test_every_data_file_is_packaged():
    data = _project()["tool"]["setuptools"]["package-data"]
    for package, patterns in data.items():
        folder = ROOT / package.replace(".", "/")
        assert all(list(folder.glob(pattern)) for pattern in patterns)
    for suffix in (".lark", ".pyi", ".pyx", ".tile"):
        found = {path.parent for path in (ROOT / "tilec").rglob(f"*{suffix}")}
        assert found == {
            ROOT / package.replace(".", "/")
            for package, patterns in data.items()
            if f"*{suffix}" in patterns
        }


def test_every_pass_of_the_pipeline_is_registered_or_upstream():
    from tilec.passes import PASS_MODULES, load_all_passes
    from tilec.request.stages import STAGES

    assert {item.name for item in load_all_passes()} == set(PASS_MODULES)
    upstream = {
        "canonicalize",
        "cse",
        "loop-invariant-code-motion",
        "convert-scf-to-cf",
        "convert-nvvm-to-llvm",
        "convert-arith-to-llvm",
        "convert-cf-to-llvm",
        "reconcile-unrealized-casts",
    }
    named = {name for stage in STAGES for name in stage.passes}
    assert named - upstream == set(PASS_MODULES) & named


def test_a_machine_without_a_compiler_builds_a_wheel_without_the_extension(tmp_path):
    """The compiler of this build always fails; the build goes on, and says what is missing."""
    build = ["build", "--build-base", str(tmp_path / "build")]
    wheel = ["bdist_wheel", "--bdist-dir", str(tmp_path / "bdist"), "--dist-dir", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "setup.py", *build, *wheel],
        cwd=ROOT,
        env={**os.environ, "CC": "false"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert 'extension "tilec.runtime.launch.repeated_calls" failed' in done.stderr
    (found,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(found) as archive:
        names = archive.namelist()
    assert [name for name in names if name.endswith((".so", ".c"))] == []
    assert "tilec/runtime/launch/repeated_calls.pyx" in names
