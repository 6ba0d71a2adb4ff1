// RUN: tilec opt %s --split-input-file | tilec opt - --split-input-file | FileCheck %s

// Every operation of nv_tileas alone parses, verifies and prints as it was written.

// A ring keeps its barriers, and its positions are values that loops can carry.
!slot = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
// CHECK-LABEL: module @keeps_rings
// CHECK:         %[[BUF:.*]] = "nv_tileas.alloc_shared"() {slots = 4 : i64} : () -> !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
// CHECK:         %[[FULL:.*]] = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 4 : i64} : () -> !nv_tileas.mbarrier
// CHECK:         %[[EMPTY:.*]] = "nv_tileas.alloc_mbarrier"() {count = 8 : i64, slots = 4 : i64} : () -> !nv_tileas.mbarrier
// CHECK:         %[[RING:.*]] = "nv_tileas.create_ring"(%[[FULL]], %[[EMPTY]]) {stages = 4 : i64}
// CHECK:         %[[ONCE:.*]] = "nv_tileas.create_ring"(%[[FULL]]) {stages = 1 : i64}
// CHECK:         %[[START:.*]] = "nv_tileas.ring_start"(%[[RING]]) : (!nv_tileas.ring) -> !nv_tileas.ring_position
// CHECK:         scf.for {{.*}} iter_args(%[[POS:.*]] = %[[START]]) -> (!nv_tileas.ring_position)
// CHECK:           "nv_tileas.ring_acquire"(%[[RING]], %[[POS]])
// CHECK:           "nv_tileas.ring_barrier"(%[[RING]], %[[POS]]) : (!nv_tileas.ring, !nv_tileas.ring_position) -> !nv_tileas.mbarrier
// CHECK:           "nv_tileas.slot_view"(%[[BUF]], %[[POS]])
// CHECK:           "nv_tileas.ring_fill"
// CHECK:           "nv_tileas.ring_commit"(%[[RING]], %[[POS]])
// CHECK:           "nv_tileas.ring_wait"(%[[RING]], %[[POS]])
// CHECK:           "nv_tileas.ring_release"(%[[RING]], %[[POS]])
// CHECK:           "nv_tileas.ring_advance"(%[[RING]], %[[POS]]) {count = 1 : i64}
module @keeps_rings {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %x: tensor<128x64xbf16>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %buffer = "nv_tileas.alloc_shared"() {slots = 4 : i64} : () -> !slot
    %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 4 : i64} : () -> !nv_tileas.mbarrier
    %empty = "nv_tileas.alloc_mbarrier"() {count = 8 : i64, slots = 4 : i64} : () -> !nv_tileas.mbarrier
    %ring = "nv_tileas.create_ring"(%full, %empty) {stages = 4 : i64} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring
    %once = "nv_tileas.create_ring"(%full) {stages = 1 : i64} : (!nv_tileas.mbarrier) -> !nv_tileas.ring
    %start = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !nv_tileas.ring_position
    %end = scf.for %k = %c0 to %n step %c1 iter_args(%p = %start) -> (!nv_tileas.ring_position) : i32 {
      "nv_tileas.ring_acquire"(%ring, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      %barrier = "nv_tileas.ring_barrier"(%ring, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> !nv_tileas.mbarrier
      %slot = "nv_tileas.slot_view"(%buffer, %p) : (!slot, !nv_tileas.ring_position) -> !slot
      "nv_tileas.ring_fill"(%x, %slot) : (tensor<128x64xbf16>, !slot) -> ()
      "nv_tileas.ring_commit"(%ring, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      "nv_tileas.ring_wait"(%ring, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      "nv_tileas.ring_release"(%ring, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      %next = "nv_tileas.ring_advance"(%ring, %p) {count = 1 : i64} : (!nv_tileas.ring, !nv_tileas.ring_position) -> !nv_tileas.ring_position
      scf.yield %next : !nv_tileas.ring_position
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, tensor<128x64xbf16>) -> ()} : () -> ()
}

// -----

// Each role keeps its region and its warps, its channel ends, its register count and its sleep.
// CHECK-LABEL: module @keeps_roles
// CHECK:         "nv_tileas.roles"() ({
// CHECK:         "nv_tileas.set_registers"() {action = "decrease", count = 40 : i64}
// CHECK:         "nv_tileas.sleep"(%{{.*}}) : (i32) -> ()
// CHECK:         "nv_tileas.send"(%{{.*}}) {channel = 0 : i64} : (tensor<64x64xf32>) -> ()
// CHECK-NEXT:    "nv_tileas.yield"() : () -> ()
// CHECK-NEXT:  }, {
// CHECK:         "nv_tileas.set_registers"() {action = "increase", count = 232 : i64}
// CHECK:         "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 32>, 128 : i64>} : () -> tensor<64x64xf32>
// CHECK:       }) {consumer_warps = 8 : i64, producer_warps = 4 : i64}
module @keeps_roles {
  "nv_tileaa.func"() ({
  ^bb0(%x: tensor<64x64xf32>, %ns: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.set_registers"() {count = 40 : i64, action = "decrease"} : () -> ()
      "nv_tileas.sleep"(%ns) : (i32) -> ()
      "nv_tileas.send"(%x) {channel = 0 : i64} : (tensor<64x64xf32>) -> ()
      "nv_tileas.yield"() : () -> ()
    }, {
      "nv_tileas.set_registers"() {count = 232 : i64, action = "increase"} : () -> ()
      %y = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 32>, 128 : i64>} : () -> tensor<64x64xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x64xf32>, i32) -> ()} : () -> ()
}

// -----

// A TMA copy keeps its descriptor, coordinates, box and byte count.
!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!slot = !nv_tileas.smem<tensor<128x128xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
!desc = !nv_tileas.tma_desc<tensor<128x64xbf16>>
// CHECK-LABEL: module @keeps_copies
// CHECK:         %[[D:.*]] = "nv_tileas.make_tiled_tma_desc"(%{{.*}}) {box = array<i64: 128, 64>, mode = "load", swizzle = 128 : i64, tmaIdx = 0 : i64}
// CHECK-SAME:      -> !nv_tileas.tma_desc<tensor<128x64xbf16>>
// CHECK:         "nv_tileas.mbarrier_arrive_expect_tx"(%[[BAR:.*]]) {tx_count = 32768 : i64}
// CHECK:         "nv_tileas.async_tiled_tma_load"(%[[D]], %[[SLOT:.*]], %[[M:.*]], %[[K:.*]], %[[BAR]]) {box_index = 0 : i64, tmaIdx = 0 : i64, tx_count = 16384 : i64}
// CHECK:         "nv_tileas.async_tiled_tma_store"(%[[D]], %[[SLOT]], %[[M]], %[[K]]) {box_index = 1 : i64, tmaIdx = 0 : i64}
// CHECK:         "nv_tileas.copy_out"(%[[SLOT]], %{{.*}}, %[[M]], %[[K]])
// CHECK:         "nv_tileas.bulk_commit"() : () -> ()
// CHECK:         "nv_tileas.bulk_wait"() {pending = 0 : i64, read = true} : () -> ()
module @keeps_copies {
  "nv_tileaa.func"() ({
  ^bb0(%v: !memref, %slot: !slot, %m: i32, %k: i32, %barrier: !nv_tileas.mbarrier):
    %d = "nv_tileas.make_tiled_tma_desc"(%v) {box = array<i64: 128, 64>, swizzle = 128 : i64, tmaIdx = 0 : i64, mode = "load"} : (!memref) -> !desc
    "nv_tileas.mbarrier_arrive_expect_tx"(%barrier) {tx_count = 32768 : i64} : (!nv_tileas.mbarrier) -> ()
    "nv_tileas.async_tiled_tma_load"(%d, %slot, %m, %k, %barrier) {box_index = 0 : i64, tx_count = 16384 : i64, tmaIdx = 0 : i64} : (!desc, !slot, i32, i32, !nv_tileas.mbarrier) -> ()
    "nv_tileas.async_tiled_tma_store"(%d, %slot, %m, %k) {box_index = 1 : i64, tmaIdx = 0 : i64} : (!desc, !slot, i32, i32) -> ()
    "nv_tileas.copy_out"(%slot, %v, %m, %k) : (!slot, !memref, i32, i32) -> ()
    "nv_tileas.bulk_commit"() : () -> ()
    "nv_tileas.bulk_wait"() {pending = 0 : i64, read = true} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!memref, !slot, i32, i32, !nv_tileas.mbarrier) -> ()} : () -> ()
}

// -----

// An asynchronous group keeps its token and its predicate, and the wait its depth; all kinds of product
// keep majors, signs and their part of K.
!a = !nv_tileas.smem<tensor<64x16xbf16, #nv_tileas.shared_layout<array<i64: 64, 16>, 32 : i64>>>
!b = !nv_tileas.smem<tensor<32x16xbf16, #nv_tileas.shared_layout<array<i64: 32, 16>, 32 : i64>>>
// CHECK-LABEL: module @keeps_products
// CHECK:         %[[G:.*]]:2 = "nv_tileas.async_mma"(%{{.*}}) {a_major = "k", b_major = "k"}
// CHECK:         %[[R:.*]] = "nv_tileas.mma_wait"(%[[G]]#0, %[[G]]#1) {pending = 1 : i64} : (tensor<64x32xf32>, !nv_tileas.mma_token) -> tensor<64x32xf32>
// CHECK:         "nv_tileas.simt_mma"(%{{.*}}, %{{.*}}, %[[R]]) {a_major = "k", b_major = "k"}
// CHECK:         "nv_tileas.warp_mma"(%{{.*}}, %{{.*}}, %[[R]]) {a_major = "k", b_major = "k", k_part = array<i64: 0, 16>}
// CHECK:         %[[U:.*]] = "nv_tileas.undefined"() : () -> tensor<64x32xf32>
// CHECK:         "nv_tileas.async_mma"(%{{.*}}, %{{.*}}, %[[U]], %{{.*}}) {a_major = "k", b_major = "k"} : {{.*}}, tensor<64x32xf32>, i1)
// CHECK:         "nv_tileas.zeros"() : () -> tensor<64x32xf32>
// CHECK:         "nv_tileas.async_mma"(%{{.*}}) {a_major = "k", b_major = "k"} : (tensor<64x16xbf16>, !nv_tileas.smem
module @keeps_products {
  "nv_tileaa.func"() ({
  ^bb0(%a: !a, %b: !b, %acc: tensor<64x32xf32>, %more: i1, %f: tensor<64x16xbf16>):
    %g, %t = "nv_tileas.async_mma"(%a, %b, %acc) {a_major = "k", b_major = "k"} : (!a, !b, tensor<64x32xf32>) -> (tensor<64x32xf32>, !nv_tileas.mma_token)
    %r = "nv_tileas.mma_wait"(%g, %t) {pending = 1 : i64} : (tensor<64x32xf32>, !nv_tileas.mma_token) -> tensor<64x32xf32>
    %s = "nv_tileas.simt_mma"(%a, %b, %r) {a_major = "k", b_major = "k"} : (!a, !b, tensor<64x32xf32>) -> tensor<64x32xf32>
    %w = "nv_tileas.warp_mma"(%a, %b, %r) {a_major = "k", b_major = "k", k_part = array<i64: 0, 16>} : (!a, !b, tensor<64x32xf32>) -> tensor<64x32xf32>
    %u = "nv_tileas.undefined"() : () -> tensor<64x32xf32>
    %h, %v = "nv_tileas.async_mma"(%a, %b, %u, %more) {a_major = "k", b_major = "k"} : (!a, !b, tensor<64x32xf32>, i1) -> (tensor<64x32xf32>, !nv_tileas.mma_token)
    %z = "nv_tileas.zeros"() : () -> tensor<64x32xf32>
    %i, %x = "nv_tileas.async_mma"(%f, %b, %z) {a_major = "k", b_major = "k"} : (tensor<64x16xbf16>, !b, tensor<64x32xf32>) -> (tensor<64x32xf32>, !nv_tileas.mma_token)
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, !b, tensor<64x32xf32>, i1, tensor<64x16xbf16>) -> ()} : () -> ()
}

// -----

// Copies between registers and shared memory, barriers, fences and grid queries are kept.
!slot = !nv_tileas.smem<tensor<32x32xf32, #nv_tileas.shared_layout<array<i64: 32, 32>, 0 : i64>>>
#rows = #nv_tileas.layout<"32x32|reg:8*(4,0)|lane:32*(0,1)|warp:4*(1,0)">
#columns = #nv_tileas.layout<"32x32|reg:8*(0,4)|lane:32*(1,0)|warp:4*(0,1)">
// CHECK-LABEL: module @keeps_shared_memory
// CHECK:         "nv_tileas.cta_id"() : () -> i32
// CHECK:         "nv_tileas.num_ctas"() : () -> i32
// CHECK:         %[[X:.*]] = "nv_tileas.load_shared"(%[[SLOT:.*]]) : {{.*}} -> tensor<32x32xf32, #nv_tileas.layout<"32x32|reg:8*(4,0)|lane:32*(0,1)|warp:4*(1,0)">>
// CHECK:         %[[Y:.*]] = "nv_tileas.convert_layout"(%[[X]]) : {{.*}} -> tensor<32x32xf32, #nv_tileas.layout<"32x32|reg:8*(0,4)|lane:32*(1,0)|warp:4*(0,1)">>
// CHECK:         "nv_tileas.order_memory"() : () -> ()
// CHECK:         "nv_tileas.store_shared"(%[[Y]], %[[SLOT]])
// CHECK:         "nv_tileas.fence_proxy"() {space = "shared"} : () -> ()
// CHECK:         "nv_tileas.barrier"() : () -> ()
module @keeps_shared_memory {
  "nv_tileaa.func"() ({
  ^bb0(%slot: !slot):
    %id = "nv_tileas.cta_id"() : () -> i32
    %count = "nv_tileas.num_ctas"() : () -> i32
    %x = "nv_tileas.load_shared"(%slot) : (!slot) -> tensor<32x32xf32, #rows>
    %y = "nv_tileas.convert_layout"(%x) : (tensor<32x32xf32, #rows>) -> tensor<32x32xf32, #columns>
    "nv_tileas.order_memory"() : () -> ()
    "nv_tileas.store_shared"(%y, %slot) : (tensor<32x32xf32, #columns>, !slot) -> ()
    "nv_tileas.fence_proxy"() {space = "shared"} : () -> ()
    "nv_tileas.barrier"() : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!slot) -> ()} : () -> ()
}

// -----

// A part names a box of each warpgroup's share, and a view one of the warpgroup's own tiles. What each
// warpgroup does for itself is marked.
!slot = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
// CHECK-LABEL: module @keeps_parts
// CHECK:         "nv_tileas.warpgroup_id"() : () -> i32
// CHECK:         %[[PART:.*]] = "nv_tileas.tile_part"(%{{.*}}) {axis = 0 : i64, origin = array<i64: 0, 128>} : (tensor<128x256xbf16>) -> tensor<64x64xbf16>
// CHECK:         %[[OWN:.*]] = "nv_tileas.warpgroup_view"(%{{.*}}) {slot = 1 : i64, slots = 2 : i64}
// CHECK:         "nv_tileas.store_shared"(%[[PART]], %[[OWN]])
// CHECK:         "nv_tileas.barrier"() {per_warpgroup} : () -> ()
// CHECK:         "nv_tileas.bulk_commit"() {per_warpgroup} : () -> ()
// CHECK:         "nv_tileas.bulk_wait"() {pending = 1 : i64, per_warpgroup, read = true} : () -> ()
module @keeps_parts {
  "nv_tileaa.func"() ({
  ^bb0(%x: tensor<128x256xbf16>):
    %buffer = "nv_tileas.alloc_shared"() {slots = 4 : i64} : () -> !slot
    %w = "nv_tileas.warpgroup_id"() : () -> i32
    %part = "nv_tileas.tile_part"(%x) {origin = array<i64: 0, 128>, axis = 0 : i64} : (tensor<128x256xbf16>) -> tensor<64x64xbf16>
    %own = "nv_tileas.warpgroup_view"(%buffer) {slot = 1 : i64, slots = 2 : i64} : (!slot) -> !slot
    "nv_tileas.store_shared"(%part, %own) : (tensor<64x64xbf16>, !slot) -> ()
    "nv_tileas.barrier"() {per_warpgroup} : () -> ()
    "nv_tileas.bulk_commit"() {per_warpgroup} : () -> ()
    "nv_tileas.bulk_wait"() {pending = 1 : i64, read = true, per_warpgroup} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<128x256xbf16>) -> ()} : () -> ()
}

// -----

// Queries of a cluster keep its extents; a ring and a copy keep their axes.
!slot = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!desc = !nv_tileas.tma_desc<tensor<64x64xbf16>>
// CHECK-LABEL: module @keeps_clusters
// CHECK:         "nv_tileas.cluster_id"() {cluster = array<i64: 2, 1>} : () -> i32
// CHECK:         "nv_tileas.num_clusters"() {cluster = array<i64: 2, 1>} : () -> i32
// CHECK:         "nv_tileas.cluster_coord"() {axis = 0 : i64, cluster = array<i64: 2, 1>} : () -> i32
// CHECK:         "nv_tileas.create_ring"(%{{.*}}) {cluster = array<i64: 2, 1>, multicast_axes = array<i64: 0>, stages = 1 : i64}
// CHECK:         "nv_tileas.async_tiled_tma_load"({{.*}}) {box_index = 0 : i64, cluster = array<i64: 2, 1>, multicast_axis = 0 : i64,
// CHECK:         "nv_tileas.await_cluster"() : () -> ()
// CHECK:         "nv_tileas.cluster_sync"() : () -> ()
module @keeps_clusters {
  "nv_tileaa.func"() ({
  ^bb0(%d: !desc, %slot: !slot, %full: !nv_tileas.mbarrier):
    %id = "nv_tileas.cluster_id"() {cluster = array<i64: 2, 1>} : () -> i32
    %count = "nv_tileas.num_clusters"() {cluster = array<i64: 2, 1>} : () -> i32
    %row = "nv_tileas.cluster_coord"() {axis = 0 : i64, cluster = array<i64: 2, 1>} : () -> i32
    %ring = "nv_tileas.create_ring"(%full) {stages = 1 : i64, cluster = array<i64: 2, 1>, multicast_axes = array<i64: 0>} : (!nv_tileas.mbarrier) -> !nv_tileas.ring
    "nv_tileas.async_tiled_tma_load"(%d, %slot, %id, %row, %full) {box_index = 0 : i64, tx_count = 8192 : i64, tmaIdx = 0 : i64, cluster = array<i64: 2, 1>, multicast_axis = 0 : i64} : (!desc, !slot, i32, i32, !nv_tileas.mbarrier) -> ()
    "nv_tileas.await_cluster"() : () -> ()
    "nv_tileas.cluster_sync"() : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!desc, !slot, !nv_tileas.mbarrier) -> ()} : () -> ()
}

// -----

// Partial sums keep their place and their counter; a workspace keeps what the launcher needs to provide it.
// CHECK-LABEL: module @keeps_partial_sums
// CHECK:         "nv_tileas.workspace"() {hidden_name = "counters", size = "M * 4", zeroed} : () -> !nv_tileaa.ptr<i32>
// CHECK:         "nv_tileas.workspace"() {hidden_name = "workspace", size = "M * N"} : () -> !nv_tileaa.ptr<f32>
// CHECK:         "nv_tileas.await_partials"(%{{.*}}) : (!nv_tileaa.ptr<i32>, i32, i32) -> ()
// CHECK:         "nv_tileas.add_partial"(%{{.*}}) {count = 3 : i64} : (tensor<64x64xf32>, !nv_tileaa.ptr<f32>, i32, i32) -> tensor<64x64xf32>
// CHECK:         "nv_tileas.store_partial"(%{{.*}}) {count = 3 : i64} : (tensor<64x64xf32>, !nv_tileaa.ptr<f32>, i32, i32) -> ()
// CHECK:         "nv_tileas.arrive_partial"(%{{.*}}) : (!nv_tileaa.ptr<i32>, i32) -> ()
// CHECK:         "nv_tileas.reset_partials"(%{{.*}}) : (!nv_tileaa.ptr<i32>, i32) -> ()
module @keeps_partial_sums {
  "nv_tileaa.func"() ({
  ^bb0(%acc: tensor<64x64xf32>, %i: i32):
    %c = "nv_tileas.workspace"() {hidden_name = "counters", size = "M * 4", zeroed} : () -> !nv_tileaa.ptr<i32>
    %p = "nv_tileas.workspace"() {hidden_name = "workspace", size = "M * N"} : () -> !nv_tileaa.ptr<f32>
    "nv_tileas.await_partials"(%c, %i, %i) : (!nv_tileaa.ptr<i32>, i32, i32) -> ()
    %s = "nv_tileas.add_partial"(%acc, %p, %i, %i) {count = 3 : i64} : (tensor<64x64xf32>, !nv_tileaa.ptr<f32>, i32, i32) -> tensor<64x64xf32>
    "nv_tileas.store_partial"(%s, %p, %i, %i) {count = 3 : i64} : (tensor<64x64xf32>, !nv_tileaa.ptr<f32>, i32, i32) -> ()
    "nv_tileas.arrive_partial"(%c, %i) : (!nv_tileaa.ptr<i32>, i32) -> ()
    "nv_tileas.reset_partials"(%c, %i) : (!nv_tileaa.ptr<i32>, i32) -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x64xf32>, i32) -> ()} : () -> ()
}

// -----

// Memory tokens of a tile that was received, of the loads into a slot, and of bulk stores.
// CHECK-LABEL: module @keeps_memory_tokens
// CHECK:         %[[T:.*]] = "nv_tileas.receive_token"(%{{.*}}) : (tensor<8x32xf32>) -> !nv_tileaa.mem_token
// CHECK:         %[[U:.*]] = "nv_tileas.ring_token"(%{{.*}}, %{{.*}}) : (!nv_tileas.ring, !nv_tileas.ring_position) -> !nv_tileaa.mem_token
// CHECK:         "nv_tileas.store_token"(%[[T]], %[[U]]) {per_warpgroup} : (!nv_tileaa.mem_token, !nv_tileaa.mem_token) -> !nv_tileaa.mem_token
module @keeps_memory_tokens {
  "nv_tileaa.func"() ({
  ^bb0(%x: tensor<8x32xf32>, %ring: !nv_tileas.ring, %p: !nv_tileas.ring_position):
    %t = "nv_tileas.receive_token"(%x) : (tensor<8x32xf32>) -> !nv_tileaa.mem_token
    %u = "nv_tileas.ring_token"(%ring, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> !nv_tileaa.mem_token
    %s = "nv_tileas.store_token"(%t, %u) {per_warpgroup} : (!nv_tileaa.mem_token, !nv_tileaa.mem_token) -> !nv_tileaa.mem_token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<8x32xf32>, !nv_tileas.ring, !nv_tileas.ring_position) -> ()} : () -> ()
}
