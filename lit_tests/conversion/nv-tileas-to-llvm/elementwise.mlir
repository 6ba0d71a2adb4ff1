// RUN: tilec opt %s --passes convert-nv-tileas-to-llvm --split-input-file | FileCheck %s

// The pass lowers element-wise operations on tiles to scalar operations on the registers of a
// thread.

!s = !nv_tileas.smem<tensor<256xf32, #nv_tileas.shared_layout<array<i64: 256>, 0 : i64>>>
!t = tensor<256xf32, #nv_tileas.layout<"256|reg:2*(1)|lane:32*(2)|warp:4*(64)">>

// An operation on a tile becomes one scalar operation for each register.
// CHECK-LABEL: llvm.func @tiles_unroll_over_registers
// CHECK:         %[[V:.*]] = llvm.load
// CHECK:         %[[X0:.*]] = llvm.extractelement %[[V]]
// CHECK:         %[[X1:.*]] = llvm.extractelement %[[V]]
// CHECK:         %[[Y0:.*]] = arith.mulf %[[X0]], %[[X0]] : f32
// CHECK:         %[[Y1:.*]] = arith.mulf %[[X1]], %[[X1]] : f32
// CHECK:         %[[C0:.*]] = arith.cmpf ogt, %[[Y0]], %[[X0]] : f32
// CHECK:         %[[C1:.*]] = arith.cmpf ogt, %[[Y1]], %[[X1]] : f32
// CHECK:         arith.select %[[C0]], %[[Y0]], %[[X0]] : f32
// CHECK:         arith.select %[[C1]], %[[Y1]], %[[X1]] : f32
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.load_shared"(%s) : (!s) -> !t
    %y = arith.mulf %x, %x : !t
    %c = arith.cmpf ogt, %y, %x : !t
    %z = arith.select %c, %y, %x : tensor<256xi1, #nv_tileas.layout<"256|reg:2*(1)|lane:32*(2)|warp:4*(64)">>, !t
    "nv_tileas.store_shared"(%z, %s) : (!t, !s) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "tiles_unroll_over_registers", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

// Two registers of 16 bits share one of 32. A pair is computed as a pair, with one instruction
// where the hardware has one.
// CHECK-LABEL: llvm.func @pairs_of_halves
// CHECK:         %[[V:.*]] = llvm.load {{.*}} -> vector<2xf16>
// CHECK:         %[[HALF:.*]] = arith.constant 5.000000e-01 : f16
// CHECK:         %[[A:.*]] = llvm.insertelement %[[HALF]], %{{.*}}
// CHECK:         %[[B:.*]] = llvm.insertelement %[[HALF]], %[[A]]
// CHECK:         %[[Y:.*]] = arith.mulf %{{.*}}, %[[B]] : vector<2xf16>
// CHECK:         %[[Z:.*]] = llvm.call_intrinsic "llvm.fma.v2f16"(%[[Y]], %{{.*}}, %[[Y]]) {{.*}} -> vector<2xf16>
// CHECK-COUNT-2: arith.divf %{{.*}} : f16
!s = !nv_tileas.smem<tensor<256xf16, #nv_tileas.shared_layout<array<i64: 256>, 0 : i64>>>
!t = tensor<256xf16, #nv_tileas.layout<"256|reg:2*(1)|lane:32*(2)|warp:4*(64)">>
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.load_shared"(%s) : (!s) -> !t
    %h = arith.constant dense<0.5> : !t
    %y = arith.mulf %x, %h : !t
    %z = math.fma %y, %x, %y : !t
    %q = arith.divf %z, %x : !t
    "nv_tileas.store_shared"(%q, %s) : (!t, !s) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "pairs_of_halves", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!s = !nv_tileas.smem<tensor<512xf32, #nv_tileas.shared_layout<array<i64: 512>, 0 : i64>>>
