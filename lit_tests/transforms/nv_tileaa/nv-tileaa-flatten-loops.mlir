// RUN: tilec opt %s --passes nv-tileaa-flatten-loops --split-input-file | FileCheck %s

// The pass makes one loop of nested ones, where threads load an operand of a product in the innermost.

!x = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token

// CHECK-LABEL: module @three_loops_become_one
// CHECK:         %[[INNER:.*]] = arith.maxsi %{{.*}}, %c0_i32
// CHECK-NEXT:    %[[MIDDLE:.*]] = arith.muli %c3_i32, %[[INNER]]
// CHECK-NEXT:    %[[ALL:.*]] = arith.muli %c3_i32, %[[MIDDLE]]
// CHECK:         %[[R:.*]] = scf.for %[[T:.*]] = %c0_i32 to %[[ALL]] step %c1_i32 iter_args(%[[ACC:.*]] = %{{.*}})
// CHECK:           %[[I:.*]] = arith.divui %[[T]], %[[MIDDLE]]
// CHECK:           %[[REST:.*]] = arith.remui %[[T]], %[[MIDDLE]]
// CHECK:           "nv_tileaa.splat"(%[[I]])
// CHECK:           %[[J:.*]] = arith.divui %[[REST]], %[[INNER]]
// CHECK:           %[[K:.*]] = arith.remui %[[REST]], %[[INNER]]
// CHECK:           "nv_tileaa.splat"(%[[J]])
// CHECK:           arith.muli %[[K]], %c32_i32
// CHECK:           %[[D:.*]] = "nv_tileaa.dot"(%{{.*}}, %{{.*}}, %[[ACC]])
// CHECK-NEXT:      scf.yield %[[D]]
// CHECK-NOT:     scf.for
// CHECK:         "nv_tileaa.return"
module @three_loops_become_one {
  "nv_tileaa.func"() ({
  ^bb0(%x: !x, %n: i32, %t: !token):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %c32 = arith.constant 32 : i32
    %b = arith.constant dense<1.0> : tensor<32x64xbf16>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %pad = arith.constant dense<0.0> : tensor<64x32xbf16>
    %range = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<32xi32>
    %columns = "nv_tileaa.view"(%range) : (tensor<32xi32>) -> tensor<1x32xi32>
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %zero) -> (tensor<64x64xf32>) : i32 {
      %rows = "nv_tileaa.splat"(%i) : (i32) -> tensor<64x32xi32>
      %s = scf.for %j = %c0 to %c3 step %c1 iter_args(%q = %p) -> (tensor<64x64xf32>) : i32 {
        %more = "nv_tileaa.splat"(%j) : (i32) -> tensor<64x32xi32>
        %at = arith.addi %rows, %more : tensor<64x32xi32>
        %u = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %q) -> (tensor<64x64xf32>) : i32 {
          %first = arith.muli %k, %c32 : i32
          %start = "nv_tileaa.splat"(%first) : (i32) -> tensor<1x32xi32>
          %line = arith.addi %start, %columns : tensor<1x32xi32>
          %lines = "nv_tileaa.broadcast"(%line) : (tensor<1x32xi32>) -> tensor<64x32xi32>
          %a, %v = "nv_tileaa.gather"(%x, %at, %lines, %pad, %t) {mem_semantic = "weak", operandSegmentSizes = array<i32: 1, 2, 0, 1, 1>, run = 8 : i64} : (!x, tensor<64x32xi32>, tensor<64x32xi32>, tensor<64x32xbf16>, !token) -> (tensor<64x32xbf16>, !token)
          %d = "nv_tileaa.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
          scf.yield %d : tensor<64x64xf32>
        }
        scf.yield %u : tensor<64x64xf32>
      }
      scf.yield %s : tensor<64x64xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!x, i32, !token) -> (),
      tilec.kernel = {params = [{kind = "pointer", array = "X"}, {kind = "dim", name = "N", array = "X", axis = 0 : i64}]}} : () -> ()
}

// -----

!x = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token

