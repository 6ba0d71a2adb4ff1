// Text that would end the process in MLIR's parser is refused before it is parsed.
// RUN: not tilec opt %s --split-input-file 2>&1 | FileCheck %s

// CHECK: unsafe-text.mlir:7:26: error[T0584]: result number 2147483647 is out of range
// CHECK: hint: an operation has at most 65536 results
func.func @number_of_a_result(%a: i32) {
  %0 = arith.addi %a, %a#2147483647 : i32
  return
}

// -----

// CHECK: unsafe-text.mlir:15:32: error[T0584]: position 4294967296 is in no struct or array
func.func @position_in_a_struct(%a: !llvm.struct<(i32, i32)>) {
  %0 = llvm.extractvalue %a[0, 4294967296] : !llvm.struct<(i32, i32)>
  return
}
