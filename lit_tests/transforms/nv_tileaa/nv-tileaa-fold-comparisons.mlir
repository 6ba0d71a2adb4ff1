// RUN: tilec opt %s --passes nv-tileaa-fold-comparisons --split-input-file | FileCheck %s

// Columns of a tile that ends with its row are all inside; those from the end on are all outside.
// Columns and an extent that is not known stay compared, and so do unsigned numbers.

// CHECK-LABEL: module @what_ranges_decide
// CHECK: arith.constant dense<true> : tensor<32xi1>
// CHECK-NEXT: arith.constant dense<false> : tensor<32xi1>
// CHECK-NEXT: arith.constant dense<true> : tensor<1x32xi1>
// CHECK-NEXT: arith.cmpi slt, %{{.*}}, %{{.*}} : tensor<32xi32>
// CHECK-NEXT: arith.cmpi slt, %{{.*}}, %{{.*}} : tensor<32xi32>
// CHECK-NEXT: arith.cmpi ult, %{{.*}}, %{{.*}} : tensor<32xi32>
// CHECK-NEXT: nv_tileaa.return
module @what_ranges_decide {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    %c32 = arith.constant 32 : i32
    %line = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<32xi32>
    %end = "nv_tileaa.splat"(%c32) : (i32) -> tensor<32xi32>
    %extent = "nv_tileaa.splat"(%n) : (i32) -> tensor<32xi32>
    %moved = arith.addi %line, %end : tensor<32xi32>
    %short = arith.constant dense<31> : tensor<32xi32>
    %row = "nv_tileaa.view"(%line) : (tensor<32xi32>) -> tensor<1x32xi32>
    %last = arith.constant dense<31> : tensor<1x32xi32>
    %0 = arith.cmpi slt, %line, %end : tensor<32xi32>
    %1 = arith.cmpi sgt, %end, %moved : tensor<32xi32>
    %2 = arith.cmpi sle, %row, %last : tensor<1x32xi32>
    %3 = arith.cmpi slt, %line, %short : tensor<32xi32>
    %4 = arith.cmpi slt, %line, %extent : tensor<32xi32>
    %5 = arith.cmpi ult, %line, %end : tensor<32xi32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), tilec.kernel = {params = [{kind = "dim", name = "N"}]}} : () -> ()
}
