// RUN: tilec opt %s --passes nv-tileas-attach-workspaces --split-input-file | FileCheck %s

// The pass makes device memory that the kernel needs a hidden parameter.

// Workspaces become the last parameters, in order; the metadata says what the launcher has to provide.
// CHECK-LABEL: module @workspaces_are_hidden_parameters
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%[[N:.*]]: i32, %[[COUNTERS:.*]]: !nv_tileaa.ptr<i32>, %[[PARTIALS:.*]]: !nv_tileaa.ptr<f32>):
// CHECK-NOT:     nv_tileas.workspace
// CHECK:         "nv_tileas.store_partial"(%{{.*}}, %[[PARTIALS]], %[[N]], %[[N]])
// CHECK:         "nv_tileas.arrive_partial"(%[[COUNTERS]], %[[N]])
// CHECK:       function_type = (i32, !nv_tileaa.ptr<i32>, !nv_tileaa.ptr<f32>) -> ()
// CHECK-SAME:  hidden_parameters = [{dtype = "u64", name = "counters"}, {dtype = "u64", name = "workspace"}]
// CHECK-SAME:  workspaces = [{alignment = 256 : i64, name = "counters", size = "cdiv(M, 64) * 4", zeroed = true}, {alignment = 256 : i64, name = "workspace", size = "M * 256", zeroed = false}]
module @workspaces_are_hidden_parameters {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    %sum = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %c = "nv_tileas.workspace"() {hidden_name = "counters", size = "cdiv(M, 64) * 4", zeroed} : () -> !nv_tileaa.ptr<i32>
    %p = "nv_tileas.workspace"() {hidden_name = "workspace", size = "M * 256"} : () -> !nv_tileaa.ptr<f32>
    "nv_tileas.store_partial"(%sum, %p, %n, %n) {count = 3 : i64} : (tensor<64x64xf32>, !nv_tileaa.ptr<f32>, i32, i32) -> ()
    "nv_tileas.arrive_partial"(%c, %n) : (!nv_tileaa.ptr<i32>, i32) -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), tilec.kernel = {name = "k"}} : () -> ()
}

// -----

// A kernel without a workspace is left alone.
// CHECK-LABEL: module @nothing_to_attach
// CHECK:       sym_name = "k", tilec.kernel = {name = "k"}}
module @nothing_to_attach {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), tilec.kernel = {name = "k"}} : () -> ()
}
