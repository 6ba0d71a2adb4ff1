"""Every nvvm operation that tilec's passes may use compiles at PTX 8.0 and assembles for sm_90a."""

import re

import pytest

from tilec.codegen.legality import check_legality
from tilec.codegen.ptxas import assemble
from tilec.ir.bindings import PassManager, ir
from tilec.request.target import get_target
from tilec.support.diagnostics import CompileError

HEAD = """
llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64}
  : !llvm.array<0 x i8>
llvm.func @k(
  %map: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant},
  %out: !llvm.ptr<1>, %a: i32, %b: i32, %f: f32, %l: i64, %sh: i16)
  attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256, 1, 1>, nvvm.minctasm = 1 : i32} {
  %s = llvm.mlir.addressof @smem : !llvm.ptr<3>
  %bar = llvm.getelementptr %s[65536] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %address = llvm.ptrtoint %s : !llvm.ptr<3> to i32
  %s7 = llvm.inttoptr %address : i32 to !llvm.ptr<7>
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %pred = llvm.icmp "eq" %tid, %a : i32
  %all = llvm.mlir.constant(-1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i32) : i32
  %clamp = llvm.mlir.constant(31 : i32) : i32
"""
TAIL = "\nllvm.return\n}"
COORDINATES = ["%a", "%b", "%a", "%b", "%a"]
MATRIX = (
    "shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>"
)


def keep(value, kind="i32"):
    """Return operations that use a result, so that it is not dead."""
    return f"\nllvm.store {value}, %out : {kind}, !llvm.ptr<1>"


def flag(value):
    return f"\n%wide = llvm.zext {value} : i1 to i32" + keep("%wide")


def tma_cases():
    for rank in range(1, 6):
        box = ", ".join(COORDINATES[:rank])
        yield (
            f"nvvm.cp.async.bulk.tensor.shared.cluster.global %s7, %map, %bar, box[{box}]"
            " : !llvm.ptr<7>, !llvm.ptr",
            rf"cp\.async\.bulk\.tensor\.{rank}d\.shared::cluster\.global\.tile"
            r"\.mbarrier::complete_tx::bytes \[(%r\d+|smem)\], \[%rd\d+, \{(%r\d+(, )?){"
            + str(rank)
            + r"}\}\], \[smem\+65536\];",
        )
        yield (
            f"nvvm.cp.async.bulk.tensor.global.shared.cta %map, %s, box[{box}]"
            " : !llvm.ptr, !llvm.ptr<3>",
            rf"cp\.async\.bulk\.tensor\.{rank}d\.global\.shared::cta\.tile\.bulk_group ",
        )
        yield (
            f"nvvm.cp.async.bulk.tensor.prefetch %map, box[{box}] : !llvm.ptr",
            rf"cp\.async\.bulk\.prefetch\.tensor\.{rank}d\.L2\.global\.tile ",
        )


def matrix_cases():
    for count in (1, 2, 4):
        values = ", ".join(COORDINATES[:count])
        types = ", ".join(["i32"] * count)
        result = "i32" if count == 1 else f"!llvm.struct<({types})>"
        first = "" if count == 1 else f"\n%e = llvm.extractvalue %d[0] : {result}"
        for layout, trans in (("row", ""), ("col", r"\.trans")):
            layout_attribute = f"layout = #nvvm.mma_layout<{layout}>, {MATRIX}"
            yield (
                f"nvvm.stmatrix %s, {values} {{{layout_attribute}}} : !llvm.ptr<3>, {types}",
                rf"stmatrix\.sync\.aligned\.m8n8\.x{count}{trans}\.shared\.b16 \[smem\]",
            )
            yield (
                f"%d = nvvm.ldmatrix %s {{num = {count} : i32, {layout_attribute}}}"
                f" : (!llvm.ptr<3>) -> {result}{first}" + keep("%e" if first else "%d"),
                rf"ldmatrix\.sync\.aligned\.m8n8\.x{count}{trans}\.shared\.b16 ",
            )


