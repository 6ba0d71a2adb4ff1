// RUN: tilec opt %s --passes nv-tileaa-swap-operands --split-input-file | FileCheck %s

// 16 rows are no slice of wgmma, but 64 columns are. The loop carries the transpose; B becomes A.
// CHECK-LABEL: module @few_rows
// CHECK:       ^bb0(%[[A:.*]]: tensor<16x32xbf16>, %[[B:.*]]: tensor<32x64xbf16>, %[[N:.*]]: i32):
// CHECK:         %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<64x16xf32>
// CHECK:         %[[T:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[Z]]) -> (tensor<64x16xf32>)
// CHECK-NEXT:      %[[D:.*]] = "nv_tileaa.dot"(%[[B]], %[[A]], %[[ACC]]) {a_major = "m", b_major = "k"}
// CHECK-NEXT:      scf.yield %[[D]] : tensor<64x16xf32>
// CHECK:         %[[R:.*]] = "nv_tileaa.permute"(%[[T]]) {permutation = array<i64: 1, 0>} : (tensor<64x16xf32>) -> tensor<16x64xf32>
// CHECK-NEXT:    arith.truncf %[[R]]
module @few_rows {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<16x32xbf16>, %b: tensor<32x64xbf16>, %n: i32):
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %zeros = arith.constant dense<0.0> : tensor<16x64xf32>
    %r = scf.for %k = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<16x64xf32>) : i32 {
      %d = "nv_tileaa.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<16x32xbf16>, tensor<32x64xbf16>, tensor<16x64xf32>) -> tensor<16x64xf32>
      scf.yield %d : tensor<16x64xf32>
    }
    %c = arith.truncf %r : tensor<16x64xf32> to tensor<16x64xbf16>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<16x32xbf16>, tensor<32x64xbf16>, i32) -> ()} : () -> ()
}

// -----

// A planned cluster is one of rows and columns of the product, which change places.
// CHECK-LABEL: module @planned_clusters_turn
// CHECK:       planned_cluster = [4, 1]
module @planned_clusters_turn {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<16x32xbf16>, %b: tensor<32x64xbf16>, %n: i32):
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %zeros = arith.constant dense<0.0> : tensor<16x64xf32>
    %r = scf.for %k = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<16x64xf32>) : i32 {
      %d = "nv_tileaa.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<16x32xbf16>, tensor<32x64xbf16>, tensor<16x64xf32>) -> tensor<16x64xf32>
      scf.yield %d : tensor<16x64xf32>
    }
    %c = arith.truncf %r : tensor<16x64xf32> to tensor<16x64xbf16>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<16x32xbf16>, tensor<32x64xbf16>, i32) -> (), tilec.kernel = {planned_cluster = [1, 4]}} : () -> ()
}

// -----

// Operands keep their storage: B as NxK is read with K contiguous, and KxM A, too, as it is.
// Signedness goes with the operand, and what is added to is transposed.
// CHECK-LABEL: module @other_orders
// CHECK:       ^bb0(%[[A:.*]]: tensor<32x8xi8>, %[[B:.*]]: tensor<64x32xi8>, %[[C:.*]]: tensor<8x64xi32>,
// CHECK:         %[[I:.*]] = "nv_tileaa.permute"(%[[C]])
// CHECK:         scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[I]])
// CHECK-NEXT:      "nv_tileaa.dot"(%[[B]], %[[A]], %[[ACC]]) {a_major = "k", b_major = "n", signedness_a = "signed", signedness_b = "unsigned"}
module @other_orders {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<32x8xi8>, %b: tensor<64x32xi8>, %c: tensor<8x64xi32>, %n: i32):
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %r = scf.for %k = %zero to %n step %one iter_args(%acc = %c) -> (tensor<8x64xi32>) : i32 {
      %d = "nv_tileaa.dot"(%a, %b, %acc) {a_major = "m", b_major = "k", signedness_a = "unsigned", signedness_b = "signed"} : (tensor<32x8xi8>, tensor<64x32xi8>, tensor<8x64xi32>) -> tensor<8x64xi32>
      scf.yield %d : tensor<8x64xi32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<32x8xi8>, tensor<64x32xi8>, tensor<8x64xi32>, i32) -> ()} : () -> ()
}

// -----

// These stay: wgmma does the first as it is and the second in neither way; the loop reads the sum
// of the third; the fourth is in no loop.
// CHECK-LABEL: module @others_stay
// CHECK-NOT:     permute
module @others_stay {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<64x32xbf16>, %b: tensor<32x64xbf16>, %c: tensor<16x32xbf16>, %e: tensor<32x32xbf16>, %n: i32):
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %z0 = arith.constant dense<0.0> : tensor<64x64xf32>
    %z1 = arith.constant dense<0.0> : tensor<16x32xf32>
    %z2 = arith.constant dense<0.0> : tensor<16x64xf32>
    %r:3 = scf.for %k = %zero to %n step %one iter_args(%s0 = %z0, %s1 = %z1, %s2 = %z2) -> (tensor<64x64xf32>, tensor<16x32xf32>, tensor<16x64xf32>) : i32 {
      %d0 = "nv_tileaa.dot"(%a, %b, %s0) {a_major = "k", b_major = "n"} : (tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %d1 = "nv_tileaa.dot"(%c, %e, %s1) {a_major = "k", b_major = "n"} : (tensor<16x32xbf16>, tensor<32x32xbf16>, tensor<16x32xf32>) -> tensor<16x32xf32>
      %h = arith.addf %s2, %s2 : tensor<16x64xf32>
      %d2 = "nv_tileaa.dot"(%c, %b, %h) {a_major = "k", b_major = "n"} : (tensor<16x32xbf16>, tensor<32x64xbf16>, tensor<16x64xf32>) -> tensor<16x64xf32>
      scf.yield %d0, %d1, %d2 : tensor<64x64xf32>, tensor<16x32xf32>, tensor<16x64xf32>
    }
    %d3 = "nv_tileaa.dot"(%c, %b, %z2) {a_major = "k", b_major = "n"} : (tensor<16x32xbf16>, tensor<32x64xbf16>, tensor<16x64xf32>) -> tensor<16x64xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<16x32xbf16>, tensor<32x32xbf16>, i32) -> ()} : () -> ()
}
