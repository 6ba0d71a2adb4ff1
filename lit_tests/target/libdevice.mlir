// Functions of libdevice are linked, inlined and leave no call.
// RUN: tilec compile %s --start-from llvm --emit ptx | FileCheck %s

// CHECK-NOT: __nv_
// CHECK: ex2.approx
// CHECK-NOT: .func
llvm.func @__nv_expf(f32) -> f32
llvm.func @k(%x: f32, %out: !llvm.ptr<1>)
    attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, nvvm.minctasm = 1 : i32, tilec.kernel = {name = "k"}} {
  %0 = llvm.call @__nv_expf(%x) : (f32) -> f32
  llvm.store %0, %out : f32, !llvm.ptr<1>
  llvm.return
}
