// RUN: tilec opt %s --passes nv-tileaa-infer-facts,nv-tileaa-select-copy-atoms --split-input-file --verify-diagnostics | FileCheck %s

// The pass chooses the copy atom of every load and store, and says why it is not TMA.

// The walk-through's load: 16-byte aligned base and pitch, contiguous rows. Every narrower copy is
// listed after the chosen one.

!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>

// CHECK-LABEL: module @aligned_rows_use_tma
// CHECK: "nv_tileaa.tiled_load"(%{{.*}}) {atom = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>,
// CHECK-SAME: legal_atoms = [#cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>, #cute.copy_atom<"sm90_ldg_128_bf16", "ldg", 1 : i64, 128 : i64, bf16>, #cute.copy_atom<"sm90_ldg_64_bf16",
// CHECK-SAME: #cute.copy_atom<"sm90_ldg_32_bf16",{{.*}}#cute.copy_atom<"sm90_ldg_16_bf16",{{.*}}#cute.copy_atom<"sm80_cp_async_16_bf16", "cp_async", 1 : i64, 128 : i64, bf16>{{.*}}"sm80_cp_async_8_bf16"{{.*}}"sm80_cp_async_4_bf16"
// CHECK: "nv_tileaa.tiled_store"(%{{.*}}) {atom = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>
module @aligned_rows_use_tma {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<bf16>, %s: i64, %m: i32, %k: i32):
    %v = "nv_tileaa.make_memref"(%p, %m, %k, %s) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !memref
    %c0 = arith.constant 0 : i32
    %a, %t = "nv_tileaa.tiled_load"(%v, %c0, %c0) : (!memref, i32, i32) -> (tensor<128x128xbf16>, !nv_tileaa.mem_token)
    %u = "nv_tileaa.tiled_store"(%v, %a, %c0, %c0, %t) : (!memref, tensor<128x128xbf16>, i32, i32, !nv_tileaa.mem_token) -> !nv_tileaa.mem_token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<bf16>, i64, i32, i32) -> (), tilec.kernel = {
    arrays = [{name = "A", dtype = "bf16", rank = 2 : i64, strides = [-1, 1]}],
    params = [{kind = "pointer", array = "A", div_by = 16 : i64}, {kind = "stride", array = "A", axis = 0 : i64, div_by = 8 : i64},
              {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "K", array = "A", axis = 1 : i64, div_by = 8 : i64}]}} : () -> ()
}

// -----

// The same on sm_80: cp.async first.

!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>

// CHECK-LABEL: module @sm_80_uses_cp_async
// CHECK: "nv_tileaa.tiled_load"(%{{.*}}) {atom = #cute.copy_atom<"sm80_cp_async_16_bf16", "cp_async", 1 : i64, 128 : i64, bf16>
// CHECK-SAME: #cute.copy_atom<"sm80_ldg_128_bf16", "ldg", 1 : i64, 128 : i64, bf16>
module @sm_80_uses_cp_async {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<bf16>, %s: i64, %m: i32, %k: i32):
    %v = "nv_tileaa.make_memref"(%p, %m, %k, %s) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !memref
    %c0 = arith.constant 0 : i32
    // expected-remark@+1 {{load of 'A' does not use TMA: compute capability 80 has no TMA}}
    %a, %t = "nv_tileaa.tiled_load"(%v, %c0, %c0) : (!memref, i32, i32) -> (tensor<128x128xbf16>, !nv_tileaa.mem_token)
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", nv_tileaa.compute_capability = 80 : i32, function_type = (!nv_tileaa.ptr<bf16>, i64, i32, i32) -> (), tilec.kernel = {
    arrays = [{name = "A", dtype = "bf16", rank = 2 : i64, strides = [-1, 1]}],
    params = [{kind = "pointer", array = "A", div_by = 16 : i64}, {kind = "stride", array = "A", axis = 0 : i64, div_by = 8 : i64},
              {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "K", array = "A", axis = 1 : i64, div_by = 8 : i64}]}} : () -> ()
}

// -----

// Nothing is known about the pitch: elements one by one (a vector would not be aligned).

!memref = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>

