// RUN: tilec opt %s --passes nv-tileaa-skip-masks --split-input-file --verify-diagnostics | FileCheck %s

// A mask is computed only for the tiles that need one.

// Everything that only the mask needs moves into the branch, from before the loop as well. Rows and
// columns get ranges of their own, since their layouts differ. The filler is a constant of the branch.

// CHECK-LABEL: module @ragged_and_causal
// CHECK-NOT:     nv_tileaa.make_range
// CHECK:         scf.for %[[I:[a-z0-9]+]] = 
// CHECK-NEXT:      %[[FIRST:.*]] = arith.muli %[[I]]
// CHECK-NEXT:      %[[X:.*]] = "nv_tileaa.dot"
// CHECK-NEXT:      %[[C127:.*]] = arith.constant 127 : i32
// CHECK-NEXT:      %[[LAST:.*]] = arith.addi %[[FIRST]], %[[C127]] : i32
// CHECK-NEXT:      %[[INSIDE:.*]] = arith.cmpi slt, %[[LAST]], %{{.*}} : i32
// CHECK:           %[[BELOW:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : i32
// CHECK-NEXT:      %[[ALL:.*]] = arith.andi %[[INSIDE]], %[[BELOW]] : i1
// CHECK-NEXT:      %[[S:.*]] = scf.if %[[ALL]] -> (tensor<128x128xf32>) {
// CHECK-NEXT:        scf.yield %[[X]] : tensor<128x128xf32>
// CHECK-NEXT:      } else {
// CHECK-COUNT-2:     nv_tileaa.make_range
// CHECK:             %[[M:.*]] = arith.andi %{{.*}}, %{{.*}} : tensor<128x128xi1>
// CHECK-NEXT:        %[[FILLER:.*]] = arith.constant dense<-1.000000e+00>
// CHECK-NEXT:        %[[CHOSEN:.*]] = arith.select %[[M]], %[[X]], %[[FILLER]]
// CHECK-NEXT:        scf.yield %[[CHOSEN]]
// CHECK-NEXT:      } {leading}
// CHECK:           scf.yield %[[S]]
module @ragged_and_causal {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c127 = arith.constant 127 : i32
    %c128 = arith.constant 128 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %filler = arith.constant dense<-1.0> : tensor<128x128xf32>
    %up = arith.addi %n, %c127 : i32
    %end = arith.divsi %up, %c128 : i32
    %range = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<128xi32>
    %m = "nv_tileaa.get_program_id"() {axis = 0 : i32} : () -> i32
    %top = arith.muli %m, %c128 : i32
    %tops = "nv_tileaa.splat"(%top) : (i32) -> tensor<128xi32>
    %heights = arith.addi %tops, %range : tensor<128xi32>
    %column = "nv_tileaa.view"(%heights) : (tensor<128xi32>) -> tensor<128x1xi32>
    %rows = "nv_tileaa.broadcast"(%column) : (tensor<128x1xi32>) -> tensor<128x128xi32>
    %limit = "nv_tileaa.splat"(%n) : (i32) -> tensor<128x128xi32>
    %result = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %starts = "nv_tileaa.splat"(%first) : (i32) -> tensor<128xi32>
      %line = arith.addi %starts, %range : tensor<128xi32>
      %row = "nv_tileaa.view"(%line) : (tensor<128xi32>) -> tensor<1x128xi32>
      %columns = "nv_tileaa.broadcast"(%row) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %p = arith.cmpi slt, %columns, %limit : tensor<128x128xi32>
      %q = arith.cmpi sge, %rows, %columns : tensor<128x128xi32>
      %mask = arith.andi %p, %q : tensor<128x128xi1>
      // expected-remark@+1 {{the mask is skipped for tiles with round * 128 + 127 < N and round * 128 + 126 < block[0] * 128, the first ones of the loop}}
      %s = arith.select %mask, %x, %filler : tensor<128x128xi1>, tensor<128x128xf32>
      scf.yield %s : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}]}} : () -> ()
}

// -----

// The rounds without a mask come last here.

