// RUN: tilec opt %s --passes nv-tileaa-infer-facts --split-input-file | FileCheck %s

// Rows of a table: the columns count up from a multiple of 8, and the pitch is a multiple of 16
// bytes, so 8 elements of 16 bits are one access. The number of columns may be odd. Columns from an
// unknown start, and rows that differ along the last dim, come one by one.

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!i = tensor<16x32xi32>
!x = tensor<16x32xbf16>
!token = !nv_tileaa.mem_token

// CHECK: "nv_tileaa.gather"({{.*}}) {operandSegmentSizes = array<i32: 1, 2, 0, 1, 0>, ragged, run = 8 : i64}
// CHECK: "nv_tileaa.gather"({{.*}}) {run = 8 : i64, unchecked}
// CHECK: "nv_tileaa.gather"({{.*}}) {operandSegmentSizes = array<i32: 1, 2, 0, 1, 0>, run = 1 : i64}
// CHECK: "nv_tileaa.gather"({{.*}}) {operandSegmentSizes = array<i32: 1, 2, 0, 1, 0>, run = 1 : i64}
// CHECK: "nv_tileaa.gather"({{.*}}) {operandSegmentSizes = array<i32: 1, 2, 1, 1, 0>, run = 1 : i64}
// CHECK: "nv_tileaa.scatter"({{.*}}) {ragged, run = 8 : i64}
"nv_tileaa.func"() ({
^bb0(%p: !nv_tileaa.ptr<bf16>, %s: i64, %m: i32, %n: i32, %j: i32, %r: tensor<16x1xi32>, %x: !x, %mask: tensor<16x32xi1>):
  %v = "nv_tileaa.make_memref"(%p, %m, %n, %s) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !v
  %c32 = arith.constant 32 : i32
  %start = arith.muli %j, %c32 : i32
  %base = "nv_tileaa.splat"(%start) : (i32) -> tensor<32xi32>
  %line = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<32xi32>
  %up = arith.addi %base, %line : tensor<32xi32>
  %row = "nv_tileaa.view"(%up) : (tensor<32xi32>) -> tensor<1x32xi32>
  %cols = "nv_tileaa.broadcast"(%row) : (tensor<1x32xi32>) -> !i
  %rows = "nv_tileaa.broadcast"(%r) : (tensor<16x1xi32>) -> !i
  %odd = "nv_tileaa.splat"(%j) : (i32) -> !i
  %moved = arith.addi %cols, %odd : !i
  %a, %ta = "nv_tileaa.gather"(%v, %rows, %cols, %x) {operandSegmentSizes = array<i32: 1, 2, 0, 1, 0>} : (!v, !i, !i, !x) -> (!x, !token)
  %b, %tb = "nv_tileaa.gather"(%v, %rows, %cols) {unchecked, operandSegmentSizes = array<i32: 1, 2, 0, 0, 0>} : (!v, !i, !i) -> (!x, !token)
  %c, %tc = "nv_tileaa.gather"(%v, %rows, %moved, %x) {operandSegmentSizes = array<i32: 1, 2, 0, 1, 0>} : (!v, !i, !i, !x) -> (!x, !token)
  %d, %td = "nv_tileaa.gather"(%v, %cols, %rows, %x) {operandSegmentSizes = array<i32: 1, 2, 0, 1, 0>} : (!v, !i, !i, !x) -> (!x, !token)
  %e, %te = "nv_tileaa.gather"(%v, %rows, %cols, %mask, %x) {operandSegmentSizes = array<i32: 1, 2, 1, 1, 0>} : (!v, !i, !i, tensor<16x32xi1>, !x) -> (!x, !token)
  %tf = "nv_tileaa.scatter"(%v, %a, %rows, %cols) {operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>} : (!v, !x, !i, !i) -> !token
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "k", function_type = (!nv_tileaa.ptr<bf16>, i64, i32, i32, i32, tensor<16x1xi32>, !x, tensor<16x32xi1>) -> (), tilec.kernel = {params = [{array = "A", div_by = 16 : i64, kind = "pointer"}, {array = "A", axis = 0 : i64, div_by = 8 : i64, kind = "stride"}, {array = "A", axis = 0 : i64, kind = "dim", name = "M"}, {array = "A", axis = 1 : i64, kind = "dim", name = "N"}]}} : () -> ()

// -----

// Columns of a row against its end, a multiple of 16: 16 of them are inside or outside together,
// whichever side the limit stands on. `<=` splits a run, and so does a start or a limit that is no
// multiple of anything.

// CHECK-LABEL: module @columns_below_a_limit
// CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} {nv_tileaa.equal_run = 16 : i64}
// CHECK: arith.cmpi sgt, %{{.*}}, %{{.*}} {nv_tileaa.equal_run = 16 : i64}
// CHECK: arith.cmpi ult, %{{.*}}, %{{.*}} {nv_tileaa.equal_run = 4 : i64}
// CHECK: arith.cmpi sle, %{{[a-z0-9_]*}}, %{{[a-z0-9_]*}} : tensor
// CHECK: arith.cmpi slt, %{{[a-z0-9_]*}}, %{{[a-z0-9_]*}} : tensor
// CHECK: arith.cmpi slt, %{{[a-z0-9_]*}}, %{{[a-z0-9_]*}} : tensor
module @columns_below_a_limit {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %m: i32, %j: i32):
    %c4 = arith.constant 4 : i32
    %line = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<32xi32>
    %end = "nv_tileaa.splat"(%n) : (i32) -> tensor<32xi32>
    %odd = "nv_tileaa.splat"(%m) : (i32) -> tensor<32xi32>
    %four = arith.muli %j, %c4 : i32
    %start = "nv_tileaa.splat"(%four) : (i32) -> tensor<32xi32>
    %moved = arith.addi %line, %start : tensor<32xi32>
    %shifted = arith.addi %line, %odd : tensor<32xi32>
    %0 = arith.cmpi slt, %line, %end : tensor<32xi32>
    %1 = arith.cmpi sgt, %end, %line : tensor<32xi32>
    %2 = arith.cmpi ult, %moved, %end : tensor<32xi32>
    %3 = arith.cmpi sle, %line, %end : tensor<32xi32>
    %4 = arith.cmpi slt, %line, %odd : tensor<32xi32>
    %5 = arith.cmpi slt, %shifted, %end : tensor<32xi32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32, i32) -> (), tilec.kernel = {params = [{kind = "scalar", name = "n", div_by = 16 : i64}, {kind = "scalar", name = "m"}, {kind = "scalar", name = "j"}]}} : () -> ()
}

