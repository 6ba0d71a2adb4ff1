"""Kernels that deadlock: debug builds of examples, of which a dump was edited."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tilec.compiler.driver import compile_source, resume
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.runtime.aot import Package
from tilec.runtime.compiled import CompiledKernel
from tilec.support.diagnostics import SourceFile

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SPLIT_TILE = {"BM": 128, "BN": 128, "BK": 64}


def without_release(text: str) -> str:
    """Let consumers keep every slot."""
    edited = re.sub(r'^.*"nv_tileas\.ring_release".*\n', "", text, flags=re.MULTILINE)
    assert edited != text
    return edited


def more_arrivals(text: str) -> str:
    """Let the empty barriers wait for one consumer warp more than there is."""
    rings = re.findall(r'"nv_tileas\.create_ring"\(%\w+, (%\w+)\)', text)
    (barrier,) = rings
    pattern = rf'(\n *{barrier} = "nv_tileas\.alloc_mbarrier".*?count = )(\d+)'
    edited = re.sub(pattern, lambda match: f"{match[1]}{int(match[2]) + 1}", text)
    assert edited != text
    return edited


def more_bytes(text: str) -> str:
    """Announce 64 bytes more than the copies bring."""
    pattern = r'("nv_tileas\.mbarrier_arrive_expect_tx".*?tx_count = )(\d+)'
    edited = re.sub(pattern, lambda match: f"{match[1]}{int(match[2]) + 64}", text)
    assert edited != text
    return edited


def without_partials(text: str) -> str:
    """Let no split of a tile say that its partial sum is there."""
    edited = re.sub(r'^.*"nv_tileas\.arrive_partial".*\n', "", text, flags=re.MULTILINE)
    assert edited != text
    return edited


def build_broken(
    folder: Path,
    name: str,
    edit: Callable[[str], str],
    specialization: Specialization | None = None,
) -> Any:
    """Return a debug build of an example whose dump after the protocol check was edited."""
    source = SourceFile(f"{name}.tile", (EXAMPLES / f"{name}.tile").read_text())
    # With source lines in the dumps, so that the report names the program.
    normal = CompileOptions(
        emit="nv_tileas", dump_directory=folder / name, lineinfo=True, run_ptxas=False
    )
    compile_source(source, specialization=specialization, options=normal)
    (path,) = (folder / name).glob("*-nv-tileas-verify-async-protocol.mlir")
    dump = SourceFile(path.name, edit(path.read_text()))
    made = resume(dump, CompileOptions(start_from="nv_tileas", debug_waits=True))
    return Package([CompiledKernel(made.artifact)])[name]
