// RUN: tilec opt %s --passes nv-tileaa-promote-sums --split-input-file | FileCheck %s

// Each part of K is summed from zeros and added to the accumulator in f32. The last part may be
// shorter.
// CHECK-LABEL: module @parts_of_k
// CHECK:       ^bb0(%[[A:.*]]: tensor<64x160xf8E4M3FN>, %[[B:.*]]: tensor<16x160xf8E5M2>, %[[C:.*]]: tensor<64x16xf32>):
// CHECK-NEXT:    %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<64x16xf32>
// CHECK-NEXT:    %[[S:.*]] = "nv_tileaa.dot"(%[[A]], %[[B]], %[[Z]]) {a_major = "k", b_major = "k", k_part = array<i64: 0, 96>}
// CHECK-NEXT:    %[[ONE:.*]] = arith.addf %[[C]], %[[S]]
// CHECK-NEXT:    %[[T:.*]] = "nv_tileaa.dot"(%[[A]], %[[B]], %[[Z]]) {a_major = "k", b_major = "k", k_part = array<i64: 96, 64>}
// CHECK-NEXT:    arith.addf %[[ONE]], %[[T]]
module @parts_of_k {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<64x160xf8E4M3FN>, %b: tensor<16x160xf8E5M2>, %acc: tensor<64x16xf32>):
    %d = "nv_tileaa.dot"(%a, %b, %acc) {a_major = "k", b_major = "k", promote = 96 : i64} : (tensor<64x160xf8E4M3FN>, tensor<16x160xf8E5M2>, tensor<64x16xf32>) -> tensor<64x16xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x160xf8E4M3FN>, tensor<16x160xf8E5M2>, tensor<64x16xf32>) -> ()} : () -> ()
}

// -----

// A shorter K is one part.
// CHECK-LABEL: module @one_part
// CHECK:         %[[S:.*]] = "nv_tileaa.dot"(%{{.*}}, %{{.*}}, %{{.*}}) {a_major = "k", b_major = "n", precision = "tf32"}
// CHECK-NEXT:    arith.addf %{{.*}}, %[[S]]
module @one_part {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<64x16xf32>, %b: tensor<16x16xf32>, %acc: tensor<64x16xf32>):
    %d = "nv_tileaa.dot"(%a, %b, %acc) {a_major = "k", b_major = "n", precision = "tf32", promote = 16 : i64} : (tensor<64x16xf32>, tensor<16x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x16xf32>, tensor<16x16xf32>, tensor<64x16xf32>) -> ()} : () -> ()
}

// -----

// The sums of the CUDA cores need no promotion.
// CHECK-LABEL: module @cuda_cores
// CHECK:       ^bb0
// CHECK-NEXT:    "nv_tileaa.dot"(%{{.*}}) {a_major = "k", b_major = "n"}
// CHECK-NEXT:    "nv_tileaa.return"
module @cuda_cores {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<64x16xf32>, %b: tensor<16x16xf32>, %acc: tensor<64x16xf32>):
    %d = "nv_tileaa.dot"(%a, %b, %acc) {a_major = "k", b_major = "n", promote = 16 : i64} : (tensor<64x16xf32>, tensor<16x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x16xf32>, tensor<16x16xf32>, tensor<64x16xf32>) -> ()} : () -> ()
}