// CHECK-LABEL: module @an_unknown_pitch_moves_single_elements
// CHECK: "nv_tileaa.tiled_load"(%{{.*}}) {atom = #cute.copy_atom<"sm90_ldg_32_f32", "ldg", 1 : i64, 32 : i64, f32>
// CHECK-SAME: legal_atoms = [#cute.copy_atom<"sm90_ldg_32_f32", "ldg", 1 : i64, 32 : i64, f32>, #cute.copy_atom<"sm80_cp_async_4_f32", "cp_async", 1 : i64, 32 : i64, f32>]
// CHECK: "nv_tileaa.tiled_store"(%{{.*}}) {atom = #cute.copy_atom<"sm90_stg_32_f32", "stg", 1 : i64, 32 : i64, f32>
module @an_unknown_pitch_moves_single_elements {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %s: i64, %m: i32, %k: i32):
    %v = "nv_tileaa.make_memref"(%p, %m, %k, %s) : (!nv_tileaa.ptr<f32>, i32, i32, i64) -> !memref
    %c0 = arith.constant 0 : i32
    // expected-remark@+1 {{load of 'A' does not use TMA: row pitch is not known to be a multiple of 16 bytes}}
    %a, %t = "nv_tileaa.tiled_load"(%v, %c0, %c0) : (!memref, i32, i32) -> (tensor<64x64xf32>, !nv_tileaa.mem_token)
    // expected-remark@+1 {{store to 'A' does not use TMA: row pitch is not known to be a multiple of 16 bytes}}
    %u = "nv_tileaa.tiled_store"(%v, %a, %c0, %c0) : (!memref, tensor<64x64xf32>, i32, i32) -> !nv_tileaa.mem_token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i64, i32, i32) -> (), tilec.kernel = {
    arrays = [{name = "A", dtype = "f32", rank = 2 : i64, strides = [-1, 1]}],
    params = [{kind = "pointer", array = "A", div_by = 16 : i64}, {kind = "stride", array = "A", axis = 0 : i64},
              {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "K", array = "A", axis = 1 : i64}]}} : () -> ()
}

// -----

// Hints, orderings, types and strides that TMA does not support.

!memref = !nv_tileaa.memref<memref<64x64xf32, strided<[64, 1]>, 1>, 0 : i64>
!bits = !nv_tileaa.memref<memref<64xi1, strided<[1]>, 1>, 0 : i64>
!far = !nv_tileaa.memref<memref<64x64xf32, strided<[64, 2]>, 1>, 0 : i64>
!mirror = !nv_tileaa.memref<memref<64x64xf32, strided<[-64, 1]>, 1>, 0 : i64>
!narrow = !nv_tileaa.memref<memref<64x6xf32, strided<[6, 1]>, 1>, 0 : i64>
!scalar = !nv_tileaa.memref<memref<f32, strided<[]>, 1>, 0 : i64>
!shared = !nv_tileaa.memref<memref<64xf32, strided<[1]>, 3>, 0 : i64>

