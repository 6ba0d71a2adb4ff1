"""LLVM IR text to PTX: versions, libdevice, and input that LLVM would die of."""

import subprocess
import sys

import pytest

from tilec.codegen import libdevice, ptx
from tilec.codegen.ptx import emit_ptx
from tilec.codegen.ptxas import assemble
from tilec.codegen.supported import (
    CALLABLE_INTRINSICS,
    FLOAT_SUFFIXES,
    UNSELECTABLE_TYPES,
    is_known_intrinsic,
)
from tilec.request.target import get_target
from tilec.support.diagnostics import CompileError

TARGET = get_target("sm_90a")
TYPES = {"f16": "half", "bf16": "bfloat", "f32": "float", "f64": "double"}


def kernel(declaration, call, type_name="float"):
    return (
        f"{declaration}\ndefine ptx_kernel void @k(ptr addrspace(1) %o, {type_name} %x) {{\n"
        f"  %r = {call}\n  store {type_name} %r, ptr addrspace(1) %o\n  ret void\n}}\n"
    )


def calls(function, type_name="float", count=1):
    types = ", ".join([type_name] * count)
    values = ", ".join([f"{type_name} %x"] * count)
    return kernel(
        f"declare {type_name} @{function}({types})",
        f"call {type_name} @{function}({values})",
        type_name,
    )


def emit_error(text):
    with pytest.raises(CompileError) as caught:
        emit_ptx(text, TARGET)
    return caught.value.diagnostics[0]


def test_version_and_target():
    text = emit_ptx(kernel("", "fadd float %x, 1.0"), TARGET)
    assert "\n.version 8.0\n.target sm_90a\n.address_size 64\n" in text
    assert ".loc" not in text


@pytest.mark.parametrize(
    ("before", "conversion"),
    [
        ("%b = load i1, ptr addrspace(1) %o", "sitofp i1 %b to bfloat"),
        (
            "%i = load i32, ptr addrspace(1) %o\n  %n = xor i32 %i, -1\n  %b = ashr i32 %n, 31",
            "sitofp i32 %b to bfloat",
        ),
        (
            "%i = load i1, ptr addrspace(1) %o\n  %b = select i1 %i, i64 -1, i64 0",
            "sitofp i64 %b to bfloat",
        ),
    ],
)
def test_a_signed_bool_is_minus_one(before, conversion):
    text = kernel("", f"{conversion}", "bfloat").replace("%r =", f"{before}\n  %r =")
    assert "0xBF80, 0x0000, %p" in emit_ptx(text, TARGET)


def test_signed_bools_in_vectors_are_minus_one():
    text = """
    define ptx_kernel void @k(ptr addrspace(1) %o) {
      %b = load <2 x i1>, ptr addrspace(1) %o
      %f = sitofp <2 x i1> %b to <2 x bfloat>
      store <2 x bfloat> %f, ptr addrspace(1) %o
      ret void
    }
    """
    assert emit_ptx(text, TARGET).count("0xBF80, 0x0000, %p") == 2


def test_the_target_machine_is_made_once():
    emit_ptx(kernel("", "fadd float %x, 1.0"), TARGET)
    before = ptx._target_machine.cache_info().misses
    emit_ptx(kernel("", "fadd float %x, 2.0"), TARGET)
    assert ptx._target_machine.cache_info().misses == before


def test_loops_stay_rolled():
    text = """
    define ptx_kernel void @k(ptr addrspace(1) %o) {
    entry:
      br label %loop
    loop:
      %i = phi i32 [ 0, %entry ], [ %n, %loop ]
      %p = getelementptr i32, ptr addrspace(1) %o, i32 %i
      store volatile i32 %i, ptr addrspace(1) %p
      %n = add i32 %i, 1
      %c = icmp ult i32 %n, 8
      br i1 %c, label %loop, label %exit
    exit:
      ret void
    }
    """
    assert emit_ptx(text, TARGET).count("st.volatile.global") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("garbage", "LLVM rejects line 1 of the LLVM IR: expected top-level entity: garbage"),
        (kernel("", "fadd float %x, 0.1"), "floating point constant invalid for type"),
        (kernel("", "fadd double %x, 1.0"), "'%x' defined with type 'float' but expected"),
        ("define void @k() {\n", "LLVM rejects line"),
        ("\0\1\2", "LLVM rejects"),
    ],
)
def test_text_that_llvm_rejects(text, message):
    problem = emit_error(text)
    assert problem.code == "T0603"
    assert message in problem.message


def test_functions_of_libdevice_are_inlined():
    text = emit_ptx(calls("__nv_expf"), TARGET)
    assert "ex2.approx" in text
    assert "__nv_" not in text
    assert ".func" not in text
    assert assemble(text, TARGET).warnings == ()


def test_subnormal_numbers_are_kept():
    """`__nvvm_reflect("__CUDA_FTZ")` is answered with 0."""
    text = emit_ptx(calls("__nv_fast_fdividef", count=2), TARGET)
    assert "div.approx.f32" in text
    assert "ftz" not in text
    assert "__nvvm_reflect" not in text


def test_functions_that_libdevice_does_not_inline_come_along():
    text = emit_ptx(calls("__nv_sin", "double"), TARGET)
    assert "__internal_trig_reduction_slowpathd" in text
    assert ".extern" not in text
    assert assemble(text, TARGET).warnings == ()


def test_libdevice_is_not_read_without_need(monkeypatch):
    monkeypatch.setattr(libdevice, "find_libdevice", lambda: pytest.fail("read"))
    emit_ptx(kernel("", "fadd float %x, 1.0"), TARGET)