// CHECK-LABEL: module @first_rounds_are_masked
// CHECK:         scf.if
// CHECK-NOT:     leading
// CHECK:         scf.yield
module @first_rounds_are_masked {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c127 = arith.constant 127 : i32
    %c128 = arith.constant 128 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %filler = arith.constant dense<-1.0> : tensor<128x128xf32>
    %up = arith.addi %n, %c127 : i32
    %end = arith.divsi %up, %c128 : i32
    %range = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<128xi32>
    %limit = "nv_tileaa.splat"(%w) : (i32) -> tensor<128x128xi32>
    %result = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %starts = "nv_tileaa.splat"(%first) : (i32) -> tensor<128xi32>
      %line = arith.addi %starts, %range : tensor<128xi32>
      %row = "nv_tileaa.view"(%line) : (tensor<128xi32>) -> tensor<1x128xi32>
      %columns = "nv_tileaa.broadcast"(%row) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %mask = arith.cmpi sgt, %columns, %limit : tensor<128x128xi32>
      // expected-remark@+1 {{the mask is skipped for tiles with W < round * 128}}
      %s = arith.select %mask, %x, %filler : tensor<128x128xi1>, tensor<128x128xf32>
      scf.yield %s : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}]}} : () -> ()
}

// -----

// The usual value of a mask is the one that does not choose the filler: here the test asks whether
// nothing is outside of the row.

// CHECK-LABEL: module @usually_false
// CHECK:         arith.cmpi slt, %{{.*}}, %{{.*}} : i32
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      scf.yield %[[X:.*]] : tensor
// CHECK:           arith.xori
// CHECK:           arith.select %{{.*}}, %{{.*}}, %[[X]]
module @usually_false {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c127 = arith.constant 127 : i32
    %c128 = arith.constant 128 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %filler = arith.constant dense<-1.0> : tensor<128x128xf32>
    %up = arith.addi %n, %c127 : i32
    %end = arith.divsi %up, %c128 : i32
    %range = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<128xi32>
    %limit = "nv_tileaa.splat"(%n) : (i32) -> tensor<128x128xi32>
    %yes = arith.constant dense<true> : tensor<128x128xi1>
    %result = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %starts = "nv_tileaa.splat"(%first) : (i32) -> tensor<128xi32>
      %line = arith.addi %starts, %range : tensor<128xi32>
      %row = "nv_tileaa.view"(%line) : (tensor<128xi32>) -> tensor<1x128xi32>
      %columns = "nv_tileaa.broadcast"(%row) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %p = arith.cmpi slt, %columns, %limit : tensor<128x128xi32>
      %mask = arith.xori %p, %yes : tensor<128x128xi1>
      // expected-remark@+1 {{the mask is skipped for tiles with round * 128 + 127 < N}}
      %s = arith.select %mask, %filler, %x : tensor<128x128xi1>, tensor<128x128xf32>
      scf.yield %s : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}]}} : () -> ()
}

// -----

// W is any number, so an index may wrap around. The test then counts in 64 bits, and asks whether the
// indices fit in 32.

// CHECK-LABEL: module @indices_that_may_wrap
// CHECK:         arith.extsi %{{.*}} : i32 to i64
// CHECK:         %[[LESS:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : i64
// CHECK:         %[[FITS:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : i64
// CHECK-NEXT:    %[[ALL:.*]] = arith.andi %[[LESS]], %[[FITS]]
// CHECK-NEXT:    scf.if %[[ALL]]
module @indices_that_may_wrap {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c127 = arith.constant 127 : i32
    %c128 = arith.constant 128 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %filler = arith.constant dense<-1.0> : tensor<128x128xf32>
    %up = arith.addi %n, %c127 : i32
    %end = arith.divsi %up, %c128 : i32
    %range = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<128xi32>
    %limit = "nv_tileaa.splat"(%n) : (i32) -> tensor<128x128xi32>
    %width = "nv_tileaa.splat"(%w) : (i32) -> tensor<128x128xi32>
    %result = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %starts = "nv_tileaa.splat"(%first) : (i32) -> tensor<128xi32>
      %line = arith.addi %starts, %range : tensor<128xi32>
      %row = "nv_tileaa.view"(%line) : (tensor<128xi32>) -> tensor<1x128xi32>
      %columns = "nv_tileaa.broadcast"(%row) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %moved = arith.addi %columns, %width : tensor<128x128xi32>
      %mask = arith.cmpi slt, %moved, %limit : tensor<128x128xi32>
      // expected-remark@+1 {{the mask is skipped for tiles with round * 128 + W + 127 < N and round * 128 + W < 2147483521}}
      %s = arith.select %mask, %x, %filler : tensor<128x128xi1>, tensor<128x128xf32>
      scf.yield %s : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}]}} : () -> ()
}

