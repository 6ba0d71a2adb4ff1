// RUN: tilec opt %s --passes convert-cuda-tile-to-nv-tileaa --split-input-file | FileCheck %s

// The pass converts views, loads and stores: arrays become memrefs in storage order, and tile
// indices become element coordinates.

// A column-major matrix: the contiguous axis 0 comes last in the memref, the loaded tile is permuted
// back, and the stored tile is permuted, too. Nothing is known about the indices: an index whose first
// element lies beyond 31 bits becomes -1, and so does a negative one.

!view = !cuda_tile.tensor_view<memref<?x?xf32, strided<[1, ?]>>>
!part = !cuda_tile.partition_view<array<i64: 32, 8>, !cuda_tile.tensor_view<memref<?x?xf32, strided<[1, ?]>>>, array<i64: 0, 1>, "nan">

// CHECK-LABEL: module @column_major_tiles_are_permuted
// CHECK:      ^bb0(%[[P:.*]]: !nv_tileaa.ptr<f32>, %[[M:.*]]: i32, %[[N:.*]]: i32, %[[S:.*]]: i64, %[[I:.*]]: i32, %[[J:.*]]: i32):
// CHECK-NEXT: %[[V:.*]] = "nv_tileaa.make_memref"(%[[P]], %[[N]], %[[M]], %[[S]]) {{.*}} -> !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, -1 : i64>
// CHECK:      %[[BELOW:.*]] = arith.cmpi ult, %[[J]], %c268435456_i32 : i32
// CHECK-NEXT: %[[J1:.*]] = arith.select %[[BELOW]], %[[J]], %c-1_i32 : i32
// CHECK:      %[[OUTER:.*]] = arith.muli %[[J1]], %c8_i32
// CHECK:      %[[LEFT:.*]] = arith.cmpi ult, %[[I]], %c67108864_i32 : i32
// CHECK-NEXT: %[[I1:.*]] = arith.select %[[LEFT]], %[[I]], %c-1_i32{{.*}} : i32
// CHECK:      %[[INNER:.*]] = arith.muli %[[I1]], %c32_i32
// CHECK-NEXT: %[[A:.*]]:2 = "nv_tileaa.tiled_load"(%[[V]], %[[OUTER]], %[[INNER]]) {{.*}}padding = "nan"} {{.*}} -> (tensor<8x32xf32>, !nv_tileaa.mem_token)
// CHECK-NEXT: %[[B:.*]] = "nv_tileaa.permute"(%[[A]]#0) {permutation = array<i64: 1, 0>} : (tensor<8x32xf32>) -> tensor<32x8xf32>
// CHECK-NEXT: %[[C:.*]] = "nv_tileaa.permute"(%[[B]]) {permutation = array<i64: 1, 0>} : (tensor<32x8xf32>) -> tensor<8x32xf32>
// CHECK:      "nv_tileaa.tiled_store"(%[[V]], %[[C]], {{.*}}, %[[A]]#1)
module @column_major_tiles_are_permuted {
  "cuda_tile.entry"() ({
  ^bb0(%p: !cuda_tile.ptr<f32>, %m: i32, %n: i32, %s: i64, %i: i32, %j: i32):
    %v = "cuda_tile.make_tensor_view"(%p, %m, %n, %s) : (!cuda_tile.ptr<f32>, i32, i32, i64) -> !view
    %w = "cuda_tile.make_partition_view"(%v) : (!view) -> !part
    %a, %t = "cuda_tile.load_view_tko"(%w, %i, %j) {ordering = "weak"} : (!part, i32, i32) -> (!cuda_tile.tile<32x8xf32>, !cuda_tile.token)
    %u = "cuda_tile.store_view_tko"(%a, %w, %i, %j, %t) {ordering = "weak"} : (!cuda_tile.tile<32x8xf32>, !part, i32, i32, !cuda_tile.token) -> !cuda_tile.token
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!cuda_tile.ptr<f32>, i32, i32, i64, i32, i32) -> ()} : () -> ()
}

// -----

// A dim map that is a cycle: tile dims 0, 1, 2 are tensor dims 2, 0, 1. Storage order is the order
// of the tensor, so the memref dims have the coordinates of tile dims 1, 2, 0.

!view = !cuda_tile.tensor_view<memref<16x32x64xf32, strided<[2048, 64, 1]>>>
!part = !cuda_tile.partition_view<array<i64: 8, 2, 4>, !cuda_tile.tensor_view<memref<16x32x64xf32, strided<[2048, 64, 1]>>>, array<i64: 2, 0, 1>, "zero">

