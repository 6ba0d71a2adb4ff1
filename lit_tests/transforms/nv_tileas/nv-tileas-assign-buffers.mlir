// RUN: tilec opt %s --passes nv-tileas-assign-buffers --split-input-file | FileCheck %s

// The pass places buffers and mbarriers in shared memory, and numbers the named barriers.

!swizzled = !nv_tileas.smem<tensor<8x64xbf16, #nv_tileas.shared_layout<array<i64: 8, 64>, 128 : i64>>>
!vector = !nv_tileas.smem<tensor<12xf32, #nv_tileas.shared_layout<array<i64: 12>, 0 : i64>>>

// Buffers start on their alignment (a swizzled slot on its 1024-byte pattern), slots included, and
// mbarriers follow. The metadata has the sizes that the launcher needs.
// CHECK-LABEL: module @buffers_start_on_their_alignment
// CHECK:         "nv_tileas.alloc_shared"() {offset = 0 : i64, slots = 3 : i64} : () -> !nv_tileas.smem<tensor<12xf32,
// CHECK-NEXT:    "nv_tileas.alloc_shared"() {offset = 1024 : i64, slots = 2 : i64} : () -> !nv_tileas.smem<tensor<8x64xbf16,
// CHECK-NEXT:    "nv_tileas.alloc_mbarrier"() {count = 1 : i64, offset = 3072 : i64, slots = 2 : i64}
// CHECK-NEXT:    "nv_tileas.alloc_mbarrier"() {count = 4 : i64, offset = 3088 : i64, slots = 2 : i64}
// CHECK:       tilec.kernel = {block_threads = 256 : i64, cluster = [1, 1, 1], cluster_tiles = [1, 1], dependent_launch = true, shared_bytes = 3104 : i64}
module @buffers_start_on_their_alignment {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    %v = "nv_tileas.alloc_shared"() {slots = 3 : i64} : () -> !vector
    %s = "nv_tileas.alloc_shared"() {slots = 2 : i64} : () -> !swizzled
    %f = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 2 : i64} : () -> !nv_tileas.mbarrier
    %e = "nv_tileas.alloc_mbarrier"() {count = 4 : i64, slots = 2 : i64} : () -> !nv_tileas.mbarrier
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 4 : i64, cluster = [1, 1, 1]}} : () -> ()
}

// -----

!buffer = !nv_tileas.smem<tensor<8x64xbf16, #nv_tileas.shared_layout<array<i64: 8, 64>, 128 : i64>>>

// Operations that move a tile through shared memory share one scratch area, as large as the largest
// of them needs (here 32x32 f32), between buffers and barriers.
// CHECK-LABEL: module @scratch_is_shared
// CHECK:         "nv_tileas.alloc_shared"() {offset = 0 : i64,
// CHECK:         "nv_tileas.alloc_mbarrier"() {count = 1 : i64, offset = 5120 : i64,
// CHECK:         "nv_tileas.convert_layout"(%{{.*}}) {id = 0 : i64, offset = 1024 : i64}
// CHECK:         "nv_tileas.cat"(%{{.*}}) {dim = 0 : i64, id = 0 : i64, offset = 1024 : i64}
// CHECK:         "nv_tileas.extract"(%{{.*}}) {id = 0 : i64, offset = 1024 : i64}
// CHECK:       shared_bytes = 5128 : i64
module @scratch_is_shared {
  "nv_tileaa.func"() ({
  ^bb0(%x: tensor<32x32xf32>, %y: tensor<16x32xf32>, %i: i32):
    %b = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !buffer
    %f = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 1 : i64} : () -> !nv_tileas.mbarrier
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %0 = "nv_tileas.convert_layout"(%y) : (tensor<16x32xf32>) -> tensor<16x32xf32>
      %1 = "nv_tileas.cat"(%y, %y) {dim = 0 : i64} : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<32x32xf32>
      %2 = "nv_tileas.extract"(%y, %i, %i) : (tensor<16x32xf32>, i32, i32) -> tensor<8x8xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<32x32xf32>, tensor<16x32xf32>, i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 0 : i64, consumer_warps = 4 : i64, cluster = [1, 1, 1]}} : () -> ()
}

// -----