// -----

// A number that is not negative, and less than another as a signed number, is also less as an unsigned
// one.

// CHECK-LABEL: module @unsigned_numbers
// CHECK:         arith.cmpi slt, %{{.*}}, %{{.*}} : i32
// CHECK:         scf.if
module @unsigned_numbers {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c127 = arith.constant 127 : i32
    %c128 = arith.constant 128 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %filler = arith.constant dense<-1.0> : tensor<128x128xf32>
    %up = arith.addi %n, %c127 : i32
    %end = arith.divsi %up, %c128 : i32
    %range = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<128xi32>
    %limit = "nv_tileaa.splat"(%n) : (i32) -> tensor<128x128xi32>
    %width = "nv_tileaa.splat"(%w) : (i32) -> tensor<128x128xi32>
    %result = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %starts = "nv_tileaa.splat"(%first) : (i32) -> tensor<128xi32>
      %line = arith.addi %starts, %range : tensor<128xi32>
      %row = "nv_tileaa.view"(%line) : (tensor<128xi32>) -> tensor<1x128xi32>
      %columns = "nv_tileaa.broadcast"(%row) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %mask = arith.cmpi ult, %columns, %width : tensor<128x128xi32>
      // expected-remark@+1 {{the mask is skipped for tiles with round * 128 + 127 < W}}
      %s = arith.select %mask, %x, %filler : tensor<128x128xi1>, tensor<128x128xf32>
      scf.yield %s : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}]}} : () -> ()
}

// -----

// Of two parts one is enough. A part without a test never counts: it stays outside of the branch.

// CHECK-LABEL: module @either_part
// CHECK:         %[[LOADED:.*]] = arith.cmpf
// CHECK:         arith.cmpi slt, %{{.*}}, %{{.*}} : i32
// CHECK-NEXT:    scf.if
// CHECK:           arith.ori %{{.*}}, %[[LOADED]]
module @either_part {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c127 = arith.constant 127 : i32
    %c128 = arith.constant 128 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %filler = arith.constant dense<-1.0> : tensor<128x128xf32>
    %up = arith.addi %n, %c127 : i32
    %end = arith.divsi %up, %c128 : i32
    %range = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<128xi32>
    %limit = "nv_tileaa.splat"(%n) : (i32) -> tensor<128x128xi32>
    %result = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %starts = "nv_tileaa.splat"(%first) : (i32) -> tensor<128xi32>
      %line = arith.addi %starts, %range : tensor<128xi32>
      %row = "nv_tileaa.view"(%line) : (tensor<128xi32>) -> tensor<1x128xi32>
      %columns = "nv_tileaa.broadcast"(%row) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %p = arith.cmpi slt, %columns, %limit : tensor<128x128xi32>
      %q = arith.cmpf olt, %x, %acc : tensor<128x128xf32>
      %mask = arith.ori %p, %q : tensor<128x128xi1>
      // expected-remark@+1 {{the mask is skipped for tiles with round * 128 + 127 < N}}
      %s = arith.select %mask, %x, %filler : tensor<128x128xi1>, tensor<128x128xf32>
      scf.yield %s : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}]}} : () -> ()
}

// -----

// Two selects with the same test share a branch. The third one reads the second, so it has its own.

