// RUN: tilec opt %s --passes nv-tileas-verify-async-protocol | FileCheck %s
// RUN: sed '/show the tile/d' %s | not tilec opt - --passes nv-tileas-verify-async-protocol 2>&1 | FileCheck %s --check-prefix=FENCE
// RUN: sed '/meet before the store/d' %s | not tilec opt - --passes nv-tileas-verify-async-protocol 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: sed '/keep shared memory/d' %s | not tilec opt - --passes nv-tileas-verify-async-protocol 2>&1 | FileCheck %s --check-prefix=DRAIN

// The pass checks the protocol of a kernel with one role; each `sed` breaks it in one place.

!a = !nv_tileas.smem<tensor<8x32xf32, #nv_tileas.shared_layout<array<i64: 8, 32>, 128 : i64>>>
!desc = !nv_tileas.tma_desc<tensor<8x32xf32>>

// A role that fills and drains a ring by itself uses it twice, and is safe.
// CHECK: nv_tileas.ring_release

// A bulk store needs the tile of every warp, through a fence, and shared memory until it is over.
// FENCE: no proxy fence between the write of '{{.*}}' and an async read
// EARLY: the 8x32 f32 buffer may be overwritten while 'bulk:{{.*}}' still uses it
// DRAIN: the kernel may end while a bulk store still reads shared memory
"nv_tileaa.func"() ({
^bb0(%d: !desc, %n: i32):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = "nv_tileas.alloc_shared"() {slots = 2 : i64} : () -> !a
  %staging = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !a
  %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 2 : i64} : () -> !nv_tileas.mbarrier
  %empty = "nv_tileas.alloc_mbarrier"() {count = 4 : i64, slots = 2 : i64} : () -> !nv_tileas.mbarrier
  %ring = "nv_tileas.create_ring"(%full, %empty) {stages = 2 : i64} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %fill = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !nv_tileas.ring_position
    %drain = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !nv_tileas.ring_position
    %zero = arith.constant dense<0.0> : tensor<8x32xf32>
    %r, %e0, %e1 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %p = %fill, %q = %drain) -> (tensor<8x32xf32>, !nv_tileas.ring_position, !nv_tileas.ring_position) : i32 {
      "nv_tileas.ring_acquire"(%ring, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      %barrier = "nv_tileas.ring_barrier"(%ring, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> !nv_tileas.mbarrier
      "nv_tileas.mbarrier_arrive_expect_tx"(%barrier) {tx_count = 1024 : i64} : (!nv_tileas.mbarrier) -> ()
      %sa = "nv_tileas.slot_view"(%a, %p) : (!a, !nv_tileas.ring_position) -> !a
      "nv_tileas.async_tiled_tma_load"(%d, %sa, %n, %k, %barrier) {box_index = 0 : i64, tx_count = 1024 : i64, tmaIdx = 0 : i64} : (!desc, !a, i32, i32, !nv_tileas.mbarrier) -> ()
      %p1 = "nv_tileas.ring_advance"(%ring, %p) {count = 1 : i64} : (!nv_tileas.ring, !nv_tileas.ring_position) -> !nv_tileas.ring_position
      "nv_tileas.ring_wait"(%ring, %q) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      %sq = "nv_tileas.slot_view"(%a, %q) : (!a, !nv_tileas.ring_position) -> !a
      %x = "nv_tileas.load_shared"(%sq) : (!a) -> tensor<8x32xf32>
      "nv_tileas.fence_proxy"() {space = "shared"} : () -> ()
      "nv_tileas.ring_release"(%ring, %q) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      %q1 = "nv_tileas.ring_advance"(%ring, %q) {count = 1 : i64} : (!nv_tileas.ring, !nv_tileas.ring_position) -> !nv_tileas.ring_position
      %s = arith.addf %x, %acc : tensor<8x32xf32>
      scf.yield %s, %p1, %q1 : tensor<8x32xf32>, !nv_tileas.ring_position, !nv_tileas.ring_position
    }
    "nv_tileas.store_shared"(%r, %staging) : (tensor<8x32xf32>, !a) -> ()
    "nv_tileas.fence_proxy"() {space = "shared"} : () -> ()  // show the tile to the async proxy
    "nv_tileas.barrier"() {id = 0 : i64} : () -> ()  // meet before the store
    "nv_tileas.async_tiled_tma_store"(%d, %staging, %n, %n) {box_index = 0 : i64, tmaIdx = 0 : i64} : (!desc, !a, i32, i32) -> ()
    "nv_tileas.bulk_commit"() : () -> ()
    "nv_tileas.bulk_wait"() {pending = 0 : i64, read = true} : () -> ()  // keep shared memory
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "one_role_uses_a_ring_twice", function_type = (!desc, i32) -> ()} : () -> ()
