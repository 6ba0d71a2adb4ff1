// RUN: tilec opt %s --passes nv-tileaa-infer-facts --split-input-file | FileCheck %s

// The pass writes divisors and bounds of memrefs and coordinates as attributes.

// Facts of parameters come from the metadata (bytes for pointers, elements for the rest), strides
// become bytes. A loop goes over the tiles of the inner dim, whose extent is a multiple of the tile,
// so the tile stays in bounds there; nothing is known about the outer extent.

!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>

// CHECK-LABEL: module @facts_come_from_parameters
// CHECK: "nv_tileaa.make_memref"(%{{.*}}) {base_div_by = 16 : i64, size_div_by = array<i64: 1, 64>, stride_div_by = array<i64: 16, 2>}
// CHECK: "nv_tileaa.tiled_load"(%{{.*}}) {coord_div_by = array<i64: 128, 64>, in_bounds = array<i1: false, true>
// CHECK: "nv_tileaa.tiled_store"(%{{.*}}) {coord_div_by = array<i64: 0, 1>, in_bounds = array<i1: false, false>
module @facts_come_from_parameters {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<bf16>, %s: i64, %m: i32, %k: i32):
    %v = "nv_tileaa.make_memref"(%p, %m, %k, %s) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !memref
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c63 = arith.constant 63 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %id = "nv_tileaa.get_program_id"() {axis = 0 : i32} : () -> i32
    %row = arith.muli %id, %c128 : i32
    %sum = arith.addi %k, %c63 : i32
    %tiles = arith.divui %sum, %c64 : i32
    scf.for %i = %c0 to %tiles step %c1 : i32 {
      %column = arith.muli %i, %c64 : i32
      %a, %t = "nv_tileaa.tiled_load"(%v, %row, %column) : (!memref, i32, i32) -> (tensor<128x64xbf16>, !nv_tileaa.mem_token)
      %u = "nv_tileaa.tiled_store"(%v, %a, %c0, %id) : (!memref, tensor<128x64xbf16>, i32, i32) -> !nv_tileaa.mem_token
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<bf16>, i64, i32, i32) -> (), tilec.kernel = {
    params = [{kind = "pointer", array = "A", div_by = 16 : i64}, {kind = "stride", array = "A", axis = 0 : i64, div_by = 8 : i64},
              {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "K", array = "A", axis = 1 : i64, div_by = 64 : i64}]}} : () -> ()
}

// -----

// Constant extents, strides and coordinates; an assumption about the base address.

!memref = !nv_tileaa.memref<memref<16x12xf32, strided<[12, 1]>, 1>, 0 : i64>

// CHECK-LABEL: module @facts_come_from_constants
// CHECK: "nv_tileaa.make_memref"(%{{.*}}) {base_div_by = 64 : i64, size_div_by = array<i64: 16, 12>, stride_div_by = array<i64: 48, 4>}
// CHECK: "nv_tileaa.tiled_load"(%{{.*}}) {coord_div_by = array<i64: 8, 8>, in_bounds = array<i1: true, false>
// CHECK: "nv_tileaa.tiled_load"(%{{.*}}) {coord_div_by = array<i64: 8, 0>, in_bounds = array<i1: true, true>
module @facts_come_from_constants {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>):
    %q = "nv_tileaa.assume"(%p) {div_by = 64 : i64} : (!nv_tileaa.ptr<f32>) -> !nv_tileaa.ptr<f32>
    %v = "nv_tileaa.make_memref"(%q) : (!nv_tileaa.ptr<f32>) -> !memref
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c8 = arith.constant 8 : i32
    %a, %t = "nv_tileaa.tiled_load"(%v, %c8, %c8) : (!memref, i32, i32) -> (tensor<8x8xf32>, !nv_tileaa.mem_token)
    scf.for %i = %c0 to %c2 step %c1 : i32 {
      %row = arith.muli %i, %c8 : i32
      %b, %u = "nv_tileaa.tiled_load"(%v, %row, %c0) : (!memref, i32, i32) -> (tensor<8x8xf32>, !nv_tileaa.mem_token)
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>) -> ()} : () -> ()
}

// -----

// Index arithmetic: sums and choices keep the common divisor, a loop variable that of its start and
// step, and a loop-carried value is unknown.

!memref = !nv_tileaa.memref<memref<?xf32, strided<[1]>, 1>, 0 : i64>

// CHECK-LABEL: module @arithmetic_keeps_divisors
// CHECK: coord_div_by = array<i64: 12>
// CHECK: coord_div_by = array<i64: 4>
// CHECK: coord_div_by = array<i64: 1>
module @arithmetic_keeps_divisors {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %n: i32, %c: i1):
    %v = "nv_tileaa.make_memref"(%p, %n) : (!nv_tileaa.ptr<f32>, i32) -> !memref
    %c12 = arith.constant 12 : i32
    %c24 = arith.constant 24 : i32
    %c16 = arith.constant 16 : i32
    %r = scf.for %i = %c24 to %n step %c12 iter_args(%j = %c24) -> (i32) : i32 {
      %a, %t = "nv_tileaa.tiled_load"(%v, %i) : (!memref, i32) -> (tensor<8xf32>, !nv_tileaa.mem_token)
      %k = arith.select %c, %i, %c16 : i32
      %b, %u = "nv_tileaa.tiled_load"(%v, %k) : (!memref, i32) -> (tensor<8xf32>, !nv_tileaa.mem_token)
      %d, %w = "nv_tileaa.tiled_load"(%v, %j) : (!memref, i32) -> (tensor<8xf32>, !nv_tileaa.mem_token)
      %next = arith.addi %j, %c12 : i32
      scf.yield %next : i32
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i32, i1) -> ()} : () -> ()
}

