// RUN: tilec opt %s --split-input-file --verify-diagnostics | FileCheck %s

// A condition is one i1, or a tile of them.
// CHECK: "cuda_tile.assert"(%{{.*}}) {message = "scalar"} : (i1) -> ()
// CHECK: "cuda_tile.assert"(%{{.*}}) {message = "tile"} : (!cuda_tile.tile<4x8xi1>) -> ()
module {
  %c = arith.constant true
  "cuda_tile.assert"(%c) {message = "scalar"} : (i1) -> ()
  %t = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x8xi1>
  "cuda_tile.assert"(%t) {message = "tile"} : (!cuda_tile.tile<4x8xi1>) -> ()
}

// -----

module {
  %t = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi32>
  // expected-error @below {{'cuda_tile.assert' op operand #0 must be tile of i1 values, but got '!cuda_tile.tile<4xi32>'}}
  "cuda_tile.assert"(%t) {message = ""} : (!cuda_tile.tile<4xi32>) -> ()
}

// -----

"nv_tileaa.func"() ({
^bb0(%c: i1, %x: i32, %y: i64):
  // expected-error @below {{'nv_tileaa.assert' op expects coordinates of i32, but got i64}}
  "nv_tileaa.assert"(%c, %x, %x, %y) {message = ""} : (i1, i32, i32, i64) -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "k", function_type = (i1, i32, i64) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%c: tensor<4xi8>, %x: i32):
  // expected-error @below {{'nv_tileas.assert' op expects a condition of i1, but got tensor<4xi8>}}
  "nv_tileas.assert"(%c, %x, %x, %x) {message = ""} : (tensor<4xi8>, i32, i32, i32) -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "k", function_type = (tensor<4xi8>, i32) -> ()} : () -> ()

// -----

// A print has a field for its value, and no field without one.
// CHECK: "cuda_tile.print"() {dtype = "", {{.*}}starts = 1 : i64, template = "{{[{][{]}}text{{[}][}]}}\0A"} : () -> ()
// CHECK: "cuda_tile.print"(%{{.*}}) {dtype = "u8", {{.*}}starts = 0 : i64, template = "{0:>4}"} : (!cuda_tile.tile<4xi8>) -> ()
module {
  "cuda_tile.print"() {template = "{{text}}\0A", dtype = "", starts = 1 : i64} : () -> ()
  %t = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi8>
  "cuda_tile.print"(%t) {template = "{0:>4}", dtype = "u8", starts = 0 : i64} : (!cuda_tile.tile<4xi8>) -> ()
}

// -----

module {
  // expected-error @below {{'cuda_tile.print' op expects 0 fields in the template, but got 1}}
  "cuda_tile.print"() {template = "{0}", dtype = "", starts = 1 : i64} : () -> ()
}

// -----

module {
  %c = arith.constant 3 : i32
  // expected-error @below {{'cuda_tile.print' op unknown element type 'int'}}
  "cuda_tile.print"(%c) {template = "{0}", dtype = "int", starts = 1 : i64} : (i32) -> ()
}

// -----

"nv_tileaa.func"() ({
^bb0(%x: i32):
  // expected-error @below {{'nv_tileas.print' op template is no format string: Single '{' encountered in format string}}
  "nv_tileas.print"(%x, %x, %x) {template = "{", dtype = "", starts = 1 : i64} : (i32, i32, i32) -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "k", function_type = (i32) -> ()} : () -> ()
