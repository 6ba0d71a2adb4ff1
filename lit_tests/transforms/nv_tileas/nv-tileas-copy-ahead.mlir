// RUN: tilec opt %s --passes nv-tileas-copy-ahead --split-input-file | FileCheck %s

// The pass lets the threads of the consumers copy operands of products into a ring.

// Two of three slots are filled before the loop, and the third one in the first round. Each of the
// 256 threads arrives at a full barrier, and each of the eight warps at an empty one.
// CHECK-LABEL: module @gathered_rows
// CHECK:         %[[BUFFER:.*]] = "nv_tileas.alloc_shared"() {slots = 3 : i64}
// CHECK-SAME:      tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>
// CHECK-NEXT:    %[[FULL:.*]] = "nv_tileas.alloc_mbarrier"() {count = 256 : i64, slots = 3 : i64}
// CHECK-NEXT:    %[[EMPTY:.*]] = "nv_tileas.alloc_mbarrier"() {count = 8 : i64, slots = 3 : i64}
// CHECK-NEXT:    %[[RING:.*]] = "nv_tileas.create_ring"(%[[FULL]], %[[EMPTY]]) {stages = 3 : i64}
// CHECK:         %[[READS:.*]] = "nv_tileas.ring_start"(%[[RING]])
// CHECK:         %[[FILLS:.*]] = "nv_tileas.ring_start"(%[[RING]])
// CHECK:         %[[AHEAD:.*]] = arith.muli %c1_i32, %c2_i32 : i32
// CHECK-NEXT:    %[[ALL:.*]] = arith.subi %[[N:.*]], %c0_i32 : i32
// CHECK-NEXT:    %[[SOME:.*]] = arith.minsi %[[AHEAD]], %[[ALL]] : i32
// CHECK-NEXT:    %[[END:.*]] = arith.addi %c0_i32, %[[SOME]] : i32
// CHECK-NEXT:    %[[FIRST:.*]] = scf.for %[[J:.*]] = %c0_i32 to %[[END]] step %c1_i32 iter_args(%[[Q:.*]] = %[[FILLS]])
// CHECK-NEXT:      %[[LINE:.*]] = "nv_tileas.splat"(%[[J]])
// CHECK-NEXT:      "nv_tileas.ring_acquire"(%[[RING]], %[[Q]])
// CHECK-NEXT:      %[[SLOT:.*]] = "nv_tileas.slot_view"(%[[BUFFER]], %[[Q]])
// CHECK-NEXT:      "nv_tileas.async_gather"(%{{.*}}, %[[SLOT]], %{{.*}}, %[[LINE]]) {copy_bytes = 16 : i64, ragged}
// CHECK-NEXT:      %[[BARRIER:.*]] = "nv_tileas.ring_barrier"(%[[RING]], %[[Q]])
// CHECK-NEXT:      "nv_tileas.mbarrier_arrive_copies"(%[[BARRIER]])
// CHECK-NEXT:      %[[NEXT:.*]] = "nv_tileas.ring_advance"(%[[RING]], %[[Q]])
// CHECK-NEXT:      scf.yield %[[NEXT]]
// CHECK:         scf.for %[[I:.*]] = %c0_i32 to %[[N]] step %c1_i32 iter_args(%{{.*}} = %{{.*}}, %[[F:.*]] = %[[FIRST]], %[[P:.*]] = %[[READS]])
// CHECK-NEXT:      "nv_tileas.ring_wait"(%[[RING]], %[[P]])
// CHECK-NEXT:      "nv_tileas.fence_proxy"() {space = "shared"}
// CHECK-NEXT:      %[[READ:.*]] = "nv_tileas.slot_view"(%[[BUFFER]], %[[P]])
// CHECK-NEXT:      %[[A:.*]] = "nv_tileas.load_shared"(%[[READ]])
// CHECK-NEXT:      %[[D:.*]] = "nv_tileas.dot"(%[[A]],
// CHECK-NEXT:      "nv_tileas.ring_release"(%[[RING]], %[[P]])
// CHECK-NEXT:      %[[AFTER:.*]] = "nv_tileas.ring_advance"(%[[RING]], %[[P]])
// CHECK-NEXT:      %[[LEFT:.*]] = arith.subi %[[N]], %[[I]] : i32
// CHECK-NEXT:      %[[RUNS:.*]] = arith.cmpi slt, %[[AHEAD]], %[[LEFT]] : i32
// CHECK-NEXT:      %[[FILLED:.*]] = scf.if %[[RUNS]]
// CHECK-NEXT:        arith.addi %[[I]], %[[AHEAD]] : i32
// CHECK:             "nv_tileas.ring_acquire"(%[[RING]], %[[F]])
// CHECK:             "nv_tileas.async_gather"
// CHECK:             "nv_tileas.mbarrier_arrive_copies"
// CHECK:           } else {
// CHECK-NEXT:        scf.yield %[[F]]
// CHECK:           scf.yield %[[D]], %[[FILLED]], %[[AFTER]]
// CHECK-NOT:     "nv_tileas.gather"
module @gathered_rows {
  "nv_tileaa.func"() ({
  ^bb0(%m: !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>, %n: i32, %token: !nv_tileaa.mem_token, %rows: tensor<128x64xi32>, %b: tensor<64x64xbf16>, %acc: tensor<128x64xf32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zeros = arith.constant dense<0.0> : tensor<128x64xbf16>
      %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %acc) -> (tensor<128x64xf32>) : i32 {
        %line = "nv_tileas.splat"(%i) : (i32) -> tensor<128x64xi32>
        %x:2 = "nv_tileas.gather"(%m, %rows, %line, %zeros, %token) {atom = #cute.copy_atom<"sm80_cp_async_16_bf16", "cp_async", 1 : i64, 128 : i64, bf16>, run = 8 : i64, ragged, operandSegmentSizes = array<i32: 1, 2, 0, 1, 1>} : (!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>, tensor<128x64xi32>, tensor<128x64xi32>, tensor<128x64xbf16>, !nv_tileaa.mem_token) -> (tensor<128x64xbf16>, !nv_tileaa.mem_token)
        %d = "nv_tileas.dot"(%x#0, %b, %a) {a_major = "k", b_major = "k"} : (tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>) -> tensor<128x64xf32>
        scf.yield %d : tensor<128x64xf32>
      }
      "nv_tileas.yield"() : () -> ()
    }) {consumer_warps = 8 : i64, producer_warps = 0 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {nv_tileaa.kernel_spec = {consumer_warps = 8 : i64, producer_warps = 0 : i64, stages = 3 : i64}, sym_name = "k", function_type = (!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>, i32, !nv_tileaa.mem_token, tensor<128x64xi32>, tensor<64x64xbf16>, tensor<128x64xf32>) -> ()} : () -> ()
}

// -----

// A ring of one slot is filled in its own round. Two operands share a ring, and one arrival.
// CHECK-LABEL: module @one_slot
// CHECK:         "nv_tileas.create_ring"(%{{.*}}, %{{.*}}) {stages = 1 : i64}
// CHECK:         scf.for
// CHECK:           "nv_tileas.ring_acquire"
// CHECK:           "nv_tileas.async_gather"{{.*}}{copy_bytes = 8 : i64}
// CHECK:           "nv_tileas.async_gather"{{.*}}{copy_bytes = 8 : i64}
// CHECK:           "nv_tileas.mbarrier_arrive_copies"
// CHECK-NOT:       "nv_tileas.mbarrier_arrive_copies"
// CHECK:           "nv_tileas.ring_wait"
// CHECK:           "nv_tileas.dot"
// CHECK-NEXT:      "nv_tileas.ring_release"
// CHECK-NOT:     scf.if
module @one_slot {
  "nv_tileaa.func"() ({
  ^bb0(%m: !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>, %n: i32, %token: !nv_tileaa.mem_token, %rows: tensor<64x64xi32>, %acc: tensor<64x64xf32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zeros = arith.constant dense<0.0> : tensor<64x64xbf16>
      %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %acc) -> (tensor<64x64xf32>) : i32 {
        %line = "nv_tileas.splat"(%i) : (i32) -> tensor<64x64xi32>
        %x:2 = "nv_tileas.gather"(%m, %rows, %line, %zeros, %token) {atom = #cute.copy_atom<"sm80_cp_async_8_bf16", "cp_async", 1 : i64, 64 : i64, bf16>, run = 4 : i64, operandSegmentSizes = array<i32: 1, 2, 0, 1, 1>} : (!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>, tensor<64x64xi32>, tensor<64x64xi32>, tensor<64x64xbf16>, !nv_tileaa.mem_token) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
        %y:2 = "nv_tileas.gather"(%m, %line, %line, %zeros, %token) {atom = #cute.copy_atom<"sm80_cp_async_8_bf16", "cp_async", 1 : i64, 64 : i64, bf16>, run = 4 : i64, operandSegmentSizes = array<i32: 1, 2, 0, 1, 1>} : (!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>, tensor<64x64xi32>, tensor<64x64xi32>, tensor<64x64xbf16>, !nv_tileaa.mem_token) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
        %d = "nv_tileas.dot"(%x#0, %y#0, %a) {a_major = "k", b_major = "k"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
        scf.yield %d : tensor<64x64xf32>
      }
      "nv_tileas.yield"() : () -> ()
    }) {consumer_warps = 4 : i64, producer_warps = 0 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {nv_tileaa.kernel_spec = {consumer_warps = 4 : i64, producer_warps = 0 : i64, stages = 1 : i64}, sym_name = "k", function_type = (!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>, i32, !nv_tileaa.mem_token, tensor<64x64xi32>, tensor<64x64xf32>) -> ()} : () -> ()
}