!t = tensor<512xf32, #nv_tileas.layout<"512|reg:4*(1)|lane:32*(4)|warp:4*(128)">>

// A run of operations finishes two registers before it starts the next two.
// CHECK-LABEL: llvm.func @two_registers_at_a_time
// CHECK-COUNT-2: arith.mulf
// CHECK-COUNT-2: arith.addf
// CHECK-COUNT-2: arith.mulf
// CHECK-COUNT-2: arith.addf
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.load_shared"(%s) : (!s) -> !t
    %y = arith.mulf %x, %x : !t
    %z = arith.addf %y, %x : !t
    "nv_tileas.store_shared"(%z, %s) : (!t, !s) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "two_registers_at_a_time", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!s = !nv_tileas.smem<tensor<256xbf16, #nv_tileas.shared_layout<array<i64: 256>, 0 : i64>>>
!d = !nv_tileas.smem<tensor<256xf32, #nv_tileas.shared_layout<array<i64: 256>, 0 : i64>>>
!t = tensor<256xbf16, #nv_tileas.layout<"256|reg:2*(1)|lane:32*(2)|warp:4*(64)">>
!w = tensor<256xf32, #nv_tileas.layout<"256|reg:2*(1)|lane:32*(2)|warp:4*(64)">>

// Two bf16 of one 32-bit register become f32 by a shift and a mask. Fast-math `afn` calls the
// approximations of libdevice, and `flush_to_zero` the instruction that flushes.
// CHECK-LABEL: llvm.func @pairs_widen_in_place
// CHECK:         %[[WORD:.*]] = llvm.bitcast %{{.*}} : vector<2xbf16> to i32
// CHECK:         %[[LOW:.*]] = arith.shli %[[WORD]], %{{.*}} : i32
// CHECK:         %[[HIGH:.*]] = arith.andi %[[WORD]], %{{.*}} : i32
// CHECK:         arith.bitcast %[[LOW]] : i32 to f32
// CHECK:         arith.bitcast %[[HIGH]] : i32 to f32
// CHECK-COUNT-2: llvm.call @__nv_fast_tanhf
// CHECK-COUNT-2: llvm.call @__nv_fast_expf
// CHECK-COUNT-2: nvvm.ex2 %{{.*}} {ftz = true} : f32
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  %d = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 512 : i64} : () -> !d
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.load_shared"(%s) : (!s) -> !t
    %y = arith.extf %x : !t to !w
    %z = math.tanh %y fastmath<afn> : !w
    %e = math.exp %z fastmath<afn> : !w
    %f = math.exp2 %e {flush_to_zero} : !w
    "nv_tileas.store_shared"(%f, %d) : (!w, !d) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "pairs_widen_in_place", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!s = !nv_tileas.smem<tensor<256xf32, #nv_tileas.shared_layout<array<i64: 256>, 0 : i64>>>
!t = tensor<256xf32, #nv_tileas.layout<"256|reg:2*(1)|lane:32*(2)|warp:4*(64)">>

// Registers that hold the same value are computed once.
// CHECK-LABEL: llvm.func @equal_registers_are_computed_once
// CHECK:         %[[C:.*]] = arith.constant 2.000000e+00 : f32
// CHECK:         %[[R:.*]] = arith.mulf %[[C]], %[[C]] : f32
// CHECK-NOT:     arith.mulf
// CHECK:         llvm.insertelement %[[R]]
// CHECK:         llvm.insertelement %[[R]]
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = arith.constant dense<2.0> : !t
    %y = arith.mulf %x, %x : !t
    "nv_tileas.store_shared"(%y, %s) : (!t, !s) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "equal_registers_are_computed_once", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!s = !nv_tileas.smem<tensor<128xbf16, #nv_tileas.shared_layout<array<i64: 128>, 0 : i64>>>
!t = tensor<128xbf16, #nv_tileas.layout<"128|lane:32*(1)|warp:4*(32)">>

