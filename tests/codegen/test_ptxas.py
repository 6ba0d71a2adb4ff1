"""What ptxas says, and what becomes of it."""

import subprocess

import pytest

from tilec.codegen import tools
from tilec.codegen.ptx_lines import SourceMap
from tilec.codegen.ptxas import assemble, parse_messages, parse_usage
from tilec.codegen.sass import count_opcodes, disassemble
from tilec.request.target import get_target
from tilec.support.diagnostics import CompileError

TARGET = get_target("sm_90a")
MMA = (
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3},"
    " %rd2, %rd2, 1, 1, 1, 0, 0;\n"
)
FENCE = "wgmma.fence.sync.aligned;\n"
COMMIT = "wgmma.commit_group.sync.aligned;\n"
WAIT = "wgmma.wait_group.sync.aligned 0;\n"


def kernel(body, *, registers=4, directives=".reqntid 128, 1, 1\n.minnctapersm 1", name="k"):
    """Return PTX whose `.loc` lines say that it comes from `k.tile`."""
    zeros = "".join(f"mov.f32 %f{index}, 0f00000000;\n" for index in range(registers))
    stores = "".join(
        f"st.global.f32 [%rd1+{4 * index}], %f{index};\n" for index in range(registers)
    )
    return (
        ".version 8.0\n.target sm_90a\n.address_size 64\n"
        f".visible .entry {name}(.param .u64 p)\n{directives}\n{{\n"
        f".reg .b64 %rd<9>;\n.reg .f32 %f<{registers + 2}>;\n.reg .pred %p1;\n"
        ".loc 1 1 1\nld.param.u64 %rd1, [p];\nmov.b64 %rd2, 0x4000004000010000;\n"
        f"{zeros}{body}.loc 1 9 1\n{stores}ret;\n}}\n"
        '.section .debug_macinfo { }\n.file 1 "examples/k.tile"\n'
    )


def spilling(name="k"):
    loads = "".join(f"ld.global.f32 %f{index}, [%rd1+{4 * index}];\n" for index in range(200))
    stores = "".join(
        f"st.volatile.global.f32 [%rd1+{4 * index + 4}], %f{index};\n" for index in range(200)
    )
    return kernel(
        f".loc 1 3 5\n{loads}bar.sync 0;\n{stores}",
        registers=200,
        directives=".reqntid 1024, 1, 1",
        name=name,
    )


def problems(ptx, **options):
    with pytest.raises(CompileError) as caught:
        assemble(ptx, TARGET, **options)
    return caught.value.diagnostics


def test_a_clean_kernel():
    assembly = assemble(kernel(f".loc 1 2 3\n{FENCE}{MMA}{COMMIT}{WAIT}"), TARGET)
    assert assembly.cubin.startswith(b"\x7fELF")
    assert assembly.warnings == ()
    assert [entry.name for entry in assembly.entries] == ["k"]
    assert 0 < assembly.registers <= 255
    assert assembly.spill_stores == assembly.spill_loads == assembly.stack_bytes == 0
    assert assembly.entry("k") == assembly.entries[0]
    assert assembly.entry("other") is None


def test_a_missing_wait_names_the_source_line():
    (problem,) = problems(kernel(f".loc 1 2 3\n{FENCE}{MMA}{COMMIT}"))
    assert problem.code == "T0609"
    assert "(C7517)" in problem.message
    assert str(problem.span) == "examples/k.tile:9:1"


def test_a_notice_can_be_accepted_by_its_code():
    text = kernel(f".loc 1 2 3\n{FENCE}{MMA}{COMMIT}")
    assembly = assemble(text, TARGET, accepted={"C7517"})
    assert [message.code for message in assembly.warnings] == ["C7517"]
    assert assembly.warnings[0].span is not None
    assert assemble(text, TARGET, allow_spills=True).warnings == assembly.warnings


def test_setmaxnreg_that_ptxas_ignores():
    body = ".loc 1 2 3\nsetmaxnreg.inc.sync.aligned.u32 240;\n"
    assert assemble(kernel(body), TARGET).registers == 240
    (problem,) = problems(kernel(body, directives=".reqntid 128, 1, 1"))
    assert "(C7508)" in problem.message
    assert str(problem.span) == "examples/k.tile:1:1"


def test_too_few_registers_for_one_instruction():
    names = ", ".join(f"%f{index}" for index in range(128))
    wide = (
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16"
        f" {{{names}}}, %rd2, %rd2, 1, 1, 1, 0, 0;\n"
    )
    text = kernel(
        f".loc 1 2 3\n{FENCE}{wide}{COMMIT}{WAIT}",
        registers=128,
        directives=".reqntid 512, 1, 1\n.minnctapersm 1",
    )
    (problem,) = problems(text)
    assert problem.code == "T0607"
    assert "(C7602)" in problem.message
    assert str(problem.span) == "examples/k.tile:2:3"


def test_spills():
    (problem,) = problems(spilling())
    assert problem.code == "T0608"
    assert "kernel 'k' needs more than its 64 registers: a thread spills" in problem.message
    assert str(problem.span) == "examples/k.tile:1:1"
    assembly = assemble(spilling(), TARGET, allow_spills=True)
    assert assembly.spill_stores > 0
    assert assembly.stack_bytes > 0
    opcodes = count_opcodes(disassemble(assembly.cubin))
    assert opcodes["STL"] > 0
    assert opcodes["LDL"] > 0


