// RUN: tilec opt %s --passes nv-tileaa-sum-after-loops --split-input-file | FileCheck %s

// Each lane adds up columns of its own, multiplied by the factor of the row. Lanes meet after the loop.
// CHECK-LABEL: module @a_sum_that_fades
// CHECK:         %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<64x8xf32>
// CHECK:         %[[R:.*]] = scf.for {{.*}} iter_args(%[[T:.*]] = %[[ZEROS]]) -> (tensor<64x8xf32>)
// CHECK:           %[[W:.*]] = math.exp2 %[[D:.*]] : tensor<64x64xf32>
// CHECK:           %[[F:.*]] = math.exp2 %{{.*}} : tensor<64x1xf32>
// CHECK-NEXT:      %[[WIDE:.*]] = "nv_tileaa.broadcast"(%[[F]]) : (tensor<64x1xf32>) -> tensor<64x8xf32>
// CHECK-NEXT:      %[[V:.*]] = "nv_tileaa.view"(%[[W]]) : (tensor<64x64xf32>) -> tensor<64x8x8xf32>
// CHECK-NEXT:      %[[S:.*]] = "nv_tileaa.reduce"(%[[V]])
// CHECK:           axis = 1 : i64} : (tensor<64x8x8xf32>) -> tensor<64x8xf32>
// CHECK-NEXT:      %[[N:.*]] = math.fma %[[T]], %[[WIDE]], %[[S]] : tensor<64x8xf32>
// CHECK-NEXT:      scf.yield %[[N]]
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[TOTAL:.*]] = "nv_tileaa.reduce"(%[[R]])
// CHECK:         axis = 1 : i64} : (tensor<64x8xf32>) -> tensor<64xf32>
// CHECK-NEXT:    %[[VIEW:.*]] = "nv_tileaa.view"(%[[TOTAL]]) : (tensor<64xf32>) -> tensor<64x1xf32>
// CHECK-NEXT:    math.log %[[VIEW]]
module @a_sum_that_fades {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    %t0 = arith.constant dense<0.0> : tensor<64x1xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t0) -> (tensor<64x1xf32>) : i32 {
      %d = "nv_tileaa.dot"(%a, %b, %z) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %w = math.exp2 %d : tensor<64x64xf32>
      %s = "nv_tileaa.reduce"(%w) ({
      ^bb0(%x: f32, %y: f32):
        %p = arith.addf %x, %y : f32
        "nv_tileaa.yield_values"(%p) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<64x64xf32>) -> tensor<64xf32>
      %v = "nv_tileaa.view"(%s) : (tensor<64xf32>) -> tensor<64x1xf32>
      %g = "nv_tileaa.splat"(%i) : (i32) -> tensor<64x1xi32>
      %h = arith.sitofp %g : tensor<64x1xi32> to tensor<64x1xf32>
      %f = math.exp2 %h : tensor<64x1xf32>
      %m = math.fma %t, %f, %v : tensor<64x1xf32>
      scf.yield %m : tensor<64x1xf32>
    }
    %l = math.log %r : tensor<64x1xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x64xbf16>, tensor<64x64xbf16>, i32) -> ()} : () -> ()
}

// -----

// Several steps of a round: a product, and the sums of both sides of a branch.
// CHECK-LABEL: module @several_steps
// CHECK:         scf.for {{.*}} iter_args(%[[T:.*]] = %{{.*}}) -> (tensor<64x8xf32>)
// CHECK:           %[[G:.*]] = "nv_tileaa.view"(%{{.*}}) : (tensor<64xf32>) -> tensor<64x1xf32>
// CHECK-NEXT:      %[[WIDE:.*]] = "nv_tileaa.broadcast"(%[[G]])
// CHECK-NEXT:      %[[M:.*]] = arith.mulf %[[T]], %[[WIDE]] : tensor<64x8xf32>
// CHECK:           %[[S:.*]] = "nv_tileaa.reduce"
// CHECK:           arith.addf %[[S]], %[[M]] : tensor<64x8xf32>
// CHECK:         "nv_tileaa.reduce"
// CHECK:         (tensor<64x8xf32>) -> tensor<64xf32>
// CHECK-NEXT:    math.log %{{.*}} : tensor<64xf32>
module @several_steps {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    %t0 = arith.constant dense<0.0> : tensor<64xf32>
    %half = arith.constant dense<0.5> : tensor<64xf32>
    %c = arith.cmpi slt, %n, %c1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t0) -> (tensor<64xf32>) : i32 {
      %d = "nv_tileaa.dot"(%a, %b, %z) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %w = math.exp2 %d : tensor<64x64xf32>
      %u = scf.if %c -> (tensor<64x64xf32>) {
        scf.yield %w : tensor<64x64xf32>
      } else {
        %q = arith.addf %w, %d : tensor<64x64xf32>
        scf.yield %q : tensor<64x64xf32>
      }
      %s = "nv_tileaa.reduce"(%u) ({
      ^bb0(%x: f32, %y: f32):
        %p = arith.addf %x, %y : f32
        "nv_tileaa.yield_values"(%p) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<64x64xf32>) -> tensor<64xf32>
      %f = arith.mulf %t, %half : tensor<64xf32>
      %m = arith.addf %s, %f : tensor<64xf32>
      scf.yield %m : tensor<64xf32>
    }
    %l = math.log %r : tensor<64xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x64xbf16>, tensor<64x64xbf16>, i32) -> ()} : () -> ()
}

