// RUN: tilec opt %s --passes verify-llvm-legality --split-input-file --verify-diagnostics | FileCheck %s

// The pass refuses operations and attributes that LLVM cannot translate or select.

// What translates and selects is left alone.

// CHECK-LABEL: llvm.func @legal
// CHECK-NEXT:    nvvm.read.ptx.sreg.tid.x
// CHECK-NEXT:    llvm.return
llvm.func @legal() attributes {nvvm.kernel} {
  %0 = nvvm.read.ptx.sreg.tid.x : i32
  llvm.return
}

// -----

llvm.func @not_lowered(%a: i32) -> i32 {
  // expected-error@+1 {{'arith.addi' op is not lowered to the llvm or nvvm dialect}}
  %0 = arith.addi %a, %a : i32
  llvm.return %0 : i32
}

// -----

llvm.func @live_cast(%a: i32) -> i64 {
  // expected-error@+1 {{a conversion from i32 to i64 is still needed}}
  %0 = builtin.unrealized_conversion_cast %a : i32 to i64
  llvm.return %0 : i64
}

// -----

llvm.func @no_instruction(%a: f32) -> f32 {
  // expected-error@+1 {{'llvm.intr.sin' op on f32 has no PTX instruction}}
  %0 = llvm.intr.sin(%a) : (f32) -> f32
  llvm.return %0 : f32
}
