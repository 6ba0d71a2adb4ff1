// RUN: tilec opt %s --passes nv-tileas-share-rounds --split-input-file | FileCheck %s

// Each CTA of a cluster takes some rounds, and the reduction is one of all CTAs.

// CHECK-LABEL: module @rounds
// CHECK:         %[[RANK:.*]] = "nv_tileas.cluster_coord"() {axis = 0 : i64, cluster = array<i64: 8, 1>}
// CHECK:         %[[SKIPPED:.*]] = arith.muli %[[RANK]], %[[ONE:.*]] : i32
// CHECK:         %[[FIRST:.*]] = arith.addi %{{.*}}, %[[SKIPPED]] : i32
// CHECK:         %[[EIGHT:.*]] = arith.constant 8 : i32
// CHECK:         %[[T:.*]] = scf.for %{{.*}} = %[[FIRST]] to %{{.*}} step %[[EIGHT]]
// CHECK:         "nv_tileas.reduce"(%[[T]])
// CHECK:         {across_ctas, axis = 0 : i64}
module @rounds {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %x: tensor<64x32xf32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zeros = arith.constant dense<0.0> : tensor<64x32xf32>
    %t = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zeros) -> (tensor<64x32xf32>) : i32 {
      %a = arith.addf %s, %x : tensor<64x32xf32>
      scf.yield %a : tensor<64x32xf32>
    }
    %r = "nv_tileas.reduce"(%t) ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      "nv_tileas.yield_values"(%c) : (f32) -> ()
    }) {axis = 0 : i64} : (tensor<64x32xf32>) -> tensor<32xf32>
    "nv_tileaa.return"() : () -> ()
  }) {function_type = (i32, tensor<64x32xf32>) -> (), sym_name = "rounds", nv_tileaa.kernel_spec = {consumer_warps = 4 : i64, producer_warps = 4 : i64, share_rounds = true, spread = 8 : i64}} : () -> ()
}

// -----

// Where CTAs have a part of each tile, all of them run all rounds.

// CHECK-LABEL: module @parts
// CHECK-NOT:     cluster_coord
// CHECK-NOT:     across_ctas
module @parts {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %x: tensor<64x32xf32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zeros = arith.constant dense<0.0> : tensor<64x32xf32>
    %t = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zeros) -> (tensor<64x32xf32>) : i32 {
      %a = arith.addf %s, %x : tensor<64x32xf32>
      scf.yield %a : tensor<64x32xf32>
    }
    %r = "nv_tileas.reduce"(%t) ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      "nv_tileas.yield_values"(%c) : (f32) -> ()
    }) {axis = 0 : i64} : (tensor<64x32xf32>) -> tensor<32xf32>
    "nv_tileaa.return"() : () -> ()
  }) {function_type = (i32, tensor<64x32xf32>) -> (), sym_name = "parts", nv_tileaa.kernel_spec = {consumer_warps = 4 : i64, producer_warps = 0 : i64, share_rounds = false, spread = 8 : i64}} : () -> ()
}
