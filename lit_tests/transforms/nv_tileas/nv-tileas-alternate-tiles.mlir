// RUN: tilec opt %s --passes nv-tileas-alternate-tiles --split-input-file | FileCheck %s

// The pass gives every second tile to the second team of consumers.

!a = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!p = !nv_tileas.ring_position

// Team t begins at tile t and takes every second tile. Before its first tile and after each tile it
// skips the slots of the other team, as many as the loop over k has rounds. A second ring gives the
// teams their turns: before it waits for slots, a team acquires its own slot of that ring, the second
// team one round later, and then releases the slot of the other team, with its 4 warps.
// CHECK-LABEL: module @two_teams_alternate
// CHECK:         %[[RING:.*]] = "nv_tileas.create_ring"
// CHECK:         %[[EMPTY:.*]] = "nv_tileas.alloc_mbarrier"() {count = 4 : i64, slots = 2 : i64}
// CHECK-NEXT:    %[[TURNS:.*]] = "nv_tileas.create_ring"(%{{.*}}, %[[EMPTY]]) {stages = 2 : i64}
// CHECK:         "nv_tileas.roles"
// CHECK:           %[[T:.*]] = "nv_tileas.team_id"()
// CHECK-NEXT:      %[[U:.*]] = "nv_tileas.ring_start"(%[[TURNS]])
// CHECK:           %[[V:.*]] = "nv_tileas.ring_skip"(%[[TURNS]], %[[U]], %[[T]], %{{.*}}) {count = 3 : i64}
// CHECK-NEXT:      %[[S:.*]] = "nv_tileas.ring_start"(%[[RING]])
// CHECK-NEXT:      %[[OFFSET:.*]] = arith.muli %[[T]], %[[IDS:.*]] : i32
// CHECK-NEXT:      %[[FIRST:.*]] = arith.addi %[[ID:.*]], %[[OFFSET]]
// CHECK:           %[[STRIDE:.*]] = arith.muli %[[IDS]], %c2_i32
// CHECK:           %[[A:.*]] = "nv_tileas.ring_skip"(%[[RING]], %[[S]], %[[T]], %[[C0:.*]], %[[N:.*]], %[[C1:.*]]) {count = 1 : i64}
// CHECK-NEXT:      scf.for %{{.*}} = %[[FIRST]] to %{{.*}} step %[[STRIDE]] iter_args(%[[P:.*]] = %[[A]], %[[W:.*]] = %[[V]])
// CHECK-NEXT:        "nv_tileas.ring_acquire"(%[[TURNS]], %[[W]])
// CHECK-NEXT:        %[[O:.*]] = "nv_tileas.ring_advance"(%[[TURNS]], %[[W]]) {count = 1 : i64}
// CHECK-NEXT:        %[[Q:.*]] = scf.for %{{.*}} = %[[C0]] to %[[N]] step %[[C1]]
// CHECK:               "nv_tileas.ring_wait"(%[[RING]],
// CHECK:             "nv_tileas.ring_release"(%[[TURNS]], %[[O]])
// CHECK-NEXT:        %[[X:.*]] = "nv_tileas.ring_advance"(%[[TURNS]], %[[O]]) {count = 1 : i64}
// CHECK-NEXT:        %[[B:.*]] = "nv_tileas.ring_skip"(%[[RING]], %[[Q]], %{{.*}}, %[[C0]], %[[N]], %[[C1]]) {count = 1 : i64}
// CHECK-NEXT:        scf.yield %[[B]], %[[X]]
module @two_teams_alternate {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %total: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %buffer = "nv_tileas.alloc_shared"() {slots = 4 : i64} : () -> !a
    %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 4 : i64} : () -> !nv_tileas.mbarrier
    %empty = "nv_tileas.alloc_mbarrier"() {count = 4 : i64, slots = 4 : i64} : () -> !nv_tileas.mbarrier
    %ring = "nv_tileas.create_ring"(%full, %empty) {stages = 4 : i64} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring
    %id = "nv_tileas.cta_id"() : () -> i32
    %ids = "nv_tileas.num_ctas"() : () -> i32
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %start = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !p
      %end = scf.for %tile = %id to %total step %ids iter_args(%p = %start) -> (!p) : i32 {
        %q = scf.for %k = %c0 to %n step %c1 iter_args(%r = %p) -> (!p) : i32 {
          "nv_tileas.ring_wait"(%ring, %r) : (!nv_tileas.ring, !p) -> ()
          %a = "nv_tileas.slot_view"(%buffer, %r) : (!a, !p) -> !a
          %x = "nv_tileas.load_shared"(%a) : (!a) -> tensor<64x64xbf16>
          "nv_tileas.ring_release"(%ring, %r) : (!nv_tileas.ring, !p) -> ()
          %next = "nv_tileas.ring_advance"(%ring, %r) {count = 1 : i64} : (!nv_tileas.ring, !p) -> !p
          scf.yield %next : !p
        }
        scf.yield %q : !p
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, teams = 2 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64, teams = 2 : i64}} : () -> ()
}

// -----

!p = !nv_tileas.ring_position

// Consumers that share every tile are left alone.
// CHECK-LABEL: module @one_team_takes_every_tile
// CHECK-NOT:   team_id
module @one_team_takes_every_tile {
  "nv_tileaa.func"() ({
  ^bb0(%total: i32):
    %id = "nv_tileas.cta_id"() : () -> i32
    %ids = "nv_tileas.num_ctas"() : () -> i32
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      scf.for %tile = %id to %total step %ids : i32 {
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64}} : () -> ()
}