// CHECK-LABEL: module @tma_lacks_hints_orderings_and_types
// CHECK-NOT: atom = #cute.copy_atom<"sm90_tma
module @tma_lacks_hints_orderings_and_types {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %i: i32, %b: !nv_tileaa.ptr<i1>):
    %v = "nv_tileaa.make_memref"(%p) : (!nv_tileaa.ptr<f32>) -> !memref
    // expected-remark@+1 {{load of 'A' does not use TMA: the source says allow_tma = false}}
    %1, %t1 = "nv_tileaa.tiled_load"(%v, %i, %i) {allow_tma = false} : (!memref, i32, i32) -> (tensor<64x64xf32>, !nv_tileaa.mem_token)
    // expected-remark@+1 {{load of 'A' does not use TMA: its memory ordering is acquire, and TMA copies are weak}}
    %2, %t2 = "nv_tileaa.tiled_load"(%v, %i, %i) {mem_semantic = "acquire", mem_scope = "gpu"} : (!memref, i32, i32) -> (tensor<64x64xf32>, !nv_tileaa.mem_token)
    // expected-remark@+1 {{load of 'A' does not use TMA: the inner tile extent is 8 bytes, not a multiple of 16}}
    %3, %t3 = "nv_tileaa.tiled_load"(%v, %i, %i) : (!memref, i32, i32) -> (tensor<64x2xf32>, !nv_tileaa.mem_token)
    %bits = "nv_tileaa.make_memref"(%b) : (!nv_tileaa.ptr<i1>) -> !bits
    // expected-remark@+1 {{load of 'B' does not use TMA: tensor maps have no element type i1}}
    %4, %t4 = "nv_tileaa.tiled_load"(%bits, %i) : (!bits, i32) -> (tensor<64xi1>, !nv_tileaa.mem_token)
    %far = "nv_tileaa.make_memref"(%p) : (!nv_tileaa.ptr<f32>) -> !far
    // expected-remark@+1 {{load of 'A' does not use TMA: the innermost stride is 2, not 1}}
    %5, %t5 = "nv_tileaa.tiled_load"(%far, %i, %i) : (!far, i32, i32) -> (tensor<64x64xf32>, !nv_tileaa.mem_token)
    %mirror = "nv_tileaa.make_memref"(%p) : (!nv_tileaa.ptr<f32>) -> !mirror
    // expected-remark@+1 {{load of 'A' does not use TMA: row pitch is -64, not positive}}
    %6, %t6 = "nv_tileaa.tiled_load"(%mirror, %i, %i) : (!mirror, i32, i32) -> (tensor<64x64xf32>, !nv_tileaa.mem_token)
    %narrow = "nv_tileaa.make_memref"(%p) : (!nv_tileaa.ptr<f32>) -> !narrow
    // expected-remark@+1 {{load of 'A' does not use TMA: row pitch is 24 bytes, not a multiple of 16}}
    %7, %t7 = "nv_tileaa.tiled_load"(%narrow, %i, %i) : (!narrow, i32, i32) -> (tensor<64x4xf32>, !nv_tileaa.mem_token)
    %scalar = "nv_tileaa.make_memref"(%p) : (!nv_tileaa.ptr<f32>) -> !scalar
    // expected-remark@+1 {{load of 'A' does not use TMA: rank 0 is not between 1 and 5}}
    %8, %t8 = "nv_tileaa.tiled_load"(%scalar) : (!scalar) -> (tensor<f32>, !nv_tileaa.mem_token)
    %shared = "nv_tileaa.make_memref"(%p) : (!nv_tileaa.ptr<f32>) -> !shared
    // expected-remark@+1 {{load of 'A' does not use TMA: the array is not in global memory}}
    %9, %t9 = "nv_tileaa.tiled_load"(%shared, %i) : (!shared, i32) -> (tensor<64xf32>, !nv_tileaa.mem_token)
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i32, !nv_tileaa.ptr<i1>) -> (), tilec.kernel = {
    arrays = [{name = "A", dtype = "f32", rank = 2 : i64, strides = [64, 1]}, {name = "B", dtype = "bool", rank = 1 : i64, strides = [1]}],
    static_shape = {A = [64, 64], B = [64]},
    params = [{kind = "pointer", array = "A", div_by = 16 : i64}, {kind = "scalar", name = "i", dtype = "i32"}, {kind = "pointer", array = "B", div_by = 16 : i64}]}} : () -> ()
}

// -----

// What the host cannot describe: an extent computed in the kernel, dims that are not those of the
// array. And a base address of unknown alignment.

!memref = !nv_tileaa.memref<memref<?x64xf32, strided<[64, 1]>, 1>, 0 : i64>
!other = !nv_tileaa.memref<memref<32x64xf32, strided<[64, 1]>, 1>, 0 : i64>