// Transcendental functions call libdevice, for 16-bit elements in f32. Functions that NVPTX has become
// intrinsics. The same holds for scalars.
// CHECK:       llvm.func @__nv_tanhf(f32) -> f32
// CHECK-LABEL: llvm.func @functions_call_libdevice
// CHECK:         %[[X:.*]] = llvm.load %{{.*}} -> bf16
// CHECK:         %[[WIDE:.*]] = arith.extf %[[X]] : bf16 to f32
// CHECK:         %[[E:.*]] = llvm.call @__nv_tanhf(%[[WIDE]]) : (f32) -> f32
// CHECK:         %[[Y:.*]] = arith.truncf %[[E]] : f32 to bf16
// CHECK:         llvm.call_intrinsic "llvm.fabs.bf16"(%[[Y]])
// CHECK:         llvm.call @__nv_tanhf(%{{.*}}) : (f32) -> f32
"nv_tileaa.func"() ({
^bb0(%a: f32):
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.load_shared"(%s) : (!s) -> !t
    %y = math.tanh %x : !t
    %z = math.absf %y : !t
    "nv_tileas.store_shared"(%z, %s) : (!t, !s) -> ()
    %b = math.tanh %a : f32
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "functions_call_libdevice", function_type = (f32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!s = !nv_tileas.smem<tensor<128xi64, #nv_tileas.shared_layout<array<i64: 128>, 0 : i64>>>
!t = tensor<128xi64, #nv_tileas.layout<"128|lane:32*(1)|warp:4*(32)">>

// A product of double width has two results; for 64 bits the high one comes from libdevice.
// CHECK:       llvm.func @__nv_umul64hi(i64, i64) -> i64
// CHECK-LABEL: llvm.func @wide_products_have_two_halves
// CHECK:         %[[X:.*]] = llvm.load %{{.*}} -> i64
// CHECK:         %[[HIGH:.*]] = llvm.call @__nv_umul64hi(%[[X]], %[[X]])
// CHECK:         %[[LOW:.*]] = arith.muli %[[X]], %[[X]]
// CHECK:         arith.xori %[[HIGH]], %[[LOW]]
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.load_shared"(%s) : (!s) -> !t
    %low, %high = arith.mului_extended %x, %x : !t
    %y = arith.xori %high, %low : !t
    "nv_tileas.store_shared"(%y, %s) : (!t, !s) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "wide_products_have_two_halves", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!s = !nv_tileas.smem<tensor<1024xf32, #nv_tileas.shared_layout<array<i64: 1024>, 0 : i64>>>
!t = tensor<1024xf32, #nv_tileas.layout<"1024|reg:16*(1)|lane:32*(16)|warp:2*(512)">>

// A function with slow paths is called where it would be copied for more than 16 registers, those of all tiles
// together.
// CHECK-LABEL: module {
// CHECK:         llvm.func internal @tilec__nv_fmodf(%[[A:.*]]: f32, %[[B:.*]]: f32) -> f32 attributes {no_inline} {
// CHECK-NEXT:      %[[R:.*]] = llvm.call @__nv_fmodf(%[[A]], %[[B]]) : (f32, f32) -> f32
// CHECK-NEXT:      llvm.return %[[R]] : f32
// CHECK:         llvm.func @__nv_fmodf(f32, f32) -> f32
// CHECK:         llvm.func @long_functions
// CHECK-COUNT-32: llvm.call @tilec__nv_fmodf
// CHECK-NOT:     llvm.call
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.load_shared"(%s) : (!s) -> !t
    %h = arith.constant dense<3.0> : !t
    %q = arith.remf %x, %h : !t
    %r = arith.remf %h, %q : !t
    "nv_tileas.store_shared"(%r, %s) : (!t, !s) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 2 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "long_functions", function_type = (i32) -> (), tilec.kernel = {block_threads = 64 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!s = !nv_tileas.smem<tensor<512xf32, #nv_tileas.shared_layout<array<i64: 512>, 0 : i64>>>
!i = tensor<512xi32, #nv_tileas.layout<"512|reg:4*(1)|lane:32*(4)|warp:4*(128)">>
!t = tensor<512xf32, #nv_tileas.layout<"512|reg:4*(1)|lane:32*(4)|warp:4*(128)">>

// In a loop, indices become floats from the first one of a thread, which LLVM cannot move out.
// CHECK-LABEL: llvm.func @indices_do_not_stay_in_registers
// CHECK:         scf.for
// CHECK:           %[[FIRST:.*]] = llvm.inline_asm has_side_effects {{.*}}"mov.b32 $0, $1;"
// CHECK:           arith.sitofp %[[FIRST]] : i32 to f32
// CHECK:           %[[C1:.*]] = arith.constant 1 : i32
// CHECK:           %[[SECOND:.*]] = arith.addi %[[FIRST]], %[[C1]] : i32
// CHECK:           arith.sitofp %[[SECOND]] : i32 to f32
// CHECK:           %[[C3:.*]] = arith.constant 3 : i32
// CHECK:           arith.addi %[[FIRST]], %[[C3]] : i32
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %range = "nv_tileas.make_range"() {start = 0 : i64} : () -> !i
    scf.for %k = %c0 to %n step %c1 : i32 {
      %start = "nv_tileas.splat"(%k) : (i32) -> !i
      %index = arith.addi %start, %range : !i
      %f = arith.sitofp %index : !i to !t
      "nv_tileas.store_shared"(%f, %s) : (!t, !s) -> ()
    }
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "indices_do_not_stay_in_registers", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

// In a kernel with split loops, indices whose difference from a limit is exact are compared as
// constants: with the distance of the limit from the first index, which a move hides from LLVM. Runs of equal results are compared once.
// Without the fact, each index is compared.
// CHECK-LABEL: llvm.func @indices_by_their_distance
// CHECK:         %[[HIDDEN:.*]] = llvm.inline_asm {{.*}}"mov.b32 $0, $1;", "=r,r" %[[FIRST:.*]] : (i32) -> i32
// CHECK:         %[[LEFT:.*]] = arith.subi %{{.*}}, %[[HIDDEN]] : i32
// CHECK:         %[[C0:.*]] = arith.constant 0 : i32
// CHECK-NEXT:    arith.cmpi sgt, %[[C0]], %[[LEFT]] : i32
// CHECK:         %[[C2:.*]] = arith.constant 2 : i32
// CHECK-NEXT:    arith.cmpi sgt, %[[C2]], %[[LEFT]] : i32
// CHECK-NOT:     arith.cmpi sgt
// CHECK:         arith.cmpi slt, %[[FIRST]], %{{.*}} : i32
// CHECK-COUNT-3: arith.cmpi slt, %{{.*}} : i32
!s = !nv_tileas.smem<tensor<512xi32, #nv_tileas.shared_layout<array<i64: 512>, 0 : i64>>>
!t = tensor<512xi32, #nv_tileas.layout<"512|reg:4*(1)|lane:32*(4)|warp:4*(128)">>
!m = tensor<512xi1, #nv_tileas.layout<"512|reg:4*(1)|lane:32*(4)|warp:4*(128)">>
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %line = "nv_tileas.make_range"() {start = 0 : i64} : () -> !t
    %end = "nv_tileas.splat"(%n) : (i32) -> !t
    %c = arith.cmpi slt, %end, %line {nv_tileaa.equal_run = 2 : i64, nv_tileaa.exact_difference = array<i64: 1>} : !t
    %z = arith.select %c, %line, %end : !m, !t
    "nv_tileas.store_shared"(%z, %s) : (!t, !s) -> ()
    %d = arith.cmpi slt, %line, %end : !t
    %y = arith.select %d, %line, %end : !m, !t
    "nv_tileas.store_shared"(%y, %s) : (!t, !s) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "indices_by_their_distance", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1], plan = {split_loops = true}}} : () -> ()

// -----

!rows = tensor<4x128xf32, #nv_tileas.layout<"4x128|reg:4*(0,1)|lane:32*(0,4)|warp:4*(1,0)">>
!numbers = tensor<4x128xi32, #nv_tileas.layout<"4x128|reg:4*(0,1)|lane:32*(0,4)|warp:4*(1,0)">>
!long = tensor<1x128xi32, #nv_tileas.layout<"1x128|reg:4*(0,1)|lane:32*(0,4)|warp:4*(0,0)">>
!line = tensor<128xi32, #nv_tileas.layout<"128|reg:4*(1)|lane:32*(4)|warp:4*(0)">>
!row = tensor<4x1xf32, #nv_tileas.layout<"4x1|lane:32*(0,0)|warp:4*(1,0)">>

// Four elements share a divisor and its reciprocal. Where an exponent is out of range, all are divided.
// CHECK-LABEL: llvm.func @quotients_that_share_a_divisor(
// CHECK-SAME:    %[[D:[a-z0-9]+]]: f32
// CHECK:         nvvm.rcp.approx.ftz.f %[[D]]
// CHECK-NOT:     nvvm.rcp
// CHECK:         %[[Q:.*]] = arith.mulf %[[X:.*]], %{{.*}} : f32
// CHECK:         %[[N:.*]] = arith.negf %[[X]]
// CHECK:         %[[R:.*]] = llvm.call_intrinsic "llvm.fma.f32"(%[[D]], %[[Q]], %[[N]])
// CHECK:         llvm.call_intrinsic "llvm.fma.f32"(%{{.*}}, %[[R]], %[[Q]])
// CHECK:         scf.if %{{.*}} -> (f32, f32, f32, f32)
// CHECK:         } else {
// CHECK:           arith.divf %[[X]], %[[D]] : f32
"nv_tileaa.func"() ({
^bb0(%d: f32):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %n = "nv_tileas.make_range"() {start = 1 : i64} : () -> !line
    %l = "nv_tileas.view"(%n) : (!line) -> !long
    %i = "nv_tileas.broadcast"(%l) : (!long) -> !numbers
    %x = arith.sitofp %i : !numbers to !rows
    %r = "nv_tileas.splat"(%d) : (f32) -> !row
    %w = "nv_tileas.broadcast"(%r) : (!row) -> !rows
    %q = arith.divf %x, %w : !rows
    %y = "nv_tileas.reduce"(%q) ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      "nv_tileas.yield_values"(%t) : (f32) -> ()
    }) {axis = 1 : i64} : (!rows) -> tensor<4xf32, #nv_tileas.layout<"4|lane:32*(0)|warp:4*(1)">>
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "quotients_that_share_a_divisor", function_type = (f32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!numbers = tensor<512xi32, #nv_tileas.layout<"512|reg:4*(1)|lane:32*(4)|warp:4*(128)">>
!line = tensor<512xf32, #nv_tileas.layout<"512|reg:4*(1)|lane:32*(4)|warp:4*(128)">>

// So do all elements that are divided by a scalar.
// CHECK-LABEL: llvm.func @quotients_by_a_scalar(
// CHECK:         nvvm.rcp.approx.ftz.f
// CHECK-NOT:     nvvm.rcp
// CHECK:         scf.if %{{.*}} -> (f32, f32, f32, f32)
"nv_tileaa.func"() ({
^bb0(%d: f32):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %n = "nv_tileas.make_range"() {start = 1 : i64} : () -> !numbers
    %x = arith.sitofp %n : !numbers to !line
    %w = "nv_tileas.splat"(%d) : (f32) -> !line
    %q = arith.divf %x, %w : !line
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "quotients_by_a_scalar", function_type = (f32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()
