// RUN: tilec opt %s --passes nv-tileas-rotate-loops --split-input-file | FileCheck %s

// A loop around another one: its stage 1 runs in pieces, during the rounds of the inner loop.

!m = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>

// Stage 1 of the loop over tiles runs during the loop inside of it: a part of the tile is stored after
// each of the first two products of the next tile. All of it is stored at once before a tile with fewer
// products, and after the last tile. In the first round, nothing waits.
// CHECK-LABEL: module @a_tile_waits_for_the_next_one
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%[[A:.*]]: tensor<64x64xbf16>, %[[B:.*]]: tensor<64x128xbf16>, %[[OUT:.*]]: !nv_tileaa.ptr<bf16>, %[[PITCH:.*]]: i64, %[[ROWS:.*]]: i32, %[[COLUMNS:.*]]: i32, %[[N:.*]]: i32, %[[FIRST:.*]]: i32, %[[END:.*]]: i32, %[[STEP:.*]]: i32):
// CHECK:         %[[K0:.*]] = arith.constant 0 : i32
// CHECK:         %[[BOUND:.*]] = arith.addi %[[K0]], %{{.*}} : i32
// CHECK-NEXT:    %[[FEW:.*]] = arith.cmpi slt, %[[N]], %[[BOUND]] : i32
// CHECK-NEXT:    %[[SHADOW:.*]] = arith.select %[[FEW]], %[[K0]], %[[BOUND]] : i32
// CHECK-NEXT:    %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<64x128xbf16>
// CHECK:         %[[NONE:.*]] = arith.constant false
// CHECK-NEXT:    scf.while (%[[T:.*]] = %[[FIRST]], %[[WAITS:.*]] = %[[NONE]], %[[P:.*]] = %[[ZEROS]], %[[Y:.*]] = %{{.*}})
// CHECK-NEXT:      %[[MORE:.*]] = arith.cmpi slt, %[[T]], %[[END]] : i32
// CHECK:           %[[LAST:.*]] = arith.xori %[[MORE]], %{{.*}} : i1
// CHECK-NEXT:      %[[HERE:.*]] = arith.ori %[[LAST]], %[[FEW]] : i1
// CHECK-NEXT:      %[[ALONE:.*]] = arith.andi %[[HERE]], %[[WAITS]] : i1
// CHECK-NEXT:      scf.if %[[ALONE]] {
// CHECK-NEXT:        %[[P0:.*]] = "nv_tileas.tile_part"(%[[P]]) {axis = 0 : i64, origin = array<i64: 0, 0>}
// CHECK:             %[[Y0:.*]] = arith.addi %[[Y]], %{{.*}} : i32
// CHECK-NEXT:        "nv_tileas.tiled_store"(%{{.*}}, %[[P0]], %[[Y0]], %[[K0]], %{{.*}}) {{.*}}per_warpgroup{{.*}}staging_group = 0 : i64, staging_pending = 1 : i64, staging_slot = 0 : i64, staging_slots = 2 : i64
// CHECK:             %[[P1:.*]] = "nv_tileas.tile_part"(%[[P]]) {axis = 0 : i64, origin = array<i64: 0, 64>}
// CHECK:             "nv_tileas.tiled_store"(%{{.*}}, %[[P1]], {{.*}}staging_slot = 1 : i64
// CHECK:           scf.condition(%[[MORE]]) %[[T]], %[[WAITS]], %[[P]], %[[Y]] :
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%[[U:.*]]: i32, %[[SOME:.*]]: i1, %[[V:.*]]: tensor<64x128xbf16>, %[[R:.*]]: i32):
// CHECK-NEXT:      %[[UNTIL:.*]] = arith.select %[[SOME]], %[[SHADOW]], %[[K0]] : i32
// CHECK-NEXT:      %[[SUM:.*]] = scf.for %[[K:.*]] = %[[K0]] to %[[N]]
// CHECK-NEXT:        %[[EARLY:.*]] = arith.cmpi slt, %[[K]], %[[UNTIL]] : i32
// CHECK-NEXT:        "nv_tileas.dot"
// CHECK-NEXT:        scf.if %[[EARLY]] {
// CHECK-NEXT:          %[[NUMBER:.*]] = arith.subi %[[K]], %[[K0]] : i32
// CHECK:               %[[THIS:.*]] = arith.cmpi eq, %[[NUMBER]], %{{.*}} : i32
// CHECK-NEXT:          scf.if %[[THIS]] {
// CHECK-NEXT:            %[[V0:.*]] = "nv_tileas.tile_part"(%[[V]]) {axis = 0 : i64, origin = array<i64: 0, 0>}
// CHECK:                 "nv_tileas.tiled_store"(%{{.*}}, %[[V0]],
// CHECK-NEXT:          } else {
// CHECK-NEXT:            %[[V1:.*]] = "nv_tileas.tile_part"(%[[V]]) {axis = 0 : i64, origin = array<i64: 0, 64>}
// CHECK:                 "nv_tileas.tiled_store"(%{{.*}}, %[[V1]],
// CHECK:             scf.yield %{{.*}} : tensor<
// CHECK:           %[[TILE:.*]] = arith.truncf %[[SUM]]
// CHECK-NEXT:      %[[NEXT:.*]] = arith.addi %[[U]], %[[STEP]] : i32
// CHECK-NEXT:      %[[YES:.*]] = arith.constant true
// CHECK-NEXT:      scf.yield %[[NEXT]], %[[YES]], %[[TILE]], %[[U]] :
module @a_tile_waits_for_the_next_one {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x128xbf16>, %out: !nv_tileaa.ptr<bf16>, %pitch: i64, %rows: i32, %columns: i32, %n: i32, %first: i32, %end: i32, %step: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %token = "nv_tileas.create_mem_token"() : () -> !nv_tileaa.mem_token
    %view = "nv_tileas.make_memref"(%out, %rows, %columns, %pitch) {base_div_by = 16 : i64, size_div_by = array<i64: 1, 1>, stride_div_by = array<i64: 16, 2>} : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !m
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zeros = arith.constant dense<0.0> : tensor<64x128xf32>
      scf.for %tile = %first to %end step %step : i32 {
        %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<64x128xf32>) : i32 {
          %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", atom = #cute.mma_atom<"sm90_wgmma_m64n128k16_f32_bf16_bf16", array<i64: 64, 128, 16>>, b_major = "n"} : (tensor<64x64xbf16>, tensor<64x128xbf16>, tensor<64x128xf32>) -> tensor<64x128xf32>
          scf.yield %d : tensor<64x128xf32>
        }
        %t = arith.truncf %sum : tensor<64x128xf32> to tensor<64x128xbf16>
        %done = "nv_tileas.tiled_store"(%view, %t, %tile, %c0, %token) {atom = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>, in_bounds = array<i1: false, false>, legal_atoms = [#cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>], mem_semantic = "weak", never_before = array<i1: true, true>, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>, stage = 1 : i64} : (!m, tensor<64x128xbf16>, i32, i32, !nv_tileaa.mem_token) -> !nv_tileaa.mem_token
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x64xbf16>, tensor<64x128xbf16>, !nv_tileaa.ptr<bf16>, i64, i32, i32, i32, i32, i32, i32) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64, epilogue_slots = 2 : i64}} : () -> ()
}

