// RUN: tilec opt %s --passes nv-tileaa-skip-added-masks --split-input-file --verify-diagnostics | FileCheck %s

// Masks of 0 and -inf are added only to the tiles that need them.

// The ragged end and the diagonal, one after the other: one branch holds both sums and their masks.

// CHECK-LABEL: module @two_masks
// CHECK:           %[[X:.*]] = "nv_tileaa.dot"
// CHECK-NOT:       tensor<1x128xi32>
// CHECK-NOT:       addf
// CHECK:           %[[S:.*]] = scf.if %{{.*}} -> (tensor<128x128xf32>) {
// CHECK-NEXT:        scf.yield %[[X]]
// CHECK-NEXT:      } else {
// CHECK-COUNT-2:     nv_tileaa.make_range
// CHECK:             arith.addf %[[X]], %{{.*}} : tensor<128x128xf32>
// CHECK-NEXT:        arith.addf
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield %[[S]]
module @two_masks {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %c127 = arith.constant 127 : i32
    %up = arith.addi %n, %c127 : i32
    %end = arith.divsi %up, %c128 : i32
    %zero = arith.constant 0.0 : f32
    %least = arith.constant 0xFF800000 : f32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %range = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<128xi32>
    %m = "nv_tileaa.get_program_id"() {axis = 0 : i32} : () -> i32
    %top = arith.muli %m, %c128 : i32
    %tops = "nv_tileaa.splat"(%top) : (i32) -> tensor<128xi32>
    %heights = arith.addi %tops, %range : tensor<128xi32>
    %column = "nv_tileaa.view"(%heights) : (tensor<128xi32>) -> tensor<128x1xi32>
    %rows = "nv_tileaa.broadcast"(%column) : (tensor<128x1xi32>) -> tensor<128x128xi32>
    %result = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %x = "nv_tileaa.dot"(%a, %a, %zeros) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %starts = "nv_tileaa.splat"(%first) : (i32) -> tensor<128xi32>
      %line = arith.addi %starts, %range : tensor<128xi32>
      %row = "nv_tileaa.view"(%line) : (tensor<128xi32>) -> tensor<1x128xi32>
      %limit = "nv_tileaa.splat"(%n) : (i32) -> tensor<1x128xi32>
      %p = arith.cmpi slt, %row, %limit : tensor<1x128xi32>
      %z1 = "nv_tileaa.splat"(%zero) : (f32) -> tensor<1x128xf32>
      %l1 = "nv_tileaa.splat"(%least) : (f32) -> tensor<1x128xf32>
      %m1 = arith.select %p, %z1, %l1 : tensor<1x128xi1>, tensor<1x128xf32>
      %w1 = "nv_tileaa.broadcast"(%m1) : (tensor<1x128xf32>) -> tensor<128x128xf32>
      %columns = "nv_tileaa.broadcast"(%row) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %q = arith.cmpi sge, %rows, %columns : tensor<128x128xi32>
      %l2 = "nv_tileaa.splat"(%least) : (f32) -> tensor<128x128xf32>
      %w2 = arith.select %q, %zeros, %l2 : tensor<128x128xi1>, tensor<128x128xf32>
      %o = arith.addf %x, %w1 : tensor<128x128xf32>
      // expected-remark@+1 {{the mask is added for no tiles with round * 128 + 127 < N and round * 128 + 126 < block[0] * 128}}
      %s = arith.addf %o, %w2 : tensor<128x128xf32>
      scf.yield %s : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}]}} : () -> ()
}

// -----

// What is added to may be -0, and -0 + 0 is +0.

