// RUN: tilec opt %s --split-input-file --verify-diagnostics

// Rules of the operations on ends of tiles; the name of a kernel says the rule.

!array = !nv_tileaa.memref<memref<?xi32, strided<[1]>, 1>, 0 : i64>
"nv_tileaa.func"() ({
^bb0(%v: !array, %t: !nv_tileaa.ptr<i32>):
  // expected-error@+1 {{'nv_tileaa.measure_tiles' op expects a table of i64, but got !nv_tileaa.ptr<i32>}}
  %x = "nv_tileaa.measure_tiles"(%t, %v) {tile = array<i64: 128>} : (!nv_tileaa.ptr<i32>, !array) -> !nv_tileaa.ptr<i32>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "words_of_64_bits", function_type = (!array, !nv_tileaa.ptr<i32>) -> ()} : () -> ()

// -----

!array = !nv_tileaa.memref<memref<?xi8, strided<[1]>, 1>, 0 : i64>
"nv_tileaa.func"() ({
^bb0(%v: !array, %t: !nv_tileaa.ptr<i64>):
  // expected-error@+1 {{expects integers of 32 or 64 bits, but got i8}}
  %x = "nv_tileaa.measure_tiles"(%t, %v) {tile = array<i64: 128>} : (!nv_tileaa.ptr<i64>, !array) -> !nv_tileaa.ptr<i64>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "wide_integers", function_type = (!array, !nv_tileaa.ptr<i64>) -> ()} : () -> ()

// -----

!array = !nv_tileaa.memref<memref<?xi32, strided<[1]>, 1>, 0 : i64>
"nv_tileaa.func"() ({
^bb0(%v: !array, %t: !nv_tileaa.ptr<i64>):
  // expected-error@+1 {{expects 1 extents, but got 2}}
  %x = "nv_tileaa.measure_tiles"(%t, %v) {tile = array<i64: 1, 128>} : (!nv_tileaa.ptr<i64>, !array) -> !nv_tileaa.ptr<i64>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "an_extent_for_each_dim", function_type = (!array, !nv_tileaa.ptr<i64>) -> ()} : () -> ()

// -----

!array = !nv_tileaa.memref<memref<?xi32, strided<[1]>, 1>, 0 : i64>
"nv_tileaa.func"() ({
^bb0(%v: !array, %t: !nv_tileaa.ptr<i64>):
  // expected-error@+1 {{expects rows of a multiple of 8 elements in tiles of 100}}
  %x = "nv_tileaa.measure_tiles"(%t, %v) {tile = array<i64: 100>} : (!nv_tileaa.ptr<i64>, !array) -> !nv_tileaa.ptr<i64>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "whole_rows_of_lanes", function_type = (!array, !nv_tileaa.ptr<i64>) -> ()} : () -> ()

// -----

!array = !nv_tileaa.memref<memref<?xi32, strided<[1]>, 1>, 0 : i64>
"nv_tileaa.func"() ({
^bb0(%v: !array, %t: !nv_tileaa.ptr<i64>):
  // expected-error@+1 {{expects rows of a multiple of 8 elements in tiles of 4}}
  %x = "nv_tileaa.measure_tiles"(%t, %v) {tile = array<i64: 4>} : (!nv_tileaa.ptr<i64>, !array) -> !nv_tileaa.ptr<i64>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "not_few", function_type = (!array, !nv_tileaa.ptr<i64>) -> ()} : () -> ()

// -----

!array = !nv_tileaa.memref<memref<?x?xi32, strided<[?, 1]>, 1>, 0 : i64>
"nv_tileaa.func"() ({
^bb0(%v: !array, %t: !nv_tileaa.ptr<i64>):
  // expected-error@+1 {{expects rows of a multiple of 16 elements in tiles of 512}}
  %x = "nv_tileaa.measure_tiles"(%t, %v) {tile = array<i64: 64, 8>} : (!nv_tileaa.ptr<i64>, !array) -> !nv_tileaa.ptr<i64>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "as_many_columns_as_lanes", function_type = (!array, !nv_tileaa.ptr<i64>) -> ()} : () -> ()

// -----

!array = !nv_tileaa.memref<memref<?xi32, strided<[1]>, 1>, 0 : i64>
"nv_tileaa.func"() ({
^bb0(%v: !array, %t: !nv_tileaa.ptr<i64>):
  // expected-error@+1 {{expects tiles of 1024 elements at most}}
  %x = "nv_tileaa.measure_tiles"(%t, %v) {tile = array<i64: 2048>} : (!nv_tileaa.ptr<i64>, !array) -> !nv_tileaa.ptr<i64>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "not_many", function_type = (!array, !nv_tileaa.ptr<i64>) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%a: i32, %b: i64):
  %t = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<8xi32>
  // expected-error@+1 {{'nv_tileaa.bounded' op expects ends of type i32, but got i64}}
  %x = "nv_tileaa.bounded"(%t, %b, %b) : (tensor<8xi32>, i64, i64) -> tensor<8xi32>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "ends_are_elements", function_type = (i32, i64) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%a: i32, %b: i64):
  // expected-error@+1 {{expects a tile, but got i32}}
  %x = "nv_tileaa.bounded"(%a, %a, %a) : (i32, i32, i32) -> i32
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "a_tile_has_ends", function_type = (i32, i64) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0():
  // expected-error@+1 {{'nv_tileaa.workspace' op expects an address in global memory, but got i32}}
  %x = "nv_tileaa.workspace"() {hidden_name = "w", size = "8"} : () -> i32
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "a_workspace_has_an_address", function_type = () -> ()} : () -> ()
