// RUN: tilec opt %s --passes nv-tileas-verify-async-protocol | FileCheck %s
// RUN: sed '/release the slot/d' %s | not tilec opt - --passes nv-tileas-verify-async-protocol 2>&1 | FileCheck %s --check-prefix=DEADLOCK
// RUN: sed 's/tx_count = 2048/tx_count = 1024/' %s | not tilec opt - --passes nv-tileas-verify-async-protocol 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: sed '/order the reads/d' %s | not tilec opt - --passes nv-tileas-verify-async-protocol 2>&1 | FileCheck %s --check-prefix=READS
// RUN: sed 's/count = 240/count = 256/' %s | not tilec opt - --passes nv-tileas-verify-async-protocol 2>&1 | FileCheck %s --check-prefix=REGISTERS
// RUN: sed 's/id = 1/id = 0/' %s | not tilec opt - --passes nv-tileas-verify-async-protocol 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: sed 's/id = 1/id = 16/' %s | not tilec opt - --passes nv-tileas-verify-async-protocol 2>&1 | FileCheck %s --check-prefix=NAMED

// The pass checks the protocol of a producer and its consumers; each `sed` breaks it in one place.

!a = !nv_tileas.smem<tensor<8x32xf32, #nv_tileas.shared_layout<array<i64: 8, 32>, 128 : i64>>>
!desc = !nv_tileas.tma_desc<tensor<8x32xf32>>

// A safe kernel passes unchanged.
// CHECK: nv_tileas.ring_release

// Without the release the producer waits forever; with half of the bytes a phase never ends.
// DEADLOCK: error[T0581]: nv-tileas-verify-async-protocol: {{.*}}deadlock: {{.*}} never continue
// BYTES: error[T0581]: nv-tileas-verify-async-protocol:

// Nothing but a fence keeps TMA from overwriting what threads still read.
// READS: no proxy fence between what 'consumer warp 0' does with the 8x32 f32 buffer and a copy into it

// More registers than the SM has deadlock setmaxnreg, and barrier ids have rules.
// REGISTERS: roles ask for 69632 registers, but an SM has 65536: deadlock
// WHOLE: barrier 0 of the whole CTA is used by one role alone
// NAMED: named barrier 16 does not exist
"nv_tileaa.func"() ({
^bb0(%d: !desc, %n: i32):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = "nv_tileas.alloc_shared"() {slots = 3 : i64} : () -> !a
  %b = "nv_tileas.alloc_shared"() {slots = 3 : i64} : () -> !a
  %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 3 : i64} : () -> !nv_tileas.mbarrier
  %empty = "nv_tileas.alloc_mbarrier"() {count = 8 : i64, slots = 3 : i64} : () -> !nv_tileas.mbarrier
  %ring = "nv_tileas.create_ring"(%full, %empty) {stages = 3 : i64} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring
  "nv_tileas.roles"() ({
    "nv_tileas.set_registers"() {count = 32 : i64, action = "decrease"} : () -> ()
    %start = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !nv_tileas.ring_position
    %end = scf.for %k = %c0 to %n step %c1 iter_args(%p = %start) -> (!nv_tileas.ring_position) : i32 {
      "nv_tileas.ring_acquire"(%ring, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      %barrier = "nv_tileas.ring_barrier"(%ring, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> !nv_tileas.mbarrier
      "nv_tileas.mbarrier_arrive_expect_tx"(%barrier) {tx_count = 2048 : i64} : (!nv_tileas.mbarrier) -> ()
      %sa = "nv_tileas.slot_view"(%a, %p) : (!a, !nv_tileas.ring_position) -> !a
      "nv_tileas.async_tiled_tma_load"(%d, %sa, %n, %k, %barrier) {box_index = 0 : i64, tx_count = 1024 : i64, tmaIdx = 0 : i64} : (!desc, !a, i32, i32, !nv_tileas.mbarrier) -> ()
      %sb = "nv_tileas.slot_view"(%b, %p) : (!a, !nv_tileas.ring_position) -> !a
      "nv_tileas.async_tiled_tma_load"(%d, %sb, %k, %n, %barrier) {box_index = 0 : i64, tx_count = 1024 : i64, tmaIdx = 0 : i64} : (!desc, !a, i32, i32, !nv_tileas.mbarrier) -> ()
      %next = "nv_tileas.ring_advance"(%ring, %p) {count = 1 : i64} : (!nv_tileas.ring, !nv_tileas.ring_position) -> !nv_tileas.ring_position
      scf.yield %next : !nv_tileas.ring_position
    }
    "nv_tileas.yield"() : () -> ()
  }, {
    "nv_tileas.set_registers"() {count = 240 : i64, action = "increase"} : () -> ()
    %start = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !nv_tileas.ring_position
    %end = scf.for %k = %c0 to %n step %c1 iter_args(%p = %start) -> (!nv_tileas.ring_position) : i32 {
      "nv_tileas.ring_wait"(%ring, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      %sa = "nv_tileas.slot_view"(%a, %p) : (!a, !nv_tileas.ring_position) -> !a
      %x = "nv_tileas.load_shared"(%sa) : (!a) -> tensor<8x32xf32>
      %sb = "nv_tileas.slot_view"(%b, %p) : (!a, !nv_tileas.ring_position) -> !a
      %y = "nv_tileas.load_shared"(%sb) : (!a) -> tensor<8x32xf32>
      "nv_tileas.fence_proxy"() {space = "shared"} : () -> ()  // order the reads
      "nv_tileas.ring_release"(%ring, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()  // release the slot
      %next = "nv_tileas.ring_advance"(%ring, %p) {count = 1 : i64} : (!nv_tileas.ring, !nv_tileas.ring_position) -> !nv_tileas.ring_position
      scf.yield %next : !nv_tileas.ring_position
    }
    "nv_tileas.barrier"() {id = 1 : i64} : () -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "safe_kernels_pass", function_type = (!desc, i32) -> ()} : () -> ()