// -----

// A loop may carry numbers, too.
// CHECK-LABEL: module @a_number
// CHECK:         scf.for {{.*}} -> (tensor<64x8xf32>, i32)
module @a_number {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    %t0 = arith.constant dense<1.0> : tensor<64xf32>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t0, %count = %c0) -> (tensor<64xf32>, i32) : i32 {
      %next = arith.addi %count, %c1 : i32
      %d = "nv_tileaa.dot"(%a, %b, %z) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %w = math.exp2 %d : tensor<64x64xf32>
      %s = "nv_tileaa.reduce"(%w) ({
      ^bb0(%x: f32, %y: f32):
        %p = arith.addf %x, %y : f32
        "nv_tileaa.yield_values"(%p) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<64x64xf32>) -> tensor<64xf32>
      %m = arith.addf %t, %s : tensor<64xf32>
      scf.yield %m, %next : tensor<64xf32>, i32
    }
    %l = math.log %r#0 : tensor<64xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x64xbf16>, tensor<64x64xbf16>, i32) -> ()} : () -> ()
}

// -----

// What is there at first is divided among the columns.
// CHECK-LABEL: module @another_beginning
// CHECK:         %[[EIGHTH:.*]] = arith.constant dense<1.250000e-01> : tensor<64x8xf32>
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[EIGHTH]]) -> (tensor<64x8xf32>)
module @another_beginning {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    %t0 = arith.constant dense<1.0> : tensor<64xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t0) -> (tensor<64xf32>) : i32 {
      %d = "nv_tileaa.dot"(%a, %b, %z) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %w = math.exp2 %d : tensor<64x64xf32>
      %s = "nv_tileaa.reduce"(%w) ({
      ^bb0(%x: f32, %y: f32):
        %p = arith.addf %x, %y : f32
        "nv_tileaa.yield_values"(%p) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<64x64xf32>) -> tensor<64xf32>
      %m = arith.addf %t, %s : tensor<64xf32>
      scf.yield %m : tensor<64xf32>
    }
    %l = math.log %r : tensor<64xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x64xbf16>, tensor<64x64xbf16>, i32) -> ()} : () -> ()
}

// -----

// So is a sum that was computed.
// CHECK-LABEL: module @a_computed_beginning
// CHECK:         %[[VIEW:.*]] = "nv_tileaa.view"(%arg2) : (tensor<64xf32>) -> tensor<64x1xf32>
// CHECK:         %[[WIDE:.*]] = "nv_tileaa.broadcast"(%[[VIEW]]) : (tensor<64x1xf32>) -> tensor<64x8xf32>
// CHECK:         %[[PARTS:.*]] = arith.mulf %[[WIDE]], %{{.*}} : tensor<64x8xf32>
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[PARTS]]) -> (tensor<64x8xf32>)
module @a_computed_beginning {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %t0: tensor<64xf32>, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t0) -> (tensor<64xf32>) : i32 {
      %d = "nv_tileaa.dot"(%a, %b, %z) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %w = math.exp2 %d : tensor<64x64xf32>
      %s = "nv_tileaa.reduce"(%w) ({
      ^bb0(%x: f32, %y: f32):
        %p = arith.addf %x, %y : f32
        "nv_tileaa.yield_values"(%p) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<64x64xf32>) -> tensor<64xf32>
      %m = arith.addf %t, %s : tensor<64xf32>
      scf.yield %m : tensor<64xf32>
    }
    %l = math.log %r : tensor<64xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64xf32>, i32) -> ()} : () -> ()
}

// -----

// A round reads the sum so far.
// CHECK-LABEL: module @a_sum_that_a_round_reads
// CHECK-NOT:     tensor<64x8xf32>
// CHECK:         scf.for {{.*}} -> (tensor<64xf32>)
// CHECK-NOT:     tensor<64x8xf32>
module @a_sum_that_a_round_reads {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    %t0 = arith.constant dense<0.0> : tensor<64xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t0) -> (tensor<64xf32>) : i32 {
      %d = "nv_tileaa.dot"(%a, %b, %z) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %w = math.exp2 %d : tensor<64x64xf32>
      %s = "nv_tileaa.reduce"(%w) ({
      ^bb0(%x: f32, %y: f32):
        %p = arith.addf %x, %y : f32
        "nv_tileaa.yield_values"(%p) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<64x64xf32>) -> tensor<64xf32>
      %o = math.exp2 %t : tensor<64xf32>
      %e = arith.mulf %s, %o : tensor<64xf32>
      %m = arith.addf %t, %s : tensor<64xf32>
      scf.yield %m : tensor<64xf32>
    }
    %l = math.log %r : tensor<64xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x64xbf16>, tensor<64x64xbf16>, i32) -> ()} : () -> ()
}