// CHECK-LABEL: module @one_branch_for_equal_tests
// CHECK:         %[[TWO:.*]]:2 = scf.if
// CHECK:           arith.select
// CHECK:           arith.select
// CHECK:           scf.yield
// CHECK:         %[[SUM:.*]] = arith.addf %[[TWO]]#0, %[[TWO]]#1
// CHECK:         scf.if
// CHECK-NEXT:      scf.yield %[[SUM]]
// CHECK:           arith.select
// CHECK-NOT:       arith.select
module @one_branch_for_equal_tests {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c127 = arith.constant 127 : i32
    %c128 = arith.constant 128 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %filler = arith.constant dense<-1.0> : tensor<128x128xf32>
    %up = arith.addi %n, %c127 : i32
    %end = arith.divsi %up, %c128 : i32
    %range = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<128xi32>
    %limit = "nv_tileaa.splat"(%n) : (i32) -> tensor<128x128xi32>
    %result = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %starts = "nv_tileaa.splat"(%first) : (i32) -> tensor<128xi32>
      %line = arith.addi %starts, %range : tensor<128xi32>
      %row = "nv_tileaa.view"(%line) : (tensor<128xi32>) -> tensor<1x128xi32>
      %columns = "nv_tileaa.broadcast"(%row) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %mask = arith.cmpi slt, %columns, %limit : tensor<128x128xi32>
      // expected-remark@+1 {{the mask is skipped for tiles}}
      %s = arith.select %mask, %x, %filler : tensor<128x128xi1>, tensor<128x128xf32>
      // expected-remark@+1 {{the mask is skipped for tiles}}
      %t = arith.select %mask, %acc, %x : tensor<128x128xi1>, tensor<128x128xf32>
      %sum = arith.addf %s, %t : tensor<128x128xf32>
      // expected-remark@+1 {{the mask is skipped for tiles}}
      %u = arith.select %mask, %sum, %filler : tensor<128x128xi1>, tensor<128x128xf32>
      scf.yield %u : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}]}} : () -> ()
}

// -----

// The columns of a tile are less than its first column and 128: no branch is needed.

// CHECK-LABEL: module @always_true
// CHECK-NOT:     arith.select
// CHECK-NOT:     scf.if
// CHECK:         "nv_tileaa.return"
module @always_true {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c127 = arith.constant 127 : i32
    %c128 = arith.constant 128 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %filler = arith.constant dense<-1.0> : tensor<128x128xf32>
    %up = arith.addi %n, %c127 : i32
    %end = arith.divsi %up, %c128 : i32
    %range = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<128xi32>
    %step = "nv_tileaa.splat"(%c128) : (i32) -> tensor<128x128xi32>
    %result = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %starts = "nv_tileaa.splat"(%first) : (i32) -> tensor<128xi32>
      %line = arith.addi %starts, %range : tensor<128xi32>
      %row = "nv_tileaa.view"(%line) : (tensor<128xi32>) -> tensor<1x128xi32>
      %columns = "nv_tileaa.broadcast"(%row) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %here = "nv_tileaa.splat"(%first) : (i32) -> tensor<128x128xi32>
      %after = arith.subi %columns, %here : tensor<128x128xi32>
      %mask = arith.cmpi slt, %after, %step : tensor<128x128xi32>
      // expected-remark@+1 {{the mask is removed: it selects the same everywhere}}
      %s = arith.select %mask, %x, %filler : tensor<128x128xi1>, tensor<128x128xf32>
      scf.yield %s : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}]}} : () -> ()
}

// -----

// A bool that is the same for all elements is its own test, and equal numbers are compared both ways.

