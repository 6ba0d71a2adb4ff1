// RUN: tilec opt %s --passes nv-tileas-assign-register-layouts --split-input-file --verify-diagnostics | FileCheck %s

// The pass gives every register tile a layout.

!a = !nv_tileas.smem<tensor<64x16xbf16, #nv_tileas.shared_layout<array<i64: 64, 16>, 32 : i64>>>
!b = !nv_tileas.smem<tensor<16x32xbf16, #nv_tileas.shared_layout<array<i64: 16, 32>, 64 : i64>>>

// The accumulator of wgmma fixes its group: what the loop carries, its start and every elementwise
// operation on it.
// CHECK-LABEL: module @accumulators_fix_their_group
// CHECK:         %{{.*}} = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #nv_tileas.layout<"[[ACC:64x32\|reg:2\*\(0,1\),2\*\(8,0\),4\*\(0,8\)\|lane:4\*\(0,2\),8\*\(1,0\)\|warp:4\*\(16,0\)]]">>
// CHECK:         %[[R:.*]] = scf.for {{.*}} -> (tensor<64x32xf32, #nv_tileas.layout<"[[ACC]]">>)
// CHECK:           "nv_tileas.async_mma"{{.*}} -> (tensor<64x32xf32, #nv_tileas.layout<"[[ACC]]">>, !nv_tileas.mma_token)
// CHECK:           "nv_tileas.mma_wait"{{.*}} -> tensor<64x32xf32, #nv_tileas.layout<"[[ACC]]">>
// CHECK:         arith.truncf %[[R]] : tensor<64x32xf32, #nv_tileas.layout<"[[ACC]]">> to tensor<64x32xbf16, #nv_tileas.layout<"[[ACC]]">>
// CHECK-NOT:     nv_tileas.convert_layout
module @accumulators_fix_their_group {
  "nv_tileaa.func"() ({
  ^bb0(%a: !a, %b: !b, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zero = arith.constant dense<0.0> : tensor<64x32xf32>
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x32xf32>) : i32 {
        %g, %t = "nv_tileas.async_mma"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (!a, !b, tensor<64x32xf32>) -> (tensor<64x32xf32>, !nv_tileas.mma_token)
        %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (tensor<64x32xf32>, !nv_tileas.mma_token) -> tensor<64x32xf32>
        scf.yield %d : tensor<64x32xf32>
      }
      %h = arith.truncf %r : tensor<64x32xf32> to tensor<64x32xbf16>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, !b, i32) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<64x16xbf16, #nv_tileas.shared_layout<array<i64: 64, 16>, 32 : i64>>>
!b = !nv_tileas.smem<tensor<16x32xbf16, #nv_tileas.shared_layout<array<i64: 16, 32>, 64 : i64>>>
!bias = !nv_tileas.smem<tensor<32xf32, #nv_tileas.shared_layout<array<i64: 32>, 0 : i64>>>

// The layout spreads back over broadcast and view to where the bias is loaded, so both are free: a
// thread loads just the columns that it holds.
// CHECK-LABEL: module @layouts_spread_over_shape_operations
// CHECK-NOT:     nv_tileas.convert_layout
// CHECK:         "nv_tileas.load_shared"{{.*}} -> tensor<32xf32, #nv_tileas.layout<"32|reg:2*(1),4*(8)|lane:4*(2),8*(0)|warp:4*(0)">>
// CHECK:         "nv_tileas.view"{{.*}} -> tensor<1x32xf32, #nv_tileas.layout<"1x32|reg:2*(0,1),4*(0,8)|lane:4*(0,2),8*(0,0)|warp:4*(0,0)">>
// CHECK:         "nv_tileas.broadcast"{{.*}} -> tensor<64x32xf32, #nv_tileas.layout<"64x32|reg:2*(0,1),2*(8,0),4*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)">>
// CHECK-NOT:     nv_tileas.convert_layout
module @layouts_spread_over_shape_operations {
  "nv_tileaa.func"() ({
  ^bb0(%a: !a, %b: !b, %c: !bias):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zero = arith.constant dense<0.0> : tensor<64x32xf32>
      %bias = "nv_tileas.load_shared"(%c) : (!bias) -> tensor<32xf32>
      %row = "nv_tileas.view"(%bias) : (tensor<32xf32>) -> tensor<1x32xf32>
      %rows = "nv_tileas.broadcast"(%row) : (tensor<1x32xf32>) -> tensor<64x32xf32>
      %g, %t = "nv_tileas.async_mma"(%a, %b, %zero) {a_major = "k", b_major = "n"} : (!a, !b, tensor<64x32xf32>) -> (tensor<64x32xf32>, !nv_tileas.mma_token)
      %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (tensor<64x32xf32>, !nv_tileas.mma_token) -> tensor<64x32xf32>
      %s = arith.addf %d, %rows : tensor<64x32xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, !b, !bias) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!s = !nv_tileas.smem<tensor<32x64xf32, #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>>>

// A group that nothing fixes gets vectors of 16 bytes along the contiguous dim; a permuted tile
// takes over the layout of its source, and no instruction moves it.
// CHECK-LABEL: module @free_groups_like_wide_vectors
// CHECK:         %[[X:.*]] = "nv_tileas.load_shared"{{.*}} -> tensor<32x64xf32, #nv_tileas.layout<"32x64|reg:4*(0,1),4*(8,0)|lane:16*(0,4),2*(1,0)|warp:4*(2,0)">>
// CHECK-NEXT:    %[[T:.*]] = "nv_tileas.permute"(%[[X]]){{.*}} -> tensor<64x32xf32, #nv_tileas.layout<"64x32|reg:4*(1,0),4*(0,8)|lane:16*(4,0),2*(0,1)|warp:4*(0,2)">>
// CHECK-NEXT:    math.exp %[[T]]
module @free_groups_like_wide_vectors {
  "nv_tileaa.func"() ({
  ^bb0(%s: !s):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %x = "nv_tileas.load_shared"(%s) : (!s) -> tensor<32x64xf32>
      %t = "nv_tileas.permute"(%x) {permutation = array<i64: 1, 0>} : (tensor<32x64xf32>) -> tensor<64x32xf32>
      %e = math.exp %t : tensor<64x32xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!s) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!s = !nv_tileas.smem<tensor<64x64xf32, #nv_tileas.shared_layout<array<i64: 64, 32>, 128 : i64>>>

// A tile added to its own transpose needs two layouts: one side is converted.
// CHECK-LABEL: module @fixed_layouts_that_meet_are_converted
// CHECK:         %[[X:.*]] = "nv_tileas.load_shared"
// CHECK-NEXT:    %[[C:.*]] = "nv_tileas.convert_layout"(%[[X]]) : (tensor<64x64xf32, #nv_tileas.layout<"[[ONE:.*]]">>) -> tensor<64x64xf32, #nv_tileas.layout<"[[OTHER:.*]]">>
// CHECK-NEXT:    %[[T:.*]] = "nv_tileas.permute"(%[[C]]){{.*}} : (tensor<64x64xf32, #nv_tileas.layout<"[[OTHER]]">>) -> tensor<64x64xf32, #nv_tileas.layout<"[[ONE]]">>
// CHECK-NEXT:    arith.addf %[[X]], %[[T]]
module @fixed_layouts_that_meet_are_converted {
  "nv_tileaa.func"() ({
  ^bb0(%s: !s):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %x = "nv_tileas.load_shared"(%s) : (!s) -> tensor<64x64xf32>
      %t = "nv_tileas.permute"(%x) {permutation = array<i64: 1, 0>} : (tensor<64x64xf32>) -> tensor<64x64xf32>
      %y = arith.addf %x, %t : tensor<64x64xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!s) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!s = !nv_tileas.smem<tensor<128x96xf32, #nv_tileas.shared_layout<array<i64: 128, 32>, 128 : i64>>>

// A view between shapes that have no common layout goes through shared memory in one step.
// CHECK-LABEL: module @views_without_a_layout_move_their_tile
// CHECK-NOT:     nv_tileas.view
// CHECK:         %[[Y:.*]] = "nv_tileas.convert_layout"(%{{.*}}) : (tensor<128x96xf32, #nv_tileas.layout<{{.*}}>>) -> tensor<3x4096xf32, #nv_tileas.layout<{{.*}}>>
// CHECK-NEXT:    math.exp %[[Y]]
module @views_without_a_layout_move_their_tile {
  "nv_tileaa.func"() ({
  ^bb0(%s: !s):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %x = "nv_tileas.load_shared"(%s) : (!s) -> tensor<128x96xf32>
      %e = math.exp %x : tensor<128x96xf32>
      %y = "nv_tileas.view"(%e) : (tensor<128x96xf32>) -> tensor<3x4096xf32>
      %z = math.exp %y : tensor<3x4096xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 1 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!s) -> (), nv_tileaa.kernel_spec = {consumer_warps = 1 : i64}} : () -> ()
}

// -----

// Both sides of a branch and its result agree, as do a while loop's two regions; a condition tile
// has the layout of what it selects.
// CHECK-LABEL: module @control_flow_keeps_one_layout
// CHECK:         %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<64xf32, #nv_tileas.layout<"[[L:.*]]">>
// CHECK:         %[[R:.*]] = scf.if {{.*}} -> (tensor<64xf32, #nv_tileas.layout<"[[L]]">>)
// CHECK:         scf.while ({{.*}} = %[[R]]) : (tensor<64xf32, #nv_tileas.layout<"[[L]]">>) -> tensor<64xf32, #nv_tileas.layout<"[[L]]">>
// CHECK:           ^bb0(%{{.*}}: tensor<64xf32, #nv_tileas.layout<"[[L]]">>):
// CHECK:         %[[M:.*]] = arith.cmpf {{.*}} : tensor<64xf32, #nv_tileas.layout<"[[L]]">>
// CHECK:         arith.select %[[M]], {{.*}} : tensor<64xi1, #nv_tileas.layout<"[[L]]">>, tensor<64xf32, #nv_tileas.layout<"[[L]]">>
// CHECK-NOT:     nv_tileas.convert_layout
module @control_flow_keeps_one_layout {
  "nv_tileaa.func"() ({
  ^bb0(%p: i1):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %z = arith.constant dense<0.0> : tensor<64xf32>
      %r = scf.if %p -> (tensor<64xf32>) {
        %e = math.exp %z : tensor<64xf32>
        scf.yield %e : tensor<64xf32>
      } else {
        scf.yield %z : tensor<64xf32>
      }
      %w = scf.while (%x = %r) : (tensor<64xf32>) -> tensor<64xf32> {
        scf.condition(%p) %x : tensor<64xf32>
      } do {
      ^bb0(%y: tensor<64xf32>):
        %e = math.exp %y : tensor<64xf32>
        scf.yield %e : tensor<64xf32>
      }
      %m = arith.cmpf ogt, %w, %z : tensor<64xf32>
      %s = arith.select %m, %w, %z : tensor<64xi1>, tensor<64xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i1) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

// Operations that go through scratch memory leave both layouts free: no conversion.
// CHECK-LABEL: module @scratch_operations_need_no_conversion
// CHECK:         "nv_tileas.cat"
// CHECK:         "nv_tileas.extract"
// CHECK-NOT:     nv_tileas.convert_layout
module @scratch_operations_need_no_conversion {
  "nv_tileaa.func"() ({
  ^bb0(%i: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %z = arith.constant dense<0.0> : tensor<16x64xf32>
      %e = math.exp %z : tensor<16x64xf32>
      %c = "nv_tileas.cat"(%e, %e) {dim = 0 : i64} : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<32x64xf32>
      %x = "nv_tileas.extract"(%c, %i, %i) : (tensor<32x64xf32>, i32, i32) -> tensor<16x32xf32>
      %f = math.exp %x : tensor<16x32xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<128x16xbf16, #nv_tileas.shared_layout<array<i64: 128, 16>, 32 : i64>>>
!b = !nv_tileas.smem<tensor<16x64xbf16, #nv_tileas.shared_layout<array<i64: 16, 64>, 128 : i64>>>
!part = !nv_tileas.smem<tensor<64x32xbf16, #nv_tileas.shared_layout<array<i64: 64, 32>, 64 : i64>>>

// A part of an accumulator is made of registers that each thread has already: it takes the layout of
// its source within one warpgroup, and nothing moves.
// CHECK-LABEL: module @parts_are_registers_of_accumulators
// CHECK-NOT:     nv_tileas.convert_layout
// CHECK:         "nv_tileas.tile_part"{{.*}} : (tensor<128x64xbf16, #nv_tileas.layout<"128x64|reg:2*(0,1),2*(8,0),8*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)|warpgroup:2*(64,0)">>) -> tensor<64x32xbf16, #nv_tileas.layout<"64x32|reg:2*(0,1),2*(8,0),4*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)">>
module @parts_are_registers_of_accumulators {
  "nv_tileaa.func"() ({
  ^bb0(%a: !a, %b: !b, %s: !part):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zero = arith.constant dense<0.0> : tensor<128x64xf32>
      %g, %t = "nv_tileas.async_mma"(%a, %b, %zero) {a_major = "k", b_major = "n"} : (!a, !b, tensor<128x64xf32>) -> (tensor<128x64xf32>, !nv_tileas.mma_token)
      %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (tensor<128x64xf32>, !nv_tileas.mma_token) -> tensor<128x64xf32>
      %h = arith.truncf %d : tensor<128x64xf32> to tensor<128x64xbf16>
      %x = "nv_tileas.tile_part"(%h) {axis = 0 : i64, origin = array<i64: 0, 32>} : (tensor<128x64xbf16>) -> tensor<64x32xbf16>
      "nv_tileas.store_shared"(%x, %s) : (tensor<64x32xbf16>, !part) -> ()
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, !b, !part) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64}} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<64x16xbf16, #nv_tileas.shared_layout<array<i64: 64, 16>, 32 : i64>>>
!b = !nv_tileas.smem<tensor<16x64xbf16, #nv_tileas.shared_layout<array<i64: 16, 64>, 128 : i64>>>
!part = !nv_tileas.smem<tensor<32x64xbf16, #nv_tileas.shared_layout<array<i64: 32, 64>, 128 : i64>>>

// The same holds for a part of a transposed accumulator.
// CHECK-LABEL: module @parts_of_transposed_accumulators_are_free
// CHECK-NOT:     nv_tileas.convert_layout
// CHECK:         "nv_tileas.tile_part"{{.*}} -> tensor<32x64xbf16, #nv_tileas.layout<"32x64|reg:2*(1,0),2*(0,8),4*(8,0)|lane:4*(2,0),8*(0,1)|warp:4*(0,16)">>
module @parts_of_transposed_accumulators_are_free {
  "nv_tileaa.func"() ({
  ^bb0(%a: !a, %b: !b, %s: !part):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %g, %t = "nv_tileas.async_mma"(%a, %b, %zero) {a_major = "k", b_major = "n"} : (!a, !b, tensor<64x64xf32>) -> (tensor<64x64xf32>, !nv_tileas.mma_token)
      %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (tensor<64x64xf32>, !nv_tileas.mma_token) -> tensor<64x64xf32>
      %h = arith.truncf %d : tensor<64x64xf32> to tensor<64x64xbf16>
      %y = "nv_tileas.permute"(%h) {permutation = array<i64: 1, 0>} : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
      %x = "nv_tileas.tile_part"(%y) {axis = 1 : i64, origin = array<i64: 32, 0>} : (tensor<64x64xbf16>) -> tensor<32x64xbf16>
      "nv_tileas.store_shared"(%x, %s) : (tensor<32x64xbf16>, !part) -> ()
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, !b, !part) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!s = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
!part = !nv_tileas.smem<tensor<64x32xbf16, #nv_tileas.shared_layout<array<i64: 64, 32>, 64 : i64>>>

// Warpgroups that do not share the tile in blocks of rows get the layout of an accumulator first.
// CHECK-LABEL: module @other_layouts_are_converted_to_make_up_parts
// CHECK:         %[[X:.*]] = "nv_tileas.load_shared"
// CHECK-NEXT:    %[[C:.*]] = "nv_tileas.convert_layout"(%[[X]]) : {{.*}} -> tensor<128x64xbf16, #nv_tileas.layout<"128x64|reg:2*(0,1),2*(8,0),8*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)|warpgroup:2*(64,0)">>
// CHECK-NEXT:    %{{.*}} = "nv_tileas.tile_part"(%[[C]]) {{.*}} -> tensor<64x32xbf16, #nv_tileas.layout<"64x32|reg:2*(0,1),2*(8,0),4*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)">>
module @other_layouts_are_converted_to_make_up_parts {
  "nv_tileaa.func"() ({
  ^bb0(%w: !s, %s: !part):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %d = "nv_tileas.load_shared"(%w) : (!s) -> tensor<128x64xbf16>
      %x = "nv_tileas.tile_part"(%d) {axis = 0 : i64, origin = array<i64: 0, 0>} : (tensor<128x64xbf16>) -> tensor<64x32xbf16>
      "nv_tileas.store_shared"(%x, %s) : (tensor<64x32xbf16>, !part) -> ()
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!s, !part) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64}} : () -> ()
}

// -----

!s = !nv_tileas.smem<tensor<64x128xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!part = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>

// Warpgroups that cannot share the rows of a tile share its columns: parts along the last axis.
// CHECK-LABEL: module @parts_along_the_last_axis_are_converted_too
// CHECK:         %[[C:.*]] = "nv_tileas.convert_layout"(%{{.*}}) : {{.*}} -> tensor<64x128xbf16, #nv_tileas.layout<"64x128|reg:2*(0,1),2*(8,0),8*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)|warpgroup:2*(0,64)">>
// CHECK-NEXT:    %{{.*}} = "nv_tileas.tile_part"(%[[C]]) {axis = 1 : i64,
module @parts_along_the_last_axis_are_converted_too {
  "nv_tileaa.func"() ({
  ^bb0(%w: !s, %s: !part):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %d = "nv_tileas.load_shared"(%w) : (!s) -> tensor<64x128xbf16>
      %x = "nv_tileas.tile_part"(%d) {axis = 1 : i64, origin = array<i64: 0, 0>} : (tensor<64x128xbf16>) -> tensor<64x64xbf16>
      "nv_tileas.store_shared"(%x, %s) : (tensor<64x64xbf16>, !part) -> ()
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!s, !part) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64}} : () -> ()
}

// -----

!s = !nv_tileas.smem<tensor<32x128xbf16, #nv_tileas.shared_layout<array<i64: 32, 64>, 128 : i64>>>
!part = !nv_tileas.smem<tensor<32x64xbf16, #nv_tileas.shared_layout<array<i64: 32, 64>, 128 : i64>>>

// A tile that is the transpose of a product takes the layout of a transposed accumulator.
// CHECK-LABEL: module @parts_of_a_transposed_tile_are_converted_too
// CHECK:         %[[C:.*]] = "nv_tileas.convert_layout"(%{{.*}}) : {{.*}} -> tensor<32x128xbf16, #nv_tileas.layout<"32x128|reg:2*(1,0),2*(0,8),4*(8,0)|lane:4*(2,0),8*(0,1)|warp:4*(0,16)|warpgroup:2*(0,64)">>
// CHECK-NEXT:    %{{.*}} = "nv_tileas.tile_part"(%[[C]]) {axis = 1 : i64,
module @parts_of_a_transposed_tile_are_converted_too {
  "nv_tileaa.func"() ({
  ^bb0(%w: !s, %s: !part):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %d = "nv_tileas.load_shared"(%w) : (!s) -> tensor<32x128xbf16>
      %x = "nv_tileas.tile_part"(%d) {axis = 1 : i64, origin = array<i64: 0, 0>} : (tensor<32x128xbf16>) -> tensor<32x64xbf16>
      "nv_tileas.store_shared"(%x, %s) : (tensor<32x64xbf16>, !part) -> ()
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!s, !part) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64}} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<32x16xbf16, #nv_tileas.shared_layout<array<i64: 32, 16>, 32 : i64>>>
!b = !nv_tileas.smem<tensor<16x32xbf16, #nv_tileas.shared_layout<array<i64: 16, 32>, 64 : i64>>>

// The accumulator of mma.sync fixes its group, too: four warps share 32 rows and 32 columns.
// CHECK-LABEL: module @sums_of_warps_fix_their_group
// CHECK:         %[[D:.*]] = "nv_tileas.warp_mma"{{.*}} -> tensor<32x32xf32, #nv_tileas.layout<"[[ACC:32x32\|reg:2\*\(0,1\),2\*\(8,0\),2\*\(0,16\)\|lane:4\*\(0,2\),8\*\(1,0\)\|warp:2\*\(16,0\),2\*\(0,8\)]]">>
// CHECK-NEXT:    arith.truncf %[[D]] : tensor<32x32xf32, #nv_tileas.layout<"[[ACC]]">> to tensor<32x32xbf16, #nv_tileas.layout<"[[ACC]]">>
module @sums_of_warps_fix_their_group {
  "nv_tileaa.func"() ({
  ^bb0(%a: !a, %b: !b):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zero = arith.constant dense<0.0> : tensor<32x32xf32>
      %d = "nv_tileas.warp_mma"(%a, %b, %zero) {a_major = "k", b_major = "n"} : (!a, !b, tensor<32x32xf32>) -> tensor<32x32xf32>
      %h = arith.truncf %d : tensor<32x32xf32> to tensor<32x32xbf16>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, !b) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!s = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>

// A tile that is read in one order and stored in another one has no axis that is contiguous in both.
// Matrices cost least: pairs are read, and `stmatrix` stores columns.
// CHECK-LABEL: module @a_transposed_tile_is_held_in_matrices
// CHECK:         "nv_tileas.load_shared"{{.*}} -> tensor<64x64xbf16, #nv_tileas.layout<"64x64|reg:2*(0,1),8*(0,8),2*(32,0)|lane:4*(0,2),8*(1,0)|warp:4*(8,0)">>
// CHECK-NEXT:    "nv_tileas.permute"{{.*}} -> tensor<64x64xbf16, #nv_tileas.layout<"64x64|reg:2*(1,0),8*(8,0),2*(0,32)|lane:4*(2,0),8*(0,1)|warp:4*(0,8)">>
module @a_transposed_tile_is_held_in_matrices {
  "nv_tileaa.func"() ({
  ^bb0(%a: !s, %b: !s):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      // expected-remark@+1 {{a tile of 64x64 is held in 8x8 matrices with pairs along axis 1: its accesses and changes of layout take 208 cycles of an SM instead of 1232}}
      %d = "nv_tileas.load_shared"(%a) : (!s) -> tensor<64x64xbf16>
      %t = "nv_tileas.permute"(%d) {permutation = array<i64: 1, 0>} : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
      "nv_tileas.store_shared"(%t, %b) : (tensor<64x64xbf16>, !s) -> ()
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!s, !s) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!s = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>

// Without the store, rows are read in vectors.
// CHECK-LABEL: module @one_access_needs_no_compromise
// CHECK:         "nv_tileas.load_shared"{{.*}} -> tensor<64x64xbf16, #nv_tileas.layout<"64x64|reg:8*(0,1),4*(16,0)|lane:8*(0,8),4*(1,0)|warp:4*(4,0)">>
module @one_access_needs_no_compromise {
  "nv_tileaa.func"() ({
  ^bb0(%a: !s):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %d = "nv_tileas.load_shared"(%a) : (!s) -> tensor<64x64xbf16>
      %t = "nv_tileas.permute"(%d) {permutation = array<i64: 1, 0>} : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!s) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!b = !nv_tileas.smem<tensor<16x32xbf16, #nv_tileas.shared_layout<array<i64: 16, 32>, 64 : i64>>>
!bytes = !nv_tileas.smem<tensor<64x16xi8, #nv_tileas.shared_layout<array<i64: 64, 16>, 0 : i64>>>

// An A operand in registers fixes the layout of its group: a thread loads just the bytes from which
// it computes its fragment.
// CHECK-LABEL: module @operands_in_registers_fix_their_group
// CHECK:         "nv_tileas.load_shared"{{.*}} -> tensor<64x16xi8, #nv_tileas.layout<"[[A:64x16\|reg:2\*\(0,1\),2\*\(8,0\),2\*\(0,8\)\|lane:4\*\(0,2\),8\*\(1,0\)\|warp:4\*\(16,0\)]]">>
// CHECK-NEXT:    %[[X:.*]] = arith.sitofp
// CHECK-NOT:     nv_tileas.convert_layout
// CHECK:         "nv_tileas.async_mma"(%[[X]], {{.*}} : (tensor<64x16xbf16, #nv_tileas.layout<"[[A]]">>,
module @operands_in_registers_fix_their_group {
  "nv_tileaa.func"() ({
  ^bb0(%a: !bytes, %b: !b):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %bytes = "nv_tileas.load_shared"(%a) : (!bytes) -> tensor<64x16xi8>
      %x = arith.sitofp %bytes : tensor<64x16xi8> to tensor<64x16xbf16>
      %zero = arith.constant dense<0.0> : tensor<64x32xf32>
      %g, %t = "nv_tileas.async_mma"(%x, %b, %zero) {a_major = "k", b_major = "n"} : (tensor<64x16xbf16>, !b, tensor<64x32xf32>) -> (tensor<64x32xf32>, !nv_tileas.mma_token)
      %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (tensor<64x32xf32>, !nv_tileas.mma_token) -> tensor<64x32xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!bytes, !b) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<64x32xf8E4M3FN, #nv_tileas.shared_layout<array<i64: 64, 32>, 32 : i64>>>
!b = !nv_tileas.smem<tensor<32x32xf8E4M3FN, #nv_tileas.shared_layout<array<i64: 32, 32>, 32 : i64>>>

// Where an accumulator is in the group, its layout stays, and the operand is converted.
// CHECK-LABEL: module @accumulators_come_before_operands
// CHECK:         %[[H:.*]] = arith.truncf
// CHECK-NEXT:    %[[X:.*]] = "nv_tileas.convert_layout"(%[[H]]) {{.*}} -> tensor<64x32xf8E4M3FN, #nv_tileas.layout<"64x32|reg:4*(0,1),2*(8,0),2*(0,16)|
// CHECK-NEXT:    "nv_tileas.async_mma"(%[[X]],
module @accumulators_come_before_operands {
  "nv_tileaa.func"() ({
  ^bb0(%a: !a, %b: !b):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zero = arith.constant dense<0.0> : tensor<64x32xf32>
      %g, %t = "nv_tileas.async_mma"(%a, %b, %zero) {a_major = "k", b_major = "k"} : (!a, !b, tensor<64x32xf32>) -> (tensor<64x32xf32>, !nv_tileas.mma_token)
      %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (tensor<64x32xf32>, !nv_tileas.mma_token) -> tensor<64x32xf32>
      %h = arith.truncf %d : tensor<64x32xf32> to tensor<64x32xf8E4M3FN>
      %i, %u = "nv_tileas.async_mma"(%h, %b, %zero) {a_major = "k", b_major = "k"} : (tensor<64x32xf8E4M3FN>, !b, tensor<64x32xf32>) -> (tensor<64x32xf32>, !nv_tileas.mma_token)
      %e = "nv_tileas.mma_wait"(%i, %u) {pending = 0 : i64} : (tensor<64x32xf32>, !nv_tileas.mma_token) -> tensor<64x32xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, !b) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<64x32xf8E4M3FN, #nv_tileas.shared_layout<array<i64: 64, 32>, 32 : i64>>>
!b = !nv_tileas.smem<tensor<32x32xf8E4M3FN, #nv_tileas.shared_layout<array<i64: 32, 32>, 32 : i64>>>

// An operand that a loop passes on is converted where it is made: before the loop and in the round
// before the product. All products take it as it comes.
// CHECK-LABEL: module @carried_operands_are_converted_where_they_are_made
// CHECK:         %[[FIRST:.*]] = arith.truncf
// CHECK-NEXT:    %[[H:.*]] = "nv_tileas.convert_layout"(%[[FIRST]]) {{.*}} -> tensor<64x32xf8E4M3FN, #nv_tileas.layout<"64x32|reg:4*(0,1),2*(8,0),2*(0,16)|
// CHECK:         %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%[[P:.*]] = %[[H]], %{{.*}} =
// CHECK-NOT:       nv_tileas.convert_layout
// CHECK:           "nv_tileas.async_mma"(%[[P]],
// CHECK:           %[[NEXT:.*]] = arith.truncf
// CHECK-NEXT:      %[[N:.*]] = "nv_tileas.convert_layout"(%[[NEXT]])
// CHECK-NEXT:      scf.yield %[[N]],
// CHECK-NOT:     nv_tileas.convert_layout
// CHECK:         "nv_tileas.async_mma"(%[[LOOP]]#0,
module @carried_operands_are_converted_where_they_are_made {
  "nv_tileaa.func"() ({
  ^bb0(%a: !a, %b: !b, %n: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %zero = arith.constant dense<0.0> : tensor<64x32xf32>
      %g, %t = "nv_tileas.async_mma"(%a, %b, %zero) {a_major = "k", b_major = "k"} : (!a, !b, tensor<64x32xf32>) -> (tensor<64x32xf32>, !nv_tileas.mma_token)
      %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (tensor<64x32xf32>, !nv_tileas.mma_token) -> tensor<64x32xf32>
      %h = arith.truncf %d : tensor<64x32xf32> to tensor<64x32xf8E4M3FN>
      %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %h, %acc = %zero) -> (tensor<64x32xf8E4M3FN>, tensor<64x32xf32>) : i32 {
        %v, %w = "nv_tileas.async_mma"(%p, %b, %acc) {a_major = "k", b_major = "k"} : (tensor<64x32xf8E4M3FN>, !b, tensor<64x32xf32>) -> (tensor<64x32xf32>, !nv_tileas.mma_token)
        %e = "nv_tileas.mma_wait"(%v, %w) {pending = 0 : i64} : (tensor<64x32xf32>, !nv_tileas.mma_token) -> tensor<64x32xf32>
        %k = arith.truncf %e : tensor<64x32xf32> to tensor<64x32xf8E4M3FN>
        scf.yield %k, %e : tensor<64x32xf8E4M3FN>, tensor<64x32xf32>
      }
      %l, %u = "nv_tileas.async_mma"(%r#0, %b, %r#1) {a_major = "k", b_major = "k"} : (tensor<64x32xf8E4M3FN>, !b, tensor<64x32xf32>) -> (tensor<64x32xf32>, !nv_tileas.mma_token)
      %o = "nv_tileas.mma_wait"(%l, %u) {pending = 0 : i64} : (tensor<64x32xf32>, !nv_tileas.mma_token) -> tensor<64x32xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, !b, i32) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!b = !nv_tileas.smem<tensor<16x32xbf16, #nv_tileas.shared_layout<array<i64: 16, 32>, 64 : i64>>>
!half = !nv_tileas.smem<tensor<64x8xbf16, #nv_tileas.shared_layout<array<i64: 64, 8>, 0 : i64>>>

// Tiles that are joined get the layouts of their parts of the result, so that the join moves nothing.
// CHECK-LABEL: module @joins_follow_their_result
// CHECK:         %[[E:.*]] = "nv_tileas.view"{{.*}} -> tensor<64x8x1xbf16, #nv_tileas.layout<"[[PIECE:64x8x1\|reg:2\*\(8,0,0\),2\*\(0,4,0\)\|lane:4\*\(0,1,0\),8\*\(1,0,0\)\|warp:4\*\(16,0,0\)]]">>
// CHECK:         %[[O:.*]] = "nv_tileas.view"{{.*}} -> tensor<64x8x1xbf16, #nv_tileas.layout<"[[PIECE]]">>
// CHECK:         "nv_tileas.cat"(%[[E]], %[[O]]) {dim = 2 : i64} {{.*}} -> tensor<64x8x2xbf16, #nv_tileas.layout<"64x8x2|reg:2*(0,0,1),2*(8,0,0),2*(0,4,0)|
// CHECK-NOT:     nv_tileas.convert_layout
module @joins_follow_their_result {
  "nv_tileaa.func"() ({
  ^bb0(%a: !half, %b: !b):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %even = "nv_tileas.load_shared"(%a) : (!half) -> tensor<64x8xbf16>
      %odd = arith.negf %even : tensor<64x8xbf16>
      %e = "nv_tileas.view"(%even) : (tensor<64x8xbf16>) -> tensor<64x8x1xbf16>
      %o = "nv_tileas.view"(%odd) : (tensor<64x8xbf16>) -> tensor<64x8x1xbf16>
      %c = "nv_tileas.cat"(%e, %o) {dim = 2 : i64} : (tensor<64x8x1xbf16>, tensor<64x8x1xbf16>) -> tensor<64x8x2xbf16>
      %x = "nv_tileas.view"(%c) : (tensor<64x8x2xbf16>) -> tensor<64x16xbf16>
      %zero = arith.constant dense<0.0> : tensor<64x32xf32>
      %g, %t = "nv_tileas.async_mma"(%x, %b, %zero) {a_major = "k", b_major = "n"} : (tensor<64x16xbf16>, !b, tensor<64x32xf32>) -> (tensor<64x32xf32>, !nv_tileas.mma_token)
      %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (tensor<64x32xf32>, !nv_tileas.mma_token) -> tensor<64x32xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!half, !b) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!s = !nv_tileas.smem<tensor<64x64xf32, #nv_tileas.shared_layout<array<i64: 64, 32>, 128 : i64>>>

// Uses of one constant want different layouts. Each makes its own: nothing is converted.
// CHECK-LABEL: module @constants_are_made_again_for_each_use
// CHECK-NOT:     nv_tileas.convert_layout
// CHECK:         arith.constant dense<3> : tensor<64xi32, #nv_tileas.layout<"[[A:.*]]">>
// CHECK:         arith.constant dense<3> : tensor<64xi32, #nv_tileas.layout<"[[B:.*]]">>
// CHECK-NOT:     nv_tileas.convert_layout
module @constants_are_made_again_for_each_use {
  "nv_tileaa.func"() ({
  ^bb0(%s: !s):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %i = arith.constant dense<3> : tensor<64xi32>
      %r = "nv_tileas.view"(%i) : (tensor<64xi32>) -> tensor<64x1xi32>
      %c = "nv_tileas.view"(%i) : (tensor<64xi32>) -> tensor<1x64xi32>
      %rows = "nv_tileas.broadcast"(%r) : (tensor<64x1xi32>) -> tensor<64x64xi32>
      %columns = "nv_tileas.broadcast"(%c) : (tensor<1x64xi32>) -> tensor<64x64xi32>
      %m = arith.cmpi slt, %rows, %columns : tensor<64x64xi32>
      %x = "nv_tileas.load_shared"(%s) : (!s) -> tensor<64x64xf32>
      %y = arith.negf %x : tensor<64x64xf32>
      %z = arith.select %m, %x, %y : tensor<64x64xi1>, tensor<64x64xf32>
      "nv_tileas.store_shared"(%z, %s) : (tensor<64x64xf32>, !s) -> ()
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!s) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!s = !nv_tileas.smem<tensor<32x64xf32, #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>>>
!w = !nv_tileas.smem<tensor<64x64xf32, #nv_tileas.shared_layout<array<i64: 64, 32>, 128 : i64>>>

// A `cat` of tiles that are loaded moves nothing if they are loaded as their parts of its result.
// CHECK-LABEL: module @joined_tiles_are_loaded_as_parts
// CHECK-NOT:     nv_tileas.convert_layout
// CHECK:         "nv_tileas.load_shared"{{.*}} -> tensor<32x64xf32, #nv_tileas.layout<"[[L:.*]]">>
// CHECK:         "nv_tileas.cat"(%{{.*}}) {dim = 0 : i64} : (tensor<32x64xf32, #nv_tileas.layout<"[[L]]">>,
module @joined_tiles_are_loaded_as_parts {
  "nv_tileaa.func"() ({
  ^bb0(%s: !s, %w: !w):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %x = "nv_tileas.load_shared"(%s) : (!s) -> tensor<32x64xf32>
      %e = math.exp %x : tensor<32x64xf32>
      %c = "nv_tileas.cat"(%x, %e) {dim = 0 : i64} : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>
      "nv_tileas.store_shared"(%c, %w) : (tensor<64x64xf32>, !w) -> ()
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!s, !w) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!s = !nv_tileas.smem<tensor<32x32xf32, #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>>>

// A mask serves rows and columns. It costs less to compute it in both layouts than to change one.
// CHECK-LABEL: module @masks_are_computed_again
// CHECK:         scf.for
// CHECK-NOT:     nv_tileas.convert_layout
// CHECK:         arith.cmpi eq{{.*}}<"32|[[ROWS:.*]]">>
// CHECK-NOT:     nv_tileas.convert_layout
// CHECK:         %[[R:.*]] = "nv_tileas.make_range"() {{.*}} -> tensor<32xi32, #nv_tileas.layout<"[[COLUMNS:.*]]">>
// CHECK-NEXT:    %[[K:.*]] = "nv_tileas.splat"(%{{.*}}) : (i32) -> tensor<32xi32, #nv_tileas.layout<"[[COLUMNS]]">>
// CHECK-NEXT:    arith.cmpi eq, %[[R]], %[[K]] : tensor<32xi32, #nv_tileas.layout<"[[COLUMNS]]">>
// CHECK-NOT:     nv_tileas.convert_layout
module @masks_are_computed_again {
  "nv_tileaa.func"() ({
  ^bb0(%s: !s, %n: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %z = arith.constant dense<0.0> : tensor<32x32xf32>
      %r = "nv_tileas.make_range"() {start = 0 : i64} : () -> tensor<32xi32>
      %x = "nv_tileas.load_shared"(%s) : (!s) -> tensor<32x32xf32>
      %y = scf.for %k = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<32x32xf32>) : i32 {
        %t = "nv_tileas.splat"(%k) : (i32) -> tensor<32xi32>
        %m = arith.cmpi eq, %r, %t : tensor<32xi32>
        %m0 = "nv_tileas.view"(%m) : (tensor<32xi1>) -> tensor<32x1xi1>
        %m1 = "nv_tileas.view"(%m) : (tensor<32xi1>) -> tensor<1x32xi1>
        %b0 = "nv_tileas.broadcast"(%m0) : (tensor<32x1xi1>) -> tensor<32x32xi1>
        %b1 = "nv_tileas.broadcast"(%m1) : (tensor<1x32xi1>) -> tensor<32x32xi1>
        %p = arith.select %b0, %z, %a : tensor<32x32xi1>, tensor<32x32xf32>
        %q = arith.select %b1, %z, %p : tensor<32x32xi1>, tensor<32x32xf32>
        scf.yield %q : tensor<32x32xf32>
      }
      "nv_tileas.store_shared"(%y, %s) : (tensor<32x32xf32>, !s) -> ()
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!s, i32) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!s = !nv_tileas.smem<tensor<32x32xi32, #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>>>

// The high halves of products serve rows and columns. Operations with two results are not computed
// again: they change their layout.
// CHECK-LABEL: module @halves_of_products_are_not_computed_again
// CHECK:         %[[LOW:.*]], %[[HIGH:.*]] = arith.mului_extended
// CHECK-NOT:     arith.mului_extended
// CHECK:         "nv_tileas.convert_layout"(%[[HIGH]])
// CHECK-NOT:     arith.mului_extended
module @halves_of_products_are_not_computed_again {
  "nv_tileaa.func"() ({
  ^bb0(%s: !s, %n: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %t = "nv_tileas.splat"(%n) : (i32) -> tensor<32xi32>
      %r = "nv_tileas.make_range"() {start = 0 : i64} : () -> tensor<32xi32>
      %x = "nv_tileas.load_shared"(%s) : (!s) -> tensor<32x32xi32>
      %l, %h = arith.mului_extended %r, %t : tensor<32xi32>
      %h0 = "nv_tileas.view"(%h) : (tensor<32xi32>) -> tensor<32x1xi32>
      %h1 = "nv_tileas.view"(%h) : (tensor<32xi32>) -> tensor<1x32xi32>
      %b0 = "nv_tileas.broadcast"(%h0) : (tensor<32x1xi32>) -> tensor<32x32xi32>
      %b1 = "nv_tileas.broadcast"(%h1) : (tensor<1x32xi32>) -> tensor<32x32xi32>
      %p = arith.addi %b0, %x : tensor<32x32xi32>
      %q = arith.addi %b1, %p : tensor<32x32xi32>
      "nv_tileas.store_shared"(%q, %s) : (tensor<32x32xi32>, !s) -> ()
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!s, i32) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!s = !nv_tileas.smem<tensor<32x64xf32, #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>>>

// Two stages of a butterfly: halves at a known place are registers of their tile, if each thread has
// both halves. The change of layout only names registers in another order.
// CHECK-LABEL: module @known_slices_are_registers
// CHECK-NOT:     nv_tileas.convert_layout
// CHECK-COUNT-2: "nv_tileas.extract"{{.*}} : (tensor<32x32x2x1xf32, #nv_tileas.layout<"32x32x2x1|reg:[[X:.*]]|lane:16*(0,2,0,0),2*(1,0,0,0)|warp:4*(2,0,0,0)">>, {{.*}}|lane:16*(0,2,0,0),2*(1,0,0,0)|warp:4*(2,0,0,0)">>
// CHECK:         "nv_tileas.cat"{{.*}}|lane:16*(0,2,0,0),2*(1,0,0,0)|warp:4*(2,0,0,0)">>
// CHECK-COUNT-2: "nv_tileas.extract"{{.*}}|lane:16*(0,1,0,0),2*(1,0,0,0)|warp:4*(2,0,0,0)">>
// CHECK:         "nv_tileas.cat"{{.*}}|lane:16*(0,1,0,0),2*(1,0,0,0)|warp:4*(2,0,0,0)">>
// CHECK-NEXT:    "nv_tileas.convert_layout"{{.*}}|lane:16*(0,1,0,0),2*(1,0,0,0)|warp:4*(2,0,0,0)">>) -> {{.*}}|lane:16*(0,1,0,0),2*(1,0,0,0)|warp:4*(2,0,0,0)">>
// CHECK-NOT:     nv_tileas.convert_layout
module @known_slices_are_registers {
  "nv_tileaa.func"() ({
  ^bb0(%s: !s):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %i = arith.constant 0 : i32
      %j = arith.constant 1 : i32
      %x = "nv_tileas.load_shared"(%s) : (!s) -> tensor<32x64xf32>
      %x1 = "nv_tileas.view"(%x) : (tensor<32x64xf32>) -> tensor<32x32x2x1xf32>
      %a1 = "nv_tileas.extract"(%x1, %i, %i, %i, %i) : (tensor<32x32x2x1xf32>, i32, i32, i32, i32) -> tensor<32x32x1x1xf32>
      %b1 = "nv_tileas.extract"(%x1, %i, %i, %j, %i) : (tensor<32x32x2x1xf32>, i32, i32, i32, i32) -> tensor<32x32x1x1xf32>
      %p1 = arith.addf %a1, %b1 : tensor<32x32x1x1xf32>
      %m1 = arith.subf %a1, %b1 : tensor<32x32x1x1xf32>
      %y1 = "nv_tileas.cat"(%p1, %m1) {dim = 2 : i64} : (tensor<32x32x1x1xf32>, tensor<32x32x1x1xf32>) -> tensor<32x32x2x1xf32>
      %x2 = "nv_tileas.view"(%y1) : (tensor<32x32x2x1xf32>) -> tensor<32x16x2x2xf32>
      %a2 = "nv_tileas.extract"(%x2, %i, %i, %i, %i) : (tensor<32x16x2x2xf32>, i32, i32, i32, i32) -> tensor<32x16x1x2xf32>
      %b2 = "nv_tileas.extract"(%x2, %i, %i, %j, %i) : (tensor<32x16x2x2xf32>, i32, i32, i32, i32) -> tensor<32x16x1x2xf32>
      %p2 = arith.addf %a2, %b2 : tensor<32x16x1x2xf32>
      %m2 = arith.subf %a2, %b2 : tensor<32x16x1x2xf32>
      %y2 = "nv_tileas.cat"(%p2, %m2) {dim = 2 : i64} : (tensor<32x16x1x2xf32>, tensor<32x16x1x2xf32>) -> tensor<32x16x2x2xf32>
      %y = "nv_tileas.view"(%y2) : (tensor<32x16x2x2xf32>) -> tensor<32x64xf32>
      "nv_tileas.store_shared"(%y, %s) : (tensor<32x64xf32>, !s) -> ()
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!s) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!y = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#ldg = #cute.copy_atom<"sm90_ldg_16_bf16", "ldg", 1 : i64, 16 : i64, bf16>
#stg = #cute.copy_atom<"sm90_stg_16_bf16", "stg", 1 : i64, 16 : i64, bf16>

// Where a thread stores one element at a time, its neighbours' elements are next to each other: else
// each sector is written in as many parts as a thread has elements of it.
// CHECK-LABEL: module @neighbouring_lanes_store_neighbouring_elements
// CHECK-NOT:     nv_tileas.convert_layout
// CHECK:         "nv_tileas.tiled_load"{{.*}} -> (tensor<1x1024xbf16, #nv_tileas.layout<"1x1024|reg:8*(0,128)|lane:32*(0,1)|warp:4*(0,32)">>
// CHECK-NOT:     nv_tileas.convert_layout
module @neighbouring_lanes_store_neighbouring_elements {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<bf16>, %m: i32, %n: i32, %s: i64, %i: i32):
    %v = "nv_tileas.make_memref"(%p, %m, %n, %s) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !y
    %c0 = arith.constant 0 : i32
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %x, %t = "nv_tileas.tiled_load"(%v, %i, %c0) {in_bounds = array<i1: true, false>, never_before = array<i1: true, true>, atom = #ldg} : (!y, i32, i32) -> (tensor<1x1024xbf16>, !token)
      %w = "nv_tileas.tiled_store"(%v, %x, %i, %c0, %t) {in_bounds = array<i1: true, false>, never_before = array<i1: true, true>, atom = #stg} : (!y, tensor<1x1024xbf16>, i32, i32, !token) -> !token
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<bf16>, i32, i32, i64, i32) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!y = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#ldg = #cute.copy_atom<"sm90_ldg_16_bf16", "ldg", 1 : i64, 16 : i64, bf16>
#stg = #cute.copy_atom<"sm90_stg_128_bf16", "stg", 1 : i64, 128 : i64, bf16>

// What a load leaves of a sector is in the L1 cache: only stores ask for that.
// CHECK-LABEL: module @loads_of_runs_stay
// CHECK:         "nv_tileas.tiled_load"{{.*}} -> (tensor<1x1024xbf16, #nv_tileas.layout<"1x1024|reg:8*(0,1)|lane:32*(0,8)|warp:4*(0,256)">>
module @loads_of_runs_stay {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<bf16>, %q: !nv_tileaa.ptr<bf16>, %m: i32, %n: i32, %s: i64, %i: i32):
    %v = "nv_tileas.make_memref"(%p, %m, %n, %s) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !y
    %o = "nv_tileas.make_memref"(%q, %m, %n, %s) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !y
    %c0 = arith.constant 0 : i32
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %x, %t = "nv_tileas.tiled_load"(%v, %i, %c0) {in_bounds = array<i1: true, true>, never_before = array<i1: true, true>, atom = #ldg} : (!y, i32, i32) -> (tensor<1x1024xbf16>, !token)
      %w = "nv_tileas.tiled_store"(%o, %x, %i, %c0) {in_bounds = array<i1: true, true>, never_before = array<i1: true, true>, atom = #stg} : (!y, tensor<1x1024xbf16>, i32, i32) -> !token
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<bf16>, !nv_tileaa.ptr<bf16>, i32, i32, i64, i32) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<64x16xbf16, #nv_tileas.shared_layout<array<i64: 64, 16>, 32 : i64>>>
!b = !nv_tileas.smem<tensor<16x32xbf16, #nv_tileas.shared_layout<array<i64: 16, 32>, 64 : i64>>>
!y = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#stg = #cute.copy_atom<"sm90_stg_128_bf16", "stg", 1 : i64, 128 : i64, bf16>

// Lanes hold pairs of columns of an accumulator. They swap words before they store them, so that no
// two accesses write parts of the same sector.
// CHECK-LABEL: module @lanes_swap_words_of_what_they_store
// CHECK:         %[[H:.*]] = arith.truncf
// CHECK:         %[[V:.*]] = "nv_tileas.convert_layout"(%[[H]]) : (tensor<64x32xbf16, #nv_tileas.layout<"64x32|reg:2*(0,1),2*(8,0),4*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)">>) -> tensor<64x32xbf16, #nv_tileas.layout<"64x32|reg:4*(0,1),2*(0,16),2*(8,0)|lane:2*(0,8),2*(0,4),8*(1,0)|warp:4*(16,0)">>
// CHECK:         "nv_tileas.tiled_store"(%{{.*}}, %[[V]],
module @lanes_swap_words_of_what_they_store {
  "nv_tileaa.func"() ({
  ^bb0(%a: !a, %b: !b, %p: !nv_tileaa.ptr<bf16>, %m: i32, %n: i32, %s: i64):
    %v = "nv_tileas.make_memref"(%p, %m, %n, %s) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !y
    %c0 = arith.constant 0 : i32
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zero = arith.constant dense<0.0> : tensor<64x32xf32>
      %g, %t = "nv_tileas.async_mma"(%a, %b, %zero) {a_major = "k", b_major = "n"} : (!a, !b, tensor<64x32xf32>) -> (tensor<64x32xf32>, !nv_tileas.mma_token)
      %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (tensor<64x32xf32>, !nv_tileas.mma_token) -> tensor<64x32xf32>
      %h = arith.truncf %d : tensor<64x32xf32> to tensor<64x32xbf16>
      %w = "nv_tileas.tiled_store"(%v, %h, %c0, %c0) {in_bounds = array<i1: true, true>, never_before = array<i1: true, true>, atom = #stg} : (!y, tensor<64x32xbf16>, i32, i32) -> !token
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, !b, !nv_tileaa.ptr<bf16>, i32, i32, i64) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<64x16xbf16, #nv_tileas.shared_layout<array<i64: 64, 16>, 32 : i64>>>
!b = !nv_tileas.smem<tensor<16x32xbf16, #nv_tileas.shared_layout<array<i64: 16, 32>, 64 : i64>>>
!y = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#stg = #cute.copy_atom<"sm90_stg_16_bf16", "stg", 1 : i64, 16 : i64, bf16>

// Where threads store single elements, lanes swap so that neighbours store neighbours.
// CHECK-LABEL: module @lanes_swap_single_elements
// CHECK:         %[[H:.*]] = arith.truncf
// CHECK:         %[[V:.*]] = "nv_tileas.convert_layout"(%[[H]]) : (tensor<64x32xbf16, #nv_tileas.layout<"64x32|reg:2*(0,1),2*(8,0),4*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)">>) -> tensor<64x32xbf16, #nv_tileas.layout<"64x32|reg:2*(0,16),8*(2,0)|lane:4*(0,2),2*(1,0),2*(0,8),2*(0,1)|warp:4*(16,0)">>
// CHECK:         "nv_tileas.tiled_store"(%{{.*}}, %[[V]],
module @lanes_swap_single_elements {
  "nv_tileaa.func"() ({
  ^bb0(%a: !a, %b: !b, %p: !nv_tileaa.ptr<bf16>, %m: i32, %n: i32, %s: i64):
    %v = "nv_tileas.make_memref"(%p, %m, %n, %s) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !y
    %c0 = arith.constant 0 : i32
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zero = arith.constant dense<0.0> : tensor<64x32xf32>
      %g, %t = "nv_tileas.async_mma"(%a, %b, %zero) {a_major = "k", b_major = "n"} : (!a, !b, tensor<64x32xf32>) -> (tensor<64x32xf32>, !nv_tileas.mma_token)
      %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (tensor<64x32xf32>, !nv_tileas.mma_token) -> tensor<64x32xf32>
      %h = arith.truncf %d : tensor<64x32xf32> to tensor<64x32xbf16>
      %w = "nv_tileas.tiled_store"(%v, %h, %c0, %c0) {in_bounds = array<i1: true, true>, never_before = array<i1: true, true>, atom = #stg} : (!y, tensor<64x32xbf16>, i32, i32) -> !token
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, !b, !nv_tileaa.ptr<bf16>, i32, i32, i64) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!x = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#wide = #cute.copy_atom<"sm90_ldg_128_f32", "ldg", 1 : i64, 128 : i64, f32>
#single = #cute.copy_atom<"sm90_ldg_32_f32", "ldg", 1 : i64, 32 : i64, f32>

// Most loads are of single elements: neighbouring lanes load neighbours, rows of a warp.
// CHECK-LABEL: module @most_loads_say_how_wide_vectors_are
// CHECK-COUNT-3: tiled_load{{.*}}"8x128|reg:4*(0,32),2*(4,0)|lane:32*(0,1)|warp:4*(1,0)"
module @most_loads_say_how_wide_vectors_are {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %m: i32, %n: i32, %s: i64):
    %v = "nv_tileas.make_memref"(%p, %m, %n, %s) : (!nv_tileaa.ptr<f32>, i32, i32, i64) -> !x
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %a, %t = "nv_tileas.tiled_load"(%v, %c0, %c0) {in_bounds = array<i1: true, true>, never_before = array<i1: true, true>, atom = #wide, mem_semantic = "weak"} : (!x, i32, i32) -> (tensor<8x128xf32>, !token)
      %b, %u = "nv_tileas.tiled_load"(%v, %c0, %c1) {in_bounds = array<i1: true, true>, never_before = array<i1: true, true>, atom = #single, mem_semantic = "weak"} : (!x, i32, i32) -> (tensor<8x128xf32>, !token)
      %c, %w = "nv_tileas.tiled_load"(%v, %c1, %c1) {in_bounds = array<i1: true, true>, never_before = array<i1: true, true>, atom = #single, mem_semantic = "weak"} : (!x, i32, i32) -> (tensor<8x128xf32>, !token)
      %d = arith.addf %a, %b : tensor<8x128xf32>
      %e = arith.addf %d, %c : tensor<8x128xf32>
      %z = "nv_tileas.tiled_store"(%v, %e, %c0, %c0) {in_bounds = array<i1: true, true>, never_before = array<i1: true, true>, atom = #cute.copy_atom<"sm90_stg_128_f32", "stg", 1 : i64, 128 : i64, f32>} : (!x, tensor<8x128xf32>, i32, i32) -> !token
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i32, i32, i64) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}