// CHECK-LABEL: module @may_be_minus_zero
// CHECK-NOT:     scf.if
// CHECK:         scf.yield
module @may_be_minus_zero {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %c127 = arith.constant 127 : i32
    %up = arith.addi %n, %c127 : i32
    %end = arith.divsi %up, %c128 : i32
    %zero = arith.constant 0.0 : f32
    %least = arith.constant 0xFF800000 : f32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %range = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<128xi32>
    %m = "nv_tileaa.get_program_id"() {axis = 0 : i32} : () -> i32
    %top = arith.muli %m, %c128 : i32
    %tops = "nv_tileaa.splat"(%top) : (i32) -> tensor<128xi32>
    %heights = arith.addi %tops, %range : tensor<128xi32>
    %column = "nv_tileaa.view"(%heights) : (tensor<128xi32>) -> tensor<128x1xi32>
    %rows = "nv_tileaa.broadcast"(%column) : (tensor<128x1xi32>) -> tensor<128x128xi32>
    %result = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %starts = "nv_tileaa.splat"(%first) : (i32) -> tensor<128xi32>
      %line = arith.addi %starts, %range : tensor<128xi32>
      %row = "nv_tileaa.view"(%line) : (tensor<128xi32>) -> tensor<1x128xi32>
      %limit = "nv_tileaa.splat"(%n) : (i32) -> tensor<1x128xi32>
      %p = arith.cmpi slt, %row, %limit : tensor<1x128xi32>
      %z1 = "nv_tileaa.splat"(%zero) : (f32) -> tensor<1x128xf32>
      %l1 = "nv_tileaa.splat"(%least) : (f32) -> tensor<1x128xf32>
      %m1 = arith.select %p, %z1, %l1 : tensor<1x128xi1>, tensor<1x128xf32>
      %w1 = "nv_tileaa.broadcast"(%m1) : (tensor<1x128xf32>) -> tensor<128x128xf32>
      %columns = "nv_tileaa.broadcast"(%row) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %q = arith.cmpi sge, %rows, %columns : tensor<128x128xi32>
      %l2 = "nv_tileaa.splat"(%least) : (f32) -> tensor<128x128xf32>
      %w2 = arith.select %q, %zeros, %l2 : tensor<128x128xi1>, tensor<128x128xf32>
      %s = arith.addf %x, %w2 : tensor<128x128xf32>
      scf.yield %s : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}]}} : () -> ()
}

// -----

// The sum with the first mask is read, too, so each mask gets a branch.

// CHECK-LABEL: module @read_between
// CHECK:           %[[O:.*]] = scf.if
// CHECK:             arith.addf
// CHECK:           scf.if
// CHECK-NEXT:        scf.yield %[[O]]
// CHECK:             arith.addf
// CHECK:           math.exp2 %[[O]]
module @read_between {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %c127 = arith.constant 127 : i32
    %up = arith.addi %n, %c127 : i32
    %end = arith.divsi %up, %c128 : i32
    %zero = arith.constant 0.0 : f32
    %least = arith.constant 0xFF800000 : f32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %range = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<128xi32>
    %m = "nv_tileaa.get_program_id"() {axis = 0 : i32} : () -> i32
    %top = arith.muli %m, %c128 : i32
    %tops = "nv_tileaa.splat"(%top) : (i32) -> tensor<128xi32>
    %heights = arith.addi %tops, %range : tensor<128xi32>
    %column = "nv_tileaa.view"(%heights) : (tensor<128xi32>) -> tensor<128x1xi32>
    %rows = "nv_tileaa.broadcast"(%column) : (tensor<128x1xi32>) -> tensor<128x128xi32>
    %result = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %x = "nv_tileaa.dot"(%a, %a, %zeros) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %starts = "nv_tileaa.splat"(%first) : (i32) -> tensor<128xi32>
      %line = arith.addi %starts, %range : tensor<128xi32>
      %row = "nv_tileaa.view"(%line) : (tensor<128xi32>) -> tensor<1x128xi32>
      %limit = "nv_tileaa.splat"(%n) : (i32) -> tensor<1x128xi32>
      %p = arith.cmpi slt, %row, %limit : tensor<1x128xi32>
      %z1 = "nv_tileaa.splat"(%zero) : (f32) -> tensor<1x128xf32>
      %l1 = "nv_tileaa.splat"(%least) : (f32) -> tensor<1x128xf32>
      %m1 = arith.select %p, %z1, %l1 : tensor<1x128xi1>, tensor<1x128xf32>
      %w1 = "nv_tileaa.broadcast"(%m1) : (tensor<1x128xf32>) -> tensor<128x128xf32>
      %columns = "nv_tileaa.broadcast"(%row) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %q = arith.cmpi sge, %rows, %columns : tensor<128x128xi32>
      %l2 = "nv_tileaa.splat"(%least) : (f32) -> tensor<128x128xf32>
      %w2 = arith.select %q, %zeros, %l2 : tensor<128x128xi1>, tensor<128x128xf32>
      // expected-remark@+1 {{the mask is added for no tiles with round * 128 + 127 < N}}
      %o = arith.addf %x, %w1 : tensor<128x128xf32>
      // expected-remark@+1 {{the mask is added for no tiles with round * 128 + 126 < block[0] * 128}}
      %t = arith.addf %o, %w2 : tensor<128x128xf32>
      %e = math.exp2 %o : tensor<128x128xf32>
      %s = arith.mulf %t, %e : tensor<128x128xf32>
      scf.yield %s : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}]}} : () -> ()
}