// -----

!m = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>

// Operations of stage 0 stay after the products of their own tile.
// CHECK-LABEL: module @a_computed_tile_waits
// CHECK:         } do {
// CHECK:           %[[SUM:.*]] = scf.for
// CHECK-NOT:         arith.addf
// CHECK:             scf.yield %{{.*}} : tensor<
// CHECK:           arith.addf %[[SUM]]
// CHECK:           math.exp
// CHECK:           %[[TILE:.*]] = arith.truncf
// CHECK-NOT:       nv_tileas.tiled_store
// CHECK:           scf.yield %{{.*}}, %{{.*}}, %[[TILE]], %{{.*}} :
module @a_computed_tile_waits {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x128xbf16>, %bias: tensor<1x128xf32>, %out: !nv_tileaa.ptr<bf16>, %pitch: i64, %rows: i32, %columns: i32, %n: i32, %first: i32, %end: i32, %step: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %token = "nv_tileas.create_mem_token"() : () -> !nv_tileaa.mem_token
    %view = "nv_tileas.make_memref"(%out, %rows, %columns, %pitch) {base_div_by = 16 : i64, size_div_by = array<i64: 1, 1>, stride_div_by = array<i64: 16, 2>} : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !m
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zeros = arith.constant dense<0.0> : tensor<64x128xf32>
      scf.for %tile = %first to %end step %step : i32 {
        %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<64x128xf32>) : i32 {
          %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", atom = #cute.mma_atom<"sm90_wgmma_m64n128k16_f32_bf16_bf16", array<i64: 64, 128, 16>>, b_major = "n"} : (tensor<64x64xbf16>, tensor<64x128xbf16>, tensor<64x128xf32>) -> tensor<64x128xf32>
          scf.yield %d : tensor<64x128xf32>
        }
        %all = "nv_tileas.broadcast"(%bias) : (tensor<1x128xf32>) -> tensor<64x128xf32>
        %x = arith.addf %sum, %all : tensor<64x128xf32>
        %y = math.exp %x : tensor<64x128xf32>
        %t = arith.truncf %y : tensor<64x128xf32> to tensor<64x128xbf16>
        %done = "nv_tileas.tiled_store"(%view, %t, %tile, %c0, %token) {atom = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>, mem_semantic = "weak", shared_layout = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>, stage = 1 : i64} : (!m, tensor<64x128xbf16>, i32, i32, !nv_tileaa.mem_token) -> !nv_tileaa.mem_token
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x64xbf16>, tensor<64x128xbf16>, tensor<1x128xf32>, !nv_tileaa.ptr<bf16>, i64, i32, i32, i32, i32, i32, i32) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64, epilogue_slots = 2 : i64}} : () -> ()
}

