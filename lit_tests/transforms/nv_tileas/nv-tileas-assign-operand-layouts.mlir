// RUN: tilec opt %s --passes nv-tileas-assign-operand-layouts --split-input-file | FileCheck %s

// The pass chooses the layout of each tile that goes through shared memory.

!a = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>

// An operand of a product lies in columns of one swizzle span, all rows of a column together: a
// 128x128 bf16 tile is two boxes.
// CHECK-LABEL: module @operands_lie_in_swizzled_columns
// CHECK:         "nv_tileas.tiled_load"{{.*}}shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>{{.*}}tensor<128x128xbf16>
// CHECK:         "nv_tileas.tiled_load"{{.*}}shared_layout = #nv_tileas.shared_layout<array<i64: 128, 32>, 64 : i64>{{.*}}tensor<128x32xbf16>
module @operands_lie_in_swizzled_columns {
  "nv_tileaa.func"() ({
  ^bb0(%v: !a, %i: i32, %acc: tensor<128x32xf32>):
    %a, %t = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load} : (!a, i32, i32) -> (tensor<128x128xbf16>, !token)
    %b, %u = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load} : (!a, i32, i32) -> (tensor<128x32xbf16>, !token)
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x32xbf16>, tensor<128x32xf32>) -> tensor<128x32xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, i32, tensor<128x32xf32>) -> ()} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?xf32, strided<[1]>, 1>, 0 : i64>
!w = !nv_tileaa.memref<memref<?x?x?xf32, strided<[?, ?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load1 = #cute.copy_atom<"sm90_tma_load_1d_f32", "tma_load", 1 : i64, 0 : i64, f32>
#store1 = #cute.copy_atom<"sm90_tma_store_1d_f32", "tma_store", 1 : i64, 0 : i64, f32>
#load3 = #cute.copy_atom<"sm90_tma_load_3d_f32", "tma_load", 3 : i64, 0 : i64, f32>

// Other tiles get boxes that TMA moves in few copies, up to 256 elements along a dim; stores too.
// CHECK-LABEL: module @plain_tiles_get_large_boxes
// CHECK:         "nv_tileas.tiled_load"{{.*}}shared_layout = #nv_tileas.shared_layout<array<i64: 256>, 0 : i64>
// CHECK:         "nv_tileas.tiled_load"{{.*}}shared_layout = #nv_tileas.shared_layout<array<i64: 4, 8, 32>, 128 : i64>
// CHECK:         "nv_tileas.tiled_store"{{.*}}shared_layout = #nv_tileas.shared_layout<array<i64: 256>, 0 : i64>
module @plain_tiles_get_large_boxes {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %w: !w, %i: i32):
    %a, %t = "nv_tileas.tiled_load"(%v, %i) {atom = #load1} : (!v, i32) -> (tensor<1024xf32>, !token)
    %b, %u = "nv_tileas.tiled_load"(%w, %i, %i, %i) {atom = #load3} : (!w, i32, i32, i32) -> (tensor<4x8x32xf32>, !token)
    %s = "nv_tileas.tiled_store"(%v, %a, %i) {atom = #store1} : (!v, tensor<1024xf32>, i32) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, !w, i32) -> ()} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#ldg = #cute.copy_atom<"sm90_ldg_128_f32", "ldg", 1 : i64, 128 : i64, f32>

// A tile that threads load themselves does not pass through shared memory.
// CHECK-LABEL: module @thread_copies_have_no_shared_layout
// CHECK-NOT:     shared_layout
// CHECK:         "nv_tileaa.return"
module @thread_copies_have_no_shared_layout {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32):
    %a, %t = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #ldg} : (!v, i32, i32) -> (tensor<32x32xf32>, !token)
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32) -> ()} : () -> ()
}

// -----

!a = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>

// An operand too small for wgmma (4 rows) takes any layout.
// CHECK-LABEL: module @small_operands_take_any_layout
// CHECK:         "nv_tileas.tiled_load"{{.*}}shared_layout = #nv_tileas.shared_layout<array<i64: 4, 64>, 0 : i64>
module @small_operands_take_any_layout {
  "nv_tileaa.func"() ({
  ^bb0(%v: !a, %i: i32, %b: tensor<64x8xbf16>, %acc: tensor<4x8xf32>):
    %a, %t = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load} : (!a, i32, i32) -> (tensor<4x64xbf16>, !token)
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<4x64xbf16>, tensor<64x8xbf16>, tensor<4x8xf32>) -> tensor<4x8xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, i32, tensor<64x8xbf16>, tensor<4x8xf32>) -> ()} : () -> ()
}