CASES = [
    *tma_cases(),
    *matrix_cases(),
    (
        "nvvm.cp.async.bulk.tensor.shared.cluster.global %s7, %map, %bar, box[%a, %b]"
        " multicast_mask = %sh l2_cache_hint = %l : !llvm.ptr<7>, !llvm.ptr",
        r"complete_tx::bytes\.multicast::cluster\.L2::cache_hint ",
    ),
    (
        "nvvm.cp.async.bulk.tensor.shared.cluster.global %s7, %map, %bar, box[%a, %b]"
        " predicate = %pred : !llvm.ptr<7>, !llvm.ptr",
        r"@%p\d+ cp\.async\.bulk\.tensor\.2d\.shared::cluster\.global\.mbarrier",
    ),
    (
        "nvvm.cp.async.bulk.tensor.global.shared.cta %map, %s, box[%a, %b], predicate = %pred"
        " : !llvm.ptr, !llvm.ptr<3>",
        r"@%p\d+ cp\.async\.bulk\.tensor\.2d\.global\.shared::cta\.bulk_group",
    ),
    (
        "nvvm.cp.async.bulk.shared.cluster.global %s7, %out, %bar, %a : !llvm.ptr<7>, !llvm.ptr<1>",
        r"cp\.async\.bulk\.shared::cluster\.global\.mbarrier::complete_tx::bytes ",
    ),
    (
        "nvvm.cp.async.bulk.global.shared.cta %out, %s, %a : !llvm.ptr<1>, !llvm.ptr<3>",
        r"cp\.async\.bulk\.global\.shared::cta\.bulk_group ",
    ),
    ("nvvm.cp.async.bulk.commit.group", r"cp\.async\.bulk\.commit_group;"),
    ("nvvm.cp.async.bulk.wait_group 0", r"cp\.async\.bulk\.wait_group 0;"),
    ("nvvm.cp.async.bulk.wait_group 1 {read}", r"cp\.async\.bulk\.wait_group\.read 1;"),
    (
        "nvvm.prefetch tensormap, %map, predicate = %pred : !llvm.ptr, i1",
        r"@%p\d+ prefetch\.tensormap \[",
    ),
    ("nvvm.mbarrier.init %bar, %a : !llvm.ptr<3>, i32", r"mbarrier\.init\.shared\.b64 "),
    (
        "nvvm.mbarrier.init %bar, %a, predicate = %pred : !llvm.ptr<3>, i32, i1",
        r"@%p\d+ mbarrier\.init\.shared\.b64 ",
    ),
    ("nvvm.mbarrier.inval %bar : !llvm.ptr<3>", r"mbarrier\.inval\.shared\.b64 "),
    (
        "nvvm.mbarrier.arrive.expect_tx %bar, %a : !llvm.ptr<3>, i32",
        r"mbarrier\.arrive\.expect_tx\.shared\.b64 ",
    ),
    (
        "%n = llvm.mlir.constant(32768 : i32) : i32\n"
        "nvvm.mbarrier.arrive.expect_tx %bar, %n, predicate = %pred : !llvm.ptr<3>, i32, i1",
        r"@%p\d+ mbarrier\.arrive\.expect_tx\.shared\.b64 _, \[%r\d+\], (%r\d+|32768);",
    ),
    ("nvvm.mbarrier.expect_tx %bar, %a : !llvm.ptr<3>, i32", r"mbarrier\.expect_tx\.relaxed"),
    ("nvvm.mbarrier.arrive %bar : !llvm.ptr<3>", r"mbarrier\.arrive\.shared\.b64 "),
    (
        "%m = nvvm.mapa %bar, %a : !llvm.ptr<3> -> !llvm.ptr<7>\n"
        "nvvm.mbarrier.arrive %m : !llvm.ptr<7>",
        r"mbarrier\.arrive\.shared::cluster\.b64 _, ",
    ),
    (
        "nvvm.mbarrier.try_wait.parity %bar, %a, %b : !llvm.ptr<3>, i32, i32\n"
        "nvvm.mbarrier.try_wait.parity %s, %a, %b : !llvm.ptr<3>, i32, i32",
        r"mbarrier\.try_wait\.parity\.shared\.b64 P1",
    ),
    (
        "%ok = nvvm.mbarrier.try_wait %bar, %a : !llvm.ptr<3>, i32 -> i1" + flag("%ok"),
        r"mbarrier\.try_wait\.parity\.shared\.b64 %p",
    ),
    (
        "%ok = nvvm.mbarrier.try_wait %bar, %a, %b : !llvm.ptr<3>, i32, i32 -> i1" + flag("%ok"),
        r"mbarrier\.try_wait\.parity\.shared\.b64 %p\d+, \[smem\+65536\], %r\d+, %r\d+;",
    ),
    (
        "%ok = nvvm.mbarrier.test.wait %bar, %a : !llvm.ptr<3>, i32 -> i1" + flag("%ok"),
        r"mbarrier\.test_wait\.parity\.shared\.b64 %p",
    ),
    (
        "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}",
        r"fence\.proxy\.async\.shared::cta;",
    ),
    ("nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}", r"fence\.proxy\.async;"),
    ("nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}", r"fence\.proxy\.async\.global;"),
    ("nvvm.fence.mbarrier.init", r"fence\.mbarrier_init\.release\.cluster;"),
    ("nvvm.fence.sc.cluster", r"fence\.sc\.cluster;"),
    ("nvvm.memory.barrier <gpu>", r"membar\.gl;"),
    ("%e = nvvm.elect.sync -> i1" + flag("%e"), r"elect\.sync %r\d+\|%p\d+, -1;"),
    ("nvvm.setmaxregister increase 240", r"setmaxnreg\.inc\.sync\.aligned\.u32 240;"),
    ("nvvm.setmaxregister decrease 40", r"setmaxnreg\.dec\.sync\.aligned\.u32 40;"),
    ("nvvm.barrier", r"bar\.sync 0;"),
    ("nvvm.barrier id = %a number_of_threads = %b", r"bar\.sync %r\d+, %r\d+;"),
    ("nvvm.barrier.arrive id = %a number_of_threads = %b", r"bar\.arrive %r\d+, %r\d+;"),
    ("nvvm.bar.warp.sync %all : i32", r"bar\.warp\.sync -1;"),
    ("nvvm.cluster.arrive {aligned}", r"barrier\.cluster\.arrive\.aligned;"),
    ("nvvm.cluster.arrive.relaxed {aligned}", r"barrier\.cluster\.arrive\.relaxed\.aligned;"),
    ("nvvm.cluster.wait {aligned}", r"barrier\.cluster\.wait\.aligned;"),
    (
        "nvvm.cp.async.shared.global %s, %out, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>",
        r"cp\.async\.cg\.shared\.global \[smem\], \[%rd\d+\], 16;",
    ),
    (
        "nvvm.cp.async.shared.global %s, %out, 4, cache = ca, %a : !llvm.ptr<3>, !llvm.ptr<1>, i32",
        r"cp\.async\.ca\.shared\.global \[smem\], \[%rd\d+\], 4, %r\d+;",
    ),
    ("nvvm.cp.async.commit.group", r"cp\.async\.commit_group;"),
    ("nvvm.cp.async.wait.group 1", r"cp\.async\.wait_group 1;"),
    (
        "nvvm.cp.async.mbarrier.arrive %bar {noinc = true} : !llvm.ptr<3>",
        r"cp\.async\.mbarrier\.arrive\.noinc\.shared\.b64 ",
    ),
    (
        "%r = nvvm.shfl.sync idx %all, %a, %zero, %clamp : i32 -> i32" + keep("%r"),
        r"shfl\.sync\.idx\.b32 %r\d+, %r\d+, 0, 31, -1;",
    ),
    (
        "%r = nvvm.shfl.sync bfly %all, %f, %zero, %clamp : f32 -> f32" + keep("%r", "f32"),
        r"shfl\.sync\.bfly\.b32 ",
    ),
    ("%r = nvvm.vote.sync ballot %all, %pred -> i32" + keep("%r"), r"vote\.sync\.ballot\.b32 "),
    ("%r = nvvm.vote.sync any %all, %pred -> i1" + flag("%r"), r"vote\.sync\.any\.pred "),
    ("%r = nvvm.match.sync any %all, %a : i32 -> i32" + keep("%r"), r"match\.any\.sync\.b32 "),
    ("%r = nvvm.redux.sync add %a, %all : i32 -> i32" + keep("%r"), r"redux\.sync\.add\.s32 "),
    ("nvvm.wgmma.fence.aligned", r"wgmma\.fence\.sync\.aligned;"),
    (
        "nvvm.wgmma.commit.group.sync.aligned\nnvvm.wgmma.wait.group.sync.aligned 0",
        r"wgmma\.commit_group\.sync\.aligned;",
    ),
    ("nvvm.wgmma.wait.group.sync.aligned 1", r"wgmma\.wait_group\.sync\.aligned 1;"),
    (
        "%r = nvvm.convert.f32x2.to.bf16x2 %f, %f {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>"
        + keep("%r", "vector<2xbf16>"),
        r"cvt\.rn\.bf16x2\.f32 ",
    ),
    (
        "%r = nvvm.convert.f32x2.to.f16x2 %f, %f {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xf16>"
        + keep("%r", "vector<2xf16>"),
        r"cvt\.rn\.f16x2\.f32 ",
    ),
    (
        "%r = nvvm.convert.f32x2.to.f8x2 %f, %f {rnd = #nvvm.fp_rnd_mode<rn>,"
        " sat = #nvvm.sat_mode<satfinite>} : i16 (f8E4M3FN)" + keep("%r", "i16"),
        r"cvt\.rn\.satfinite\.e4m3x2\.f32 ",
    ),
    ("%r = nvvm.ex2 %f {ftz = true} : f32" + keep("%r", "f32"), r"ex2\.approx\.ftz\.f32 "),
    ("%r = nvvm.rcp.approx.ftz.f %f : f32" + keep("%r", "f32"), r"rcp\.approx\.ftz\.f32 "),
    ("%r = nvvm.read.ptx.sreg.cluster.ctarank : i32" + keep("%r"), r"mov\.u32 .*%cluster_ctarank;"),
    ("%r = nvvm.read.ptx.sreg.globaltimer : i64" + keep("%r", "i64"), r"mov\.u64 .*%globaltimer;"),
    ("nvvm.griddepcontrol wait", r"griddepcontrol\.wait;"),
    ("nvvm.griddepcontrol launch_dependents", r"griddepcontrol\.launch_dependents;"),
    ("nvvm.nanosleep %a", r"nanosleep\.u32 "),
    ("nvvm.exit", r"exit;"),
]


