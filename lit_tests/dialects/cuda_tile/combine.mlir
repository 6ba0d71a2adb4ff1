// RUN: tilec opt %s --split-input-file | FileCheck %s
// RUN: tilec opt %s --split-input-file | tilec opt - --split-input-file | FileCheck %s

// Reductions and scans: one result for each operand, a body that combines two elements.

// CHECK-LABEL: module @reduce_rows
module @reduce_rows {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.reduce"({{.*}}) ({
  // CHECK-NEXT: ^bb0([[A:%.*]]: f32, [[B:%.*]]: f32):
  // CHECK-NEXT: [[SUM:%.*]] = arith.addf [[A]], [[B]] : f32
  // CHECK-NEXT: "cuda_tile.yield"([[SUM]]) : (f32) -> ()
  // CHECK-NEXT: }) {dim = 1 : i64, identities = [0.000000e+00 : f32]} : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4xf32>
  %y = "cuda_tile.reduce"(%x) ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    "cuda_tile.yield"(%s) : (f32) -> ()
  }) {dim = 1 : i64, identities = [0.0 : f32]} : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4xf32>
}

// -----

// CHECK-LABEL: module @reduce_to_a_scalar
module @reduce_to_a_scalar {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<8xi32>
  // CHECK: (!cuda_tile.tile<8xi32>) -> i32
  %y = "cuda_tile.reduce"(%x) ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.maxsi %a, %b : i32
    "cuda_tile.yield"(%s) : (i32) -> ()
  }) {dim = 0 : i64, identities = [-2147483648 : i32]} : (!cuda_tile.tile<8xi32>) -> i32
}

// -----

// CHECK-LABEL: module @scan_two_tiles_from_the_end
module @scan_two_tiles_from_the_end {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x8xf32>
  %i = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x8xi32>
  // CHECK: "cuda_tile.scan"
  // CHECK: }) {dim = 0 : i64, identities = [0.000000e+00 : f32, 0 : i32], reverse} : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xi32>) -> (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xi32>)
  %y:2 = "cuda_tile.scan"(%x, %i) ({
  ^bb0(%a: f32, %b: f32, %c: i32, %d: i32):
    "cuda_tile.yield"(%b, %d) : (f32, i32) -> ()
  }) {dim = 0 : i64, identities = [0.0 : f32, 0 : i32], reverse} : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xi32>) -> (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xi32>)
}