// CHECK-LABEL: module @scalars_decide
// CHECK:         %[[EVEN:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : i32
// CHECK:         %[[ONE:.*]] = arith.andi %[[EVEN]], %{{.*}} : i1
// CHECK-NEXT:    %[[ALL:.*]] = arith.andi %[[ONE]], %{{.*}} : i1
// CHECK-NEXT:    scf.if %[[ALL]]
module @scalars_decide {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c127 = arith.constant 127 : i32
    %c128 = arith.constant 128 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %filler = arith.constant dense<-1.0> : tensor<128x128xf32>
    %up = arith.addi %n, %c127 : i32
    %end = arith.divsi %up, %c128 : i32
    %range = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<128xi32>
    %limit = "nv_tileaa.splat"(%n) : (i32) -> tensor<128x128xi32>
    %width = "nv_tileaa.splat"(%w) : (i32) -> tensor<128x128xi32>
    %result = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %even = arith.cmpi eq, %first, %w : i32
      %p = "nv_tileaa.splat"(%even) : (i1) -> tensor<128x128xi1>
      %q = arith.cmpi eq, %limit, %width : tensor<128x128xi32>
      %mask = arith.andi %p, %q : tensor<128x128xi1>
      // expected-remark@+1 {{the mask is skipped for tiles with ... and N < W + 1 and W < N + 1}}
      %s = arith.select %mask, %x, %filler : tensor<128x128xi1>, tensor<128x128xf32>
      scf.yield %s : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}]}} : () -> ()
}

// -----

// A mask that is also a number is computed anyway.

// CHECK-LABEL: module @used_otherwise
// CHECK-NOT:     scf.if
// CHECK:         arith.select
module @used_otherwise {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c127 = arith.constant 127 : i32
    %c128 = arith.constant 128 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %filler = arith.constant dense<-1.0> : tensor<128x128xf32>
    %up = arith.addi %n, %c127 : i32
    %end = arith.divsi %up, %c128 : i32
    %range = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<128xi32>
    %limit = "nv_tileaa.splat"(%n) : (i32) -> tensor<128x128xi32>
    %result = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %starts = "nv_tileaa.splat"(%first) : (i32) -> tensor<128xi32>
      %line = arith.addi %starts, %range : tensor<128xi32>
      %row = "nv_tileaa.view"(%line) : (tensor<128xi32>) -> tensor<1x128xi32>
      %columns = "nv_tileaa.broadcast"(%row) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %mask = arith.cmpi slt, %columns, %limit : tensor<128x128xi32>
      %number = arith.uitofp %mask : tensor<128x128xi1> to tensor<128x128xf32>
      // expected-remark@+1 {{the mask is computed for every tile: it is also used for something else than selecting}}
      %s = arith.select %mask, %x, %filler : tensor<128x128xi1>, tensor<128x128xf32>
      %sum = arith.addf %s, %number : tensor<128x128xf32>
      scf.yield %sum : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}]}} : () -> ()
}

// -----

// Nothing is known of values.

// CHECK-LABEL: module @values_decide
// CHECK-NOT:     scf.if
// CHECK:         arith.select
module @values_decide {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c127 = arith.constant 127 : i32
    %c128 = arith.constant 128 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %filler = arith.constant dense<-1.0> : tensor<128x128xf32>
    %up = arith.addi %n, %c127 : i32
    %end = arith.divsi %up, %c128 : i32
    %range = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<128xi32>

    %result = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %mask = arith.cmpf olt, %x, %acc : tensor<128x128xf32>
      // expected-remark@+1 {{the mask is computed for every tile: a part of it comes from 'arith.cmpf'}}
      %s = arith.select %mask, %x, %filler : tensor<128x128xi1>, tensor<128x128xf32>
      scf.yield %s : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}]}} : () -> ()
}

// -----

// The ends of remainders by a scalar are not linear.

// CHECK-LABEL: module @remainders
// CHECK-NOT:     scf.if
// CHECK:         arith.select
module @remainders {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c127 = arith.constant 127 : i32
    %c128 = arith.constant 128 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %filler = arith.constant dense<-1.0> : tensor<128x128xf32>
    %up = arith.addi %n, %c127 : i32
    %end = arith.divsi %up, %c128 : i32
    %range = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<128xi32>
    %limit = "nv_tileaa.splat"(%n) : (i32) -> tensor<128x128xi32>
    %result = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %starts = "nv_tileaa.splat"(%first) : (i32) -> tensor<128xi32>
      %line = arith.addi %starts, %range : tensor<128xi32>
      %row = "nv_tileaa.view"(%line) : (tensor<128xi32>) -> tensor<1x128xi32>
      %columns = "nv_tileaa.broadcast"(%row) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %odd = arith.remsi %columns, %limit : tensor<128x128xi32>
      %mask = arith.cmpi slt, %odd, %limit : tensor<128x128xi32>
      // expected-remark@+1 {{the mask is computed for every tile: an index is divided by a number that is not a positive constant}}
      %s = arith.select %mask, %x, %filler : tensor<128x128xi1>, tensor<128x128xf32>
      scf.yield %s : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}]}} : () -> ()
}