// CHECK-LABEL: module @the_host_describes_arrays_of_the_caller
// CHECK: "nv_tileaa.tiled_load"(%{{.*}}) {atom = #cute.copy_atom<"sm90_ldg_128_f32", "ldg", 1 : i64, 128 : i64, f32>
module @the_host_describes_arrays_of_the_caller {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %m: i32, %q: !nv_tileaa.ptr<f32>):
    %c0 = arith.constant 0 : i32
    %half = arith.divui %m, %m : i32
    %v = "nv_tileaa.make_memref"(%p, %half) : (!nv_tileaa.ptr<f32>, i32) -> !memref
    // expected-remark@+1 {{load of 'A' does not use TMA: an extent or stride is computed in the kernel}}
    %0, %t0 = "nv_tileaa.tiled_load"(%v, %c0, %c0) : (!memref, i32, i32) -> (tensor<64x64xf32>, !nv_tileaa.mem_token)
    %w = "nv_tileaa.make_memref"(%p) : (!nv_tileaa.ptr<f32>) -> !other
    // expected-remark@+1 {{load of 'A' does not use TMA: its dims are not the axes of A}}
    %1, %t1 = "nv_tileaa.tiled_load"(%w, %c0, %c0) : (!other, i32, i32) -> (tensor<32x64xf32>, !nv_tileaa.mem_token)
    %x = "nv_tileaa.make_memref"(%q, %m) : (!nv_tileaa.ptr<f32>, i32) -> !memref
    // expected-remark@+1 {{load of 'B' does not use TMA: base address is not known to be a multiple of 16 bytes}}
    %2, %t2 = "nv_tileaa.tiled_load"(%x, %c0, %c0) : (!memref, i32, i32) -> (tensor<32x64xf32>, !nv_tileaa.mem_token)
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i32, !nv_tileaa.ptr<f32>) -> (), tilec.kernel = {
    arrays = [{name = "A", dtype = "f32", rank = 2 : i64, strides = [64, 1]}, {name = "B", dtype = "f32", rank = 2 : i64, strides = [64, 1]}],
    static_shape = {A = [-1, 64], B = [-1, 64]},
    params = [{kind = "pointer", array = "A", div_by = 16 : i64}, {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "pointer", array = "B"}]}} : () -> ()
}

// -----

// A load that may read what the kernel stored before stays out of TMA, also when the store comes
// later in the text but earlier in the loop. A load before the only store may use TMA.

!memref = !nv_tileaa.memref<memref<64xf32, strided<[1]>, 1>, 0 : i64>

// CHECK-LABEL: module @loads_after_stores_do_not_use_tma
// CHECK: "nv_tileaa.tiled_load"(%{{.*}}) {atom = #cute.copy_atom<"sm90_tma_load_1d_f32"
// CHECK: "nv_tileaa.tiled_store"(%{{.*}}) {atom = #cute.copy_atom<"sm90_tma_store_1d_f32"
// CHECK: scf.for
// CHECK: "nv_tileaa.tiled_load"(%{{.*}}) {atom = #cute.copy_atom<"sm90_ldg_128_f32"
module @loads_after_stores_do_not_use_tma {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %v = "nv_tileaa.make_memref"(%p) : (!nv_tileaa.ptr<f32>) -> !memref
    %t = "nv_tileaa.create_mem_token"() : () -> !nv_tileaa.mem_token
    %0, %t0 = "nv_tileaa.tiled_load"(%v, %c0, %t) : (!memref, i32, !nv_tileaa.mem_token) -> (tensor<16xf32>, !nv_tileaa.mem_token)
    %t1 = "nv_tileaa.tiled_store"(%v, %0, %c0, %t0) : (!memref, tensor<16xf32>, i32, !nv_tileaa.mem_token) -> !nv_tileaa.mem_token
    %end = scf.for %i = %c0 to %c4 step %c1 iter_args(%before = %t) -> (!nv_tileaa.mem_token) : i32 {
      // expected-remark@+1 {{load of 'A' does not use TMA: it comes after a store or an acquire of this kernel}}
      %1, %t2 = "nv_tileaa.tiled_load"(%v, %c0, %before) : (!memref, i32, !nv_tileaa.mem_token) -> (tensor<16xf32>, !nv_tileaa.mem_token)
      %t3 = "nv_tileaa.tiled_store"(%v, %1, %c0, %t2) : (!memref, tensor<16xf32>, i32, !nv_tileaa.mem_token) -> !nv_tileaa.mem_token
      scf.yield %t3 : !nv_tileaa.mem_token
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>) -> (), tilec.kernel = {
    arrays = [{name = "A", dtype = "f32", rank = 1 : i64, strides = [1]}], static_shape = {A = [64]},
    params = [{kind = "pointer", array = "A", div_by = 16 : i64}]}} : () -> ()
}

// -----

// TMA fills with zeros: other padding takes a select, along the dims where the tile may leave the
// array. A tile that stays inside needs none.