// -----

!a = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>
#store = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>

// Two warpgroups share the 224 columns of a product with 192 rows: no span of B, whose columns are
// contiguous, and no box of the result holds columns of both.
// CHECK-LABEL: module @parts_hold_whole_spans
// CHECK:         "nv_tileas.tiled_load"{{.*}}shared_layout = #nv_tileas.shared_layout<array<i64: 192, 64>, 128 : i64>
// CHECK:         "nv_tileas.tiled_load"{{.*}}shared_layout = #nv_tileas.shared_layout<array<i64: 64, 16>, 32 : i64>
// CHECK:         "nv_tileas.tiled_store"{{.*}}shared_layout = #nv_tileas.shared_layout<array<i64: 192, 224>, 0 : i64>
module @parts_hold_whole_spans {
  "nv_tileaa.func"() ({
  ^bb0(%v: !a, %i: i32, %acc: tensor<192x224xf32>, %c: tensor<192x224xbf16>):
    %a, %t = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load} : (!a, i32, i32) -> (tensor<192x64xbf16>, !token)
    %b, %u = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load} : (!a, i32, i32) -> (tensor<64x224xbf16>, !token)
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<192x64xbf16>, tensor<64x224xbf16>, tensor<192x224xf32>) -> tensor<192x224xf32>
    %s = "nv_tileas.tiled_store"(%v, %c, %i, %i) {atom = #store} : (!a, tensor<192x224xbf16>, i32, i32) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, i32, tensor<192x224xf32>, tensor<192x224xbf16>) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 8 : i64, cluster = [1, 1, 1]}} : () -> ()
}

// -----

!a = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>

// CTAs that share a tile load a part of its boxes each. A, one box of 128 rows, is cut for the two
// CTAs of a row; the four boxes of B divide as they are. Without sharing A stays whole.
// CHECK-LABEL: module @shared_tiles_are_cut_for_their_ctas
// CHECK:         "nv_tileas.tiled_load"{{.*}}multicast_axis = 1 : i64{{.*}}shared_layout = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>{{.*}}tensor<128x64xbf16>
// CHECK:         "nv_tileas.tiled_load"{{.*}}multicast_axis = 0 : i64{{.*}}shared_layout = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>{{.*}}tensor<64x256xbf16>
// CHECK:         "nv_tileas.tiled_load"{{.*}}shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>{{.*}}tensor<128x64xbf16>
module @shared_tiles_are_cut_for_their_ctas {
  "nv_tileaa.func"() ({
  ^bb0(%v: !a, %i: i32, %acc: tensor<128x256xf32>):
    %a, %t = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load, multicast_axis = 1 : i64} : (!a, i32, i32) -> (tensor<128x64xbf16>, !token)
    %b, %u = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load, multicast_axis = 0 : i64} : (!a, i32, i32) -> (tensor<64x256xbf16>, !token)
    %c, %w = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load} : (!a, i32, i32) -> (tensor<128x64xbf16>, !token)
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x256xbf16>, tensor<128x256xf32>) -> tensor<128x256xf32>
    %e = "nv_tileas.dot"(%c, %b, %d) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x256xbf16>, tensor<128x256xf32>) -> tensor<128x256xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, i32, tensor<128x256xf32>) -> (), nv_tileaa.kernel_spec = {cluster = [2, 2, 1], consumer_warps = 8 : i64}} : () -> ()
}

// -----

!a = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>

// Three boxes of B do not divide among two CTAs, and its single step of K does not: every CTA loads
// the tile for itself.
// CHECK-LABEL: module @tiles_that_do_not_divide_are_not_shared
// CHECK:         "nv_tileas.tiled_load"
// CHECK-NOT:     multicast_axis
// CHECK-SAME:    shared_layout = #nv_tileas.shared_layout<array<i64: 16, 64>, 128 : i64>
module @tiles_that_do_not_divide_are_not_shared {
  "nv_tileaa.func"() ({
  ^bb0(%v: !a, %i: i32, %a: tensor<128x16xbf16>, %acc: tensor<128x192xf32>):
    %b, %u = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load, multicast_axis = 0 : i64} : (!a, i32, i32) -> (tensor<16x192xbf16>, !token)
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x16xbf16>, tensor<16x192xbf16>, tensor<128x192xf32>) -> tensor<128x192xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, i32, tensor<128x16xbf16>, tensor<128x192xf32>) -> (), nv_tileaa.kernel_spec = {cluster = [2, 1, 1], consumer_warps = 8 : i64}} : () -> ()
}

