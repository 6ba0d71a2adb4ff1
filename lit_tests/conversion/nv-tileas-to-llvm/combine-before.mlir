// RUN: tilec opt %s --passes convert-nv-tileas-to-llvm --split-input-file | FileCheck %s

// Each CTA combines the elements of its part with what those of the CTAs before give.

!x = tensor<1x4x64xf32, #nv_tileas.layout<"1x4x64|reg:2*(0,0,1)|lane:32*(0,0,2)|cta:4*(0,1,0)">>
!p = tensor<1x4xf32, #nv_tileas.layout<"1x4|reg:4*(0,1)|lane:32*(0,0)|cta:4*(0,0)">>

// The sum of the parts before is chosen by the number of the CTA; -0.0 stands for none.
// CHECK-LABEL: llvm.func @forward(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: f32, %[[P:[a-z0-9]+]]: f32
// CHECK:         %[[ID:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK:         %[[CTA:.*]] = arith.remui %[[ID]]
// CHECK:         %[[NONE:.*]] = arith.constant -0.000000e+00 : f32
// CHECK:         %[[SOME:.*]] = arith.cmpi ne, %[[CTA]], %c0_i32
// CHECK:         %[[TWO:.*]] = arith.addf %[[P]], %[[P]]
// CHECK:         %[[SECOND:.*]] = arith.cmpi uge, %[[CTA]], %c2_i32
// CHECK:         %[[A:.*]] = arith.select %[[SECOND]], %[[TWO]], %[[P]]
// CHECK:         %[[THREE:.*]] = arith.addf %[[TWO]], %[[P]]
// CHECK:         %[[THIRD:.*]] = arith.cmpi uge, %[[CTA]], %c3_i32
// CHECK:         %[[B:.*]] = arith.select %[[THIRD]], %[[THREE]], %[[A]]
// CHECK:         %[[BEFORE:.*]] = arith.select %[[SOME]], %[[B]], %[[NONE]]
// CHECK:         arith.addf %[[BEFORE]], %[[X]]
// CHECK:         arith.addf %[[BEFORE]], %[[X]]
"nv_tileaa.func"() ({
^bb0(%s: f32, %t: f32):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.splat"(%s) : (f32) -> !x
    %p = "nv_tileas.splat"(%t) : (f32) -> !p
    %y = "nv_tileas.combine_before"(%x, %p) ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      "nv_tileas.yield_values"(%c) : (f32) -> ()
    }) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 1, 0, 0, 0>} : (!x, !p) -> !x
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 1 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "forward", function_type = (f32, f32) -> (), nv_tileaa.kernel_spec = {spread = 4 : i64, consumer_warps = 1 : i64}, tilec.kernel = {block_threads = 32 : i64, cluster = [4, 1, 1]}} : () -> ()

// -----

!x = tensor<1x2x64xf32, #nv_tileas.layout<"1x2x64|reg:2*(0,0,1)|lane:32*(0,0,2)|cta:2*(0,1,0)">>
!p = tensor<1x2xf32, #nv_tileas.layout<"1x2|reg:2*(0,1)|lane:32*(0,0)|cta:2*(0,0)">>

// From the end, the last CTA comes first; nothing stands for no element of a maximum.
// CHECK-LABEL: llvm.func @backward(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: f32, %[[P:[a-z0-9]+]]: f32
// CHECK:         %[[ID:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK:         %[[CTA:.*]] = arith.remui %[[ID]]
// CHECK:         %[[PLACE:.*]] = arith.subi %c1_i32{{.*}}, %[[CTA]]
// CHECK:         %[[SOME:.*]] = arith.cmpi ne, %[[PLACE]], %c0_i32
// CHECK:         %[[BOTH:.*]] = llvm.call_intrinsic "llvm.maximum.f32"(%[[P]], %[[X]])
// CHECK:         arith.select %[[SOME]], %[[BOTH]], %[[X]]
"nv_tileaa.func"() ({
^bb0(%s: f32, %t: f32):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.splat"(%s) : (f32) -> !x
    %p = "nv_tileas.splat"(%t) : (f32) -> !p
    %y = "nv_tileas.combine_before"(%x, %p) ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.maximumf %a, %b : f32
      "nv_tileas.yield_values"(%c) : (f32) -> ()
    }) {axis = 1 : i64, reverse, operandSegmentSizes = array<i32: 1, 0, 0, 0, 1, 0, 0, 0>} : (!x, !p) -> !x
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 1 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "backward", function_type = (f32, f32) -> (), nv_tileaa.kernel_spec = {spread = 2 : i64, consumer_warps = 1 : i64}, tilec.kernel = {block_threads = 32 : i64, cluster = [2, 1, 1]}} : () -> ()