// 64 rounds for each 64 elements of a dim are not too many to count.
// CHECK-LABEL: module @few_rounds_need_no_precondition
// CHECK:         scf.for
// CHECK-NOT:     scf.for
// CHECK-NOT:     preconditions
module @few_rounds_need_no_precondition {
  "nv_tileaa.func"() ({
  ^bb0(%x: !x, %n: i32, %t: !token, %at: tensor<64x32xi32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %b = arith.constant dense<1.0> : tensor<32x64xbf16>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %pad = arith.constant dense<0.0> : tensor<64x32xbf16>
    %m = arith.ceildivsi %n, %c64 : i32
    %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%p = %zero) -> (tensor<64x64xf32>) : i32 {
      %s = scf.for %k = %c0 to %m step %c1 iter_args(%acc = %p) -> (tensor<64x64xf32>) : i32 {
        %lines = "nv_tileaa.splat"(%k) : (i32) -> tensor<64x32xi32>
        %a, %v = "nv_tileaa.gather"(%x, %at, %lines, %pad, %t) {mem_semantic = "weak", operandSegmentSizes = array<i32: 1, 2, 0, 1, 1>, run = 8 : i64} : (!x, tensor<64x32xi32>, tensor<64x32xi32>, tensor<64x32xbf16>, !token) -> (tensor<64x32xbf16>, !token)
        %d = "nv_tileaa.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
        scf.yield %d : tensor<64x64xf32>
      }
      scf.yield %s : tensor<64x64xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!x, i32, !token, tensor<64x32xi32>) -> (),
      tilec.kernel = {params = [{kind = "pointer", array = "X"}, {kind = "dim", name = "N", array = "X", axis = 0 : i64}]}} : () -> ()
}

// -----

!x = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token

// Nobody knows before the launch how many rounds there are.
// CHECK-LABEL: module @uncounted_rounds_keep_both
// CHECK-COUNT-2: scf.for
// CHECK-NOT:     preconditions
module @uncounted_rounds_keep_both {
  "nv_tileaa.func"() ({
  ^bb0(%x: !x, %n: i32, %t: !token, %at: tensor<64x32xi32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %b = arith.constant dense<1.0> : tensor<32x64xbf16>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %pad = arith.constant dense<0.0> : tensor<64x32xbf16>
    %m = arith.addi %n, %n : i32
    %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%p = %zero) -> (tensor<64x64xf32>) : i32 {
      %s = scf.for %k = %c0 to %m step %c1 iter_args(%acc = %p) -> (tensor<64x64xf32>) : i32 {
        %lines = "nv_tileaa.splat"(%k) : (i32) -> tensor<64x32xi32>
        %a, %v = "nv_tileaa.gather"(%x, %at, %lines, %pad, %t) {mem_semantic = "weak", operandSegmentSizes = array<i32: 1, 2, 0, 1, 1>, run = 8 : i64} : (!x, tensor<64x32xi32>, tensor<64x32xi32>, tensor<64x32xbf16>, !token) -> (tensor<64x32xbf16>, !token)
        %d = "nv_tileaa.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
        scf.yield %d : tensor<64x64xf32>
      }
      scf.yield %s : tensor<64x64xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!x, i32, !token, tensor<64x32xi32>) -> ()} : () -> ()
}

// -----

!x = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token

// What is left of a 64-bit scalar may be a larger number than the scalar.
// CHECK-LABEL: module @cut_scalars_keep_both
// CHECK-COUNT-2: scf.for
// CHECK-NOT:     preconditions
module @cut_scalars_keep_both {
  "nv_tileaa.func"() ({
  ^bb0(%x: !x, %n: i64, %t: !token, %at: tensor<64x32xi32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %b = arith.constant dense<1.0> : tensor<32x64xbf16>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %pad = arith.constant dense<0.0> : tensor<64x32xbf16>
    %m = arith.trunci %n : i64 to i32
    %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%p = %zero) -> (tensor<64x64xf32>) : i32 {
      %s = scf.for %k = %c0 to %m step %c1 iter_args(%acc = %p) -> (tensor<64x64xf32>) : i32 {
        %lines = "nv_tileaa.splat"(%k) : (i32) -> tensor<64x32xi32>
        %a, %v = "nv_tileaa.gather"(%x, %at, %lines, %pad, %t) {mem_semantic = "weak", operandSegmentSizes = array<i32: 1, 2, 0, 1, 1>, run = 8 : i64} : (!x, tensor<64x32xi32>, tensor<64x32xi32>, tensor<64x32xbf16>, !token) -> (tensor<64x32xbf16>, !token)
        %d = "nv_tileaa.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
        scf.yield %d : tensor<64x64xf32>
      }
      scf.yield %s : tensor<64x64xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!x, i64, !token, tensor<64x32xi32>) -> (),
      tilec.kernel = {params = [{kind = "pointer", array = "X"}, {kind = "scalar", name = "n", dtype = "i64"}]}} : () -> ()
}

// -----

!x = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token

// The outer loop computes with the result of the inner one.
// CHECK-LABEL: module @results_between_keep_both
// CHECK-COUNT-2: scf.for
module @results_between_keep_both {
  "nv_tileaa.func"() ({
  ^bb0(%x: !x, %n: i32, %t: !token, %at: tensor<64x32xi32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %b = arith.constant dense<1.0> : tensor<32x64xbf16>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %pad = arith.constant dense<0.0> : tensor<64x32xbf16>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %zero) -> (tensor<64x64xf32>) : i32 {
      %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %p) -> (tensor<64x64xf32>) : i32 {
        %lines = "nv_tileaa.splat"(%k) : (i32) -> tensor<64x32xi32>
        %a, %v = "nv_tileaa.gather"(%x, %at, %lines, %pad, %t) {mem_semantic = "weak", operandSegmentSizes = array<i32: 1, 2, 0, 1, 1>, run = 8 : i64} : (!x, tensor<64x32xi32>, tensor<64x32xi32>, tensor<64x32xbf16>, !token) -> (tensor<64x32xbf16>, !token)
        %d = "nv_tileaa.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
        scf.yield %d : tensor<64x64xf32>
      }
      %e = math.absf %s : tensor<64x64xf32>
      scf.yield %e : tensor<64x64xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!x, i32, !token, tensor<64x32xi32>) -> ()} : () -> ()
}

// -----

!token = !nv_tileaa.mem_token

// A producer runs ahead of products whose operands TMA loads.
// CHECK-LABEL: module @other_products_keep_both
// CHECK-COUNT-2: scf.for
module @other_products_keep_both {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<64x32xbf16>, %b: tensor<32x64xbf16>, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %zero) -> (tensor<64x64xf32>) : i32 {
      %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %p) -> (tensor<64x64xf32>) : i32 {
        %d = "nv_tileaa.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
        scf.yield %d : tensor<64x64xf32>
      }
      scf.yield %s : tensor<64x64xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x32xbf16>, tensor<32x64xbf16>, i32) -> ()} : () -> ()
}
