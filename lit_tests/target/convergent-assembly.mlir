// Inline assembly with side effects is convergent: LLVM must not move a barrier into a branch.
// RUN: tilec compile %s --start-from llvm --emit llvmir | FileCheck %s

// CHECK: asm sideeffect "bar.sync 0;", "~{memory}"() convergent
// CHECK: asm "neg.f32 $0, $1;", "=f,f"
// CHECK-NOT: convergent
llvm.func @k(%x: f32, %out: !llvm.ptr<1>)
    attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, tilec.kernel = {name = "k"}} {
  llvm.inline_asm has_side_effects asm_dialect = att "bar.sync 0;", "~{memory}" : () -> ()
  %0 = llvm.inline_asm asm_dialect = att "neg.f32 $0, $1;", "=f,f" %x : (f32) -> f32
  llvm.store %0, %out : f32, !llvm.ptr<1>
  llvm.return
}
