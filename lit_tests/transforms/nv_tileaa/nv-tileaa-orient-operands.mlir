// RUN: tilec opt %s --passes nv-tileaa-orient-operands --split-input-file | FileCheck %s

// wgmma reads 8-bit operands only where K is contiguous: B becomes NxK, and a permuted tile. A lies
// right.
// CHECK-LABEL: module @an_operand_is_permuted
// CHECK:       ^bb0(%[[A:.*]]: tensor<64x32xf8E4M3FN>, %[[B:.*]]: tensor<32x16xf8E4M3FN>,
// CHECK-NEXT:    %[[P:.*]] = "nv_tileaa.permute"(%[[B]]) {permutation = array<i64: 1, 0>} : (tensor<32x16xf8E4M3FN>) -> tensor<16x32xf8E4M3FN>
// CHECK-NEXT:    "nv_tileaa.dot"(%[[A]], %[[P]], %{{.*}}) {a_major = "k", b_major = "k"}
module @an_operand_is_permuted {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<64x32xf8E4M3FN>, %b: tensor<32x16xf8E4M3FN>, %acc: tensor<64x16xf32>):
    %d = "nv_tileaa.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<64x32xf8E4M3FN>, tensor<32x16xf8E4M3FN>, tensor<64x16xf32>) -> tensor<64x16xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x32xf8E4M3FN>, tensor<32x16xf8E4M3FN>, tensor<64x16xf32>) -> ()} : () -> ()
}

// -----

// A tile that is permuted already is taken as it was before. M-major A is permuted, too.
// CHECK-LABEL: module @permutes_cancel
// CHECK:       ^bb0(%[[A:.*]]: tensor<8x64xf32>, %[[B:.*]]: tensor<16x8xf32>,
// CHECK-NEXT:    %[[P:.*]] = "nv_tileaa.permute"(%[[A]])
// CHECK-NEXT:    "nv_tileaa.dot"(%[[P]], %[[B]], %{{.*}}) {a_major = "k", b_major = "k", precision = "tf32"}
module @permutes_cancel {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<8x64xf32>, %b: tensor<16x8xf32>, %acc: tensor<64x16xf32>):
    %p = "nv_tileaa.permute"(%b) {permutation = array<i64: 1, 0>} : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %d = "nv_tileaa.dot"(%a, %p, %acc) {a_major = "m", b_major = "n", precision = "tf32"} : (tensor<8x64xf32>, tensor<8x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<8x64xf32>, tensor<16x8xf32>, tensor<64x16xf32>) -> ()} : () -> ()
}

// -----

// 16-bit operands may lie either way, and the CUDA cores read everything.
// CHECK-LABEL: module @others_stay
// CHECK-NOT:     permute
module @others_stay {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<64x32xbf16>, %b: tensor<32x16xbf16>, %c: tensor<64x32xf32>, %e: tensor<32x16xf32>, %f: tensor<32x32xi8>, %acc: tensor<64x16xf32>, %sum: tensor<32x32xi32>):
    %d = "nv_tileaa.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<64x32xbf16>, tensor<32x16xbf16>, tensor<64x16xf32>) -> tensor<64x16xf32>
    %g = "nv_tileaa.dot"(%c, %e, %acc) {a_major = "k", b_major = "n"} : (tensor<64x32xf32>, tensor<32x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
    %h = "nv_tileaa.dot"(%f, %f, %sum) {a_major = "k", b_major = "n", signedness_a = "signed", signedness_b = "signed"} : (tensor<32x32xi8>, tensor<32x32xi8>, tensor<32x32xi32>) -> tensor<32x32xi32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x32xbf16>, tensor<32x16xbf16>, tensor<64x32xf32>, tensor<32x16xf32>, tensor<32x32xi8>, tensor<64x16xf32>, tensor<32x32xi32>) -> ()} : () -> ()
}
