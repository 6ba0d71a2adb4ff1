// RUN: not tilec opt %s --passes nv-tileas-attach-tma-descriptors 2>&1 | FileCheck %s

// The pass refuses a copy whose index has no descriptor parameter.

!slot = !nv_tileas.smem<tensor<8x64xbf16, #nv_tileas.shared_layout<array<i64: 8, 64>, 128 : i64>>>
!desc = !nv_tileas.tma_desc<tensor<8x64xbf16>>

// CHECK: error[T0580]: the IR does not hold what nv-tileas-attach-tma-descriptors relies on at 'nv_tileas.async_tiled_tma_store': tmaIdx exceed tmaHostNum.
"nv_tileaa.func"() ({
^bb0(%d: !desc, %slot: !slot, %m: i32):
  "nv_tileas.async_tiled_tma_store"(%d, %slot, %m, %m) {box_index = 0 : i64, tmaIdx = 3 : i64} : (!desc, !slot, i32, i32) -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "indices_without_a_descriptor_are_refused", function_type = (!desc, !slot, i32) -> ()} : () -> ()
