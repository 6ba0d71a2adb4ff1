// RUN: tilec opt %s --passes nv-tileas-plan-kernel --split-input-file --verify-diagnostics

// The pass refuses plans that the kernel or the hardware cannot meet.

!a = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>
#ldg = #cute.copy_atom<"sm90_ldg_128_bf16", "ldg", 1 : i64, 128 : i64, bf16>

// A tile decides whether the loop goes on: a remark says that its load loses TMA, and which array it
// reads. The load before the loop does not depend on a tile.
"nv_tileaa.func"() ({
^bb0(%p: !nv_tileaa.ptr<bf16>, %m: i32, %s: i64):
  %v = "nv_tileas.make_memref"(%p, %m, %m, %s) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !a
  %first, %before = "nv_tileas.tiled_load"(%v, %m, %m) {atom = #load, legal_atoms = [#load, #ldg]} : (!a, i32, i32) -> (tensor<64x64xbf16>, !token)
  %last = scf.while (%x = %first) : (tensor<64x64xbf16>) -> tensor<64x64xbf16> {
    %go = builtin.unrealized_conversion_cast %x : tensor<64x64xbf16> to i1
    scf.condition(%go) %x : tensor<64x64xbf16>
  } do {
  ^bb0(%x: tensor<64x64xbf16>):
    // expected-remark @below {{load of 'A' does not use TMA: where it lies, or whether it is loaded, depends on a tile, which a producer lacks}}
    %a, %t = "nv_tileas.tiled_load"(%v, %m, %m) {atom = #load, legal_atoms = [#load, #ldg]} : (!a, i32, i32) -> (tensor<64x64xbf16>, !token)
    scf.yield %a : tensor<64x64xbf16>
  }
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "loads_that_a_tile_decides_on_are_remarked", function_type = (!nv_tileaa.ptr<bf16>, i32, i64) -> (), tilec.kernel = {params = [{kind = "pointer", array = "A"}]}} : () -> ()

// -----

!a = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>

// Tiles outside of loops that do not fit shared memory are refused with the numbers.
// expected-error-re @below {{the kernel needs 262144 bytes of shared memory outside of loops; {{[0-9]+}} are available}}
"nv_tileaa.func"() ({
^bb0(%v: !a, %i: i32):
  %a, %t = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load} : (!a, i32, i32) -> (tensor<512x256xbf16>, !token)
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "too_much_shared_memory_is_refused", function_type = (!a, i32) -> ()} : () -> ()

// -----

// A hint that cannot be met is refused by name.
// expected-error @below {{stages = 3: the kernel has no loads in a loop}}
"nv_tileaa.func"() ({
^bb0(%i: i32):
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "impossible_hints_are_refused", function_type = (i32) -> (), tilec.kernel = {hints = {stages = 3 : i64}}} : () -> ()

// -----

!a = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>

// Staging slots need a result that can be stored in parts.
// expected-error @below {{epilogue_slots = 2: no store of the kernel can be cut into parts}}
"nv_tileaa.func"() ({
^bb0(%v: !a, %i: i32):
  %a, %t = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load} : (!a, i32, i32) -> (tensor<64x64xbf16>, !token)
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "slots_without_parts_are_refused", function_type = (!a, i32) -> (), tilec.kernel = {hints = {epilogue_slots = 2 : i64}}} : () -> ()

// -----

// A cluster covers tiles of two axes, so a grid of one has none.
// expected-error @below {{cluster = 2 x 1: the grid of the kernel has one axis}}
"nv_tileaa.func"() ({
^bb0(%n: i32):
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "clusters_need_two_axes", function_type = (i32) -> (), tilec.kernel = {grid = ["cdiv(N, 64)"], hints = {cluster = [2, 1]}}} : () -> ()

// -----

// A grid that the caller gives takes no cluster: it may have one to three axes, and tiles beyond it may
// be inside of the arrays.
// expected-error @below {{cluster = 1 x 2: the caller gives the grid}}
"nv_tileaa.func"() ({
^bb0(%n: i32):
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "clusters_need_a_grid_of_the_kernel", function_type = (i32) -> (), tilec.kernel = {params = [{kind = "grid", axis = 0 : i64}], hints = {cluster = [1, 2]}}} : () -> ()

// -----

!c = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#store = #cute.copy_atom<"sm90_stg_16_bf16", "stg", 1 : i64, 16 : i64, bf16>

// Along the rows the grid ends where the array does. Along the columns it ends before: tiles beyond it
// would be stored.
"nv_tileaa.func"() ({
^bb0(%p: !nv_tileaa.ptr<bf16>, %m: i32, %n: i32, %s: i64, %x: tensor<64x64xbf16>):
  %c64 = arith.constant 64 : i32
  %v = "nv_tileas.make_memref"(%p, %m, %n, %s) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !c
  %row = "nv_tileas.get_program_id"() {axis = 0 : i32} : () -> i32
  %col = "nv_tileas.get_program_id"() {axis = 1 : i32} : () -> i32
  %i = arith.muli %row, %c64 : i32
  %j = arith.muli %c64, %col : i32
  %t = "nv_tileas.tiled_store"(%v, %x, %i, %j) {atom = #store} : (!c, tensor<64x64xbf16>, i32, i32) -> !token
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "tiles_beyond_the_array_store_nothing", function_type = (!nv_tileaa.ptr<bf16>, i32, i32, i64, tensor<64x64xbf16>) -> (), tilec.kernel = {
  params = [{kind = "pointer", array = "C"}, {kind = "dim", name = "M", array = "C", axis = 0 : i64}, {kind = "dim", name = "N", array = "C", axis = 1 : i64}, {kind = "stride", array = "C", axis = 0 : i64}],
  grid = ["cdiv(M, 64)", "N // 64"], hints = {cluster = [2, 1]}}} : () -> ()
"nv_tileaa.func"() ({
^bb0(%p: !nv_tileaa.ptr<bf16>, %m: i32, %n: i32, %s: i64, %x: tensor<64x64xbf16>):
  %c64 = arith.constant 64 : i32
  %v = "nv_tileas.make_memref"(%p, %m, %n, %s) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !c
  %row = "nv_tileas.get_program_id"() {axis = 0 : i32} : () -> i32
  %col = "nv_tileas.get_program_id"() {axis = 1 : i32} : () -> i32
  %i = arith.muli %row, %c64 : i32
  %j = arith.muli %c64, %col : i32
  // expected-error @below {{cluster = 1 x 2: tiles beyond the grid, which whole clusters have, might store to 'C'}}
  %t = "nv_tileas.tiled_store"(%v, %x, %i, %j) {atom = #store} : (!c, tensor<64x64xbf16>, i32, i32) -> !token
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "tiles_beyond_the_grid_must_not_store", function_type = (!nv_tileaa.ptr<bf16>, i32, i32, i64, tensor<64x64xbf16>) -> (), tilec.kernel = {
  params = [{kind = "pointer", array = "C"}, {kind = "dim", name = "M", array = "C", axis = 0 : i64}, {kind = "dim", name = "N", array = "C", axis = 1 : i64}, {kind = "stride", array = "C", axis = 0 : i64}],
  grid = ["cdiv(M, 64)", "N // 64"], hints = {cluster = [1, 2]}}} : () -> ()
