// RUN: tilec opt %s --passes nv-tileas-insert-rings --split-input-file | FileCheck %s

// The pass replaces channels by rings of slots in shared memory.

!va = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>
#slot = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>

// Two channels of one block share a ring of the planned stages: one producer arrival fills a slot,
// one arrival of each consumer warp empties it.
// CHECK-LABEL: module @channels_of_a_block_share_a_ring
// CHECK:         %[[A:.*]] = "nv_tileas.alloc_shared"() {slots = 3 : i64}
// CHECK-NEXT:    %[[B:.*]] = "nv_tileas.alloc_shared"() {slots = 3 : i64}
// CHECK-NEXT:    %[[FULL:.*]] = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 3 : i64}
// CHECK-NEXT:    %[[EMPTY:.*]] = "nv_tileas.alloc_mbarrier"() {count = 8 : i64, slots = 3 : i64}
// CHECK-NEXT:    %[[RING:.*]] = "nv_tileas.create_ring"(%[[FULL]], %[[EMPTY]]) {{.*}}stages = 3 : i64
// CHECK-NOT:     nv_tileas.create_ring
// The producer acquires the slot before the first load and commits it after the last.
// CHECK:           %[[P0:.*]] = "nv_tileas.ring_start"(%[[RING]])
// CHECK:           scf.for {{.*}} iter_args(%[[P:.*]] = %[[P0]])
// CHECK-NEXT:        "nv_tileas.ring_acquire"(%[[RING]], %[[P]])
// CHECK-NEXT:        %[[X:.*]]:2 = "nv_tileas.tiled_load"
// CHECK-NEXT:        %[[SA:.*]] = "nv_tileas.slot_view"(%[[A]], %[[P]])
// CHECK-NEXT:        "nv_tileas.ring_fill"(%[[X]]#0, %[[SA]])
// CHECK-NEXT:        %[[Y:.*]]:2 = "nv_tileas.tiled_load"
// CHECK-NEXT:        %[[SB:.*]] = "nv_tileas.slot_view"(%[[B]], %[[P]])
// CHECK-NEXT:        "nv_tileas.ring_fill"(%[[Y]]#0, %[[SB]])
// CHECK-NEXT:        "nv_tileas.ring_commit"(%[[RING]], %[[P]])
// CHECK-NEXT:        %[[NEXT:.*]] = "nv_tileas.ring_advance"(%[[RING]], %[[P]]) {count = 1 : i64}
// CHECK-NEXT:        scf.yield %[[NEXT]]
// The consumer waits once, and releases the slot after the product, which reads it in place.
// CHECK:           %[[C0:.*]] = "nv_tileas.ring_start"(%[[RING]])
// CHECK:           scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[C:.*]] = %[[C0]])
// CHECK-NEXT:        "nv_tileas.ring_wait"(%[[RING]], %[[C]])
// CHECK:             "nv_tileas.load_shared"
// CHECK:             "nv_tileas.load_shared"
// CHECK-NOT:         nv_tileas.ring_wait
// CHECK:             %[[D:.*]] = "nv_tileas.dot"
// CHECK-NEXT:        "nv_tileas.ring_release"(%[[RING]], %[[C]])
// CHECK-NEXT:        %[[CN:.*]] = "nv_tileas.ring_advance"(%[[RING]], %[[C]]) {count = 1 : i64}
// CHECK-NEXT:        %[[S:.*]] = arith.addf %[[D]], %[[D]]
// CHECK-NEXT:        scf.yield %[[S]], %[[CN]]
module @channels_of_a_block_share_a_ring {
  "nv_tileaa.func"() ({
  ^bb0(%v: !va, %i: i32, %n: i32, %zero: tensor<64x64xf32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    "nv_tileas.roles"() ({
      scf.for %k = %c0 to %n step %c1 : i32 {
        %x, %t = "nv_tileas.tiled_load"(%v, %i, %k) {atom = #load} : (!va, i32, i32) -> (tensor<64x64xbf16>, !token)
        "nv_tileas.send"(%x) {channel = 0 : i64} : (tensor<64x64xbf16>) -> ()
        %y, %u = "nv_tileas.tiled_load"(%v, %k, %i) {atom = #load} : (!va, i32, i32) -> (tensor<64x64xbf16>, !token)
        "nv_tileas.send"(%y) {channel = 1 : i64} : (tensor<64x64xbf16>) -> ()
      }
      "nv_tileas.yield"() : () -> ()
    }, {
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
        %x = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #slot} : () -> tensor<64x64xbf16>
        %y = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #slot} : () -> tensor<64x64xbf16>
        %d = "nv_tileas.dot"(%x, %y, %acc) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
        %s = arith.addf %d, %d : tensor<64x64xf32>
        scf.yield %s : tensor<64x64xf32>
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!va, i32, i32, tensor<64x64xf32>) -> (), nv_tileaa.kernel_spec = {stages = 3 : i64, consumer_warps = 8 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_f32", "tma_load", 2 : i64, 0 : i64, f32>
#slot = #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>

// Loads before, in and after a loop get three rings. Outside of loops a ring is filled once: one
// slot, no empty barrier, no acquire, no release.
// CHECK-LABEL: module @loops_separate_rings
// CHECK:         %[[FIRST:.*]] = "nv_tileas.create_ring"(%{{[0-9]+}}) {stages = 1 : i64}
// CHECK:         %[[LOOP:.*]] = "nv_tileas.create_ring"(%{{[0-9]+}}, %{{[0-9]+}}) {stages = 4 : i64}
// CHECK:         %[[LAST:.*]] = "nv_tileas.create_ring"(%{{[0-9]+}}) {stages = 1 : i64}
// CHECK:         "nv_tileas.roles"() ({
// CHECK-NOT:       nv_tileas.ring_acquire
// CHECK:           "nv_tileas.ring_commit"(%[[FIRST]],
// CHECK-NOT:       nv_tileas.ring_advance
// CHECK:           scf.for
// CHECK:             "nv_tileas.ring_acquire"(%[[LOOP]],
// CHECK:             "nv_tileas.ring_commit"(%[[LOOP]],
// CHECK-NOT:       nv_tileas.ring_acquire
// CHECK:           "nv_tileas.ring_commit"(%[[LAST]],
// CHECK:         }, {
// CHECK:           "nv_tileas.ring_wait"(%[[FIRST]],
// CHECK-NOT:       nv_tileas.ring_release
// CHECK:           scf.for
// CHECK:             "nv_tileas.ring_wait"(%[[LOOP]],
// CHECK:             "nv_tileas.ring_release"(%[[LOOP]],
// CHECK:           "nv_tileas.ring_wait"(%[[LAST]],
// CHECK-NOT:       nv_tileas.ring_release
module @loops_separate_rings {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    "nv_tileas.roles"() ({
      %x, %t = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load} : (!v, i32, i32) -> (tensor<32x32xf32>, !token)
      "nv_tileas.send"(%x) {channel = 0 : i64} : (tensor<32x32xf32>) -> ()
      scf.for %k = %c0 to %n step %c1 : i32 {
        %y, %u = "nv_tileas.tiled_load"(%v, %i, %k) {atom = #load} : (!v, i32, i32) -> (tensor<32x32xf32>, !token)
        "nv_tileas.send"(%y) {channel = 1 : i64} : (tensor<32x32xf32>) -> ()
      }
      %z, %w = "nv_tileas.tiled_load"(%v, %i, %n) {atom = #load} : (!v, i32, i32) -> (tensor<32x32xf32>, !token)
      "nv_tileas.send"(%z) {channel = 2 : i64} : (tensor<32x32xf32>) -> ()
      "nv_tileas.yield"() : () -> ()
    }, {
      %x = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #slot} : () -> tensor<32x32xf32>
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %x) -> (tensor<32x32xf32>) : i32 {
        %y = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #slot} : () -> tensor<32x32xf32>
        %s = arith.addf %acc, %y : tensor<32x32xf32>
        scf.yield %s : tensor<32x32xf32>
      }
      %z = "nv_tileas.receive"() {channel = 2 : i64, shared_layout = #slot} : () -> tensor<32x32xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32) -> (), nv_tileaa.kernel_spec = {stages = 4 : i64, consumer_warps = 4 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_f32", "tma_load", 2 : i64, 0 : i64, f32>
#slot = #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>

// Positions pass through nested loops and branches; a branch without loads passes its position on.
// CHECK-LABEL: module @positions_pass_through_nested_control_flow
// CHECK:         "nv_tileas.roles"() ({
// CHECK:           %[[P0:.*]] = "nv_tileas.ring_start"
// CHECK:           scf.for {{.*}} iter_args(%[[P1:.*]] = %[[P0]]) -> (!nv_tileas.ring_position)
// CHECK-NEXT:        %[[R1:.*]] = scf.for {{.*}} iter_args(%[[P2:.*]] = %[[P1]]) -> (!nv_tileas.ring_position)
// CHECK-NEXT:          %[[R2:.*]] = scf.if %[[IF:.*]] -> (!nv_tileas.ring_position) {
// CHECK:                 "nv_tileas.ring_acquire"(%{{.*}}, %[[P2]])
// CHECK:                 %[[N:.*]] = "nv_tileas.ring_advance"(%{{.*}}, %[[P2]])
// CHECK-NEXT:            scf.yield %[[N]]
// CHECK-NEXT:          } else {
// CHECK-NEXT:            scf.yield %[[P2]]
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.yield %[[R2]]
// CHECK-NEXT:        }
// CHECK-NEXT:        scf.yield %[[R1]]
// CHECK:         }, {
// CHECK:           scf.if %[[IF]] -> (tensor<32x32xf32>, !nv_tileas.ring_position)
// CHECK:           } else {
// CHECK-NEXT:        scf.yield %{{.*}}, %{{.*}} : tensor<32x32xf32>, !nv_tileas.ring_position
module @positions_pass_through_nested_control_flow {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %n: i32, %p: i1):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    "nv_tileas.roles"() ({
      scf.for %j = %c0 to %n step %c1 : i32 {
        scf.for %k = %c0 to %n step %c1 : i32 {
          scf.if %p {
            %y, %u = "nv_tileas.tiled_load"(%v, %j, %k) {atom = #load} : (!v, i32, i32) -> (tensor<32x32xf32>, !token)
            "nv_tileas.send"(%y) {channel = 0 : i64} : (tensor<32x32xf32>) -> ()
          }
        }
      }
      "nv_tileas.yield"() : () -> ()
    }, {
      %zero = arith.constant dense<0.0> : tensor<32x32xf32>
      scf.for %j = %c0 to %n step %c1 : i32 {
        scf.for %k = %c0 to %n step %c1 : i32 {
          %y = scf.if %p -> (tensor<32x32xf32>) {
            %x = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #slot} : () -> tensor<32x32xf32>
            scf.yield %x : tensor<32x32xf32>
          } else {
            scf.yield %zero : tensor<32x32xf32>
          }
        }
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, i1) -> (), nv_tileaa.kernel_spec = {stages = 4 : i64, consumer_warps = 4 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_f32", "tma_load", 2 : i64, 0 : i64, f32>
#slot = #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>

// The two sides of a branch have a ring each: only one of them is filled.
// CHECK-LABEL: module @sides_of_a_branch_have_rings_of_their_own
// CHECK:         %[[THEN:.*]] = "nv_tileas.create_ring"
// CHECK:         %[[ELSE:.*]] = "nv_tileas.create_ring"
// CHECK:         scf.if
// CHECK:           "nv_tileas.ring_commit"(%[[THEN]],
// CHECK:         } else {
// CHECK:           "nv_tileas.ring_commit"(%[[ELSE]],
// CHECK:       }, {
// CHECK:         scf.if
// CHECK:           "nv_tileas.ring_wait"(%[[THEN]],
// CHECK:         } else {
// CHECK:           "nv_tileas.ring_wait"(%[[ELSE]],
module @sides_of_a_branch_have_rings_of_their_own {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %p: i1):
    "nv_tileas.roles"() ({
      scf.if %p {
        %x, %t = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load} : (!v, i32, i32) -> (tensor<32x32xf32>, !token)
        "nv_tileas.send"(%x) {channel = 0 : i64} : (tensor<32x32xf32>) -> ()
      } else {
        %y, %u = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load} : (!v, i32, i32) -> (tensor<32x32xf32>, !token)
        "nv_tileas.send"(%y) {channel = 1 : i64} : (tensor<32x32xf32>) -> ()
      }
      "nv_tileas.yield"() : () -> ()
    }, {
      %r = scf.if %p -> (tensor<32x32xf32>) {
        %x = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #slot} : () -> tensor<32x32xf32>
        scf.yield %x : tensor<32x32xf32>
      } else {
        %y = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #slot} : () -> tensor<32x32xf32>
        scf.yield %y : tensor<32x32xf32>
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i1) -> (), nv_tileaa.kernel_spec = {stages = 4 : i64, consumer_warps = 4 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_f32", "tma_load", 2 : i64, 0 : i64, f32>
#slot = #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>

// Consumers that send to themselves wait after the commit, or they would wait forever.
// CHECK-LABEL: module @own_loads_are_waited_for_after_the_commit
// CHECK:         %[[RING:.*]] = "nv_tileas.create_ring"
// CHECK-NOT:     nv_tileas.create_ring
// CHECK:         }, {
// CHECK:           "nv_tileas.tiled_load"
// CHECK:           "nv_tileas.tiled_load"
// CHECK:           "nv_tileas.ring_commit"(%[[RING]],
// CHECK-NEXT:      "nv_tileas.ring_wait"(%[[RING]],
// CHECK:           %[[X:.*]] = "nv_tileas.load_shared"
// CHECK:           %[[Y:.*]] = "nv_tileas.load_shared"
// CHECK:           arith.addf %[[X]], %[[Y]]
module @own_loads_are_waited_for_after_the_commit {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %a, %t = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load} : (!v, i32, i32) -> (tensor<32x32xf32>, !token)
      "nv_tileas.send"(%a) {channel = 0 : i64} : (tensor<32x32xf32>) -> ()
      %x = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #slot} : () -> tensor<32x32xf32>
      %b, %u = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load} : (!v, i32, i32) -> (tensor<32x32xf32>, !token)
      "nv_tileas.send"(%b) {channel = 1 : i64} : (tensor<32x32xf32>) -> ()
      %y = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #slot} : () -> tensor<32x32xf32>
      %z = arith.addf %x, %y : tensor<32x32xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32) -> (), nv_tileaa.kernel_spec = {stages = 1 : i64, consumer_warps = 4 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_f32", "tma_load", 2 : i64, 0 : i64, f32>
#slot = #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>

// If consumers that load for themselves use a tile before the next load, the next load has another ring.
// CHECK-LABEL: module @a_use_between_loads_separates_rings
// CHECK:         %[[FIRST:.*]] = "nv_tileas.create_ring"
// CHECK:         %[[SECOND:.*]] = "nv_tileas.create_ring"
// CHECK:         }, {
// CHECK:           "nv_tileas.ring_commit"(%[[FIRST]],
// CHECK:           "nv_tileas.ring_wait"(%[[FIRST]],
// CHECK:           math.exp
// CHECK:           "nv_tileas.ring_commit"(%[[SECOND]],
// CHECK:           "nv_tileas.ring_wait"(%[[SECOND]],
module @a_use_between_loads_separates_rings {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %a, %t = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load} : (!v, i32, i32) -> (tensor<32x32xf32>, !token)
      "nv_tileas.send"(%a) {channel = 0 : i64} : (tensor<32x32xf32>) -> ()
      %x = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #slot} : () -> tensor<32x32xf32>
      %e = math.exp %x : tensor<32x32xf32>
      %b, %u = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load} : (!v, i32, i32) -> (tensor<32x32xf32>, !token)
      "nv_tileas.send"(%b) {channel = 1 : i64} : (tensor<32x32xf32>) -> ()
      %y = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #slot} : () -> tensor<32x32xf32>
      %z = arith.addf %e, %y : tensor<32x32xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32) -> (), nv_tileaa.kernel_spec = {stages = 1 : i64, consumer_warps = 4 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>
#slot = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>

// A tile that a product in an inner loop reads stays until that loop is over; a tile that is only
// read into registers is released at once.
// CHECK-LABEL: module @slots_live_until_their_last_reader
// CHECK:         }, {
// CHECK:           scf.for
// CHECK:             "nv_tileas.ring_wait"
// CHECK:             %[[R:.*]] = scf.for
// CHECK:               nv_tileas.dot
// CHECK-NEXT:          scf.yield
// CHECK-NEXT:        }
// CHECK-NEXT:        "nv_tileas.ring_release"
// CHECK:           scf.for
// CHECK:             "nv_tileas.ring_wait"
// CHECK:             "nv_tileas.load_shared"
// CHECK-NEXT:        "nv_tileas.ring_release"
// CHECK:             math.exp
module @slots_live_until_their_last_reader {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %n: i32, %b: tensor<64x64xbf16>, %zero: tensor<64x64xf32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    "nv_tileas.roles"() ({
      scf.for %k = %c0 to %n step %c1 : i32 {
        %x, %t = "nv_tileas.tiled_load"(%v, %i, %k) {atom = #load} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
        "nv_tileas.send"(%x) {channel = 0 : i64} : (tensor<64x64xbf16>) -> ()
      }
      scf.for %k = %c0 to %n step %c1 : i32 {
        %x, %t = "nv_tileas.tiled_load"(%v, %i, %k) {atom = #load} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
        "nv_tileas.send"(%x) {channel = 1 : i64} : (tensor<64x64xbf16>) -> ()
      }
      "nv_tileas.yield"() : () -> ()
    }, {
      scf.for %k = %c0 to %n step %c1 : i32 {
        %x = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #slot} : () -> tensor<64x64xbf16>
        %r = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
          %d = "nv_tileas.dot"(%x, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
          scf.yield %d : tensor<64x64xf32>
        }
      }
      scf.for %k = %c0 to %n step %c1 : i32 {
        %x = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #slot} : () -> tensor<64x64xbf16>
        %e = math.exp %x : tensor<64x64xbf16>
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, tensor<64x64xbf16>, tensor<64x64xf32>) -> (), nv_tileaa.kernel_spec = {stages = 2 : i64, consumer_warps = 4 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_f32", "tma_load", 2 : i64, 0 : i64, f32>
#slot = #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>

// In a persistent kernel the loop over tiles refills the slot of a load outside the inner loops: it
// has empty barriers, but needs one stage only.
// CHECK-LABEL: module @tile_loops_refill_one_stage
// CHECK:         %[[TILE:.*]] = "nv_tileas.create_ring"(%{{[0-9]+}}, %{{[0-9]+}}) {stages = 1 : i64}
// CHECK:         %[[INNER:.*]] = "nv_tileas.create_ring"(%{{[0-9]+}}, %{{[0-9]+}}) {stages = 4 : i64}
// CHECK:         "nv_tileas.roles"() ({
// CHECK:           scf.for
// CHECK:             "nv_tileas.ring_acquire"(%[[TILE]],
// CHECK:             scf.for
// CHECK:               "nv_tileas.ring_acquire"(%[[INNER]],
module @tile_loops_refill_one_stage {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    "nv_tileas.roles"() ({
      scf.for %t = %c0 to %n step %c1 : i32 {
        %x, %u = "nv_tileas.tiled_load"(%v, %t, %t) {atom = #load} : (!v, i32, i32) -> (tensor<32x32xf32>, !token)
        "nv_tileas.send"(%x) {channel = 0 : i64} : (tensor<32x32xf32>) -> ()
        scf.for %k = %c0 to %n step %c1 : i32 {
          %y, %w = "nv_tileas.tiled_load"(%v, %t, %k) {atom = #load} : (!v, i32, i32) -> (tensor<32x32xf32>, !token)
          "nv_tileas.send"(%y) {channel = 1 : i64} : (tensor<32x32xf32>) -> ()
        }
      }
      "nv_tileas.yield"() : () -> ()
    }, {
      scf.for %t = %c0 to %n step %c1 : i32 {
        %x = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #slot} : () -> tensor<32x32xf32>
        %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %x) -> (tensor<32x32xf32>) : i32 {
          %y = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #slot} : () -> tensor<32x32xf32>
          %s = arith.addf %acc, %y : tensor<32x32xf32>
          scf.yield %s : tensor<32x32xf32>
        }
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32) -> (), nv_tileaa.kernel_spec = {stages = 4 : i64, consumer_warps = 4 : i64}, tilec.kernel = {persistent = true}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_f32", "tma_load", 2 : i64, 0 : i64, f32>
#slot = #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>

// With `tile_stages = 2`, what the loop over tiles loads before an inner loop has two slots; what it
// loads after that loop has one.
// CHECK-LABEL: module @two_slots_before_a_loop_that_loads_more
// CHECK:         "nv_tileas.alloc_shared"() {slots = 2 : i64}
// CHECK:         %[[TILE:.*]] = "nv_tileas.create_ring"(%{{[0-9]+}}, %{{[0-9]+}}) {stages = 2 : i64}
// CHECK:         %[[INNER:.*]] = "nv_tileas.create_ring"(%{{[0-9]+}}, %{{[0-9]+}}) {stages = 4 : i64}
// CHECK:         %[[LAST:.*]] = "nv_tileas.create_ring"(%{{[0-9]+}}, %{{[0-9]+}}) {stages = 1 : i64}
// CHECK:         "nv_tileas.roles"() ({
// CHECK:           scf.for
// CHECK:             "nv_tileas.ring_acquire"(%[[TILE]],
// CHECK:             scf.for
// CHECK:               "nv_tileas.ring_acquire"(%[[INNER]],
// CHECK:             "nv_tileas.ring_acquire"(%[[LAST]],
module @two_slots_before_a_loop_that_loads_more {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    "nv_tileas.roles"() ({
      scf.for %t = %c0 to %n step %c1 : i32 {
        %x, %u = "nv_tileas.tiled_load"(%v, %t, %t) {atom = #load} : (!v, i32, i32) -> (tensor<32x32xf32>, !token)
        "nv_tileas.send"(%x) {channel = 0 : i64} : (tensor<32x32xf32>) -> ()
        scf.for %k = %c0 to %n step %c1 : i32 {
          %y, %w = "nv_tileas.tiled_load"(%v, %t, %k) {atom = #load} : (!v, i32, i32) -> (tensor<32x32xf32>, !token)
          "nv_tileas.send"(%y) {channel = 1 : i64} : (tensor<32x32xf32>) -> ()
        }
        %z, %s = "nv_tileas.tiled_load"(%v, %n, %t) {atom = #load} : (!v, i32, i32) -> (tensor<32x32xf32>, !token)
        "nv_tileas.send"(%z) {channel = 2 : i64} : (tensor<32x32xf32>) -> ()
      }
      "nv_tileas.yield"() : () -> ()
    }, {
      scf.for %t = %c0 to %n step %c1 : i32 {
        %x = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #slot} : () -> tensor<32x32xf32>
        %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %x) -> (tensor<32x32xf32>) : i32 {
          %y = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #slot} : () -> tensor<32x32xf32>
          %s = arith.addf %acc, %y : tensor<32x32xf32>
          scf.yield %s : tensor<32x32xf32>
        }
        %z = "nv_tileas.receive"() {channel = 2 : i64, shared_layout = #slot} : () -> tensor<32x32xf32>
        %q = arith.addf %r, %z : tensor<32x32xf32>
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32) -> (), nv_tileaa.kernel_spec = {stages = 4 : i64, tile_stages = 2 : i64, consumer_warps = 4 : i64}, tilec.kernel = {persistent = true}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>
#slot = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>

// In a cluster of 2x4 CTAs, each fills slots of the 1 other in its column and of the 3 others in its
// row: its own consumers and theirs, 5 times 8 warps, release a slot. The full barrier still counts
// the own producer alone. No CTA ends before all are done, so the roles synchronise at their ends.
// CHECK-LABEL: module @peers_release_slots_too
// CHECK:         %[[FULL:.*]] = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 3 : i64}
// CHECK:         %[[EMPTY:.*]] = "nv_tileas.alloc_mbarrier"() {count = 40 : i64, slots = 3 : i64}
// CHECK:         "nv_tileas.create_ring"(%[[FULL]], %[[EMPTY]]) {cluster = array<i64: 2, 4>, multicast_axes = array<i64: 0, 1>, stages = 3 : i64}
// CHECK:         "nv_tileas.roles"() ({
// CHECK:           "nv_tileas.cluster_sync"() : () -> ()
// CHECK-NEXT:      "nv_tileas.yield"
// CHECK:         }, {
// CHECK:           "nv_tileas.cluster_sync"() : () -> ()
// CHECK-NEXT:      "nv_tileas.yield"
module @peers_release_slots_too {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %n: i32, %zero: tensor<64x64xf32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    "nv_tileas.roles"() ({
      scf.for %k = %c0 to %n step %c1 : i32 {
        %x, %t = "nv_tileas.tiled_load"(%v, %i, %k) {atom = #load, multicast_axis = 1 : i64} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
        "nv_tileas.send"(%x) {channel = 0 : i64} : (tensor<64x64xbf16>) -> ()
        %y, %u = "nv_tileas.tiled_load"(%v, %k, %i) {atom = #load, multicast_axis = 0 : i64} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
        "nv_tileas.send"(%y) {channel = 1 : i64} : (tensor<64x64xbf16>) -> ()
      }
      "nv_tileas.yield"() : () -> ()
    }, {
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
        %x = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #slot} : () -> tensor<64x64xbf16>
        %y = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #slot} : () -> tensor<64x64xbf16>
        %d = "nv_tileas.dot"(%x, %y, %acc) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
        scf.yield %d : tensor<64x64xf32>
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, tensor<64x64xf32>) -> (), nv_tileaa.kernel_spec = {stages = 3 : i64, consumer_warps = 8 : i64, cluster = [2, 4, 1]}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>
#slot = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>

// A cluster whose CTAs share nothing has rings like those of single CTAs, and they end without synchronising.
// CHECK-LABEL: module @clusters_that_share_nothing_end_apart
// CHECK:         "nv_tileas.alloc_mbarrier"() {count = 8 : i64, slots = 3 : i64}
// CHECK:         "nv_tileas.create_ring"(%{{.*}}, %{{.*}}) {stages = 3 : i64}
// CHECK-NOT:     nv_tileas.cluster_sync
module @clusters_that_share_nothing_end_apart {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    "nv_tileas.roles"() ({
      scf.for %k = %c0 to %n step %c1 : i32 {
        %x, %t = "nv_tileas.tiled_load"(%v, %i, %k) {atom = #load} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
        "nv_tileas.send"(%x) {channel = 0 : i64} : (tensor<64x64xbf16>) -> ()
      }
      "nv_tileas.yield"() : () -> ()
    }, {
      scf.for %k = %c0 to %n step %c1 : i32 {
        %x = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #slot} : () -> tensor<64x64xbf16>
        %e = math.exp %x : tensor<64x64xbf16>
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32) -> (), nv_tileaa.kernel_spec = {stages = 3 : i64, consumer_warps = 8 : i64, cluster = [2, 1, 1]}} : () -> ()
}

// -----

!va = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>
#store = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>
#slot = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>

// The slices of a group go through one ring one after the other. It has fewer slots than there are
// slices, so slots are refilled although there is no loop; each is free as soon as it is read.
// CHECK-LABEL: module @slices_share_a_ring_in_sequence
// CHECK:         %[[A:.*]] = "nv_tileas.alloc_shared"() {slots = 2 : i64}
// CHECK:         %[[EMPTY:.*]] = "nv_tileas.alloc_mbarrier"() {count = 8 : i64, slots = 2 : i64}
// CHECK-NEXT:    %[[RING:.*]] = "nv_tileas.create_ring"(%{{.*}}, %[[EMPTY]]) {{.*}}stages = 2 : i64
// CHECK-NOT:     nv_tileas.create_ring
// CHECK:         "nv_tileas.producer_warp"() ({
// CHECK-NEXT:      %[[P0:.*]] = "nv_tileas.ring_start"(%[[RING]])
// CHECK-NEXT:      "nv_tileas.ring_acquire"(%[[RING]], %[[P0]])
// CHECK-NEXT:      %[[X:.*]]:2 = "nv_tileas.tiled_load"
// CHECK-NEXT:      %[[S0:.*]] = "nv_tileas.slot_view"(%[[A]], %[[P0]])
// CHECK-NEXT:      "nv_tileas.ring_fill"(%[[X]]#0, %[[S0]])
// CHECK-NEXT:      "nv_tileas.ring_commit"(%[[RING]], %[[P0]])
// CHECK-NEXT:      %[[P1:.*]] = "nv_tileas.ring_advance"(%[[RING]], %[[P0]])
// CHECK-NEXT:      "nv_tileas.ring_acquire"(%[[RING]], %[[P1]])
// CHECK:           "nv_tileas.ring_commit"(%[[RING]], %[[P1]])
// CHECK-NEXT:      %[[P2:.*]] = "nv_tileas.ring_advance"(%[[RING]], %[[P1]])
// CHECK-NEXT:      "nv_tileas.ring_acquire"(%[[RING]], %[[P2]])
// CHECK:         }, {
// CHECK-NEXT:      %[[C0:.*]] = "nv_tileas.ring_start"(%[[RING]])
// CHECK-NEXT:      "nv_tileas.ring_wait"(%[[RING]], %[[C0]])
// CHECK-NEXT:      %[[V0:.*]] = "nv_tileas.slot_view"(%[[A]], %[[C0]])
// CHECK-NEXT:      "nv_tileas.load_shared"(%[[V0]])
// CHECK-NEXT:      "nv_tileas.ring_release"(%[[RING]], %[[C0]])
// CHECK-NEXT:      %[[C1:.*]] = "nv_tileas.ring_advance"(%[[RING]], %[[C0]])
// CHECK:           "nv_tileas.tiled_store"
// CHECK-NEXT:      "nv_tileas.ring_wait"(%[[RING]], %[[C1]])
module @slices_share_a_ring_in_sequence {
  "nv_tileaa.func"() ({
  ^bb0(%v: !va, %i: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.producer_warp"() ({
        %x, %t = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load} : (!va, i32, i32) -> (tensor<64x64xbf16>, !token)
        "nv_tileas.send"(%x) {channel = 0 : i64, slice = 0 : i64, slice_group = 0 : i64} : (tensor<64x64xbf16>) -> ()
        %y, %u = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load} : (!va, i32, i32) -> (tensor<64x64xbf16>, !token)
        "nv_tileas.send"(%y) {channel = 1 : i64, slice = 1 : i64, slice_group = 0 : i64} : (tensor<64x64xbf16>) -> ()
        %z, %w = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load} : (!va, i32, i32) -> (tensor<64x64xbf16>, !token)
        "nv_tileas.send"(%z) {channel = 2 : i64, slice = 2 : i64, slice_group = 0 : i64} : (tensor<64x64xbf16>) -> ()
        "nv_tileas.yield"() : () -> ()
      }) {warp = 1 : i64} : () -> ()
      "nv_tileas.yield"() : () -> ()
    }, {
      %x = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #slot, slice = 0 : i64, slice_group = 0 : i64} : () -> tensor<64x64xbf16>
      %s = "nv_tileas.tiled_store"(%v, %x, %i, %i) {atom = #store} : (!va, tensor<64x64xbf16>, i32, i32) -> !token
      %y = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #slot, slice = 1 : i64, slice_group = 0 : i64} : () -> tensor<64x64xbf16>
      %t = "nv_tileas.tiled_store"(%v, %y, %i, %i) {atom = #store} : (!va, tensor<64x64xbf16>, i32, i32) -> !token
      %z = "nv_tileas.receive"() {channel = 2 : i64, shared_layout = #slot, slice = 2 : i64, slice_group = 0 : i64} : () -> tensor<64x64xbf16>
      %u = "nv_tileas.tiled_store"(%v, %z, %i, %i) {atom = #store} : (!va, tensor<64x64xbf16>, i32, i32) -> !token
      "nv_tileas.yield"() : () -> ()
    }) {consumer_warps = 8 : i64, producer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!va, i32) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64, epilogue_stages = 2 : i64, producer_warps = 4 : i64, stages = 4 : i64}} : () -> ()
}

// -----

!va = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>
#store = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>
#slot = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>

// With a slot for each slice nothing is released, but each slice has a slot of its own.
// CHECK-LABEL: module @slices_with_a_slot_each
// CHECK:         %[[RING:.*]] = "nv_tileas.create_ring"(%{{[^,]+}}) {stages = 3 : i64
// CHECK:           %[[P0:.*]] = "nv_tileas.ring_start"(%[[RING]])
// CHECK-NOT:     nv_tileas.ring_acquire
// CHECK:           "nv_tileas.ring_commit"(%[[RING]], %[[P0]])
// CHECK-NEXT:      %[[P1:.*]] = "nv_tileas.ring_advance"(%[[RING]], %[[P0]])
// CHECK-NOT:     nv_tileas.ring_acquire
// CHECK:           "nv_tileas.ring_commit"(%[[RING]], %[[P1]])
// CHECK:         }, {
// CHECK-NEXT:      %[[C0:.*]] = "nv_tileas.ring_start"(%[[RING]])
// CHECK-NEXT:      "nv_tileas.ring_wait"(%[[RING]], %[[C0]])
// CHECK-NOT:     nv_tileas.ring_release
// CHECK:           %[[C1:.*]] = "nv_tileas.ring_advance"(%[[RING]], %[[C0]])
// CHECK:           "nv_tileas.ring_wait"(%[[RING]], %[[C1]])
module @slices_with_a_slot_each {
  "nv_tileaa.func"() ({
  ^bb0(%v: !va, %i: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.producer_warp"() ({
        %x, %t = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load} : (!va, i32, i32) -> (tensor<64x64xbf16>, !token)
        "nv_tileas.send"(%x) {channel = 0 : i64, slice = 0 : i64, slice_group = 0 : i64} : (tensor<64x64xbf16>) -> ()
        %y, %u = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load} : (!va, i32, i32) -> (tensor<64x64xbf16>, !token)
        "nv_tileas.send"(%y) {channel = 1 : i64, slice = 1 : i64, slice_group = 0 : i64} : (tensor<64x64xbf16>) -> ()
        %z, %w = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load} : (!va, i32, i32) -> (tensor<64x64xbf16>, !token)
        "nv_tileas.send"(%z) {channel = 2 : i64, slice = 2 : i64, slice_group = 0 : i64} : (tensor<64x64xbf16>) -> ()
        "nv_tileas.yield"() : () -> ()
      }) {warp = 1 : i64} : () -> ()
      "nv_tileas.yield"() : () -> ()
    }, {
      %x = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #slot, slice = 0 : i64, slice_group = 0 : i64} : () -> tensor<64x64xbf16>
      %s = "nv_tileas.tiled_store"(%v, %x, %i, %i) {atom = #store} : (!va, tensor<64x64xbf16>, i32, i32) -> !token
      %y = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #slot, slice = 1 : i64, slice_group = 0 : i64} : () -> tensor<64x64xbf16>
      %t = "nv_tileas.tiled_store"(%v, %y, %i, %i) {atom = #store} : (!va, tensor<64x64xbf16>, i32, i32) -> !token
      %z = "nv_tileas.receive"() {channel = 2 : i64, shared_layout = #slot, slice = 2 : i64, slice_group = 0 : i64} : () -> tensor<64x64xbf16>
      %u = "nv_tileas.tiled_store"(%v, %z, %i, %i) {atom = #store} : (!va, tensor<64x64xbf16>, i32, i32) -> !token
      "nv_tileas.yield"() : () -> ()
    }) {consumer_warps = 8 : i64, producer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!va, i32) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64, epilogue_stages = 3 : i64, producer_warps = 4 : i64, stages = 4 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!tile = tensor<32x32xf32>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_f32", "tma_load", 2 : i64, 0 : i64, f32>
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>
#slot = #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>

// A store that must come after a load of the same role ends the group of channels: it needs the wait.
// CHECK-LABEL: module @a_store_after_a_load_waits_for_it
// CHECK:         %[[FIRST:.*]] = "nv_tileas.create_ring"
// CHECK:         %[[SECOND:.*]] = "nv_tileas.create_ring"
// CHECK:         }, {
// CHECK:           "nv_tileas.ring_wait"(%[[FIRST]], %[[P:.*]]) :
// CHECK-NEXT:      %[[T:.*]] = "nv_tileas.ring_token"(%[[FIRST]], %[[P]])
// CHECK:           "nv_tileas.tiled_store"({{.*}}, %[[T]])
// CHECK:           "nv_tileas.ring_wait"(%[[SECOND]],
// CHECK-NOT:       nv_tileas.ring_token
// CHECK:           "nv_tileas.tiled_store"({{.*}}, %[[T]])
module @a_store_after_a_load_waits_for_it {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %w: !v, %i: i32, %c: i1):
    %zero = arith.constant dense<0.0> : !tile
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %a, %t = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load} : (!v, i32, i32) -> (!tile, !token)
      "nv_tileas.send"(%a) {channel = 0 : i64} : (!tile) -> ()
      %x = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #slot} : () -> !tile
      %xt = "nv_tileas.receive_token"(%x) : (!tile) -> !token
      %s = "nv_tileas.tiled_store"(%v, %zero, %i, %i, %xt) {atom = #store} : (!v, !tile, i32, i32, !token) -> !token
      %b, %u = "nv_tileas.tiled_load"(%w, %i, %i) {atom = #load} : (!v, i32, i32) -> (!tile, !token)
      "nv_tileas.send"(%b) {channel = 1 : i64} : (!tile) -> ()
      %y = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #slot} : () -> !tile
      %z = arith.addf %x, %y : !tile
      %r = "nv_tileas.tiled_store"(%v, %z, %i, %i, %xt) {atom = #store} : (!v, !tile, i32, i32, !token) -> !token
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, !v, i32, i1) -> (), nv_tileaa.kernel_spec = {stages = 4 : i64, consumer_warps = 4 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!tile = tensor<32x32xf32>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_f32", "tma_load", 2 : i64, 0 : i64, f32>
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>
#slot = #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>

// A branch that holds such a store ends it, too.
// CHECK-LABEL: module @a_store_in_a_branch_waits_for_a_load
// CHECK:         %[[FIRST:.*]] = "nv_tileas.create_ring"
// CHECK:         %[[SECOND:.*]] = "nv_tileas.create_ring"
// CHECK:           "nv_tileas.ring_wait"(%[[FIRST]],
// CHECK:           scf.if
// CHECK:             "nv_tileas.tiled_store"
// CHECK:           "nv_tileas.ring_wait"(%[[SECOND]],
module @a_store_in_a_branch_waits_for_a_load {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %w: !v, %i: i32, %c: i1):
    %zero = arith.constant dense<0.0> : !tile
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %a, %t = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load} : (!v, i32, i32) -> (!tile, !token)
      "nv_tileas.send"(%a) {channel = 0 : i64} : (!tile) -> ()
      %x = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #slot} : () -> !tile
      %xt = "nv_tileas.receive_token"(%x) : (!tile) -> !token
      scf.if %c {
        %s = "nv_tileas.tiled_store"(%v, %zero, %i, %i, %xt) {atom = #store} : (!v, !tile, i32, i32, !token) -> !token
      }
      %b, %u = "nv_tileas.tiled_load"(%w, %i, %i) {atom = #load} : (!v, i32, i32) -> (!tile, !token)
      "nv_tileas.send"(%b) {channel = 1 : i64} : (!tile) -> ()
      %y = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #slot} : () -> !tile
      %z = arith.addf %x, %y : !tile
      %r = "nv_tileas.tiled_store"(%v, %z, %i, %i, %xt) {atom = #store} : (!v, !tile, i32, i32, !token) -> !token
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, !v, i32, i1) -> (), nv_tileaa.kernel_spec = {stages = 4 : i64, consumer_warps = 4 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!tile = tensor<32x32xf32>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_f32", "tma_load", 2 : i64, 0 : i64, f32>
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>
#slot = #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>

// A store that no token orders after the load does not end the group. One wait returns the token of
// all loads of the group.
// CHECK-LABEL: module @other_stores_leave_groups_alone
// CHECK:         %[[RING:.*]] = "nv_tileas.create_ring"
// CHECK-NOT:     nv_tileas.create_ring
// CHECK:         }, {
// CHECK:           "nv_tileas.tiled_store"
// CHECK:           "nv_tileas.ring_wait"(%[[RING]], %[[P:.*]]) :
// CHECK-NEXT:      %[[T:.*]] = "nv_tileas.ring_token"(%[[RING]], %[[P]])
// CHECK-NOT:       nv_tileas.receive_token
// CHECK:           "nv_tileas.tiled_store"({{.*}}, %[[T]])
module @other_stores_leave_groups_alone {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %w: !v, %i: i32, %c: i1):
    %zero = arith.constant dense<0.0> : !tile
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %a, %t = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load} : (!v, i32, i32) -> (!tile, !token)
      "nv_tileas.send"(%a) {channel = 0 : i64} : (!tile) -> ()
      %x = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #slot} : () -> !tile
      %xt = "nv_tileas.receive_token"(%x) : (!tile) -> !token
      %s = "nv_tileas.tiled_store"(%v, %zero, %i, %i) {atom = #store} : (!v, !tile, i32, i32) -> !token
      %b, %u = "nv_tileas.tiled_load"(%w, %i, %i) {atom = #load} : (!v, i32, i32) -> (!tile, !token)
      "nv_tileas.send"(%b) {channel = 1 : i64} : (!tile) -> ()
      %y = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #slot} : () -> !tile
      %z = arith.addf %x, %y : !tile
      %r = "nv_tileas.tiled_store"(%v, %z, %i, %i, %xt) {atom = #store} : (!v, !tile, i32, i32, !token) -> !token
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, !v, i32, i1) -> (), nv_tileaa.kernel_spec = {stages = 4 : i64, consumer_warps = 4 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>
#slot = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>

// A sleep comes before each slice, after the wait for its slot. It takes the number of k-tiles times
// the pace, up to the longest sleep. Operands are not delayed.
// CHECK-LABEL: module @slices_are_paced
// CHECK:         ^bb0({{.*}}, %[[N:.*]]: i32):
// CHECK:         %[[LENGTH:.*]] = arith.subi %[[N]], %[[ZERO:.*]] : i32
// CHECK-NEXT:    %[[ROUNDS:.*]] = arith.ceildivsi %[[LENGTH]], %[[STEP:.*]] : i32
// CHECK-NEXT:    %[[NONE:.*]] = arith.constant 0 : i32
// CHECK-NEXT:    %[[SOME:.*]] = arith.maxsi %[[ROUNDS]], %[[NONE]] : i32
// CHECK-NEXT:    %[[MOST:.*]] = arith.constant 20833 : i32
// CHECK-NEXT:    %[[K:.*]] = arith.minsi %[[SOME]], %[[MOST]] : i32
// CHECK-NEXT:    %[[PACE:.*]] = arith.constant 48 : i32
// CHECK-NEXT:    %[[NS:.*]] = arith.muli %[[K]], %[[PACE]] : i32
// CHECK:         "nv_tileas.roles"
// CHECK-NOT:       nv_tileas.sleep
// CHECK:           "nv_tileas.producer_warp"
// CHECK:             "nv_tileas.ring_acquire"
// CHECK-NEXT:        "nv_tileas.sleep"(%[[NS]]) : (i32) -> ()
// CHECK-NEXT:        "nv_tileas.tiled_load"{{.*}}slice = 0
// CHECK:             "nv_tileas.ring_acquire"
// CHECK-NEXT:        "nv_tileas.sleep"(%[[NS]]) : (i32) -> ()
// CHECK-NEXT:        "nv_tileas.tiled_load"{{.*}}slice = 1
// CHECK-NOT:       nv_tileas.sleep
module @slices_are_paced {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    "nv_tileas.roles"() ({
      scf.for %tile = %c0 to %c64 step %c1 : i32 {
        scf.for %k = %c0 to %n step %c1 : i32 {
          %x, %t = "nv_tileas.tiled_load"(%v, %tile, %k) {atom = #load} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
          "nv_tileas.send"(%x) {channel = 0 : i64} : (tensor<64x64xbf16>) -> ()
        }
      }
      "nv_tileas.producer_warp"() ({
        scf.for %tile = %c0 to %c64 step %c1 : i32 {
          %y, %u = "nv_tileas.tiled_load"(%v, %tile, %c0) {atom = #load, slice = 0 : i64, slice_group = 0 : i64} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
          "nv_tileas.send"(%y) {channel = 1 : i64, slice = 0 : i64, slice_group = 0 : i64} : (tensor<64x64xbf16>) -> ()
          %z, %w = "nv_tileas.tiled_load"(%v, %tile, %c64) {atom = #load, slice = 1 : i64, slice_group = 0 : i64} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
          "nv_tileas.send"(%z) {channel = 2 : i64, slice = 1 : i64, slice_group = 0 : i64} : (tensor<64x64xbf16>) -> ()
        }
        "nv_tileas.yield"() : () -> ()
      }) {warp = 1 : i64} : () -> ()
      "nv_tileas.yield"() : () -> ()
    }, {
      scf.for %tile = %c0 to %c64 step %c1 : i32 {
        scf.for %k = %c0 to %n step %c1 : i32 {
          %x = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #slot} : () -> tensor<64x64xbf16>
        }
        %y = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #slot, slice = 0 : i64, slice_group = 0 : i64} : () -> tensor<64x64xbf16>
        %z = "nv_tileas.receive"() {channel = 2 : i64, shared_layout = #slot, slice = 1 : i64, slice_group = 0 : i64} : () -> tensor<64x64xbf16>
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, teams = 1 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32) -> (), nv_tileaa.kernel_spec = {stages = 4 : i64, epilogue_stages = 2 : i64, epilogue_pace = 48 : i64, consumer_warps = 4 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>
#slot = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>

// There is no sleep where the number of k-tiles depends on the tile, or the plan has no pace.
// CHECK-LABEL: module @k_tiles_that_depend_on_the_tile_have_no_pace
// CHECK-NOT:     nv_tileas.sleep
module @k_tiles_that_depend_on_the_tile_have_no_pace {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    "nv_tileas.roles"() ({
      scf.for %tile = %c0 to %c64 step %c1 : i32 {
        scf.for %k = %c0 to %tile step %c1 : i32 {
          %x, %t = "nv_tileas.tiled_load"(%v, %tile, %k) {atom = #load} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
          "nv_tileas.send"(%x) {channel = 0 : i64} : (tensor<64x64xbf16>) -> ()
        }
      }
      "nv_tileas.producer_warp"() ({
        scf.for %tile = %c0 to %c64 step %c1 : i32 {
          %y, %u = "nv_tileas.tiled_load"(%v, %tile, %c0) {atom = #load, slice = 0 : i64, slice_group = 0 : i64} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
          "nv_tileas.send"(%y) {channel = 1 : i64, slice = 0 : i64, slice_group = 0 : i64} : (tensor<64x64xbf16>) -> ()
          %z, %w = "nv_tileas.tiled_load"(%v, %tile, %c64) {atom = #load, slice = 1 : i64, slice_group = 0 : i64} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
          "nv_tileas.send"(%z) {channel = 2 : i64, slice = 1 : i64, slice_group = 0 : i64} : (tensor<64x64xbf16>) -> ()
        }
        "nv_tileas.yield"() : () -> ()
      }) {warp = 1 : i64} : () -> ()
      "nv_tileas.yield"() : () -> ()
    }, {
      scf.for %tile = %c0 to %c64 step %c1 : i32 {
        scf.for %k = %c0 to %tile step %c1 : i32 {
          %x = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #slot} : () -> tensor<64x64xbf16>
        }
        %y = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #slot, slice = 0 : i64, slice_group = 0 : i64} : () -> tensor<64x64xbf16>
        %z = "nv_tileas.receive"() {channel = 2 : i64, shared_layout = #slot, slice = 1 : i64, slice_group = 0 : i64} : () -> tensor<64x64xbf16>
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, teams = 1 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v) -> (), nv_tileaa.kernel_spec = {stages = 4 : i64, epilogue_stages = 2 : i64, epilogue_pace = 48 : i64, consumer_warps = 4 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>
#slot = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>

// CHECK-LABEL: module @a_plan_without_a_pace_delays_nothing
// CHECK-NOT:     nv_tileas.sleep
module @a_plan_without_a_pace_delays_nothing {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    "nv_tileas.roles"() ({
      scf.for %tile = %c0 to %c64 step %c1 : i32 {
        scf.for %k = %c0 to %n step %c1 : i32 {
          %x, %t = "nv_tileas.tiled_load"(%v, %tile, %k) {atom = #load} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
          "nv_tileas.send"(%x) {channel = 0 : i64} : (tensor<64x64xbf16>) -> ()
        }
      }
      "nv_tileas.producer_warp"() ({
        scf.for %tile = %c0 to %c64 step %c1 : i32 {
          %y, %u = "nv_tileas.tiled_load"(%v, %tile, %c0) {atom = #load, slice = 0 : i64, slice_group = 0 : i64} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
          "nv_tileas.send"(%y) {channel = 1 : i64, slice = 0 : i64, slice_group = 0 : i64} : (tensor<64x64xbf16>) -> ()
          %z, %w = "nv_tileas.tiled_load"(%v, %tile, %c64) {atom = #load, slice = 1 : i64, slice_group = 0 : i64} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
          "nv_tileas.send"(%z) {channel = 2 : i64, slice = 1 : i64, slice_group = 0 : i64} : (tensor<64x64xbf16>) -> ()
        }
        "nv_tileas.yield"() : () -> ()
      }) {warp = 1 : i64} : () -> ()
      "nv_tileas.yield"() : () -> ()
    }, {
      scf.for %tile = %c0 to %c64 step %c1 : i32 {
        scf.for %k = %c0 to %n step %c1 : i32 {
          %x = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #slot} : () -> tensor<64x64xbf16>
        }
        %y = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #slot, slice = 0 : i64, slice_group = 0 : i64} : () -> tensor<64x64xbf16>
        %z = "nv_tileas.receive"() {channel = 2 : i64, shared_layout = #slot, slice = 1 : i64, slice_group = 0 : i64} : () -> tensor<64x64xbf16>
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, teams = 1 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32) -> (), nv_tileaa.kernel_spec = {stages = 4 : i64, epilogue_stages = 2 : i64, consumer_warps = 4 : i64}} : () -> ()
}

// -----

// A kernel that spilled reads a tile into registers after the products that come before its first
// element is needed. Products name the tile by a read of its own, which takes no registers.

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>
#slot = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>

// CHECK-LABEL: module @tiles_are_read_late
// CHECK:         ring_wait
// CHECK-NEXT:    %[[SLOT:.*]] = "nv_tileas.slot_view"
// CHECK-NEXT:    %[[A:.*]] = "nv_tileas.load_shared"(%[[SLOT]])
// CHECK-NEXT:    "nv_tileas.dot"(%[[A]], %[[A]]
// CHECK-NEXT:    %[[LATE:.*]] = "nv_tileas.load_shared"(%[[SLOT]])
// CHECK-NEXT:    ring_release
// CHECK:         arith.extf %[[LATE]]
module @tiles_are_read_late {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    "nv_tileas.roles"() ({
      scf.for %k = %c0 to %n step %c1 : i32 {
        %x, %t = "nv_tileas.tiled_load"(%v, %c0, %k) {atom = #load} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
        "nv_tileas.send"(%x) {channel = 0 : i64} : (tensor<64x64xbf16>) -> ()
      }
      "nv_tileas.yield"() : () -> ()
    }, {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
        %x = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #slot} : () -> tensor<64x64xbf16>
        %y = "nv_tileas.dot"(%x, %x, %acc) {a_major = "k", b_major = "k"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
        %wide = arith.extf %x : tensor<64x64xbf16> to tensor<64x64xf32>
        %z = arith.addf %y, %wide : tensor<64x64xf32>
        scf.yield %z : tensor<64x64xf32>
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 1 : i64, consumer_warps = 4 : i64, teams = 1 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32) -> (), tilec.kernel = {disabled = ["read_early"]}, nv_tileaa.kernel_spec = {stages = 2 : i64, consumer_warps = 4 : i64}} : () -> ()
}
