// RUN: tilec opt %s --passes convert-nv-tileas-to-llvm,canonicalize,cse --split-input-file | FileCheck %s

// The pass lowers rings to mbarriers: their addresses, phases, waits and arrivals.

// Each slot has a full and an empty mbarrier; one thread initialises them with their counts and all
// threads see them before the roles split.
// CHECK-LABEL: llvm.func @one_thread_initialises_the_barriers
// CHECK:         %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK:         %[[FIRST:.*]] = arith.cmpi eq, %[[THREAD]], %c0
// CHECK:         scf.if %[[FIRST]] {
// CHECK:           nvvm.mbarrier.init %[[FULL:.*]], %c1
// CHECK:           %[[SECOND:.*]] = llvm.getelementptr %[[FULL]][8]
// CHECK:           nvvm.mbarrier.init %[[SECOND]], %c1
// CHECK:           nvvm.mbarrier.init %{{.*}}, %c4
// CHECK:           nvvm.mbarrier.init %{{.*}}, %c4
// CHECK:           nvvm.fence.mbarrier.init
// CHECK:         }
// CHECK-NEXT:    nvvm.barrier
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 2 : i64, offset = 0 : i64} : () -> !nv_tileas.mbarrier
  %empty = "nv_tileas.alloc_mbarrier"() {count = 4 : i64, slots = 2 : i64, offset = 16 : i64} : () -> !nv_tileas.mbarrier
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "one_thread_initialises_the_barriers", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

// A position is a slot and a phase. A consumer waits for its phase; a producer for the opposite one,
// so that its first round passes a new barrier. After the last slot the phase flips.
// CHECK-LABEL: llvm.func @positions_are_a_slot_and_a_phase
// CHECK:         scf.for {{.*}} iter_args(%[[SLOT:.*]] = %c0{{.*}}, %[[PHASE:.*]] = %c0{{.*}}) -> (i32, i32)
// CHECK:           %[[PARITY:.*]] = arith.xori %[[PHASE]], %c1
// CHECK:           %[[BYTES:.*]] = arith.muli %[[SLOT]], %c8
// CHECK:           nvvm.mbarrier.try_wait.parity %{{.*}}, %[[PARITY]],
// CHECK:           %[[FULL:.*]] = llvm.getelementptr %{{.*}}[%[[BYTES]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
// CHECK:           nvvm.mbarrier.try_wait.parity %[[FULL]], %[[PHASE]],
// CHECK:           nvvm.bar.warp.sync
// CHECK:           mbarrier.arrive
// CHECK:           %[[NEXT:.*]] = arith.addi %[[SLOT]], %c1
// CHECK:           %[[WRAPS:.*]] = arith.cmpi sge, %[[NEXT]], %c3
// CHECK:           arith.select %[[WRAPS]],
// CHECK:           arith.select %[[WRAPS]],
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 3 : i64, offset = 0 : i64} : () -> !nv_tileas.mbarrier
  %empty = "nv_tileas.alloc_mbarrier"() {count = 4 : i64, slots = 3 : i64, offset = 24 : i64} : () -> !nv_tileas.mbarrier
  %ring = "nv_tileas.create_ring"(%full, %empty) {stages = 3 : i64} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %start = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !nv_tileas.ring_position
    %end = scf.for %k = %c0 to %n step %c1 iter_args(%p = %start) -> (!nv_tileas.ring_position) : i32 {
      "nv_tileas.ring_acquire"(%ring, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      "nv_tileas.ring_wait"(%ring, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      "nv_tileas.ring_release"(%ring, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      %next = "nv_tileas.ring_advance"(%ring, %p) {count = 1 : i64} : (!nv_tileas.ring, !nv_tileas.ring_position) -> !nv_tileas.ring_position
      scf.yield %next : !nv_tileas.ring_position
    }
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "positions_are_a_slot_and_a_phase", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

// Advancing by a whole number of odd rounds flips the phase and keeps the slot, so the loop does
// not carry the slot.
// CHECK-LABEL: llvm.func @whole_rounds_keep_the_slot
// CHECK:         scf.for {{.*}} iter_args(%[[PHASE:.*]] = %{{.*}}) -> (i32)
// CHECK-NOT:       arith.select
// CHECK:           %[[FLIPPED:.*]] = arith.xori %[[PHASE]], %c1
// CHECK-NOT:       arith.select
// CHECK:           scf.yield %[[FLIPPED]]
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 3 : i64, offset = 0 : i64} : () -> !nv_tileas.mbarrier
  %ring = "nv_tileas.create_ring"(%full) {stages = 3 : i64} : (!nv_tileas.mbarrier) -> !nv_tileas.ring
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %start = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !nv_tileas.ring_position
    %first = "nv_tileas.ring_advance"(%ring, %start) {count = 1 : i64} : (!nv_tileas.ring, !nv_tileas.ring_position) -> !nv_tileas.ring_position
    %end = scf.for %k = %c0 to %n step %c1 iter_args(%p = %first) -> (!nv_tileas.ring_position) : i32 {
      "nv_tileas.ring_wait"(%ring, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      %next = "nv_tileas.ring_advance"(%ring, %p) {count = 9 : i64} : (!nv_tileas.ring, !nv_tileas.ring_position) -> !nv_tileas.ring_position
      scf.yield %next : !nv_tileas.ring_position
    }
    "nv_tileas.ring_wait"(%ring, %end) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "whole_rounds_keep_the_slot", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// From a known position, the slot is known after a whole round, too.
// CHECK-LABEL: llvm.func @whole_rounds_from_a_known_position
// CHECK:         griddepcontrol.wait
// CHECK-NOT:     nvvm.shfl.sync
// CHECK:         llvm.return
"nv_tileaa.func"() ({
  %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 2 : i64, offset = 0 : i64} : () -> !nv_tileas.mbarrier
  %ring = "nv_tileas.create_ring"(%full) {stages = 2 : i64} : (!nv_tileas.mbarrier) -> !nv_tileas.ring
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %start = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !nv_tileas.ring_position
    %next = "nv_tileas.ring_advance"(%ring, %start) {count = 2 : i64} : (!nv_tileas.ring, !nv_tileas.ring_position) -> !nv_tileas.ring_position
    "nv_tileas.ring_wait"(%ring, %next) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "whole_rounds_from_a_known_position", function_type = () -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()
