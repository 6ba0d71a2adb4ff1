// RUN: tilec opt %s --passes nv-tileas-take-turns --split-input-file | FileCheck %s

// The pass lets warpgroups issue the products of a round one after the other.

!q = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
!k = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!t = tensor<128x64xf32, #nv_tileas.layout<"128x64|reg:2*(0,1),2*(8,0),8*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)|warpgroup:2*(64,0)">>

// The turn lasts from the first product of a round to the last one. The first warpgroup needs none.
// CHECK-LABEL: module @products_of_a_round_share_a_turn
// CHECK:         }, {
// CHECK-NEXT:      "nv_tileas.turn_start"()
// CHECK:           scf.for
// CHECK-NEXT:        "nv_tileas.turn_take"()
// CHECK-NEXT:        "nv_tileas.async_mma"
// CHECK-NEXT:        "nv_tileas.async_mma"
// CHECK-NEXT:        "nv_tileas.turn_pass"()
// CHECK-NEXT:        "nv_tileas.mma_wait"
module @products_of_a_round_share_a_turn {
  "nv_tileaa.func"() ({
  ^bb0(%q: !q, %k: !k, %a0: !t, %b0: !t, %l: i32, %u: i32, %step: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %r:2 = scf.for %i = %l to %u step %step iter_args(%a = %a0, %b = %b0) -> (!t, !t) : i32 {
        %x:2 = "nv_tileas.async_mma"(%q, %k, %a) {a_major = "k", b_major = "k"} : (!q, !k, !t) -> (!t, !nv_tileas.mma_token)
        %y:2 = "nv_tileas.async_mma"(%q, %k, %b) {a_major = "k", b_major = "k"} : (!q, !k, !t) -> (!t, !nv_tileas.mma_token)
        %v = "nv_tileas.mma_wait"(%x#0, %x#1) {pending = 1 : i64} : (!t, !nv_tileas.mma_token) -> !t
        %w = "nv_tileas.mma_wait"(%y#0, %y#1) {pending = 0 : i64} : (!t, !nv_tileas.mma_token) -> !t
        scf.yield %v, %w : !t, !t
      } {turns}
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!q, !k, !t, !t, i32, i32, i32) -> ()} : () -> ()
}

// -----

!q = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
!k = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!t = tensor<128x64xf32, #nv_tileas.layout<"128x64|reg:2*(0,1),2*(8,0),8*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)|warpgroup:2*(64,0)">>

// A warpgroup that has its turn must not wait for the others.
// CHECK-LABEL: module @a_barrier_between_products_allows_no_turns
// CHECK-NOT:     nv_tileas.turn
// CHECK-NOT:     {turns}
// CHECK:         plan = {turns = false}
module @a_barrier_between_products_allows_no_turns {
  "nv_tileaa.func"() ({
  ^bb0(%q: !q, %k: !k, %a0: !t, %b0: !t, %l: i32, %u: i32, %step: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %r:2 = scf.for %i = %l to %u step %step iter_args(%a = %a0, %b = %b0) -> (!t, !t) : i32 {
        %x:2 = "nv_tileas.async_mma"(%q, %k, %a) {a_major = "k", b_major = "k"} : (!q, !k, !t) -> (!t, !nv_tileas.mma_token)
        "nv_tileas.barrier"() : () -> ()
        %y:2 = "nv_tileas.async_mma"(%q, %k, %b) {a_major = "k", b_major = "k"} : (!q, !k, !t) -> (!t, !nv_tileas.mma_token)
        %v = "nv_tileas.mma_wait"(%x#0, %x#1) {pending = 1 : i64} : (!t, !nv_tileas.mma_token) -> !t
        %w = "nv_tileas.mma_wait"(%y#0, %y#1) {pending = 0 : i64} : (!t, !nv_tileas.mma_token) -> !t
        scf.yield %v, %w : !t, !t
      } {turns}
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!q, !k, !t, !t, i32, i32, i32) -> (), tilec.kernel = {plan = {turns = true}}} : () -> ()
}

// -----

!q = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
!k = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!t = tensor<128x64xf32, #nv_tileas.layout<"128x64|reg:2*(0,1),2*(8,0),8*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)|warpgroup:2*(64,0)">>
!ring = !nv_tileas.ring
!at = !nv_tileas.ring_position

// A slot that only the second product reads is waited for after the first one was issued.
// CHECK-LABEL: module @a_later_slot_is_awaited_later
// CHECK:         scf.for
// CHECK-NEXT:      "nv_tileas.ring_wait"(%[[FIRST:.*]], %{{.*}})
// CHECK-NEXT:      "nv_tileas.slot_view"
// CHECK-NEXT:      "nv_tileas.turn_take"()
// CHECK-NEXT:      "nv_tileas.async_mma"
// CHECK-NEXT:      "nv_tileas.ring_wait"(%[[SECOND:.*]], %{{.*}})
// CHECK-NEXT:      "nv_tileas.slot_view"
// CHECK-NEXT:      "nv_tileas.async_mma"
// CHECK-NEXT:      "nv_tileas.turn_pass"()
module @a_later_slot_is_awaited_later {
  "nv_tileaa.func"() ({
  ^bb0(%q: !q, %first: !k, %second: !k, %rings: !ring, %others: !ring, %a0: !t, %b0: !t, %l: i32, %u: i32, %step: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %p0 = "nv_tileas.ring_start"(%rings) : (!ring) -> !at
      %s0 = "nv_tileas.ring_start"(%others) : (!ring) -> !at
      %r:4 = scf.for %i = %l to %u step %step iter_args(%a = %a0, %b = %b0, %p = %p0, %s = %s0) -> (!t, !t, !at, !at) : i32 {
        "nv_tileas.ring_wait"(%rings, %p) : (!ring, !at) -> ()
        "nv_tileas.ring_wait"(%others, %s) : (!ring, !at) -> ()
        %m = "nv_tileas.slot_view"(%first, %p) : (!k, !at) -> !k
        %n = "nv_tileas.slot_view"(%second, %s) : (!k, !at) -> !k
        %x:2 = "nv_tileas.async_mma"(%q, %m, %a) {a_major = "k", b_major = "k"} : (!q, !k, !t) -> (!t, !nv_tileas.mma_token)
        %y:2 = "nv_tileas.async_mma"(%q, %n, %b) {a_major = "k", b_major = "k"} : (!q, !k, !t) -> (!t, !nv_tileas.mma_token)
        %v = "nv_tileas.mma_wait"(%x#0, %x#1) {pending = 1 : i64} : (!t, !nv_tileas.mma_token) -> !t
        %w = "nv_tileas.mma_wait"(%y#0, %y#1) {pending = 0 : i64} : (!t, !nv_tileas.mma_token) -> !t
        %p1 = "nv_tileas.ring_advance"(%rings, %p) {count = 1 : i64} : (!ring, !at) -> !at
        %s1 = "nv_tileas.ring_advance"(%others, %s) {count = 1 : i64} : (!ring, !at) -> !at
        scf.yield %v, %w, %p1, %s1 : !t, !t, !at, !at
      } {turns}
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!q, !k, !k, !ring, !ring, !t, !t, i32, i32, i32) -> ()} : () -> ()
}