!memref = !nv_tileaa.memref<memref<?x64xf32, strided<[64, 1]>, 1>, 0 : i64>
!square = !nv_tileaa.memref<memref<64x64xf32, strided<[64, 1]>, 1>, 0 : i64>

// CHECK-LABEL: module @other_padding_takes_a_select
// CHECK:      %[[L:.*]]:2 = "nv_tileaa.tiled_load"({{.*}}) {atom = #cute.copy_atom<"sm90_tma_load_2d_f32", {{.*}}padding = "zero"}
// CHECK:      %[[AT:.*]] = "nv_tileaa.splat"(%[[I:.*]]) : (i32) -> tensor<32xi32>
// CHECK:      %[[END:.*]] = "nv_tileaa.splat"(%{{.*}}) : (i32) -> tensor<32xi32>
// CHECK:      %[[RANGE:.*]] = "nv_tileaa.make_range"()
// CHECK:      %[[PLACE:.*]] = arith.addi %[[RANGE]], %[[AT]] : tensor<32xi32>
// CHECK:      %[[IN:.*]] = arith.cmpi ult, %[[PLACE]], %[[END]] : tensor<32xi32>
// CHECK:      %[[COLUMN:.*]] = "nv_tileaa.view"(%[[IN]]) : (tensor<32xi1>) -> tensor<32x1xi1>
// CHECK:      %[[MASK:.*]] = "nv_tileaa.broadcast"(%[[COLUMN]]) : (tensor<32x1xi1>) -> tensor<32x64xi1>
// CHECK-NOT:  arith.andi
// CHECK:      %[[PADDED:.*]] = arith.select %[[MASK]], %[[L]]#0, %{{.*}} : tensor<32x64xi1>, tensor<32x64xf32>
// CHECK:      math.exp %[[PADDED]]
// CHECK:      %[[M:.*]]:2 = "nv_tileaa.tiled_load"(
// CHECK-NEXT: math.exp %[[M]]#0
module @other_padding_takes_a_select {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %n: i32, %i: i32):
    %v = "nv_tileaa.make_memref"(%p, %n) : (!nv_tileaa.ptr<f32>, i32) -> !memref
    %c0 = arith.constant 0 : i32
    %0, %t0 = "nv_tileaa.tiled_load"(%v, %i, %c0) {padding = "neg_inf"} : (!memref, i32, i32) -> (tensor<32x64xf32>, !nv_tileaa.mem_token)
    %x = math.exp %0 : tensor<32x64xf32>
    %w = "nv_tileaa.make_memref"(%p) : (!nv_tileaa.ptr<f32>) -> !square
    %1, %t1 = "nv_tileaa.tiled_load"(%w, %c0, %c0) {padding = "nan"} : (!square, i32, i32) -> (tensor<32x64xf32>, !nv_tileaa.mem_token)
    %y = math.exp %1 : tensor<32x64xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i32, i32) -> (), tilec.kernel = {
    arrays = [{name = "A", dtype = "f32", rank = 2 : i64, strides = [64, 1]}], static_shape = {A = [-1, 64]},
    params = [{kind = "pointer", array = "A", div_by = 16 : i64}, {kind = "dim", name = "N", array = "A", axis = 0 : i64}]}} : () -> ()
}

// -----

// TMA may move the tile of a block that reduces it once, and stays legal; threads move it.

!memref = !nv_tileaa.memref<memref<?x64xf32, strided<[64, 1]>, 1>, 0 : i64>

// CHECK-LABEL: module @threads_move_a_tile_that_is_reduced_once
// CHECK: "nv_tileaa.tiled_load"({{.*}}) {atom = #cute.copy_atom<"sm90_ldg_128_f32", {{.*}}legal_atoms = [#cute.copy_atom<"sm90_tma_load_2d_f32",
module @threads_move_a_tile_that_is_reduced_once {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %n: i32):
    %v = "nv_tileaa.make_memref"(%p, %n) : (!nv_tileaa.ptr<f32>, i32) -> !memref
    %c0 = arith.constant 0 : i32
    // expected-remark@+1 {{load of 'A' does not use TMA: its block waits for the whole tile, and threads move 16 bytes at a time}}
    %0, %t0 = "nv_tileaa.tiled_load"(%v, %c0, %c0) : (!memref, i32, i32) -> (tensor<32x64xf32>, !nv_tileaa.mem_token)
    %1 = "nv_tileaa.reduce"(%0) ({
    ^bb0(%a: f32, %b: f32):
      %2 = arith.addf %a, %b : f32
      "nv_tileaa.yield_values"(%2) : (f32) -> ()
    }) {axis = 1 : i64} : (tensor<32x64xf32>) -> tensor<32xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i32) -> (), tilec.kernel = {
    arrays = [{name = "A", dtype = "f32", rank = 2 : i64, strides = [64, 1]}], static_shape = {A = [-1, 64]},
    params = [{kind = "pointer", array = "A", div_by = 16 : i64}, {kind = "dim", name = "N", array = "A", axis = 0 : i64}]}} : () -> ()
}

