// RUN: tilec opt %s --passes nv-tileaa-lead-branches --split-input-file | FileCheck %s

// Branches that the first rounds of a loop do not need are marked, and get what only they read.

// A mask from a round on. Rows and columns, from before the loop, are computed in the branch.

// CHECK-LABEL: module @mask_from_a_round_on
// CHECK-NOT:     make_range
// CHECK:         scf.for
// CHECK:           %[[C:.*]] = arith.cmpi sge
// CHECK-NEXT:      scf.if %[[C]]
// CHECK-COUNT-2:     nv_tileaa.make_range
// CHECK:             arith.cmpi sge, %{{.*}}, %{{.*}} : tensor<128x128xi32>
// CHECK:             arith.select
// CHECK:             arith.addf
// CHECK:           } else {
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      } {leading}
module @mask_from_a_round_on {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %filler = arith.constant dense<-1.0> : tensor<128x128xf32>
    %range = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<128xi32>
    %column = "nv_tileaa.view"(%range) : (tensor<128xi32>) -> tensor<128x1xi32>
    %rows = "nv_tileaa.broadcast"(%column) : (tensor<128x1xi32>) -> tensor<128x128xi32>
    %row = "nv_tileaa.view"(%range) : (tensor<128xi32>) -> tensor<1x128xi32>
    %result = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %masked = arith.cmpi sge, %i, %w : i32
      %s = scf.if %masked -> (tensor<128x128xf32>) {
        %first = "nv_tileaa.splat"(%i) : (i32) -> tensor<1x128xi32>
        %line = arith.addi %first, %row : tensor<1x128xi32>
        %columns = "nv_tileaa.broadcast"(%line) : (tensor<1x128xi32>) -> tensor<128x128xi32>
        %seen = arith.cmpi sge, %rows, %columns : tensor<128x128xi32>
        %m = arith.select %seen, %zeros, %filler : tensor<128x128xi1>, tensor<128x128xf32>
        %y = arith.addf %x, %m : tensor<128x128xf32>
        scf.yield %y : tensor<128x128xf32>
      } else {
        scf.yield %x : tensor<128x128xf32>
      }
      scf.yield %s : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}]}} : () -> ()
}

// -----

// What others read, too, stays where it is; the side that does nothing may be the first one. Of two
// conditions that only become true, so does each and either.

// CHECK-LABEL: module @read_outside
// CHECK:         %[[T:.*]] = math.exp
// CHECK:         scf.for
// CHECK:           scf.if
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      } else {
// CHECK-NEXT:        arith.mulf %{{.*}}, %[[T]]
// CHECK:           } {leading}
module @read_outside {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %ones = "nv_tileaa.dot"(%a, %a, %zeros) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
    %t = math.exp %ones : tensor<128x128xf32>
    %result = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %t) -> (tensor<128x128xf32>) : i32 {
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %late = arith.cmpi sgt, %i, %w : i32
      %far = arith.cmpi ule, %c1, %i : i32
      %both = arith.andi %late, %far : i1
      %early = arith.xori %both, %true : i1
      %s = scf.if %early -> (tensor<128x128xf32>) {
        scf.yield %x : tensor<128x128xf32>
      } else {
        %y = arith.mulf %x, %t : tensor<128x128xf32>
        scf.yield %y : tensor<128x128xf32>
      }
      scf.yield %s : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}]}} : () -> ()
}

// -----

// The rounds that compute come first, or in any order, or both sides compute and cannot change places.

// CHECK-LABEL: module @not_leading
// CHECK-NOT:     leading
module @not_leading {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %result = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %early = arith.cmpi slt, %i, %w : i32
      %s = scf.if %early -> (tensor<128x128xf32>) {
        %y = arith.mulf %x, %x : tensor<128x128xf32>
        scf.yield %y : tensor<128x128xf32>
      } else {
        scf.yield %x : tensor<128x128xf32>
      }
      %once = arith.cmpi eq, %i, %w : i32
      %t = scf.if %once -> (tensor<128x128xf32>) {
        %y = arith.mulf %s, %s : tensor<128x128xf32>
        scf.yield %y : tensor<128x128xf32>
      } else {
        scf.yield %s : tensor<128x128xf32>
      }
      %late = arith.cmpi sge, %i, %w : i32
      %positive = arith.cmpi sgt, %w, %c0 : i32
      %both = arith.andi %late, %positive : i1
      %u = scf.if %both -> (tensor<128x128xf32>) {
        %y = arith.mulf %t, %t : tensor<128x128xf32>
        scf.yield %y : tensor<128x128xf32>
      } else {
        %y = arith.addf %t, %t : tensor<128x128xf32>
        scf.yield %y : tensor<128x128xf32>
      }
      scf.yield %u : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}]}} : () -> ()
}

// -----

// A loop without products waits for memory, not for its instructions.

// CHECK-LABEL: module @no_product
// CHECK-NOT:     leading
module @no_product {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %result = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zeros) -> (tensor<128x128xf32>) : i32 {
      %late = arith.cmpi sge, %i, %w : i32
      %s = scf.if %late -> (tensor<128x128xf32>) {
        %y = arith.mulf %x, %x : tensor<128x128xf32>
        scf.yield %y : tensor<128x128xf32>
      } else {
        scf.yield %x : tensor<128x128xf32>
      }
      scf.yield %s : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}]}} : () -> ()
}

// -----

// Both sides compute: that of the first rounds comes first.

// CHECK-LABEL: module @both_sides_compute
// CHECK:         %[[EARLY:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : i32
// CHECK-NEXT:    scf.if %[[EARLY]]
// CHECK-NEXT:      arith.addf
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    } else {
// CHECK-NEXT:      arith.mulf
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    } {leading}
module @both_sides_compute {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %result = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %late = arith.cmpi sge, %i, %w : i32
      %s = scf.if %late -> (tensor<128x128xf32>) {
        %y = arith.mulf %x, %x : tensor<128x128xf32>
        scf.yield %y : tensor<128x128xf32>
      } else {
        %y = arith.addf %x, %x : tensor<128x128xf32>
        scf.yield %y : tensor<128x128xf32>
      }
      scf.yield %s : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}]}} : () -> ()
}
