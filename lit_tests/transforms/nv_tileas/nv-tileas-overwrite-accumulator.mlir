// RUN: tilec opt %s --passes nv-tileas-overwrite-accumulator --split-input-file | FileCheck %s

// The pass lets the first product of a loop overwrite its accumulator instead of adding to zeros.

!a = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!t = !nv_tileas.mma_token
!c = tensor<64x64xf32>
!h = tensor<64x64xbf16>

// The first product overwrites the accumulator, whatever it holds; the others add to it. A loop that
// does not run still gives zeros.
// CHECK-LABEL: module @the_first_product_overwrites
// CHECK:       ^bb0(%[[A:.*]]: !nv_tileas.smem{{.*}}, %[[FIRST:.*]]: i32, %[[N:.*]]: i32):
// CHECK-NOT:     arith.constant dense
// CHECK:         %[[RUNS:.*]] = arith.cmpi slt, %[[FIRST]], %[[N]] : i32
// CHECK-NEXT:    %[[R:.*]] = scf.if %[[RUNS]] -> (tensor<64x64xf32>) {
// CHECK-NEXT:      %[[U:.*]] = "nv_tileas.undefined"() : () -> tensor<64x64xf32>
// CHECK-NEXT:      %[[L:.*]] = scf.for %[[K:.*]] = %[[FIRST]] to %[[N]] step %{{.*}} iter_args(%[[ACC:.*]] = %[[U]])
// CHECK-NEXT:        %[[MORE:.*]] = arith.cmpi ne, %[[K]], %[[FIRST]] : i32
// CHECK-NEXT:        %[[G:.*]]:2 = "nv_tileas.async_mma"(%[[A]], %[[A]], %[[ACC]], %[[MORE]]) {a_major = "k", b_major = "k"}
// CHECK-NEXT:        %[[D:.*]] = "nv_tileas.mma_wait"(%[[G]]#0, %[[G]]#1) {pending = 0 : i64}
// CHECK-NEXT:        scf.yield %[[D]]
// CHECK:           scf.yield %[[L]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[Z:.*]] = "nv_tileas.zeros"() : () -> tensor<64x64xf32>
// CHECK-NEXT:      scf.yield %[[Z]]
// CHECK:         arith.truncf %[[R]]
module @the_first_product_overwrites {
  "nv_tileaa.func"() ({
  ^bb0(%a: !a, %first: i32, %n: i32):
    %c1 = arith.constant 1 : i32
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zeros = arith.constant dense<0.0> : !c
      %r = scf.for %k = %first to %n step %c1 iter_args(%in = %zeros) -> (!c) : i32 {
        %g, %t = "nv_tileas.async_mma"(%a, %a, %in) {a_major = "k", b_major = "k"} : (!a, !a, !c) -> (!c, !t)
        %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (!c, !t) -> !c
        scf.yield %d : !c
      }
      %u = arith.truncf %r : !c to !h
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, i32, i32) -> ()} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!t = !nv_tileas.mma_token
!c = tensor<64x64xf32>
!h = tensor<64x64xbf16>

// A loop that leaves a group in flight is in a branch already.
// CHECK-LABEL: module @a_branch_serves_twice
// CHECK-COUNT-1: arith.cmpi slt
// CHECK-NEXT:    %[[R:.*]] = scf.if
// CHECK-NEXT:      %[[U:.*]] = "nv_tileas.undefined"()
// CHECK-NEXT:      %[[L:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[U]])
// CHECK-NEXT:        %[[MORE:.*]] = arith.cmpi ne
// CHECK-NEXT:        %[[G:.*]]:2 = "nv_tileas.async_mma"(%{{.*}}, %{{.*}}, %[[ACC]], %[[MORE]])
// CHECK-NEXT:        "nv_tileas.mma_wait"(%[[G]]#0, %[[G]]#1) {pending = 1 : i64}
// CHECK:           %[[S:.*]] = "nv_tileas.mma_drain"(%[[L]])
// CHECK-NEXT:      scf.yield %[[S]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[Z:.*]] = "nv_tileas.zeros"()
// CHECK-NEXT:      scf.yield %[[Z]]
// CHECK-NEXT:    }
// CHECK-NEXT:    arith.truncf %[[R]]
module @a_branch_serves_twice {
  "nv_tileaa.func"() ({
  ^bb0(%a: !a, %first: i32, %n: i32):
    %c1 = arith.constant 1 : i32
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zeros = arith.constant dense<0.0> : !c
      %runs = arith.cmpi slt, %first, %n : i32
      %r = scf.if %runs -> (!c) {
        %l = scf.for %k = %first to %n step %c1 iter_args(%in = %zeros) -> (!c) : i32 {
          %g, %t = "nv_tileas.async_mma"(%a, %a, %in) {a_major = "k", b_major = "k"} : (!a, !a, !c) -> (!c, !t)
          %d = "nv_tileas.mma_wait"(%g, %t) {pending = 1 : i64} : (!c, !t) -> !c
          scf.yield %d : !c
        }
        %e = "nv_tileas.mma_drain"(%l) : (!c) -> !c
        scf.yield %e : !c
      } else {
        scf.yield %zeros : !c
      }
      %u = arith.truncf %r : !c to !h
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, i32, i32) -> ()} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!t = !nv_tileas.mma_token
!c = tensor<64x64xf32>

// Two accumulators of a loop share the branch.
// CHECK-LABEL: module @two_accumulators_share_a_branch
// CHECK-COUNT-1: scf.if
// CHECK-COUNT-2:   "nv_tileas.undefined"()
// CHECK-NEXT:      scf.for
// CHECK:             %[[M:.*]] = arith.cmpi ne
// CHECK-NEXT:        "nv_tileas.async_mma"({{.*}}, %[[M]])
// CHECK:             %[[O:.*]] = arith.cmpi ne
// CHECK-NEXT:        "nv_tileas.async_mma"({{.*}}, %[[O]])
// CHECK:           } else {
// CHECK-NEXT:        %[[Y:.*]] = "nv_tileas.zeros"()
// CHECK-NEXT:        %[[Z:.*]] = "nv_tileas.zeros"()
// CHECK-NEXT:        scf.yield %[[Y]], %[[Z]]
// CHECK-NOT:     scf.if
module @two_accumulators_share_a_branch {
  "nv_tileaa.func"() ({
  ^bb0(%a: !a, %first: i32, %n: i32):
    %c1 = arith.constant 1 : i32
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zeros = arith.constant dense<0.0> : !c
      %r:2 = scf.for %k = %first to %n step %c1 iter_args(%x = %zeros, %y = %zeros) -> (!c, !c) : i32 {
        %g, %t = "nv_tileas.async_mma"(%a, %a, %x) {a_major = "k", b_major = "k"} : (!a, !a, !c) -> (!c, !t)
        %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (!c, !t) -> !c
        %h, %s = "nv_tileas.async_mma"(%a, %a, %y) {a_major = "k", b_major = "k"} : (!a, !a, !c) -> (!c, !t)
        %e = "nv_tileas.mma_wait"(%h, %s) {pending = 0 : i64} : (!c, !t) -> !c
        scf.yield %d, %e : !c, !c
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, i32, i32) -> ()} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!t = !nv_tileas.mma_token
!c = tensor<64x64xf32>

// An accumulator that begins with something else is added to from the first product on.
// CHECK-LABEL: module @other_values_are_added_to
// CHECK-NOT:     nv_tileas.undefined
// CHECK-NOT:     scf.if
// CHECK:         "nv_tileas.async_mma"(%{{[^,]+}}, %{{[^,]+}}, %{{[^,]+}}) {
module @other_values_are_added_to {
  "nv_tileaa.func"() ({
  ^bb0(%a: !a, %first: i32, %n: i32):
    %c1 = arith.constant 1 : i32
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %ones = arith.constant dense<1.0> : !c
      %r = scf.for %k = %first to %n step %c1 iter_args(%in = %ones) -> (!c) : i32 {
        %g, %t = "nv_tileas.async_mma"(%a, %a, %in) {a_major = "k", b_major = "k"} : (!a, !a, !c) -> (!c, !t)
        %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (!c, !t) -> !c
        scf.yield %d : !c
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, i32, i32) -> ()} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!t = !nv_tileas.mma_token
!c = tensor<64x64xf32>

// The same holds for -0.0: the sign of a sum of zeros depends on it.
// CHECK-LABEL: module @negative_zeros_are_added_to
// CHECK-NOT:     nv_tileas.undefined
// CHECK-NOT:     scf.if
// CHECK:         "nv_tileas.async_mma"(%{{[^,]+}}, %{{[^,]+}}, %{{[^,]+}}) {
module @negative_zeros_are_added_to {
  "nv_tileaa.func"() ({
  ^bb0(%a: !a, %first: i32, %n: i32):
    %c1 = arith.constant 1 : i32
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zeros = arith.constant dense<-0.0> : !c
      %r = scf.for %k = %first to %n step %c1 iter_args(%in = %zeros) -> (!c) : i32 {
        %g, %t = "nv_tileas.async_mma"(%a, %a, %in) {a_major = "k", b_major = "k"} : (!a, !a, !c) -> (!c, !t)
        %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (!c, !t) -> !c
        scf.yield %d : !c
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, i32, i32) -> ()} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!t = !nv_tileas.mma_token
!c = tensor<64x64xf32>
!h = tensor<64x64xbf16>

// Zeros that another operation reads, too, are written.
// CHECK-LABEL: module @an_accumulator_with_another_use_is_written
// CHECK-NOT:     nv_tileas.undefined
// CHECK-NOT:     scf.if
// CHECK:         "nv_tileas.async_mma"(%{{[^,]+}}, %{{[^,]+}}, %{{[^,]+}}) {
module @an_accumulator_with_another_use_is_written {
  "nv_tileaa.func"() ({
  ^bb0(%a: !a, %first: i32, %n: i32):
    %c1 = arith.constant 1 : i32
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zeros = arith.constant dense<0.0> : !c
      %r = scf.for %k = %first to %n step %c1 iter_args(%in = %zeros) -> (!c) : i32 {
        %g, %t = "nv_tileas.async_mma"(%a, %a, %in) {a_major = "k", b_major = "k"} : (!a, !a, !c) -> (!c, !t)
        %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (!c, !t) -> !c
        %u = arith.truncf %in : !c to !h
        scf.yield %d : !c
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, i32, i32) -> ()} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!t = !nv_tileas.mma_token
!c = tensor<64x64xf32>

// The same holds where another operation than a product computes the next value.
// CHECK-LABEL: module @a_scaled_sum_is_written
// CHECK-NOT:     nv_tileas.undefined
// CHECK-NOT:     scf.if
// CHECK:         "nv_tileas.async_mma"(%{{[^,]+}}, %{{[^,]+}}, %{{[^,]+}}) {
module @a_scaled_sum_is_written {
  "nv_tileaa.func"() ({
  ^bb0(%a: !a, %first: i32, %n: i32):
    %c1 = arith.constant 1 : i32
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zeros = arith.constant dense<0.0> : !c
      %r = scf.for %k = %first to %n step %c1 iter_args(%in = %zeros) -> (!c) : i32 {
        %g, %t = "nv_tileas.async_mma"(%a, %a, %in) {a_major = "k", b_major = "k"} : (!a, !a, !c) -> (!c, !t)
        %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (!c, !t) -> !c
        %u = arith.negf %d : !c
        scf.yield %u : !c
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, i32, i32) -> ()} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!t = !nv_tileas.mma_token
!c = tensor<64x64xf32>

// A product that no loop repeats adds to its zeros.
// CHECK-LABEL: module @a_product_outside_of_loops_adds
// CHECK-NOT:     nv_tileas.undefined
// CHECK-NOT:     scf.if
// CHECK:         "nv_tileas.async_mma"(%{{[^,]+}}, %{{[^,]+}}, %{{[^,]+}}) {
module @a_product_outside_of_loops_adds {
  "nv_tileaa.func"() ({
  ^bb0(%a: !a, %first: i32, %n: i32):
    %c1 = arith.constant 1 : i32
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zeros = arith.constant dense<0.0> : !c
      %g, %t = "nv_tileas.async_mma"(%a, %a, %zeros) {a_major = "k", b_major = "k"} : (!a, !a, !c) -> (!c, !t)
      %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (!c, !t) -> !c
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, i32, i32) -> ()} : () -> ()
}