// -----

// So they do where the end of a row may cut a vector, because they load narrow elements in runs.

!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>

// CHECK-LABEL: module @threads_load_rows_of_any_length_in_runs
// CHECK: "nv_tileaa.tiled_load"({{.*}}) {atom = #cute.copy_atom<"sm90_ldg_16_bf16", {{.*}}legal_atoms = [#cute.copy_atom<"sm90_tma_load_2d_bf16",
module @threads_load_rows_of_any_length_in_runs {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<bf16>, %s: i64, %m: i32, %n: i32):
    %v = "nv_tileaa.make_memref"(%p, %m, %n, %s) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !memref
    %c0 = arith.constant 0 : i32
    // expected-remark@+1 {{load of 'A' does not use TMA: its block waits for the whole tile, and threads move 16 bytes at a time}}
    %0, %t0 = "nv_tileaa.tiled_load"(%v, %c0, %c0) : (!memref, i32, i32) -> (tensor<4x1024xbf16>, !nv_tileaa.mem_token)
    %1 = "nv_tileaa.reduce"(%0) ({
    ^bb0(%a: bf16, %b: bf16):
      %2 = arith.addf %a, %b : bf16
      "nv_tileaa.yield_values"(%2) : (bf16) -> ()
    }) {axis = 1 : i64} : (tensor<4x1024xbf16>) -> tensor<4xbf16>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<bf16>, i64, i32, i32) -> (), tilec.kernel = {
    arrays = [{name = "A", dtype = "bf16", rank = 2 : i64, strides = [-1, 1]}],
    params = [{kind = "pointer", array = "A", div_by = 16 : i64}, {kind = "stride", array = "A", axis = 0 : i64, div_by = 8 : i64},
              {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "N", array = "A", axis = 1 : i64}]}} : () -> ()
}

// -----

// TMA moves tiles of a slice of rows wherever it begins, as it describes the whole array. What lies
// in the array after the slice is replaced by padding. A slice of columns has to begin at a multiple
// of 16 bytes.

!memref = !nv_tileaa.memref<memref<?x64xf32, strided<[64, 1]>, 1>, 0 : i64>
!narrow = !nv_tileaa.memref<memref<?x?xf32, strided<[64, 1]>, 1>, 0 : i64>