// CHECK-LABEL: module @a_dim_map_orders_coordinates
// CHECK:      ^bb0(%{{.*}}: !nv_tileaa.ptr<f32>, %[[I:.*]]: i32, %[[J:.*]]: i32, %[[K:.*]]: i32):
// CHECK:      %[[J1:.*]] = arith.select %{{.*}}, %[[J]], %c-1_i32{{.*}} : i32
// CHECK:      %[[C0:.*]] = arith.muli %[[J1]], %c2_i32
// CHECK:      %[[K1:.*]] = arith.select %{{.*}}, %[[K]], %c-1_i32{{.*}} : i32
// CHECK:      %[[C1:.*]] = arith.muli %[[K1]], %c4_i32
// CHECK:      %[[I1:.*]] = arith.select %{{.*}}, %[[I]], %c-1_i32{{.*}} : i32
// CHECK:      %[[C2:.*]] = arith.muli %[[I1]], %c8_i32
// CHECK-NEXT: "nv_tileaa.tiled_load"(%{{.*}}, %[[C0]], %[[C1]], %[[C2]]) {{.*}} -> (tensor<2x4x8xf32>, !nv_tileaa.mem_token)
// CHECK-NEXT: "nv_tileaa.permute"(%{{.*}}) {permutation = array<i64: 2, 0, 1>} : (tensor<2x4x8xf32>) -> tensor<8x2x4xf32>
// CHECK-NEXT: "nv_tileaa.permute"(%{{.*}}) {permutation = array<i64: 1, 2, 0>} : (tensor<8x2x4xf32>) -> tensor<2x4x8xf32>
module @a_dim_map_orders_coordinates {
  "cuda_tile.entry"() ({
  ^bb0(%p: !cuda_tile.ptr<f32>, %i: i32, %j: i32, %k: i32):
    %v = "cuda_tile.make_tensor_view"(%p) : (!cuda_tile.ptr<f32>) -> !view
    %w = "cuda_tile.make_partition_view"(%v) : (!view) -> !part
    %a, %t = "cuda_tile.load_view_tko"(%w, %i, %j, %k) {ordering = "weak"} : (!part, i32, i32, i32) -> (!cuda_tile.tile<8x2x4xf32>, !cuda_tile.token)
    %u = "cuda_tile.store_view_tko"(%a, %w, %i, %j, %k) {ordering = "weak"} : (!cuda_tile.tile<8x2x4xf32>, !part, i32, i32, i32) -> !cuda_tile.token
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!cuda_tile.ptr<f32>, i32, i32, i32) -> ()} : () -> ()
}

// -----

// All strides are known: the dim with the largest comes first, and an axis of extent 1 does not count
// as the contiguous one.

!view = !cuda_tile.tensor_view<memref<4x64x1xf32, strided<[1, 4, 1]>>>

// CHECK-LABEL: module @dims_are_sorted_by_stride
// CHECK: "nv_tileaa.make_memref"(%{{.*}}) {{.*}} -> !nv_tileaa.memref<memref<64x1x4xf32, strided<[4, 1, 1]>, 1>, -1 : i64>
module @dims_are_sorted_by_stride {
  "cuda_tile.entry"() ({
  ^bb0(%p: !cuda_tile.ptr<f32>):
    %v = "cuda_tile.make_tensor_view"(%p) : (!cuda_tile.ptr<f32>) -> !view
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!cuda_tile.ptr<f32>) -> ()} : () -> ()
}

// -----

// Extents of views: constants, run-time extents and the number of tiles.

!view = !cuda_tile.tensor_view<memref<?x10xf32, strided<[10, 1]>>>
!part = !cuda_tile.partition_view<array<i64: 16, 4>, !cuda_tile.tensor_view<memref<?x10xf32, strided<[10, 1]>>>, array<i64: 0, 1>, "zero">

