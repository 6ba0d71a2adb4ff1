// RUN: tilec opt %s --passes convert-nv-tileaa-to-nv-tileas --split-input-file --verify-diagnostics

// The pass refuses accesses that lack what the next stage needs.

!memref = !nv_tileaa.memref<memref<64xf32, strided<[1]>, 1>, 0 : i64>

"nv_tileaa.func"() ({
^bb0(%v: !memref, %i: i32):
  // expected-error@+1 {{failed to convert nv_tileaa to nv_tileas: the load has no copy atom}}
  %a, %t = "nv_tileaa.tiled_load"(%v, %i) : (!memref, i32) -> (tensor<8xf32>, !nv_tileaa.mem_token)
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "no_witness", function_type = (!memref, i32) -> ()} : () -> ()

// -----

!memref = !nv_tileaa.memref<memref<64xf32, strided<[1]>, 1>, 0 : i64>

"nv_tileaa.func"() ({
^bb0(%v: !memref, %i: i32):
  // expected-error@+1 {{load: memory ordering acquire is not supported yet}}
  %a, %t = "nv_tileaa.tiled_load"(%v, %i) {mem_semantic = "acquire", mem_scope = "gpu"} : (!memref, i32) -> (tensor<8xf32>, !nv_tileaa.mem_token)
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "acquire", function_type = (!memref, i32) -> ()} : () -> ()

// -----

// expected-error@+1 {{failed to convert nv_tileaa to nv_tileas: 'nv_tileaa.create_mem_token' was not converted}}
%t = "nv_tileaa.create_mem_token"() : () -> !nv_tileaa.mem_token