// CHECK-LABEL: module @slices_of_rows_use_tma
// CHECK: %[[FIRST:.*]] = "nv_tileaa.slice_base"(%{{.*}}) {dim = 0 : i64, start_div_by = 1 : i64}
// CHECK: %[[ROWS:.*]] = "nv_tileaa.make_memref"(%[[FIRST]], %[[SIZE:.*]]) {base_div_by = 16 : i64
// CHECK: %[[A:.*]]:2 = "nv_tileaa.tiled_load"(%[[ROWS]], {{.*}} {atom = #cute.copy_atom<"sm90_tma_load_2d_f32"
// CHECK: %[[END:.*]] = "nv_tileaa.splat"(%[[SIZE]])
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %{{.*}}, %[[END]] : tensor<8xi32>
// CHECK: %[[B:.*]] = arith.select %{{.*}}, %[[A]]#0, %{{.*}} : tensor<8x32xi1>, tensor<8x32xf32>
// CHECK: "nv_tileaa.tiled_store"(%[[ROWS]], %[[B]], {{.*}} {atom = #cute.copy_atom<"sm90_tma_store_2d_f32"
// CHECK: "nv_tileaa.tiled_load"{{.*}} {atom = #cute.copy_atom<"sm90_ldg_32_f32"
module @slices_of_rows_use_tma {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %m: i32, %start: i32, %size: i32):
    %v = "nv_tileaa.make_memref"(%p, %m) : (!nv_tileaa.ptr<f32>, i32) -> !memref
    %first = "nv_tileaa.slice_base"(%v, %start) {dim = 0 : i64} : (!memref, i32) -> !nv_tileaa.ptr<f32>
    %rows = "nv_tileaa.make_memref"(%first, %size) : (!nv_tileaa.ptr<f32>, i32) -> !memref
    %column = "nv_tileaa.slice_base"(%v, %start) {dim = 1 : i64} : (!memref, i32) -> !nv_tileaa.ptr<f32>
    %columns = "nv_tileaa.make_memref"(%column, %m, %size) : (!nv_tileaa.ptr<f32>, i32, i32) -> !narrow
    %c0 = arith.constant 0 : i32
    %a, %t = "nv_tileaa.tiled_load"(%rows, %c0, %c0) : (!memref, i32, i32) -> (tensor<8x32xf32>, !nv_tileaa.mem_token)
    %u = "nv_tileaa.tiled_store"(%rows, %a, %c0, %c0, %t) : (!memref, tensor<8x32xf32>, i32, i32, !nv_tileaa.mem_token) -> !nv_tileaa.mem_token
    // expected-remark@+1 {{load of 'A' does not use TMA: its rows are not known to start at multiples of 16 bytes}}
    %b, %w = "nv_tileaa.tiled_load"(%columns, %c0, %c0) : (!narrow, i32, i32) -> (tensor<8x32xf32>, !nv_tileaa.mem_token)
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i32, i32, i32) -> (), tilec.kernel = {
    arrays = [{name = "A", dtype = "f32", rank = 2 : i64, strides = [64, 1]}], static_shape = {A = [-1, 64]},
    params = [{kind = "pointer", array = "A", div_by = 16 : i64}, {kind = "dim", name = "M", array = "A", axis = 0 : i64}]}} : () -> ()
}

// -----

// A prefetch has atoms of its own: TMA, or lines by threads.

!memref = !nv_tileaa.memref<memref<?x64xf32, strided<[64, 1]>, 1>, 0 : i64>

// CHECK-LABEL: module @prefetches_have_atoms_of_their_own
// CHECK: "nv_tileaa.prefetch"({{.*}}) {atom = #cute.copy_atom<"sm90_tma_prefetch_2d_f32", {{.*}}legal_atoms = [#cute.copy_atom<"sm90_tma_prefetch_2d_f32", {{.*}}, #cute.copy_atom<"sm90_prefetch_1024_f32"
// CHECK: "nv_tileaa.prefetch"({{.*}}) {atom = #cute.copy_atom<"sm90_prefetch_1024_f32",
module @prefetches_have_atoms_of_their_own {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %n: i32):
    %v = "nv_tileaa.make_memref"(%p, %n) : (!nv_tileaa.ptr<f32>, i32) -> !memref
    %c0 = arith.constant 0 : i32
    "nv_tileaa.prefetch"(%v, %c0, %c0) {shape = array<i64: 32, 64>} : (!memref, i32, i32) -> ()
    // expected-remark@+1 {{prefetch of 'A' does not use TMA: its rows are not known to start at multiples of 16 bytes}}
    "nv_tileaa.prefetch"(%v, %c0, %n) {shape = array<i64: 32, 64>} : (!memref, i32, i32) -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i32) -> (), tilec.kernel = {
    arrays = [{name = "A", dtype = "f32", rank = 2 : i64, strides = [64, 1]}], static_shape = {A = [-1, 64]},
    params = [{kind = "pointer", array = "A", div_by = 16 : i64}, {kind = "dim", name = "N", array = "A", axis = 0 : i64}]}} : () -> ()
}

// -----

// Threads have to load two of three tiles of the array. So they load the third one, too; in a loop,
// TMA does.

!narrow = !nv_tileaa.memref<memref<?x64xf32, strided<[64, 1]>, 1>, 0 : i64>

