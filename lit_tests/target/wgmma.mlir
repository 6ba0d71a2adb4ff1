// wgmma by tied inline assembly: accumulators stay in place, ptxas prints no warning, SASS has no move.
// REQUIRES: ptxas
// RUN: tilec compile %s --start-from llvm --emit ptx | FileCheck %s
// RUN: tilec compile %s --start-from llvm --emit sass | FileCheck %s --check-prefix=SASS

// CHECK: wgmma.fence.sync.aligned;
// CHECK: wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16
// CHECK: wgmma.commit_group.sync.aligned;
// CHECK: wgmma.wait_group.sync.aligned 0;
// SASS: WARPGROUP.ARRIVE
// SASS: HGMMA.64x8x16.F32.BF16 [[ACC:R[0-9]+]], gdesc[{{UR[0-9]+}}], [[ACC]]
// SASS: WARPGROUP.DEPBAR.LE gsb0, 0x0
llvm.func @k(%out: !llvm.ptr<1>, %a: i64, %b: i64, %trips: i32)
    attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, nvvm.minctasm = 1 : i32, tilec.kernel = {name = "k"}} {
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %none = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  llvm.br ^loop(%none, %zero, %zero, %zero, %zero : i32, f32, f32, f32, f32)
^loop(%i: i32, %c0: f32, %c1: f32, %c2: f32, %c3: f32):
  %d = llvm.inline_asm has_side_effects asm_dialect = att
    "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, $8, $9, 1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned;",
    "=f,=f,=f,=f,0,1,2,3,l,l,~{memory}" %c0, %c1, %c2, %c3, %a, %b : (f32, f32, f32, f32, i64, i64) -> !llvm.struct<(f32, f32, f32, f32)>
  %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
  %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
  %d2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
  %d3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
  %w = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.wait_group.sync.aligned 0;",
    "=f,=f,=f,=f,0,1,2,3,~{memory}" %d0, %d1, %d2, %d3 : (f32, f32, f32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  %w0 = llvm.extractvalue %w[0] : !llvm.struct<(f32, f32, f32, f32)>
  %w1 = llvm.extractvalue %w[1] : !llvm.struct<(f32, f32, f32, f32)>
  %w2 = llvm.extractvalue %w[2] : !llvm.struct<(f32, f32, f32, f32)>
  %w3 = llvm.extractvalue %w[3] : !llvm.struct<(f32, f32, f32, f32)>
  %n = llvm.add %i, %one : i32
  %more = llvm.icmp "slt" %n, %trips : i32
  llvm.cond_br %more, ^loop(%n, %w0, %w1, %w2, %w3 : i32, f32, f32, f32, f32), ^done
^done:
  llvm.store %w0, %out : f32, !llvm.ptr<1>
  llvm.store volatile %w3, %out : f32, !llvm.ptr<1>
  llvm.return
}