def test_several_kernels():
    text = kernel("", name="first") + kernel("", name="second").split(".address_size 64\n")[1]
    text = text.replace('.section .debug_macinfo { }\n.file 1 "examples/k.tile"\n', "", 1)
    assembly = assemble(text, TARGET)
    assert {entry.name for entry in assembly.entries} == {"first", "second"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("garbage", "Missing .version directive at start of file 'kernel.ptx' (PTX line 1)"),
        ("", "Missing .version directive"),
        ("\0\xff", "ptxas: "),
        (kernel("foo.u32 %f0, %f1;\n"), "Not a name of any known instruction: 'foo'"),
        (kernel("").replace("8.0", "99.0"), "Unsupported .version 99.0"),
        (kernel("").replace("sm_90a", "sm_100a"), "does not support .target sm_100a"),
    ],
)
def test_text_that_ptxas_rejects(text, message):
    found = problems(text)
    assert found[0].code == "T0607"
    assert message in found[0].message
    assert "/tmp" not in found[0].message


def test_every_error_is_reported_with_its_line():
    found = problems(kernel(".loc 1 4 7\nfoo.u32 %f0;\n.loc 1 5 7\nbar.u32 %f0;\n"))
    assert [str(item.span) for item in found] == ["examples/k.tile:4:7", "examples/k.tile:5:7"]


def test_line_information_reaches_the_cubin():
    text = kernel(f".loc 1 2 3\n{FENCE}{MMA}{COMMIT}{WAIT}")
    cubin = assemble(text, TARGET, lineinfo=True).cubin
    assert 'File "examples/k.tile", line 2' in disassemble(cubin, lineinfo=True)
    assert "k.tile" not in disassemble(cubin)


def test_without_ptxas(monkeypatch):
    monkeypatch.setattr(tools, "find_tool", lambda name: None)
    (problem,) = problems(kernel(""))
    assert problem.code == "T0606"
    assert problem.message == "'ptxas' is not installed"
    assert problem.hint == "install it with: pip install 'nvidia-cuda-nvcc<13.3'"


def test_a_ptxas_that_hangs(monkeypatch):
    def run(command, *, timeout):
        raise subprocess.TimeoutExpired(command, timeout)

    monkeypatch.setattr(tools, "run_child", run)
    (problem,) = problems(kernel(""))
    assert "ptxas did not end within 300 s" in problem.message


def test_a_ptxas_that_cannot_be_run(monkeypatch, tmp_path):
    broken = tmp_path / "ptxas"
    broken.write_text("no program")
    broken.chmod(0o755)
    monkeypatch.setattr(tools, "find_tool", lambda name: broken)
    (problem,) = problems(kernel(""))
    assert "cannot be run" in problem.message


def test_a_ptxas_that_dies_silently(monkeypatch, tmp_path):
    broken = tmp_path / "ptxas"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    monkeypatch.setattr(tools, "find_tool", lambda name: broken)
    (problem,) = problems(kernel(""))
    assert problem.message == "ptxas failed with exit code 3: it printed nothing"


SERIALISED = """
ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized\
 due to ill formed pipeline stage in the function 'k'
ptxas info    : (C7514) Potential Performance Loss: wgmma.mma_async instructions are serialized\
 due to non wgmma instructions reading accumulator registers of  a wgmma between start and end of\
 the pipeline stage in the function 'k' in line 14
ptxas warning : Some other warning
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'k' for 'sm_90a'
ptxas info    : Function properties for k
    8 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads
ptxas info    : Used 168 registers, used 3 barriers, 1024 bytes smem, 400 bytes cmem[0]
ptxas info    : Compile time = 3.7 ms
"""


def test_messages_are_parsed():
    messages = parse_messages(SERIALISED, SourceMap(kernel(".loc 1 4 7\n")))
    assert [(item.severity, item.code) for item in messages] == [
        ("info", "C7510"),
        ("info", "C7514"),
        ("warning", ""),
    ]
    assert [item.line for item in messages] == [None, 14, None]
    assert str(messages[0].span) == "examples/k.tile:1:1"


def test_usage_is_parsed():
    (usage,) = parse_usage(SERIALISED)
    assert (usage.name, usage.registers, usage.barriers) == ("k", 168, 3)
    assert (usage.stack_bytes, usage.spill_stores, usage.spill_loads) == (8, 16, 24)
    assert usage.shared_bytes == 1024


def test_ptx_without_a_kernel():
    assembly = assemble(".version 8.0\n.target sm_90a\n.address_size 64\n", TARGET)
    assert assembly.entries == ()
    assert assembly.registers == assembly.shared_bytes == 0


def test_a_text_without_loc_maps_nothing():
    lines = SourceMap("\n".join([".entry k()", "{", "ret;", "}"]))
    assert lines.span(3) is None
    assert lines.entry_span("k") is None


def test_compiler_made_code_has_no_line_of_its_own():
    """Line 0 means so; the line before counts."""
    lines = SourceMap('.entry k()\n.loc 1 4 2\nx;\n.loc 1 0 0\ny;\n.file 1 "k.tile"')
    assert str(lines.span(5)) == "k.tile:4:2"


def test_disassembling_garbage():
    with pytest.raises(CompileError) as caught:
        disassemble(b"garbage")
    assert caught.value.diagnostics[0].code == "T0606"


def test_opcodes_are_counted_without_predicates_and_modifiers():
    listing = """
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/              @!P0 EXIT ;
        /*0020*/             @!UP2 UTMALDG.2D [UR8], [UR4] ;
        /*0030*/                   HGMMA.64x128x16.F32.BF16 R24, gdesc[UR4], R24 ;
        /*12f40*/                  HGMMA.64x128x16.F32.BF16 R24, gdesc[UR4], R24, gsb0 ;
    .L_x_0:
    """
    assert count_opcodes(listing) == {"LDC": 1, "EXIT": 1, "UTMALDG": 1, "HGMMA": 2}
