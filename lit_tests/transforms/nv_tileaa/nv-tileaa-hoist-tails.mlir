// RUN: tilec opt %s --passes nv-tileaa-hoist-tails --split-input-file | FileCheck %s

// What both sides of a branch compute last is computed once, after it.

// A side that scales with the difference, and one that scales before: only the mask remains.

// CHECK-LABEL: module @scaled_before_and_after
// CHECK:           %[[X:.*]] = "nv_tileaa.dot"
// CHECK-NEXT:      %[[EARLY:.*]] = arith.cmpi slt
// CHECK-NEXT:      %[[Z:.*]] = scf.if %[[EARLY]] -> (tensor<128x64xf32>) {
// CHECK-NEXT:        scf.yield %[[X]]
// CHECK-NEXT:      } else {
// CHECK-NEXT:        %[[SCALE:.*]] = "nv_tileaa.splat"(%[[S:.*]]) : (f32) -> tensor<128x64xf32>
// CHECK-NEXT:        %[[T:.*]] = math.fma %[[X]], %[[SCALE]],
// CHECK-NEXT:        scf.yield %[[T]]
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:      %[[F:.*]] = arith.select %[[EARLY]], %[[S]], %[[ONE]] : f32
// CHECK-DAG:       %[[R:.*]] = "nv_tileaa.reduce"(%[[Z]])
// CHECK-DAG:       %[[FROWS:.*]] = "nv_tileaa.splat"(%[[F]]) : (f32) -> tensor<128xf32>
// CHECK-DAG:       %[[FTILE:.*]] = "nv_tileaa.splat"(%[[F]]) : (f32) -> tensor<128x64xf32>
// CHECK:           %[[P:.*]] = arith.mulf %[[R]], %[[FROWS]]
// CHECK-NEXT:      %[[M:.*]] = arith.maxnumf %{{.*}}, %[[P]]
// CHECK-NEXT:      %[[V:.*]] = "nv_tileaa.view"(%[[M]])
// CHECK-NEXT:      %[[N:.*]] = arith.negf %[[V]]
// CHECK-NEXT:      %[[B:.*]] = "nv_tileaa.broadcast"(%[[N]])
// CHECK-NEXT:      %[[Y:.*]] = math.fma %[[Z]], %[[FTILE]], %[[B]]
// CHECK:           math.exp2 %[[Y]]
// CHECK:           scf.yield %{{.*}}, %[[M]]
module @scaled_before_and_after {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32, %s: f32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = arith.constant dense<1.0> : tensor<128x64xbf16>
    %b = arith.constant dense<1.0> : tensor<64x64xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x64xf32>
    %mask = arith.constant dense<-1.0> : tensor<128x64xf32>
    %least = arith.constant dense<-1.0> : tensor<128xf32>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros, %top = %least) -> (tensor<128x64xf32>, tensor<128xf32>) : i32 {
      %x = "nv_tileaa.dot"(%a, %b, %zeros) {a_major = "k", b_major = "k"} : (tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>) -> tensor<128x64xf32>
      %early = arith.cmpi slt, %i, %w : i32
      %y:2 = scf.if %early -> (tensor<128x64xf32>, tensor<128xf32>) {
        %0 = "nv_tileaa.reduce"(%x) ({
        ^bb0(%p: f32, %q: f32):
          %z = arith.maxnumf %p, %q : f32
          "nv_tileaa.yield_values"(%z) : (f32) -> ()
        }) {axis = 1 : i64} : (tensor<128x64xf32>) -> tensor<128xf32>
        %1 = "nv_tileaa.splat"(%s) : (f32) -> tensor<128xf32>
        %2 = arith.mulf %0, %1 : tensor<128xf32>
        %3 = arith.maxnumf %top, %2 : tensor<128xf32>
        %4 = "nv_tileaa.splat"(%s) : (f32) -> tensor<128x64xf32>
        %5 = "nv_tileaa.view"(%3) : (tensor<128xf32>) -> tensor<128x1xf32>
        %6 = arith.negf %5 : tensor<128x1xf32>
        %7 = "nv_tileaa.broadcast"(%6) : (tensor<128x1xf32>) -> tensor<128x64xf32>
        %8 = math.fma %x, %4, %7 : tensor<128x64xf32>
        scf.yield %8, %3 : tensor<128x64xf32>, tensor<128xf32>
      } else {
        %0 = "nv_tileaa.splat"(%s) : (f32) -> tensor<128x64xf32>
        %1 = math.fma %x, %0, %mask : tensor<128x64xf32>
        %2 = "nv_tileaa.reduce"(%1) ({
        ^bb0(%p: f32, %q: f32):
          %z = arith.maxnumf %p, %q : f32
          "nv_tileaa.yield_values"(%z) : (f32) -> ()
        }) {axis = 1 : i64} : (tensor<128x64xf32>) -> tensor<128xf32>
        %3 = arith.maxnumf %top, %2 : tensor<128xf32>
        %4 = "nv_tileaa.view"(%3) : (tensor<128xf32>) -> tensor<128x1xf32>
        %5 = "nv_tileaa.broadcast"(%4) : (tensor<128x1xf32>) -> tensor<128x64xf32>
        %6 = arith.subf %1, %5 : tensor<128x64xf32>
        scf.yield %6, %3 : tensor<128x64xf32>, tensor<128xf32>
      }
      %e = math.exp2 %y#0 : tensor<128x64xf32>
      %sum = arith.addf %acc, %e : tensor<128x64xf32>
      scf.yield %sum, %y#1 : tensor<128x64xf32>, tensor<128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32, f32) -> (), tilec.kernel = {params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}, {kind = "scalar", name = "S", dtype = "f32"}]}} : () -> ()
}

// -----

// Sides that share nothing stay, and so does a product where the other side would need one with 1 and
// no register is saved.

// CHECK-LABEL: module @nothing_shared
// CHECK:           scf.if
// CHECK-NEXT:        arith.mulf
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      } else {
// CHECK-NEXT:        math.exp
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield
module @nothing_shared {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32, %s: f32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = arith.constant dense<1.0> : tensor<64x64xbf16>
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
    %t = "nv_tileaa.splat"(%s) : (f32) -> tensor<64x64xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %early = arith.cmpi slt, %i, %w : i32
      %y = scf.if %early -> (tensor<64x64xf32>) {
        %z = arith.mulf %x, %x : tensor<64x64xf32>
        scf.yield %z : tensor<64x64xf32>
      } else {
        %z = math.exp %x : tensor<64x64xf32>
        scf.yield %z : tensor<64x64xf32>
      }
      scf.yield %y : tensor<64x64xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32, f32) -> (), tilec.kernel = {params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}, {kind = "scalar", name = "S", dtype = "f32"}]}} : () -> ()
}
