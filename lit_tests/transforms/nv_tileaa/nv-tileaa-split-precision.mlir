// RUN: tilec opt %s --passes nv-tileaa-split-precision --split-input-file | FileCheck %s

// Tensor cores ignore the last 13 bits of an f32, so a tile is its own leading part. Small products
// are added first; the product of the two remaining parts is left out.
// CHECK-LABEL: module @three_of_tf32
// CHECK:       ^bb0(%[[A:.*]]: tensor<64x8xf32>, %[[B:.*]]: tensor<16x8xf32>, %[[C:.*]]: tensor<64x16xf32>):
// CHECK-NEXT:    %[[BITS:.*]] = arith.bitcast %[[A]]
// CHECK-NEXT:    %[[MASK:.*]] = arith.constant dense<-8192> : tensor<64x8xi32>
// CHECK-NEXT:    %[[KEPT:.*]] = arith.andi %[[BITS]], %[[MASK]]
// CHECK-NEXT:    %[[HIGH:.*]] = arith.bitcast %[[KEPT]]
// CHECK-NEXT:    %[[AL:.*]] = arith.subf %[[A]], %[[HIGH]]
// CHECK:         %[[BL:.*]] = arith.subf %[[B]]
// CHECK-NEXT:    %[[ONE:.*]] = "nv_tileaa.dot"(%[[AL]], %[[B]], %[[C]]) {a_major = "k", b_major = "k", precision = "tf32", promote = 16 : i64}
// CHECK-NEXT:    %[[TWO:.*]] = "nv_tileaa.dot"(%[[A]], %[[BL]], %[[ONE]]) {a_major = "k", b_major = "k", precision = "tf32", promote = 16 : i64}
// CHECK-NEXT:    "nv_tileaa.dot"(%[[A]], %[[B]], %[[TWO]]) {a_major = "k", b_major = "k", precision = "tf32", promote = 16 : i64}
module @three_of_tf32 {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<64x8xf32>, %b: tensor<16x8xf32>, %acc: tensor<64x16xf32>):
    %d = "nv_tileaa.dot"(%a, %b, %acc) {a_major = "k", b_major = "k", precision = "tf32x3", promote = 16 : i64} : (tensor<64x8xf32>, tensor<16x8xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x8xf32>, tensor<16x8xf32>, tensor<64x16xf32>) -> ()} : () -> ()
}

// -----

// In bf16 both parts are tiles of their own, whose products are exact.
// CHECK-LABEL: module @three_of_bf16
// CHECK:       ^bb0(%[[A:.*]]: tensor<64x16xf32>,
// CHECK-NEXT:    %[[H:.*]] = arith.truncf %[[A]] : tensor<64x16xf32> to tensor<64x16xbf16>
// CHECK-NEXT:    %[[W:.*]] = arith.extf %[[H]]
// CHECK-NEXT:    %[[R:.*]] = arith.subf %[[A]], %[[W]]
// CHECK-NEXT:    %[[L:.*]] = arith.truncf %[[R]]
// CHECK:         "nv_tileaa.dot"(%[[L]], %[[BH:.*]], %{{.*}}) {a_major = "k", b_major = "n"} : (tensor<64x16xbf16>
// CHECK-NEXT:    "nv_tileaa.dot"(%[[H]], %{{.*}}, %{{.*}}) {a_major = "k", b_major = "n"}
// CHECK-NEXT:    "nv_tileaa.dot"(%[[H]], %[[BH]], %{{.*}}) {a_major = "k", b_major = "n"}
module @three_of_bf16 {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<64x16xf32>, %b: tensor<16x16xf32>, %acc: tensor<64x16xf32>):
    %d = "nv_tileaa.dot"(%a, %b, %acc) {a_major = "k", b_major = "n", precision = "bf16x3"} : (tensor<64x16xf32>, tensor<16x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x16xf32>, tensor<16x16xf32>, tensor<64x16xf32>) -> ()} : () -> ()
}

// -----

// A single product of tf32 is one that the tensor cores have.
// CHECK-LABEL: module @one_of_tf32
// CHECK:       ^bb0
// CHECK-NEXT:    "nv_tileaa.dot"(%{{.*}}) {a_major = "k", b_major = "n", precision = "tf32"}
// CHECK-NEXT:    "nv_tileaa.return"
module @one_of_tf32 {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<64x16xf32>, %b: tensor<16x16xf32>, %acc: tensor<64x16xf32>):
    %d = "nv_tileaa.dot"(%a, %b, %acc) {a_major = "k", b_major = "n", precision = "tf32"} : (tensor<64x16xf32>, tensor<16x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x16xf32>, tensor<16x16xf32>, tensor<64x16xf32>) -> ()} : () -> ()
}
