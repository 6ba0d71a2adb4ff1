// RUN: tilec opt %s --split-input-file --passes canonicalize,cse | FileCheck %s

// `--split-input-file` treats the text between two separators as a module of its own.

// CHECK-LABEL: func.func @merge
// CHECK:       arith.addi
// CHECK-NOT:   arith.addi
// CHECK:       return
func.func @merge(%a: i32, %b: i32) -> (i32, i32) {
  %0 = arith.addi %a, %b : i32
  %1 = arith.addi %a, %b : i32
  return %0, %1 : i32, i32
}

// CHECK: // -----

// -----

// CHECK-LABEL: func.func @fold
// CHECK:       arith.constant 5 : i32
// CHECK-NOT:   arith.addi
func.func @fold() -> i32 {
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %0 = arith.addi %two, %three : i32
  return %0 : i32
}