// -----

// No tile of the diagonal lies on it as a whole.

// CHECK-LABEL: module @never_true
// CHECK-NOT:     scf.if
// CHECK:         arith.select
module @never_true {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c127 = arith.constant 127 : i32
    %c128 = arith.constant 128 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %filler = arith.constant dense<-1.0> : tensor<128x128xf32>
    %up = arith.addi %n, %c127 : i32
    %end = arith.divsi %up, %c128 : i32
    %range = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<128xi32>
    %across = "nv_tileaa.view"(%range) : (tensor<128xi32>) -> tensor<1x128xi32>
    %down = "nv_tileaa.view"(%range) : (tensor<128xi32>) -> tensor<128x1xi32>
    %columns = "nv_tileaa.broadcast"(%across) : (tensor<1x128xi32>) -> tensor<128x128xi32>
    %rows = "nv_tileaa.broadcast"(%down) : (tensor<128x1xi32>) -> tensor<128x128xi32>
    %result = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %mask = arith.cmpi eq, %columns, %rows : tensor<128x128xi32>
      // expected-remark@+1 {{the mask is computed for every tile: no tile is known to need none}}
      %s = arith.select %mask, %x, %filler : tensor<128x128xi1>, tensor<128x128xf32>
      scf.yield %s : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}]}} : () -> ()
}

// -----

// A branch does not pay for a tile of a few elements.

// CHECK-LABEL: module @few_elements
// CHECK-NOT:     scf.if
// CHECK:         arith.select
module @few_elements {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c127 = arith.constant 127 : i32
    %c128 = arith.constant 128 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %filler = arith.constant dense<-1.0> : tensor<128x128xf32>
    %up = arith.addi %n, %c127 : i32
    %end = arith.divsi %up, %c128 : i32
    %range = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<128xi32>
    %short = "nv_tileaa.splat"(%n) : (i32) -> tensor<128xi32>
    %ones = arith.constant dense<1.0> : tensor<128xf32>
    %none = arith.constant dense<0.0> : tensor<128xf32>
    %result = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %starts = "nv_tileaa.splat"(%first) : (i32) -> tensor<128xi32>
      %line = arith.addi %starts, %range : tensor<128xi32>
      %mask = arith.cmpi slt, %line, %short : tensor<128xi32>
      // expected-remark@+1 {{the mask is computed for every tile: a branch would take as long}}
      %few = arith.select %mask, %ones, %none : tensor<128xi1>, tensor<128xf32>
      scf.yield %x : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}]}} : () -> ()
}

// -----

// A loop without a product is left alone, without a word.

// CHECK-LABEL: module @no_product
// CHECK-NOT:     scf.if
// CHECK:         arith.select
module @no_product {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c127 = arith.constant 127 : i32
    %c128 = arith.constant 128 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %filler = arith.constant dense<-1.0> : tensor<128x128xf32>
    %up = arith.addi %n, %c127 : i32
    %end = arith.divsi %up, %c128 : i32
    %range = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<128xi32>
    %limit = "nv_tileaa.splat"(%n) : (i32) -> tensor<128x128xi32>
    %result = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %x = arith.negf %acc : tensor<128x128xf32>
      %starts = "nv_tileaa.splat"(%first) : (i32) -> tensor<128xi32>
      %line = arith.addi %starts, %range : tensor<128xi32>
      %row = "nv_tileaa.view"(%line) : (tensor<128xi32>) -> tensor<1x128xi32>
      %columns = "nv_tileaa.broadcast"(%row) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %mask = arith.cmpi slt, %columns, %limit : tensor<128x128xi32>
      %s = arith.select %mask, %x, %filler : tensor<128x128xi1>, tensor<128x128xf32>
      scf.yield %s : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}]}} : () -> ()
}

// -----