// -----

// The largest element is no sum.
// CHECK-LABEL: module @a_largest_element
// CHECK-NOT:     tensor<64x8xf32>
// CHECK:         scf.for {{.*}} -> (tensor<64xf32>)
// CHECK-NOT:     tensor<64x8xf32>
module @a_largest_element {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    %t0 = arith.constant dense<0.0> : tensor<64xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t0) -> (tensor<64xf32>) : i32 {
      %d = "nv_tileaa.dot"(%a, %b, %z) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %w = math.exp2 %d : tensor<64x64xf32>
      %s = "nv_tileaa.reduce"(%w) ({
      ^bb0(%x: f32, %y: f32):
        %p = arith.maxnumf %x, %y : f32
        "nv_tileaa.yield_values"(%p) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<64x64xf32>) -> tensor<64xf32>
      %m = arith.addf %t, %s : tensor<64xf32>
      scf.yield %m : tensor<64xf32>
    }
    %l = math.log %r : tensor<64xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x64xbf16>, tensor<64x64xbf16>, i32) -> ()} : () -> ()
}

// -----

// Threads hold a tile that no product makes otherwise.
// CHECK-LABEL: module @another_tile
// CHECK-NOT:     tensor<64x8xf32>
// CHECK:         scf.for {{.*}} -> (tensor<64xf32>)
// CHECK-NOT:     tensor<64x8xf32>
module @another_tile {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    %t0 = arith.constant dense<0.0> : tensor<64xf32>
    %x0 = arith.constant 1.0 : f32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t0) -> (tensor<64xf32>) : i32 {
      %w = "nv_tileaa.splat"(%x0) : (f32) -> tensor<64x64xf32>
      %s = "nv_tileaa.reduce"(%w) ({
      ^bb0(%x: f32, %y: f32):
        %p = arith.addf %x, %y : f32
        "nv_tileaa.yield_values"(%p) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<64x64xf32>) -> tensor<64xf32>
      %m = arith.addf %t, %s : tensor<64xf32>
      scf.yield %m : tensor<64xf32>
    }
    %l = math.log %r : tensor<64xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x64xbf16>, tensor<64x64xbf16>, i32) -> ()} : () -> ()
}

// -----

// What is subtracted is no step.
// CHECK-LABEL: module @a_difference
// CHECK-NOT:     tensor<64x8xf32>
// CHECK:         scf.for {{.*}} -> (tensor<64xf32>)
// CHECK-NOT:     tensor<64x8xf32>
module @a_difference {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    %t0 = arith.constant dense<0.0> : tensor<64xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t0) -> (tensor<64xf32>) : i32 {
      %d = "nv_tileaa.dot"(%a, %b, %z) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %w = math.exp2 %d : tensor<64x64xf32>
      %s = "nv_tileaa.reduce"(%w) ({
      ^bb0(%x: f32, %y: f32):
        %p = arith.addf %x, %y : f32
        "nv_tileaa.yield_values"(%p) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<64x64xf32>) -> tensor<64xf32>
      %m = arith.subf %t, %s : tensor<64xf32>
      scf.yield %m : tensor<64xf32>
    }
    %l = math.log %r : tensor<64xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x64xbf16>, tensor<64x64xbf16>, i32) -> ()} : () -> ()
}

// -----

// Two sums of a loop.
// CHECK-LABEL: module @two_sums
// CHECK:         %[[R:.*]]:2 = scf.for {{.*}} -> (tensor<64x8xf32>, tensor<64x8xf32>)
// CHECK:         "nv_tileaa.reduce"(%[[R]]#1)
// CHECK:         "nv_tileaa.reduce"(%[[R]]#0)
module @two_sums {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    %e = arith.constant dense<0.0> : tensor<64xf32>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%t1 = %e, %t2 = %e) -> (tensor<64xf32>, tensor<64xf32>) : i32 {
      %d = "nv_tileaa.dot"(%a, %b, %z) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %w1 = math.exp2 %d : tensor<64x64xf32>
      %w2 = math.exp %d : tensor<64x64xf32>
      %s1 = "nv_tileaa.reduce"(%w1) ({
      ^bb0(%x: f32, %y: f32):
        %p = arith.addf %x, %y : f32
        "nv_tileaa.yield_values"(%p) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<64x64xf32>) -> tensor<64xf32>
      %m1 = arith.addf %t1, %s1 : tensor<64xf32>
      %s2 = "nv_tileaa.reduce"(%w2) ({
      ^bb0(%x: f32, %y: f32):
        %p = arith.addf %x, %y : f32
        "nv_tileaa.yield_values"(%p) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<64x64xf32>) -> tensor<64xf32>
      %m2 = arith.addf %t2, %s2 : tensor<64xf32>
      scf.yield %m1, %m2 : tensor<64xf32>, tensor<64xf32>
    }
    %l1 = math.log %r#0 : tensor<64xf32>
    %l2 = math.log %r#1 : tensor<64xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x64xbf16>, tensor<64x64xbf16>, i32) -> ()} : () -> ()
}
