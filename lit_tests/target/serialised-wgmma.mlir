// A wgmma whose result is read without a wait gives a warning that names the source line.
// REQUIRES: ptxas
// RUN: tilec compile %s --start-from llvm --emit cubin -o %t 2>&1 | FileCheck %s
// RUN: tilec compile %s --start-from llvm --emit cubin --allow-spills -o %t 2>&1 | FileCheck %s --check-prefix=ACCEPTED --allow-empty
// RUN: not tilec compile %s --start-from llvm --emit cubin --no-allow-spills -o %t 2>&1 | FileCheck %s --check-prefix=ERROR

// CHECK: matmul.tile:7:5: warning[T0609]: ptxas: (C7517)
// CHECK: hint: accept it: --allow-spills, allow_spills=True in Python
// ACCEPTED-NOT: T0609
// ERROR: matmul.tile:7:5: error[T0609]: ptxas: (C7517)
llvm.func @k(%out: !llvm.ptr<1>, %a: i64, %x: f32)
    attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, nvvm.minctasm = 1 : i32,
      tilec.kernel = {name = "k"}} {
  %0 = llvm.inline_asm has_side_effects asm_dialect = att
    "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, $8, $8, 1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned;",
    "=f,=f,=f,=f,0,1,2,3,l,~{memory}" %x, %x, %x, %x, %a
    : (f32, f32, f32, f32, i64) -> !llvm.struct<(f32, f32, f32, f32)> loc("matmul.tile":5:5)
  %1 = llvm.extractvalue %0[0] : !llvm.struct<(f32, f32, f32, f32)> loc("matmul.tile":7:5)
  llvm.store %1, %out : f32, !llvm.ptr<1> loc("matmul.tile":7:5)
  llvm.return loc("matmul.tile":8:5)
} loc("matmul.tile":1:1)