// A choice between two computed tiles is no mask: there is nothing to say about it.
// CHECK-LABEL: module @a_choice
// CHECK-NOT:     scf.if
module @a_choice {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %z) -> (tensor<64x64xf32>) : i32 {
      %d = "nv_tileaa.dot"(%a, %b, %z) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %m = arith.cmpf ogt, %d, %t : tensor<64x64xf32>
      %s = arith.select %m, %d, %t : tensor<64x64xi1>, tensor<64x64xf32>
      scf.yield %s : tensor<64x64xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x64xbf16>, tensor<64x64xbf16>, i32) -> ()} : () -> ()
}

// -----

// A row that is repeated for all rows of a result is in 32 threads of each warpgroup.

// CHECK-LABEL: module @repeated_row
// CHECK:         scf.if
// CHECK:         arith.select
module @repeated_row {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c127 = arith.constant 127 : i32
    %c128 = arith.constant 128 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %up = arith.addi %n, %c127 : i32
    %end = arith.divsi %up, %c128 : i32
    %range = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<128xi32>
    %short = "nv_tileaa.splat"(%n) : (i32) -> tensor<128xi32>
    %ones = arith.constant dense<1.0> : tensor<128xf32>
    %none = arith.constant dense<0.0> : tensor<128xf32>
    %result = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %starts = "nv_tileaa.splat"(%first) : (i32) -> tensor<128xi32>
      %line = arith.addi %starts, %range : tensor<128xi32>
      %mask = arith.cmpi slt, %line, %short : tensor<128xi32>
      // expected-remark@+1 {{the mask is skipped for tiles with round * 128 + 127 < N, the first ones of the loop}}
      %few = arith.select %mask, %ones, %none : tensor<128xi1>, tensor<128xf32>
      %row = "nv_tileaa.view"(%few) : (tensor<128xf32>) -> tensor<1x128xf32>
      %rows = "nv_tileaa.broadcast"(%row) : (tensor<1x128xf32>) -> tensor<128x128xf32>
      %y = arith.addf %x, %rows : tensor<128x128xf32>
      scf.yield %y : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}]}} : () -> ()
}

// -----

// A mask of loaded numbers, joined with one of indices: each one has a test of its own.

