// RUN: tilec opt %s --passes nv-tileas-exchange-operands --split-input-file | FileCheck %s

// The pass lets warpgroups pass on what they store for a product of the next round.

// Each of the eight warps arrives at a full barrier, after what it has stored, and at an empty one.
// CHECK-LABEL: module @weights
// CHECK:         %[[BUFFER:.*]] = "nv_tileas.alloc_shared"() {slots = 2 : i64}
// CHECK-SAME:      tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 32>, 64 : i64>>
// CHECK-NEXT:    %[[FULL:.*]] = "nv_tileas.alloc_mbarrier"() {count = 8 : i64, slots = 2 : i64}
// CHECK-NEXT:    %[[EMPTY:.*]] = "nv_tileas.alloc_mbarrier"() {count = 8 : i64, slots = 2 : i64}
// CHECK-NEXT:    %[[RING:.*]] = "nv_tileas.create_ring"(%[[FULL]], %[[EMPTY]]) {stages = 2 : i64}
// CHECK:         %[[READS:.*]] = "nv_tileas.ring_start"(%[[RING]])
// CHECK-NEXT:    %[[FILLS:.*]] = "nv_tileas.ring_start"(%[[RING]])
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[F:.*]] = %[[FILLS]], %[[P:.*]] = %[[READS]])
// CHECK:           %[[WEIGHTS:.*]] = arith.truncf
// CHECK-NEXT:      "nv_tileas.ring_acquire"(%[[RING]], %[[F]]) {stage = 0 : i64}
// CHECK-NEXT:      %[[SLOT:.*]] = "nv_tileas.slot_view"(%[[BUFFER]], %[[F]]) {stage = 0 : i64}
// CHECK-NEXT:      "nv_tileas.store_shared"(%[[WEIGHTS]], %[[SLOT]]) {stage = 0 : i64}
// CHECK-NEXT:      "nv_tileas.fence_proxy"() {space = "shared", stage = 0 : i64}
// CHECK-NEXT:      "nv_tileas.ring_publish"(%[[RING]], %[[F]]) {stage = 0 : i64}
// CHECK-NEXT:      %[[FILLED:.*]] = "nv_tileas.ring_advance"(%[[RING]], %[[F]]) {count = 1 : i64, stage = 0 : i64}
// CHECK-NEXT:      "nv_tileas.ring_wait"(%[[RING]], %[[P]]) {stage = 1 : i64}
// CHECK-NEXT:      %[[READ:.*]] = "nv_tileas.slot_view"(%[[BUFFER]], %[[P]]) {stage = 1 : i64}
// CHECK-NEXT:      %[[TILE:.*]] = "nv_tileas.load_shared"(%[[READ]]) {stage = 1 : i64}
// CHECK-NEXT:      %[[D:.*]] = "nv_tileas.dot"(%{{.*}}, %[[TILE]],
// CHECK-NEXT:      "nv_tileas.ring_release"(%[[RING]], %[[P]]) {stage = 1 : i64}
// CHECK-NEXT:      %[[AFTER:.*]] = "nv_tileas.ring_advance"(%[[RING]], %[[P]]) {count = 1 : i64, stage = 1 : i64}
// CHECK-NEXT:      scf.yield %[[D]], %[[FILLED]], %[[AFTER]]
module @weights {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %q: tensor<128x64xbf16>, %k: tensor<64x64xbf16>, %w: tensor<64x128xbf16>, %zeros: tensor<128x64xf32>, %acc: tensor<64x64xf32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %acc) -> (tensor<64x64xf32>) : i32 {
        %s = "nv_tileas.dot"(%q, %k, %zeros) {a_major = "k", b_major = "k", stage = 0 : i64} : (tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>) -> tensor<128x64xf32>
        %p = arith.truncf %s {stage = 0 : i64} : tensor<128x64xf32> to tensor<128x64xbf16>
        %d = "nv_tileas.dot"(%w, %p, %a) {a_major = "k", b_major = "n", stage = 1 : i64} : (tensor<64x128xbf16>, tensor<128x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
        scf.yield %d : tensor<64x64xf32>
      }
      "nv_tileas.yield"() : () -> ()
    }) {consumer_warps = 8 : i64, producer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {function_type = (i32, tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<64x128xbf16>, tensor<128x64xf32>, tensor<64x64xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64, producer_warps = 4 : i64, stages = 3 : i64}, sym_name = "weights"} : () -> ()
}