// CHECK-LABEL: module @threads_load_what_most_tiles_bring_in
// CHECK: "nv_tileaa.tiled_load"{{.*}} {atom = #cute.copy_atom<"sm90_ldg_128_f32"
// CHECK: "nv_tileaa.tiled_load"{{.*}} {atom = #cute.copy_atom<"sm90_ldg_32_f32"
// CHECK: "nv_tileaa.tiled_load"{{.*}} {atom = #cute.copy_atom<"sm90_ldg_32_f32"
// CHECK: "nv_tileaa.tiled_load"{{.*}} {atom = #cute.copy_atom<"sm90_tma_load_2d_f32"
module @threads_load_what_most_tiles_bring_in {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %m: i32, %n: i32):
    %v = "nv_tileaa.make_memref"(%p, %m) : (!nv_tileaa.ptr<f32>, i32) -> !narrow
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // expected-remark@+1 {{load of 'A' does not use TMA: threads load 2 of the 3 tiles of its array anyway}}
    %a, %t = "nv_tileaa.tiled_load"(%v, %c0, %c0) : (!narrow, i32, i32) -> (tensor<8x64xf32>, !nv_tileaa.mem_token)
    // expected-remark@+1 {{load of 'A' does not use TMA: its rows are not known to start at multiples of 16 bytes}}
    %b, %u = "nv_tileaa.tiled_load"(%v, %c0, %c1) : (!narrow, i32, i32) -> (tensor<8x64xf32>, !nv_tileaa.mem_token)
    // expected-remark@+1 {{load of 'A' does not use TMA: its rows are not known to start at multiples of 16 bytes}}
    %c, %w = "nv_tileaa.tiled_load"(%v, %c0, %n) : (!narrow, i32, i32) -> (tensor<8x64xf32>, !nv_tileaa.mem_token)
    scf.for %i = %c0 to %n step %c1 : i32 {
      %d, %x = "nv_tileaa.tiled_load"(%v, %i, %c0) : (!narrow, i32, i32) -> (tensor<8x64xf32>, !nv_tileaa.mem_token)
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i32, i32) -> (), tilec.kernel = {
    arrays = [{name = "A", dtype = "f32", rank = 2 : i64, strides = [64, 1]}], static_shape = {A = [-1, 64]},
    params = [{kind = "pointer", array = "A", div_by = 16 : i64}, {kind = "dim", name = "M", array = "A", axis = 0 : i64}]}} : () -> ()
}

// -----

// A loop that repeats its tile 16 times before it reduces that computes longer than it loads: TMA.

!memref = !nv_tileaa.memref<memref<?x64xf32, strided<[64, 1]>, 1>, 0 : i64>

// CHECK-LABEL: module @tma_loads_what_a_round_repeats
// CHECK: "nv_tileaa.tiled_load"({{.*}}) {atom = #cute.copy_atom<"sm90_tma_load_2d_f32"
module @tma_loads_what_a_round_repeats {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %n: i32):
    %v = "nv_tileaa.make_memref"(%p, %n) : (!nv_tileaa.ptr<f32>, i32) -> !memref
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    scf.for %k = %c0 to %n step %c32 : i32 {
      %0, %t0 = "nv_tileaa.tiled_load"(%v, %k, %c0) : (!memref, i32, i32) -> (tensor<32x64xf32>, !nv_tileaa.mem_token)
      %1 = "nv_tileaa.view"(%0) : (tensor<32x64xf32>) -> tensor<32x1x64xf32>
      %2 = "nv_tileaa.broadcast"(%1) : (tensor<32x1x64xf32>) -> tensor<32x16x64xf32>
      %3 = "nv_tileaa.reduce"(%2) ({
      ^bb0(%a: f32, %b: f32):
        %4 = arith.addf %a, %b : f32
        "nv_tileaa.yield_values"(%4) : (f32) -> ()
      }) {axis = 2 : i64} : (tensor<32x16x64xf32>) -> tensor<32x16xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i32) -> (), tilec.kernel = {
    arrays = [{name = "A", dtype = "f32", rank = 2 : i64, strides = [64, 1]}], static_shape = {A = [-1, 64]},
    params = [{kind = "pointer", array = "A", div_by = 16 : i64}, {kind = "dim", name = "N", array = "A", axis = 0 : i64}]}} : () -> ()
}
