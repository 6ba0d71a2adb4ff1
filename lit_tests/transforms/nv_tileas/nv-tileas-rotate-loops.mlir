// RUN: tilec opt %s --passes nv-tileas-rotate-loops --split-input-file | FileCheck %s

// The pass rotates loops whose operations have stages.

!t = tensor<64x64xf32>

// Stage 0 of the first iteration comes before the loop, stage 1 of the last one after it. What stage 1
// reads of stage 0 is carried for a round: the tile %x and the number of the iteration.
// CHECK-LABEL: module @stages_overlap
// CHECK:         %[[RUNS:.*]] = arith.cmpi slt, %[[L:.*]], %[[U:.*]] : i32
// CHECK-NEXT:    %[[R:.*]]:2 = scf.if %[[RUNS]] -> (tensor<64x64xf32>, tensor<64x64xf32>) {
// CHECK-NEXT:      %[[X0:.*]] = math.exp2 %[[TOP0:.*]] : tensor<64x64xf32>
// CHECK-NEXT:      %[[NEXT:.*]] = arith.addi %[[L]], %[[STEP:.*]] : i32
// CHECK-NEXT:      %[[C:.*]]:4 = scf.for %[[I:.*]] = %[[NEXT]] to %[[U]] step %[[STEP]] iter_args(%[[TOP:.*]] = %[[X0]], %[[ACC:.*]] = %[[ACC0:.*]], %[[BEFORE:.*]] = %[[L]], %[[X:.*]] = %[[X0]])
// CHECK-DAG:         %[[NX:.*]] = math.exp2 %[[TOP]] : tensor<64x64xf32>
// CHECK-DAG:         %[[S:.*]] = "nv_tileas.splat"(%[[BEFORE]])
// CHECK-DAG:         %[[F:.*]] = arith.sitofp %[[S]]
// CHECK-DAG:         %[[Y:.*]] = arith.mulf %[[X]], %[[F]] : tensor<64x64xf32>
// CHECK-DAG:         %[[N:.*]] = arith.addf %[[ACC]], %[[Y]] : tensor<64x64xf32>
// CHECK:             scf.yield %[[NX]], %[[N]], %[[I]], %[[NX]] :
// CHECK-NEXT:      }
// CHECK:           %[[S1:.*]] = "nv_tileas.splat"(%[[C]]#2)
// CHECK:           %[[Y1:.*]] = arith.mulf %[[C]]#3,
// CHECK-NEXT:      %[[N1:.*]] = arith.addf %[[C]]#1, %[[Y1]]
// CHECK-NEXT:      scf.yield %[[C]]#0, %[[N1]] :
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %[[TOP0]], %[[ACC0]] :
// CHECK-NOT:     stage
module @stages_overlap {
  "nv_tileaa.func"() ({
  ^bb0(%top0: !t, %acc0: !t, %l: i32, %u: i32, %step: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %r:2 = scf.for %i = %l to %u step %step iter_args(%top = %top0, %acc = %acc0) -> (!t, !t) : i32 {
        %x = math.exp2 %top {stage = 0 : i64} : !t
        %s = "nv_tileas.splat"(%i) {stage = 1 : i64} : (i32) -> tensor<64x64xi32>
        %f = arith.sitofp %s {stage = 1 : i64} : tensor<64x64xi32> to !t
        %y = arith.mulf %x, %f {stage = 1 : i64} : !t
        %n = arith.addf %acc, %y {stage = 1 : i64} : !t
        scf.yield %x, %n : !t, !t
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!t, !t, i32, i32, i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 4 : i64}} : () -> ()
}

// -----

!t = tensor<64x64xf32>

// Stage 0 of an iteration reads what stage 1 of the one before makes in the same round. Stage 1 reads
// the value that a round got from the one before it, which is carried twice.
// CHECK-LABEL: module @values_go_both_ways
// CHECK:           %[[C:.*]]:3 = scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[OLD:.*]] = %{{.*}})
// CHECK-NEXT:        %[[Y:.*]] = arith.addf %[[OLD]], %[[B]] : tensor<64x64xf32>
// CHECK-NEXT:        %[[X:.*]] = arith.mulf %[[A]], %[[Y]] : tensor<64x64xf32>
// CHECK-NEXT:        scf.yield %[[X]], %[[Y]], %[[A]] :
module @values_go_both_ways {
  "nv_tileaa.func"() ({
  ^bb0(%a0: !t, %b0: !t, %l: i32, %u: i32, %step: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %r:2 = scf.for %i = %l to %u step %step iter_args(%a = %a0, %b = %b0) -> (!t, !t) : i32 {
        %x = arith.mulf %a, %b {stage = 0 : i64} : !t
        %y = arith.addf %a, %b {stage = 1 : i64} : !t
        scf.yield %x, %y : !t, !t
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!t, !t, i32, i32, i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 4 : i64}} : () -> ()
}

// -----

!t = tensor<64x64xf32>
!h = tensor<64x64xf16>
!slot = !nv_tileas.smem<tensor<64x64xf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>

// What only products read is released after them in the last iteration.
// CHECK-LABEL: module @released_in_the_last_iteration
// CHECK:         %[[AT:.*]] = "nv_tileas.ring_start"(%[[RING:.*]]) :
// CHECK:         scf.if
// CHECK:           "nv_tileas.dot"
// CHECK-NEXT:      %[[NEXT:.*]] = arith.addi %[[L:.*]], %[[STEP:.*]] :
// CHECK-NEXT:      %[[ONLY:.*]] = arith.cmpi sge, %[[NEXT]], %[[U:.*]] :
// CHECK-NEXT:      "nv_tileas.ring_release"(%[[RING]], %[[AT]], %[[ONLY]])
// CHECK:           scf.for %[[I:.*]] = %{{.*}} to %[[U]] step %[[STEP]]
// CHECK:             "nv_tileas.dot"
// CHECK-NEXT:        %[[AFTER:.*]] = arith.addi %[[I]], %[[STEP]] :
// CHECK-NEXT:        %[[LAST:.*]] = arith.cmpi sge, %[[AFTER]], %[[U]] :
// CHECK-NEXT:        "nv_tileas.ring_release"(%[[RING]], %[[AT]], %[[LAST]])
// CHECK:           }
// CHECK-NOT:       ring_release
// CHECK:         } else {
// CHECK-NEXT:      "nv_tileas.ring_release"(%[[RING]], %[[AT]]) :
module @released_in_the_last_iteration {
  "nv_tileaa.func"() ({
  ^bb0(%a0: !t, %b0: !t, %k: !h, %l: i32, %u: i32, %step: i32):
    %smem = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !slot
    %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 1 : i64} : () -> !nv_tileas.mbarrier
    %empty = "nv_tileas.alloc_mbarrier"() {count = 4 : i64, slots = 1 : i64} : () -> !nv_tileas.mbarrier
    %ring = "nv_tileas.create_ring"(%full, %empty) {stages = 1 : i64} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %at = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !nv_tileas.ring_position
      %view = "nv_tileas.slot_view"(%smem, %at) : (!slot, !nv_tileas.ring_position) -> !slot
      %tile = "nv_tileas.load_shared"(%view) : (!slot) -> !h
      %r:2 = scf.for %i = %l to %u step %step iter_args(%a = %a0, %b = %b0) -> (!t, !t) : i32 {
        %x = "nv_tileas.dot"(%tile, %k, %a) {a_major = "k", b_major = "k", stage = 0 : i64} : (!h, !h, !t) -> !t
        %y = arith.addf %x, %b {stage = 1 : i64} : !t
        scf.yield %x, %y : !t, !t
      }
      "nv_tileas.ring_release"(%ring, %at) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!t, !t, !h, i32, i32, i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 4 : i64}} : () -> ()
}

// -----

!t = tensor<64x64xf32>
!slot = !nv_tileas.smem<tensor<64x64xf32, #nv_tileas.shared_layout<array<i64: 64, 32>, 128 : i64>>>

// What only stage 0 reads is released before the last iteration of stage 1, and where the loop does
// not run. What stage 1 reads is released after it.
// CHECK-LABEL: module @releases
// CHECK:           scf.if
// CHECK:             scf.for
// CHECK:             }
// CHECK-NEXT:        "nv_tileas.ring_release"(%[[RING:.*]], %[[AT:.*]]) :
// CHECK-NEXT:        arith.addf
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      } else {
// CHECK-NEXT:        "nv_tileas.ring_release"(%[[RING]], %[[AT]]) :
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      }
// CHECK-NEXT:      "nv_tileas.yield"
// CHECK:           scf.if
// CHECK:             scf.for
// CHECK:             }
// CHECK:             scf.yield
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      }
// CHECK-NEXT:      "nv_tileas.ring_release"
module @releases {
  "nv_tileaa.func"() ({
  ^bb0(%a0: !t, %b0: !t, %l: i32, %u: i32, %step: i32):
    %smem = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !slot
    %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 1 : i64} : () -> !nv_tileas.mbarrier
    %empty = "nv_tileas.alloc_mbarrier"() {count = 4 : i64, slots = 1 : i64} : () -> !nv_tileas.mbarrier
    %ring = "nv_tileas.create_ring"(%full, %empty) {stages = 1 : i64} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %at = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !nv_tileas.ring_position
      %view = "nv_tileas.slot_view"(%smem, %at) : (!slot, !nv_tileas.ring_position) -> !slot
      %tile = "nv_tileas.load_shared"(%view) : (!slot) -> !t
      %r:2 = scf.for %i = %l to %u step %step iter_args(%a = %a0, %b = %b0) -> (!t, !t) : i32 {
        %x = arith.mulf %a, %tile {stage = 0 : i64} : !t
        %y = arith.addf %x, %b {stage = 1 : i64} : !t
        scf.yield %x, %y : !t, !t
      }
      "nv_tileas.ring_release"(%ring, %at) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %at = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !nv_tileas.ring_position
      %view = "nv_tileas.slot_view"(%smem, %at) : (!slot, !nv_tileas.ring_position) -> !slot
      %tile = "nv_tileas.load_shared"(%view) : (!slot) -> !t
      %r:2 = scf.for %i = %l to %u step %step iter_args(%a = %a0, %b = %b0) -> (!t, !t) : i32 {
        %x = arith.mulf %a, %a {stage = 0 : i64} : !t
        %z = arith.addf %x, %tile {stage = 1 : i64} : !t
        %y = arith.addf %z, %b {stage = 1 : i64} : !t
        scf.yield %x, %y : !t, !t
      }
      "nv_tileas.ring_release"(%ring, %at) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!t, !t, i32, i32, i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 4 : i64}} : () -> ()
}

// -----

!t = tensor<64x64xf32>
!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>

// Both copies of a store in a branch have the number of the store.
// CHECK-LABEL: module @copies_of_a_store_are_known
// CHECK:         scf.for
// CHECK:           "nv_tileas.tiled_store"({{.*}}copy_of = 0 : i64
// CHECK:         }
// CHECK:         "nv_tileas.tiled_store"({{.*}}copy_of = 0 : i64
module @copies_of_a_store_are_known {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %a0: !t, %l: i32, %u: i32, %step: i32, %c: i1):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %r = scf.for %i = %l to %u step %step iter_args(%a = %a0) -> (!t) : i32 {
        %x = math.exp2 %a {stage = 0 : i64} : !t
        scf.if %c {
          %w = "nv_tileas.tiled_store"(%v, %x, %i, %i) {atom = #store} : (!v, !t, i32, i32) -> !token
        } {stage = 1 : i64}
        scf.yield %x : !t
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, !t, i32, i32, i32, i1) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 4 : i64}} : () -> ()
}