// -----

// A column and an extent are not negative, so either may be subtracted from the other. Of a number
// that may be anything, nothing can: the difference may wrap around. A number that a branch yields
// lies between those of both of its blocks.

// CHECK-LABEL: module @exact_differences
// CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} {nv_tileaa.exact_difference = array<i64: 0, 1>}
// CHECK: arith.cmpi sle, %{{.*}}, %{{.*}} {nv_tileaa.exact_difference = array<i64: 0, 1>}
// CHECK: arith.cmpi slt, %{{[a-z0-9_]*}}, %{{[a-z0-9_]*}} : tensor
// CHECK: arith.cmpi ult, %{{[a-z0-9_]*}}, %{{[a-z0-9_]*}} : tensor
module @exact_differences {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %x: i32):
    %c0 = arith.constant 0 : i32
    %line = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<32xi32>
    %end = "nv_tileaa.splat"(%n) : (i32) -> tensor<32xi32>
    %any = "nv_tileaa.splat"(%x) : (i32) -> tensor<32xi32>
    %some = arith.cmpi slt, %x, %n : i32
    %chosen = scf.if %some -> (i32) {
      scf.yield %n : i32
    } else {
      scf.yield %c0 : i32
    }
    %either = "nv_tileaa.splat"(%chosen) : (i32) -> tensor<32xi32>
    %0 = arith.cmpi slt, %line, %end : tensor<32xi32>
    %1 = arith.cmpi sle, %line, %either : tensor<32xi32>
    %2 = arith.cmpi slt, %line, %any : tensor<32xi32>
    %3 = arith.cmpi ult, %line, %end : tensor<32xi32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "x", dtype = "i32"}]}} : () -> ()
}