// -----

!m = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token

// The slices of a tile wait together, and use the same staging slots alternately.
// CHECK-LABEL: module @slices_wait_together
// CHECK:         scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %[[P:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}}) :
// CHECK:           scf.if
// CHECK:             %[[P0:.*]] = "nv_tileas.tile_part"(%[[P]])
// CHECK:             "nv_tileas.tiled_store"(%[[VIEW:.*]], %[[P0]], {{.*}}staging_group = 0 : i64, staging_pending = 1 : i64, staging_slot = 0 : i64, staging_slots = 2 : i64
// CHECK:             %[[Q0:.*]] = "nv_tileas.tile_part"(%[[Q]])
// CHECK:             "nv_tileas.tiled_store"(%[[VIEW]], %[[Q0]], {{.*}}staging_group = 0 : i64, staging_pending = 1 : i64, staging_slot = 1 : i64, staging_slots = 2 : i64
// CHECK-NOT:         nv_tileas.tiled_store
// CHECK:         } do {
// CHECK:             "nv_tileas.dot"
// CHECK-NEXT:        scf.if
// CHECK-COUNT-2:       "nv_tileas.tiled_store"
// CHECK:             scf.yield %{{.*}} : tensor<
// CHECK-NOT:       nv_tileas.tiled_store
// CHECK:           %[[FIRST:.*]] = arith.truncf
// CHECK:           %[[SECOND:.*]] = arith.truncf
// CHECK:           scf.yield %{{.*}}, %{{.*}}, %[[FIRST]], %{{.*}}, %[[SECOND]] :
module @slices_wait_together {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x128xbf16>, %r: tensor<64x64xf32>, %out: !nv_tileaa.ptr<bf16>, %pitch: i64, %rows: i32, %columns: i32, %n: i32, %first: i32, %end: i32, %step: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %token = "nv_tileas.create_mem_token"() : () -> !token
    %view = "nv_tileas.make_memref"(%out, %rows, %columns, %pitch) {base_div_by = 16 : i64, size_div_by = array<i64: 1, 1>, stride_div_by = array<i64: 16, 2>} : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !m
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zeros = arith.constant dense<0.0> : tensor<64x128xf32>
      scf.for %tile = %first to %end step %step : i32 {
        %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<64x128xf32>) : i32 {
          %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", atom = #cute.mma_atom<"sm90_wgmma_m64n128k16_f32_bf16_bf16", array<i64: 64, 128, 16>>, b_major = "n"} : (tensor<64x64xbf16>, tensor<64x128xbf16>, tensor<64x128xf32>) -> tensor<64x128xf32>
          scf.yield %d : tensor<64x128xf32>
        }
        %s0 = "nv_tileas.tile_slice"(%sum) {origin = array<i64: 0, 0>} : (tensor<64x128xf32>) -> tensor<64x64xf32>
        %x0 = arith.addf %s0, %r : tensor<64x64xf32>
        %t0 = arith.truncf %x0 : tensor<64x64xf32> to tensor<64x64xbf16>
        %u0 = "nv_tileas.tiled_store"(%view, %t0, %tile, %c0, %token) {atom = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>, mem_semantic = "weak", shared_layout = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>, slice = 0 : i64, slice_group = 0 : i64, stage = 1 : i64} : (!m, tensor<64x64xbf16>, i32, i32, !token) -> !token
        %s1 = "nv_tileas.tile_slice"(%sum) {origin = array<i64: 0, 64>} : (tensor<64x128xf32>) -> tensor<64x64xf32>
        %x1 = arith.addf %s1, %r : tensor<64x64xf32>
        %t1 = arith.truncf %x1 : tensor<64x64xf32> to tensor<64x64xbf16>
        %u1 = "nv_tileas.tiled_store"(%view, %t1, %tile, %c64, %token) {atom = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>, mem_semantic = "weak", shared_layout = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>, slice = 1 : i64, slice_group = 0 : i64, stage = 1 : i64} : (!m, tensor<64x64xbf16>, i32, i32, !token) -> !token
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x64xbf16>, tensor<64x128xbf16>, tensor<64x64xf32>, !nv_tileaa.ptr<bf16>, i64, i32, i32, i32, i32, i32, i32) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64, epilogue_slots = 2 : i64}} : () -> ()
}