@pytest.fixture
def parts(monkeypatch, tmp_path):
    """Keep parts of libdevice in a folder of the test, and forget those of this process."""
    monkeypatch.setattr(libdevice, "cache_directory", lambda: tmp_path / "cache")
    monkeypatch.setattr(libdevice, "_PARTS", {})
    return tmp_path / "cache"


def forget(monkeypatch):
    """Stand in for a new process, which has used no part, and cannot take one from all."""
    monkeypatch.setattr(libdevice, "_PARTS", {})
    monkeypatch.setattr(libdevice, "_extract", lambda *_: pytest.fail("taken from all"))


def test_a_part_of_libdevice_is_kept(monkeypatch, parts):
    first = emit_ptx(calls("__nv_expf"), TARGET)
    (kept,) = parts.iterdir()
    assert kept.stat().st_size < 10_000
    forget(monkeypatch)
    assert emit_ptx(calls("__nv_expf"), TARGET) == first
    assert "__internal_trig" not in emit_ptx(calls("__nv_expf"), TARGET)


@pytest.mark.parametrize("damage", [b"", b"BC", b"\0" * 3000])
def test_a_damaged_part_is_taken_from_all_again(parts, monkeypatch, damage):
    first = emit_ptx(calls("__nv_logf"), TARGET)
    (kept,) = parts.iterdir()
    whole = kept.read_bytes()
    kept.write_bytes(whole[:20] + damage)
    monkeypatch.setattr(libdevice, "_PARTS", {})
    assert emit_ptx(calls("__nv_logf"), TARGET) == first
    assert kept.read_bytes() == whole


def test_nothing_is_kept_where_nothing_can_be_written(monkeypatch, parts):
    parts.write_text("no folder")
    assert "ex2.approx" in emit_ptx(calls("__nv_expf"), TARGET)

    def no_home():
        raise RuntimeError

    monkeypatch.setattr(libdevice, "cache_directory", no_home)
    monkeypatch.setattr(libdevice, "_PARTS", {})
    assert "ex2.approx" in emit_ptx(calls("__nv_expf"), TARGET)


def test_missing_libdevice(monkeypatch):
    monkeypatch.setattr(libdevice, "find_libdevice", lambda: None)
    problem = emit_error(calls("__nv_expf"))
    assert problem.code == "T0605"
    assert "needed for __nv_expf" in problem.message
    assert problem.hint == "install it with: pip install nvidia-nvvm"


def test_unknown_function_of_libdevice():
    problem = emit_error(calls("__nv_frobnicate"))
    assert problem.code == "T0605"
    assert problem.message == "libdevice has no function __nv_frobnicate"


def test_an_intrinsic_without_an_instruction_is_an_error():
    problem = emit_error(calls("llvm.sin.f32"))
    assert problem.code == "T0604"
    assert "LLVM cannot compile 'llvm.sin.f32' for sm_90a: Cannot select" in problem.message


def test_an_unknown_intrinsic_is_an_error():
    problem = emit_error(calls("llvm.nvvm.no.such.thing"))
    assert problem.code == "T0604"
    assert "does not know the intrinsic llvm.nvvm.no.such.thing" in problem.message


def test_an_intrinsic_that_is_only_not_listed_compiles():
    assert not is_known_intrinsic("llvm.nvvm.sin.approx.f")
    assert "sin.approx.f32" in emit_ptx(calls("llvm.nvvm.sin.approx.f"), TARGET)


def test_edited_text_cannot_end_the_process():
    text = kernel("", 'call float asm "foo $9;", "=f"()')
    with pytest.raises(CompileError) as caught:
        emit_ptx(text, TARGET, edited=True)
    problem = caught.value.diagnostics[0]
    assert problem.code == "T0604"
    assert "LLVM cannot compile the LLVM IR for sm_90a: " in problem.message
    good = kernel("", "fadd float %x, 1.0")
    assert emit_ptx(good, TARGET, edited=True) == emit_ptx(good, TARGET)


def test_errors_of_the_isolated_process_keep_their_code():
    text = calls("llvm.nvvm.sin.approx.f") + "garbage"
    assert emit_error(text).code == "T0603"


def test_a_function_that_nobody_defines_is_an_error():
    problem = emit_error(calls("somebody_else"))
    assert problem.code == "T0604"
    assert "the code calls somebody_else, which nothing defines" in problem.message


def test_functions_of_the_driver_are_fine():
    declaration = "declare i32 @vprintf(ptr, ptr)"
    text = kernel(declaration, "fadd float %x, 1.0").replace(
        "ret void", "%c = call i32 @vprintf(ptr null, ptr null)\n  ret void"
    )
    assert ".extern .func" in emit_ptx(text, TARGET)


SURVIVAL = """
import sys
from tilec.codegen.ptx import emit_here
from tilec.request.target import get_target
for text in sys.stdin.read().split("#"):
    emit_here(text, get_target("sm_90a"))
print("alive")
"""


def test_every_known_intrinsic_compiles():
    """In a process of its own: a miss would end this one."""
    texts = [
        calls(f"llvm.{name}.{suffix}", TYPES[suffix], count)
        for name, count in CALLABLE_INTRINSICS.items()
        for suffix in FLOAT_SUFFIXES
        if suffix not in UNSELECTABLE_TYPES.get(name, ())
    ]
    done = subprocess.run(
        [sys.executable, "-c", SURVIVAL],
        input="#".join(texts),
        capture_output=True,
        text=True,
        check=False,
        cwd=libdevice.__file__.rsplit("/tilec/", 1)[0],
    )
    assert done.stdout.strip() == "alive", done.stderr
