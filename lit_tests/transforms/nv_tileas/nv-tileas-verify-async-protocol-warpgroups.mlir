// RUN: tilec opt %s --passes nv-tileas-verify-async-protocol | FileCheck %s
// RUN: sed '/slot 1 is free/d' %s | not tilec opt - --passes nv-tileas-verify-async-protocol 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: sed '/slot 1 is full/d' %s | not tilec opt - --passes nv-tileas-verify-async-protocol 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: sed '/part 0$/d' %s | not tilec opt - --passes nv-tileas-verify-async-protocol 2>&1 | FileCheck %s --check-prefix=LOST
// RUN: sed '/part 1$/d' %s | not tilec opt - --passes nv-tileas-verify-async-protocol 2>&1 | FileCheck %s --check-prefix=LOST
// RUN: sed 's/pending = 0/pending = 1/' %s | not tilec opt - --passes nv-tileas-verify-async-protocol 2>&1 | FileCheck %s --check-prefix=END
// RUN: sed '/part 0$/s/, per_warpgroup//' %s | not tilec opt - --passes nv-tileas-verify-async-protocol 2>&1 | FileCheck %s --check-prefix=ROLE
// RUN: sed '/slot 1 is full/s/id = 2 : i64, per_warpgroup/id = 3 : i64/' %s | not tilec opt - --passes nv-tileas-verify-async-protocol 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: sed 's/id = 2/id = 15/' %s | not tilec opt - --passes nv-tileas-verify-async-protocol 2>&1 | FileCheck %s --check-prefix=NAMED

// The pass checks the protocol of warpgroups that store on their own; each `sed` breaks it in one
// place.

!part = !nv_tileas.smem<tensor<64x32xf32, #nv_tileas.shared_layout<array<i64: 64, 32>, 128 : i64>>>
!desc = !nv_tileas.tma_desc<tensor<64x32xf32>>

// Two warpgroups that store parts through two slots each, without a common barrier, are safe.
// CHECK: nv_tileas.warpgroup_view

// A slot is written when the copy out of it is over, and copied when the whole warpgroup has written it.
// EARLY: slot 1 may be overwritten while 'bulk:{{.*}}' still uses it
// LATE: a tile is read before the write of '{{.*}}' has arrived

// No part is forgotten, and shared memory stays until the last part of every warpgroup is stored.
// LOST: what is written to the 64x32 f32 buffer, slot {{[01]}} is never read
// END: the kernel may end while a bulk store still reads shared memory

// The thread that stores is one of the warpgroup, and its barriers are the warpgroup's alone.
// ROLE: a warpgroup's own tile is used by the whole role, or the reverse
// SHARED: named barrier 3 is used by a role and by one of its warpgroups
// NAMED: named barrier 16 does not exist
"nv_tileaa.func"() ({
^bb0(%d: !desc, %n: i32):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %staging = "nv_tileas.alloc_shared"() {slots = 4 : i64} : () -> !part
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = arith.constant dense<0.0> : tensor<64x32xf32>
    scf.for %k = %c0 to %n step %c1 : i32 {
      %s0 = "nv_tileas.warpgroup_view"(%staging) {slot = 0 : i64, slots = 2 : i64} : (!part) -> !part
      "nv_tileas.bulk_wait"() {pending = 1 : i64, read = true, per_warpgroup} : () -> ()  // slot 0 is free
      "nv_tileas.barrier"() {id = 2 : i64, per_warpgroup} : () -> ()
      "nv_tileas.store_shared"(%x, %s0) : (tensor<64x32xf32>, !part) -> ()
      "nv_tileas.fence_proxy"() {space = "shared"} : () -> ()
      "nv_tileas.barrier"() {id = 2 : i64, per_warpgroup} : () -> ()  // slot 0 is full
      "nv_tileas.async_tiled_tma_store"(%d, %s0, %k, %c0) {box_index = 0 : i64, tmaIdx = 0 : i64, per_warpgroup} : (!desc, !part, i32, i32) -> ()  // part 0
      "nv_tileas.bulk_commit"() {per_warpgroup} : () -> ()
      %s1 = "nv_tileas.warpgroup_view"(%staging) {slot = 1 : i64, slots = 2 : i64} : (!part) -> !part
      "nv_tileas.bulk_wait"() {pending = 1 : i64, read = true, per_warpgroup} : () -> ()  // slot 1 is free
      "nv_tileas.barrier"() {id = 2 : i64, per_warpgroup} : () -> ()
      "nv_tileas.store_shared"(%x, %s1) : (tensor<64x32xf32>, !part) -> ()
      "nv_tileas.fence_proxy"() {space = "shared"} : () -> ()
      "nv_tileas.barrier"() {id = 2 : i64, per_warpgroup} : () -> ()  // slot 1 is full
      "nv_tileas.async_tiled_tma_store"(%d, %s1, %k, %n) {box_index = 0 : i64, tmaIdx = 0 : i64, per_warpgroup} : (!desc, !part, i32, i32) -> ()  // part 1
      "nv_tileas.bulk_commit"() {per_warpgroup} : () -> ()
    }
    "nv_tileas.bulk_wait"() {pending = 0 : i64, read = true, per_warpgroup} : () -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 8 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "warpgroups_store_parts", function_type = (!desc, i32) -> ()} : () -> ()
