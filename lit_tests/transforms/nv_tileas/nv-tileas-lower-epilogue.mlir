// RUN: tilec opt %s --passes nv-tileas-lower-epilogue --split-input-file | FileCheck %s

// The pass cuts the store of a tile into parts that each warpgroup stores on its own.

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>

// Two warpgroups share 128 rows. Each stores its 64 rows in boxes of 8192 bytes, 64 columns of bf16,
// through its staging slots, round robin. A part inside the tile is in bounds where the tile is, but its
// coordinates have other divisors. An access after the store waits for the last part.
// CHECK-LABEL: module @rows_are_stored_by_their_warpgroup
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%[[V:.*]]: !nv_tileaa.memref<{{.*}}>, %[[I:.*]]: i32, %[[J:.*]]: i32, %[[T:.*]]: !nv_tileaa.mem_token, {{.*}}):
// CHECK:         %[[X:.*]] = arith.truncf
// CHECK-NEXT:    %[[W:.*]] = "nv_tileas.warpgroup_id"() : () -> i32
// CHECK-NEXT:    %[[SHARE:.*]] = arith.constant 64 : i32
// CHECK-NEXT:    %[[MOVED:.*]] = arith.muli %[[W]], %[[SHARE]] : i32
// CHECK-NEXT:    %[[ROW:.*]] = arith.addi %[[I]], %[[MOVED]] : i32
// CHECK-NEXT:    %[[P0:.*]] = "nv_tileas.tile_part"(%[[X]]) {axis = 0 : i64, origin = array<i64: 0, 0>} : (tensor<128x128xbf16>) -> tensor<64x64xbf16>
// CHECK-NEXT:    %[[FIRST:.*]] = "nv_tileas.tiled_store"(%[[V]], %[[P0]], %[[ROW]], %[[J]], %[[T]]) {atom = #cute.copy_atom<"sm90_tma_store_2d_bf16", {{[^>]*}}>, in_bounds = array<i1: true, false>, mem_semantic = "weak", per_warpgroup, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>, staging_group = 0 : i64, staging_pending = 1 : i64, staging_slot = 0 : i64, staging_slots = 2 : i64}
// CHECK-NEXT:    %[[P1:.*]] = "nv_tileas.tile_part"(%[[X]]) {axis = 0 : i64, origin = array<i64: 0, 64>} : (tensor<128x128xbf16>) -> tensor<64x64xbf16>
// CHECK-NEXT:    %[[CNEXT:.*]] = arith.constant 64 : i32
// CHECK-NEXT:    %[[NEXT:.*]] = arith.addi %[[J]], %[[CNEXT]] : i32
// CHECK-NEXT:    %[[LAST:.*]] = "nv_tileas.tiled_store"(%[[V]], %[[P1]], %[[ROW]], %[[NEXT]], %[[T]]) {{.*}}per_warpgroup, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>, staging_group = 0 : i64, staging_pending = 1 : i64, staging_slot = 1 : i64, staging_slots = 2 : i64}
// CHECK-NEXT:    %[[ALL:.*]] = "nv_tileas.join_mem_token"(%[[FIRST]], %[[LAST]])
// CHECK-NEXT:    "nv_tileas.join_mem_token"(%[[ALL]])
module @rows_are_stored_by_their_warpgroup {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %j: i32, %t: !token, %a: tensor<128x64xbf16>, %b: tensor<64x128xbf16>, %acc: tensor<128x128xf32>):
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
    %x = arith.truncf %d : tensor<128x128xf32> to tensor<128x128xbf16>
    %w = "nv_tileas.tiled_store"(%v, %x, %i, %j, %t) {atom = #store, coord_div_by = array<i64: 128, 128>, in_bounds = array<i1: true, false>, mem_semantic = "weak"} : (!v, tensor<128x128xbf16>, i32, i32, !token) -> !token
    %e = "nv_tileas.join_mem_token"(%w) : (!token) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, !token, tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64, epilogue_slots = 2 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>

// A column-major array holds the transposed tile: the rows of the accumulator lie along its last axis.
// CHECK-LABEL: module @column_major_arrays_share_the_other_axis
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%[[V:.*]]: !nv_tileaa.memref<{{.*}}>, %[[I:.*]]: i32, %[[J:.*]]: i32, %[[T:.*]]: !nv_tileaa.mem_token, {{.*}}):
// CHECK:         %[[X:.*]] = "nv_tileas.permute"
// CHECK-NEXT:    %[[W:.*]] = "nv_tileas.warpgroup_id"() : () -> i32
// CHECK-NEXT:    %[[SHARE:.*]] = arith.constant 64 : i32
// CHECK-NEXT:    %[[MOVED:.*]] = arith.muli %[[W]], %[[SHARE]] : i32
// CHECK-NEXT:    %[[COL:.*]] = arith.addi %[[J]], %[[MOVED]] : i32
// CHECK-NEXT:    %[[P0:.*]] = "nv_tileas.tile_part"(%[[X]]) {axis = 1 : i64, origin = array<i64: 0, 0>} : (tensor<64x128xbf16>) -> tensor<64x64xbf16>
// CHECK-NEXT:    %{{.*}} = "nv_tileas.tiled_store"(%[[V]], %[[P0]], %[[I]], %[[COL]], %[[T]]) {{.*}}per_warpgroup, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>, staging_group = 0 : i64, staging_pending = 0 : i64, staging_slot = 0 : i64, staging_slots = 1 : i64}
module @column_major_arrays_share_the_other_axis {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %j: i32, %t: !token, %a: tensor<128x64xbf16>, %b: tensor<64x64xbf16>, %acc: tensor<128x64xf32>):
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %x = arith.truncf %d : tensor<128x64xf32> to tensor<128x64xbf16>
    %y = "nv_tileas.permute"(%x) {permutation = array<i64: 1, 0>} : (tensor<128x64xbf16>) -> tensor<64x128xbf16>
    %w = "nv_tileas.tiled_store"(%v, %y, %i, %j, %t) {atom = #store, mem_semantic = "weak"} : (!v, tensor<64x128xbf16>, i32, i32, !token) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, !token, tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64, epilogue_slots = 2 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>

// 8192 bytes of f32 are 64 rows of 32 columns.
// CHECK-LABEL: module @parts_of_f32_have_half_the_columns
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%[[V:.*]]: !nv_tileaa.memref<{{.*}}>, %[[I:.*]]: i32, %[[J:.*]]: i32, %[[T:.*]]: !nv_tileaa.mem_token, {{.*}}):
// CHECK:         %[[X:.*]] = "nv_tileas.dot"
// CHECK-NEXT:    %[[W:.*]] = "nv_tileas.warpgroup_id"() : () -> i32
// CHECK-NEXT:    %[[SHARE:.*]] = arith.constant 64 : i32
// CHECK-NEXT:    %[[MOVED:.*]] = arith.muli %[[W]], %[[SHARE]] : i32
// CHECK-NEXT:    %[[ROW:.*]] = arith.addi %[[I]], %[[MOVED]] : i32
// CHECK-NEXT:    %[[P0:.*]] = "nv_tileas.tile_part"(%[[X]]) {axis = 0 : i64, origin = array<i64: 0, 0>} : (tensor<64x64xf32>) -> tensor<64x32xf32>
// CHECK-NEXT:    %{{.*}} = "nv_tileas.tiled_store"(%[[V]], %[[P0]], %[[ROW]], %[[J]], %[[T]]) {{.*}}per_warpgroup, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 32>, 128 : i64>, staging_group = 0 : i64, staging_pending = 1 : i64, staging_slot = 0 : i64, staging_slots = 2 : i64}
// CHECK-NEXT:    %[[P1:.*]] = "nv_tileas.tile_part"(%[[X]]) {axis = 0 : i64, origin = array<i64: 0, 32>} : (tensor<64x64xf32>) -> tensor<64x32xf32>
// CHECK-NEXT:    %[[CNEXT:.*]] = arith.constant 32 : i32
// CHECK-NEXT:    %[[NEXT:.*]] = arith.addi %[[J]], %[[CNEXT]] : i32
// CHECK-NEXT:    %{{.*}} = "nv_tileas.tiled_store"(%[[V]], %[[P1]], %[[ROW]], %[[NEXT]], %[[T]]) {{.*}}per_warpgroup, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 32>, 128 : i64>, staging_group = 0 : i64, staging_pending = 1 : i64, staging_slot = 1 : i64, staging_slots = 2 : i64}
module @parts_of_f32_have_half_the_columns {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %j: i32, %t: !token, %a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %acc: tensor<64x64xf32>):
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %w = "nv_tileas.tiled_store"(%v, %d, %i, %j, %t) {atom = #store, mem_semantic = "weak"} : (!v, tensor<64x64xf32>, i32, i32, !token) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, !token, tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64, epilogue_slots = 2 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>

// One warpgroup holds all 128 rows: its parts are adjacent along the rows.
// CHECK-LABEL: module @one_warpgroup_stores_all_rows
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%[[V:.*]]: !nv_tileaa.memref<{{.*}}>, %[[I:.*]]: i32, %[[J:.*]]: i32, %[[T:.*]]: !nv_tileaa.mem_token, {{.*}}):
// CHECK:         %[[X:.*]] = arith.truncf
// CHECK-NEXT:    %[[W:.*]] = "nv_tileas.warpgroup_id"() : () -> i32
// CHECK-NEXT:    %[[SHARE:.*]] = arith.constant 128 : i32
// CHECK-NEXT:    %[[MOVED:.*]] = arith.muli %[[W]], %[[SHARE]] : i32
// CHECK-NEXT:    %[[ROW:.*]] = arith.addi %[[I]], %[[MOVED]] : i32
// CHECK-NEXT:    %[[P0:.*]] = "nv_tileas.tile_part"(%[[X]]) {axis = 0 : i64, origin = array<i64: 0, 0>} : (tensor<128x64xbf16>) -> tensor<64x64xbf16>
// CHECK-NEXT:    %{{.*}} = "nv_tileas.tiled_store"(%[[V]], %[[P0]], %[[ROW]], %[[J]], %[[T]]) {{.*}}per_warpgroup, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>, staging_group = 0 : i64, staging_pending = 1 : i64, staging_slot = 0 : i64, staging_slots = 2 : i64}
// CHECK-NEXT:    %[[P1:.*]] = "nv_tileas.tile_part"(%[[X]]) {axis = 0 : i64, origin = array<i64: 64, 0>} : (tensor<128x64xbf16>) -> tensor<64x64xbf16>
// CHECK-NEXT:    %[[CBELOW:.*]] = arith.constant 64 : i32
// CHECK-NEXT:    %[[BELOW:.*]] = arith.addi %[[ROW]], %[[CBELOW]] : i32
// CHECK-NEXT:    %{{.*}} = "nv_tileas.tiled_store"(%[[V]], %[[P1]], %[[BELOW]], %[[J]], %[[T]]) {{.*}}per_warpgroup, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>, staging_group = 0 : i64, staging_pending = 1 : i64, staging_slot = 1 : i64, staging_slots = 2 : i64}
module @one_warpgroup_stores_all_rows {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %j: i32, %t: !token, %a: tensor<128x64xbf16>, %b: tensor<64x64xbf16>, %acc: tensor<128x64xf32>):
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %x = arith.truncf %d : tensor<128x64xf32> to tensor<128x64xbf16>
    %w = "nv_tileas.tiled_store"(%v, %x, %i, %j, %t) {atom = #store, mem_semantic = "weak"} : (!v, tensor<128x64xbf16>, i32, i32, !token) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, !token, tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64, epilogue_slots = 2 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>

// Three parts take slots 0, 1 and 0. `staging_pending` counts the parts since the slot was used last:
// slot 0 by part 2 of the tile before, slot 1 by part 1 of the tile before, slot 0 by part 0.
// CHECK-LABEL: module @an_odd_number_of_parts
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%[[V:.*]]: !nv_tileaa.memref<{{.*}}>, %[[I:.*]]: i32, %[[J:.*]]: i32, %[[T:.*]]: !nv_tileaa.mem_token, {{.*}}):
// CHECK:         %[[X:.*]] = arith.truncf
// CHECK-NEXT:    %[[W:.*]] = "nv_tileas.warpgroup_id"() : () -> i32
// CHECK-NEXT:    %[[SHARE:.*]] = arith.constant 64 : i32
// CHECK-NEXT:    %[[MOVED:.*]] = arith.muli %[[W]], %[[SHARE]] : i32
// CHECK-NEXT:    %[[ROW:.*]] = arith.addi %[[I]], %[[MOVED]] : i32
// CHECK-NEXT:    %[[P0:.*]] = "nv_tileas.tile_part"(%[[X]]) {axis = 0 : i64, origin = array<i64: 0, 0>} : (tensor<64x192xbf16>) -> tensor<64x64xbf16>
// CHECK-NEXT:    %{{.*}} = "nv_tileas.tiled_store"(%[[V]], %[[P0]], %[[ROW]], %[[J]], %[[T]]) {{.*}}per_warpgroup, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>, staging_group = 0 : i64, staging_pending = 0 : i64, staging_slot = 0 : i64, staging_slots = 2 : i64}
// CHECK-NEXT:    %[[P1:.*]] = "nv_tileas.tile_part"(%[[X]]) {axis = 0 : i64, origin = array<i64: 0, 64>} : (tensor<64x192xbf16>) -> tensor<64x64xbf16>
// CHECK-NEXT:    %[[CJ1:.*]] = arith.constant 64 : i32
// CHECK-NEXT:    %[[J1:.*]] = arith.addi %[[J]], %[[CJ1]] : i32
// CHECK-NEXT:    %{{.*}} = "nv_tileas.tiled_store"(%[[V]], %[[P1]], %[[ROW]], %[[J1]], %[[T]]) {{.*}}per_warpgroup, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>, staging_group = 0 : i64, staging_pending = 2 : i64, staging_slot = 1 : i64, staging_slots = 2 : i64}
// CHECK-NEXT:    %[[P2:.*]] = "nv_tileas.tile_part"(%[[X]]) {axis = 0 : i64, origin = array<i64: 0, 128>} : (tensor<64x192xbf16>) -> tensor<64x64xbf16>
// CHECK-NEXT:    %[[CJ2:.*]] = arith.constant 128 : i32
// CHECK-NEXT:    %[[J2:.*]] = arith.addi %[[J]], %[[CJ2]] : i32
// CHECK-NEXT:    %{{.*}} = "nv_tileas.tiled_store"(%[[V]], %[[P2]], %[[ROW]], %[[J2]], %[[T]]) {{.*}}per_warpgroup, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>, staging_group = 0 : i64, staging_pending = 1 : i64, staging_slot = 0 : i64, staging_slots = 2 : i64}
module @an_odd_number_of_parts {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %j: i32, %t: !token, %a: tensor<64x64xbf16>, %b: tensor<64x192xbf16>, %acc: tensor<64x192xf32>):
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x192xbf16>, tensor<64x192xf32>) -> tensor<64x192xf32>
    %x = arith.truncf %d : tensor<64x192xf32> to tensor<64x192xbf16>
    %w = "nv_tileas.tiled_store"(%v, %x, %i, %j, %t) {atom = #store, mem_semantic = "weak"} : (!v, tensor<64x192xbf16>, i32, i32, !token) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, !token, tensor<64x64xbf16>, tensor<64x192xbf16>, tensor<64x192xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64, epilogue_slots = 2 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>

// A tile of one part needs one slot, however many there may be.
// CHECK-LABEL: module @no_more_slots_than_parts
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%[[V:.*]]: !nv_tileaa.memref<{{.*}}>, %[[I:.*]]: i32, %[[J:.*]]: i32, %[[T:.*]]: !nv_tileaa.mem_token, {{.*}}):
// CHECK:         %[[X:.*]] = arith.truncf
// CHECK-NEXT:    %[[W:.*]] = "nv_tileas.warpgroup_id"() : () -> i32
// CHECK-NEXT:    %[[SHARE:.*]] = arith.constant 64 : i32
// CHECK-NEXT:    %[[MOVED:.*]] = arith.muli %[[W]], %[[SHARE]] : i32
// CHECK-NEXT:    %[[ROW:.*]] = arith.addi %[[I]], %[[MOVED]] : i32
// CHECK-NEXT:    %[[P0:.*]] = "nv_tileas.tile_part"(%[[X]]) {axis = 0 : i64, origin = array<i64: 0, 0>} : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
// CHECK-NEXT:    %{{.*}} = "nv_tileas.tiled_store"(%[[V]], %[[P0]], %[[ROW]], %[[J]], %[[T]]) {{.*}}per_warpgroup, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>, staging_group = 0 : i64, staging_pending = 0 : i64, staging_slot = 0 : i64, staging_slots = 1 : i64}
module @no_more_slots_than_parts {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %j: i32, %t: !token, %a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %acc: tensor<64x64xf32>):
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %x = arith.truncf %d : tensor<64x64xf32> to tensor<64x64xbf16>
    %w = "nv_tileas.tiled_store"(%v, %x, %i, %j, %t) {atom = #store, mem_semantic = "weak"} : (!v, tensor<64x64xbf16>, i32, i32, !token) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, !token, tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64, epilogue_slots = 4 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>

// What a loop accumulates, plus a bias, converted: the registers are still those of the accumulator.
// CHECK-LABEL: module @elementwise_epilogues_are_cut
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%[[V:.*]]: !nv_tileaa.memref<{{.*}}>, %[[I:.*]]: i32, %[[J:.*]]: i32, %[[T:.*]]: !nv_tileaa.mem_token, {{.*}}):
// CHECK:         %[[X:.*]] = arith.truncf
// CHECK-NEXT:    %[[W:.*]] = "nv_tileas.warpgroup_id"() : () -> i32
// CHECK-NEXT:    %[[SHARE:.*]] = arith.constant 64 : i32
// CHECK-NEXT:    %[[MOVED:.*]] = arith.muli %[[W]], %[[SHARE]] : i32
// CHECK-NEXT:    %[[ROW:.*]] = arith.addi %[[I]], %[[MOVED]] : i32
// CHECK-NEXT:    %[[P0:.*]] = "nv_tileas.tile_part"(%[[X]]) {axis = 0 : i64, origin = array<i64: 0, 0>} : (tensor<128x64xbf16>) -> tensor<64x64xbf16>
// CHECK-NEXT:    %{{.*}} = "nv_tileas.tiled_store"(%[[V]], %[[P0]], %[[ROW]], %[[J]], %[[T]]) {{.*}}per_warpgroup, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>, staging_group = 0 : i64, staging_pending = 0 : i64, staging_slot = 0 : i64, staging_slots = 1 : i64}
module @elementwise_epilogues_are_cut {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %j: i32, %t: !token, %a: tensor<128x64xbf16>, %b: tensor<64x64xbf16>, %acc: tensor<128x64xf32>, %bias: tensor<64xf32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %s = scf.for %k = %c0 to %i step %c1 iter_args(%p = %acc) -> (tensor<128x64xf32>) : i32 {
      %d = "nv_tileas.dot"(%a, %b, %p) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>) -> tensor<128x64xf32>
      scf.yield %d : tensor<128x64xf32>
    }
    %row = "nv_tileas.view"(%bias) : (tensor<64xf32>) -> tensor<1x64xf32>
    %rows = "nv_tileas.broadcast"(%row) : (tensor<1x64xf32>) -> tensor<128x64xf32>
    %q = arith.addf %rows, %s : tensor<128x64xf32>
    %x = arith.truncf %q : tensor<128x64xf32> to tensor<128x64xbf16>
    %w = "nv_tileas.tiled_store"(%v, %x, %i, %j, %t) {atom = #store, mem_semantic = "weak"} : (!v, tensor<128x64xbf16>, i32, i32, !token) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, !token, tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>, tensor<64xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64, epilogue_slots = 2 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>

// A tile that is no accumulator may lie in registers in any way.
// CHECK-LABEL: module @other_tiles_stay_whole
// CHECK-NOT:     nv_tileas.tile_part
// CHECK:         "nv_tileas.tiled_store"{{.*}}tensor<128x64xbf16>
// CHECK-NOT:     nv_tileas.tile_part
module @other_tiles_stay_whole {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %j: i32, %t: !token, %a: tensor<128x64xbf16>, %b: tensor<64x64xbf16>, %acc: tensor<128x64xf32>):
    %x = arith.truncf %acc : tensor<128x64xf32> to tensor<128x64xbf16>
    %w = "nv_tileas.tiled_store"(%v, %x, %i, %j, %t) {atom = #store, mem_semantic = "weak"} : (!v, tensor<128x64xbf16>, i32, i32, !token) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, !token, tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64, epilogue_slots = 2 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#stg = #cute.copy_atom<"sm90_stg_16_bf16", "stg", 1 : i64, 16 : i64, bf16>

// Threads that store for themselves need no staging buffer.
// CHECK-LABEL: module @stores_of_threads_stay_whole
// CHECK-NOT:     nv_tileas.tile_part
// CHECK:         "nv_tileas.tiled_store"{{.*}}tensor<128x64xbf16>
// CHECK-NOT:     nv_tileas.tile_part
module @stores_of_threads_stay_whole {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %j: i32, %t: !token, %a: tensor<128x64xbf16>, %b: tensor<64x64xbf16>, %acc: tensor<128x64xf32>):
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %x = arith.truncf %d : tensor<128x64xf32> to tensor<128x64xbf16>
    %w = "nv_tileas.tiled_store"(%v, %x, %i, %j, %t) {atom = #stg, mem_semantic = "weak"} : (!v, tensor<128x64xbf16>, i32, i32, !token) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, !token, tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64, epilogue_slots = 2 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>

// Without slots in the plan, stores stay whole.
// CHECK-LABEL: module @a_plan_without_slots_leaves_stores_whole
// CHECK-NOT:     nv_tileas.tile_part
// CHECK:         "nv_tileas.tiled_store"{{.*}}tensor<128x64xbf16>
// CHECK-NOT:     nv_tileas.tile_part
module @a_plan_without_slots_leaves_stores_whole {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %j: i32, %t: !token, %a: tensor<128x64xbf16>, %b: tensor<64x64xbf16>, %acc: tensor<128x64xf32>):
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %x = arith.truncf %d : tensor<128x64xf32> to tensor<128x64xbf16>
    %w = "nv_tileas.tiled_store"(%v, %x, %i, %j, %t) {atom = #store, mem_semantic = "weak"} : (!v, tensor<128x64xbf16>, i32, i32, !token) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, !token, tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64, epilogue_slots = 0 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>

// Two stores go through two groups of staging slots.
// CHECK-LABEL: module @each_store_has_slots_of_its_own
// CHECK:         "nv_tileas.tiled_store"{{.*}} staging_group = 0 : i64, {{.*}}tensor<64x64xbf16>
// CHECK:         "nv_tileas.tiled_store"{{.*}} staging_group = 1 : i64, {{.*}}tensor<64x64xbf16>
module @each_store_has_slots_of_its_own {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %j: i32, %t: !token, %a: tensor<128x64xbf16>, %b: tensor<64x64xbf16>, %acc: tensor<128x64xf32>):
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %x = arith.truncf %d : tensor<128x64xf32> to tensor<128x64xbf16>
    %w = "nv_tileas.tiled_store"(%v, %x, %i, %j, %t) {atom = #store, mem_semantic = "weak"} : (!v, tensor<128x64xbf16>, i32, i32, !token) -> !token
    %u = "nv_tileas.tiled_store"(%v, %x, %i, %j, %t) {atom = #store, mem_semantic = "weak"} : (!v, tensor<128x64xbf16>, i32, i32, !token) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, !token, tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64, epilogue_slots = 2 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>

// The slices of a tile use the same staging slots alternately. With three slices in two slots, the
// first one takes the slot of the last slice of the tile before; two slices follow the second one.
// CHECK-LABEL: module @slices_share_staging_slots
// CHECK:         "nv_tileas.tile_part"(%{{.*}}) {axis = 0 : i64, origin = array<i64: 0, 0>} : (tensor<128x32xbf16>) -> tensor<64x32xbf16>
// CHECK:         "nv_tileas.tiled_store"{{.*}}staging_group = 0 : i64, staging_pending = 0 : i64, staging_slot = 0 : i64, staging_slots = 2 : i64}
// CHECK:         "nv_tileas.tiled_store"{{.*}}staging_group = 0 : i64, staging_pending = 2 : i64, staging_slot = 1 : i64, staging_slots = 2 : i64}
// CHECK:         "nv_tileas.tiled_store"{{.*}}staging_group = 0 : i64, staging_pending = 1 : i64, staging_slot = 0 : i64, staging_slots = 2 : i64}
module @slices_share_staging_slots {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %j: i32, %a: tensor<128x64xbf16>, %b: tensor<64x96xbf16>, %acc: tensor<128x96xf32>):
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x96xbf16>, tensor<128x96xf32>) -> tensor<128x96xf32>
    %d0 = "nv_tileas.tile_slice"(%d) {origin = array<i64: 0, 0>} : (tensor<128x96xf32>) -> tensor<128x32xf32>
    %x0 = arith.truncf %d0 : tensor<128x32xf32> to tensor<128x32xbf16>
    %w0 = "nv_tileas.tiled_store"(%v, %x0, %i, %j) {atom = #store, slice = 0 : i64, slice_group = 0 : i64} : (!v, tensor<128x32xbf16>, i32, i32) -> !token
    %d1 = "nv_tileas.tile_slice"(%d) {origin = array<i64: 0, 32>} : (tensor<128x96xf32>) -> tensor<128x32xf32>
    %x1 = arith.truncf %d1 : tensor<128x32xf32> to tensor<128x32xbf16>
    %w1 = "nv_tileas.tiled_store"(%v, %x1, %i, %j) {atom = #store, slice = 1 : i64, slice_group = 0 : i64} : (!v, tensor<128x32xbf16>, i32, i32) -> !token
    %d2 = "nv_tileas.tile_slice"(%d) {origin = array<i64: 0, 64>} : (tensor<128x96xf32>) -> tensor<128x32xf32>
    %x2 = arith.truncf %d2 : tensor<128x32xf32> to tensor<128x32xbf16>
    %w2 = "nv_tileas.tiled_store"(%v, %x2, %i, %j) {atom = #store, slice = 2 : i64, slice_group = 0 : i64} : (!v, tensor<128x32xbf16>, i32, i32) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, tensor<128x64xbf16>, tensor<64x96xbf16>, tensor<128x96xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64, epilogue_slots = 2 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>

// Batches of two parts take the four slots round robin, two at a time; a batch waits for the one that used
// its slots before. Of five parts the last one is a batch by itself.
// CHECK-LABEL: module @batches_take_slots_together
// CHECK:         "nv_tileas.tiled_store"{{.*}} staging_batch = 2 : i64, staging_group = 0 : i64, staging_pending = 0 : i64, staging_place = 0 : i64, staging_slot = 0 : i64, staging_slots = 4 : i64}
// CHECK:         "nv_tileas.tiled_store"{{.*}} staging_batch = 2 : i64, staging_group = 0 : i64, staging_pending = 0 : i64, staging_place = 1 : i64, staging_slot = 1 : i64, staging_slots = 4 : i64}
// CHECK:         "nv_tileas.tiled_store"{{.*}} staging_batch = 2 : i64, staging_group = 0 : i64, staging_pending = 2 : i64, staging_place = 0 : i64, staging_slot = 2 : i64, staging_slots = 4 : i64}
// CHECK:         "nv_tileas.tiled_store"{{.*}} staging_batch = 2 : i64, staging_group = 0 : i64, staging_pending = 2 : i64, staging_place = 1 : i64, staging_slot = 3 : i64, staging_slots = 4 : i64}
// CHECK:         "nv_tileas.tiled_store"{{.*}} staging_batch = 1 : i64, staging_group = 0 : i64, staging_pending = 1 : i64, staging_place = 0 : i64, staging_slot = 0 : i64, staging_slots = 4 : i64}
module @batches_take_slots_together {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %j: i32, %t: !token, %a: tensor<64x64xbf16>, %b: tensor<64x320xbf16>, %acc: tensor<64x320xf32>):
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x320xbf16>, tensor<64x320xf32>) -> tensor<64x320xf32>
    %x = arith.truncf %d : tensor<64x320xf32> to tensor<64x320xbf16>
    %w = "nv_tileas.tiled_store"(%v, %x, %i, %j, %t) {atom = #store, mem_semantic = "weak"} : (!v, tensor<64x320xbf16>, i32, i32, !token) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, !token, tensor<64x64xbf16>, tensor<64x320xbf16>, tensor<64x320xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64, epilogue_slots = 4 : i64, epilogue_batch = 2 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>

// Columns that are no whole spans end in a narrower part: 80 are 64 and 16.
// CHECK-LABEL: module @the_last_part_may_be_narrower
// CHECK:         "nv_tileas.tile_part"(%[[X:.*]]) {axis = 0 : i64, origin = array<i64: 0, 0>} : (tensor<128x80xbf16>) -> tensor<64x64xbf16>
// CHECK-NEXT:    "nv_tileas.tiled_store"{{.*}}shared_layout = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>, {{.*}}staging_slot = 0
// CHECK-NEXT:    "nv_tileas.tile_part"(%[[X]]) {axis = 0 : i64, origin = array<i64: 0, 64>} : (tensor<128x80xbf16>) -> tensor<64x16xbf16>
// CHECK:         "nv_tileas.tiled_store"{{.*}}shared_layout = #nv_tileas.shared_layout<array<i64: 64, 16>, 32 : i64>, {{.*}}staging_slot = 1
module @the_last_part_may_be_narrower {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %j: i32, %t: !token, %a: tensor<128x64xbf16>, %b: tensor<64x80xbf16>, %acc: tensor<128x80xf32>):
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x80xbf16>, tensor<128x80xf32>) -> tensor<128x80xf32>
    %x = arith.truncf %d : tensor<128x80xf32> to tensor<128x80xbf16>
    %w = "nv_tileas.tiled_store"(%v, %x, %i, %j, %t) {atom = #store, mem_semantic = "weak"} : (!v, tensor<128x80xbf16>, i32, i32, !token) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, !token, tensor<128x64xbf16>, tensor<64x80xbf16>, tensor<128x80xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64, epilogue_slots = 2 : i64}} : () -> ()
}

// -----

!h = !nv_tileaa.memref<memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_4d_bf16", "tma_store", 4 : i64, 0 : i64, bf16>

// Rows and columns of the accumulator may have dims of extent 1 before and between them.
// CHECK-LABEL: module @units_between_rows_and_columns
// CHECK:         "nv_tileas.tile_part"(%{{.*}}) {axis = 1 : i64, origin = array<i64: 0, 0, 0, 0>} : (tensor<1x128x1x128xbf16>) -> tensor<1x64x1x64xbf16>
// CHECK-NEXT:    "nv_tileas.tiled_store"{{.*}}per_warpgroup, shared_layout = #nv_tileas.shared_layout<array<i64: 1, 64, 1, 64>, 128 : i64>
// CHECK:         "nv_tileas.tile_part"(%{{.*}}) {axis = 1 : i64, origin = array<i64: 0, 0, 0, 64>} : (tensor<1x128x1x128xbf16>) -> tensor<1x64x1x64xbf16>
module @units_between_rows_and_columns {
  "nv_tileaa.func"() ({
  ^bb0(%v: !h, %i: i32, %a: tensor<128x64xbf16>, %b: tensor<64x128xbf16>, %acc: tensor<128x128xf32>):
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
    %x = arith.truncf %d : tensor<128x128xf32> to tensor<128x128xbf16>
    %y = "nv_tileas.view"(%x) : (tensor<128x128xbf16>) -> tensor<1x128x1x128xbf16>
    %w = "nv_tileas.tiled_store"(%v, %y, %i, %i, %i, %i) {atom = #store, mem_semantic = "weak"} : (!h, tensor<1x128x1x128xbf16>, i32, i32, i32, i32) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!h, i32, tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64, epilogue_slots = 2 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>

// The copies of a store, which rotation made, take the same slots; another store has slots of its own.
// CHECK-LABEL: module @copies_share_slots
// CHECK:         "nv_tileas.tiled_store"({{.*}}staging_group = 0 : i64, staging_pending = 0 : i64, staging_slot = 0 : i64
// CHECK:         "nv_tileas.tiled_store"({{.*}}staging_group = 0 : i64, staging_pending = 0 : i64, staging_slot = 0 : i64
// CHECK:         "nv_tileas.tiled_store"({{.*}}staging_group = 1 : i64, staging_pending = 0 : i64, staging_slot = 0 : i64
module @copies_share_slots {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %j: i32, %a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %acc: tensor<64x64xf32>):
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %x = arith.truncf %d : tensor<64x64xf32> to tensor<64x64xbf16>
    %w0 = "nv_tileas.tiled_store"(%v, %x, %i, %j) {atom = #store, copy_of = 3 : i64} : (!v, tensor<64x64xbf16>, i32, i32) -> !token
    %w1 = "nv_tileas.tiled_store"(%v, %x, %i, %j) {atom = #store, copy_of = 3 : i64} : (!v, tensor<64x64xbf16>, i32, i32) -> !token
    %w2 = "nv_tileas.tiled_store"(%v, %x, %i, %j) {atom = #store} : (!v, tensor<64x64xbf16>, i32, i32) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64, epilogue_slots = 2 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!f = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>
#sum = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>

// All stores share two slots. The first part of each waits for all that was stored before, as it does not
// know which slot was taken last.
// CHECK-LABEL: module @stores_share_slots
// CHECK:         "nv_tileas.tiled_store"{{.*}}staging_group = 0 : i64, staging_pending = 0 : i64, staging_slot = 0 : i64, staging_slots = 2 : i64}
// CHECK:         "nv_tileas.tiled_store"{{.*}}staging_group = 0 : i64, staging_pending = 1 : i64, staging_slot = 1 : i64, staging_slots = 2 : i64}
// CHECK:         "nv_tileas.tiled_store"{{.*}}array<i64: 64, 32>{{.*}}staging_group = 0 : i64, staging_pending = 0 : i64, staging_slot = 0 : i64, staging_slots = 2 : i64}
// CHECK:         "nv_tileas.tiled_store"{{.*}}array<i64: 64, 32>{{.*}}staging_group = 0 : i64, staging_pending = 1 : i64, staging_slot = 1 : i64, staging_slots = 2 : i64}
// CHECK:         "nv_tileas.tiled_store"{{.*}}array<i64: 64, 32>{{.*}}staging_group = 0 : i64, staging_pending = 1 : i64, staging_slot = 0 : i64, staging_slots = 2 : i64}
// CHECK:         "nv_tileas.tiled_store"{{.*}}array<i64: 64, 32>{{.*}}staging_group = 0 : i64, staging_pending = 1 : i64, staging_slot = 1 : i64, staging_slots = 2 : i64}
module @stores_share_slots {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %f: !f, %i: i32, %j: i32, %t: !token, %a: tensor<128x64xbf16>, %b: tensor<64x128xbf16>, %acc: tensor<128x128xf32>):
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
    %x = arith.truncf %d : tensor<128x128xf32> to tensor<128x128xbf16>
    %w = "nv_tileas.tiled_store"(%v, %x, %i, %j, %t) {atom = #store, mem_semantic = "weak"} : (!v, tensor<128x128xbf16>, i32, i32, !token) -> !token
    %e = "nv_tileas.tiled_store"(%f, %d, %i, %j, %t) {atom = #sum, mem_semantic = "weak"} : (!f, tensor<128x128xf32>, i32, i32, !token) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, !f, i32, i32, !token, tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64, epilogue_slots = 2 : i64, share_slots = true}} : () -> ()
}
