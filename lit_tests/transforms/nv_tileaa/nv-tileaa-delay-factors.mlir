// RUN: tilec opt %s --passes nv-tileaa-delay-factors --split-input-file | FileCheck %s
// RUN: tilec opt %s --passes nv-tileaa-delay-factors,nv-tileaa-skip-masks --split-input-file | FileCheck %s --check-prefix=SKIP

// Scores are multiplied by a scalar when the largest one is subtracted.

// A mask between the product and its uses. Where the scalar is not usual, the product stays, and the
// factor is 1. A branch around the mask skips the product, too, and one inside of it asks again.
// CHECK-LABEL: module @masked
// CHECK:      ^bb0(%[[N:.*]]: i32, %[[S:.*]]: f32):
// CHECK:      %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:      %[[LOW:.*]] = arith.cmpf oge, %[[S]],
// CHECK-NEXT: %[[HIGH:.*]] = arith.cmpf ole, %[[S]],
// CHECK-NEXT: %[[USUAL:.*]] = arith.andi %[[LOW]], %[[HIGH]]
// CHECK-NEXT: %[[F:.*]] = arith.select %[[USUAL]], %[[S]], %[[ONE]] : f32
// CHECK-NEXT: %[[G:.*]] = arith.select %[[USUAL]], %[[ONE]], %[[S]] : f32
// CHECK-NEXT: scf.for
// CHECK:        %[[X:.*]] = "nv_tileaa.dot"
// CHECK:        %[[GS:.*]] = "nv_tileaa.splat"(%[[G]])
// CHECK-NEXT:   %[[P:.*]] = arith.mulf %[[X]], %[[GS]]
// CHECK:        %[[Z:.*]] = arith.select %{{.*}}, %[[P]],
// CHECK-NEXT:   %[[R:.*]] = "nv_tileaa.reduce"(%[[Z]])
// CHECK:        %[[FROWS:.*]] = "nv_tileaa.splat"(%[[F]]) : (f32) -> tensor<128xf32>
// CHECK-NEXT:   %[[M:.*]] = arith.mulf %[[R]], %[[FROWS]]
// CHECK:        %[[NEG:.*]] = arith.negf %{{.*}} : tensor<128xf32>
// CHECK-NEXT:   %[[VIEW:.*]] = "nv_tileaa.view"(%[[NEG]])
// CHECK-NEXT:   %[[B:.*]] = "nv_tileaa.broadcast"(%[[VIEW]])
// CHECK-NEXT:   %[[FTILE:.*]] = "nv_tileaa.splat"(%[[F]]) : (f32) -> tensor<128x128xf32>
// CHECK-NEXT:   %[[E:.*]] = math.fma %[[Z]], %[[FTILE]], %[[B]]
// CHECK-NEXT:   math.exp2 %[[E]]
// SKIP-LABEL: module @masked
// SKIP:       %[[USUAL:.*]] = arith.andi
// SKIP:       %[[G:.*]] = arith.select %[[USUAL]], %{{.*}}, %arg1
// SKIP:       scf.for
// SKIP:         %[[X:.*]] = "nv_tileaa.dot"
// SKIP-NOT:     arith.mulf
// SKIP:         %[[ALL:.*]] = arith.andi %{{.*}}, %[[USUAL]] : i1
// SKIP-NEXT:    scf.if %[[ALL]]
// SKIP-NEXT:      scf.yield %[[X]]
// SKIP-NEXT:    } else {
// SKIP-NEXT:      %[[P:.*]] = scf.if %[[USUAL]]
// SKIP-NEXT:        scf.yield %[[X]]
// SKIP-NEXT:      } else {
// SKIP-NEXT:        %[[Q:.*]] = arith.mulf %[[X]],
// SKIP-NEXT:        scf.yield %[[Q]]
// SKIP-NEXT:      }
// SKIP:           arith.select %{{.*}}, %[[P]],
// SKIP:         } {leading}
module @masked {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %s: f32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %hidden = arith.constant dense<0xFF800000> : tensor<128x128xf32>
    %least = arith.constant dense<-1.0> : tensor<128xf32>
    %range = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<128xi32>
    %limit = "nv_tileaa.splat"(%n) : (i32) -> tensor<128x128xi32>
    %scale = "nv_tileaa.splat"(%s) : (f32) -> tensor<128x128xf32>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros, %top = %least) -> (tensor<128x128xf32>, tensor<128xf32>) : i32 {
      %x = "nv_tileaa.dot"(%a, %a, %zeros) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %p = arith.mulf %x, %scale : tensor<128x128xf32>
      %first = arith.muli %i, %c128 : i32
      %starts = "nv_tileaa.splat"(%first) : (i32) -> tensor<128xi32>
      %line = arith.addi %starts, %range : tensor<128xi32>
      %row = "nv_tileaa.view"(%line) : (tensor<128xi32>) -> tensor<1x128xi32>
      %columns = "nv_tileaa.broadcast"(%row) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %mask = arith.cmpi slt, %columns, %limit : tensor<128x128xi32>
      %z = arith.select %mask, %p, %hidden : tensor<128x128xi1>, tensor<128x128xf32>
      %0 = "nv_tileaa.reduce"(%z) ({
      ^bb0(%u: f32, %v: f32):
        %w = arith.maxnumf %u, %v : f32
        "nv_tileaa.yield_values"(%w) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<128x128xf32>) -> tensor<128xf32>
      %m = arith.maxnumf %top, %0 : tensor<128xf32>
      %1 = "nv_tileaa.view"(%m) : (tensor<128xf32>) -> tensor<128x1xf32>
      %2 = "nv_tileaa.broadcast"(%1) : (tensor<128x1xf32>) -> tensor<128x128xf32>
      %3 = arith.subf %z, %2 : tensor<128x128xf32>
      %e = math.exp2 %3 {flush_to_zero} : tensor<128x128xf32>
      %sum = arith.addf %acc, %e : tensor<128x128xf32>
      scf.yield %sum, %m : tensor<128x128xf32>, tensor<128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, f32) -> (), tilec.kernel = {params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "S", dtype = "f32"}]}} : () -> ()
}

