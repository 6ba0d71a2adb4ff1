// RUN: tilec opt %s --passes lower-tma-load-store-to-async --split-input-file | FileCheck %s

// The pass turns tiled loads and stores by TMA into asynchronous copies of boxes.

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
!slot = !nv_tileas.smem<tensor<128x128xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>

// A 128x128 bf16 tile takes two boxes on one barrier, which expects the bytes of both at once. The
// descriptor is made above the roles; coordinates stay outer first.
// CHECK-LABEL: module @a_tile_of_two_boxes_expects_both
// CHECK:         %[[V:.*]] = "nv_tileas.make_memref"
// CHECK:         %[[D:.*]] = "nv_tileas.make_tiled_tma_desc"(%[[V]]) {box = array<i64: 128, 64>, mode = "load", swizzle = 128 : i64, tmaIdx = 0 : i64} : {{.*}} -> !nv_tileas.tma_desc<tensor<128x64xbf16>>
// CHECK-NEXT:    "nv_tileas.roles"
// CHECK:           %[[BAR:.*]] = "nv_tileas.ring_barrier"
// CHECK-NEXT:      "nv_tileas.mbarrier_arrive_expect_tx"(%[[BAR]]) {tx_count = 32768 : i64}
// CHECK-NEXT:      %[[SLOT:.*]] = "nv_tileas.slot_view"
// CHECK-NEXT:      %[[OFFSET:.*]] = arith.constant 64 : i32
// CHECK-NEXT:      %[[K:.*]] = arith.addi %[[N:.*]], %[[OFFSET]] : i32
// CHECK-NEXT:      "nv_tileas.async_tiled_tma_load"(%[[D]], %[[SLOT]], %[[M:.*]], %[[N]], %[[BAR]]) {box_index = 0 : i64, {{.*}}tmaIdx = 0 : i64, tx_count = 16384 : i64}
// CHECK-NEXT:      "nv_tileas.async_tiled_tma_load"(%[[D]], %[[SLOT]], %[[M]], %[[K]], %[[BAR]]) {box_index = 1 : i64, {{.*}}tmaIdx = 0 : i64, tx_count = 16384 : i64}
// CHECK-NOT:       nv_tileas.tiled_load
// CHECK-NOT:       nv_tileas.ring_fill
// CHECK-NOT:       nv_tileas.ring_commit
module @a_tile_of_two_boxes_expects_both {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<bf16>, %s: i64, %m: i32, %n: i32):
    %v = "nv_tileas.make_memref"(%p, %m, %n, %s) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !v
    %buffer = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !slot
    %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 1 : i64} : () -> !nv_tileas.mbarrier
    %ring = "nv_tileas.create_ring"(%full) {stages = 1 : i64} : (!nv_tileas.mbarrier) -> !nv_tileas.ring
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %at = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !nv_tileas.ring_position
      %x, %t = "nv_tileas.tiled_load"(%v, %m, %n) {atom = #load} : (!v, i32, i32) -> (tensor<128x128xbf16>, !token)
      %slot = "nv_tileas.slot_view"(%buffer, %at) : (!slot, !nv_tileas.ring_position) -> !slot
      "nv_tileas.ring_fill"(%x, %slot) : (tensor<128x128xbf16>, !slot) -> ()
      "nv_tileas.ring_commit"(%ring, %at) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<bf16>, i64, i32, i32) -> (), nv_tileaa.kernel_spec = {stages = 1 : i64}, tilec.kernel = {
    arrays = [{name = "A", dtype = "bf16", rank = 2 : i64, strides = [-1, 1]}],
    params = [{kind = "pointer", array = "A"}, {kind = "stride", array = "A", axis = 0 : i64}, {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "N", array = "A", axis = 1 : i64}]}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
!slot = !nv_tileas.smem<tensor<8x32xf32, #nv_tileas.shared_layout<array<i64: 8, 32>, 128 : i64>>>
!tall = !nv_tileas.smem<tensor<16x32xf32, #nv_tileas.shared_layout<array<i64: 16, 32>, 128 : i64>>>
#load = #cute.copy_atom<"sm90_tma_load_2d_f32", "tma_load", 2 : i64, 0 : i64, f32>
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>