// CHECK-LABEL: module @extents_are_scalars
// CHECK:      ^bb0(%{{.*}}: !nv_tileaa.ptr<f32>, %[[M:.*]]: i32):
// CHECK:      %[[C10:.*]] = arith.constant 10 : i32
// CHECK-NEXT: arith.addi %[[M]], %[[C10]] : i32
// CHECK:      %[[SUM:.*]] = arith.addi %[[M]], %c15_i32 : i32
// CHECK:      %[[ROWS:.*]] = arith.divui %[[SUM]], %c16_i32 : i32
// CHECK:      %[[COLUMNS:.*]] = arith.constant 3 : i32
// CHECK-NEXT: arith.addi %[[ROWS]], %[[COLUMNS]] : i32
module @extents_are_scalars {
  "cuda_tile.entry"() ({
  ^bb0(%p: !cuda_tile.ptr<f32>, %m: i32):
    %v = "cuda_tile.make_tensor_view"(%p, %m) : (!cuda_tile.ptr<f32>, i32) -> !view
    %w = "cuda_tile.make_partition_view"(%v) : (!view) -> !part
    %s:2 = "cuda_tile.get_tensor_shape"(%v) : (!view) -> (i32, i32)
    %a = arith.addi %s#0, %s#1 : i32
    %g:2 = "cuda_tile.get_index_space_shape"(%w) : (!part) -> (i32, i32)
    %b = arith.addi %g#0, %g#1 : i32
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!cuda_tile.ptr<f32>, i32) -> ()} : () -> ()
}

// -----

// Ordered accesses, hints, joined tokens and assumptions.

!view = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!part = !cuda_tile.partition_view<array<i64: 1>, !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>, array<i64: 0>, "zero">

// CHECK-LABEL: module @orderings_and_hints_are_kept
// CHECK:      ^bb0(%[[P:.*]]: !nv_tileaa.ptr<f32>, %[[I:.*]]: i32):
// CHECK-NEXT: %[[Q:.*]] = "nv_tileaa.assume"(%[[P]]) {div_by = 16 : i64} : (!nv_tileaa.ptr<f32>) -> !nv_tileaa.ptr<f32>
// CHECK-NEXT: "nv_tileaa.make_memref"(%[[Q]])
// CHECK-NEXT: %[[A:.*]]:2 = "nv_tileaa.tiled_load"(%{{.*}}, %[[I]]) {allow_tma = false, latency = 3 : i64, mem_scope = "gpu", mem_semantic = "acquire"
// CHECK-NEXT: %[[B:.*]]:2 = "nv_tileaa.tiled_load"
// CHECK-NEXT: %[[T:.*]] = "nv_tileaa.join_mem_token"(%[[A]]#1, %[[B]]#1)
// CHECK-NEXT: %[[U:.*]] = "nv_tileaa.tiled_store"(%{{.*}}, %[[T]]) {mem_scope = "cta", mem_semantic = "release"
// CHECK-NEXT: "nv_tileaa.tiled_store"(%{{.*}}, %[[U]])
module @orderings_and_hints_are_kept {
  "cuda_tile.entry"() ({
  ^bb0(%p: !cuda_tile.ptr<f32>, %i: i32):
    %q = "cuda_tile.assume"(%p) {predicate = "div_by<16>"} : (!cuda_tile.ptr<f32>) -> !cuda_tile.ptr<f32>
    %j = "cuda_tile.assume"(%i) {predicate = "bounded<0, ?>"} : (i32) -> i32
    %v = "cuda_tile.make_tensor_view"(%q) : (!cuda_tile.ptr<f32>) -> !view
    %w = "cuda_tile.make_partition_view"(%v) : (!view) -> !part
    %a, %ta = "cuda_tile.load_view_tko"(%w, %j) {ordering = "acquire", scope = "device", allow_tma = false, latency = 3 : i64} : (!part, i32) -> (!cuda_tile.tile<1xf32>, !cuda_tile.token)
    %b, %tb = "cuda_tile.load_view_tko"(%w, %j) {ordering = "weak"} : (!part, i32) -> (!cuda_tile.tile<1xf32>, !cuda_tile.token)
    %t = "cuda_tile.join_tokens"(%ta, %tb) : (!cuda_tile.token, !cuda_tile.token) -> !cuda_tile.token
    %u = "cuda_tile.store_view_tko"(%a, %w, %j, %t) {ordering = "release", scope = "tl_blk"} : (!cuda_tile.tile<1xf32>, !part, i32, !cuda_tile.token) -> !cuda_tile.token
    %x = "cuda_tile.store_view_tko"(%b, %w, %j, %u) {ordering = "weak"} : (!cuda_tile.tile<1xf32>, !part, i32, !cuda_tile.token) -> !cuda_tile.token
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!cuda_tile.ptr<f32>, i32) -> ()} : () -> ()
}

// -----

// Arrays that may overlap share the alias scope of the first of them.

!view = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>

