// RUN: tilec opt %s --passes nv-tileaa-fold-transpose --split-input-file | FileCheck %s

// The pass removes the transpose of an operand, and tells the product the major dim instead.

// x @ W.T with W stored [N, K]: the transpose of the loaded tile becomes b_major = "k".

!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>

// CHECK-LABEL: module @a_transposed_operand_is_read_in_place
// CHECK:      %[[A:.*]]:2 = "nv_tileaa.tiled_load"({{.*}} -> (tensor<64x32xbf16>
// CHECK-NEXT: %[[W:.*]]:2 = "nv_tileaa.tiled_load"({{.*}} -> (tensor<16x32xbf16>
// CHECK-NOT:  permute
// CHECK:      "nv_tileaa.dot"(%[[A]]#0, %[[W]]#0, %{{.*}}) {a_major = "k", b_major = "k"} : (tensor<64x32xbf16>, tensor<16x32xbf16>, tensor<64x16xf32>)
module @a_transposed_operand_is_read_in_place {
  "nv_tileaa.func"() ({
  ^bb0(%v: !memref, %i: i32, %acc: tensor<64x16xf32>):
    %a, %t = "nv_tileaa.tiled_load"(%v, %i, %i) : (!memref, i32, i32) -> (tensor<64x32xbf16>, !nv_tileaa.mem_token)
    %w, %u = "nv_tileaa.tiled_load"(%v, %i, %i) : (!memref, i32, i32) -> (tensor<16x32xbf16>, !nv_tileaa.mem_token)
    %b = "nv_tileaa.permute"(%w) {permutation = array<i64: 1, 0>} : (tensor<16x32xbf16>) -> tensor<32x16xbf16>
    %d = "nv_tileaa.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<64x32xbf16>, tensor<32x16xbf16>, tensor<64x16xf32>) -> tensor<64x16xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!memref, i32, tensor<64x16xf32>) -> ()} : () -> ()
}

// -----

// Both matrices column-major, the second transposed twice (by its storage and by the user): A is read
// M-major, B as it is stored. A permute with another use stays.

!memref = !nv_tileaa.memref<memref<?x?xf16, strided<[?, 1]>, 1>, 0 : i64>

// CHECK-LABEL: module @both_operands_are_read_in_place
// CHECK:      %[[A:.*]]:2 = "nv_tileaa.tiled_load"({{.*}} -> (tensor<32x64xf16>
// CHECK:      %[[B:.*]]:2 = "nv_tileaa.tiled_load"({{.*}} -> (tensor<32x16xf16>
// CHECK:      %[[AT:.*]] = "nv_tileaa.permute"(%[[A]]#0)
// CHECK-NOT:  permute
// CHECK:      "nv_tileaa.dot"(%[[A]]#0, %[[B]]#0, %{{.*}}) {a_major = "m", b_major = "n"} : (tensor<32x64xf16>, tensor<32x16xf16>, tensor<64x16xf32>)
// CHECK:      "nv_tileaa.tiled_store"(%{{.*}}, %[[AT]],
module @both_operands_are_read_in_place {
  "nv_tileaa.func"() ({
  ^bb0(%v: !memref, %i: i32, %acc: tensor<64x16xf32>):
    %a, %t = "nv_tileaa.tiled_load"(%v, %i, %i) : (!memref, i32, i32) -> (tensor<32x64xf16>, !nv_tileaa.mem_token)
    %b, %u = "nv_tileaa.tiled_load"(%v, %i, %i) : (!memref, i32, i32) -> (tensor<32x16xf16>, !nv_tileaa.mem_token)
    %at = "nv_tileaa.permute"(%a) {permutation = array<i64: 1, 0>} : (tensor<32x64xf16>) -> tensor<64x32xf16>
    %bt = "nv_tileaa.permute"(%b) {permutation = array<i64: 1, 0>} : (tensor<32x16xf16>) -> tensor<16x32xf16>
    %btt = "nv_tileaa.permute"(%bt) {permutation = array<i64: 1, 0>} : (tensor<16x32xf16>) -> tensor<32x16xf16>
    %d = "nv_tileaa.dot"(%at, %btt, %acc) {a_major = "k", b_major = "n"} : (tensor<64x32xf16>, tensor<32x16xf16>, tensor<64x16xf32>) -> tensor<64x16xf32>
    %s = "nv_tileaa.tiled_store"(%v, %at, %i, %i) : (!memref, tensor<64x32xf16>, i32, i32) -> !nv_tileaa.mem_token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!memref, i32, tensor<64x16xf32>) -> ()} : () -> ()
}

// -----

// wgmma has no transpose bits for tf32: M-major A stays a permute, K-major B is fine. A computed tile
// is not folded either.

!memref = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>

// CHECK-LABEL: module @other_permutes_are_kept
// CHECK:      %[[AT:.*]] = "nv_tileaa.permute"
// CHECK-NOT:  permute
// CHECK:      "nv_tileaa.dot"(%[[AT]], %{{.*}}, %{{.*}}) {a_major = "k", b_major = "k", precision = "tf32"}
// CHECK:      %[[N:.*]] = arith.negf
// CHECK-NEXT: %[[NT:.*]] = "nv_tileaa.permute"(%[[N]])
// CHECK-NEXT: "nv_tileaa.dot"(%{{.*}}, %[[NT]], %{{.*}}) {a_major = "k", b_major = "n", precision = "tf32"}
module @other_permutes_are_kept {
  "nv_tileaa.func"() ({
  ^bb0(%v: !memref, %i: i32, %acc: tensor<64x16xf32>):
    %a, %t = "nv_tileaa.tiled_load"(%v, %i, %i) : (!memref, i32, i32) -> (tensor<32x64xf32>, !nv_tileaa.mem_token)
    %w, %u = "nv_tileaa.tiled_load"(%v, %i, %i) : (!memref, i32, i32) -> (tensor<16x32xf32>, !nv_tileaa.mem_token)
    %at = "nv_tileaa.permute"(%a) {permutation = array<i64: 1, 0>} : (tensor<32x64xf32>) -> tensor<64x32xf32>
    %b = "nv_tileaa.permute"(%w) {permutation = array<i64: 1, 0>} : (tensor<16x32xf32>) -> tensor<32x16xf32>
    %d = "nv_tileaa.dot"(%at, %b, %acc) {a_major = "k", b_major = "n", precision = "tf32"} : (tensor<64x32xf32>, tensor<32x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
    %n = arith.negf %w : tensor<16x32xf32>
    %nt = "nv_tileaa.permute"(%n) {permutation = array<i64: 1, 0>} : (tensor<16x32xf32>) -> tensor<32x16xf32>
    %e = "nv_tileaa.dot"(%at, %nt, %acc) {a_major = "k", b_major = "n", precision = "tf32"} : (tensor<64x32xf32>, tensor<32x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!memref, i32, tensor<64x16xf32>) -> ()} : () -> ()
}

// -----

// What threads compute is stored as it is, and read in the other order: A is M-major, B K-major.

!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>

// CHECK-LABEL: module @computed_tiles_are_read_in_the_other_order
// CHECK:      %[[N:.*]] = arith.negf
// CHECK-NOT:  permute
// CHECK:      "nv_tileaa.dot"(%[[N]], %{{.*}}, %{{.*}}) {a_major = "m", b_major = "n"}
// CHECK:      "nv_tileaa.dot"(%{{.*}}, %[[N]], %{{.*}}) {a_major = "k", b_major = "k"}
module @computed_tiles_are_read_in_the_other_order {
  "nv_tileaa.func"() ({
  ^bb0(%v: !memref, %i: i32, %acc: tensor<64x64xf32>, %k: tensor<64x64xbf16>):
    %w, %u = "nv_tileaa.tiled_load"(%v, %i, %i) : (!memref, i32, i32) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
    %n = arith.negf %w : tensor<64x64xbf16>
    %nt = "nv_tileaa.permute"(%n) {permutation = array<i64: 1, 0>} : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
    %d = "nv_tileaa.dot"(%nt, %w, %acc) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %e = "nv_tileaa.dot"(%k, %nt, %acc) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!memref, i32, tensor<64x64xf32>, tensor<64x64xbf16>) -> ()} : () -> ()
}

// -----

// Three dims: a chain of permutes becomes one, a chain that ends where it began none.

// CHECK-LABEL: module @permutes_of_permutes_become_one
// CHECK:      ^bb0(%[[X:.*]]: tensor<2x4x8xf32>
// CHECK-NEXT: %[[ONE:.*]] = "nv_tileaa.permute"(%[[X]]) {permutation = array<i64: 2, 0, 1>} : (tensor<2x4x8xf32>) -> tensor<8x2x4xf32>
// CHECK-NEXT: math.exp %[[ONE]]
// CHECK-NEXT: math.exp2 %[[X]]
module @permutes_of_permutes_become_one {
  "nv_tileaa.func"() ({
  ^bb0(%x: tensor<2x4x8xf32>):
    %a = "nv_tileaa.permute"(%x) {permutation = array<i64: 1, 2, 0>} : (tensor<2x4x8xf32>) -> tensor<4x8x2xf32>
    %b = "nv_tileaa.permute"(%a) {permutation = array<i64: 1, 2, 0>} : (tensor<4x8x2xf32>) -> tensor<8x2x4xf32>
    %c = "nv_tileaa.permute"(%b) {permutation = array<i64: 1, 2, 0>} : (tensor<8x2x4xf32>) -> tensor<2x4x8xf32>
    %d = math.exp %b : tensor<8x2x4xf32>
    %e = math.exp2 %c : tensor<2x4x8xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<2x4x8xf32>) -> ()} : () -> ()
}

// -----

// A batch of column-major matrices: the view that drops the batch comes before the permute, which
// folds. A permute that moves a dim of extent 1 alone goes, wherever the stored tile has that dim.

!memref = !nv_tileaa.memref<memref<?x?x?xbf16, strided<[?, ?, 1]>, 1>, 0 : i64>

// CHECK-LABEL: module @a_batch_is_read_in_place
// CHECK:      %[[A:.*]]:2 = "nv_tileaa.tiled_load"({{.*}} -> (tensor<1x32x64xbf16>
// CHECK:      %[[B:.*]]:2 = "nv_tileaa.tiled_load"({{.*}} -> (tensor<32x1x16xbf16>
// CHECK-NEXT: %[[M:.*]] = "nv_tileaa.view"(%[[A]]#0) : (tensor<1x32x64xbf16>) -> tensor<32x64xbf16>
// CHECK-NEXT: %[[N:.*]] = "nv_tileaa.view"(%[[B]]#0) : (tensor<32x1x16xbf16>) -> tensor<32x16xbf16>
// CHECK-NEXT: "nv_tileaa.dot"(%[[M]], %[[N]], %{{.*}}) {a_major = "m", b_major = "n"}
module @a_batch_is_read_in_place {
  "nv_tileaa.func"() ({
  ^bb0(%v: !memref, %i: i32, %acc: tensor<64x16xf32>):
    %a, %t = "nv_tileaa.tiled_load"(%v, %i, %i, %i) : (!memref, i32, i32, i32) -> (tensor<1x32x64xbf16>, !nv_tileaa.mem_token)
    %b, %u = "nv_tileaa.tiled_load"(%v, %i, %i, %i) : (!memref, i32, i32, i32) -> (tensor<32x1x16xbf16>, !nv_tileaa.mem_token)
    %p = "nv_tileaa.permute"(%a) {permutation = array<i64: 0, 2, 1>} : (tensor<1x32x64xbf16>) -> tensor<1x64x32xbf16>
    %m = "nv_tileaa.view"(%p) : (tensor<1x64x32xbf16>) -> tensor<64x32xbf16>
    %q = "nv_tileaa.permute"(%b) {permutation = array<i64: 1, 0, 2>} : (tensor<32x1x16xbf16>) -> tensor<1x32x16xbf16>
    %n = "nv_tileaa.view"(%q) : (tensor<1x32x16xbf16>) -> tensor<32x16xbf16>
    %d = "nv_tileaa.dot"(%m, %n, %acc) {a_major = "k", b_major = "n"} : (tensor<64x32xbf16>, tensor<32x16xbf16>, tensor<64x16xf32>) -> tensor<64x16xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!memref, i32, tensor<64x16xf32>) -> ()} : () -> ()
}

// -----

// Heads between rows and columns: the transpose folds through two permutes and the views between
// them. A tile that is computed keeps its permute, of the dims that have more than one element.

!memref = !nv_tileaa.memref<memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>, 1>, 0 : i64>

// CHECK-LABEL: module @heads_are_read_in_place
// CHECK:      %[[K:.*]]:2 = "nv_tileaa.tiled_load"({{.*}} -> (tensor<1x16x1x32xbf16>
// CHECK:      %[[W:.*]] = "nv_tileaa.view"(%[[K]]#0) : (tensor<1x16x1x32xbf16>) -> tensor<16x32xbf16>
// CHECK:      "nv_tileaa.dot"(%{{.*}}, %[[W]], %{{.*}}) {a_major = "k", b_major = "k"}
// CHECK:      %[[E:.*]] = math.exp %[[K]]#0
// CHECK-NEXT: %[[S:.*]] = "nv_tileaa.view"(%[[E]]) : (tensor<1x16x1x32xbf16>) -> tensor<16x32xbf16>
// CHECK-NEXT: %[[T:.*]] = "nv_tileaa.permute"(%[[S]]) {permutation = array<i64: 1, 0>}
// CHECK-NEXT: %[[U:.*]] = "nv_tileaa.view"(%[[T]]) : (tensor<32x16xbf16>) -> tensor<32x1x16xbf16>
// CHECK-NEXT: math.exp2 %[[U]]
module @heads_are_read_in_place {
  "nv_tileaa.func"() ({
  ^bb0(%v: !memref, %i: i32, %q: tensor<64x32xbf16>, %acc: tensor<64x16xf32>):
    %k, %t = "nv_tileaa.tiled_load"(%v, %i, %i, %i, %i) : (!memref, i32, i32, i32, i32) -> (tensor<1x16x1x32xbf16>, !nv_tileaa.mem_token)
    %p = "nv_tileaa.permute"(%k) {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x16x1x32xbf16>) -> tensor<1x1x32x16xbf16>
    %m = "nv_tileaa.view"(%p) : (tensor<1x1x32x16xbf16>) -> tensor<32x1x16xbf16>
    %n = "nv_tileaa.permute"(%m) {permutation = array<i64: 1, 0, 2>} : (tensor<32x1x16xbf16>) -> tensor<1x32x16xbf16>
    %b = "nv_tileaa.view"(%n) : (tensor<1x32x16xbf16>) -> tensor<32x16xbf16>
    %d = "nv_tileaa.dot"(%q, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<64x32xbf16>, tensor<32x16xbf16>, tensor<64x16xf32>) -> tensor<64x16xf32>
    %e = math.exp %k : tensor<1x16x1x32xbf16>
    %f = "nv_tileaa.permute"(%e) {permutation = array<i64: 3, 0, 2, 1>} : (tensor<1x16x1x32xbf16>) -> tensor<32x1x1x16xbf16>
    %g = "nv_tileaa.view"(%f) : (tensor<32x1x1x16xbf16>) -> tensor<32x1x16xbf16>
    %h = math.exp2 %g : tensor<32x1x16xbf16>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!memref, i32, tensor<64x32xbf16>, tensor<64x16xf32>) -> ()} : () -> ()
}

// -----

// Rows of 8-bit numbers that are two dims of what is loaded: K lies contiguous, as it has to.

!array = !nv_tileaa.memref<memref<?x?x?xi8, strided<[?, ?, 1]>, 1>, 0 : i64>

// CHECK-LABEL: module @rows_of_two_dims_are_read_in_place
// CHECK:      %[[B:.*]] = "nv_tileaa.view"(%{{.*}}) : (tensor<4x16x64xi8>) -> tensor<64x64xi8>
// CHECK-NOT:  permute
// CHECK:      "nv_tileaa.dot"(%{{.*}}, %[[B]], %{{.*}}) {a_major = "k", b_major = "k", signedness_a
module @rows_of_two_dims_are_read_in_place {
  "nv_tileaa.func"() ({
  ^bb0(%array: !array, %i: i32, %a: tensor<64x64xi8>, %acc: tensor<64x64xi32>):
    %x:2 = "nv_tileaa.tiled_load"(%array, %i, %i, %i) : (!array, i32, i32, i32) -> (tensor<4x16x64xi8>, !nv_tileaa.mem_token)
    %v = "nv_tileaa.view"(%x#0) : (tensor<4x16x64xi8>) -> tensor<64x64xi8>
    %b = "nv_tileaa.permute"(%v) {permutation = array<i64: 1, 0>} : (tensor<64x64xi8>) -> tensor<64x64xi8>
    %d = "nv_tileaa.dot"(%a, %b, %acc) {a_major = "k", b_major = "n", signedness_a = "signed", signedness_b = "signed"} : (tensor<64x64xi8>, tensor<64x64xi8>, tensor<64x64xi32>) -> tensor<64x64xi32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!array, i32, tensor<64x64xi8>, tensor<64x64xi32>) -> ()} : () -> ()
}