// -----

!m = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
!s = !nv_tileas.smem<tensor<64x32xbf16, #nv_tileas.shared_layout<array<i64: 64, 32>, 64 : i64>>>
!p = !nv_tileas.ring_position

// What stage 1 computes is computed in steps of 16 columns, each during a product of the next tile: the
// first step of a slice waits for the slot that the slice reads, the last step stores the slice and
// releases the slot. When a tile is stored alone, slices are computed at once.
// CHECK-LABEL: module @a_rounded_tile_waits
// CHECK:         %[[START:.*]] = "nv_tileas.ring_start"
// CHECK:         %[[NONE:.*]] = arith.constant false
// CHECK:         scf.while (%{{.*}} = %{{.*}}, %[[WAITS:.*]] = %[[NONE]], %[[AT:.*]] = %[[START]], %[[P:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %[[Q:.*]] = %{{.*}}) :
// CHECK:           %[[LAST:.*]] = arith.ori
// CHECK-NEXT:      %[[ALONE:.*]] = arith.andi %[[LAST]], %[[WAITS]] : i1
// CHECK-NEXT:      %[[AFTER:.*]] = scf.if %[[ALONE]] -> (!nv_tileas.ring_position) {
// CHECK-NEXT:        %[[X:.*]] = "nv_tileas.opaque"(%[[P]])
// CHECK-NEXT:        "nv_tileas.ring_wait"(%{{.*}}, %[[AT]])
// CHECK:             "nv_tileas.load_shared"(%{{.*}}) : {{.*}} -> tensor<64x32xbf16>
// CHECK-NEXT:        arith.mulf %[[X]], %[[X]] : tensor<64x32xbf16>
// CHECK:             "nv_tileas.tiled_store"
// CHECK-NEXT:        "nv_tileas.ring_release"(%{{.*}}, %[[AT]])
// CHECK-NEXT:        %[[AT1:.*]] = "nv_tileas.ring_advance"(%{{.*}}, %[[AT]])
// CHECK:             "nv_tileas.ring_wait"(%{{.*}}, %[[AT1]])
// CHECK:             %[[AT2:.*]] = "nv_tileas.ring_advance"(%{{.*}}, %[[AT1]])
// CHECK-NEXT:        scf.yield %[[AT2]]
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %[[AT]]
// CHECK:           scf.condition(%{{.*}}) %{{.*}}, %[[WAITS]], %[[AFTER]], %[[P]], %{{.*}}, %[[Q]] :
// CHECK:         } do {
// CHECK-NEXT:    ^bb0(%{{.*}}: i32, %[[SOME:.*]]: i1, %[[HERE:.*]]: !nv_tileas.ring_position, %[[V:.*]]: tensor<64x32xbf16>, %{{.*}}: i32, %[[W:.*]]: tensor<64x32xbf16>):
// CHECK:           %[[SUM:.*]]:2 = scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}, %[[NOW:.*]] = %[[HERE]])
// CHECK:             %[[EARLY:.*]] = arith.cmpi slt
// CHECK-NEXT:        "nv_tileas.dot"
// CHECK-NEXT:        %[[THEN:.*]] = scf.if %[[EARLY]] -> (!nv_tileas.ring_position) {
// CHECK:               "nv_tileas.tile_slice"(%[[V]]) {origin = array<i64: 0, 0>} : {{.*}} -> tensor<64x16xbf16>
// CHECK:               "nv_tileas.ring_wait"(%{{.*}}, %[[NOW]])
// CHECK:               "nv_tileas.load_shared"(%{{.*}}) {origin = array<i64: 0, 0>} : {{.*}} -> tensor<64x16xbf16>
// CHECK:               "nv_tileas.tiled_store"{{.*}}staging_origin = array<i64: 0, 0>, staging_pending = 1 : i64, staging_shape = array<i64: 64, 32>, staging_slot = 0
// CHECK-NEXT:          scf.yield %[[NOW]]
// CHECK:               "nv_tileas.tile_slice"(%[[V]]) {origin = array<i64: 0, 16>}
// CHECK-NOT:           nv_tileas.ring_wait
// CHECK:               "nv_tileas.load_shared"(%{{.*}}) {origin = array<i64: 0, 16>}
// CHECK:               "nv_tileas.tiled_store"{{.*}}staging_origin = array<i64: 0, 16>
// CHECK-NEXT:          "nv_tileas.ring_release"(%{{.*}}, %[[NOW]])
// CHECK-NEXT:          %[[NEXT:.*]] = "nv_tileas.ring_advance"(%{{.*}}, %[[NOW]])
// CHECK-NEXT:          scf.yield %[[NEXT]]
// CHECK:               "nv_tileas.tile_slice"(%[[W]]) {origin = array<i64: 0, 0>}
// CHECK:               "nv_tileas.tile_slice"(%[[W]]) {origin = array<i64: 0, 16>}
// CHECK:             scf.yield %{{.*}}, %[[THEN]]
// CHECK-NOT:       nv_tileas.ring_wait
// CHECK:           %[[T0:.*]] = arith.truncf
// CHECK:           %[[T1:.*]] = arith.truncf
// CHECK-NOT:       arith.mulf
// CHECK:           scf.yield %{{.*}}, %{{.*}}, %[[SUM]]#1, %[[T0]], %{{.*}}, %[[T1]] :
module @a_rounded_tile_waits {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %out: !nv_tileaa.ptr<bf16>, %pitch: i64, %rows: i32, %columns: i32, %n: i32, %first: i32, %end: i32, %step: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %token = "nv_tileas.create_mem_token"() : () -> !token
    %view = "nv_tileas.make_memref"(%out, %rows, %columns, %pitch) {base_div_by = 16 : i64, size_div_by = array<i64: 1, 1>, stride_div_by = array<i64: 16, 2>} : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !m
    %slots = "nv_tileas.alloc_shared"() {slots = 2 : i64} : () -> !s
    %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 2 : i64} : () -> !nv_tileas.mbarrier
    %empty = "nv_tileas.alloc_mbarrier"() {count = 4 : i64, slots = 2 : i64} : () -> !nv_tileas.mbarrier
    %ring = "nv_tileas.create_ring"(%full, %empty) {stages = 2 : i64} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
      %start = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !p
      %done = scf.for %tile = %first to %end step %step iter_args(%p0 = %start) -> (!p) : i32 {
        %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
          %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", atom = #cute.mma_atom<"sm90_wgmma_m64n64k16_f32_bf16_bf16", array<i64: 64, 64, 16>>, b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
          scf.yield %d : tensor<64x64xf32>
        }
        "nv_tileas.ring_wait"(%ring, %p0) {stage = 1 : i64} : (!nv_tileas.ring, !p) -> ()
        %v0 = "nv_tileas.slot_view"(%slots, %p0) {stage = 1 : i64} : (!s, !p) -> !s
        %r0 = "nv_tileas.load_shared"(%v0) {stage = 1 : i64} : (!s) -> tensor<64x32xbf16>
        "nv_tileas.ring_release"(%ring, %p0) {stage = 1 : i64} : (!nv_tileas.ring, !p) -> ()
        %p1 = "nv_tileas.ring_advance"(%ring, %p0) {count = 1 : i64, stage = 1 : i64} : (!nv_tileas.ring, !p) -> !p
        %s0 = "nv_tileas.tile_slice"(%sum) {origin = array<i64: 0, 0>} : (tensor<64x64xf32>) -> tensor<64x32xf32>
        %t0 = arith.truncf %s0 : tensor<64x32xf32> to tensor<64x32xbf16>
        %x0 = arith.mulf %t0, %t0 {stage = 1 : i64} : tensor<64x32xbf16>
        %y0 = arith.addf %x0, %r0 {stage = 1 : i64} : tensor<64x32xbf16>
        %u0 = "nv_tileas.tiled_store"(%view, %y0, %tile, %c0, %token) {atom = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>, mem_semantic = "weak", shared_layout = #nv_tileas.shared_layout<array<i64: 64, 32>, 64 : i64>, slice = 0 : i64, slice_group = 0 : i64, stage = 1 : i64} : (!m, tensor<64x32xbf16>, i32, i32, !token) -> !token
        "nv_tileas.ring_wait"(%ring, %p1) {stage = 1 : i64} : (!nv_tileas.ring, !p) -> ()
        %v1 = "nv_tileas.slot_view"(%slots, %p1) {stage = 1 : i64} : (!s, !p) -> !s
        %r1 = "nv_tileas.load_shared"(%v1) {stage = 1 : i64} : (!s) -> tensor<64x32xbf16>
        "nv_tileas.ring_release"(%ring, %p1) {stage = 1 : i64} : (!nv_tileas.ring, !p) -> ()
        %p2 = "nv_tileas.ring_advance"(%ring, %p1) {count = 1 : i64, stage = 1 : i64} : (!nv_tileas.ring, !p) -> !p
        %s1 = "nv_tileas.tile_slice"(%sum) {origin = array<i64: 0, 32>} : (tensor<64x64xf32>) -> tensor<64x32xf32>
        %t1 = arith.truncf %s1 : tensor<64x32xf32> to tensor<64x32xbf16>
        %x1 = arith.mulf %t1, %t1 {stage = 1 : i64} : tensor<64x32xbf16>
        %y1 = arith.addf %x1, %r1 {stage = 1 : i64} : tensor<64x32xbf16>
        %u1 = "nv_tileas.tiled_store"(%view, %y1, %tile, %c32, %token) {atom = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>, mem_semantic = "weak", shared_layout = #nv_tileas.shared_layout<array<i64: 64, 32>, 64 : i64>, slice = 1 : i64, slice_group = 0 : i64, stage = 1 : i64} : (!m, tensor<64x32xbf16>, i32, i32, !token) -> !token
        scf.yield %p2 : !p
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x64xbf16>, tensor<64x64xbf16>, !nv_tileaa.ptr<bf16>, i64, i32, i32, i32, i32, i32, i32) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64, epilogue_slots = 2 : i64}} : () -> ()
}
