"""The PTX version that a kernel is written in."""

import pytest

from tilec.codegen.isa_versions import needed_version


@pytest.mark.parametrize(
    ("instruction", "version"),
    [
        ("wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8", (8, 0)),
        ("wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8", (8, 0)),
        ("wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8", (8, 4)),
        ("wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.s8", (8, 4)),
        ("wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2", (8, 0)),
        ("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", (8, 4)),
        ("red.relaxed.gpu.global.add.v4.f32", (8, 1)),
        ("red.relaxed.gpu.global.add.noftz.v8.bf16", (8, 1)),
        ("red.relaxed.gpu.global.add.f32", (8, 0)),
        ("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32", (8, 1)),
        ("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", (8, 0)),
    ],
)
def test_only_younger_instructions_ask_for_more(instruction, version):
    assert needed_version(f'asm "{{ {instruction} {{$0}}, da, db, 1; }}"', (8, 0)) == version


def test_a_newer_target_stays():
    assert needed_version("wgmma.mma_async.m64n8k32.s32.u8.s8", (9, 0)) == (9, 0)