// CHECK-LABEL: module @parts
// CHECK:         %[[X:.*]] = "nv_tileaa.dot"
// CHECK:         %[[S:.*]] = scf.if %{{.*}} -> (tensor<128x128xf32>) {
// CHECK-NEXT:      scf.yield %[[X]]
// CHECK-NEXT:    } else {
// CHECK:           %[[INSIDE:.*]] = arith.cmpi slt
// CHECK:           %[[Y:.*]] = scf.if %{{.*}} -> (tensor<128x128xf32>) {
// CHECK-NEXT:        scf.yield %[[X]]
// CHECK-NEXT:      } else {
// CHECK-NOT:         nv_tileaa.bounded
// CHECK:             %[[INDICES:.*]] = arith.cmpi sge
// CHECK:             %[[A:.*]] = arith.select %[[INDICES]], %[[X]],
// CHECK-NEXT:        scf.yield %[[A]]
// CHECK-NEXT:      }
// CHECK:           %[[Z:.*]] = scf.if %{{.*}} -> (tensor<128x128xf32>) {
// CHECK-NEXT:        scf.yield %[[Y]]
// CHECK-NEXT:      } else {
// CHECK:             nv_tileaa.bounded
// CHECK:             %[[NUMBERS:.*]] = arith.cmpi eq
// CHECK:             %[[B:.*]] = arith.select %[[NUMBERS]], %[[Y]],
// CHECK-NEXT:        scf.yield %[[B]]
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield %[[Z]]
// CHECK-NEXT:    }
module @parts {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %low: i32, %high: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %filler = arith.constant dense<-1.0> : tensor<128x128xf32>
    %range = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<128xi32>
    %m = "nv_tileaa.get_program_id"() {axis = 0 : i32} : () -> i32
    %top = arith.muli %m, %c128 : i32
    %tops = "nv_tileaa.splat"(%top) : (i32) -> tensor<128xi32>
    %heights = arith.addi %tops, %range : tensor<128xi32>
    %column = "nv_tileaa.view"(%heights) : (tensor<128xi32>) -> tensor<128x1xi32>
    %rows = "nv_tileaa.broadcast"(%column) : (tensor<128x1xi32>) -> tensor<128x128xi32>
    %d = "nv_tileaa.bounded"(%range, %low, %high) : (tensor<128xi32>, i32, i32) -> tensor<128xi32>
    %dv = "nv_tileaa.view"(%d) : (tensor<128xi32>) -> tensor<128x1xi32>
    %dq = "nv_tileaa.broadcast"(%dv) : (tensor<128x1xi32>) -> tensor<128x128xi32>
    %result = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %starts = "nv_tileaa.splat"(%first) : (i32) -> tensor<128xi32>
      %line = arith.addi %starts, %range : tensor<128xi32>
      %row = "nv_tileaa.view"(%line) : (tensor<128xi32>) -> tensor<1x128xi32>
      %columns = "nv_tileaa.broadcast"(%row) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %k = "nv_tileaa.bounded"(%range, %i, %high) : (tensor<128xi32>, i32, i32) -> tensor<128xi32>
      %kv = "nv_tileaa.view"(%k) : (tensor<128xi32>) -> tensor<1x128xi32>
      %dk = "nv_tileaa.broadcast"(%kv) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %p = arith.cmpi eq, %dq, %dk : tensor<128x128xi32>
      %q = arith.cmpi sge, %rows, %columns : tensor<128x128xi32>
      %mask = arith.andi %p, %q : tensor<128x128xi1>
      // expected-remark@+1 {{the mask is skipped for tiles with}}
      %s = arith.select %mask, %x, %filler : tensor<128x128xi1>, tensor<128x128xf32>
      scf.yield %s : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32, i32) -> (), tilec.kernel = {params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "L", dtype = "i32"}, {kind = "scalar", name = "H", dtype = "i32"}]}} : () -> ()
}

// -----

// Eight rows belong to each query, as heads that share keys: the position of a row is a quotient.

// CHECK-LABEL: module @rows_of_a_query
// CHECK:         scf.for
// CHECK:           %[[S:.*]] = scf.if %{{.*}} -> (tensor<64x64xf32>) {
// CHECK:             arith.divsi %{{.*}}, %{{.*}} : tensor<64xi32>
// CHECK:           } {leading}
module @rows_of_a_query {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %a = arith.constant dense<1.0> : tensor<64x64xbf16>
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
    %filler = arith.constant dense<-1.0> : tensor<64x64xf32>
    %eight = arith.constant dense<8> : tensor<64xi32>
    %range = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<64xi32>
    %m = "nv_tileaa.get_program_id"() {axis = 0 : i32} : () -> i32
    %top = arith.muli %m, %c64 : i32
    %tops = "nv_tileaa.splat"(%top) : (i32) -> tensor<64xi32>
    %heights = arith.addi %tops, %range : tensor<64xi32>
    %queries = arith.divsi %heights, %eight : tensor<64xi32>
    %column = "nv_tileaa.view"(%queries) : (tensor<64xi32>) -> tensor<64x1xi32>
    %rows = "nv_tileaa.broadcast"(%column) : (tensor<64x1xi32>) -> tensor<64x64xi32>
    %result = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
      %first = arith.muli %i, %c64 : i32
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %starts = "nv_tileaa.splat"(%first) : (i32) -> tensor<64xi32>
      %line = arith.addi %starts, %range : tensor<64xi32>
      %row = "nv_tileaa.view"(%line) : (tensor<64xi32>) -> tensor<1x64xi32>
      %columns = "nv_tileaa.broadcast"(%row) : (tensor<1x64xi32>) -> tensor<64x64xi32>
      %mask = arith.cmpi sge, %rows, %columns : tensor<64x64xi32>
      // expected-remark@+1 {{the mask is skipped for tiles with}}
      %s = arith.select %mask, %x, %filler : tensor<64x64xi1>, tensor<64x64xf32>
      scf.yield %s : tensor<64x64xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}]}} : () -> ()
}
