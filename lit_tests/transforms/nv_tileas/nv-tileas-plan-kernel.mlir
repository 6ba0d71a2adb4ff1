// RUN: tilec opt %s --passes nv-tileas-plan-kernel --split-input-file | FileCheck %s

// The pass chooses the plan of a kernel, and writes it as one attribute.

!a = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>

// A product of 128 rows gets two consumer warpgroups and a producer, which loads early. The
// reasons go into the metadata.
// CHECK-LABEL: module @products_get_consumers_and_a_producer
// CHECK:       nv_tileaa.kernel_spec = {balance_tiles = 0 : i64, blocks_per_sm = 1 : i64, cluster = [1, 1, 1], consumer_registers = {{[1-9][0-9]+}} : i64, consumer_warps = 8 : i64,
// CHECK-SAME:  producer_registers = {{[1-9][0-9]+}} : i64, producer_warps = 4 : i64, scratch_room = [164864, 32768, 11032], share_rounds = false, share_slots = false, share_tiles = true, slice_columns = 0 : i64, snake_k = false, split_k = 1 : i64, spread = 1 : i64, stages = {{[2-9]}} : i64
// CHECK-SAME:  plan = {{{.*}}reasons = ["consumers = 2: 128 rows in slices of 64"
module @products_get_consumers_and_a_producer {
  "nv_tileaa.func"() ({
  ^bb0(%v: !a, %i: i32, %n: i32, %zero: tensor<128x128xf32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
      %a, %t = "nv_tileas.tiled_load"(%v, %i, %k) {atom = #load} : (!a, i32, i32) -> (tensor<128x64xbf16>, !token)
      %b, %u = "nv_tileas.tiled_load"(%v, %k, %i) {atom = #load} : (!a, i32, i32) -> (tensor<64x128xbf16>, !token)
      %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, i32, i32, tensor<128x128xf32>) -> ()} : () -> ()
}

// -----

!a = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>

// No block loads what another one loads, and a round loads for longer than it multiplies: two CTAs share
// an SM. Each has half of the registers, and runs one block.
// CHECK-LABEL: module @two_ctas_share_an_sm
// CHECK:       nv_tileaa.kernel_spec = {{{.*}}blocks_per_sm = 2 : i64, {{.*}}consumer_registers = 216 : i64, consumer_warps = 4 : i64,
// CHECK-SAME:  persistent = false, producer_registers = 40 : i64, producer_warps = 4 : i64
// CHECK-SAME:  "blocks_per_sm = 2: a round loads for {{[0-9]+}} cycles and multiplies for {{[0-9]+}}"
// CHECK-SAME:  "persistent = false: another CTA of the SM loads while one begins or ends"
module @two_ctas_share_an_sm {
  "nv_tileaa.func"() ({
  ^bb0(%v: !a, %n: i32, %zero: tensor<64x64xf32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %i = "nv_tileas.get_program_id"() {axis = 0 : i32} : () -> i32
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %a, %t = "nv_tileas.tiled_load"(%v, %i, %k) {atom = #load} : (!a, i32, i32) -> (tensor<64x64xbf16>, !token)
      %b, %u = "nv_tileas.tiled_load"(%v, %k, %i) {atom = #load} : (!a, i32, i32) -> (tensor<64x64xbf16>, !token)
      %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, i32, tensor<64x64xf32>) -> (), tilec.kernel = {grid = ["M"]}} : () -> ()
}

// -----

!a = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>

// Outside of loops no load is early: one role, one stage.
// CHECK-LABEL: module @straight_code_has_one_role
// CHECK:       nv_tileaa.kernel_spec = {{{.*}}consumer_warps = 4 : i64,{{.*}}producer_warps = 0 : i64, share_rounds = false, share_slots = false, share_tiles = true, slice_columns = 0 : i64, snake_k = false, split_k = 1 : i64, spread = 1 : i64, stages = 1 : i64
module @straight_code_has_one_role {
  "nv_tileaa.func"() ({
  ^bb0(%v: !a, %i: i32):
    %a, %t = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load} : (!a, i32, i32) -> (tensor<64x64xbf16>, !token)
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, i32) -> ()} : () -> ()
}

// -----

!a = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>

// A is loaded once for a tile, before the loop that loads B: its ring gets a second slot.
// CHECK-LABEL: module @what_a_tile_loads_first_gets_two_slots
// CHECK:       "tile_stages = 2 of 16384 bytes: a tile is loaded before consumers have read the one before for the last time", "stages = 4 of
// CHECK-SAME:  tile_stages = 2 : i64
module @what_a_tile_loads_first_gets_two_slots {
  "nv_tileaa.func"() ({
  ^bb0(%v: !a, %i: i32, %n: i32, %zero: tensor<128x128xf32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a, %t = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load} : (!a, i32, i32) -> (tensor<128x64xbf16>, !token)
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
      %b, %u = "nv_tileas.tiled_load"(%v, %k, %i) {atom = #load} : (!a, i32, i32) -> (tensor<64x128xbf16>, !token)
      %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, i32, i32, tensor<128x128xf32>) -> ()} : () -> ()
}

// -----

!a = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>

// Hints of the kernel override single fields of the plan.
// CHECK-LABEL: module @hints_override_fields
// CHECK:       nv_tileaa.kernel_spec = {{{.*}}producer_warps = 0 : i64, share_rounds = false, share_slots = false, share_tiles = true, slice_columns = 0 : i64, snake_k = false, split_k = 1 : i64, spread = 1 : i64, stages = 2 : i64
// CHECK-SAME:  "specialize = false: fixed by the user", {{.*}}"stages = 2: fixed by the user"
module @hints_override_fields {
  "nv_tileaa.func"() ({
  ^bb0(%v: !a, %i: i32, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %k = %c0 to %n step %c1 : i32 {
      %a, %t = "nv_tileas.tiled_load"(%v, %i, %k) {atom = #load} : (!a, i32, i32) -> (tensor<128x64xbf16>, !token)
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, i32, i32) -> (), tilec.kernel = {hints = {stages = 2 : i64, specialize = false}}} : () -> ()
}

// -----

!a = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>
#ldg = #cute.copy_atom<"sm90_ldg_128_bf16", "ldg", 1 : i64, 128 : i64, bf16>

// Scalars decide when a while loop ends, so a producer can run it, too: its load keeps TMA.
// CHECK-LABEL: module @while_loops_of_scalars_have_a_producer
// CHECK:         scf.while
// CHECK:           "nv_tileas.tiled_load"{{.*}} {atom = #cute.copy_atom<"sm90_tma_load_2d_bf16",
// CHECK:         "nv_tileas.tiled_load"{{.*}} {atom = #cute.copy_atom<"sm90_tma_load_2d_bf16",
// CHECK:       nv_tileaa.kernel_spec = {{{.*}}producer_warps = 4 : i64
module @while_loops_of_scalars_have_a_producer {
  "nv_tileaa.func"() ({
  ^bb0(%v: !a, %i: i32, %p: i1):
    scf.while : () -> () {
      scf.condition(%p)
    } do {
      %a, %t = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load, legal_atoms = [#load, #ldg]} : (!a, i32, i32) -> (tensor<64x64xbf16>, !token)
      scf.yield
    }
    %b, %u = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load, legal_atoms = [#load, #ldg]} : (!a, i32, i32) -> (tensor<64x64xbf16>, !token)
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, i32, i1) -> ()} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>

// An accumulator is stored in parts, through two staging slots of each warpgroup.
// CHECK-LABEL: module @accumulators_leave_in_parts
// CHECK:       nv_tileaa.kernel_spec = {{{.*}}consumer_warps = 8 : i64, {{.*}}epilogue_slots = 2 : i64,
// CHECK-SAME:  "epilogue_slots = 2: one is filled while TMA reads the other"
module @accumulators_leave_in_parts {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %a: tensor<128x64xbf16>, %b: tensor<64x128xbf16>, %acc: tensor<128x128xf32>):
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
    %x = arith.truncf %d : tensor<128x128xf32> to tensor<128x128xbf16>
    %w = "nv_tileas.tiled_store"(%v, %x, %i, %i) {atom = #store} : (!v, tensor<128x128xbf16>, i32, i32) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>) -> ()} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_tma_store_2d_bf16", "tma_store", 2 : i64, 0 : i64, bf16>

// Zero slots are a choice, too: the result is staged whole.
// CHECK-LABEL: module @results_may_be_staged_whole
// CHECK:       nv_tileaa.kernel_spec = {{{.*}}epilogue_slots = 0 : i64,
// CHECK-SAME:  "epilogue_slots = 0: fixed by the user"
module @results_may_be_staged_whole {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %a: tensor<128x64xbf16>, %b: tensor<64x128xbf16>, %acc: tensor<128x128xf32>):
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
    %x = arith.truncf %d : tensor<128x128xf32> to tensor<128x128xbf16>
    %w = "nv_tileas.tiled_store"(%v, %x, %i, %i) {atom = #store} : (!v, tensor<128x128xbf16>, i32, i32) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>) -> (), tilec.kernel = {hints = {epilogue_slots = 0 : i64}}} : () -> ()
}

// -----

!a = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>

// In a cluster of 2x2 CTAs, those of one column load the same tile of B, and those of one row the
// same tile of A: coordinates that do not depend on a grid axis are the same along it.
// CHECK-LABEL: module @operands_are_shared_along_an_axis
// CHECK:         "nv_tileas.tiled_load"{{.*}} {atom = {{.*}}, multicast_axis = 1 : i64}{{.*}}tensor<128x64xbf16>
// CHECK:         "nv_tileas.tiled_load"{{.*}} {atom = {{.*}}, multicast_axis = 0 : i64}{{.*}}tensor<64x128xbf16>
// CHECK:       nv_tileaa.kernel_spec = {balance_tiles = 0 : i64, blocks_per_sm = 1 : i64, cluster = [2, 2, 1],
// CHECK-SAME:  "cluster = 2 x 2: fixed by the user"
module @operands_are_shared_along_an_axis {
  "nv_tileaa.func"() ({
  ^bb0(%v: !a, %n: i32, %zero: tensor<128x128xf32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %row = "nv_tileas.get_program_id"() {axis = 0 : i32} : () -> i32
    %col = "nv_tileas.get_program_id"() {axis = 1 : i32} : () -> i32
    %i = arith.muli %row, %c128 : i32
    %j = arith.muli %col, %c128 : i32
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
      %a, %t = "nv_tileas.tiled_load"(%v, %i, %k) {atom = #load} : (!a, i32, i32) -> (tensor<128x64xbf16>, !token)
      %b, %u = "nv_tileas.tiled_load"(%v, %k, %j) {atom = #load} : (!a, i32, i32) -> (tensor<64x128xbf16>, !token)
      %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, i32, tensor<128x128xf32>) -> (), tilec.kernel = {grid = ["M", "N"], hints = {cluster = [2, 2]}}} : () -> ()
}

// -----

!a = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>

// One column of CTAs shares B only. The first axis of three, a batch, is never inside a cluster, so
// coordinates and bounds may depend on it.
// CHECK-LABEL: module @a_batch_lies_outside_of_clusters
// CHECK:         "nv_tileas.tiled_load"
// CHECK-NOT:     multicast_axis
// CHECK-SAME:    tensor<128x64xbf16>
// CHECK:         "nv_tileas.tiled_load"{{.*}}multicast_axis = 0 : i64{{.*}}tensor<64x128xbf16>
module @a_batch_lies_outside_of_clusters {
  "nv_tileaa.func"() ({
  ^bb0(%v: !a, %n: i32, %zero: tensor<128x128xf32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %batch = "nv_tileas.get_program_id"() {axis = 0 : i32} : () -> i32
    %i = "nv_tileas.get_program_id"() {axis = 1 : i32} : () -> i32
    %first = arith.muli %batch, %n : i32
    %r = scf.for %k = %first to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
      %a, %t = "nv_tileas.tiled_load"(%v, %i, %k) {atom = #load} : (!a, i32, i32) -> (tensor<128x64xbf16>, !token)
      %b, %u = "nv_tileas.tiled_load"(%v, %k, %batch) {atom = #load} : (!a, i32, i32) -> (tensor<64x128xbf16>, !token)
      %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, i32, tensor<128x128xf32>) -> (), tilec.kernel = {grid = ["B", "M", "N"], hints = {cluster = [2, 1]}}} : () -> ()
}

// -----

!a = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>

// CTAs whose loops differ in length have different numbers of loads: nothing is shared where a bound
// or a condition depends on the block.
// CHECK-LABEL: module @loops_that_depend_on_the_block_share_nothing
// CHECK-NOT:     multicast_axis
// CHECK:       nv_tileaa.kernel_spec = {balance_tiles = 0 : i64, blocks_per_sm = 1 : i64, cluster = [2, 2, 1],
module @loops_that_depend_on_the_block_share_nothing {
  "nv_tileaa.func"() ({
  ^bb0(%v: !a, %n: i32, %zero: tensor<128x128xf32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %i = "nv_tileas.get_program_id"() {axis = 0 : i32} : () -> i32
    %first = scf.for %k = %c0 to %i step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
      %a, %t = "nv_tileas.tiled_load"(%v, %i, %k) {atom = #load} : (!a, i32, i32) -> (tensor<128x64xbf16>, !token)
      %b, %u = "nv_tileas.tiled_load"(%v, %k, %c0) {atom = #load} : (!a, i32, i32) -> (tensor<64x128xbf16>, !token)
      %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    %inside = arith.cmpi slt, %i, %n : i32
    %second = scf.if %inside -> (tensor<128x128xf32>) {
      %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
        %a, %t = "nv_tileas.tiled_load"(%v, %i, %k) {atom = #load} : (!a, i32, i32) -> (tensor<128x64xbf16>, !token)
        %b, %u = "nv_tileas.tiled_load"(%v, %k, %c0) {atom = #load} : (!a, i32, i32) -> (tensor<64x128xbf16>, !token)
        %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
        scf.yield %d : tensor<128x128xf32>
      }
      scf.yield %s : tensor<128x128xf32>
    } else {
      scf.yield %first : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, i32, tensor<128x128xf32>) -> (), tilec.kernel = {grid = ["M", "N"], hints = {cluster = [2, 2]}}} : () -> ()
}

// -----

!a = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>

// A tile that threads read, too, is not shared: their reads would not be ordered before the next copy
// of another CTA. The other operand is.
// CHECK-LABEL: module @tiles_that_threads_read_are_not_shared
// CHECK:         "nv_tileas.tiled_load"{{.*}}multicast_axis = 1 : i64{{.*}}tensor<128x64xbf16>
// CHECK-NOT:     multicast_axis
module @tiles_that_threads_read_are_not_shared {
  "nv_tileaa.func"() ({
  ^bb0(%v: !a, %n: i32, %zero: tensor<128x128xf32>, %none: tensor<64x128xbf16>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %i = "nv_tileas.get_program_id"() {axis = 0 : i32} : () -> i32
    %j = "nv_tileas.get_program_id"() {axis = 1 : i32} : () -> i32
    %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %sum = %none) -> (tensor<128x128xf32>, tensor<64x128xbf16>) : i32 {
      %a, %t = "nv_tileas.tiled_load"(%v, %i, %k) {atom = #load} : (!a, i32, i32) -> (tensor<128x64xbf16>, !token)
      %b, %u = "nv_tileas.tiled_load"(%v, %k, %j) {atom = #load} : (!a, i32, i32) -> (tensor<64x128xbf16>, !token)
      %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %s = arith.addf %sum, %b : tensor<64x128xbf16>
      scf.yield %d, %s : tensor<128x128xf32>, tensor<64x128xbf16>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, i32, tensor<128x128xf32>, tensor<64x128xbf16>) -> (), tilec.kernel = {grid = ["M", "N"], hints = {cluster = [2, 2]}}} : () -> ()
}

// -----

!a = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>

// The cluster that was planned with the tiles is kept when its CTAs share tiles.
// CHECK-LABEL: module @planned_clusters_are_kept
// CHECK:       nv_tileaa.kernel_spec = {balance_tiles = 0 : i64, blocks_per_sm = 1 : i64, cluster = [2, 1, 1],{{.*}} sym_name = "k"
module @planned_clusters_are_kept {
  "nv_tileaa.func"() ({
  ^bb0(%v: !a, %n: i32, %zero: tensor<128x128xf32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %i = "nv_tileas.get_program_id"() {axis = 0 : i32} : () -> i32
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
      %a, %t = "nv_tileas.tiled_load"(%v, %i, %k) {atom = #load} : (!a, i32, i32) -> (tensor<128x64xbf16>, !token)
      %b, %u = "nv_tileas.tiled_load"(%v, %k, %c0) {atom = #load} : (!a, i32, i32) -> (tensor<64x128xbf16>, !token)
      %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, i32, tensor<128x128xf32>) -> (), tilec.kernel = {grid = ["M", "N"], planned_cluster = [2, 1]}} : () -> ()
}

// -----

!a = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>

// A planned cluster is dropped when its CTAs share no tile: here the trip count depends on the block.
// CHECK-LABEL: module @planned_clusters_need_a_shared_tile
// CHECK:       nv_tileaa.kernel_spec = {balance_tiles = 0 : i64, blocks_per_sm = 1 : i64, cluster = [1, 1, 1],{{.*}} sym_name = "k"
module @planned_clusters_need_a_shared_tile {
  "nv_tileaa.func"() ({
  ^bb0(%v: !a, %n: i32, %zero: tensor<128x128xf32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %i = "nv_tileas.get_program_id"() {axis = 0 : i32} : () -> i32
    %r = scf.for %k = %c0 to %i step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
      %a, %t = "nv_tileas.tiled_load"(%v, %i, %k) {atom = #load} : (!a, i32, i32) -> (tensor<128x64xbf16>, !token)
      %b, %u = "nv_tileas.tiled_load"(%v, %k, %c0) {atom = #load} : (!a, i32, i32) -> (tensor<64x128xbf16>, !token)
      %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, i32, tensor<128x128xf32>) -> (), tilec.kernel = {grid = ["M", "N"], planned_cluster = [2, 1]}} : () -> ()
}

// -----

!a = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>
#stg = #cute.copy_atom<"sm90_stg_16_bf16", "stg", 1 : i64, 16 : i64, bf16>

// A planned cluster is given up, too, where tiles beyond the grid might store: all blocks of a column
// store to the same place here.
// CHECK-LABEL: module @planned_clusters_store_inside_of_the_grid
// CHECK-NOT:     multicast_axis
// CHECK:       nv_tileaa.kernel_spec = {balance_tiles = 0 : i64, blocks_per_sm = 1 : i64, cluster = [1, 1, 1],{{.*}} sym_name = "k"
module @planned_clusters_store_inside_of_the_grid {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<bf16>, %m: i32, %n: i32, %s: i64, %zero: tensor<128x128xf32>, %x: tensor<128x128xbf16>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = "nv_tileas.make_memref"(%p, %m, %n, %s) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !a
    %i = "nv_tileas.get_program_id"() {axis = 0 : i32} : () -> i32
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
      %a, %t = "nv_tileas.tiled_load"(%v, %i, %k) {atom = #load} : (!a, i32, i32) -> (tensor<128x64xbf16>, !token)
      %b, %u = "nv_tileas.tiled_load"(%v, %k, %c0) {atom = #load} : (!a, i32, i32) -> (tensor<64x128xbf16>, !token)
      %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    %w = "nv_tileas.tiled_store"(%v, %x, %c0, %c0) {atom = #stg} : (!a, tensor<128x128xbf16>, i32, i32) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<bf16>, i32, i32, i64, tensor<128x128xf32>, tensor<128x128xbf16>) -> (), tilec.kernel = {
    params = [{kind = "pointer", array = "C"}, {kind = "dim", name = "M", array = "C", axis = 0 : i64}, {kind = "dim", name = "N", array = "C", axis = 1 : i64}, {kind = "stride", array = "C", axis = 0 : i64}],
    grid = ["cdiv(M, 128)", "cdiv(N, 128)"], planned_cluster = [2, 1]}} : () -> ()
}

// -----

!x = !nv_tileaa.memref<memref<?x65536xbf16, strided<[65536, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#ldg = #cute.copy_atom<"sm90_ldg_128_bf16", "ldg", 8 : i64, 128 : i64, bf16>

// A row that takes all registers of an SM is spread over CTAs, each of which is planned for its part.
// CHECK-LABEL: module @long_rows_are_spread
// CHECK:       nv_tileaa.kernel_spec = {balance_tiles = 0 : i64, blocks_per_sm = 4 : i64,{{.*}}consumer_warps = 8 : i64,
// CHECK-SAME:  "spread = 8: an SM has registers for 0 CTAs with whole tiles; an SM holds 4 with a part each"
// CHECK-SAME:  spread = 8 : i64
module @long_rows_are_spread {
  "nv_tileaa.func"() ({
  ^bb0(%v: !x, %i: i32):
    %c0 = arith.constant 0 : i32
    %a, %t = "nv_tileas.tiled_load"(%v, %i, %c0) {atom = #ldg, legal_atoms = [#ldg]} : (!x, i32, i32) -> (tensor<1x65536xbf16>, !token)
    %s = "nv_tileas.reduce"(%a) ({
    ^bb0(%l: bf16, %r: bf16):
      %m = arith.maximumf %l, %r : bf16
      "nv_tileas.yield_values"(%m) : (bf16) -> ()
    }) {axis = 1 : i64} : (tensor<1x65536xbf16>) -> tensor<1xbf16>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!x, i32) -> ()} : () -> ()
}

// -----

!a = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>

// Each launch decides into how many splits tiles go whose extents are written. The product is described
// for that: how many k-tiles there are, and which axes of the grid decide what is loaded for an operand.
// A launch also learns how long a block takes.
// CHECK-LABEL: module @launches_decide_on_splits
// CHECK:       tilec.kernel = {block_cycles = "max(512 * (K), 546 * (K))", grid = ["M", "N"], k_splits = {consumers = 2 : i64, epilogue_bytes = 0 : i64, operands = [
// CHECK-SAME:  {axes = [0], bytes = 16384 : i64, computed = false, element_bytes = 2 : i64, strided = false},
// CHECK-SAME:  {axes = [1], bytes = 16384 : i64, computed = false, element_bytes = 2 : i64, strided = true}],
// CHECK-SAME:  products = 1 : i64, result_bytes = 4 : i64, rounds = "K", tile = [128, 128, 64], types = ["bf16", "bf16", "f32"]}
// CHECK-LABEL: module @fixed_splits_are_those_of_all_launches
// CHECK-NOT:   k_splits
module @launches_decide_on_splits {
  "nv_tileaa.func"() ({
  ^bb0(%v: !a, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %i = "nv_tileas.get_program_id"() {axis = 0 : i32} : () -> i32
    %j = "nv_tileas.get_program_id"() {axis = 1 : i32} : () -> i32
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
      %a, %t = "nv_tileas.tiled_load"(%v, %i, %k) {atom = #load} : (!a, i32, i32) -> (tensor<128x64xbf16>, !token)
      %b, %u = "nv_tileas.tiled_load"(%v, %k, %j) {atom = #load} : (!a, i32, i32) -> (tensor<64x128xbf16>, !token)
      %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, i32) -> (), tilec.kernel = {grid = ["M", "N"], params = [{kind = "array", name = "V"}, {kind = "dim", name = "K"}]}} : () -> ()
}

// -----

!a = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>

module @fixed_splits_are_those_of_all_launches {
  "nv_tileaa.func"() ({
  ^bb0(%v: !a, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %i = "nv_tileas.get_program_id"() {axis = 0 : i32} : () -> i32
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
      %a, %t = "nv_tileas.tiled_load"(%v, %i, %k) {atom = #load} : (!a, i32, i32) -> (tensor<128x64xbf16>, !token)
      %b, %u = "nv_tileas.tiled_load"(%v, %k, %c0) {atom = #load} : (!a, i32, i32) -> (tensor<64x128xbf16>, !token)
      %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!a, i32) -> (), tilec.kernel = {grid = ["M"], hints = {split_k = 1 : i64}, params = [{kind = "array", name = "V"}, {kind = "dim", name = "K"}]}} : () -> ()
}