// Teams do not synchronise, so each has its own scratch area; they are 1024 bytes apart here.
// CHECK-LABEL: module @teams_have_scratch_areas
// CHECK:         "nv_tileas.alloc_mbarrier"() {count = 1 : i64, offset = 2048 : i64,
// CHECK:         "nv_tileas.convert_layout"(%{{.*}}) {id = 1 : i64, offset = 0 : i64, team_bytes = 1024 : i64}
// CHECK:       shared_bytes = 2056 : i64
module @teams_have_scratch_areas {
  "nv_tileaa.func"() ({
  ^bb0(%x: tensor<15x16xf32>):
    %f = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 1 : i64} : () -> !nv_tileas.mbarrier
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %0 = "nv_tileas.convert_layout"(%x) : (tensor<15x16xf32>) -> tensor<15x16xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, teams = 2 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<15x16xf32>) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 4 : i64, cluster = [1, 1, 1], teams = 2 : i64}} : () -> ()
}

// -----

// Consumers with a producer synchronise on a barrier of their own; alone they use that of the CTA.
// CHECK-LABEL: module @roles_have_barriers_of_their_own
// CHECK:         "nv_tileas.barrier"() {id = 1 : i64}
// CHECK:         "nv_tileas.order_memory"() {id = 1 : i64}
// CHECK:         "nv_tileas.convert_layout"(%{{.*}}) {id = 1 : i64,
module @roles_have_barriers_of_their_own {
  "nv_tileaa.func"() ({
  ^bb0(%x: tensor<32x32xf32>):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      "nv_tileas.barrier"() : () -> ()
      "nv_tileas.order_memory"() : () -> ()
      %0 = "nv_tileas.convert_layout"(%x) : (tensor<32x32xf32>) -> tensor<32x32xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<32x32xf32>) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 4 : i64, cluster = [1, 1, 1]}} : () -> ()
}

// -----

// Consumers without a producer synchronise on the barrier of the CTA.
// CHECK-LABEL: module @a_single_role_uses_the_barrier_of_the_cta
// CHECK:         "nv_tileas.barrier"() {id = 0 : i64}
module @a_single_role_uses_the_barrier_of_the_cta {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      "nv_tileas.barrier"() : () -> ()
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 0 : i64, consumer_warps = 4 : i64, cluster = [1, 1, 1]}} : () -> ()
}

// -----

!part = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>

// The warpgroups of a role synchronise at barriers from id 2 on: warpgroup w adds w. A staging buffer holds the
// slots of all warpgroups, 4 of 8192 bytes here.
// CHECK-LABEL: module @warpgroups_have_barriers_of_their_own
// CHECK:         "nv_tileas.alloc_shared"() {offset = 0 : i64, slots = 4 : i64}
// CHECK:         "nv_tileas.barrier"() {id = 2 : i64, per_warpgroup}
// CHECK:         "nv_tileas.barrier"() {id = 1 : i64} : () -> ()
// CHECK:       shared_bytes = 32768 : i64
module @warpgroups_have_barriers_of_their_own {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    %s = "nv_tileas.alloc_shared"() {slots = 4 : i64} : () -> !part
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      "nv_tileas.barrier"() {per_warpgroup} : () -> ()
      "nv_tileas.barrier"() : () -> ()
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 8 : i64, cluster = [1, 1, 1]}} : () -> ()
}

// -----

// The same holds for the warpgroups of a single role.
// CHECK-LABEL: module @warpgroups_of_a_single_role_have_them_too
// CHECK:         "nv_tileas.barrier"() {id = 2 : i64, per_warpgroup}
// CHECK:         "nv_tileas.barrier"() {id = 0 : i64} : () -> ()
module @warpgroups_of_a_single_role_have_them_too {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      "nv_tileas.barrier"() {per_warpgroup} : () -> ()
      "nv_tileas.barrier"() : () -> ()
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 0 : i64, consumer_warps = 8 : i64, cluster = [1, 1, 1]}} : () -> ()
}

// -----

// A cluster lies in a row in the flattened grid; the launcher rounds the grid up to its tiles.
// CHECK-LABEL: module @clusters_lie_in_a_row
// CHECK:       cluster = [8, 1, 1], cluster_tiles = [2, 4]
module @clusters_lie_in_a_row {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 0 : i64, consumer_warps = 4 : i64, cluster = [2, 4, 1]}} : () -> ()
}

// -----

// The plan may have the kernel start only when the kernel before it has ended.
// CHECK-LABEL: module @a_late_start_is_recorded
// CHECK:       dependent_launch = false
module @a_late_start_is_recorded {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 0 : i64, consumer_warps = 4 : i64, cluster = [1, 1, 1], dependent_launch = false}} : () -> ()
}