// Accesses of one array through one box share a descriptor; another array, another box or the other
// direction has its own. The tiles of a slot add up to one expected count.
// CHECK-LABEL: module @one_descriptor_per_array_box_and_direction
// CHECK:         %[[A:.*]] = "nv_tileas.make_tiled_tma_desc"({{.*}} {box = array<i64: 8, 32>, mode = "load", swizzle = 128 : i64, tmaIdx = 0 : i64}
// CHECK:         %[[B:.*]] = "nv_tileas.make_tiled_tma_desc"({{.*}} {box = array<i64: 8, 32>, mode = "load", swizzle = 128 : i64, tmaIdx = 1 : i64}
// CHECK:         %[[TALL:.*]] = "nv_tileas.make_tiled_tma_desc"({{.*}} {box = array<i64: 16, 32>, mode = "load", swizzle = 128 : i64, tmaIdx = 2 : i64}
// CHECK:         %[[OUT:.*]] = "nv_tileas.make_tiled_tma_desc"({{.*}} {box = array<i64: 8, 32>, mode = "store", swizzle = 128 : i64, tmaIdx = 3 : i64}
// CHECK-NOT:     nv_tileas.make_tiled_tma_desc
// CHECK:         "nv_tileas.roles"
// CHECK:           "nv_tileas.mbarrier_arrive_expect_tx"(%{{.*}}) {tx_count = 5120 : i64}
// CHECK:           "nv_tileas.async_tiled_tma_load"(%[[A]],
// CHECK:           "nv_tileas.async_tiled_tma_load"(%[[B]],
// CHECK:           "nv_tileas.async_tiled_tma_load"(%[[A]],
// CHECK:           "nv_tileas.async_tiled_tma_load"(%[[TALL]],
// CHECK:           "nv_tileas.async_tiled_tma_store"(%[[OUT]],
module @one_descriptor_per_array_box_and_direction {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %q: !nv_tileaa.ptr<f32>, %s: i64, %u: i64, %m: i32, %n: i32):
    %a = "nv_tileas.make_memref"(%p, %m, %n, %s) {size_div_by = array<i64: 1, 4>} : (!nv_tileaa.ptr<f32>, i32, i32, i64) -> !v
    %b = "nv_tileas.make_memref"(%q, %m, %n, %u) {size_div_by = array<i64: 1, 4>} : (!nv_tileaa.ptr<f32>, i32, i32, i64) -> !v
    %0 = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !slot
    %1 = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !slot
    %2 = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !slot
    %3 = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !tall
    %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 1 : i64} : () -> !nv_tileas.mbarrier
    %ring = "nv_tileas.create_ring"(%full) {stages = 1 : i64} : (!nv_tileas.mbarrier) -> !nv_tileas.ring
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %at = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !nv_tileas.ring_position
      %x0, %t0 = "nv_tileas.tiled_load"(%a, %m, %n) {atom = #load} : (!v, i32, i32) -> (tensor<8x32xf32>, !token)
      %s0 = "nv_tileas.slot_view"(%0, %at) : (!slot, !nv_tileas.ring_position) -> !slot
      "nv_tileas.ring_fill"(%x0, %s0) : (tensor<8x32xf32>, !slot) -> ()
      %x1, %t1 = "nv_tileas.tiled_load"(%b, %m, %n) {atom = #load} : (!v, i32, i32) -> (tensor<8x32xf32>, !token)
      %s1 = "nv_tileas.slot_view"(%1, %at) : (!slot, !nv_tileas.ring_position) -> !slot
      "nv_tileas.ring_fill"(%x1, %s1) : (tensor<8x32xf32>, !slot) -> ()
      %x2, %t2 = "nv_tileas.tiled_load"(%a, %n, %m) {atom = #load} : (!v, i32, i32) -> (tensor<8x32xf32>, !token)
      %s2 = "nv_tileas.slot_view"(%2, %at) : (!slot, !nv_tileas.ring_position) -> !slot
      "nv_tileas.ring_fill"(%x2, %s2) : (tensor<8x32xf32>, !slot) -> ()
      %x3, %t3 = "nv_tileas.tiled_load"(%a, %m, %n) {atom = #load} : (!v, i32, i32) -> (tensor<16x32xf32>, !token)
      %s3 = "nv_tileas.slot_view"(%3, %at) : (!tall, !nv_tileas.ring_position) -> !tall
      "nv_tileas.ring_fill"(%x3, %s3) : (tensor<16x32xf32>, !tall) -> ()
      "nv_tileas.ring_commit"(%ring, %at) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      %y = "nv_tileas.load_shared"(%s0) : (!slot) -> tensor<8x32xf32>
      %w = "nv_tileas.tiled_store"(%a, %y, %m, %n) {atom = #store, never_before = array<i1: true, true>, shared_layout = #nv_tileas.shared_layout<array<i64: 8, 32>, 128 : i64>} : (!v, tensor<8x32xf32>, i32, i32) -> !token
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, !nv_tileaa.ptr<f32>, i64, i64, i32, i32) -> (), nv_tileaa.kernel_spec = {stages = 1 : i64}, tilec.kernel = {
    arrays = [{name = "A", dtype = "f32", rank = 2 : i64, strides = [-1, 1]}, {name = "B", dtype = "f32", rank = 2 : i64, strides = [-1, 1]}],
    params = [{kind = "pointer", array = "A"}, {kind = "pointer", array = "B"}, {kind = "stride", array = "A", axis = 0 : i64}, {kind = "stride", array = "B", axis = 0 : i64}, {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "N", array = "A", axis = 1 : i64}],
    dims = {M = [["A", 0], ["B", 0]], N = [["A", 1], ["B", 1]]}}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>

// A store stages its tile, shows it to the async proxy and lets one thread copy it. The role waits
// before it ends, so that shared memory stays until it is read.
// CHECK-LABEL: module @stores_are_staged_and_drained
// CHECK:         %[[STAGING:.*]] = "nv_tileas.alloc_shared"() {slots = 1 : i64}
// CHECK:         %[[D:.*]] = "nv_tileas.make_tiled_tma_desc"({{.*}}mode = "store"
// CHECK:         "nv_tileas.roles"
// CHECK:           %[[X:.*]] = arith.constant dense
// CHECK-NEXT:      "nv_tileas.store_shared"(%[[X]], %[[STAGING]])
// CHECK-NEXT:      "nv_tileas.fence_proxy"() {space = "shared"}
// CHECK-NEXT:      "nv_tileas.barrier"() : () -> ()
// CHECK-NEXT:      "nv_tileas.async_tiled_tma_store"(%[[D]], %[[STAGING]],
// CHECK-NEXT:      "nv_tileas.bulk_commit"
// CHECK-NEXT:      %[[T:.*]] = "nv_tileas.store_token"() : () -> !nv_tileaa.mem_token
// CHECK:           "nv_tileas.join_mem_token"(%[[T]])
// CHECK:           "nv_tileas.bulk_wait"() {pending = 0 : i64, read = true}
// CHECK-NEXT:      "nv_tileas.yield"
module @stores_are_staged_and_drained {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %s: i64, %m: i32, %n: i32):
    %v = "nv_tileas.make_memref"(%p, %m, %n, %s) {size_div_by = array<i64: 1, 4>} : (!nv_tileaa.ptr<f32>, i32, i32, i64) -> !v
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %x = arith.constant dense<0.0> : tensor<8x32xf32>
      %w = "nv_tileas.tiled_store"(%v, %x, %m, %n) {atom = #store, never_before = array<i1: true, true>, shared_layout = #nv_tileas.shared_layout<array<i64: 8, 32>, 128 : i64>} : (!v, tensor<8x32xf32>, i32, i32) -> !token
      %j = "nv_tileas.join_mem_token"(%w) : (!token) -> !token
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i64, i32, i32) -> (), nv_tileaa.kernel_spec = {stages = 1 : i64}, tilec.kernel = {
    arrays = [{name = "A", dtype = "f32", rank = 2 : i64, strides = [-1, 1]}],
    params = [{kind = "pointer", array = "A"}, {kind = "stride", array = "A", axis = 0 : i64}, {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "N", array = "A", axis = 1 : i64}]}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>

// In a loop the staging buffer is written again only when the last copy out of it is over, in every
// thread of the role.
// CHECK-LABEL: module @loops_wait_for_the_staging_buffer
// CHECK:         scf.for
// CHECK-NEXT:      "nv_tileas.bulk_wait"() {pending = 0 : i64, read = true}
// CHECK-NEXT:      "nv_tileas.barrier"
// CHECK-NEXT:      "nv_tileas.store_shared"
// CHECK:           "nv_tileas.bulk_commit"
// CHECK:         }
// CHECK:         "nv_tileas.bulk_wait"
module @loops_wait_for_the_staging_buffer {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %s: i64, %m: i32, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = "nv_tileas.make_memref"(%p, %m, %n, %s) {size_div_by = array<i64: 1, 4>} : (!nv_tileaa.ptr<f32>, i32, i32, i64) -> !v
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %x = arith.constant dense<0.0> : tensor<8x32xf32>
      scf.for %k = %c0 to %n step %c1 : i32 {
        %w = "nv_tileas.tiled_store"(%v, %x, %m, %k) {atom = #store, never_before = array<i1: true, true>, shared_layout = #nv_tileas.shared_layout<array<i64: 8, 32>, 128 : i64>} : (!v, tensor<8x32xf32>, i32, i32) -> !token
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i64, i32, i32) -> (), nv_tileaa.kernel_spec = {stages = 1 : i64}, tilec.kernel = {
    arrays = [{name = "A", dtype = "f32", rank = 2 : i64, strides = [-1, 1]}],
    params = [{kind = "pointer", array = "A"}, {kind = "stride", array = "A", axis = 0 : i64}, {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "N", array = "A", axis = 1 : i64}]}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
!slot = !nv_tileas.smem<tensor<8x32xf32, #nv_tileas.shared_layout<array<i64: 8, 32>, 128 : i64>>>
#load = #cute.copy_atom<"sm90_tma_load_2d_f32", "tma_load", 2 : i64, 0 : i64, f32>

// Each of two rings expects its own bytes, the one in a loop after its acquire.
// CHECK-LABEL: module @rings_expect_their_own_bytes
// CHECK:         %[[ONCE:.*]] = "nv_tileas.create_ring"
// CHECK:         %[[LOOP:.*]] = "nv_tileas.create_ring"
// CHECK:         "nv_tileas.roles"
// CHECK:           %[[B0:.*]] = "nv_tileas.ring_barrier"(%[[ONCE]],
// CHECK-NEXT:      "nv_tileas.mbarrier_arrive_expect_tx"(%[[B0]]) {tx_count = 1024 : i64}
// CHECK:           "nv_tileas.async_tiled_tma_load"({{.*}}, %[[B0]])
// CHECK:           scf.for
// CHECK-NEXT:        "nv_tileas.ring_acquire"(%[[LOOP]],
// CHECK-NEXT:        %[[B1:.*]] = "nv_tileas.ring_barrier"(%[[LOOP]],
// CHECK-NEXT:        "nv_tileas.mbarrier_arrive_expect_tx"(%[[B1]]) {tx_count = 1024 : i64}
// CHECK:             "nv_tileas.async_tiled_tma_load"({{.*}}, %[[B1]])
module @rings_expect_their_own_bytes {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %s: i64, %m: i32, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = "nv_tileas.make_memref"(%p, %m, %n, %s) : (!nv_tileaa.ptr<f32>, i32, i32, i64) -> !v
    %0 = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !slot
    %f0 = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 1 : i64} : () -> !nv_tileas.mbarrier
    %once = "nv_tileas.create_ring"(%f0) {stages = 1 : i64} : (!nv_tileas.mbarrier) -> !nv_tileas.ring
    %1 = "nv_tileas.alloc_shared"() {slots = 2 : i64} : () -> !slot
    %f1 = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 2 : i64} : () -> !nv_tileas.mbarrier
    %e1 = "nv_tileas.alloc_mbarrier"() {count = 4 : i64, slots = 2 : i64} : () -> !nv_tileas.mbarrier
    %loop = "nv_tileas.create_ring"(%f1, %e1) {stages = 2 : i64} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring
    "nv_tileas.roles"() ({
      %p0 = "nv_tileas.ring_start"(%once) : (!nv_tileas.ring) -> !nv_tileas.ring_position
      %p1 = "nv_tileas.ring_start"(%loop) : (!nv_tileas.ring) -> !nv_tileas.ring_position
      %x0, %t0 = "nv_tileas.tiled_load"(%v, %m, %n) {atom = #load} : (!v, i32, i32) -> (tensor<8x32xf32>, !token)
      %s0 = "nv_tileas.slot_view"(%0, %p0) : (!slot, !nv_tileas.ring_position) -> !slot
      "nv_tileas.ring_fill"(%x0, %s0) : (tensor<8x32xf32>, !slot) -> ()
      "nv_tileas.ring_commit"(%once, %p0) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      %end = scf.for %k = %c0 to %n step %c1 iter_args(%at = %p1) -> (!nv_tileas.ring_position) : i32 {
        "nv_tileas.ring_acquire"(%loop, %at) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
        %x1, %t1 = "nv_tileas.tiled_load"(%v, %m, %k) {atom = #load} : (!v, i32, i32) -> (tensor<8x32xf32>, !token)
        %s1 = "nv_tileas.slot_view"(%1, %at) : (!slot, !nv_tileas.ring_position) -> !slot
        "nv_tileas.ring_fill"(%x1, %s1) : (tensor<8x32xf32>, !slot) -> ()
        "nv_tileas.ring_commit"(%loop, %at) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
        %next = "nv_tileas.ring_advance"(%loop, %at) {count = 1 : i64} : (!nv_tileas.ring, !nv_tileas.ring_position) -> !nv_tileas.ring_position
        scf.yield %next : !nv_tileas.ring_position
      }
      "nv_tileas.yield"() : () -> ()
    }, {
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i64, i32, i32) -> (), nv_tileaa.kernel_spec = {stages = 2 : i64}, tilec.kernel = {
    arrays = [{name = "A", dtype = "f32", rank = 2 : i64, strides = [-1, 1]}],
    params = [{kind = "pointer", array = "A"}, {kind = "stride", array = "A", axis = 0 : i64}, {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "N", array = "A", axis = 1 : i64}]}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#ldg = #cute.copy_atom<"sm90_ldg_128_f32", "ldg", 1 : i64, 128 : i64, f32>
#stg = #cute.copy_atom<"sm90_stg_128_f32", "stg", 1 : i64, 128 : i64, f32>

// Copies that threads do themselves stay as they are, and nothing waits for bulk groups.
// CHECK-LABEL: module @thread_copies_are_left_alone
// CHECK-NOT:     nv_tileas.make_tiled_tma_desc
// CHECK:         "nv_tileas.tiled_load"
// CHECK:         "nv_tileas.tiled_store"
// CHECK-NOT:     nv_tileas.bulk_wait
module @thread_copies_are_left_alone {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %m: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %x, %t = "nv_tileas.tiled_load"(%v, %m, %m) {atom = #ldg} : (!v, i32, i32) -> (tensor<8x32xf32>, !token)
      %w = "nv_tileas.tiled_store"(%v, %x, %m, %m) {atom = #stg} : (!v, tensor<8x32xf32>, i32, i32) -> !token
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32) -> (), nv_tileaa.kernel_spec = {stages = 1 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>

// TMA may not store the last tile of a row that ends in the middle of 16 bytes: threads copy it out.
// CHECK-LABEL: module @rows_with_ragged_ends_are_copied_out
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%{{.*}}, %[[M:.*]]: i32, %[[N:.*]]: i32):
// CHECK:         %[[V:.*]] = "nv_tileas.make_memref"
// CHECK:         %[[STAGING:.*]] = "nv_tileas.alloc_shared"
// CHECK:         "nv_tileas.barrier"
// CHECK:         %[[END:.*]] = arith.addi %[[M]], %c32
// CHECK:         %[[INSIDE:.*]] = arith.cmpi sle, %[[END]], %[[N]]
// CHECK:         %[[REST:.*]] = arith.remui %[[N]], %c4
// CHECK:         %[[WHOLE:.*]] = arith.cmpi eq, %[[REST]],
// CHECK:         %[[FITS:.*]] = arith.ori %[[INSIDE]], %[[WHOLE]]
// CHECK:         scf.if %[[FITS]] {
// CHECK-NEXT:      "nv_tileas.async_tiled_tma_store"
// CHECK-NEXT:    } else {
// CHECK-NEXT:      "nv_tileas.copy_out"(%[[STAGING]], %[[V]], %[[N]], %[[M]])
// CHECK-NEXT:    }
// CHECK-NEXT:    "nv_tileas.bulk_commit"
// CHECK:         "nv_tileas.bulk_wait"
module @rows_with_ragged_ends_are_copied_out {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %s: i64, %m: i32, %n: i32):
    %v = "nv_tileas.make_memref"(%p, %m, %n, %s) {size_div_by = array<i64: 1, 2>} : (!nv_tileaa.ptr<f32>, i32, i32, i64) -> !v
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %x = arith.constant dense<0.0> : tensor<8x32xf32>
      %w = "nv_tileas.tiled_store"(%v, %x, %n, %m) {atom = #store, never_before = array<i1: true, true>, shared_layout = #nv_tileas.shared_layout<array<i64: 8, 32>, 128 : i64>} : (!v, tensor<8x32xf32>, i32, i32) -> !token
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i64, i32, i32) -> (), nv_tileaa.kernel_spec = {stages = 1 : i64}, tilec.kernel = {
    arrays = [{name = "A", dtype = "f32", rank = 2 : i64, strides = [-1, 1]}],
    params = [{kind = "pointer", array = "A"}, {kind = "stride", array = "A", axis = 0 : i64}, {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "N", array = "A", axis = 1 : i64}]}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>

// A tile that never leaves its row needs no such branch.
// CHECK-LABEL: module @rows_in_bounds_are_stored_by_tma
// CHECK-NOT:     scf.if
// CHECK:         "nv_tileas.async_tiled_tma_store"({{.*}}) {box_index = 0 : i64,
// CHECK-NOT:     nv_tileas.copy_out
module @rows_in_bounds_are_stored_by_tma {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %s: i64, %m: i32, %n: i32):
    %v = "nv_tileas.make_memref"(%p, %m, %n, %s) : (!nv_tileaa.ptr<f32>, i32, i32, i64) -> !v
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %x = arith.constant dense<0.0> : tensor<8x32xf32>
      %w = "nv_tileas.tiled_store"(%v, %x, %n, %m) {atom = #store, never_before = array<i1: true, true>, in_bounds = array<i1: false, true>, shared_layout = #nv_tileas.shared_layout<array<i64: 8, 32>, 128 : i64>} : (!v, tensor<8x32xf32>, i32, i32) -> !token
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i64, i32, i32) -> (), nv_tileaa.kernel_spec = {stages = 1 : i64}, tilec.kernel = {
    arrays = [{name = "A", dtype = "f32", rank = 2 : i64, strides = [-1, 1]}],
    params = [{kind = "pointer", array = "A"}, {kind = "stride", array = "A", axis = 0 : i64}, {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "N", array = "A", axis = 1 : i64}]}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>

// A result that is not read again need not stay in L2.
// CHECK-LABEL: module @streamed_results_leave_l2_first
// CHECK:         "nv_tileas.async_tiled_tma_store"({{.*}}) {box_index = 0 : i64, cache_hint = "evict_first",
module @streamed_results_leave_l2_first {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %s: i64, %m: i32, %n: i32):
    %v = "nv_tileas.make_memref"(%p, %m, %n, %s) : (!nv_tileaa.ptr<f32>, i32, i32, i64) -> !v
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %x = arith.constant dense<0.0> : tensor<8x32xf32>
      %w = "nv_tileas.tiled_store"(%v, %x, %n, %m) {atom = #store, never_before = array<i1: true, true>, in_bounds = array<i1: false, true>, shared_layout = #nv_tileas.shared_layout<array<i64: 8, 32>, 128 : i64>} : (!v, tensor<8x32xf32>, i32, i32) -> !token
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i64, i32, i32) -> (), nv_tileaa.kernel_spec = {stages = 1 : i64, stream_results = true}, tilec.kernel = {
    arrays = [{name = "A", dtype = "f32", rank = 2 : i64, strides = [-1, 1]}],
    params = [{kind = "pointer", array = "A"}, {kind = "stride", array = "A", axis = 0 : i64}, {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "N", array = "A", axis = 1 : i64}]}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>

// A tile that may begin before the array, here by its row, is stored by TMA only where it does not.
// CHECK-LABEL: module @tiles_before_the_array_are_copied_out
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%{{.*}}, %[[M:.*]]: i32, %[[N:.*]]: i32):
// CHECK:         "nv_tileas.barrier"
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-NEXT:    %[[FITS:.*]] = arith.cmpi sge, %[[N]], %[[ZERO]]
// CHECK-NEXT:    scf.if %[[FITS]] {
// CHECK-NEXT:      "nv_tileas.async_tiled_tma_store"
// CHECK-NEXT:    } else {
// CHECK-NEXT:      "nv_tileas.copy_out"
module @tiles_before_the_array_are_copied_out {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %s: i64, %m: i32, %n: i32):
    %v = "nv_tileas.make_memref"(%p, %m, %n, %s) {size_div_by = array<i64: 1, 4>} : (!nv_tileaa.ptr<f32>, i32, i32, i64) -> !v
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %x = arith.constant dense<0.0> : tensor<8x32xf32>
      %w = "nv_tileas.tiled_store"(%v, %x, %n, %m) {atom = #store, never_before = array<i1: false, true>, shared_layout = #nv_tileas.shared_layout<array<i64: 8, 32>, 128 : i64>} : (!v, tensor<8x32xf32>, i32, i32) -> !token
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i64, i32, i32) -> (), nv_tileaa.kernel_spec = {stages = 1 : i64}, tilec.kernel = {
    arrays = [{name = "A", dtype = "f32", rank = 2 : i64, strides = [-1, 1]}],
    params = [{kind = "pointer", array = "A"}, {kind = "stride", array = "A", axis = 0 : i64}, {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "N", array = "A", axis = 1 : i64}]}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>

// Each warpgroup that stores parts stages and waits on its own. The stores of a staging group share a
// buffer with `staging_slots` tiles for each warpgroup; before a slot is written again, as many bulk
// groups may be in flight as were closed since its last use.
// CHECK-LABEL: module @each_warpgroup_stages_for_itself
// CHECK:         %[[STAGING:.*]] = "nv_tileas.alloc_shared"() {slots = 4 : i64} : () -> !nv_tileas.smem<tensor<64x32xf32,
// CHECK-NOT:     nv_tileas.alloc_shared
// CHECK:         %[[D:.*]] = "nv_tileas.make_tiled_tma_desc"
// CHECK-NOT:     nv_tileas.make_tiled_tma_desc
// CHECK:         scf.for
// CHECK-NEXT:      %[[S0:.*]] = "nv_tileas.warpgroup_view"(%[[STAGING]]) {slot = 0 : i64, slots = 2 : i64}
// CHECK-NEXT:      "nv_tileas.bulk_wait"() {pending = 0 : i64, per_warpgroup, read = true}
// CHECK-NEXT:      "nv_tileas.barrier"() {per_warpgroup}
// CHECK-NEXT:      "nv_tileas.store_shared"(%{{.*}}, %[[S0]])
// CHECK-NEXT:      "nv_tileas.fence_proxy"() {space = "shared"}
// CHECK-NEXT:      "nv_tileas.barrier"() {per_warpgroup}
// CHECK-NEXT:      "nv_tileas.async_tiled_tma_store"(%[[D]], %[[S0]], {{.*}} per_warpgroup, tmaIdx = 0 : i64}
// CHECK-NEXT:      "nv_tileas.bulk_commit"() {per_warpgroup}
// CHECK-NEXT:      %[[S1:.*]] = "nv_tileas.warpgroup_view"(%[[STAGING]]) {slot = 1 : i64, slots = 2 : i64}
// CHECK-NEXT:      "nv_tileas.bulk_wait"() {pending = 2 : i64, per_warpgroup, read = true}
// CHECK-NEXT:      "nv_tileas.barrier"() {per_warpgroup}
// CHECK-NEXT:      "nv_tileas.store_shared"(%{{.*}}, %[[S1]])
// CHECK:           "nv_tileas.async_tiled_tma_store"(%[[D]], %[[S1]],
// CHECK-NEXT:      "nv_tileas.bulk_commit"() {per_warpgroup}
// CHECK-NEXT:    }
// CHECK-NEXT:    "nv_tileas.bulk_wait"() {pending = 0 : i64, per_warpgroup, read = true}
// CHECK-NEXT:    "nv_tileas.yield"
module @each_warpgroup_stages_for_itself {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %s: i64, %m: i32, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = "nv_tileas.make_memref"(%p, %m, %n, %s) {size_div_by = array<i64: 1, 4>} : (!nv_tileaa.ptr<f32>, i32, i32, i64) -> !v
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %x = arith.constant dense<0.0> : tensor<64x32xf32>
      scf.for %k = %c0 to %n step %c1 : i32 {
        %w0 = "nv_tileas.tiled_store"(%v, %x, %m, %k) {atom = #store, never_before = array<i1: true, true>, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 32>, 128 : i64>, per_warpgroup, staging_group = 0 : i64, staging_pending = 0 : i64, staging_slot = 0 : i64, staging_slots = 2 : i64} : (!v, tensor<64x32xf32>, i32, i32) -> !token
        %w1 = "nv_tileas.tiled_store"(%v, %x, %k, %m) {atom = #store, never_before = array<i1: true, true>, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 32>, 128 : i64>, per_warpgroup, staging_group = 0 : i64, staging_pending = 2 : i64, staging_slot = 1 : i64, staging_slots = 2 : i64} : (!v, tensor<64x32xf32>, i32, i32) -> !token
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i64, i32, i32) -> (), nv_tileaa.kernel_spec = {stages = 1 : i64}, tilec.kernel = {
    arrays = [{name = "A", dtype = "f32", rank = 2 : i64, strides = [-1, 1]}],
    params = [{kind = "pointer", array = "A"}, {kind = "stride", array = "A", axis = 0 : i64}, {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "N", array = "A", axis = 1 : i64}]}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>

// For a slot that is written in steps, the first step waits, and the slot is released after the last.
// CHECK-LABEL: module @a_slot_is_written_in_steps
// CHECK:         "nv_tileas.alloc_shared"() {slots = 2 : i64} : () -> !nv_tileas.smem<tensor<64x32xf32,
// CHECK:         "nv_tileas.bulk_wait"() {pending = 0 : i64, per_warpgroup, read = true}
// CHECK-NEXT:    "nv_tileas.barrier"() {per_warpgroup}
// CHECK-NEXT:    "nv_tileas.store_shared"(%{{.*}}, %{{.*}}) {origin = array<i64: 0, 0>} : (tensor<64x16xf32>, !nv_tileas.smem<tensor<64x32xf32,
// CHECK-NOT:     nv_tileas.fence_proxy
// CHECK-NOT:     nv_tileas.barrier
// CHECK-NOT:     nv_tileas.async_tiled_tma_store
// CHECK:         "nv_tileas.store_shared"(%{{.*}}, %[[SLOT:.*]]) {origin = array<i64: 0, 16>}
// CHECK-NEXT:    "nv_tileas.fence_proxy"() {space = "shared"}
// CHECK-NEXT:    "nv_tileas.barrier"() {per_warpgroup}
// CHECK-NEXT:    "nv_tileas.async_tiled_tma_store"(%{{.*}}, %[[SLOT]],
// CHECK-NEXT:    "nv_tileas.bulk_commit"() {per_warpgroup}
// CHECK-NOT:     nv_tileas.tiled_store
module @a_slot_is_written_in_steps {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %s: i64, %m: i32, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = "nv_tileas.make_memref"(%p, %m, %n, %s) {size_div_by = array<i64: 1, 4>} : (!nv_tileaa.ptr<f32>, i32, i32, i64) -> !v
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %x = arith.constant dense<0.0> : tensor<64x16xf32>
      scf.for %k = %c0 to %n step %c1 : i32 {
        %w0 = "nv_tileas.tiled_store"(%v, %x, %m, %k) {atom = #store, never_before = array<i1: true, true>, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 32>, 128 : i64>, per_warpgroup, staging_group = 0 : i64, staging_origin = array<i64: 0, 0>, staging_pending = 0 : i64, staging_shape = array<i64: 64, 32>, staging_slot = 0 : i64, staging_slots = 1 : i64} : (!v, tensor<64x16xf32>, i32, i32) -> !token
        %w1 = "nv_tileas.tiled_store"(%v, %x, %m, %k) {atom = #store, never_before = array<i1: true, true>, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 32>, 128 : i64>, per_warpgroup, staging_group = 0 : i64, staging_origin = array<i64: 0, 16>, staging_pending = 0 : i64, staging_shape = array<i64: 64, 32>, staging_slot = 0 : i64, staging_slots = 1 : i64} : (!v, tensor<64x16xf32>, i32, i32) -> !token
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i64, i32, i32) -> (), nv_tileaa.kernel_spec = {stages = 1 : i64}, tilec.kernel = {
    arrays = [{name = "A", dtype = "f32", rank = 2 : i64, strides = [-1, 1]}],
    params = [{kind = "pointer", array = "A"}, {kind = "stride", array = "A", axis = 0 : i64}, {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "N", array = "A", axis = 1 : i64}]}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>

// The parts of a batch are all staged after one wait and one barrier, then copied after one fence and
// another barrier, as one bulk group.
// CHECK-LABEL: module @batches_are_copied_together
// CHECK:         scf.for
// CHECK-NEXT:      %[[S0:.*]] = "nv_tileas.warpgroup_view"(%[[STAGING:.*]]) {slot = 0 : i64, slots = 2 : i64}
// CHECK-NEXT:      "nv_tileas.bulk_wait"() {pending = 0 : i64, per_warpgroup, read = true}
// CHECK-NEXT:      "nv_tileas.barrier"() {per_warpgroup}
// CHECK-NEXT:      "nv_tileas.store_shared"(%{{.*}}, %[[S0]])
// CHECK-NEXT:      %[[S1:.*]] = "nv_tileas.warpgroup_view"(%[[STAGING]]) {slot = 1 : i64, slots = 2 : i64}
// CHECK-NEXT:      "nv_tileas.store_shared"(%{{.*}}, %[[S1]])
// CHECK-NEXT:      "nv_tileas.fence_proxy"() {space = "shared"}
// CHECK-NEXT:      "nv_tileas.barrier"() {per_warpgroup}
// CHECK-NEXT:      "nv_tileas.async_tiled_tma_store"(%{{.*}}, %[[S0]],
// CHECK-NEXT:      "nv_tileas.async_tiled_tma_store"(%{{.*}}, %[[S1]],
// CHECK-NEXT:      "nv_tileas.bulk_commit"() {per_warpgroup}
// CHECK-NEXT:    }
module @batches_are_copied_together {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %s: i64, %m: i32, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = "nv_tileas.make_memref"(%p, %m, %n, %s) {size_div_by = array<i64: 1, 4>} : (!nv_tileaa.ptr<f32>, i32, i32, i64) -> !v
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %x = arith.constant dense<0.0> : tensor<64x32xf32>
      scf.for %k = %c0 to %n step %c1 : i32 {
        %w0 = "nv_tileas.tiled_store"(%v, %x, %m, %k) {atom = #store, never_before = array<i1: true, true>, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 32>, 128 : i64>, per_warpgroup, staging_group = 0 : i64, staging_pending = 0 : i64, staging_slot = 0 : i64, staging_slots = 2 : i64, staging_batch = 2 : i64, staging_place = 0 : i64} : (!v, tensor<64x32xf32>, i32, i32) -> !token
        %w1 = "nv_tileas.tiled_store"(%v, %x, %m, %k) {atom = #store, never_before = array<i1: true, true>, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 32>, 128 : i64>, per_warpgroup, staging_group = 0 : i64, staging_pending = 0 : i64, staging_slot = 1 : i64, staging_slots = 2 : i64, staging_batch = 2 : i64, staging_place = 1 : i64} : (!v, tensor<64x32xf32>, i32, i32) -> !token
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i64, i32, i32) -> (), nv_tileaa.kernel_spec = {stages = 1 : i64}, tilec.kernel = {
    arrays = [{name = "A", dtype = "f32", rank = 2 : i64, strides = [-1, 1]}],
    params = [{kind = "pointer", array = "A"}, {kind = "stride", array = "A", axis = 0 : i64}, {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "N", array = "A", axis = 1 : i64}]}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>

// Outside of loops only a slot that a part has used before is waited for. At the end the role drains
// its own stores, and each warpgroup those of its parts.
// CHECK-LABEL: module @both_kinds_of_stores_are_drained
// CHECK:         "nv_tileas.alloc_shared"() {slots = 2 : i64} : () -> !nv_tileas.smem<tensor<64x32xf32,
// CHECK:         "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !nv_tileas.smem<tensor<8x32xf32,
// CHECK-NOT:     nv_tileas.bulk_wait
// CHECK:         "nv_tileas.bulk_commit"() {per_warpgroup}
// CHECK-NOT:     nv_tileas.bulk_wait
// CHECK:         "nv_tileas.bulk_commit"() {per_warpgroup}
// CHECK-NEXT:    %{{.*}} = "nv_tileas.warpgroup_view"(%{{.*}}) {slot = 0 : i64, slots = 2 : i64}
// CHECK-NEXT:    "nv_tileas.bulk_wait"() {pending = 1 : i64, per_warpgroup, read = true}
// CHECK-NEXT:    "nv_tileas.barrier"() {per_warpgroup}
// CHECK:         "nv_tileas.bulk_commit"() {per_warpgroup}
// CHECK-NOT:     nv_tileas.bulk_wait
// CHECK:         "nv_tileas.barrier"() : () -> ()
// CHECK-NEXT:    "nv_tileas.async_tiled_tma_store"({{.*}}) {box_index = 0 : i64, tmaIdx = 1 : i64}
// CHECK-NEXT:    "nv_tileas.bulk_commit"() : () -> ()
// CHECK-NEXT:    "nv_tileas.bulk_wait"() {pending = 0 : i64, read = true}
// CHECK-NEXT:    "nv_tileas.bulk_wait"() {pending = 0 : i64, per_warpgroup, read = true}
// CHECK-NEXT:    "nv_tileas.yield"
module @both_kinds_of_stores_are_drained {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %s: i64, %m: i32, %n: i32):
    %v = "nv_tileas.make_memref"(%p, %m, %n, %s) {size_div_by = array<i64: 1, 4>} : (!nv_tileaa.ptr<f32>, i32, i32, i64) -> !v
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %x = arith.constant dense<0.0> : tensor<64x32xf32>
      %w0 = "nv_tileas.tiled_store"(%v, %x, %m, %m) {atom = #store, never_before = array<i1: true, true>, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 32>, 128 : i64>, per_warpgroup, staging_group = 0 : i64, staging_pending = 0 : i64, staging_slot = 0 : i64, staging_slots = 2 : i64} : (!v, tensor<64x32xf32>, i32, i32) -> !token
      %w1 = "nv_tileas.tiled_store"(%v, %x, %m, %n) {atom = #store, never_before = array<i1: true, true>, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 32>, 128 : i64>, per_warpgroup, staging_group = 0 : i64, staging_pending = 2 : i64, staging_slot = 1 : i64, staging_slots = 2 : i64} : (!v, tensor<64x32xf32>, i32, i32) -> !token
      %w2 = "nv_tileas.tiled_store"(%v, %x, %n, %m) {atom = #store, never_before = array<i1: true, true>, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 32>, 128 : i64>, per_warpgroup, staging_group = 0 : i64, staging_pending = 1 : i64, staging_slot = 0 : i64, staging_slots = 2 : i64} : (!v, tensor<64x32xf32>, i32, i32) -> !token
      %y = arith.constant dense<0.0> : tensor<8x32xf32>
      %w3 = "nv_tileas.tiled_store"(%v, %y, %n, %n) {atom = #store, never_before = array<i1: true, true>, shared_layout = #nv_tileas.shared_layout<array<i64: 8, 32>, 128 : i64>} : (!v, tensor<8x32xf32>, i32, i32) -> !token
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i64, i32, i32) -> (), nv_tileaa.kernel_spec = {stages = 1 : i64}, tilec.kernel = {
    arrays = [{name = "A", dtype = "f32", rank = 2 : i64, strides = [-1, 1]}],
    params = [{kind = "pointer", array = "A"}, {kind = "stride", array = "A", axis = 0 : i64}, {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "N", array = "A", axis = 1 : i64}]}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>

// A part with ragged rows is copied out by the threads of its warpgroup. The bulk group is closed on
// both paths, because waits count groups.
// CHECK-LABEL: module @warpgroups_copy_ragged_parts_out
// CHECK:         %[[S:.*]] = "nv_tileas.warpgroup_view"
// CHECK:         scf.if
// CHECK-NEXT:      "nv_tileas.async_tiled_tma_store"(%{{.*}}, %[[S]], {{.*}} per_warpgroup, tmaIdx = 0 : i64}
// CHECK-NEXT:    } else {
// CHECK-NEXT:      "nv_tileas.copy_out"(%[[S]], {{.*}}) {per_warpgroup}
// CHECK-NEXT:    }
// CHECK-NEXT:    "nv_tileas.bulk_commit"() {per_warpgroup}
// CHECK-NEXT:    "nv_tileas.bulk_wait"() {pending = 0 : i64, per_warpgroup, read = true}
module @warpgroups_copy_ragged_parts_out {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %s: i64, %m: i32, %n: i32):
    %v = "nv_tileas.make_memref"(%p, %m, %n, %s) {size_div_by = array<i64: 1, 2>} : (!nv_tileaa.ptr<f32>, i32, i32, i64) -> !v
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %x = arith.constant dense<0.0> : tensor<64x32xf32>
      %w = "nv_tileas.tiled_store"(%v, %x, %n, %m) {atom = #store, never_before = array<i1: true, true>, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 32>, 128 : i64>, per_warpgroup, staging_group = 0 : i64, staging_pending = 0 : i64, staging_slot = 0 : i64, staging_slots = 1 : i64} : (!v, tensor<64x32xf32>, i32, i32) -> !token
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i64, i32, i32) -> (), nv_tileaa.kernel_spec = {stages = 1 : i64}, tilec.kernel = {
    arrays = [{name = "A", dtype = "f32", rank = 2 : i64, strides = [-1, 1]}],
    params = [{kind = "pointer", array = "A"}, {kind = "stride", array = "A", axis = 0 : i64}, {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "N", array = "A", axis = 1 : i64}]}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
!a = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!b = !nv_tileas.smem<tensor<64x256xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>

// Each CTA loads its share of a tile, from where its coordinate says: one box of A with 64 rows, two
// of the four boxes of B. Its barrier expects the whole slot, because the copies of the others
// complete there, too.
// CHECK-LABEL: module @ctas_load_a_share_of_a_tile
// CHECK:           %[[BAR:.*]] = "nv_tileas.ring_barrier"
// CHECK-NEXT:      "nv_tileas.mbarrier_arrive_expect_tx"(%[[BAR]]) {tx_count = 49152 : i64}
// CHECK:           %[[HALF:.*]] = arith.constant 64 : i32
// CHECK-NEXT:      %[[COLUMN:.*]] = "nv_tileas.cluster_coord"() {axis = 1 : i64, cluster = array<i64: 2, 2>} : () -> i32
// CHECK-NEXT:      %[[SHIFT:.*]] = arith.muli %[[COLUMN]], %[[HALF]] : i32
// CHECK-NEXT:      %[[M0:.*]] = arith.addi %[[M:.*]], %[[SHIFT]] : i32
// CHECK-NEXT:      "nv_tileas.async_tiled_tma_load"(%{{.*}}, %{{.*}}, %[[M0]], %[[N:.*]], %[[BAR]]) {box_index = 0 : i64, cluster = array<i64: 2, 2>, multicast_axis = 1 : i64, {{.*}}tx_count = 8192 : i64}
// CHECK-NEXT:      "nv_tileas.slot_view"
// CHECK-NEXT:      %[[SIDE:.*]] = arith.constant 128 : i32
// CHECK-NEXT:      %[[ROW:.*]] = "nv_tileas.cluster_coord"() {axis = 0 : i64, cluster = array<i64: 2, 2>} : () -> i32
// CHECK-NEXT:      %[[ACROSS:.*]] = arith.muli %[[ROW]], %[[SIDE]] : i32
// CHECK-NEXT:      %[[N0:.*]] = arith.addi %[[N]], %[[ACROSS]] : i32
// CHECK-NEXT:      %[[BOX:.*]] = arith.constant 64 : i32
// CHECK-NEXT:      %[[N1:.*]] = arith.addi %[[N0]], %[[BOX]] : i32
// CHECK-NEXT:      "nv_tileas.async_tiled_tma_load"(%{{.*}}, %{{.*}}, %[[M]], %[[N0]], %[[BAR]]) {box_index = 0 : i64, cluster = array<i64: 2, 2>, multicast_axis = 0 : i64, {{.*}}tx_count = 8192 : i64}
// CHECK-NEXT:      "nv_tileas.async_tiled_tma_load"(%{{.*}}, %{{.*}}, %[[M]], %[[N1]], %[[BAR]]) {box_index = 1 : i64, cluster = array<i64: 2, 2>, multicast_axis = 0 : i64, {{.*}}tx_count = 8192 : i64}
// CHECK-NOT:       nv_tileas.async_tiled_tma_load
module @ctas_load_a_share_of_a_tile {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<bf16>, %s: i64, %m: i32, %n: i32):
    %v = "nv_tileas.make_memref"(%p, %m, %n, %s) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !v
    %a = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !a
    %b = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !b
    %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 1 : i64} : () -> !nv_tileas.mbarrier
    %empty = "nv_tileas.alloc_mbarrier"() {count = 12 : i64, slots = 1 : i64} : () -> !nv_tileas.mbarrier
    %ring = "nv_tileas.create_ring"(%full, %empty) {stages = 1 : i64, cluster = array<i64: 2, 2>, multicast_axes = array<i64: 0, 1>} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring
    "nv_tileas.roles"() ({
      %at = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !nv_tileas.ring_position
      %x, %t = "nv_tileas.tiled_load"(%v, %m, %n) {atom = #load, multicast_axis = 1 : i64} : (!v, i32, i32) -> (tensor<128x64xbf16>, !token)
      %sa = "nv_tileas.slot_view"(%a, %at) : (!a, !nv_tileas.ring_position) -> !a
      "nv_tileas.ring_fill"(%x, %sa) : (tensor<128x64xbf16>, !a) -> ()
      %y, %u = "nv_tileas.tiled_load"(%v, %m, %n) {atom = #load, multicast_axis = 0 : i64} : (!v, i32, i32) -> (tensor<64x256xbf16>, !token)
      %sb = "nv_tileas.slot_view"(%b, %at) : (!b, !nv_tileas.ring_position) -> !b
      "nv_tileas.ring_fill"(%y, %sb) : (tensor<64x256xbf16>, !b) -> ()
      "nv_tileas.ring_commit"(%ring, %at) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      "nv_tileas.yield"() : () -> ()
    }, {
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<bf16>, i64, i32, i32) -> (), nv_tileaa.kernel_spec = {stages = 1 : i64, cluster = [2, 2, 1]}, tilec.kernel = {
    arrays = [{name = "A", dtype = "bf16", rank = 2 : i64, strides = [-1, 1]}],
    params = [{kind = "pointer", array = "A"}, {kind = "stride", array = "A", axis = 0 : i64}, {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "N", array = "A", axis = 1 : i64}]}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!tile = tensor<8x32xf32>
!token = !nv_tileaa.mem_token
#ldg = #cute.copy_atom<"sm90_ldg_32_f32", "ldg", 1 : i64, 32 : i64, f32>
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>
#slot = #nv_tileas.shared_layout<array<i64: 8, 32>, 128 : i64>

// A store keeps what it comes after, and what comes after it; a token of no access is dropped.
// CHECK-LABEL: module @stores_keep_their_order
// CHECK:           %[[X:.*]]:2 = "nv_tileas.tiled_load"
// CHECK:           "nv_tileas.bulk_commit"
// CHECK-NEXT:      %[[T:.*]] = "nv_tileas.store_token"(%[[X]]#1)
// CHECK:           "nv_tileas.bulk_commit"
// CHECK-NEXT:      "nv_tileas.store_token"(%[[T]])
// CHECK:           "nv_tileas.bulk_commit"
// CHECK-NOT:       nv_tileas.store_token
module @stores_keep_their_order {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %s: i64, %m: i32, %n: i32):
    %v = "nv_tileas.make_memref"(%p, %m, %n, %s) {size_div_by = array<i64: 1, 4>} : (!nv_tileaa.ptr<f32>, i32, i32, i64) -> !v
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %start = "nv_tileas.create_mem_token"() : () -> !token
      %x, %t = "nv_tileas.tiled_load"(%v, %m, %n, %start) {atom = #ldg} : (!v, i32, i32, !token) -> (!tile, !token)
      %a = "nv_tileas.tiled_store"(%v, %x, %m, %n, %t) {atom = #store, never_before = array<i1: true, true>, shared_layout = #slot} : (!v, !tile, i32, i32, !token) -> !token
      %b = "nv_tileas.tiled_store"(%v, %x, %m, %n, %a) {atom = #store, never_before = array<i1: true, true>, shared_layout = #slot} : (!v, !tile, i32, i32, !token) -> !token
      %c = "nv_tileas.tiled_store"(%v, %x, %m, %n, %start) {atom = #store, never_before = array<i1: true, true>, shared_layout = #slot} : (!v, !tile, i32, i32, !token) -> !token
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i64, i32, i32) -> (), nv_tileaa.kernel_spec = {stages = 1 : i64}, tilec.kernel = {
    arrays = [{name = "A", dtype = "f32", rank = 2 : i64, strides = [-1, 1]}],
    params = [{kind = "pointer", array = "A"}, {kind = "stride", array = "A", axis = 0 : i64}, {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "N", array = "A", axis = 1 : i64}]}} : () -> ()
}