// -----

// Masks of other numbers are added to all tiles.

// CHECK-LABEL: module @no_zeros
// CHECK-NOT:     scf.if
// CHECK:         scf.yield
module @no_zeros {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %c127 = arith.constant 127 : i32
    %up = arith.addi %n, %c127 : i32
    %end = arith.divsi %up, %c128 : i32
    %zero = arith.constant 0.0 : f32
    %least = arith.constant 0xFF800000 : f32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %range = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<128xi32>
    %m = "nv_tileaa.get_program_id"() {axis = 0 : i32} : () -> i32
    %top = arith.muli %m, %c128 : i32
    %tops = "nv_tileaa.splat"(%top) : (i32) -> tensor<128xi32>
    %heights = arith.addi %tops, %range : tensor<128xi32>
    %column = "nv_tileaa.view"(%heights) : (tensor<128xi32>) -> tensor<128x1xi32>
    %rows = "nv_tileaa.broadcast"(%column) : (tensor<128x1xi32>) -> tensor<128x128xi32>
    %result = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %x = "nv_tileaa.dot"(%a, %a, %zeros) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %starts = "nv_tileaa.splat"(%first) : (i32) -> tensor<128xi32>
      %line = arith.addi %starts, %range : tensor<128xi32>
      %row = "nv_tileaa.view"(%line) : (tensor<128xi32>) -> tensor<1x128xi32>
      %limit = "nv_tileaa.splat"(%n) : (i32) -> tensor<1x128xi32>
      %p = arith.cmpi slt, %row, %limit : tensor<1x128xi32>
      %z1 = "nv_tileaa.splat"(%least) : (f32) -> tensor<1x128xf32>
      %l1 = "nv_tileaa.splat"(%least) : (f32) -> tensor<1x128xf32>
      %m1 = arith.select %p, %z1, %l1 : tensor<1x128xi1>, tensor<1x128xf32>
      %w1 = "nv_tileaa.broadcast"(%m1) : (tensor<1x128xf32>) -> tensor<128x128xf32>
      %columns = "nv_tileaa.broadcast"(%row) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %q = arith.cmpi sge, %rows, %columns : tensor<128x128xi32>
      %l2 = "nv_tileaa.splat"(%least) : (f32) -> tensor<128x128xf32>
      %w2 = arith.select %q, %zeros, %l2 : tensor<128x128xi1>, tensor<128x128xf32>
      %s = arith.addf %x, %w1 : tensor<128x128xf32>
      scf.yield %s : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}]}} : () -> ()
}
