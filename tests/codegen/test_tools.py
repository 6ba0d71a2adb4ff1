"""Where tools are looked for."""

from pathlib import Path

import pytest

from tilec.codegen import tools
from tilec.codegen.libdevice import find_libdevice
from tilec.codegen.tools import find_tool, require_tool
from tilec.support.diagnostics import CompileError


@pytest.fixture
def no_wheels(monkeypatch):
    monkeypatch.setattr(tools, "nvidia_folders", lambda: iter(()))
    monkeypatch.setattr("tilec.codegen.libdevice.nvidia_folders", lambda: iter(()))
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.delenv("CUDA_PATH", raising=False)
    monkeypatch.setenv("PATH", "")


def make_tool(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True)
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_the_installed_wheels_have_everything():
    assert find_tool("ptxas") is not None
    assert find_tool("nvdisasm") is not None
    assert find_libdevice() is not None


@pytest.mark.usefixtures("no_wheels")
def test_nothing_is_installed():
    assert find_tool("ptxas") is None
    assert find_libdevice() is None
    with pytest.raises(CompileError, match="'nvdisasm' is not installed") as caught:
        require_tool("nvdisasm")
    assert caught.value.diagnostics[0].hint == "install it with: pip install nvidia-cuda-nvdisasm"


@pytest.mark.usefixtures("no_wheels")
@pytest.mark.parametrize("variable", ["CUDA_HOME", "CUDA_PATH"])
def test_a_toolkit(monkeypatch, tmp_path, variable):
    path = make_tool(tmp_path / "bin", "ptxas")
    bitcode = tmp_path / "nvvm" / "libdevice" / "libdevice.10.bc"
    bitcode.parent.mkdir(parents=True)
    bitcode.write_bytes(b"")
    monkeypatch.setenv(variable, str(tmp_path))
    assert find_tool("ptxas") == path
    assert find_libdevice() == bitcode


@pytest.mark.usefixtures("no_wheels")
def test_the_search_path(monkeypatch, tmp_path):
    path = make_tool(tmp_path / "tools", "ptxas")
    monkeypatch.setenv("PATH", str(path.parent))
    assert find_tool("ptxas") == path


@pytest.mark.usefixtures("no_wheels")
def test_a_file_that_cannot_be_executed_is_no_tool(monkeypatch, tmp_path):
    make_tool(tmp_path / "bin", "ptxas").chmod(0o644)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    assert find_tool("ptxas") is None
