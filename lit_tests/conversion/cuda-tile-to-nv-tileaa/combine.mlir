// RUN: tilec opt %s --passes convert-cuda-tile-to-nv-tileaa,convert-nv-tileaa-to-nv-tileas | FileCheck %s

// The passes keep the body of reductions and scans; the identities go.

"cuda_tile.entry"() ({
^bb0(%s: f32, %i: i32):
  %f = "cuda_tile.splat"(%s) : (f32) -> !cuda_tile.tile<4x8xf32>
  %g = "cuda_tile.splat"(%i) : (i32) -> !cuda_tile.tile<4x8xi32>
  // CHECK: "nv_tileas.reduce"(%{{.*}}) ({
  // CHECK-NEXT: ^bb0([[A:%.*]]: f32, [[B:%.*]]: f32):
  // CHECK-NEXT: [[SUM:%.*]] = arith.addf [[A]], [[B]] : f32
  // CHECK-NEXT: "nv_tileas.yield_values"([[SUM]]) : (f32) -> ()
  // CHECK-NEXT: }) {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4xf32>
  %r = "cuda_tile.reduce"(%f) ({
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    "cuda_tile.yield"(%t) : (f32) -> ()
  }) {dim = 1 : i64, identities = [0.0 : f32]} : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4xf32>
  // CHECK: "nv_tileas.scan"(%{{.*}}, %{{.*}}) ({
  // CHECK: }) {axis = 0 : i64, reverse} : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4x8xf32>, tensor<4x8xi32>)
  %u:2 = "cuda_tile.scan"(%f, %g) ({
  ^bb0(%a: f32, %b: f32, %c: i32, %d: i32):
    "cuda_tile.yield"(%a, %d) : (f32, i32) -> ()
  }) {dim = 0 : i64, identities = [0.0 : f32, 0 : i32], reverse} : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xi32>) -> (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xi32>)
  "cuda_tile.return"() : () -> ()
}) {sym_name = "combine", function_type = (f32, i32) -> ()} : () -> ()