// CHECK-LABEL: module @overlapping_arrays_share_a_scope
// CHECK: "nv_tileaa.make_memref"(%arg0) {{.*}}, 0 : i64>
// CHECK: "nv_tileaa.make_memref"(%arg1) {{.*}}, 1 : i64>
// CHECK: "nv_tileaa.make_memref"(%arg2) {{.*}}, 0 : i64>
module @overlapping_arrays_share_a_scope {
  "cuda_tile.entry"() ({
  ^bb0(%p: !cuda_tile.ptr<f32>, %q: !cuda_tile.ptr<f32>, %r: !cuda_tile.ptr<f32>):
    %v = "cuda_tile.make_tensor_view"(%p) : (!cuda_tile.ptr<f32>) -> !view
    %w = "cuda_tile.make_tensor_view"(%q) : (!cuda_tile.ptr<f32>) -> !view
    %x = "cuda_tile.make_tensor_view"(%r) : (!cuda_tile.ptr<f32>) -> !view
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!cuda_tile.ptr<f32>, !cuda_tile.ptr<f32>, !cuda_tile.ptr<f32>) -> (), tilec.kernel = {
    arrays = [{name = "A", alias_group = 7 : i64}, {name = "B", alias_group = -1 : i64}, {name = "C", alias_group = 7 : i64}],
    params = [{kind = "pointer", array = "A"}, {kind = "pointer", array = "B"}, {kind = "pointer", array = "C"}]}} : () -> ()
}

// -----

!view = !cuda_tile.tensor_view<memref<?xf32, strided<[1]>>>
!fixed = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!part = !cuda_tile.partition_view<array<i64: 64>, !cuda_tile.tensor_view<memref<?xf32, strided<[1]>>>, array<i64: 0>, "zero">
!other = !cuda_tile.partition_view<array<i64: 64>, !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>, array<i64: 0>, "zero">

// B is the same array as A, so both are accessed through one memref. C is, too, but its view has
// another type.
// CHECK-LABEL: module @the_same_array_is_one_memref
// CHECK: %[[A:.*]] = "nv_tileaa.make_memref"(%arg0, %arg3) {{.*}}, 0 : i64>
// CHECK: %[[C:.*]] = "nv_tileaa.make_memref"(%arg2) {{.*}}, 0 : i64>
// CHECK-NOT: make_memref
// CHECK: "nv_tileaa.tiled_load"(%[[A]],
// CHECK: "nv_tileaa.tiled_store"(%[[A]],
// CHECK: "nv_tileaa.tiled_store"(%[[C]],
module @the_same_array_is_one_memref {
  "cuda_tile.entry"() ({
  ^bb0(%p: !cuda_tile.ptr<f32>, %q: !cuda_tile.ptr<f32>, %r: !cuda_tile.ptr<f32>, %n: i32):
    %v = "cuda_tile.make_tensor_view"(%p, %n) : (!cuda_tile.ptr<f32>, i32) -> !view
    %w = "cuda_tile.make_tensor_view"(%q, %n) : (!cuda_tile.ptr<f32>, i32) -> !view
    %x = "cuda_tile.make_tensor_view"(%r) : (!cuda_tile.ptr<f32>) -> !fixed
    %a = "cuda_tile.make_partition_view"(%v) : (!view) -> !part
    %b = "cuda_tile.make_partition_view"(%w) : (!view) -> !part
    %c = "cuda_tile.make_partition_view"(%x) : (!fixed) -> !other
    %i = arith.constant 0 : i32
    %t, %k = "cuda_tile.load_view_tko"(%a, %i) {ordering = "weak"} : (!part, i32) -> (!cuda_tile.tile<64xf32>, !cuda_tile.token)
    %l = "cuda_tile.store_view_tko"(%t, %b, %i, %k) {ordering = "weak"} : (!cuda_tile.tile<64xf32>, !part, i32, !cuda_tile.token) -> !cuda_tile.token
    %m = "cuda_tile.store_view_tko"(%t, %c, %i, %l) {ordering = "weak"} : (!cuda_tile.tile<64xf32>, !other, i32, !cuda_tile.token) -> !cuda_tile.token
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!cuda_tile.ptr<f32>, !cuda_tile.ptr<f32>, !cuda_tile.ptr<f32>, i32) -> (), tilec.kernel = {
    arrays = [{name = "A", alias_group = 0 : i64}, {name = "B", alias_group = 0 : i64, same_as = "A"}, {name = "C", alias_group = 0 : i64, same_as = "A"}],
    params = [{kind = "pointer", array = "A"}, {kind = "pointer", array = "B"}, {kind = "pointer", array = "C"}, {kind = "scalar", name = "n", dtype = "i32"}]}} : () -> ()
}

