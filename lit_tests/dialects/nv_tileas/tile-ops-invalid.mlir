// RUN: tilec opt %s --split-input-file --verify-diagnostics

// Every rule of an operation that nv_tileaa has, too, has a message; the name of a kernel says the
// rule.

!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
"nv_tileaa.func"() ({
^bb0(%v: !memref, %i: i32, %j: index):
  // expected-error@+1 {{'nv_tileas.tiled_load' op expects 2 coordinates, but got 1}}
  %x, %u = "nv_tileas.tiled_load"(%v, %i) {atom = #cute.copy_atom<"sm90_ldg_128_bf16", "ldg", 1 : i64, 128 : i64, bf16>} : (!memref, i32) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "coordinates_match_the_rank", function_type = (!memref, i32, index) -> ()} : () -> ()

// -----

!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
"nv_tileaa.func"() ({
^bb0(%v: !memref, %i: i32, %j: index):
  // expected-error@+1 {{expects CoordType is same as memref index type, but got index}}
  %x, %u = "nv_tileas.tiled_load"(%v, %j, %j) {atom = #cute.copy_atom<"sm90_ldg_128_bf16", "ldg", 1 : i64, 128 : i64, bf16>} : (!memref, index, index) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "coordinates_are_i32", function_type = (!memref, i32, index) -> ()} : () -> ()

// -----

!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
"nv_tileaa.func"() ({
^bb0(%v: !memref, %i: i32, %j: index):
  // expected-error@+1 {{incorrect number of in_bounds elements: expected 2, but found 1}}
  %x, %u = "nv_tileas.tiled_load"(%v, %i, %i) {in_bounds = array<i1: true>, atom = #cute.copy_atom<"sm90_ldg_128_bf16", "ldg", 1 : i64, 128 : i64, bf16>} : (!memref, i32, i32) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "in_bounds_matches_the_rank", function_type = (!memref, i32, index) -> ()} : () -> ()

// -----

!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
"nv_tileaa.func"() ({
^bb0(%v: !memref, %i: i32, %j: index):
  // expected-error@+1 {{all dimensions must be positive constants, got tensor<?x64xbf16>}}
  %x, %u = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #cute.copy_atom<"sm90_ldg_128_bf16", "ldg", 1 : i64, 128 : i64, bf16>} : (!memref, i32, i32) -> (tensor<?x64xbf16>, !nv_tileaa.mem_token)
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "tile_extents_are_constants", function_type = (!memref, i32, index) -> ()} : () -> ()

// -----

!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
"nv_tileaa.func"() ({
^bb0(%v: !memref, %i: i32, %j: index):
  // expected-error@+1 {{requires the same size for tileSize and tensor}}
  %x, %u = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #cute.copy_atom<"sm90_ldg_128_bf16", "ldg", 1 : i64, 128 : i64, bf16>} : (!memref, i32, i32) -> (tensor<64xbf16>, !nv_tileaa.mem_token)
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "tiles_have_the_rank_of_the_array", function_type = (!memref, i32, index) -> ()} : () -> ()

// -----

!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
"nv_tileaa.func"() ({
^bb0(%v: !memref, %i: i32, %j: index):
  // expected-error@+1 {{view elementType not equal with tensor element type: bf16 != f16}}
  %x, %u = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #cute.copy_atom<"sm90_ldg_128_bf16", "ldg", 1 : i64, 128 : i64, bf16>} : (!memref, i32, i32) -> (tensor<64x64xf16>, !nv_tileaa.mem_token)
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "tiles_have_the_element_type_of_the_array", function_type = (!memref, i32, index) -> ()} : () -> ()

// -----

!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
"nv_tileaa.func"() ({
^bb0(%v: !memref, %i: i32, %j: index):
  // expected-error@+1 {{tile would exceed the maximum of 16777216 elements}}
  %x, %u = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #cute.copy_atom<"sm90_ldg_128_bf16", "ldg", 1 : i64, 128 : i64, bf16>} : (!memref, i32, i32) -> (tensor<8192x4096xbf16>, !nv_tileaa.mem_token)
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "tiles_have_a_largest_size", function_type = (!memref, i32, index) -> ()} : () -> ()

// -----

!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
"nv_tileaa.func"() ({
^bb0(%v: !memref, %i: i32, %j: index):
  // expected-error@+1 {{unsupported mem_semantic: acquire}}
  %x, %u = "nv_tileas.tiled_load"(%v, %i, %i) {mem_semantic = "acquire", mem_scope = "gpu", atom = #cute.copy_atom<"sm90_ldg_128_bf16", "ldg", 1 : i64, 128 : i64, bf16>} : (!memref, i32, i32) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "acquire_loads_are_not_supported", function_type = (!memref, i32, index) -> ()} : () -> ()

// -----

!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
"nv_tileaa.func"() ({
^bb0(%v: !memref, %i: i32, %j: index):
  // expected-error@+1 {{unsupported mem_semantic: acq_rel}}
  %x, %u = "nv_tileas.tiled_load"(%v, %i, %i) {mem_semantic = "acq_rel", mem_scope = "gpu", atom = #cute.copy_atom<"sm90_ldg_128_bf16", "ldg", 1 : i64, 128 : i64, bf16>} : (!memref, i32, i32) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "acq_rel_loads_are_not_supported", function_type = (!memref, i32, index) -> ()} : () -> ()

// -----

!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
"nv_tileaa.func"() ({
^bb0(%v: !memref, %i: i32, %j: index):
  // expected-error@+1 {{mem_scope not supported when mem_semantic is weak}}
  %x, %u = "nv_tileas.tiled_load"(%v, %i, %i) {mem_scope = "gpu", atom = #cute.copy_atom<"sm90_ldg_128_bf16", "ldg", 1 : i64, 128 : i64, bf16>} : (!memref, i32, i32) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "weak_accesses_have_no_scope", function_type = (!memref, i32, index) -> ()} : () -> ()

// -----

!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
"nv_tileaa.func"() ({
^bb0(%v: !memref, %i: i32, %j: index):
  // expected-error@+1 {{mem_scope required when mem_semantic is not weak}}
  %x, %u = "nv_tileas.tiled_load"(%v, %i, %i) {mem_semantic = "relaxed", atom = #cute.copy_atom<"sm90_ldg_128_bf16", "ldg", 1 : i64, 128 : i64, bf16>} : (!memref, i32, i32) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "ordered_accesses_need_a_scope", function_type = (!memref, i32, index) -> ()} : () -> ()

// -----

!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
"nv_tileaa.func"() ({
^bb0(%v: !memref, %i: i32, %j: index):
  // expected-error@+1 {{requires attribute 'atom'}}
  %x, %u = "nv_tileas.tiled_load"(%v, %i, %i) : (!memref, i32, i32) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "loads_need_a_copy_atom", function_type = (!memref, i32, index) -> ()} : () -> ()

// -----

!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
"nv_tileaa.func"() ({
^bb0(%v: !memref, %i: i32, %j: index):
  // expected-error@+1 {{unknown mem_scope: device}}
  %x, %u = "nv_tileas.tiled_load"(%v, %i, %i) {mem_semantic = "relaxed", mem_scope = "device", atom = #cute.copy_atom<"sm90_ldg_128_bf16", "ldg", 1 : i64, 128 : i64, bf16>} : (!memref, i32, i32) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "scopes_have_known_names", function_type = (!memref, i32, index) -> ()} : () -> ()

// -----

!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
"nv_tileaa.func"() ({
^bb0(%v: !memref, %i: i32, %j: index):
  // expected-error@+1 {{invalid padding_value attribute specification. Got "one" but expect one of: zero, neg_zero, nan, pos_inf, neg_inf}}
  %x, %u = "nv_tileas.tiled_load"(%v, %i, %i) {padding = "one", atom = #cute.copy_atom<"sm90_ldg_128_bf16", "ldg", 1 : i64, 128 : i64, bf16>} : (!memref, i32, i32) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "paddings_have_known_names", function_type = (!memref, i32, index) -> ()} : () -> ()

// -----

!memref = !nv_tileaa.memref<memref<?xi32, strided<[1]>, 1>, 0 : i64>
"nv_tileaa.func"() ({
^bb0(%v: !memref, %i: i32):
  // expected-error@+1 {{special padding values (nan, pos_inf, neg_inf, neg_zero) only for float-like element types}}
  %x, %u = "nv_tileas.tiled_load"(%v, %i) {padding = "nan", atom = #cute.copy_atom<"sm90_ldg_128_i32", "ldg", 1 : i64, 128 : i64, i32>} : (!memref, i32) -> (tensor<64xi32>, !nv_tileaa.mem_token)
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "integers_are_padded_with_zeros", function_type = (!memref, i32) -> ()} : () -> ()

// -----

!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
"nv_tileaa.func"() ({
^bb0(%v: !memref, %i: i32, %j: index):
  // expected-error@+1 {{expect a ldgsts, tma_load, ldg or unknown_copy atom type}}
  %x, %u = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #cute.copy_atom<"sm90_stg_128_bf16", "stg", 1 : i64, 128 : i64, bf16>} : (!memref, i32, i32) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "loads_have_a_copy_atom_of_a_load", function_type = (!memref, i32, index) -> ()} : () -> ()

// -----

!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
"nv_tileaa.func"() ({
^bb0(%v: !memref, %i: i32, %x: tensor<64x64xbf16>):
  // expected-error@+1 {{expect a stg, tma_store, red or tma_reduce atom type}}
  %u = "nv_tileas.tiled_store"(%v, %x, %i, %i) {atom = #cute.copy_atom<"sm90_ldg_128_bf16", "ldg", 1 : i64, 128 : i64, bf16>} : (!memref, tensor<64x64xbf16>, i32, i32) -> !nv_tileaa.mem_token
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "stores_have_a_copy_atom_of_a_store", function_type = (!memref, i32, tensor<64x64xbf16>) -> ()} : () -> ()

// -----

!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
"nv_tileaa.func"() ({
^bb0(%v: !memref, %i: i32, %x: tensor<64x64xbf16>):
  // expected-error@+1 {{unsupported mem_semantic: release}}
  %u = "nv_tileas.tiled_store"(%v, %x, %i, %i) {mem_semantic = "release", mem_scope = "gpu", atom = #cute.copy_atom<"sm90_stg_128_bf16", "stg", 1 : i64, 128 : i64, bf16>} : (!memref, tensor<64x64xbf16>, i32, i32) -> !nv_tileaa.mem_token
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "release_stores_are_not_supported", function_type = (!memref, i32, tensor<64x64xbf16>) -> ()} : () -> ()

// -----

!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
"nv_tileaa.func"() ({
^bb0(%v: !memref, %i: i32, %x: tensor<64x64xbf16>):
  // expected-error@+1 {{unsupported mem_semantic: acq_rel}}
  %u = "nv_tileas.tiled_store"(%v, %x, %i, %i) {mem_semantic = "acq_rel", mem_scope = "gpu", atom = #cute.copy_atom<"sm90_stg_128_bf16", "stg", 1 : i64, 128 : i64, bf16>} : (!memref, tensor<64x64xbf16>, i32, i32) -> !nv_tileaa.mem_token
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "acq_rel_stores_are_not_supported", function_type = (!memref, i32, tensor<64x64xbf16>) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %c: tensor<64x64xi32>):
  // expected-error@+1 {{expected the element types of A, B, C, and D to be either all integers or all floats.}}
  %d = "nv_tileas.dot"(%a, %b, %c) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xi32>) -> tensor<64x64xi32>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "integers_and_floats_do_not_mix", function_type = (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xi32>) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>):
  // expected-error@+1 {{expects #A and #B have same bit width but got 16 and 32}}
  %d = "nv_tileas.dot"(%a, %b, %c) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "operands_have_one_width", function_type = (tensor<64x64xbf16>, tensor<64x64xf32>, tensor<64x64xf32>) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %c: tensor<64x64xf16>):
  // expected-error@+1 {{expects #C element type to be f32, but got f16}}
  %d = "nv_tileas.dot"(%a, %b, %c) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "bf16_products_accumulate_in_f32", function_type = (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf16>) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf64>):
  // expected-error@+1 {{expects #C element type to be either f32 or f16, but got f64}}
  %d = "nv_tileas.dot"(%a, %b, %c) {a_major = "k", b_major = "n"} : (tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf64>) -> tensor<64x64xf64>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "f16_products_accumulate_in_f16_or_f32", function_type = (tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf64>) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%a: tensor<64x64xf64>, %b: tensor<64x64xf64>, %c: tensor<64x64xf32>):
  // expected-error@+1 {{expects #C element type to be f64, but got f32}}
  %d = "nv_tileas.dot"(%a, %b, %c) {a_major = "k", b_major = "n"} : (tensor<64x64xf64>, tensor<64x64xf64>, tensor<64x64xf32>) -> tensor<64x64xf32>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "f64_products_accumulate_in_f64", function_type = (tensor<64x64xf64>, tensor<64x64xf64>, tensor<64x64xf32>) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%a: tensor<64x64xi8>, %b: tensor<64x64xi8>, %c: tensor<64x64xi32>):
  // expected-error@+1 {{expect signedness attribute for operand B}}
  %d = "nv_tileas.dot"(%a, %b, %c) {a_major = "k", b_major = "n", signedness_a = "signed"} : (tensor<64x64xi8>, tensor<64x64xi8>, tensor<64x64xi32>) -> tensor<64x64xi32>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "integer_operands_have_a_signedness", function_type = (tensor<64x64xi8>, tensor<64x64xi8>, tensor<64x64xi32>) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%a: tensor<64xbf16>, %b: tensor<64xbf16>, %c: tensor<64xf32>):
  // expected-error@+1 {{expects rank-2 or rank-3 tensor for result, but got (64)}}
  %d = "nv_tileas.dot"(%a, %b, %c) {a_major = "k", b_major = "n"} : (tensor<64xbf16>, tensor<64xbf16>, tensor<64xf32>) -> tensor<64xf32>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "products_have_two_or_three_dims", function_type = (tensor<64xbf16>, tensor<64xbf16>, tensor<64xf32>) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%a: tensor<64x64xbf16>, %b: tensor<32x64xbf16>, %c: tensor<64x64xf32>):
  // expected-error@+1 {{expects the shape of operand #A and #B to be compatible}}
  %d = "nv_tileas.dot"(%a, %b, %c) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "inner_extents_agree", function_type = (tensor<64x64xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x32xbf16>, %c: tensor<64x64xf32>):
  // expected-error@+1 {{expects the shape of operand #C is compatible with operands #A and #B}}
  %d = "nv_tileas.dot"(%a, %b, %c) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x32xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "accumulators_have_the_shape_of_the_result", function_type = (tensor<64x64xbf16>, tensor<64x32xbf16>, tensor<64x64xf32>) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %c: tensor<64x64xf32>):
  // expected-error@+1 {{a_major must be k or m, but got x}}
  %d = "nv_tileas.dot"(%a, %b, %c) {a_major = "x", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "a_major_is_k_or_m", function_type = (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %c: tensor<64x64xf32>):
  // expected-error@+1 {{b_major must be k or n, but got m}}
  %d = "nv_tileas.dot"(%a, %b, %c) {a_major = "k", b_major = "m"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "b_major_is_k_or_n", function_type = (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%i: i32):
  // expected-error@+1 {{axis must be 0, 1 or 2, but got 3}}
  %0 = "nv_tileas.get_program_id"() {axis = 3 : i32} : () -> i32
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "grids_have_three_axes", function_type = (i32) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%i: i32):
  // expected-error@+1 {{expects an i32 result, but got i64}}
  %0 = "nv_tileas.get_num_programs"() {axis = 0 : i32} : () -> i64
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "numbers_of_blocks_are_i32", function_type = (i32) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%i: i32):
  // expected-error@+1 {{expects a 1-D integer tile, but got tensor<4x4xi32>}}
  %0 = "nv_tileas.make_range"() {start = 0 : i64} : () -> tensor<4x4xi32>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "ranges_have_one_dim", function_type = (i32) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%i: i32):
  // expected-error@+1 {{expects a value of the element type f32, but got i32}}
  %0 = "nv_tileas.splat"(%i) : (i32) -> tensor<4xf32>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "splats_keep_the_element_type", function_type = (i32) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%x: tensor<2xi32>):
  // expected-error@+1 {{cannot broadcast tensor<2xi32> to tensor<4xi32>}}
  %0 = "nv_tileas.broadcast"(%x) : (tensor<2xi32>) -> tensor<4xi32>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "only_extent_one_is_repeated", function_type = (tensor<2xi32>) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%x: tensor<2xi32>):
  // expected-error@+1 {{expects the same elements, but got tensor<2xi32> and tensor<4xi32>}}
  %0 = "nv_tileas.view"(%x) : (tensor<2xi32>) -> tensor<4xi32>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "views_keep_the_elements", function_type = (tensor<2xi32>) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%x: tensor<2x4xi32>):
  // expected-error@+1 {{expects a permutation of the 2 dims}}
  %0 = "nv_tileas.permute"(%x) {permutation = array<i64: 0, 0>} : (tensor<2x4xi32>) -> tensor<4x2xi32>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "permutations_name_each_dim_once", function_type = (tensor<2x4xi32>) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%x: tensor<2x4xi32>):
  // expected-error@+1 {{expects a 4x2 tile of i32, but got tensor<2x4xi32>}}
  %0 = "nv_tileas.permute"(%x) {permutation = array<i64: 1, 0>} : (tensor<2x4xi32>) -> tensor<2x4xi32>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "permuted_tiles_have_permuted_shapes", function_type = (tensor<2x4xi32>) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%x: tensor<2x4xi32>):
  // expected-error@+1 {{dim 2 is outside of rank 2}}
  %0 = "nv_tileas.cat"(%x, %x) {dim = 2 : i64} : (tensor<2x4xi32>, tensor<2x4xi32>) -> tensor<4x4xi32>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "tiles_are_joined_along_a_dim_of_theirs", function_type = (tensor<2x4xi32>) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%x: tensor<2x4xi32>):
  // expected-error@+1 {{cannot join tensor<2x4xi32> and tensor<2x4xi32> along dim 1 to tensor<4x4xi32>}}
  %0 = "nv_tileas.cat"(%x, %x) {dim = 1 : i64} : (tensor<2x4xi32>, tensor<2x4xi32>) -> tensor<4x4xi32>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "joined_extents_add_up", function_type = (tensor<2x4xi32>) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%x: tensor<2x4xi32>, %i: i32):
  // expected-error@+1 {{expects 2 i32 indices}}
  %0 = "nv_tileas.extract"(%x, %i) : (tensor<2x4xi32>, i32) -> tensor<2x2xi32>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "extract_has_an_index_for_each_dim", function_type = (tensor<2x4xi32>, i32) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%x: tensor<2x4xi32>, %i: i32):
  // expected-error@+1 {{expects slices that divide 2x4, but got tensor<2x3xi32>}}
  %0 = "nv_tileas.extract"(%x, %i, %i) : (tensor<2x4xi32>, i32, i32) -> tensor<2x3xi32>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "slices_divide_the_tile", function_type = (tensor<2x4xi32>, i32) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%p: !nv_tileaa.ptr<f32>, %i: i32):
  // expected-error@+1 {{expects 1 sizes, but got 2}}
  %0 = "nv_tileas.make_memref"(%p, %i, %i) : (!nv_tileaa.ptr<f32>, i32, i32) -> !nv_tileaa.memref<memref<?x4xf32, strided<[4, 1]>, 1>, 0 : i64>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "open_extents_have_an_operand_each", function_type = (!nv_tileaa.ptr<f32>, i32) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%p: !nv_tileaa.ptr<f32>):
  // expected-error@+1 {{expects 1 strides, but got 0}}
  %0 = "nv_tileas.make_memref"(%p) : (!nv_tileaa.ptr<f32>) -> !nv_tileaa.memref<memref<8x4xf32, strided<[?, 1]>, 1>, 0 : i64>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "open_strides_have_an_operand_each", function_type = (!nv_tileaa.ptr<f32>) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%p: !nv_tileaa.ptr<f32>):
  // expected-error@+1 {{expects a strided memref result, but got}}
  %0 = "nv_tileas.make_memref"(%p) : (!nv_tileaa.ptr<f32>) -> !nv_tileaa.memref<tensor<8xf32>, 0 : i64>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "memrefs_have_strides", function_type = (!nv_tileaa.ptr<f32>) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%i: i32):
  // expected-error@+1 {{expects at least one token}}
  %0 = "nv_tileas.join_mem_token"() : () -> !nv_tileaa.mem_token
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "joined_tokens_exist", function_type = (i32) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%v: !nv_tileaa.memref<memref<8x4xf32, strided<[4, 1]>, 1>, 0 : i64>, %i: i32):
  // expected-error@+1 {{expects a dim below 2, but got 2}}
  %0 = "nv_tileas.slice_base"(%v, %i) {dim = 2 : i64} : (!nv_tileaa.memref<memref<8x4xf32, strided<[4, 1]>, 1>, 0 : i64>, i32) -> !nv_tileaa.ptr<f32>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "a_slice_lies_along_a_dim", function_type = (!nv_tileaa.memref<memref<8x4xf32, strided<[4, 1]>, 1>, 0 : i64>, i32) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%v: !nv_tileaa.memref<memref<8x4xf32, strided<[4, 1]>, 1>, 0 : i64>, %i: i64):
  // expected-error@+1 {{expects an i32 start, but got i64}}
  %0 = "nv_tileas.slice_base"(%v, %i) {dim = 0 : i64} : (!nv_tileaa.memref<memref<8x4xf32, strided<[4, 1]>, 1>, 0 : i64>, i64) -> !nv_tileaa.ptr<f32>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "a_slice_starts_at_a_coordinate", function_type = (!nv_tileaa.memref<memref<8x4xf32, strided<[4, 1]>, 1>, 0 : i64>, i64) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%i: i32):
  // expected-error@+1 {{expects a strided memref, but got i32}}
  %0 = "nv_tileas.slice_base"(%i, %i) {dim = 0 : i64} : (i32, i32) -> !nv_tileaa.ptr<f32>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "a_slice_is_one_of_a_memref", function_type = (i32) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%v: !nv_tileaa.memref<memref<8x4xf32, strided<[4, 1]>, 1>, 0 : i64>, %i: i32):
  // expected-error@+1 {{expects 2 positive extents, but got [8]}}
  "nv_tileas.prefetch"(%v, %i, %i) {shape = array<i64: 8>} : (!nv_tileaa.memref<memref<8x4xf32, strided<[4, 1]>, 1>, 0 : i64>, i32, i32) -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "a_prefetch_has_a_shape", function_type = (!nv_tileaa.memref<memref<8x4xf32, strided<[4, 1]>, 1>, 0 : i64>, i32) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%v: !nv_tileaa.memref<memref<8x4xf32, strided<[4, 1]>, 1>, 0 : i64>, %i: i32):
  // expected-error@+1 {{expect a tma_prefetch or prefetch atom type}}
  "nv_tileas.prefetch"(%v, %i, %i) {shape = array<i64: 8, 4>, atom = #cute.copy_atom<"sm90_ldg_32_f32", "ldg", 1 : i64, 32 : i64, f32>} : (!nv_tileaa.memref<memref<8x4xf32, strided<[4, 1]>, 1>, 0 : i64>, i32, i32) -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "a_prefetch_loads_nothing", function_type = (!nv_tileaa.memref<memref<8x4xf32, strided<[4, 1]>, 1>, 0 : i64>, i32) -> ()} : () -> ()
