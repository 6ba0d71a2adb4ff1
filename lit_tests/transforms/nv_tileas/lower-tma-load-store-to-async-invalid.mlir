// RUN: tilec opt %s --passes lower-tma-load-store-to-async --verify-diagnostics

// The pass refuses slots that a barrier cannot count.

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
!slot = !nv_tileas.smem<tensor<1024x256xf32, #nv_tileas.shared_layout<array<i64: 256, 32>, 128 : i64>>>
#load = #cute.copy_atom<"sm90_tma_load_2d_f32", "tma_load", 2 : i64, 0 : i64, f32>

// A slot of more bytes than a barrier phase counts is refused at its load.
"nv_tileaa.func"() ({
^bb0(%v: !v, %m: i32):
  %buffer = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !slot
  %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 1 : i64} : () -> !nv_tileas.mbarrier
  %ring = "nv_tileas.create_ring"(%full) {stages = 1 : i64} : (!nv_tileas.mbarrier) -> !nv_tileas.ring
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %at = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !nv_tileas.ring_position
    // expected-error @below {{one slot of this ring holds 1048576 bytes, but a barrier phase counts at most 1048575}}
    %x, %t = "nv_tileas.tiled_load"(%v, %m, %m) {atom = #load} : (!v, i32, i32) -> (tensor<1024x256xf32>, !token)
    %slot = "nv_tileas.slot_view"(%buffer, %at) : (!slot, !nv_tileas.ring_position) -> !slot
    "nv_tileas.ring_fill"(%x, %slot) : (tensor<1024x256xf32>, !slot) -> ()
    "nv_tileas.ring_commit"(%ring, %at) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "oversized_slots_are_refused", function_type = (!v, i32) -> (), nv_tileaa.kernel_spec = {stages = 1 : i64}} : () -> ()
