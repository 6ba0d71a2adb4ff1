// --lineinfo keeps source lines, and does not switch optimisation off.
// RUN: tilec compile %s --start-from llvm --emit ptx --lineinfo | FileCheck %s
// RUN: tilec compile %s --start-from llvm --emit ptx | FileCheck %s --check-prefix=PLAIN

// CHECK: .target sm_90a{{$}}
// CHECK: .loc {{[0-9]+}} 4 5
// CHECK-NEXT: st.global.b32
// CHECK: .file {{[0-9]+}} "k.tile"
// PLAIN-NOT: .loc
llvm.func @k(%x: f32, %out: !llvm.ptr<1>)
    attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, nvvm.minctasm = 1 : i32, tilec.kernel = {name = "k"}} {
  llvm.store %x, %out : f32, !llvm.ptr<1> loc("k.tile":4:5)

  llvm.return loc("k.tile":5:5)
} loc("k.tile":1:1)