// -----

!view = !cuda_tile.tensor_view<memref<?xf32, strided<[1]>>>
!part = !cuda_tile.partition_view<array<i64: 64>, !cuda_tile.tensor_view<memref<?xf32, strided<[1]>>>, array<i64: 0>, "zero">

// Indices that are known to be small enough are taken as they are: coordinates of a grid over the
// tiles, loop variables up to their number, remainders. A scalar may be anything.
// CHECK-LABEL: module @small_indices_are_taken_as_they_are
// CHECK-NOT:  arith.select
module @small_indices_are_taken_as_they_are {
  "cuda_tile.entry"() ({
  ^bb0(%p: !cuda_tile.ptr<f32>, %n: i32, %s: i32):
    %v = "cuda_tile.make_tensor_view"(%p, %n) : (!cuda_tile.ptr<f32>, i32) -> !view
    %w = "cuda_tile.make_partition_view"(%v) : (!view) -> !part
    %x, %y, %z = "cuda_tile.get_tile_block_id"() : () -> (i32, i32, i32)
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c63 = arith.constant 63 : i32
    %c64 = arith.constant 64 : i32
    %a, %ta = "cuda_tile.load_view_tko"(%w, %x) {ordering = "weak"} : (!part, i32) -> (!cuda_tile.tile<64xf32>, !cuda_tile.token)
    %sum = arith.addi %n, %c63 : i32
    %tiles = arith.divsi %sum, %c64 : i32
    scf.for %i = %c0 to %tiles step %c1 : i32 {
      %b, %tb = "cuda_tile.load_view_tko"(%w, %i) {ordering = "weak"} : (!part, i32) -> (!cuda_tile.tile<64xf32>, !cuda_tile.token)
    }
    %r = arith.remui %s, %c64 : i32
    %d, %td = "cuda_tile.load_view_tko"(%w, %r) {ordering = "weak"} : (!part, i32) -> (!cuda_tile.tile<64xf32>, !cuda_tile.token)
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!cuda_tile.ptr<f32>, i32, i32) -> (), tilec.kernel = {
    grid = ["cdiv(N, 64)"],
    params = [{kind = "pointer", array = "A"}, {kind = "dim", name = "N", array = "A", axis = 0 : i64}, {kind = "scalar", name = "s", dtype = "i32"}]}} : () -> ()
}

// -----

!view = !cuda_tile.tensor_view<memref<?xf32, strided<[1]>>>
!part = !cuda_tile.partition_view<array<i64: 64>, !cuda_tile.tensor_view<memref<?xf32, strided<[1]>>>, array<i64: 0>, "zero">

// A constant index is known. One that is too large becomes a tile outside of the array.
// CHECK-LABEL: module @a_large_constant_index_is_outside
// CHECK:      %[[C:.*]] = arith.muli %c-1_i32, %c64_i32
// CHECK-NEXT: "nv_tileaa.tiled_load"(%{{.*}}, %[[C]])
module @a_large_constant_index_is_outside {
  "cuda_tile.entry"() ({
  ^bb0(%p: !cuda_tile.ptr<f32>, %n: i32):
    %v = "cuda_tile.make_tensor_view"(%p, %n) : (!cuda_tile.ptr<f32>, i32) -> !view
    %w = "cuda_tile.make_partition_view"(%v) : (!view) -> !part
    %far = arith.constant 67108864 : i32
    %a, %ta = "cuda_tile.load_view_tko"(%w, %far) {ordering = "weak"} : (!part, i32) -> (!cuda_tile.tile<64xf32>, !cuda_tile.token)
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!cuda_tile.ptr<f32>, i32) -> ()} : () -> ()
}

// -----

// A slice is a memref that begins at its first element. An empty one begins with its array, so that
// an access outside of it finds memory. Padding by the array means coordinates of the whole array.

!view = !cuda_tile.tensor_view<memref<?x64xf32, strided<[64, 1]>>>
!part = !cuda_tile.partition_view<array<i64: 8, 16>, !cuda_tile.tensor_view<memref<?x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "zero">
!open = !cuda_tile.partition_view<array<i64: 8, 16>, !cuda_tile.tensor_view<memref<?x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "array">