// -----

!a = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>

// Three boxes of B do not divide among two CTAs, but the steps of K in their rows do: each CTA loads
// 32 rows of all boxes.
// CHECK-LABEL: module @rows_of_k_divide
// CHECK:         "nv_tileas.tiled_load"
// CHECK-SAME:    multicast_axis = 0 : i64
// CHECK-SAME:    shared_layout = #nv_tileas.shared_layout<array<i64: 32, 64>, 128 : i64>
module @rows_of_k_divide {
  "nv_tileaa.func"() ({
  ^bb0(%v: !a, %i: i32, %a: tensor<128x64xbf16>, %acc: tensor<128x192xf32>):
    %b, %u = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load, multicast_axis = 0 : i64} : (!a, i32, i32) -> (tensor<64x192xbf16>, !token)
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x192xbf16>, tensor<128x192xf32>) -> tensor<128x192xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, i32, tensor<128x64xbf16>, tensor<128x192xf32>) -> (), nv_tileaa.kernel_spec = {cluster = [2, 1, 1], consumer_warps = 8 : i64}} : () -> ()
}

// -----

!h = !nv_tileaa.memref<memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_4d_bf16", "tma_load", 4 : i64, 0 : i64, bf16>

// Dims of extent 1, also between the others, are 1 in the box; the other dims get an operand's layout.
// CHECK-LABEL: module @units_are_no_dims_of_an_operand
// CHECK:         "nv_tileas.tiled_load"{{.*}}shared_layout = #nv_tileas.shared_layout<array<i64: 1, 128, 1, 64>, 128 : i64>{{.*}}tensor<1x128x1x128xbf16>
// CHECK:         "nv_tileas.tiled_load"{{.*}}shared_layout = #nv_tileas.shared_layout<array<i64: 128, 1, 1, 32>, 64 : i64>{{.*}}tensor<128x1x1x32xbf16>
module @units_are_no_dims_of_an_operand {
  "nv_tileaa.func"() ({
  ^bb0(%v: !h, %i: i32, %acc: tensor<128x32xf32>):
    %q, %t = "nv_tileas.tiled_load"(%v, %i, %i, %i, %i) {atom = #load} : (!h, i32, i32, i32, i32) -> (tensor<1x128x1x128xbf16>, !token)
    %k, %u = "nv_tileas.tiled_load"(%v, %i, %i, %i, %i) {atom = #load} : (!h, i32, i32, i32, i32) -> (tensor<128x1x1x32xbf16>, !token)
    %a = "nv_tileas.view"(%q) : (tensor<1x128x1x128xbf16>) -> tensor<128x128xbf16>
    %b = "nv_tileas.view"(%k) : (tensor<128x1x1x32xbf16>) -> tensor<128x32xbf16>
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x32xbf16>, tensor<128x32xf32>) -> tensor<128x32xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!h, i32, tensor<128x32xf32>) -> ()} : () -> ()
}

// -----

!h = !nv_tileaa.memref<memref<?x?x?x?xbf16, strided<[?, ?, ?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_4d_bf16", "tma_load", 4 : i64, 0 : i64, bf16>

// Rows of an operand may be several dims of the tile: a box holds all of them.
// CHECK-LABEL: module @pixels_are_rows_of_an_operand
// CHECK:         "nv_tileas.tiled_load"{{.*}}shared_layout = #nv_tileas.shared_layout<array<i64: 1, 8, 16, 64>, 128 : i64>{{.*}}tensor<1x8x16x128xbf16>
module @pixels_are_rows_of_an_operand {
  "nv_tileaa.func"() ({
  ^bb0(%v: !h, %i: i32, %b: tensor<128x32xbf16>, %acc: tensor<128x32xf32>):
    %q, %t = "nv_tileas.tiled_load"(%v, %i, %i, %i, %i) {atom = #load} : (!h, i32, i32, i32, i32) -> (tensor<1x8x16x128xbf16>, !token)
    %a = "nv_tileas.view"(%q) : (tensor<1x8x16x128xbf16>) -> tensor<128x128xbf16>
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x32xbf16>, tensor<128x32xf32>) -> tensor<128x32xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!h, i32, tensor<128x32xbf16>, tensor<128x32xf32>) -> ()} : () -> ()
}
