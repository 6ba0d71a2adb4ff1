// RUN: tilec opt %s --passes nv-tileas-schedule-mma --split-input-file | FileCheck %s

// The pass turns every product into an asynchronous group of wgmma and its wait.

!a = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!b = !nv_tileas.smem<tensor<64x32xbf16, #nv_tileas.shared_layout<array<i64: 64, 32>, 64 : i64>>>

// Operands that lie in slots are used in place; nothing reads them into registers any more, and
// the wait retires the group at once.
// CHECK-LABEL: module @slots_are_operands_in_place
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%[[A:.*]]: !nv_tileas.smem<{{.*}}>, %[[B:.*]]: !nv_tileas.smem<{{.*}}>, %[[ACC:.*]]: tensor<64x32xf32>):
// CHECK-NOT:     nv_tileas.alloc_shared
// CHECK-NOT:     nv_tileas.load_shared
// CHECK:         %[[G:.*]]:2 = "nv_tileas.async_mma"(%[[A]], %[[B]], %[[ACC]]) {a_major = "k", b_major = "n"}
// CHECK-NEXT:    %[[D:.*]] = "nv_tileas.mma_wait"(%[[G]]#0, %[[G]]#1) {pending = 0 : i64}
// CHECK-NEXT:    arith.negf %[[D]]
module @slots_are_operands_in_place {
  "nv_tileaa.func"() ({
  ^bb0(%a: !a, %b: !b, %acc: tensor<64x32xf32>):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %x = "nv_tileas.load_shared"(%a) : (!a) -> tensor<64x64xbf16>
      %y = "nv_tileas.load_shared"(%b) : (!b) -> tensor<64x32xbf16>
      %d = "nv_tileas.dot"(%x, %y, %acc) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x32xbf16>, tensor<64x32xf32>) -> tensor<64x32xf32>
      %n = arith.negf %d : tensor<64x32xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, !b, tensor<64x32xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>

// An operand that is also read as a tile keeps its load.
// CHECK-LABEL: module @loads_with_other_uses_stay
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%[[A:.*]]: !nv_tileas.smem<{{.*}}>, %{{.*}}: tensor<64x64xf32>):
// CHECK:         %[[X:.*]] = "nv_tileas.load_shared"(%[[A]])
// CHECK-NEXT:    "nv_tileas.async_mma"(%[[A]], %[[A]],
// CHECK:         arith.negf %[[X]]
module @loads_with_other_uses_stay {
  "nv_tileaa.func"() ({
  ^bb0(%a: !a, %acc: tensor<64x64xf32>):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %x = "nv_tileas.load_shared"(%a) : (!a) -> tensor<64x64xbf16>
      %d = "nv_tileas.dot"(%x, %x, %acc) {a_major = "k", b_major = "k"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %n = arith.negf %x : tensor<64x64xbf16>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, tensor<64x64xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>

// A tile may be both operands of a product.
// CHECK-LABEL: module @a_tile_may_be_both_operands
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%[[A:.*]]: !nv_tileas.smem<{{.*}}>, %{{.*}}: tensor<64x64xf32>):
// CHECK-NOT:     nv_tileas.load_shared
// CHECK:         "nv_tileas.async_mma"(%[[A]], %[[A]],
module @a_tile_may_be_both_operands {
  "nv_tileaa.func"() ({
  ^bb0(%a: !a, %acc: tensor<64x64xf32>):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %x = "nv_tileas.load_shared"(%a) : (!a) -> tensor<64x64xbf16>
      %d = "nv_tileas.dot"(%x, %x, %acc) {a_major = "k", b_major = "k"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, tensor<64x64xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>

// A computed B is staged: stored, shown to the async proxy and guarded by a barrier. Another product,
// also one in a loop, reads it where it lies.
// CHECK-LABEL: module @computed_b_is_staged
// CHECK:         %[[STAGING:.*]] = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !nv_tileas.smem<tensor<64x32xbf16, #nv_tileas.shared_layout<array<i64: 64, 32>, 64 : i64>>>
// CHECK-NOT:     nv_tileas.alloc_shared
// CHECK:         "nv_tileas.roles"
// CHECK:           %[[Y:.*]] = math.exp
// CHECK-NEXT:      "nv_tileas.store_shared"(%[[Y]], %[[STAGING]])
// CHECK-NEXT:      "nv_tileas.fence_proxy"() {space = "shared"}
// CHECK-NEXT:      "nv_tileas.barrier"
// CHECK-NEXT:      "nv_tileas.async_mma"(%{{.*}}, %[[STAGING]], %{{.*}}
// CHECK-NEXT:      %[[D:.*]] = "nv_tileas.mma_wait"
// CHECK-NOT:       nv_tileas.barrier
// CHECK:           scf.for
// CHECK-NEXT:        "nv_tileas.async_mma"(%{{.*}}, %[[STAGING]], %{{.*}}
// CHECK-NEXT:        "nv_tileas.mma_wait"
// CHECK-NOT:         nv_tileas.barrier
module @computed_b_is_staged {
  "nv_tileaa.func"() ({
  ^bb0(%a: !a, %b: tensor<64x32xbf16>, %acc: tensor<64x32xf32>, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %x = "nv_tileas.load_shared"(%a) : (!a) -> tensor<64x64xbf16>
      %y = math.exp %b : tensor<64x32xbf16>
      %d = "nv_tileas.dot"(%x, %y, %acc) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x32xbf16>, tensor<64x32xf32>) -> tensor<64x32xf32>
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%in = %d) -> (tensor<64x32xf32>) : i32 {
        %e = "nv_tileas.dot"(%x, %y, %in) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x32xbf16>, tensor<64x32xf32>) -> tensor<64x32xf32>
        scf.yield %e : tensor<64x32xf32>
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, tensor<64x32xbf16>, tensor<64x32xf32>, i32) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>

// An operand is staged before the outermost loop that does not compute it, once for all rounds. What
// a round computes is staged in it, and a barrier after the last product that reads it keeps the
// stores of the next round after that. So does one for the inner loop as a whole.
// CHECK-LABEL: module @rounds_stage_what_they_compute
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           %[[Y:.*]] = math.exp
// CHECK:           "nv_tileas.store_shared"(%[[Y]], %[[OUTER:.*]]) :
// CHECK-NEXT:      "nv_tileas.fence_proxy"
// CHECK-NEXT:      "nv_tileas.barrier"
// CHECK-NEXT:      scf.for
// CHECK:             %[[Z:.*]] = math.absf
// CHECK-NEXT:        "nv_tileas.async_mma"(%{{.*}}, %[[OUTER]], %{{.*}}
// CHECK-NEXT:        "nv_tileas.store_shared"(%[[Z]], %[[INNER:.*]]) :
// CHECK-NEXT:        "nv_tileas.mma_wait"
// CHECK-NEXT:        "nv_tileas.fence_proxy"
// CHECK-NEXT:        "nv_tileas.barrier"
// CHECK-NEXT:        "nv_tileas.async_mma"(%{{.*}}, %[[INNER]], %{{.*}}
// CHECK-NEXT:        "nv_tileas.mma_wait"
// CHECK-NEXT:        "nv_tileas.async_mma"(%{{.*}}, %[[INNER]], %{{.*}}
// CHECK-NEXT:        "nv_tileas.mma_wait"
// CHECK-NEXT:        "nv_tileas.barrier"
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      }
// CHECK-NEXT:      "nv_tileas.barrier"
// CHECK-NEXT:      scf.yield
module @rounds_stage_what_they_compute {
  "nv_tileaa.func"() ({
  ^bb0(%a: !a, %b: tensor<64x32xbf16>, %acc: tensor<64x32xf32>, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %x = "nv_tileas.load_shared"(%a) : (!a) -> tensor<64x64xbf16>
      %s = scf.for %i = %c0 to %n step %c1 iter_args(%out = %acc) -> (tensor<64x32xf32>) : i32 {
        %y = math.exp %b : tensor<64x32xbf16>
        %r = scf.for %k = %c0 to %n step %c1 iter_args(%in = %out) -> (tensor<64x32xf32>) : i32 {
          %z = math.absf %b : tensor<64x32xbf16>
          %d = "nv_tileas.dot"(%x, %y, %in) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x32xbf16>, tensor<64x32xf32>) -> tensor<64x32xf32>
          %e = "nv_tileas.dot"(%x, %z, %d) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x32xbf16>, tensor<64x32xf32>) -> tensor<64x32xf32>
          %f = "nv_tileas.dot"(%x, %z, %e) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x32xbf16>, tensor<64x32xf32>) -> tensor<64x32xf32>
          scf.yield %f : tensor<64x32xf32>
        }
        scf.yield %r : tensor<64x32xf32>
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, tensor<64x32xbf16>, tensor<64x32xf32>, i32) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>

// What is staged before a loop does not share the buffer of an earlier product of that loop.
// CHECK-LABEL: module @rounds_keep_what_is_staged_before_them
// CHECK:         %[[INNER:.*]] = "nv_tileas.alloc_shared"
// CHECK-NEXT:    %[[OUTER:.*]] = "nv_tileas.alloc_shared"
// CHECK:         "nv_tileas.store_shared"(%[[B:.*]], %[[OUTER]]) :
// CHECK:         scf.for
// CHECK:           %[[Z:.*]] = math.absf %[[B]]
// CHECK-NEXT:      "nv_tileas.store_shared"(%[[Z]], %[[INNER]]) :
// CHECK:           "nv_tileas.async_mma"(%{{.*}}, %[[INNER]], %{{.*}}
// CHECK:           "nv_tileas.async_mma"(%{{.*}}, %[[OUTER]], %{{.*}}
module @rounds_keep_what_is_staged_before_them {
  "nv_tileaa.func"() ({
  ^bb0(%a: !a, %b: tensor<64x32xbf16>, %acc: tensor<64x32xf32>, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %x = "nv_tileas.load_shared"(%a) : (!a) -> tensor<64x64xbf16>
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%in = %acc) -> (tensor<64x32xf32>) : i32 {
        %z = math.absf %b : tensor<64x32xbf16>
        %d = "nv_tileas.dot"(%x, %z, %in) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x32xbf16>, tensor<64x32xf32>) -> tensor<64x32xf32>
        %e = "nv_tileas.dot"(%x, %b, %d) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x32xbf16>, tensor<64x32xf32>) -> tensor<64x32xf32>
        scf.yield %e : tensor<64x32xf32>
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, tensor<64x32xbf16>, tensor<64x32xf32>, i32) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!b = !nv_tileas.smem<tensor<64x32xbf16, #nv_tileas.shared_layout<array<i64: 64, 32>, 64 : i64>>>

// A computed A stays in registers. It needs neither a buffer nor a barrier.
// CHECK-LABEL: module @computed_a_stays_in_registers
// CHECK-NOT:     nv_tileas.alloc_shared
// CHECK:         %[[X:.*]] = math.exp
// CHECK-NEXT:    "nv_tileas.async_mma"(%[[X]], %{{.*}}) {a_major = "k", b_major = "n", by_steps}
// CHECK-NEXT:    "nv_tileas.mma_wait"
// CHECK-NOT:     nv_tileas.barrier
module @computed_a_stays_in_registers {
  "nv_tileaa.func"() ({
  ^bb0(%b: !b, %a: tensor<64x64xbf16>, %acc: tensor<64x32xf32>):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %y = "nv_tileas.load_shared"(%b) : (!b) -> tensor<64x32xbf16>
      %x = math.exp %a : tensor<64x64xbf16>
      %d = "nv_tileas.dot"(%x, %y, %acc) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x32xbf16>, tensor<64x32xf32>) -> tensor<64x32xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!b, tensor<64x64xbf16>, tensor<64x32xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!b = !nv_tileas.smem<tensor<64x32xbf16, #nv_tileas.shared_layout<array<i64: 64, 32>, 64 : i64>>>

// A loop computes the A of its next round as a tile of another shape: the product is waited for
// before, because both lie in the same registers.
// CHECK-LABEL: module @the_next_a_has_another_shape
// CHECK:         scf.for
// CHECK:           "nv_tileas.async_mma"(%{{.*}}) {a_major = "k", b_major = "n"}
// CHECK-NEXT:      "nv_tileas.mma_wait"
// CHECK-NEXT:      math.exp
module @the_next_a_has_another_shape {
  "nv_tileaa.func"() ({
  ^bb0(%b: !b, %a: tensor<64x32x2xbf16>, %acc: tensor<64x32xf32>, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %y = "nv_tileas.load_shared"(%b) : (!b) -> tensor<64x32xbf16>
      %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%in = %acc, %next = %a) -> (tensor<64x32xf32>, tensor<64x32x2xbf16>) : i32 {
        %x = "nv_tileas.view"(%next) : (tensor<64x32x2xbf16>) -> tensor<64x64xbf16>
        %d = "nv_tileas.dot"(%x, %y, %in) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x32xbf16>, tensor<64x32xf32>) -> tensor<64x32xf32>
        %e = math.exp %a : tensor<64x32x2xbf16>
        scf.yield %d, %e : tensor<64x32xf32>, tensor<64x32x2xbf16>
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!b, tensor<64x32x2xbf16>, tensor<64x32xf32>, i32) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!b = !nv_tileas.smem<tensor<512x32xbf16, #nv_tileas.shared_layout<array<i64: 512, 32>, 64 : i64>>>

// Rows of 1024 bytes would take too many registers: 128 of A and 256 of what A is made from.
// CHECK-LABEL: module @wide_rows_are_staged
// CHECK:         "nv_tileas.store_shared"
// CHECK:         "nv_tileas.async_mma"
module @wide_rows_are_staged {
  "nv_tileaa.func"() ({
  ^bb0(%b: !b, %a: tensor<64x512xbf16>, %acc: tensor<64x32xf32>):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %y = "nv_tileas.load_shared"(%b) : (!b) -> tensor<512x32xbf16>
      %x = math.exp %a : tensor<64x512xbf16>
      %d = "nv_tileas.dot"(%x, %y, %acc) {a_major = "k", b_major = "n"} : (tensor<64x512xbf16>, tensor<512x32xbf16>, tensor<64x32xf32>) -> tensor<64x32xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!b, tensor<64x512xbf16>, tensor<64x32xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

// A product that wgmma cannot do runs on the CUDA cores from row-major buffers.
// CHECK-LABEL: module @other_products_run_on_cuda_cores
// CHECK:         %[[A:.*]] = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !nv_tileas.smem<tensor<32x16xf32, #nv_tileas.shared_layout<array<i64: 32, 16>, 0 : i64>>>
// CHECK:         %[[B:.*]] = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !nv_tileas.smem<tensor<16x32xf32, #nv_tileas.shared_layout<array<i64: 16, 32>, 0 : i64>>>
// CHECK:         "nv_tileas.store_shared"(%{{.*}}, %[[A]])
// CHECK:         "nv_tileas.store_shared"(%{{.*}}, %[[B]])
// CHECK:         "nv_tileas.barrier"
// CHECK-NEXT:    "nv_tileas.simt_mma"(%[[A]], %[[B]], %{{.*}}) {a_major = "k", b_major = "n"}
// CHECK-NOT:     nv_tileas.mma_wait
module @other_products_run_on_cuda_cores {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<32x16xf32>, %b: tensor<16x32xf32>, %acc: tensor<32x32xf32>):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<32x16xf32>, tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<32x16xf32>, tensor<16x32xf32>, tensor<32x32xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

// An integer product keeps the signedness of its operands.
// CHECK-LABEL: module @integer_products_keep_signedness
// CHECK:         "nv_tileas.simt_mma"{{.*}}signedness_a = "unsigned", signedness_b = "signed"
module @integer_products_keep_signedness {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<32x16xi8>, %b: tensor<16x32xi8>, %acc: tensor<32x32xi32>):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n", signedness_a = "unsigned", signedness_b = "signed"} : (tensor<32x16xi8>, tensor<16x32xi8>, tensor<32x32xi32>) -> tensor<32x32xi32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<32x16xi8>, tensor<16x32xi8>, tensor<32x32xi32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<1x64x64xbf16, #nv_tileas.shared_layout<array<i64: 1, 64, 64>, 128 : i64>>>
!b = !nv_tileas.smem<tensor<64x32xbf16, #nv_tileas.shared_layout<array<i64: 64, 32>, 64 : i64>>>

// An operand that only lacks the batch dim of its slot is used in place too, under another shape.
// CHECK-LABEL: module @batch_dims_are_viewed_away
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%[[A:.*]]: !nv_tileas.smem<{{.*}}>, %[[B:.*]]: !nv_tileas.smem<{{.*}}>, %[[ACC:.*]]: tensor<64x32xf32>):
// CHECK-NOT:     nv_tileas.load_shared
// CHECK-NOT:     nv_tileas.view
// CHECK:         %[[V:.*]] = "nv_tileas.shared_view"(%[[A]]) : {{.*}} -> !nv_tileas.smem<tensor<64x64xbf16
// CHECK:         "nv_tileas.async_mma"(%[[V]], %[[B]], %[[ACC]])
module @batch_dims_are_viewed_away {
  "nv_tileaa.func"() ({
  ^bb0(%a: !a, %b: !b, %acc: tensor<64x32xf32>):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %x = "nv_tileas.load_shared"(%a) : (!a) -> tensor<1x64x64xbf16>
      %m = "nv_tileas.view"(%x) : (tensor<1x64x64xbf16>) -> tensor<64x64xbf16>
      %y = "nv_tileas.load_shared"(%b) : (!b) -> tensor<64x32xbf16>
      %d = "nv_tileas.dot"(%m, %y, %acc) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x32xbf16>, tensor<64x32xf32>) -> tensor<64x32xf32>
      %n = arith.negf %d : tensor<64x32xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, !b, tensor<64x32xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<1x64x1x64xbf16, #nv_tileas.shared_layout<array<i64: 1, 64, 1, 64>, 128 : i64>>>
!b = !nv_tileas.smem<tensor<64x32xbf16, #nv_tileas.shared_layout<array<i64: 64, 32>, 64 : i64>>>

// The same holds for an operand with a dim of extent 1 between its rows and its columns.
// CHECK-LABEL: module @units_between_are_viewed_away
// CHECK-NOT:     nv_tileas.store_shared
// CHECK:         %[[V:.*]] = "nv_tileas.shared_view"(%{{.*}}) : {{.*}} -> !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
// CHECK:         "nv_tileas.async_mma"(%[[V]],
module @units_between_are_viewed_away {
  "nv_tileaa.func"() ({
  ^bb0(%a: !a, %b: !b, %acc: tensor<64x32xf32>):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %x = "nv_tileas.load_shared"(%a) : (!a) -> tensor<1x64x1x64xbf16>
      %h = "nv_tileas.view"(%x) : (tensor<1x64x1x64xbf16>) -> tensor<64x1x64xbf16>
      %m = "nv_tileas.view"(%h) : (tensor<64x1x64xbf16>) -> tensor<64x64xbf16>
      %y = "nv_tileas.load_shared"(%b) : (!b) -> tensor<64x32xbf16>
      %d = "nv_tileas.dot"(%m, %y, %acc) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x32xbf16>, tensor<64x32xf32>) -> tensor<64x32xf32>
      %n = arith.negf %d : tensor<64x32xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, !b, tensor<64x32xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<4x16x64xbf16, #nv_tileas.shared_layout<array<i64: 4, 16, 64>, 128 : i64>>>
!b = !nv_tileas.smem<tensor<64x32xbf16, #nv_tileas.shared_layout<array<i64: 64, 32>, 64 : i64>>>

// And for one whose rows are several dims of the slot.
// CHECK-LABEL: module @rows_of_two_dims_are_joined
// CHECK-NOT:     nv_tileas.load_shared
// CHECK:         %[[V:.*]] = "nv_tileas.shared_view"(%{{.*}}) : {{.*}} -> !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
// CHECK:         "nv_tileas.async_mma"(%[[V]],
module @rows_of_two_dims_are_joined {
  "nv_tileaa.func"() ({
  ^bb0(%a: !a, %b: !b, %acc: tensor<64x32xf32>):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %x = "nv_tileas.load_shared"(%a) : (!a) -> tensor<4x16x64xbf16>
      %m = "nv_tileas.view"(%x) : (tensor<4x16x64xbf16>) -> tensor<64x64xbf16>
      %y = "nv_tileas.load_shared"(%b) : (!b) -> tensor<64x32xbf16>
      %d = "nv_tileas.dot"(%m, %y, %acc) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x32xbf16>, tensor<64x32xf32>) -> tensor<64x32xf32>
      %n = arith.negf %d : tensor<64x32xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, !b, tensor<64x32xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

// A product of fewer rows than wgmma has is one of each warp, from buffers that are swizzled. No operation
// waits for it.
// CHECK-LABEL: module @few_rows_are_products_of_warps
// CHECK:         %[[A:.*]] = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !nv_tileas.smem<tensor<32x16xbf16, #nv_tileas.shared_layout<array<i64: 32, 16>, 32 : i64>>>
// CHECK:         %[[B:.*]] = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !nv_tileas.smem<tensor<16x32xbf16, #nv_tileas.shared_layout<array<i64: 16, 32>, 64 : i64>>>
// CHECK:         "nv_tileas.warp_mma"(%[[A]], %[[B]], %{{.*}}) {a_major = "k", b_major = "n"}
// CHECK-NOT:     nv_tileas.mma_wait
module @few_rows_are_products_of_warps {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<32x16xbf16>, %b: tensor<16x32xbf16>, %acc: tensor<32x32xf32>):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<32x16xbf16>, tensor<16x32xbf16>, tensor<32x32xf32>) -> tensor<32x32xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<32x16xbf16>, tensor<16x32xbf16>, tensor<32x32xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

// So is one of f64, of any rows in eights; its operands need not be staged in order.
// CHECK-LABEL: module @doubles_are_products_of_warps
// CHECK:         "nv_tileas.warp_mma"{{.*}}tensor<64x32xf64>
module @doubles_are_products_of_warps {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<64x8xf64>, %b: tensor<8x32xf64>, %acc: tensor<64x32xf64>):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<64x8xf64>, tensor<8x32xf64>, tensor<64x32xf64>) -> tensor<64x32xf64>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x8xf64>, tensor<8x32xf64>, tensor<64x32xf64>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!s = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>

// A wait stands before the first operation that needs its product. What was issued since stays in
// flight. A slot is released after the wait for the product that reads it. An anchor keeps the
// arithmetic that the second product hides before its wait.
// CHECK-LABEL: module @a_wait_comes_where_it_is_needed
// CHECK:         %[[X:.*]]:2 = "nv_tileas.async_mma"
// CHECK-NOT:     nv_tileas.ring_release
// CHECK:         %[[Y:.*]]:2 = "nv_tileas.async_mma"
// CHECK-NEXT:    %[[D:.*]] = "nv_tileas.mma_wait"(%[[X]]#0, %[[X]]#1) {pending = 1 : i64}
// CHECK-NEXT:    "nv_tileas.ring_release"(%{{.*}}, %[[P:.*]]) :
// CHECK-NEXT:    "nv_tileas.ring_advance"(%{{.*}}, %[[P]])
// CHECK-NEXT:    %[[E:.*]] = math.exp2 %[[D]]
// CHECK-NEXT:    "nv_tileas.anchor"(%[[E]])
// CHECK-NEXT:    %[[F:.*]] = "nv_tileas.mma_wait"(%[[Y]]#0, %[[Y]]#1) {pending = 0 : i64}
// CHECK-NEXT:    arith.addf %[[E]], %[[F]]
module @a_wait_comes_where_it_is_needed {
  "nv_tileaa.func"() ({
  ^bb0(%a: !s, %ring: !nv_tileas.ring, %acc: tensor<64x64xf32>):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %p = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !nv_tileas.ring_position
      "nv_tileas.ring_wait"(%ring, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      %slot = "nv_tileas.slot_view"(%a, %p) : (!s, !nv_tileas.ring_position) -> !s
      %x = "nv_tileas.load_shared"(%slot) : (!s) -> tensor<64x64xbf16>
      %y = "nv_tileas.load_shared"(%a) : (!s) -> tensor<64x64xbf16>
      %d = "nv_tileas.dot"(%y, %x, %acc) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      "nv_tileas.ring_release"(%ring, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      %n = "nv_tileas.ring_advance"(%ring, %p) {count = 1 : i64} : (!nv_tileas.ring, !nv_tileas.ring_position) -> !nv_tileas.ring_position
      %f = "nv_tileas.dot"(%y, %y, %acc) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %e = math.exp2 %d : tensor<64x64xf32>
      %g = arith.addf %e, %f : tensor<64x64xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!s, !nv_tileas.ring, tensor<64x64xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!p = !nv_tileas.ring_position

// One group stays in flight over the end of the loop body. A slot is released one k-tile later, at a
// position of its own. After the loop, if it ran, the last group is drained and its slot released.
// CHECK-LABEL: module @one_group_stays_in_flight
// CHECK:         %[[HELD:.*]] = "nv_tileas.ring_start"(%[[RING:.*]]) :
// CHECK:         %[[START:.*]] = "nv_tileas.ring_start"(%[[RING]]) :
// CHECK:         %[[RAN:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : i32
// CHECK-NEXT:    %[[IF:.*]]:3 = scf.if %[[RAN]]
// CHECK-NEXT:      %[[R:.*]]:3 = scf.for %{{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[P:.*]] = %[[START]], %[[H:.*]] = %[[HELD]])
// CHECK:             %[[G:.*]]:2 = "nv_tileas.async_mma"(%{{.*}}, %{{.*}}, %[[ACC]])
// CHECK-NEXT:        %[[D:.*]] = "nv_tileas.mma_wait"(%[[G]]#0, %[[G]]#1) {pending = 1 : i64}
// CHECK-NEXT:        %[[I:.*]] = "nv_tileas.ring_release_until"(%[[RING]], %[[H]], %[[P]])
// CHECK-NEXT:        %[[N:.*]] = "nv_tileas.ring_advance"(%[[RING]], %[[P]])
// CHECK-NEXT:        scf.yield %[[D]], %[[N]], %[[I]]
// CHECK:           %[[S:.*]] = "nv_tileas.mma_drain"(%[[R]]#0)
// CHECK-NEXT:      %[[J:.*]] = "nv_tileas.ring_release_until"(%[[RING]], %[[R]]#2, %[[R]]#1)
// CHECK-NEXT:      scf.yield %[[S]], %[[R]]#1, %[[J]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %{{.*}}, %[[START]], %[[HELD]]
// CHECK:         arith.negf %[[IF]]#0
module @one_group_stays_in_flight {
  "nv_tileaa.func"() ({
  ^bb0(%acc: tensor<64x64xf32>, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %buffer = "nv_tileas.alloc_shared"() {slots = 4 : i64} : () -> !a
    %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 4 : i64} : () -> !nv_tileas.mbarrier
    %empty = "nv_tileas.alloc_mbarrier"() {count = 4 : i64, slots = 4 : i64} : () -> !nv_tileas.mbarrier
    %ring = "nv_tileas.create_ring"(%full, %empty) {stages = 4 : i64} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %start = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !p
      %r, %q = scf.for %k = %c0 to %n step %c1 iter_args(%in = %acc, %p = %start) -> (tensor<64x64xf32>, !p) : i32 {
        "nv_tileas.ring_wait"(%ring, %p) : (!nv_tileas.ring, !p) -> ()
        %a = "nv_tileas.slot_view"(%buffer, %p) : (!a, !p) -> !a
        %x = "nv_tileas.load_shared"(%a) : (!a) -> tensor<64x64xbf16>
        %d = "nv_tileas.dot"(%x, %x, %in) {a_major = "k", b_major = "k"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
        "nv_tileas.ring_release"(%ring, %p) : (!nv_tileas.ring, !p) -> ()
        %next = "nv_tileas.ring_advance"(%ring, %p) {count = 1 : i64} : (!nv_tileas.ring, !p) -> !p
        scf.yield %d, %next : tensor<64x64xf32>, !p
      }
      %u = arith.negf %r : tensor<64x64xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x64xf32>, i32) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64, mma_pending = 1 : i64}} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!p = !nv_tileas.ring_position

// The loop body reads the accumulator, so its group is retired at once.
// CHECK-LABEL: module @an_accumulator_that_is_read_is_waited_for
// CHECK-NOT:     ring_release_until
// CHECK:         "nv_tileas.mma_wait"(%{{.*}}) {pending = 0 : i64}
module @an_accumulator_that_is_read_is_waited_for {
  "nv_tileaa.func"() ({
  ^bb0(%acc: tensor<64x64xf32>, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %buffer = "nv_tileas.alloc_shared"() {slots = 4 : i64} : () -> !a
    %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 4 : i64} : () -> !nv_tileas.mbarrier
    %empty = "nv_tileas.alloc_mbarrier"() {count = 4 : i64, slots = 4 : i64} : () -> !nv_tileas.mbarrier
    %ring = "nv_tileas.create_ring"(%full, %empty) {stages = 4 : i64} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %start = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !p
      %r, %q = scf.for %k = %c0 to %n step %c1 iter_args(%in = %acc, %p = %start) -> (tensor<64x64xf32>, !p) : i32 {
        "nv_tileas.ring_wait"(%ring, %p) : (!nv_tileas.ring, !p) -> ()
        %a = "nv_tileas.slot_view"(%buffer, %p) : (!a, !p) -> !a
        %x = "nv_tileas.load_shared"(%a) : (!a) -> tensor<64x64xbf16>
        %d = "nv_tileas.dot"(%x, %x, %in) {a_major = "k", b_major = "k"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
        "nv_tileas.ring_release"(%ring, %p) : (!nv_tileas.ring, !p) -> ()
        %next = "nv_tileas.ring_advance"(%ring, %p) {count = 1 : i64} : (!nv_tileas.ring, !p) -> !p
        %e = arith.negf %d : tensor<64x64xf32>
        scf.yield %e, %next : tensor<64x64xf32>, !p
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x64xf32>, i32) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64, mma_pending = 1 : i64}} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!p = !nv_tileas.ring_position

// Only the last group of a round stays in flight. The slot of the first one is released in its round.
// CHECK-LABEL: module @the_last_group_of_a_round_stays_in_flight
// CHECK:         scf.for
// CHECK:           %[[G:.*]]:2 = "nv_tileas.async_mma"
// CHECK:           %[[H:.*]]:2 = "nv_tileas.async_mma"
// CHECK-NEXT:      "nv_tileas.mma_wait"(%[[G]]#0, %[[G]]#1) {pending = 1 : i64}
// CHECK-NEXT:      "nv_tileas.ring_release"(%[[FIRST:.*]], %{{.*}})
// CHECK:           "nv_tileas.mma_wait"(%[[H]]#0, %[[H]]#1) {pending = 1 : i64}
// CHECK-NEXT:      "nv_tileas.ring_release_until"(%[[LAST:.*]], %{{.*}})
// CHECK-NOT:       ring_release"
// CHECK:           scf.yield
module @the_last_group_of_a_round_stays_in_flight {
  "nv_tileaa.func"() ({
  ^bb0(%acc: tensor<64x64xf32>, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %buffer = "nv_tileas.alloc_shared"() {slots = 4 : i64} : () -> !a
    %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 4 : i64} : () -> !nv_tileas.mbarrier
    %empty = "nv_tileas.alloc_mbarrier"() {count = 4 : i64, slots = 4 : i64} : () -> !nv_tileas.mbarrier
    %first = "nv_tileas.create_ring"(%full, %empty) {stages = 4 : i64} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring
    %last = "nv_tileas.create_ring"(%full, %empty) {stages = 4 : i64} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %start1 = "nv_tileas.ring_start"(%first) : (!nv_tileas.ring) -> !p
      %start2 = "nv_tileas.ring_start"(%last) : (!nv_tileas.ring) -> !p
      %r:4 = scf.for %k = %c0 to %n step %c1 iter_args(%in1 = %acc, %in2 = %acc, %p1 = %start1, %p2 = %start2) -> (tensor<64x64xf32>, tensor<64x64xf32>, !p, !p) : i32 {
        "nv_tileas.ring_wait"(%first, %p1) : (!nv_tileas.ring, !p) -> ()
        %a = "nv_tileas.slot_view"(%buffer, %p1) : (!a, !p) -> !a
        %x = "nv_tileas.load_shared"(%a) : (!a) -> tensor<64x64xbf16>
        %d = "nv_tileas.dot"(%x, %x, %in1) {a_major = "k", b_major = "k"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
        "nv_tileas.ring_release"(%first, %p1) : (!nv_tileas.ring, !p) -> ()
        %next1 = "nv_tileas.ring_advance"(%first, %p1) {count = 1 : i64} : (!nv_tileas.ring, !p) -> !p
        "nv_tileas.ring_wait"(%last, %p2) : (!nv_tileas.ring, !p) -> ()
        %b = "nv_tileas.slot_view"(%buffer, %p2) : (!a, !p) -> !a
        %y = "nv_tileas.load_shared"(%b) : (!a) -> tensor<64x64xbf16>
        %e = "nv_tileas.dot"(%y, %y, %in2) {a_major = "k", b_major = "k"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
        "nv_tileas.ring_release"(%last, %p2) : (!nv_tileas.ring, !p) -> ()
        %next2 = "nv_tileas.ring_advance"(%last, %p2) {count = 1 : i64} : (!nv_tileas.ring, !p) -> !p
        scf.yield %d, %e, %next1, %next2 : tensor<64x64xf32>, tensor<64x64xf32>, !p, !p
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x64xf32>, i32) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64, mma_pending = 1 : i64}} : () -> ()
}

// -----

// A rotated loop computes B of the next round while the product runs: an anchor keeps the wait after
// that. What threads load for later rounds, they load as soon as it runs. The product after the loop
// finds its B in the same buffer.
// CHECK-LABEL: module @the_next_b_is_computed_early
// CHECK-COUNT-2: "nv_tileas.alloc_shared"
// CHECK:         %[[BUFFER:.*]] = "nv_tileas.alloc_shared"
// CHECK-NOT:     "nv_tileas.alloc_shared"
// CHECK:         scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[SCALE:.*]] = %{{.*}})
// CHECK:           "nv_tileas.store_shared"(%[[B]], %[[BUFFER]])
// CHECK-NEXT:      "nv_tileas.fence_proxy"()
// CHECK-NEXT:      "nv_tileas.barrier"()
// CHECK-NEXT:      %[[G:.*]]:2 = "nv_tileas.async_mma"(%{{.*}}, %[[BUFFER]], %[[ACC]])
// CHECK-NEXT:      %[[LATER:.*]]:2 = "nv_tileas.tiled_load"
// CHECK:           %[[NEXT:.*]] = arith.mulf %{{.*}}, %[[SCALE]]
// CHECK-NEXT:      "nv_tileas.anchor"(%[[NEXT]]) {whole}
// CHECK-NEXT:      %[[D:.*]] = "nv_tileas.mma_wait"(%[[G]]#0, %[[G]]#1)
// CHECK-NEXT:      "nv_tileas.barrier"()
// CHECK-NEXT:      scf.yield %[[D]], %[[NEXT]], %[[LATER]]#0
// CHECK:         "nv_tileas.store_shared"(%{{.*}}, %[[BUFFER]])
// CHECK:         "nv_tileas.async_mma"(%{{.*}}, %[[BUFFER]], %{{.*}})
!a = tensor<64x64xbf16>
!b = tensor<64x128xbf16>
!d = tensor<64x128xf32>
!sa = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!sb = !nv_tileas.smem<tensor<64x128xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!x = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
module @the_next_b_is_computed_early {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %x: !x):
    %slot_a = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !sa
    %slot_b = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !sb
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zero = arith.constant dense<0.0> : !d
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %a = "nv_tileas.load_shared"(%slot_a) : (!sa) -> !a
      %first = "nv_tileas.load_shared"(%slot_b) : (!sb) -> !b
      %b = math.absf %first : !b
      %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %own = %b, %scale = %b) -> (!d, !b, !b) : i32 {
        %d = "nv_tileas.dot"(%a, %own, %acc) {a_major = "k", b_major = "n"} : (!a, !b, !d) -> !d
        %read = "nv_tileas.load_shared"(%slot_b) : (!sb) -> !b
        %next = arith.mulf %read, %scale : !b
        %later, %t = "nv_tileas.tiled_load"(%x, %n, %n) {atom = #cute.copy_atom<"sm90_ldg_128_bf16", "ldg", 1 : i64, 128 : i64, bf16>} : (!x, i32, i32) -> (!b, !nv_tileaa.mem_token)
        scf.yield %d, %next, %later : !d, !b, !b
      }
      %last = "nv_tileas.dot"(%a, %r#1, %r#0) {a_major = "k", b_major = "n"} : (!a, !b, !d) -> !d
      %e = arith.addf %last, %last : !d
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, !x) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 4 : i64}} : () -> ()
}
