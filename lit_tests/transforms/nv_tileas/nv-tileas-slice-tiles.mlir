// RUN: tilec opt %s --passes nv-tileas-slice-tiles --split-input-file | FileCheck %s

// The pass computes an epilogue that loads a tile in slices.

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!r = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>
#store = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>

// Load, compute and store slice by slice: each slice of the residual is loaded, and that of the
// accumulator is taken from registers. Constants are made again. An access after the store waits for
// the last slice.
// CHECK-LABEL: module @residuals_are_loaded_slice_by_slice
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%[[V:.*]]: !nv_tileaa.memref<{{.*}}>, %[[R:.*]]: !nv_tileaa.memref<{{.*}}>, %[[I:.*]]: i32, %[[J:.*]]: i32, %[[T:.*]]: !nv_tileaa.mem_token, {{.*}}):
// CHECK:         %[[D:.*]] = "nv_tileas.dot"
// CHECK-NOT:     -> (tensor<128x64xbf16>
// CHECK:         %[[R0:.*]]:2 = "nv_tileas.tiled_load"(%[[R]], %[[I]], %[[J]], %[[T]]) {{.*}}coord_div_by = array<i64: 128, 64>, {{.*}}slice = 0 : i64, slice_group = 0 : i64{{.*}} -> (tensor<128x32xbf16>, !nv_tileaa.mem_token)
// CHECK-DAG:     %[[A0:.*]] = "nv_tileas.tile_slice"(%[[D]]) {origin = array<i64: 0, 0>} : (tensor<128x64xf32>) -> tensor<128x32xf32>
// CHECK-DAG:     %[[TWO:.*]] = arith.constant dense<2.000000e+00> : tensor<128x32xf32>
// CHECK:         %[[S0:.*]] = arith.mulf %[[A0]], %[[TWO]] : tensor<128x32xf32>
// CHECK:         %[[X0:.*]] = arith.extf %[[R0]]#0 : tensor<128x32xbf16> to tensor<128x32xf32>
// CHECK:         %[[Y0:.*]] = arith.addf %[[S0]], %[[X0]] : tensor<128x32xf32>
// CHECK:         %[[Z0:.*]] = arith.truncf %[[Y0]] : tensor<128x32xf32> to tensor<128x32xbf16>
// CHECK:         %[[FIRST:.*]] = "nv_tileas.tiled_store"(%[[V]], %[[Z0]], %[[I]], %[[J]], %[[T]]) {{.*}}slice = 0 : i64, slice_group = 0 : i64
// CHECK:         %[[NEXT:.*]] = arith.addi %[[J]], %{{.*}} : i32
// CHECK:         %[[R1:.*]]:2 = "nv_tileas.tiled_load"(%[[R]], %[[I]], %[[NEXT]], %[[T]]) {{.*}}coord_div_by = array<i64: 128, 32>, {{.*}}slice = 1 : i64, slice_group = 0 : i64
// CHECK:         "nv_tileas.tile_slice"(%[[D]]) {origin = array<i64: 0, 32>}
// CHECK:         %[[LAST:.*]] = "nv_tileas.tiled_store"{{.*}}slice = 1 : i64, slice_group = 0 : i64
// CHECK-NOT:     tiled_store
// CHECK:         %[[ALL:.*]] = "nv_tileas.join_mem_token"(%[[FIRST]], %[[LAST]])
// CHECK-NEXT:    "nv_tileas.join_mem_token"(%[[ALL]])
module @residuals_are_loaded_slice_by_slice {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %r: !r, %i: i32, %j: i32, %t: !token, %a: tensor<128x64xbf16>, %b: tensor<64x64xbf16>, %acc: tensor<128x64xf32>):
    %two = arith.constant dense<2.0> : tensor<128x64xf32>
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %s = arith.mulf %d, %two : tensor<128x64xf32>
    %l, %u = "nv_tileas.tiled_load"(%r, %i, %j, %t) {atom = #load, coord_div_by = array<i64: 128, 64>, mem_semantic = "weak", padding = "zero"} : (!r, i32, i32, !token) -> (tensor<128x64xbf16>, !token)
    %x = arith.extf %l : tensor<128x64xbf16> to tensor<128x64xf32>
    %y = arith.addf %s, %x : tensor<128x64xf32>
    %z = arith.truncf %y : tensor<128x64xf32> to tensor<128x64xbf16>
    %w = "nv_tileas.tiled_store"(%v, %z, %i, %j, %t) {atom = #store, mem_semantic = "weak"} : (!v, tensor<128x64xbf16>, i32, i32, !token) -> !token
    %e = "nv_tileas.join_mem_token"(%w) : (!token) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, !r, i32, i32, !token, tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64, slice_columns = 32 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>
#store = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>

// A column-major array holds the transposed tile: its columns lie along the first axis. A row that is
// broadcast is cut where it begins. Slices of the array that is stored are ordered one after the other.
// CHECK-LABEL: module @results_are_updated_slice_by_slice
// CHECK:         %[[L0:.*]]:2 = "nv_tileas.tiled_load"(%[[V:.*]], %[[J:.*]], %[[I:.*]], %{{.*}}) {{.*}} -> (tensor<32x128xbf16>, !nv_tileaa.mem_token)
// CHECK:         %[[A0:.*]] = "nv_tileas.tile_slice"(%{{.*}}) {origin = array<i64: 0, 0>} : (tensor<128x64xf32>) -> tensor<128x32xf32>
// CHECK:         %[[B0:.*]] = "nv_tileas.tile_slice"(%{{.*}}) {origin = array<i64: 0>} : (tensor<64xf32>) -> tensor<32xf32>
// CHECK:         %[[ROW:.*]] = "nv_tileas.view"(%[[B0]]) : (tensor<32xf32>) -> tensor<1x32xf32>
// CHECK:         "nv_tileas.broadcast"(%[[ROW]]) : (tensor<1x32xf32>) -> tensor<128x32xf32>
// CHECK:         "nv_tileas.permute"{{.*}} : (tensor<128x32xf32>) -> tensor<32x128xf32>
// CHECK:         "nv_tileas.tiled_store"(%[[V]], %{{.*}}, %[[J]], %[[I]], %[[L0]]#1)
// CHECK:         %[[NEXT:.*]] = arith.addi %[[J]]
// CHECK:         %[[L1:.*]]:2 = "nv_tileas.tiled_load"(%[[V]], %[[NEXT]], %[[I]]
// CHECK:         "nv_tileas.tiled_store"(%[[V]], %{{.*}}, %{{.*}}, %[[I]], %[[L1]]#1)
module @results_are_updated_slice_by_slice {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %j: i32, %t: !token, %a: tensor<128x64xbf16>, %b: tensor<64x64xbf16>, %acc: tensor<128x64xf32>, %bias: tensor<64xf32>):
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %row = "nv_tileas.view"(%bias) : (tensor<64xf32>) -> tensor<1x64xf32>
    %rows = "nv_tileas.broadcast"(%row) : (tensor<1x64xf32>) -> tensor<128x64xf32>
    %s = arith.addf %d, %rows : tensor<128x64xf32>
    %p = "nv_tileas.permute"(%s) {permutation = array<i64: 1, 0>} : (tensor<128x64xf32>) -> tensor<64x128xf32>
    %l, %u = "nv_tileas.tiled_load"(%v, %j, %i, %t) {atom = #load, mem_semantic = "weak", padding = "zero"} : (!v, i32, i32, !token) -> (tensor<64x128xbf16>, !token)
    %x = arith.extf %l : tensor<64x128xbf16> to tensor<64x128xf32>
    %y = arith.addf %p, %x : tensor<64x128xf32>
    %z = arith.truncf %y : tensor<64x128xf32> to tensor<64x128xbf16>
    %w = "nv_tileas.tiled_store"(%v, %z, %j, %i, %u) {atom = #store, mem_semantic = "weak"} : (!v, tensor<64x128xbf16>, i32, i32, !token) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, !token, tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>, tensor<64xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64, slice_columns = 32 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>
#store = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>

// Another store overwrites the tile that is loaded: its slices would be loaded too late.
// CHECK-LABEL: module @other_elements_of_one_array_are_loaded_whole
// CHECK-NOT:     tile_slice
// CHECK:         "nv_tileas.tiled_load"{{.*}} -> (tensor<128x64xbf16>, !nv_tileaa.mem_token)
// CHECK-NOT:     tile_slice
module @other_elements_of_one_array_are_loaded_whole {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %j: i32, %t: !token, %a: tensor<128x64xbf16>, %b: tensor<64x64xbf16>, %acc: tensor<128x64xf32>):
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %l, %u = "nv_tileas.tiled_load"(%v, %j, %j, %t) {atom = #load, mem_semantic = "weak", padding = "zero"} : (!v, i32, i32, !token) -> (tensor<128x64xbf16>, !token)
    %x = arith.extf %l : tensor<128x64xbf16> to tensor<128x64xf32>
    %y = arith.addf %d, %x : tensor<128x64xf32>
    %z = arith.truncf %y : tensor<128x64xf32> to tensor<128x64xbf16>
    %w = "nv_tileas.tiled_store"(%v, %z, %i, %j, %u) {atom = #store, mem_semantic = "weak"} : (!v, tensor<128x64xbf16>, i32, i32, !token) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, !token, tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64, slice_columns = 32 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!r = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>
#store = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>

// Another operation needs the whole loaded tile.
// CHECK-LABEL: module @tiles_with_other_uses_stay_whole
// CHECK-NOT:     tile_slice
module @tiles_with_other_uses_stay_whole {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %r: !r, %i: i32, %j: i32, %t: !token, %a: tensor<128x64xbf16>, %b: tensor<64x64xbf16>, %acc: tensor<128x64xf32>):
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %l, %u = "nv_tileas.tiled_load"(%r, %i, %j, %t) {atom = #load, mem_semantic = "weak", padding = "zero"} : (!r, i32, i32, !token) -> (tensor<128x64xbf16>, !token)
    %x = arith.extf %l : tensor<128x64xbf16> to tensor<128x64xf32>
    %y = arith.addf %d, %x : tensor<128x64xf32>
    %z = arith.truncf %y : tensor<128x64xf32> to tensor<128x64xbf16>
    %w = "nv_tileas.tiled_store"(%v, %z, %i, %j, %t) {atom = #store, mem_semantic = "weak"} : (!v, tensor<128x64xbf16>, i32, i32, !token) -> !token
    %q = "nv_tileas.tiled_store"(%v, %l, %j, %i, %t) {atom = #store, mem_semantic = "weak"} : (!v, tensor<128x64xbf16>, i32, i32, !token) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, !r, i32, i32, !token, tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64, slice_columns = 32 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>

// A store after another one of the same array is ordered after all its slices.
// CHECK-LABEL: module @stores_of_one_array_stay_in_order
// CHECK:         %[[FIRST:.*]] = "nv_tileas.tiled_store"({{.*}}) {{.*}}slice = 0 : i64, slice_group = 0 : i64
// CHECK:         %[[LAST:.*]] = "nv_tileas.tiled_store"({{.*}}) {{.*}}slice = 1 : i64, slice_group = 0 : i64
// CHECK:         %[[ALL:.*]] = "nv_tileas.join_mem_token"(%[[FIRST]], %[[LAST]])
// CHECK:         "nv_tileas.tiled_store"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[ALL]]) {{.*}}slice = 0 : i64, slice_group = 1 : i64
// CHECK:         "nv_tileas.tiled_store"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[ALL]]) {{.*}}slice = 1 : i64, slice_group = 1 : i64
module @stores_of_one_array_stay_in_order {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %j: i32, %t: !token, %a: tensor<128x64xbf16>, %b: tensor<64x64xbf16>, %acc: tensor<128x64xf32>):
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %x = arith.truncf %d : tensor<128x64xf32> to tensor<128x64xbf16>
    %w = "nv_tileas.tiled_store"(%v, %x, %i, %j, %t) {atom = #store, mem_semantic = "weak"} : (!v, tensor<128x64xbf16>, i32, i32, !token) -> !token
    %n = arith.negf %d : tensor<128x64xf32>
    %y = arith.truncf %n : tensor<128x64xf32> to tensor<128x64xbf16>
    %q = "nv_tileas.tiled_store"(%v, %y, %i, %j, %w) {atom = #store, mem_semantic = "weak"} : (!v, tensor<128x64xbf16>, i32, i32, !token) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, !token, tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64, slice_columns = 32 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!r = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>
#store = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>

// A slice of the result needs columns and rows of the accumulator.
// CHECK-LABEL: module @accumulators_that_meet_their_transpose_stay_whole
// CHECK-NOT:     tile_slice
module @accumulators_that_meet_their_transpose_stay_whole {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %r: !r, %i: i32, %j: i32, %t: !token, %a: tensor<128x64xbf16>, %b: tensor<64x128xbf16>, %acc: tensor<128x128xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %d = scf.for %k = %c0 to %c1 step %c1 iter_args(%s = %acc) -> (tensor<128x128xf32>) {
      %p = "nv_tileas.dot"(%a, %b, %s) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %p : tensor<128x128xf32>
    }
    %l, %u = "nv_tileas.tiled_load"(%r, %i, %j, %t) {atom = #load, mem_semantic = "weak", padding = "zero"} : (!r, i32, i32, !token) -> (tensor<128x128xbf16>, !token)
    %x = arith.extf %l : tensor<128x128xbf16> to tensor<128x128xf32>
    %f = "nv_tileas.permute"(%d) {permutation = array<i64: 1, 0>} : (tensor<128x128xf32>) -> tensor<128x128xf32>
    %g = arith.addf %d, %f : tensor<128x128xf32>
    %y = arith.addf %g, %x : tensor<128x128xf32>
    %z = arith.truncf %y : tensor<128x128xf32> to tensor<128x128xbf16>
    %w = "nv_tileas.tiled_store"(%v, %z, %i, %j, %t) {atom = #store, mem_semantic = "weak"} : (!v, tensor<128x128xbf16>, i32, i32, !token) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, !r, i32, i32, !token, tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64, slice_columns = 32 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>
#store = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>

// Slices of the transposed tile have elements of all slices that are stored: they would come too late.
// CHECK-LABEL: module @transposed_tiles_of_the_stored_array_are_loaded_whole
// CHECK-NOT:     tile_slice
// CHECK:         "nv_tileas.tiled_load"{{.*}} -> (tensor<128x128xbf16>, !nv_tileaa.mem_token)
// CHECK-NOT:     tile_slice
module @transposed_tiles_of_the_stored_array_are_loaded_whole {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %j: i32, %t: !token, %a: tensor<128x64xbf16>, %b: tensor<64x128xbf16>, %acc: tensor<128x128xf32>):
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
    %l, %u = "nv_tileas.tiled_load"(%v, %i, %j, %t) {atom = #load, mem_semantic = "weak", padding = "zero"} : (!v, i32, i32, !token) -> (tensor<128x128xbf16>, !token)
    %p = "nv_tileas.permute"(%l) {permutation = array<i64: 1, 0>} : (tensor<128x128xbf16>) -> tensor<128x128xbf16>
    %x = arith.extf %p : tensor<128x128xbf16> to tensor<128x128xf32>
    %y = arith.addf %d, %x : tensor<128x128xf32>
    %z = arith.truncf %y : tensor<128x128xf32> to tensor<128x128xbf16>
    %w = "nv_tileas.tiled_store"(%v, %z, %i, %j, %u) {atom = #store, mem_semantic = "weak"} : (!v, tensor<128x128xbf16>, i32, i32, !token) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, !token, tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64, slice_columns = 32 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>
#store = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>

// The largest absolute number of each row is needed after the store: that of each slice is combined
// with that of the slices before it.
// CHECK-LABEL: module @slices_are_reduced
// CHECK:         %[[Y0:.*]] = math.exp2 %{{.*}} : tensor<128x32xf32>
// CHECK:         "nv_tileas.tiled_store"{{.*}}slice = 0 : i64
// CHECK:         %[[A0:.*]] = math.absf %[[Y0]] : tensor<128x32xf32>
// CHECK:         %[[M0:.*]] = "nv_tileas.reduce"(%[[A0]])
// CHECK:         (tensor<128x32xf32>) -> tensor<128xf32>
// CHECK:         %[[Y1:.*]] = math.exp2 %{{.*}} : tensor<128x32xf32>
// CHECK:         "nv_tileas.tiled_store"{{.*}}slice = 1 : i64
// CHECK:         %[[A1:.*]] = math.absf %[[Y1]] : tensor<128x32xf32>
// CHECK:         %[[M1:.*]] = "nv_tileas.reduce"(%[[A1]])
// CHECK:         (tensor<128x32xf32>) -> tensor<128xf32>
// CHECK:         %[[M:.*]] = arith.maxnumf %[[M0]], %[[M1]] : tensor<128xf32>
// CHECK-NOT:     tiled_store
// CHECK:         math.sqrt %[[M]] : tensor<128xf32>
module @slices_are_reduced {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %j: i32, %t: !token, %a: tensor<128x64xbf16>, %b: tensor<64x64xbf16>, %acc: tensor<128x64xf32>):
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %y = math.exp2 %d : tensor<128x64xf32>
    %z = arith.truncf %y : tensor<128x64xf32> to tensor<128x64xbf16>
    %w = "nv_tileas.tiled_store"(%v, %z, %i, %j, %t) {atom = #store, mem_semantic = "weak"} : (!v, tensor<128x64xbf16>, i32, i32, !token) -> !token
    %p = math.absf %y : tensor<128x64xf32>
    %m = "nv_tileas.reduce"(%p) ({
    ^bb0(%e: f32, %f: f32):
      %g = arith.maxnumf %e, %f : f32
      "nv_tileas.yield_values"(%g) : (f32) -> ()
    }) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<128x64xf32>) -> tensor<128xf32>
    %q = math.sqrt %m : tensor<128xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, !token, tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64, slice_columns = 32 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>

// The largest number of each row is needed before the store: all columns come first.
// CHECK-LABEL: module @rows_that_are_reduced_first_stay_whole
// CHECK-NOT:     tile_slice
module @rows_that_are_reduced_first_stay_whole {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %j: i32, %t: !token, %a: tensor<128x64xbf16>, %b: tensor<64x64xbf16>, %acc: tensor<128x64xf32>):
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %y = math.exp2 %d : tensor<128x64xf32>
    %m = "nv_tileas.reduce"(%y) ({
    ^bb0(%e: f32, %f: f32):
      %g = arith.maxnumf %e, %f : f32
      "nv_tileas.yield_values"(%g) : (f32) -> ()
    }) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<128x64xf32>) -> tensor<128xf32>
    %c = "nv_tileas.view"(%m) : (tensor<128xf32>) -> tensor<128x1xf32>
    %r = "nv_tileas.broadcast"(%c) : (tensor<128x1xf32>) -> tensor<128x64xf32>
    %s = arith.subf %y, %r : tensor<128x64xf32>
    %z = arith.truncf %s : tensor<128x64xf32> to tensor<128x64xbf16>
    %w = "nv_tileas.tiled_store"(%v, %z, %i, %j, %t) {atom = #store, mem_semantic = "weak"} : (!v, tensor<128x64xbf16>, i32, i32, !token) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, !token, tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64, slice_columns = 32 : i64}} : () -> ()
}
