// RUN: tilec opt %s --passes nv-tileas-number-reports --split-input-file | FileCheck %s
// RUN: tilec opt %s --passes nv-tileas-number-reports --split-input-file -o %t
// RUN: tilec opt %t --passes nv-tileas-number-reports --split-input-file | diff %t -

// The pass numbers assertions and prints, and describes each of them in a table.

// Every assertion gets an id and a row of the table, and the kernel one buffer.
// CHECK-LABEL: module @assertions_are_numbered
// CHECK:       ^bb0(%{{.*}}: i1, %{{.*}}: i32, %{{.*}}: !nv_tileaa.ptr<i32>):
// CHECK:         "nv_tileas.assert"({{.*}}) {message = "first", nv_tileas.report = 0 : i64}
// CHECK:         "nv_tileas.assert"({{.*}}) {message = "second", nv_tileas.report = 1 : i64}
// CHECK:       sym_name = "checked", tilec.kernel = {
// CHECK-SAME:    assertions = [
// CHECK-SAME:      message = "first", span = [
// CHECK-SAME:      message = "second", span = [
// CHECK-SAME:    hidden_parameters = [{dtype = "u64", name = "debug_buffer"}]
module @assertions_are_numbered {
  "nv_tileaa.func"() ({
  ^bb0(%c: i1, %x: i32):
    "nv_tileas.assert"(%c, %x, %x, %x) {message = "first"} : (i1, i32, i32, i32) -> ()
    "nv_tileas.assert"(%c, %x, %x, %x) {message = "second"} : (i1, i32, i32, i32) -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "checked", function_type = (i1, i32) -> (), tilec.kernel = {}} : () -> ()
}

// -----

// A kernel without assertions stays as it is.
// CHECK-LABEL: module @a_kernel_without_reports_stays
// CHECK:       sym_name = "unchecked", tilec.kernel = {}
module @a_kernel_without_reports_stays {
  "nv_tileaa.func"() ({
  ^bb0(%c: i1, %x: i32):
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "unchecked", function_type = (i1, i32) -> (), tilec.kernel = {}} : () -> ()
}

// -----

// Prints have a table and a buffer of their own.
// CHECK-LABEL: module @prints_are_numbered
// CHECK:       ^bb0(%{{.*}}: i32, %{{.*}}: !nv_tileaa.ptr<i32>):
// CHECK:         "nv_tileas.print"({{.*}}nv_tileas.report = 0 : i64
// CHECK:       sym_name = "prints",
// CHECK-SAME:    hidden_parameters = [{dtype = "u64", name = "print_buffer"}], prints = [{dtype = "i32", shape = [], starts = true, template = "{0}"}]
module @prints_are_numbered {
  "nv_tileaa.func"() ({
  ^bb0(%x: i32):
    "nv_tileas.print"(%x, %x, %x, %x) {template = "{0}", dtype = "i32", starts = 1 : i64} : (i32, i32, i32, i32) -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "prints", function_type = (i32) -> (), tilec.kernel = {}} : () -> ()
}