// -----

// Without a mask there is a branch, whose condition is known before the loop. A factor that a
// multiply-add has already is multiplied with the new one.
// CHECK-LABEL: module @plain
// CHECK:      %[[USUAL:.*]] = arith.andi
// CHECK:      %[[F:.*]] = arith.select %[[USUAL]], %arg1,
// CHECK:        %[[X:.*]] = "nv_tileaa.dot"
// CHECK-NEXT:   %[[Z:.*]] = scf.if %[[USUAL]] -> (tensor<128x128xf32>) {
// CHECK-NEXT:     scf.yield %[[X]]
// CHECK-NEXT:   } else {
// CHECK-NEXT:     %[[P:.*]] = arith.mulf %[[X]], %{{.*}}
// CHECK-NEXT:     scf.yield %[[P]]
// CHECK-NEXT:   }
// CHECK-NEXT:   %[[BOTH:.*]] = arith.mulf %arg2, %[[F]] : f32
// CHECK-NEXT:   %[[C:.*]] = "nv_tileaa.splat"(%[[BOTH]])
// CHECK-NEXT:   math.fma %[[Z]], %[[C]], %{{.*}}
module @plain {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %s: f32, %c: f32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %scale = "nv_tileaa.splat"(%s) : (f32) -> tensor<128x128xf32>
    %other = "nv_tileaa.splat"(%c) : (f32) -> tensor<128x128xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %x = "nv_tileaa.dot"(%a, %a, %zeros) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %p = arith.mulf %x, %scale : tensor<128x128xf32>
      %3 = math.fma %p, %other, %zeros : tensor<128x128xf32>
      %e = math.exp2 %3 {flush_to_zero} : tensor<128x128xf32>
      %sum = arith.addf %acc, %e : tensor<128x128xf32>
      scf.yield %sum : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, f32, f32) -> (), tilec.kernel = {params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "S", dtype = "f32"}, {kind = "scalar", name = "C", dtype = "f32"}]}} : () -> ()
}

// -----

// A positive constant needs no question. What is also read otherwise stays, and so do a negative
// constant, what the loop carries, and exponents whose tiny results count.
// CHECK-LABEL: module @constants
// CHECK-NOT:  arith.cmpf
// CHECK:      %[[F:.*]] = arith.constant 1.250000e-01 : f32
// CHECK:      %[[X:.*]] = "nv_tileaa.dot"
// CHECK:      %[[FTILE:.*]] = "nv_tileaa.splat"(%[[F]])
// CHECK-NEXT: math.fma %[[X]], %[[FTILE]], %{{.*}}
// CHECK-COUNT-4: arith.mulf %[[X]],
module @constants {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %one = arith.constant 1.0 : f32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %positive = arith.constant dense<0.125> : tensor<128x128xf32>
    %negative = arith.constant dense<-0.125> : tensor<128x128xf32>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros, %f = %one) -> (tensor<128x128xf32>, f32) : i32 {
      %x = "nv_tileaa.dot"(%a, %a, %zeros) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %p = arith.mulf %x, %positive : tensor<128x128xf32>
      %0 = arith.subf %p, %acc : tensor<128x128xf32>
      %1 = math.exp2 %0 {flush_to_zero} : tensor<128x128xf32>
      %q = arith.mulf %x, %positive : tensor<128x128xf32>
      %2 = arith.subf %q, %acc : tensor<128x128xf32>
      %3 = math.exp2 %2 {flush_to_zero} : tensor<128x128xf32>
      %u = arith.mulf %x, %negative : tensor<128x128xf32>
      %4 = arith.subf %u, %acc : tensor<128x128xf32>
      %5 = math.exp2 %4 {flush_to_zero} : tensor<128x128xf32>
      %v = arith.mulf %x, %positive : tensor<128x128xf32>
      %6 = arith.subf %v, %acc : tensor<128x128xf32>
      %7 = math.exp2 %6 : tensor<128x128xf32>
      %fs = "nv_tileaa.splat"(%f) : (f32) -> tensor<128x128xf32>
      %w = arith.mulf %x, %fs : tensor<128x128xf32>
      %8 = arith.subf %w, %acc : tensor<128x128xf32>
      %9 = math.exp2 %8 {flush_to_zero} : tensor<128x128xf32>
      %s1 = arith.addf %1, %3 : tensor<128x128xf32>
      %s2 = arith.addf %5, %7 : tensor<128x128xf32>
      %s3 = arith.addf %9, %q : tensor<128x128xf32>
      %s4 = arith.addf %s1, %s2 : tensor<128x128xf32>
      %sum = arith.addf %s3, %s4 : tensor<128x128xf32>
      %next = arith.addf %f, %one : f32
      scf.yield %sum, %next : tensor<128x128xf32>, f32
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), tilec.kernel = {params = [{kind = "dim", name = "N"}]}} : () -> ()
}