@pytest.mark.parametrize(("body", "expected"), CASES, ids=[case[1][:60] for case in CASES])
def test_compiles_and_assembles(body, expected, compile_llvm, instructions):
    ptx = compile_llvm(HEAD + body + TAIL)
    assert any(re.search(expected, line) for line in instructions(ptx)), ptx
    assert "\n.version 8.0\n.target sm_90a\n" in ptx
    assembly = assemble(ptx, get_target("sm_90a"))
    assert assembly.warnings == ()
    assert assembly.spill_stores == 0


def test_kernel_attributes_reach_the_ptx(compile_llvm):
    text = (HEAD + "llvm.store %a, %s : i32, !llvm.ptr<3>" + TAIL).replace(
        "nvvm.kernel,", "nvvm.kernel, nvvm.cluster_dim = array<i32: 2, 1, 1>,"
    )
    ptx = compile_llvm(text)
    for line in (
        ".param .align 64 .b8 k_param_0[128]",
        ".reqntid 256, 1, 1",
        ".minnctapersm 1",
        ".reqnctapercluster 2, 1, 1",
        ".extern .shared .align 1024 .b8 smem[];",
    ):
        assert line in ptx


def test_shared_addresses_take_one_register(compile_llvm, instructions):
    body = (
        "%p = llvm.getelementptr %s[%a] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8\n"
        "llvm.store %b, %p : i32, !llvm.ptr<3>"
    )
    lines = instructions(compile_llvm(HEAD + body + TAIL))
    assert any(re.match(r"st\.shared\.b32 \[%r\d+\]", line) for line in lines)
    assert not any(line.startswith("cvta.shared") for line in lines)


def count_nvvm_operations(module):
    names = []

    def visit(op):
        names.append(op.name)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return sum(name.startswith("nvvm.") for name in names)


@pytest.mark.parametrize("body", [case[0] for case in CASES])
def test_what_needs_lowering_is_known(body):
    """Exactly the operations that convert-nvvm-to-llvm replaces are reported without it."""
    with ir.Context():
        module = ir.Module.parse(HEAD + body + TAIL)
        before = count_nvvm_operations(module)
        try:
            check_legality(module)
            reported = 0
        except CompileError as failure:
            reported = len(failure.diagnostics)
        PassManager.parse("builtin.module(convert-nvvm-to-llvm)").run(module.operation)
        assert before - count_nvvm_operations(module) == reported
