// Constants that the two LLVM versions spell differently keep their bits.
// RUN: tilec compile %s --start-from llvm --emit llvmir | FileCheck %s --check-prefix=LLVMIR
// RUN: tilec compile %s --start-from llvm --emit ptx | FileCheck %s

// LLVMIR: fadd float {{%[0-9]+}}, 0x3FB99999A0000000
// LLVMIR: fmul float {{%[0-9]+}}, 0x47EFFFFFE0000000
// LLVMIR: store volatile float 0xFFF0000000000000
// LLVMIR: store volatile half 0xH2E66
// LLVMIR: store volatile bfloat 0xR7FC0
// LLVMIR: store volatile double 0x3FB999999999999A
// CHECK: 0f3DCCCCCD
// CHECK: 0f7F7FFFFF
// CHECK: st.volatile.global.b32 {{.*}}, -8388608;
llvm.func @k(%x: f32, %out: !llvm.ptr<1>)
    attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, nvvm.minctasm = 1 : i32, tilec.kernel = {name = "k"}} {
  %tenth = llvm.mlir.constant(0.1 : f32) : f32
  %largest = llvm.mlir.constant(0x7F7FFFFF : f32) : f32
  %infinity = llvm.mlir.constant(0xFF800000 : f32) : f32
  %half = llvm.mlir.constant(0.1 : f16) : f16
  %nan = llvm.mlir.constant(0x7FC0 : bf16) : bf16
  %double = llvm.mlir.constant(0.1 : f64) : f64
  %0 = llvm.fadd %x, %tenth : f32
  %1 = llvm.fmul %0, %largest : f32
  llvm.store volatile %1, %out : f32, !llvm.ptr<1>
  llvm.store volatile %infinity, %out : f32, !llvm.ptr<1>
  llvm.store volatile %half, %out : f16, !llvm.ptr<1>
  llvm.store volatile %nan, %out : bf16, !llvm.ptr<1>
  llvm.store volatile %double, %out : f64, !llvm.ptr<1>
  llvm.return
}
