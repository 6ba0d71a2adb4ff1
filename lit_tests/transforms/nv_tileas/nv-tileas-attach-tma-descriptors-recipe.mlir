// RUN: not tilec opt %s --passes nv-tileas-attach-tma-descriptors 2>&1 | FileCheck %s

// The pass refuses a descriptor that the host cannot encode, and says why.

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>

// CHECK: error[T0580]: the IR does not hold what nv-tileas-attach-tma-descriptors relies on at 'nv_tileas.make_tiled_tma_desc': an extent or stride is computed in the kernel
"nv_tileaa.func"() ({
^bb0(%p: !nv_tileaa.ptr<bf16>, %s: i64, %m: i32):
  %twice = arith.addi %m, %m : i32
  %v = "nv_tileas.make_memref"(%p, %m, %twice, %s) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !v
  %d = "nv_tileas.make_tiled_tma_desc"(%v) {box = array<i64: 8, 64>, swizzle = 128 : i64, tmaIdx = 0 : i64, mode = "load"} : (!v) -> !nv_tileas.tma_desc<tensor<8x64xbf16>>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "computed_extents_have_no_recipe", function_type = (!nv_tileaa.ptr<bf16>, i64, i32) -> (), tilec.kernel = {
  arrays = [{name = "A", dtype = "bf16", rank = 2 : i64, strides = [-1, 1]}],
  params = [{kind = "pointer", array = "A"}, {kind = "stride", array = "A", axis = 0 : i64}, {kind = "dim", name = "M", array = "A", axis = 0 : i64}]}} : () -> ()
