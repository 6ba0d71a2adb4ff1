// RUN: tilec opt %s --passes nv-tileas-number-assertions --split-input-file | FileCheck %s
// RUN: tilec opt %s --passes nv-tileas-number-assertions --split-input-file -o %t
// RUN: tilec opt %t --passes nv-tileas-number-assertions --split-input-file | diff %t -

// Every assertion gets an id and a row of the table, and the kernel one buffer.
// CHECK:       ^bb0(%{{.*}}: i1, %{{.*}}: i32, %{{.*}}: !nv_tileaa.ptr<i32>):
// CHECK:         "nv_tileas.assert"({{.*}}) {message = "first", nv_tileas.assertion = 0 : i64}
// CHECK:         "nv_tileas.assert"({{.*}}) {message = "second", nv_tileas.assertion = 1 : i64}
// CHECK:       sym_name = "checked", tilec.kernel = {
// CHECK-SAME:    assertions = [
// CHECK-SAME:      message = "first", span = [
// CHECK-SAME:      message = "second", span = [
// CHECK-SAME:    hidden_parameters = [{dtype = "u64", name = "debug_buffer"}]
"nv_tileaa.func"() ({
^bb0(%c: i1, %x: i32):
  "nv_tileas.assert"(%c, %x, %x, %x) {message = "first"} : (i1, i32, i32, i32) -> ()
  "nv_tileas.assert"(%c, %x, %x, %x) {message = "second"} : (i1, i32, i32, i32) -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "checked", function_type = (i1, i32) -> (), tilec.kernel = {}} : () -> ()

// -----

// A kernel without assertions stays as it is.
// CHECK:       sym_name = "unchecked", tilec.kernel = {}
"nv_tileaa.func"() ({
^bb0(%c: i1, %x: i32):
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "unchecked", function_type = (i1, i32) -> (), tilec.kernel = {}} : () -> ()
