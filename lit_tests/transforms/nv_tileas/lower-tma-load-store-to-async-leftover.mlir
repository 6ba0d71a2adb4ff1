// RUN: not tilec opt %s --passes lower-tma-load-store-to-async 2>&1 | FileCheck %s --check-prefix=LOAD
// RUN: sed '/a load without a slot/d' %s | not tilec opt - --passes lower-tma-load-store-to-async 2>&1 | FileCheck %s --check-prefix=FILL

// The pass refuses loads that fill no slot, and slots that nothing commits.

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
!slot = !nv_tileas.smem<tensor<8x32xf32, #nv_tileas.shared_layout<array<i64: 8, 32>, 128 : i64>>>
#load = #cute.copy_atom<"sm90_tma_load_2d_f32", "tma_load", 2 : i64, 0 : i64, f32>

// LOAD: error[T0580]: the IR does not hold what lower-tma-load-store-to-async relies on at {{.*}}tiled_load{{.*}}: failed to find smem buffer address for mbarrier
// FILL: error[T0580]: the IR does not hold what lower-tma-load-store-to-async relies on at {{.*}}ring_fill{{.*}}: failed to get expected tx-count
"nv_tileaa.func"() ({
^bb0(%v: !v, %m: i32):
  %slot = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !slot
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x, %t = "nv_tileas.tiled_load"(%v, %m, %m) {atom = #load} : (!v, i32, i32) -> (tensor<8x32xf32>, !token)  // a load without a slot
    %y = arith.constant dense<0.0> : tensor<8x32xf32>
    "nv_tileas.ring_fill"(%y, %slot) : (tensor<8x32xf32>, !slot) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "leftovers_are_found", function_type = (!v, i32) -> (), nv_tileaa.kernel_spec = {stages = 1 : i64}} : () -> ()
