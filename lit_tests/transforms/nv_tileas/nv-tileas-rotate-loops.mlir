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
