// RUN: tilec opt %s --passes convert-nv-tileas-to-llvm,canonicalize,cse --split-input-file | FileCheck %s

// The pass lowers reductions and scans: registers, then lanes, then warps.

!rows = tensor<4x64xf32, #nv_tileas.layout<"4x64|reg:2*(0,1)|lane:32*(0,2)|warp:4*(1,0)">>
!row = tensor<1x256xf32, #nv_tileas.layout<"1x256|reg:2*(0,1)|lane:32*(0,2)|warp:4*(0,64)">>

// Each warp has whole rows: one sum of two registers, five butterflies, no shared memory.
// CHECK-LABEL: llvm.func @rows_of_a_warp
// CHECK:         arith.addf
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK-NOT:     nvvm.shfl.sync
// CHECK-NOT:     nvvm.barrier
// CHECK:         llvm.return
"nv_tileaa.func"() ({
^bb0(%s: f32):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.splat"(%s) : (f32) -> !rows
    %y = "nv_tileas.reduce"(%x) ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      "nv_tileas.yield_values"(%t) : (f32) -> ()
    }) {axis = 1 : i64} : (!rows) -> tensor<4xf32, #nv_tileas.layout<"4|lane:32*(0)|warp:4*(1)">>
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "rows_of_a_warp", function_type = (f32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!row = tensor<256xf32, #nv_tileas.layout<"256|reg:2*(1)|lane:32*(2)|warp:4*(64)">>

// Four warps share a row: each leaves its part in shared memory for all of them.
// CHECK-LABEL: llvm.func @a_row_of_four_warps
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK:         llvm.store %{{.*}} : f32, !llvm.ptr<3>
// CHECK:         nvvm.barrier
// CHECK:         nvvm.barrier
// CHECK:         llvm.return
"nv_tileaa.func"() ({
^bb0(%s: f32):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.splat"(%s) : (f32) -> !row
    %y = "nv_tileas.reduce"(%x) ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      "nv_tileas.yield_values"(%t) : (f32) -> ()
    }) {axis = 0 : i64, offset = 0 : i64, id = 0 : i64} : (!row) -> f32
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "a_row_of_four_warps", function_type = (f32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!row = tensor<32xi32, #nv_tileas.layout<"32|lane:32*(1)|warp:4*(0)">>

// A scan over 32 lanes that have one element each: five steps up give the results, one the total.
// CHECK-LABEL: llvm.func @scan_of_a_warp
// CHECK-COUNT-5: nvvm.shfl.sync up
// CHECK-NOT:     nvvm.shfl.sync up
// CHECK:         llvm.return
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !nv_tileas.smem<tensor<32xi32, #nv_tileas.shared_layout<array<i64: 32>, 128 : i64>>>
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.splat"(%n) : (i32) -> !row
    %y = "nv_tileas.scan"(%x) ({
    ^bb0(%a: i32, %b: i32):
      %t = arith.addi %a, %b : i32
      "nv_tileas.yield_values"(%t) : (i32) -> ()
    }) {axis = 0 : i64} : (!row) -> !row
    "nv_tileas.store_shared"(%y, %s) : (!row, !nv_tileas.smem<tensor<32xi32, #nv_tileas.shared_layout<array<i64: 32>, 128 : i64>>>) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "scan_of_a_warp", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!row = tensor<64xi32, #nv_tileas.layout<"64|reg:2*(1)|lane:32*(2)|warp:4*(0)">>

// Lanes with two elements each scan the sums of pairs: five steps up, one for what comes before a
// pair, one total. Each element is combined with it once.
// CHECK-LABEL: llvm.func @scan_of_pairs
// CHECK-COUNT-6: nvvm.shfl.sync up
// CHECK:         llvm.return
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !nv_tileas.smem<tensor<64xi32, #nv_tileas.shared_layout<array<i64: 64>, 0 : i64>>>
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.splat"(%n) : (i32) -> !row
    %y = "nv_tileas.scan"(%x) ({
    ^bb0(%a: i32, %b: i32):
      %t = arith.addi %a, %b : i32
      "nv_tileas.yield_values"(%t) : (i32) -> ()
    }) {axis = 0 : i64} : (!row) -> !row
    "nv_tileas.store_shared"(%y, %s) : (!row, !nv_tileas.smem<tensor<64xi32, #nv_tileas.shared_layout<array<i64: 64>, 0 : i64>>>) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "scan_of_pairs", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!row = tensor<256xi32, #nv_tileas.layout<"256|reg:2*(1)|lane:32*(2)|reg:2*(64)|warp:2*(128)">>

// The function is not commutative. So neighbours come first: two pairs of registers, five steps of
// each of them, where the lane says which side comes first, then registers again, and two warps.
// CHECK-LABEL: llvm.func @in_order
// CHECK-COUNT-2:  arith.subi
// CHECK-COUNT-10: nvvm.shfl.sync bfly
// CHECK:          arith.select
// CHECK-NOT:      nvvm.shfl.sync
// CHECK:          nvvm.barrier
// CHECK:          llvm.return
"nv_tileaa.func"() ({
^bb0(%s: i32):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.make_range"() {start = 0 : i64} : () -> !row
    %y = "nv_tileas.reduce"(%x) ({
    ^bb0(%a: i32, %b: i32):
      %t = arith.subi %a, %b : i32
      "nv_tileas.yield_values"(%t) : (i32) -> ()
    }) {axis = 0 : i64, offset = 0 : i64, id = 0 : i64} : (!row) -> i32
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 2 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "in_order", function_type = (i32) -> (), tilec.kernel = {block_threads = 64 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!row = tensor<128xi32, #nv_tileas.layout<"128|reg:4*(32)|lane:32*(1)|warp:4*(0)">>

// A thread combines its four registers in pairs.
// CHECK-LABEL: llvm.func @registers_in_pairs
// CHECK:         %[[A:.*]] = arith.xori
// CHECK:         %[[B:.*]] = arith.xori
// CHECK:         arith.xori %[[A]], %[[B]]
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK:         llvm.return
"nv_tileaa.func"() ({
^bb0(%p: !nv_tileaa.ptr<i32>):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.make_range"() {start = 0 : i64} : () -> !row
    %y = "nv_tileas.reduce"(%x) ({
    ^bb0(%a: i32, %b: i32):
      %t = arith.xori %a, %b : i32
      "nv_tileas.yield_values"(%t) : (i32) -> ()
    }) {axis = 0 : i64} : (!row) -> i32
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "registers_in_pairs", function_type = (!nv_tileaa.ptr<i32>) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!row = tensor<128xi32, #nv_tileas.layout<"128|reg:4*(32)|lane:32*(1)|warp:4*(0)">>

// With `serial`, it combines them one after another.
// CHECK-LABEL: llvm.func @registers_one_after_another
// CHECK:         %[[A:.*]] = arith.xori
// CHECK:         %[[B:.*]] = arith.xori %[[A]], %{{.*}}
// CHECK:         arith.xori %[[B]], %{{.*}}
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK:         llvm.return
"nv_tileaa.func"() ({
^bb0(%p: !nv_tileaa.ptr<i32>):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.make_range"() {start = 0 : i64} : () -> !row
    %y = "nv_tileas.reduce"(%x) ({
    ^bb0(%a: i32, %b: i32):
      %t = arith.xori %a, %b : i32
      "nv_tileas.yield_values"(%t) : (i32) -> ()
    }) {axis = 0 : i64, serial} : (!row) -> i32
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "registers_one_after_another", function_type = (!nv_tileaa.ptr<i32>) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!tile = tensor<2x64xf32, #nv_tileas.layout<"2x64|reg:2*(0,1),2*(1,0)|lane:32*(0,2)|warp:4*(0,0)">>
!rows = tensor<2xf32, #nv_tileas.layout<"2|reg:2*(1)|lane:32*(0)|warp:4*(0)">>

// With `row_by_row`, the second row waits for the first one: it gets no bits of its sum.
// CHECK-LABEL: llvm.func @one_row_after_another
// CHECK:         %[[SUM:.*]] = arith.addf
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK:         %[[ADDRESS:.*]] = llvm.ptrtoint
// CHECK:         arith.shrsi
// CHECK:         %[[NONE:.*]] = arith.andi
// CHECK:         arith.ori %{{.*}}, %[[NONE]]
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK:         llvm.return
"nv_tileaa.func"() ({
^bb0(%p: !nv_tileaa.ptr<f32>, %s: f32):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.splat"(%s) : (f32) -> !tile
    %y = "nv_tileas.reduce"(%x) ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      "nv_tileas.yield_values"(%t) : (f32) -> ()
    }) {axis = 1 : i64, serial, row_by_row} : (!tile) -> !rows
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "one_row_after_another", function_type = (!nv_tileaa.ptr<f32>, f32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!rows = tensor<4x64xf32, #nv_tileas.layout<"4x64|reg:2*(0,1)|lane:32*(0,2)|warp:4*(1,0)">>
!line = tensor<1x64xi32, #nv_tileas.layout<"1x64|reg:2*(0,1)|lane:32*(0,2)|warp:4*(0,0)">>
!range = tensor<64xi32, #nv_tileas.layout<"64|reg:2*(1)|lane:32*(2)|warp:4*(0)">>
!mask = tensor<1x64xi1, #nv_tileas.layout<"1x64|reg:2*(0,1)|lane:32*(0,2)|warp:4*(0,0)">>
!masks = tensor<4x64xi1, #nv_tileas.layout<"4x64|reg:2*(0,1)|lane:32*(0,2)|warp:4*(1,0)">>

// A comparison of the column leaves one element: a thread selects its own, adds 0 as -0 may be among
// them, and all lanes take the element from the lane that has column %k.
// CHECK-LABEL: llvm.func @one_element_of_a_row_is_picked(
// CHECK-SAME:    %[[S:.*]]: f32, %[[K:.*]]: i32)
// CHECK:         %[[ONE:.*]] = arith.select %{{.*}}, %[[S]], %[[ZERO:.*]] : f32
// CHECK:         %[[TWO:.*]] = arith.select %{{.*}}, %[[S]], %[[ONE]] : f32
// CHECK:         %[[OWN:.*]] = arith.addf %[[TWO]], %[[ZERO]] : f32
// CHECK-NOT:     arith.addf
// CHECK:         %[[DIGIT:.*]] = arith.divui
// CHECK:         %[[LANE:.*]] = arith.remui %[[DIGIT]], %c32_i32
// CHECK:         nvvm.shfl.sync idx %{{.*}}, %[[OWN]], %[[LANE]], %{{.*}} : f32 -> f32
// CHECK-NOT:     nvvm.shfl.sync
// CHECK:         llvm.return
"nv_tileaa.func"() ({
^bb0(%s: f32, %k: i32):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.splat"(%s) : (f32) -> !rows
    %zeros = arith.constant dense<0.0> : !rows
    %range = "nv_tileas.make_range"() {start = 0 : i64} : () -> !range
    %line = "nv_tileas.view"(%range) : (!range) -> !line
    %wanted = "nv_tileas.splat"(%k) : (i32) -> !line
    %mask = arith.cmpi eq, %line, %wanted : !line
    %masks = "nv_tileas.broadcast"(%mask) : (!mask) -> !masks
    %picked = arith.select %masks, %x, %zeros : !masks, !rows
    %y = "nv_tileas.reduce"(%picked) ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      "nv_tileas.yield_values"(%t) : (f32) -> ()
    }) {axis = 1 : i64} : (!rows) -> tensor<4xf32, #nv_tileas.layout<"4|lane:32*(0)|warp:4*(1)">>
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "one_element_of_a_row_is_picked", function_type = (f32, i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!index = tensor<4x64xi32, #nv_tileas.layout<"4x64|reg:2*(0,1)|lane:32*(0,2)|warp:4*(1,0)">>
!line = tensor<1x64xi32, #nv_tileas.layout<"1x64|reg:2*(0,1)|lane:32*(0,2)|warp:4*(0,0)">>
!range = tensor<64xi32, #nv_tileas.layout<"64|reg:2*(1)|lane:32*(2)|warp:4*(0)">>
!masks = tensor<4x64xi1, #nv_tileas.layout<"4x64|reg:2*(0,1)|lane:32*(0,2)|warp:4*(1,0)">>

// The first index for which a condition holds: a thread selects from its last register to its first
// one, and lanes take the minimum.
// CHECK-LABEL: llvm.func @the_first_index_is_selected
// CHECK:         %[[LAST:.*]] = arith.select %{{.*}}, %c1_i32, %c-1_i32 : i32
// CHECK:         %[[FIRST:.*]] = arith.select %{{.*}}, %c0_i32, %[[LAST]] : i32
// CHECK:         %[[NONE:.*]] = arith.cmpi eq, %[[FIRST]], %c-1_i32
// CHECK:         arith.select %[[NONE]], %c64_i32
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK:         llvm.return
"nv_tileaa.func"() ({
^bb0(%k: i32):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %most = arith.constant dense<64> : !index
    %range = "nv_tileas.make_range"() {start = 0 : i64} : () -> !range
    %line = "nv_tileas.view"(%range) : (!range) -> !line
    %index = "nv_tileas.broadcast"(%line) : (!line) -> !index
    %least = "nv_tileas.splat"(%k) : (i32) -> !index
    %mask = arith.cmpi sgt, %index, %least : !index
    %chosen = arith.select %mask, %index, %most : !masks, !index
    %y = "nv_tileas.reduce"(%chosen) ({
    ^bb0(%a: i32, %b: i32):
      %t = arith.minsi %a, %b : i32
      "nv_tileas.yield_values"(%t) : (i32) -> ()
    }) {axis = 1 : i64} : (!index) -> tensor<4xi32, #nv_tileas.layout<"4|lane:32*(0)|warp:4*(1)">>
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "the_first_index_is_selected", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!rows = tensor<4x128xf32, #nv_tileas.layout<"4x128|reg:4*(0,1)|lane:32*(0,4)|warp:4*(1,0)">>
!masks = tensor<4x128xi1, #nv_tileas.layout<"4x128|reg:4*(0,1)|lane:32*(0,4)|warp:4*(1,0)">>
!row = tensor<4xf32, #nv_tileas.layout<"4|lane:32*(0)|warp:4*(1)">>

// Products that only a sum reads are fused with it, and what a mask leaves out is not added: two chains
// of two terms. A product with another use, and a sum of anything else, stay.
// CHECK-LABEL: llvm.func @sums_of_products_and_under_masks(
// CHECK-SAME:    %[[S:[a-z0-9]+]]: f32, %[[B:[a-z0-9]+]]: i1
// CHECK:         %[[P:.*]] = arith.mulf %[[S]], %[[S]] : f32
// CHECK:         %[[CHAIN:.*]] = llvm.call_intrinsic "llvm.fma.f32"(%[[S]], %[[S]], %[[P]])
// CHECK-NEXT:    %[[OTHER:.*]] = llvm.call_intrinsic "llvm.fma.f32"(%[[S]], %[[S]], %[[P]])
// CHECK-NEXT:    arith.addf %[[CHAIN]], %[[OTHER]] : f32
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK:         %[[FIRST:.*]] = arith.select %[[B]], %[[S]], %{{.*}} : f32
// CHECK-NEXT:    %[[MORE:.*]] = arith.addf %[[FIRST]], %[[S]] : f32
// CHECK-NEXT:    arith.select %[[B]], %[[MORE]], %{{.*}} : f32
// CHECK-NOT:     llvm.fma
"nv_tileaa.func"() ({
^bb0(%s: f32, %b: i1):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.splat"(%s) : (f32) -> !rows
    %m = "nv_tileas.splat"(%b) : (i1) -> !masks
    %zeros = arith.constant dense<0.0> : !rows
    %p = arith.mulf %x, %x : !rows
    %y = "nv_tileas.reduce"(%p) ({
    ^bb0(%a: f32, %c: f32):
      %t = arith.addf %a, %c : f32
      "nv_tileas.yield_values"(%t) : (f32) -> ()
    }) {axis = 1 : i64} : (!rows) -> !row
    %k = arith.select %m, %x, %zeros : !masks, !rows
    %z = "nv_tileas.reduce"(%k) ({
    ^bb0(%a: f32, %c: f32):
      %t = arith.addf %a, %c : f32
      "nv_tileas.yield_values"(%t) : (f32) -> ()
    }) {axis = 1 : i64} : (!rows) -> !row
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "sums_of_products_and_under_masks", function_type = (f32, i1) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()
