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

// -----

// wgmma takes A from registers, but not B. So a B that threads compute in the loop from loaded tiles
// becomes A; its scale may come from before the loop.
// CHECK-LABEL: module @computed_b
// CHECK:         scf.for
// CHECK:         %[[X:.*]]:2 = "nv_tileaa.tiled_load"
// CHECK:         %[[W:.*]] = arith.mulf
// CHECK-NEXT:    "nv_tileaa.dot"(%[[W]], %[[X]]#0, %{{.*}}) {a_major = "m", b_major = "k"} : (tensor<32x64xbf16>, tensor<128x32xbf16>, tensor<64x128xf32>)
// CHECK:         "nv_tileaa.permute"
module @computed_b {
  "nv_tileaa.func"() ({
  ^bb0(%px: !nv_tileaa.ptr<bf16>, %pw: !nv_tileaa.ptr<i8>, %n: i32, %stride: i64, %scale: bf16):
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %zeros = arith.constant dense<0.0> : tensor<128x64xf32>
    %token = "nv_tileaa.create_mem_token"() : () -> !nv_tileaa.mem_token
    %mx = "nv_tileaa.make_memref"(%px, %n, %n, %stride) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
    %mw = "nv_tileaa.make_memref"(%pw, %n, %n, %stride) : (!nv_tileaa.ptr<i8>, i32, i32, i64) -> !nv_tileaa.memref<memref<?x?xi8, strided<[?, 1]>, 1>, 1 : i64>
    %s = "nv_tileaa.splat"(%scale) : (bf16) -> tensor<32x64xbf16>
    %r = scf.for %k = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<128x64xf32>) : i32 {
      %x:2 = "nv_tileaa.tiled_load"(%mx, %zero, %k, %token) {padding = "zero", mem_semantic = "weak"} : (!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>, i32, i32, !nv_tileaa.mem_token) -> (tensor<128x32xbf16>, !nv_tileaa.mem_token)
      %w:2 = "nv_tileaa.tiled_load"(%mw, %k, %zero, %token) {padding = "zero", mem_semantic = "weak"} : (!nv_tileaa.memref<memref<?x?xi8, strided<[?, 1]>, 1>, 1 : i64>, i32, i32, !nv_tileaa.mem_token) -> (tensor<32x64xi8>, !nv_tileaa.mem_token)
      %f = arith.sitofp %w#0 : tensor<32x64xi8> to tensor<32x64xbf16>
      %b = arith.mulf %f, %s : tensor<32x64xbf16>
      %d = "nv_tileaa.dot"(%x#0, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x32xbf16>, tensor<32x64xbf16>, tensor<128x64xf32>) -> tensor<128x64xf32>
      scf.yield %d : tensor<128x64xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<bf16>, !nv_tileaa.ptr<i8>, i32, i64, bf16) -> ()} : () -> ()
}

// -----

// These stay: both operands of the first are computed, so one goes through shared memory anyway; B of
// the second is computed before the loop, once; B of the third comes from another product; 96 columns
// of the fourth are no slices of 64; A of the fifth is computed, too, as threads write its padding.
// CHECK-LABEL: module @computed_b_stays
// CHECK-NOT:     permute
module @computed_b_stays {
  "nv_tileaa.func"() ({
  ^bb0(%px: !nv_tileaa.ptr<bf16>, %n: i32, %stride: i64):
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %z0 = arith.constant dense<0.0> : tensor<64x64xf32>
    %z3 = arith.constant dense<0.0> : tensor<64x96xf32>
    %token = "nv_tileaa.create_mem_token"() : () -> !nv_tileaa.mem_token
    %mx = "nv_tileaa.make_memref"(%px, %n, %n, %stride) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
    %w0:2 = "nv_tileaa.tiled_load"(%mx, %zero, %zero, %token) {padding = "zero", mem_semantic = "weak"} : (!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>, i32, i32, !nv_tileaa.mem_token) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
    %once = arith.negf %w0#0 : tensor<64x64xbf16>
    %r:5 = scf.for %k = %zero to %n step %one iter_args(%s0 = %z0, %s1 = %z0, %s2 = %z0, %s3 = %z3, %s4 = %z0) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x96xf32>, tensor<64x64xf32>) : i32 {
      %x:2 = "nv_tileaa.tiled_load"(%mx, %zero, %k, %token) {padding = "zero", mem_semantic = "weak"} : (!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>, i32, i32, !nv_tileaa.mem_token) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
      %y:2 = "nv_tileaa.tiled_load"(%mx, %zero, %k, %token) {padding = "nan", mem_semantic = "weak"} : (!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>, i32, i32, !nv_tileaa.mem_token) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
      %w:2 = "nv_tileaa.tiled_load"(%mx, %zero, %k, %token) {padding = "zero", mem_semantic = "weak"} : (!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>, i32, i32, !nv_tileaa.mem_token) -> (tensor<64x96xbf16>, !nv_tileaa.mem_token)
      %a = arith.negf %x#0 : tensor<64x64xbf16>
      %d0 = "nv_tileaa.dot"(%a, %a, %s0) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %d1 = "nv_tileaa.dot"(%x#0, %once, %s1) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %p = arith.truncf %d0 : tensor<64x64xf32> to tensor<64x64xbf16>
      %d2 = "nv_tileaa.dot"(%x#0, %p, %s2) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %c = arith.negf %w#0 : tensor<64x96xbf16>
      %d3 = "nv_tileaa.dot"(%x#0, %c, %s3) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x96xbf16>, tensor<64x96xf32>) -> tensor<64x96xf32>
      %d4 = "nv_tileaa.dot"(%y#0, %a, %s4) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      scf.yield %d0, %d1, %d2, %d3, %d4 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x96xf32>, tensor<64x64xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<bf16>, i32, i64) -> ()} : () -> ()
}
