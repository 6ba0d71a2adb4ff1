// RUN: tilec opt %s --passes nv-tileaa-load-ahead --split-input-file | FileCheck %s

// Threads load the tile of the next round, from which an operand of a product is computed.

// The first tile is loaded before the loop, if a round runs; the last round loads its own again.
// CHECK-LABEL: module @next_round
// CHECK:         %[[RUNS:.*]] = arith.cmpi slt, %c0_i32, %[[N:.*]] : i32
// CHECK-NEXT:    %[[FIRST:.*]] = scf.if %[[RUNS]] -> (tensor<64x1xbf16>) {
// CHECK-NEXT:      arith.muli %c0_i32, %c64_i32 : i32
// CHECK-NEXT:      "nv_tileaa.tiled_load"
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x1xbf16>
// CHECK-NEXT:      scf.yield %[[ZERO]]
// CHECK:         scf.for %[[I:.*]] = %c0_i32 to %[[N]] step %c1_i32 iter_args(%[[ACC:.*]] = %{{.*}}, %[[S:.*]] = %[[FIRST]])
// CHECK-NEXT:      %[[NEXT:.*]] = arith.addi %[[I]], %c1_i32 : i32
// CHECK-NEXT:      %[[THERE:.*]] = arith.cmpi slt, %[[NEXT]], %[[N]] : i32
// CHECK-NEXT:      %[[AT:.*]] = arith.select %[[THERE]], %[[NEXT]], %[[I]] : i32
// CHECK-NEXT:      %[[ROW:.*]] = arith.muli %[[AT]], %c64_i32 : i32
// CHECK-NEXT:      %[[LOADED:.*]]:2 = "nv_tileaa.tiled_load"(%{{.*}}, %[[ROW]],
// CHECK-NOT:       tiled_load
// CHECK:           "nv_tileaa.broadcast"(%[[S]])
// CHECK:           %[[D:.*]] = "nv_tileaa.dot"
// CHECK-NEXT:      scf.yield %[[D]], %[[LOADED]]#0
module @next_round {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<bf16>, %n: i32, %stride: i64, %w: tensor<64x64xbf16>, %x: tensor<64x64xbf16>, %acc: tensor<64x64xf32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %token = "nv_tileaa.create_mem_token"() : () -> !nv_tileaa.mem_token
    %m = "nv_tileaa.make_memref"(%p, %n, %n, %stride) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %acc) -> (tensor<64x64xf32>) : i32 {
      %row = arith.muli %i, %c64 : i32
      %s:2 = "nv_tileaa.tiled_load"(%m, %row, %c0, %token) {padding = "zero", mem_semantic = "weak", atom = #cute.copy_atom<"sm90_ldg_16_bf16", "ldg", 1 : i64, 16 : i64, bf16>} : (!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>, i32, i32, !nv_tileaa.mem_token) -> (tensor<64x1xbf16>, !nv_tileaa.mem_token)
      %b = "nv_tileaa.broadcast"(%s#0) : (tensor<64x1xbf16>) -> tensor<64x64xbf16>
      %y = arith.mulf %w, %b : tensor<64x64xbf16>
      %d = "nv_tileaa.dot"(%y, %x, %a) {a_major = "k", b_major = "k"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %e = math.exp2 %sum : tensor<64x64xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<bf16>, i32, i64, tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> ()} : () -> ()
}

// -----

// Rows that a product gathers go ahead, with the tiles of their places.
// CHECK-LABEL: module @gathered_rows
// CHECK:         scf.if
// CHECK:           "nv_tileaa.gather"
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[A:.*]] = %{{.*}})
// CHECK:           "nv_tileaa.gather"
// CHECK-NOT:       "nv_tileaa.gather"
// CHECK:           "nv_tileaa.dot"(%[[A]],
module @gathered_rows {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<bf16>, %n: i32, %stride: i64, %rows: tensor<64x64xi32>, %x: tensor<64x64xbf16>, %acc: tensor<64x64xf32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %pad = arith.constant dense<0.0> : tensor<64x64xbf16>
    %token = "nv_tileaa.create_mem_token"() : () -> !nv_tileaa.mem_token
    %m = "nv_tileaa.make_memref"(%p, %n, %n, %stride) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc1 = %acc) -> (tensor<64x64xf32>) : i32 {
      %columns = "nv_tileaa.splat"(%i) : (i32) -> tensor<64x64xi32>
      %a:2 = "nv_tileaa.gather"(%m, %rows, %columns, %pad, %token) {run = 8 : i64, mem_semantic = "weak", operandSegmentSizes = array<i32: 1, 2, 0, 1, 1>} : (!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>, tensor<64x64xi32>, tensor<64x64xi32>, tensor<64x64xbf16>, !nv_tileaa.mem_token) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
      %d = "nv_tileaa.dot"(%a#0, %x, %acc1) {a_major = "k", b_major = "k"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %e = math.exp2 %sum : tensor<64x64xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<bf16>, i32, i64, tensor<64x64xi32>, tensor<64x64xbf16>, tensor<64x64xf32>) -> ()} : () -> ()
}

// -----

// These stay: TMA loads the first; no product reads the second; a round says where the third lies;
// the fourth takes 64 registers of a thread.
// CHECK-LABEL: module @others_stay
// CHECK-NOT:     scf.if
// CHECK:         scf.for {{.*}} -> (tensor<64x64xf32>, i32)
// CHECK-COUNT-4:   "nv_tileaa.tiled_load"
module @others_stay {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<bf16>, %n: i32, %stride: i64, %x: tensor<64x64xbf16>, %acc: tensor<64x64xf32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %token = "nv_tileaa.create_mem_token"() : () -> !nv_tileaa.mem_token
    %m = "nv_tileaa.make_memref"(%p, %n, %n, %stride) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>
    %sum:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %acc, %at = %c0) -> (tensor<64x64xf32>, i32) : i32 {
      %s0:2 = "nv_tileaa.tiled_load"(%m, %i, %c0, %token) {padding = "zero", mem_semantic = "weak", atom = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>} : (!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>, i32, i32, !nv_tileaa.mem_token) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
      %s1:2 = "nv_tileaa.tiled_load"(%m, %i, %c0, %token) {padding = "zero", mem_semantic = "weak", atom = #cute.copy_atom<"sm90_ldg_16_bf16", "ldg", 1 : i64, 16 : i64, bf16>} : (!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>, i32, i32, !nv_tileaa.mem_token) -> (tensor<64x1xbf16>, !nv_tileaa.mem_token)
      %s2:2 = "nv_tileaa.tiled_load"(%m, %at, %c0, %token) {padding = "zero", mem_semantic = "weak", atom = #cute.copy_atom<"sm90_ldg_16_bf16", "ldg", 1 : i64, 16 : i64, bf16>} : (!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>, i32, i32, !nv_tileaa.mem_token) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
      %s3:2 = "nv_tileaa.tiled_load"(%m, %i, %c0, %token) {padding = "zero", mem_semantic = "weak", atom = #cute.copy_atom<"sm90_ldg_16_bf16", "ldg", 1 : i64, 16 : i64, bf16>} : (!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>, i32, i32, !nv_tileaa.mem_token) -> (tensor<256x64xbf16>, !nv_tileaa.mem_token)
      %d0 = "nv_tileaa.dot"(%s2#0, %s0#0, %a) {a_major = "k", b_major = "k"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %zeros = arith.constant dense<0.0> : tensor<64x256xf32>
      %d1 = "nv_tileaa.dot"(%x, %s3#0, %zeros) {a_major = "k", b_major = "k"} : (tensor<64x64xbf16>, tensor<256x64xbf16>, tensor<64x256xf32>) -> tensor<64x256xf32>
      %e1 = math.exp2 %d1 : tensor<64x256xf32>
      %e2 = math.exp2 %s1#0 : tensor<64x1xbf16>
      %then = arith.addi %at, %i : i32
      scf.yield %d0, %then : tensor<64x64xf32>, i32
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<bf16>, i32, i64, tensor<64x64xbf16>, tensor<64x64xf32>) -> ()} : () -> ()
}

// -----

// Elements of 16 bits that threads load one by one stay in their round: they are carried in pairs.
// CHECK-LABEL: module @single_elements
// CHECK-NOT:     scf.if
// CHECK:         scf.for
// CHECK:           "nv_tileaa.gather"
// CHECK:           "nv_tileaa.dot"
module @single_elements {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<bf16>, %n: i32, %stride: i64, %rows: tensor<64x64xi32>, %x: tensor<64x64xbf16>, %acc: tensor<64x64xf32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %pad = arith.constant dense<0.0> : tensor<64x64xbf16>
    %token = "nv_tileaa.create_mem_token"() : () -> !nv_tileaa.mem_token
    %m = "nv_tileaa.make_memref"(%p, %n, %n, %stride) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc1 = %acc) -> (tensor<64x64xf32>) : i32 {
      %columns = "nv_tileaa.splat"(%i) : (i32) -> tensor<64x64xi32>
      %a:2 = "nv_tileaa.gather"(%m, %rows, %columns, %pad, %token) {mem_semantic = "weak", operandSegmentSizes = array<i32: 1, 2, 0, 1, 1>} : (!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>, tensor<64x64xi32>, tensor<64x64xi32>, tensor<64x64xbf16>, !nv_tileaa.mem_token) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
      %d = "nv_tileaa.dot"(%a#0, %x, %acc1) {a_major = "k", b_major = "k"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %e = math.exp2 %sum : tensor<64x64xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<bf16>, i32, i64, tensor<64x64xi32>, tensor<64x64xbf16>, tensor<64x64xf32>) -> ()} : () -> ()
}

// -----

// Tiles that a round reduces go ahead where the grid has few blocks.
// CHECK-LABEL: module @reduced_rows
// CHECK:         scf.if
// CHECK:           "nv_tileaa.tiled_load"
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[X:.*]] = %{{.*}})
// CHECK:           "nv_tileaa.tiled_load"
// CHECK-NOT:       "nv_tileaa.tiled_load"
// CHECK:           "nv_tileaa.reduce"(%[[X]])
module @reduced_rows {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %n: i32, %stride: i64, %acc: tensor<1xf32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %token = "nv_tileaa.create_mem_token"() : () -> !nv_tileaa.mem_token
    %m = "nv_tileaa.make_memref"(%p, %n, %n, %stride) : (!nv_tileaa.ptr<f32>, i32, i32, i64) -> !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 1 : i64>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %acc) -> (tensor<1xf32>) : i32 {
      %x:2 = "nv_tileaa.tiled_load"(%m, %i, %c0, %token) {padding = "zero", mem_semantic = "weak", atom = #cute.copy_atom<"sm90_ldg_128_f32", "ldg", 1 : i64, 128 : i64, f32>} : (!nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 1 : i64>, i32, i32, !nv_tileaa.mem_token) -> (tensor<1x512xf32>, !nv_tileaa.mem_token)
      %r = "nv_tileaa.reduce"(%x#0) ({
      ^bb0(%u: f32, %v: f32):
        %w = arith.addf %u, %v : f32
        "nv_tileaa.yield_values"(%w) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<1x512xf32>) -> tensor<1xf32>
      %b = arith.addf %a, %r : tensor<1xf32>
      scf.yield %b : tensor<1xf32>
    }
    %e = math.exp2 %sum : tensor<1xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i32, i64, tensor<1xf32>) -> (), tilec.kernel = {grid = ["min(N, 264)"], params = [{kind = "dim", name = "N"}]}} : () -> ()
}
