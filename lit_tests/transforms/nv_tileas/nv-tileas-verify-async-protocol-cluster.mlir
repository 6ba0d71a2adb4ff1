// RUN: tilec opt %s --passes nv-tileas-verify-async-protocol | FileCheck %s
// RUN: sed '/the consumers meet/d' %s | not tilec opt - --passes nv-tileas-verify-async-protocol 2>&1 | FileCheck %s --check-prefix=ENDS
// RUN: sed 's/count = 8 /count = 16 /' %s | not tilec opt - --passes nv-tileas-verify-async-protocol 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: sed '/create_ring/s/multicast_axes = array<i64: 0>/multicast_axes = array<i64: 1>/; s/count = 8 /count = 4 /' %s | not tilec opt - --passes nv-tileas-verify-async-protocol 2>&1 | FileCheck %s --check-prefix=PEERS
// RUN: sed 's/tx_count = 16384/tx_count = 8192/' %s | not tilec opt - --passes nv-tileas-verify-async-protocol 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: sed 's|// instead: ||' %s | not tilec opt - --passes nv-tileas-verify-async-protocol 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: sed 's/%c0 to %n/%c0 to %row/' %s | not tilec opt - --passes nv-tileas-verify-async-protocol 2>&1 | FileCheck %s --check-prefix=UNEVEN
// RUN: sed 's/arith.constant 64/arith.constant 32/' %s | not tilec opt - --passes nv-tileas-verify-async-protocol 2>&1 | FileCheck %s --check-prefix=SHARE
// RUN: sed '/cluster_coord/s/axis = 0/axis = 1/' %s | not tilec opt - --passes nv-tileas-verify-async-protocol 2>&1 | FileCheck %s --check-prefix=AXIS

// The pass checks the protocol of the CTAs of a cluster; each `sed` breaks it in one place.

!a = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!desc = !nv_tileas.tma_desc<tensor<64x64xbf16>>

// Two CTAs that load half of every tile for both of them are safe.
// CHECK: nv_tileas.cluster_sync

// A CTA that ends first may be gone when the other one releases one of its slots.
// ENDS: error[T0581]: nv-tileas-verify-async-protocol: {{.*}}CTA {{[01]}} may exit before 'consumer warp 0{{.*}}' arrives at its barrier

// The consumers of both CTAs release a slot, and no other thread.
// COUNT: error[T0581]: nv-tileas-verify-async-protocol: {{.*}}the empty barrier of ring 0, slot 0 ends in mid-phase: 8 arrivals and 0 bytes are missing

// Slots that only the own consumers release are overwritten by the other CTA too early.
// PEERS: error[T0581]: nv-tileas-verify-async-protocol: {{.*}}the 128x64 bf16 buffer may be overwritten while '{{.*}}' still uses it

// The barrier expects the other CTA's half, too.
// BYTES: error[T0581]: nv-tileas-verify-async-protocol:

// The release orders reads of wgmma, which has been waited for, but no reads of threads.
// THREADS: error[T0581]: nv-tileas-verify-async-protocol: {{.*}}threads read a tile that other CTAs overwrite

// CTAs that share a tile must load it equally often.
// UNEVEN: error[T0581]: nv-tileas-verify-async-protocol: {{.*}}CTAs that share a tile may not all load it

// Each of them loads the half that follows that of the other.
// SHARE: error[T0581]: nv-tileas-verify-async-protocol: {{.*}}CTAs along cluster axis 0 share a tile, but coordinate 0 of what they load of it moves by 32 from one to the next, not by 64
// AXIS: error[T0581]: nv-tileas-verify-async-protocol: {{.*}}a cluster of (2, 1) CTAs has one of them along axis 1
"nv_tileaa.func"() ({
^bb0(%d: !desc, %n: i32, %acc: tensor<128x128xf32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %row = "nv_tileas.cluster_coord"() {axis = 0 : i64, cluster = array<i64: 2, 1>} : () -> i32
  %c64 = arith.constant 64 : i32
  %half = arith.muli %row, %c64 : i32
  %a = "nv_tileas.alloc_shared"() {slots = 2 : i64} : () -> !a
  %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 2 : i64} : () -> !nv_tileas.mbarrier
  %empty = "nv_tileas.alloc_mbarrier"() {count = 8 : i64, slots = 2 : i64} : () -> !nv_tileas.mbarrier
  %ring = "nv_tileas.create_ring"(%full, %empty) {stages = 2 : i64, cluster = array<i64: 2, 1>, multicast_axes = array<i64: 0>} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring
  "nv_tileas.roles"() ({
    %start = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !nv_tileas.ring_position
    %end = scf.for %k = %c0 to %n step %c1 iter_args(%p = %start) -> (!nv_tileas.ring_position) : i32 {
      "nv_tileas.ring_acquire"(%ring, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      %barrier = "nv_tileas.ring_barrier"(%ring, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> !nv_tileas.mbarrier
      "nv_tileas.mbarrier_arrive_expect_tx"(%barrier) {tx_count = 16384 : i64} : (!nv_tileas.mbarrier) -> ()
      %s = "nv_tileas.slot_view"(%a, %p) : (!a, !nv_tileas.ring_position) -> !a
      "nv_tileas.async_tiled_tma_load"(%d, %s, %half, %k, %barrier) {box_index = 0 : i64, tx_count = 8192 : i64, tmaIdx = 0 : i64, cluster = array<i64: 2, 1>, multicast_axis = 0 : i64} : (!desc, !a, i32, i32, !nv_tileas.mbarrier) -> ()
      %next = "nv_tileas.ring_advance"(%ring, %p) {count = 1 : i64} : (!nv_tileas.ring, !nv_tileas.ring_position) -> !nv_tileas.ring_position
      scf.yield %next : !nv_tileas.ring_position
    }
    "nv_tileas.cluster_sync"() : () -> ()
    "nv_tileas.yield"() : () -> ()
  }, {
    %start = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !nv_tileas.ring_position
    %end = scf.for %k = %c0 to %n step %c1 iter_args(%p = %start) -> (!nv_tileas.ring_position) : i32 {
      "nv_tileas.ring_wait"(%ring, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      %s = "nv_tileas.slot_view"(%a, %p) : (!a, !nv_tileas.ring_position) -> !a
      %g, %t = "nv_tileas.async_mma"(%s, %s, %acc) {a_major = "k", b_major = "k"} : (!a, !a, tensor<128x128xf32>) -> (tensor<128x128xf32>, !nv_tileas.mma_token)
      // instead: %y = "nv_tileas.load_shared"(%s) : (!a) -> tensor<128x64xbf16>
      %x = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (tensor<128x128xf32>, !nv_tileas.mma_token) -> tensor<128x128xf32>
      "nv_tileas.ring_release"(%ring, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      %next = "nv_tileas.ring_advance"(%ring, %p) {count = 1 : i64} : (!nv_tileas.ring, !nv_tileas.ring_position) -> !nv_tileas.ring_position
      scf.yield %next : !nv_tileas.ring_position
    }
    "nv_tileas.cluster_sync"() : () -> ()  // the consumers meet
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "clusters_are_checked_as_a_whole", function_type = (!desc, i32, tensor<128x128xf32>) -> ()} : () -> ()