// -----

// Block coordinates: grid axis 0 has one block per tile of dim M, whose extent is a multiple of the
// tile; axis 1 counts tiles of another extent, axis 2 those of a constant dim.

!memref = !nv_tileaa.memref<memref<?x?x96xf32, strided<[?, 96, 1]>, 1>, 0 : i64>

// CHECK-LABEL: module @block_coordinates_stay_in_bounds
// CHECK: "nv_tileaa.tiled_load"(%{{.*}}) {coord_div_by = array<i64: 8, 8, 32>, in_bounds = array<i1: true, false, true>
module @block_coordinates_stay_in_bounds {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %s: i64, %m: i32, %k: i32):
    %v = "nv_tileaa.make_memref"(%p, %m, %k, %s) : (!nv_tileaa.ptr<f32>, i32, i32, i64) -> !memref
    %c8 = arith.constant 8 : i32
    %c32 = arith.constant 32 : i32
    %x = "nv_tileaa.get_program_id"() {axis = 0 : i32} : () -> i32
    %y = "nv_tileaa.get_program_id"() {axis = 1 : i32} : () -> i32
    %z = "nv_tileaa.get_program_id"() {axis = 2 : i32} : () -> i32
    %c0 = arith.muli %x, %c8 : i32
    %c1 = arith.muli %c8, %y : i32
    %c2 = arith.muli %z, %c32 : i32
    %a, %t = "nv_tileaa.tiled_load"(%v, %c0, %c1, %c2) : (!memref, i32, i32, i32) -> (tensor<8x8x32xf32>, !nv_tileaa.mem_token)
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i64, i32, i32) -> (), tilec.kernel = {
    grid = ["cdiv(M, 8)", "cdiv(K, 16)", "cdiv(96, 32)"],
    params = [{kind = "pointer", array = "A"}, {kind = "stride", array = "A", axis = 0 : i64},
              {kind = "dim", name = "M", array = "A", axis = 0 : i64, div_by = 64 : i64},
              {kind = "dim", name = "K", array = "A", axis = 1 : i64, div_by = 64 : i64}]}} : () -> ()
}

// -----

// A coordinate made of block coordinates, extents and loop variables from 0 without a subtraction is
// never before the array, as long as it stays below 2^31; one less, a product that may wrap, a
// parameter that is no extent, or what a loop carries may be.

!memref = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>

// CHECK-LABEL: module @coordinates_are_never_before_the_array
// CHECK: never_before = array<i1: true, false>
// CHECK: never_before = array<i1: false, true>
// CHECK: never_before = array<i1: true, true>
// CHECK: never_before = array<i1: false, false>
module @coordinates_are_never_before_the_array {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %s: i64, %m: i32, %k: i32, %shift: i32):
    %v = "nv_tileaa.make_memref"(%p, %m, %k, %s) : (!nv_tileaa.ptr<f32>, i32, i32, i64) -> !memref
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %minus = arith.constant -1 : i32
    %x = "nv_tileaa.get_program_id"() {axis = 0 : i32} : () -> i32
    %row = arith.muli %x, %c8 : i32
    %before = arith.subi %row, %c8 : i32
    %y = "nv_tileaa.get_program_id"() {axis = 1 : i32} : () -> i32
    %far = arith.muli %y, %c8 : i32
    %a, %t = "nv_tileaa.tiled_load"(%v, %row, %before) : (!memref, i32, i32) -> (tensor<8x8xf32>, !nv_tileaa.mem_token)
    %b, %q = "nv_tileaa.tiled_load"(%v, %far, %y) : (!memref, i32, i32) -> (tensor<8x8xf32>, !nv_tileaa.mem_token)
    %r = scf.for %i = %c0 to %k step %c1 iter_args(%j = %c0) -> (i32) : i32 {
      %limited = arith.maxsi %shift, %i : i32
      %u = "nv_tileaa.tiled_store"(%v, %a, %limited, %i) : (!memref, tensor<8x8xf32>, i32, i32) -> !nv_tileaa.mem_token
      %w = "nv_tileaa.tiled_store"(%v, %a, %j, %shift) : (!memref, tensor<8x8xf32>, i32, i32) -> !nv_tileaa.mem_token
      %next = arith.addi %j, %minus : i32
      scf.yield %next : i32
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i64, i32, i32, i32) -> (), tilec.kernel = {
    grid = ["cdiv(M, 8)", "M"],
    params = [{kind = "pointer", array = "A"}, {kind = "stride", array = "A", axis = 0 : i64},
              {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "K", array = "A", axis = 1 : i64},
              {kind = "scalar", name = "shift"}]}} : () -> ()
}
