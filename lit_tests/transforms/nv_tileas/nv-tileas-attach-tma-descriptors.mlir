// RUN: tilec opt %s --passes nv-tileas-attach-tma-descriptors --split-input-file | FileCheck %s

// The pass makes TMA descriptors parameters of the kernel, and tells the host how to make them.

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!slot = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
!desc = !nv_tileas.tma_desc<tensor<128x64xbf16>>

// Descriptors become trailing parameters in the order of their index, wherever they were made. The
// counters say how many; the metadata says how the host encodes each.
// CHECK-LABEL: module @descriptors_become_parameters_in_order
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%{{.*}}: !nv_tileaa.ptr<bf16>, %{{.*}}: i64, %{{.*}}: i32, %{{.*}}: i32, %[[D0:.*]]: !nv_tileas.tma_desc<tensor<128x64xbf16>>, %[[D1:.*]]: !nv_tileas.tma_desc<tensor<128x64xbf16>>):
// CHECK-NOT:     nv_tileas.make_tiled_tma_desc
// CHECK:         "nv_tileas.async_tiled_tma_load"(%[[D0]],
// CHECK:         "nv_tileas.async_tiled_tma_store"(%[[D1]],
// CHECK:       }) {function_type = (!nv_tileaa.ptr<bf16>, i64, i32, i32, !nv_tileas.tma_desc<tensor<128x64xbf16>>, !nv_tileas.tma_desc<tensor<128x64xbf16>>) -> ()
// CHECK-SAME:  "nv_tileas.num-device-tmas" = 0 : i32, "nv_tileas.num-host-tmas" = 2 : i32
// CHECK-SAME:  tensor_maps = [{array = "A", axes = [0, 1], box = [128, 64], dims = {{\[\[}}"dim", "M"], ["dim", "K"]], dtype = "bf16", l2_promotion = [[L2:[0-9]+]] : i64, load = true, strides = {{\[\[}}"stride", "A", 0], ["static", 1]], swizzle = 128 : i64}, {array = "A", {{.*}}load = false,
module @descriptors_become_parameters_in_order {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<bf16>, %s: i64, %m: i32, %k: i32):
    %v = "nv_tileas.make_memref"(%p, %m, %k, %s) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !v
    %slot = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !slot
    %b = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 1 : i64} : () -> !nv_tileas.mbarrier
    %d1 = "nv_tileas.make_tiled_tma_desc"(%v) {box = array<i64: 128, 64>, swizzle = 128 : i64, tmaIdx = 1 : i64, mode = "store"} : (!v) -> !desc
    %d0 = "nv_tileas.make_tiled_tma_desc"(%v) {box = array<i64: 128, 64>, swizzle = 128 : i64, tmaIdx = 0 : i64, mode = "load"} : (!v) -> !desc
    "nv_tileas.async_tiled_tma_load"(%d0, %slot, %m, %k, %b) {box_index = 0 : i64, tx_count = 16384 : i64, tmaIdx = 0 : i64} : (!desc, !slot, i32, i32, !nv_tileas.mbarrier) -> ()
    "nv_tileas.async_tiled_tma_store"(%d1, %slot, %m, %k) {box_index = 0 : i64, tmaIdx = 1 : i64} : (!desc, !slot, i32, i32) -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<bf16>, i64, i32, i32) -> (), tilec.kernel = {
    arrays = [{name = "A", dtype = "bf16", rank = 2 : i64, strides = [-1, 1]}],
    params = [{kind = "pointer", array = "A"}, {kind = "stride", array = "A", axis = 0 : i64}, {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "K", array = "A", axis = 1 : i64}]}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x64xbf16, strided<[?, 1]>, 1>, 0 : i64>

// The recipe of a transposed view names the axis of each dim; static extents are numbers.
// CHECK-LABEL: module @recipes_name_the_axes_of_views
// CHECK:       tensor_maps = [{array = "W", axes = [1, 0], box = [8, 64], dims = {{\[\[}}"dim", "N"], ["static", 64]], dtype = "bf16",
// CHECK-SAME:  strides = {{\[\[}}"stride", "W", 1], ["static", 1]]
module @recipes_name_the_axes_of_views {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<bf16>, %s: i64, %n: i32):
    %v = "nv_tileas.make_memref"(%p, %n, %s) : (!nv_tileaa.ptr<bf16>, i32, i64) -> !v
    %d = "nv_tileas.make_tiled_tma_desc"(%v) {box = array<i64: 8, 64>, swizzle = 128 : i64, tmaIdx = 0 : i64, mode = "load"} : (!v) -> !nv_tileas.tma_desc<tensor<8x64xbf16>>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<bf16>, i64, i32) -> (), tilec.kernel = {
    arrays = [{name = "W", dtype = "bf16", rank = 2 : i64, strides = [1, -1]}], static_shape = {W = [64, -1]},
    params = [{kind = "pointer", array = "W"}, {kind = "stride", array = "W", axis = 1 : i64}, {kind = "dim", name = "N", array = "W", axis = 1 : i64}]}} : () -> ()
}

// -----

// A kernel without descriptors still carries both counters.
// CHECK-LABEL: module @counters_are_always_there
// CHECK:       "nv_tileas.num-device-tmas" = 0 : i32, "nv_tileas.num-host-tmas" = 0 : i32
// CHECK-SAME:  tensor_maps = []
module @counters_are_always_there {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> ()} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?xi64, strided<[1]>, 1>, 0 : i64>

// TMA adds 64-bit integers, and combines their bits, where the tensor map says that they have no sign. It
// compares them as the array has them.
// CHECK-LABEL: module @sums_have_no_sign
// CHECK:       tensor_maps = [{array = "A", {{.*}}dtype = "u64"{{.*}}}, {array = "A", {{.*}}dtype = "i64"
module @sums_have_no_sign {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<i64>, %n: i32):
    %v = "nv_tileas.make_memref"(%p, %n) : (!nv_tileaa.ptr<i64>, i32) -> !v
    %c = "nv_tileas.make_tiled_tma_desc"(%v) {box = array<i64: 64>, swizzle = 0 : i64, tmaIdx = 0 : i64, mode = "combine"} : (!v) -> !nv_tileas.tma_desc<tensor<64xi64>>
    %s = "nv_tileas.make_tiled_tma_desc"(%v) {box = array<i64: 64>, swizzle = 0 : i64, tmaIdx = 1 : i64, mode = "store"} : (!v) -> !nv_tileas.tma_desc<tensor<64xi64>>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<i64>, i32) -> (), tilec.kernel = {
    arrays = [{name = "A", dtype = "i64", rank = 1 : i64, strides = [1]}],
    params = [{kind = "pointer", array = "A"}, {kind = "dim", name = "N", array = "A", axis = 0 : i64}]}} : () -> ()
}