// CHECK-LABEL: module @slices_are_memrefs
// CHECK:      ^bb0(%[[P:.*]]: !nv_tileaa.ptr<f32>, %[[M:.*]]: i32, %[[START:.*]]: i32, %[[SIZE:.*]]: i32, %[[I:.*]]: i32, %[[J:.*]]: i32):
// CHECK:      %[[V:.*]] = "nv_tileaa.make_memref"(%[[P]], %[[M]])
// CHECK:      %[[EMPTY:.*]] = arith.cmpi sle, %[[SIZE]], %c0_i32 : i32
// CHECK-NEXT: %[[FIRST:.*]] = arith.select %[[EMPTY]], %c0_i32, %[[START]] : i32
// CHECK-NEXT: %[[BASE:.*]] = "nv_tileaa.slice_base"(%[[V]], %[[FIRST]]) {dim = 0 : i64}
// CHECK-NEXT: %[[S:.*]] = "nv_tileaa.make_memref"(%[[BASE]], %[[SIZE]]) : (!nv_tileaa.ptr<f32>, i32) -> !nv_tileaa.memref<memref<?x64xf32, strided<[64, 1]>, 1>, -1 : i64>
// CHECK:      "nv_tileaa.tiled_load"(%[[S]], %[[I]], %[[J]]) {{.*}}padding = "zero"
// CHECK:      %[[ROW:.*]] = arith.addi %[[I]], %[[FIRST]] : i32
// CHECK-NEXT: "nv_tileaa.tiled_load"(%[[V]], %[[ROW]], %[[J]]) {{.*}}padding = "zero"
module @slices_are_memrefs {
  "cuda_tile.entry"() ({
  ^bb0(%p: !cuda_tile.ptr<f32>, %m: i32, %start: i32, %size: i32, %i: i32, %j: i32):
    %v = "cuda_tile.make_tensor_view"(%p, %m) : (!cuda_tile.ptr<f32>, i32) -> !view
    %s = "cuda_tile.slice_view"(%v, %start, %size) {dim = 0 : i64} : (!view, i32, i32) -> !view
    %w = "cuda_tile.make_partition_view"(%s) : (!view) -> !part
    %o = "cuda_tile.make_partition_view"(%s) : (!view) -> !open
    %a, %t = "cuda_tile.load_view_tko"(%w, %i, %j) {element_offsets, ordering = "weak"} : (!part, i32, i32) -> (!cuda_tile.tile<8x16xf32>, !cuda_tile.token)
    %b, %u = "cuda_tile.load_view_tko"(%o, %i, %j) {element_offsets, ordering = "weak"} : (!open, i32, i32) -> (!cuda_tile.tile<8x16xf32>, !cuda_tile.token)
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!cuda_tile.ptr<f32>, i32, i32, i32, i32, i32) -> ()} : () -> ()
}

// -----

// Tiles of a strided view begin every few elements, and there are as many as begin in the array.

!view = !cuda_tile.tensor_view<memref<?xf32, strided<[1]>>>
!windows = !cuda_tile.strided_view<array<i64: 8>, !cuda_tile.tensor_view<memref<?xf32, strided<[1]>>>, array<i64: 0>, "zero", array<i64: 3>>

// CHECK-LABEL: module @steps_scale_the_index
// CHECK:      %[[LAST:.*]] = arith.addi %[[N:.*]], %c2_i32
// CHECK:      %[[COUNT:.*]] = arith.divui %[[LAST]], %c3_i32
// CHECK:      %[[FIRST:.*]] = arith.muli %{{.*}}, %c3_i32
// CHECK-NEXT: "nv_tileaa.tiled_load"(%{{.*}}, %[[FIRST]]) {{.*}} -> (tensor<8xf32>, !nv_tileaa.mem_token)
module @steps_scale_the_index {
  "cuda_tile.entry"() ({
  ^bb0(%p: !cuda_tile.ptr<f32>, %n: i32):
    %v = "cuda_tile.make_tensor_view"(%p, %n) : (!cuda_tile.ptr<f32>, i32) -> !view
    %w = "cuda_tile.make_strided_view"(%v) : (!view) -> !windows
    %count = "cuda_tile.get_index_space_shape"(%w) : (!windows) -> i32
    %a, %t = "cuda_tile.load_view_tko"(%w, %count) {ordering = "weak"} : (!windows, i32) -> (!cuda_tile.tile<8xf32>, !cuda_tile.token)
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!cuda_tile.ptr<f32>, i32) -> ()} : () -> ()
}
