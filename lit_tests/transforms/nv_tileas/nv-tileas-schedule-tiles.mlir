// RUN: tilec opt %s --passes nv-tileas-schedule-tiles --split-input-file | FileCheck %s

// The pass decides which tiles a CTA computes, and in which order.

// Blocks are flattened with the last extent fastest, so the coordinates are digits of the block
// index; extents come from the grid expressions.
// CHECK-LABEL: module @coordinates_are_digits_of_the_block_index
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%[[M:.*]]: i32, %[[N:.*]]: i32, %{{.*}}: i32):
// CHECK:         %[[MB:.*]] = arith.ceildivsi %[[M]], %c128
// CHECK:         %[[NB:.*]] = arith.ceildivsi %[[N]], %c64
// CHECK:         %[[ID:.*]] = "nv_tileas.cta_id"() : () -> i32
// CHECK:         %[[COL:.*]] = arith.remui %[[ID]], %[[NB]] : i32
// CHECK:         %[[ROW:.*]] = arith.divui %[[ID]], %[[NB]] : i32
// CHECK-NOT:     get_program_id
// CHECK:         %[[ONE:.*]] = arith.constant 1 : i32
// CHECK:         builtin.unrealized_conversion_cast %[[ROW]], %[[COL]], %[[MB]], %[[NB]], %[[ONE]]
module @coordinates_are_digits_of_the_block_index {
  "nv_tileaa.func"() ({
  ^bb0(%m: i32, %n: i32, %x: i32):
    %row = "nv_tileas.get_program_id"() {axis = 0 : i32} : () -> i32
    %col = "nv_tileas.get_program_id"() {axis = 1 : i32} : () -> i32
    %rows = "nv_tileas.get_num_programs"() {axis = 0 : i32} : () -> i32
    %cols = "nv_tileas.get_num_programs"() {axis = 1 : i32} : () -> i32
    %planes = "nv_tileas.get_num_programs"() {axis = 2 : i32} : () -> i32
    %use = builtin.unrealized_conversion_cast %row, %col, %rows, %cols, %planes : i32, i32, i32, i32, i32 to i64
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32, i32) -> (), tilec.kernel = {
    params = [{kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "N", array = "A", axis = 1 : i64}, {kind = "scalar", name = "x"}],
    grid = ["cdiv(M, 128)", "cdiv(N, 64)"]}} : () -> ()
}

// -----

// A one-dimensional grid needs no division; an axis that it lacks has coordinate 0.
// CHECK-LABEL: module @one_axis_needs_no_division
// CHECK:         %[[ID:.*]] = "nv_tileas.cta_id"
// CHECK-NOT:     arith.divui
// CHECK-NOT:     arith.remui
// CHECK:         %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK:         builtin.unrealized_conversion_cast %[[ID]], %[[ZERO]]
module @one_axis_needs_no_division {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    %i = "nv_tileas.get_program_id"() {axis = 0 : i32} : () -> i32
    %j = "nv_tileas.get_program_id"() {axis = 1 : i32} : () -> i32
    %use = builtin.unrealized_conversion_cast %i, %j : i32, i32 to i64
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), tilec.kernel = {
    params = [{kind = "dim", name = "N", array = "A", axis = 0 : i64}], grid = ["cdiv(N, 256)"]}} : () -> ()
}

// -----

// When the caller gives the grid, its extents are the hidden parameters.
// CHECK-LABEL: module @hidden_parameters_give_the_grid
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%{{.*}}: i32, %[[G0:.*]]: i32, %[[G1:.*]]: i32, %[[G2:.*]]: i32):
// CHECK:         %[[ID:.*]] = "nv_tileas.cta_id"
// CHECK:         %[[Z:.*]] = arith.remui %[[ID]], %[[G2]]
// CHECK:         %[[REST:.*]] = arith.divui %[[ID]], %[[G2]]
// CHECK:         %[[Y:.*]] = arith.remui %[[REST]], %[[G1]]
// CHECK:         %[[X:.*]] = arith.divui %[[REST]], %[[G1]]
// CHECK:         builtin.unrealized_conversion_cast %[[X]], %[[Y]], %[[Z]], %[[G0]]
module @hidden_parameters_give_the_grid {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %g0: i32, %g1: i32, %g2: i32):
    %x = "nv_tileas.get_program_id"() {axis = 0 : i32} : () -> i32
    %y = "nv_tileas.get_program_id"() {axis = 1 : i32} : () -> i32
    %z = "nv_tileas.get_program_id"() {axis = 2 : i32} : () -> i32
    %w = "nv_tileas.get_num_programs"() {axis = 0 : i32} : () -> i32
    %use = builtin.unrealized_conversion_cast %x, %y, %z, %w : i32, i32, i32, i32 to i64
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32, i32, i32) -> (), tilec.kernel = {
    params = [{kind = "scalar", name = "n"}, {kind = "grid", axis = 0 : i64}, {kind = "grid", axis = 1 : i64}, {kind = "grid", axis = 2 : i64}]}} : () -> ()
}

// -----

// Grid expressions may use arithmetic, scalars, minima and maxima. A value that always fits is computed in
// 32 bits, and so are products and sums of which only 32 bits are used.
// CHECK-LABEL: module @grid_expressions_are_arithmetic
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%[[N:.*]]: i32, %[[S:.*]]: i32):
// CHECK:         %[[Q:.*]] = arith.floordivsi %[[N]], %{{.*}} : i32
// CHECK:         arith.minsi %[[Q]], %[[S]] : i32
// CHECK:         arith.maxsi
// CHECK:         arith.subi %{{.*}} : i32
// CHECK:         arith.remsi %{{.*}} : i32
// CHECK:         arith.muli %{{.*}}, %[[S]] : i32
module @grid_expressions_are_arithmetic {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %s: i32):
    %w = "nv_tileas.get_num_programs"() {axis = 0 : i32} : () -> i32
    %h = "nv_tileas.get_num_programs"() {axis = 1 : i32} : () -> i32
    %use = builtin.unrealized_conversion_cast %w, %h : i32, i32 to i64
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {
    params = [{kind = "dim", name = "N", array = "A", axis = 0 : i64}, {kind = "scalar", name = "s"}],
    grid = ["max(min(N // 4, s), 1) + (N - 1) % 8", "N // 4 * s"]}} : () -> ()
}

// -----

// The launcher computes in 64 bits, so a dividend that may have more than 32 bits has 64 here, too.
// Scalars of all integer types are read in their type; a remainder has the sign of the divisor.
// CHECK-LABEL: module @wide_grid_expressions
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%[[M:.*]]: i32, %[[N:.*]]: i32, %[[S:.*]]: i8, %[[U:.*]]: i32, %[[L:.*]]: i64):
// CHECK:         %[[M64:.*]] = arith.extsi %[[M]] : i32 to i64
// CHECK:         %[[N64:.*]] = arith.extsi %[[N]] : i32 to i64
// CHECK:         %[[P:.*]] = arith.muli %[[M64]], %[[N64]] : i64
// CHECK:         %[[Q:.*]] = arith.ceildivsi %[[P]], %{{.*}} : i64
// CHECK:         arith.trunci %[[Q]] : i64 to i32
// CHECK:         %[[S32:.*]] = arith.extsi %[[S]] : i8 to i32
// CHECK:         %[[R:.*]] = arith.remsi %[[S32]], %{{.*}} : i32
// CHECK:         %[[UP:.*]] = arith.addi %[[R]], %{{.*}} : i32
// CHECK:         arith.select %{{.*}}, %[[UP]], %[[R]] : i32
// CHECK:         %[[U64:.*]] = arith.extui %[[U]] : i32 to i64
// CHECK:         arith.minsi %[[U64]], %[[L]] : i64
module @wide_grid_expressions {
  "nv_tileaa.func"() ({
  ^bb0(%m: i32, %n: i32, %s: i8, %u: i32, %l: i64):
    %w = "nv_tileas.get_num_programs"() {axis = 0 : i32} : () -> i32
    %use = builtin.unrealized_conversion_cast %w : i32 to i64
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32, i8, i32, i64) -> (), tilec.kernel = {
    params = [{kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "A.shape[1]", array = "A", axis = 1 : i64},
              {kind = "scalar", name = "s", dtype = "i8"}, {kind = "scalar", name = "u", dtype = "u32"}, {kind = "scalar", name = "l", dtype = "i64"}],
    grid = ["cdiv(M * A.shape[1], 268435456)", "s % 3", "min(u, l)"]}} : () -> ()
}

// -----

// Rows are swept in groups of up to 64, or fewer, where the number of tiles of a group might overflow.
// CHECK-LABEL: module @groups_of_long_rows
// CHECK:         %[[G:.*]] = arith.minui %{{.*}}, %[[ROWS:.*]] : i32
// CHECK:         arith.muli %[[G]], %[[COLUMNS:.*]] : i32
module @groups_of_long_rows {
  "nv_tileaa.func"() ({
  ^bb0(%m: i32, %n: i32):
    %x = "nv_tileas.get_program_id"() {axis = 0 : i32} : () -> i32
    %use = builtin.unrealized_conversion_cast %x : i32 to i64
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (),
    nv_tileaa.kernel_spec = {tile_group = 64 : i64}, tilec.kernel = {
    params = [{kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "N", array = "A", axis = 1 : i64}],
    grid = ["M", "N"]}} : () -> ()
}

// -----

// A kernel that asks for no coordinate stays as it is.
// CHECK-LABEL: module @no_coordinates_no_decoding
// CHECK-NOT:     nv_tileas.cta_id
// CHECK:         "nv_tileaa.return"
module @no_coordinates_no_decoding {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), tilec.kernel = {
    params = [{kind = "dim", name = "N", array = "A", axis = 0 : i64}], grid = ["cdiv(N, 256)"]}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#ldg = #cute.copy_atom<"sm90_ldg_128_f32", "ldg", 1 : i64, 128 : i64, f32>
#stg = #cute.copy_atom<"sm90_stg_128_f32", "stg", 1 : i64, 128 : i64, f32>

// A persistent kernel loops over tiles, one grid apart. What depends on the tile or has effects
// moves into the loop, handles and uniform scalars stay out, and the launcher is told.
// CHECK-LABEL: module @persistent_kernels_loop_over_tiles
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%{{.*}}: !nv_tileaa.ptr<f32>, %[[M:.*]]: i32, %[[N:.*]]: i32, %{{.*}}: i64):
// CHECK:         %[[MB:.*]] = arith.ceildivsi %[[M]]
// CHECK:         %[[NB:.*]] = arith.ceildivsi %[[N]]
// CHECK:         %[[ID:.*]] = "nv_tileas.cta_id"
// CHECK:         nv_tileas.make_memref
// CHECK:         %[[TOTAL:.*]] = arith.muli %[[MB]], %[[NB]]
// CHECK:         %[[STEP:.*]] = "nv_tileas.num_ctas"() : () -> i32
// CHECK:         scf.for %[[T:.*]] = %[[ID]] to %[[TOTAL]] step %[[STEP]] : i32 {
// CHECK-NEXT:      %[[COL:.*]] = arith.remui %[[T]], %[[NB]]
// CHECK-NEXT:      %[[ROW:.*]] = arith.divui %[[T]], %[[NB]]
// CHECK-NEXT:      %[[OFFSET:.*]] = arith.muli %[[ROW]]
// CHECK-NEXT:      "nv_tileas.tiled_load"(%{{.*}}, %[[OFFSET]], %[[COL]])
// CHECK-NEXT:      "nv_tileas.tiled_store"
// CHECK-NEXT:    }
// CHECK-NEXT:    "nv_tileaa.return"
// CHECK:       persistent = true
module @persistent_kernels_loop_over_tiles {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %m: i32, %n: i32, %s: i64):
    %row = "nv_tileas.get_program_id"() {axis = 0 : i32} : () -> i32
    %col = "nv_tileas.get_program_id"() {axis = 1 : i32} : () -> i32
    %c32 = arith.constant 32 : i32
    %offset = arith.muli %row, %c32 : i32
    %v = "nv_tileas.make_memref"(%p, %m, %n, %s) : (!nv_tileaa.ptr<f32>, i32, i32, i64) -> !v
    %x, %t = "nv_tileas.tiled_load"(%v, %offset, %col) {atom = #ldg} : (!v, i32, i32) -> (tensor<32x32xf32>, !token)
    %u = "nv_tileas.tiled_store"(%v, %x, %col, %offset) {atom = #stg} : (!v, tensor<32x32xf32>, i32, i32) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i32, i32, i64) -> (), nv_tileaa.kernel_spec = {persistent = true}, tilec.kernel = {
    params = [{kind = "pointer", array = "A"}, {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "N", array = "A", axis = 1 : i64}, {kind = "stride", array = "A", axis = 0 : i64}],
    grid = ["cdiv(M, 32)", "cdiv(N, 32)"]}} : () -> ()
}

// -----

// With a tile group, that many rows are swept column by column, and every second group backwards.
// CHECK-LABEL: module @tile_groups_are_swept_back_and_forth
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%[[M:.*]]: i32, %[[N:.*]]: i32):
// CHECK:         %[[COLUMNS:.*]] = arith.ceildivsi %[[N]], %c64
// CHECK:         %[[ID:.*]] = "nv_tileas.cta_id"
// CHECK:         %[[WIDTH:.*]] = arith.muli %c8{{.*}}, %[[COLUMNS]]
// CHECK:         %[[GROUP:.*]] = arith.divui %[[ID]], %[[WIDTH]]
// CHECK:         %[[INSIDE:.*]] = arith.remui %[[ID]], %[[WIDTH]]
// CHECK:         %[[FIRST:.*]] = arith.muli %[[GROUP]], %c8
// CHECK:         %[[LEFT:.*]] = arith.subi %[[M]], %[[FIRST]]
// CHECK:         %[[HEIGHT:.*]] = arith.minui %[[LEFT]], %c8
// CHECK:         %[[R:.*]] = arith.remui %[[INSIDE]], %[[HEIGHT]]
// CHECK:         %[[ROW:.*]] = arith.addi %[[FIRST]], %[[R]]
// CHECK:         %[[C:.*]] = arith.divui %[[INSIDE]], %[[HEIGHT]]
// CHECK:         %[[BACK:.*]] = arith.subi %{{.*}}, %[[C]]
// CHECK:         %[[COL:.*]] = arith.select %{{.*}}, %[[BACK]], %[[C]]
// CHECK:         builtin.unrealized_conversion_cast %[[ROW]], %[[COL]]
module @tile_groups_are_swept_back_and_forth {
  "nv_tileaa.func"() ({
  ^bb0(%m: i32, %n: i32):
    %row = "nv_tileas.get_program_id"() {axis = 0 : i32} : () -> i32
    %col = "nv_tileas.get_program_id"() {axis = 1 : i32} : () -> i32
    %use = builtin.unrealized_conversion_cast %row, %col : i32, i32 to i64
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), nv_tileaa.kernel_spec = {tile_group = 8 : i64}, tilec.kernel = {
    params = [{kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "N", array = "A", axis = 1 : i64}], grid = ["M", "cdiv(N, 64)"]}} : () -> ()
}

// -----

// Groups of rows stay inside the matrices of a batch, which is the first of three extents.
// CHECK-LABEL: module @a_batch_is_swept_matrix_by_matrix
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%[[B:.*]]: i32, %[[M:.*]]: i32, %[[N:.*]]: i32):
// CHECK:         %[[ID:.*]] = "nv_tileas.cta_id"
// CHECK:         %[[PLANE:.*]] = arith.muli %[[M]], %[[N]]
// CHECK:         %[[INSIDE:.*]] = arith.remui %[[ID]], %[[PLANE]]
// CHECK:         arith.divui %[[INSIDE]], %
// CHECK:         %[[COLUMN:.*]] = arith.select
// CHECK:         %[[BATCH:.*]] = arith.divui %[[ID]], %[[PLANE]]
// CHECK:         builtin.unrealized_conversion_cast %[[BATCH]], %{{.*}}, %[[COLUMN]]
module @a_batch_is_swept_matrix_by_matrix {
  "nv_tileaa.func"() ({
  ^bb0(%b: i32, %m: i32, %n: i32):
    %z = "nv_tileas.get_program_id"() {axis = 0 : i32} : () -> i32
    %y = "nv_tileas.get_program_id"() {axis = 1 : i32} : () -> i32
    %x = "nv_tileas.get_program_id"() {axis = 2 : i32} : () -> i32
    %use = builtin.unrealized_conversion_cast %z, %y, %x : i32, i32, i32 to i64
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32, i32) -> (), nv_tileaa.kernel_spec = {tile_group = 16 : i64}, tilec.kernel = {
    params = [{kind = "dim", name = "B", array = "A", axis = 0 : i64}, {kind = "dim", name = "M", array = "A", axis = 1 : i64}, {kind = "dim", name = "N", array = "A", axis = 2 : i64}],
    grid = ["B", "M", "N"]}} : () -> ()
}

// -----

// With a cluster of 2x4 CTAs an index numbers clusters: extents are rounded up to whole ones, and
// a CTA's place in its cluster is added after the decoding. The kernel still sees its own extents.
// CHECK-LABEL: module @indices_number_clusters
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%[[M:.*]]: i32, %[[N:.*]]: i32):
// CHECK:         %[[ROWS:.*]] = arith.ceildivsi %[[M]], %c2{{.*}} : i32
// CHECK:         %[[COLUMNS:.*]] = arith.ceildivsi %[[N]], %c4{{.*}} : i32
// CHECK:         %[[ID:.*]] = "nv_tileas.cluster_id"() {cluster = array<i64: 2, 4>} : () -> i32
// CHECK-NOT:     nv_tileas.cta_id
// CHECK:         %[[C:.*]] = arith.remui %[[ID]], %[[COLUMNS]] : i32
// CHECK:         %[[R:.*]] = arith.divui %[[ID]], %[[COLUMNS]] : i32
// CHECK:         %[[TOP:.*]] = arith.muli %[[R]], %c2{{.*}} : i32
// CHECK:         %[[DOWN:.*]] = "nv_tileas.cluster_coord"() {axis = 0 : i64, cluster = array<i64: 2, 4>} : () -> i32
// CHECK:         %[[ROW:.*]] = arith.addi %[[TOP]], %[[DOWN]] : i32
// CHECK:         %[[LEFT:.*]] = arith.muli %[[C]], %c4{{.*}} : i32
// CHECK:         %[[RIGHT:.*]] = "nv_tileas.cluster_coord"() {axis = 1 : i64, cluster = array<i64: 2, 4>} : () -> i32
// CHECK:         %[[COLUMN:.*]] = arith.addi %[[LEFT]], %[[RIGHT]] : i32
// CHECK:         builtin.unrealized_conversion_cast %[[ROW]], %[[COLUMN]], %[[M]], %[[N]]
module @indices_number_clusters {
  "nv_tileaa.func"() ({
  ^bb0(%m: i32, %n: i32):
    %row = "nv_tileas.get_program_id"() {axis = 0 : i32} : () -> i32
    %col = "nv_tileas.get_program_id"() {axis = 1 : i32} : () -> i32
    %rows = "nv_tileas.get_num_programs"() {axis = 0 : i32} : () -> i32
    %cols = "nv_tileas.get_num_programs"() {axis = 1 : i32} : () -> i32
    %use = builtin.unrealized_conversion_cast %row, %col, %rows, %cols : i32, i32, i32, i32 to i64
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), nv_tileaa.kernel_spec = {cluster = [2, 4, 1]}, tilec.kernel = {
    params = [{kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "N", array = "A", axis = 1 : i64}], grid = ["M", "N"]}} : () -> ()
}

// -----

// A cluster covers the last two of three axes; an axis along which it has one CTA stays as it is. A
// tile group counts tiles, not clusters: 8 rows of tiles are 4 rows of clusters.
// CHECK-LABEL: module @clusters_cover_the_last_two_axes
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%[[B:.*]]: i32, %[[M:.*]]: i32, %[[N:.*]]: i32):
// CHECK:         %[[COLUMNS:.*]] = arith.ceildivsi %[[N]], %c64{{.*}} : i32
// CHECK:         %[[ROWS:.*]] = arith.ceildivsi %[[M]], %c2{{.*}} : i32
// CHECK-NOT:     arith.ceildivsi
// CHECK:         %[[ID:.*]] = "nv_tileas.cluster_id"() {cluster = array<i64: 2, 1>} : () -> i32
// CHECK:         %[[PLANE:.*]] = arith.muli %[[ROWS]], %[[COLUMNS]] : i32
// CHECK:         %[[INSIDE:.*]] = arith.remui %[[ID]], %[[PLANE]] : i32
// CHECK:         arith.muli %c4{{.*}}, %[[COLUMNS]] : i32
// CHECK:         %[[R:.*]] = arith.addi
// CHECK:         %[[COLUMN:.*]] = arith.select
// CHECK:         %[[BATCH:.*]] = arith.divui %[[ID]], %[[PLANE]] : i32
// CHECK:         %[[TOP:.*]] = arith.muli %[[R]], %c2{{.*}} : i32
// CHECK:         %[[DOWN:.*]] = "nv_tileas.cluster_coord"() {axis = 0 : i64,
// CHECK-NOT:     nv_tileas.cluster_coord
// CHECK:         %[[ROW:.*]] = arith.addi %[[TOP]], %[[DOWN]] : i32
// CHECK:         builtin.unrealized_conversion_cast %[[BATCH]], %[[ROW]], %[[COLUMN]]
module @clusters_cover_the_last_two_axes {
  "nv_tileaa.func"() ({
  ^bb0(%b: i32, %m: i32, %n: i32):
    %z = "nv_tileas.get_program_id"() {axis = 0 : i32} : () -> i32
    %y = "nv_tileas.get_program_id"() {axis = 1 : i32} : () -> i32
    %x = "nv_tileas.get_program_id"() {axis = 2 : i32} : () -> i32
    %use = builtin.unrealized_conversion_cast %z, %y, %x : i32, i32, i32 to i64
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32, i32) -> (), nv_tileaa.kernel_spec = {cluster = [2, 1, 1], tile_group = 8 : i64}, tilec.kernel = {
    params = [{kind = "dim", name = "B", array = "A", axis = 0 : i64}, {kind = "dim", name = "M", array = "A", axis = 1 : i64}, {kind = "dim", name = "N", array = "A", axis = 2 : i64}],
    grid = ["B", "M", "cdiv(N, 64)"]}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#ldg = #cute.copy_atom<"sm90_ldg_128_f32", "ldg", 1 : i64, 128 : i64, f32>
#stg = #cute.copy_atom<"sm90_stg_128_f32", "stg", 1 : i64, 128 : i64, f32>

// A persistent kernel steps from cluster to cluster, so that the CTAs of one stay together. Its last
// clusters may have tiles beyond the array, so no access is in bounds for certain any more.
// CHECK-LABEL: module @clusters_stay_together
// CHECK:         %[[ROWS:.*]] = arith.ceildivsi %{{.*}}, %c2
// CHECK:         %[[FIRST:.*]] = "nv_tileas.cluster_id"() {cluster = array<i64: 2, 1>} : () -> i32
// CHECK:         %[[TOTAL:.*]] = arith.muli %[[ROWS]], %
// CHECK:         %[[STEP:.*]] = "nv_tileas.num_clusters"() {cluster = array<i64: 2, 1>} : () -> i32
// CHECK:         scf.for %{{.*}} = %[[FIRST]] to %[[TOTAL]] step %[[STEP]] : i32 {
// CHECK:           "nv_tileas.cluster_coord"() {axis = 0 : i64,
// CHECK-NOT:       in_bounds
// CHECK:           "nv_tileas.tiled_load"
// CHECK-NOT:       in_bounds
// CHECK:           "nv_tileas.tiled_store"
// CHECK-NOT:       in_bounds
// CHECK:         "nv_tileaa.return"
module @clusters_stay_together {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %m: i32, %n: i32, %s: i64):
    %row = "nv_tileas.get_program_id"() {axis = 0 : i32} : () -> i32
    %col = "nv_tileas.get_program_id"() {axis = 1 : i32} : () -> i32
    %v = "nv_tileas.make_memref"(%p, %m, %n, %s) : (!nv_tileaa.ptr<f32>, i32, i32, i64) -> !v
    %x, %t = "nv_tileas.tiled_load"(%v, %row, %col) {in_bounds = array<i1: true, true>, atom = #ldg} : (!v, i32, i32) -> (tensor<32x32xf32>, !token)
    %u = "nv_tileas.tiled_store"(%v, %x, %row, %col) {in_bounds = array<i1: true, false>, atom = #stg} : (!v, tensor<32x32xf32>, i32, i32) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i32, i32, i64) -> (), nv_tileaa.kernel_spec = {cluster = [2, 1, 1], persistent = true}, tilec.kernel = {
    params = [{kind = "pointer", array = "A"}, {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "N", array = "A", axis = 1 : i64}, {kind = "stride", array = "A", axis = 0 : i64}],
    grid = ["M", "N"]}} : () -> ()
}

// -----

// A tile order makes the axes digits in this order: here the first axis is the fastest.
// CHECK-LABEL: module @the_plan_orders_the_axes
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%[[M:.*]]: i32, %[[H:.*]]: i32):
// CHECK:         %[[ID:.*]] = "nv_tileas.cta_id"
// CHECK:         %[[ROW:.*]] = arith.remui %[[ID]], %[[M]]
// CHECK:         %[[HEAD:.*]] = arith.divui %[[ID]], %[[M]]
// CHECK:         builtin.unrealized_conversion_cast %[[ROW]], %[[HEAD]]
module @the_plan_orders_the_axes {
  "nv_tileaa.func"() ({
  ^bb0(%m: i32, %h: i32):
    %row = "nv_tileas.get_program_id"() {axis = 0 : i32} : () -> i32
    %head = "nv_tileas.get_program_id"() {axis = 1 : i32} : () -> i32
    %use = builtin.unrealized_conversion_cast %row, %head : i32, i32 to i64
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), nv_tileaa.kernel_spec = {tile_order = [1, 0]}, tilec.kernel = {
    params = [{kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "H", array = "A", axis = 1 : i64}], grid = ["M", "H"]}} : () -> ()
}

// -----

// A CTA takes long and short tiles alternately: two tiles in a row, of an axis that is visited from both
// ends. What does not fill two rounds comes last: the shortest tiles of all heads.
// CHECK-LABEL: module @long_and_short_tiles_alternate
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%[[H:.*]]: i32, %[[M:.*]]: i32):
// CHECK:         %[[ALL:.*]] = arith.muli %[[H]], %[[M]]
// CHECK:         %[[LEFT:.*]] = arith.remui %{{.*}}, %{{.*}} : i32
// CHECK-NEXT:    scf.for %[[TILE:.*]] = %{{.*}} to %[[ALL]] step %{{.*}} :
// CHECK-NEXT:      %[[REST:.*]] = "nv_tileas.opaque"(%[[LEFT]])
// CHECK-NEXT:      %[[LOW:.*]] = arith.divui %[[REST]], %[[H]]
// CHECK:           %[[CTAS:.*]] = "nv_tileas.num_ctas"
// CHECK:           %[[BOTH:.*]] = arith.addi %[[CTAS]], %[[CTAS]]
// CHECK:           %[[INSIDE:.*]] = arith.remui %[[TILE]], %[[BOTH]]
// CHECK:           %[[SECOND:.*]] = arith.cmpi uge, %[[INSIDE]], %[[CTAS]]
// CHECK:           %[[LAST:.*]] = arith.cmpi uge, %[[TILE]], %{{.*}}
// CHECK:           %[[QUOTIENT:.*]] = arith.divui
// CHECK:           %[[DIGIT:.*]] = arith.subi
// CHECK:           %[[HEAD:.*]] = arith.select %[[LAST]], %[[DIGIT]], %{{.*}}
// CHECK:           %[[ROW:.*]] = arith.select %[[LAST]], %[[QUOTIENT]], %{{.*}}
// CHECK:           builtin.unrealized_conversion_cast %[[HEAD]], %[[ROW]]
module @long_and_short_tiles_alternate {
  "nv_tileaa.func"() ({
  ^bb0(%h: i32, %m: i32):
    %head = "nv_tileas.get_program_id"() {axis = 0 : i32} : () -> i32
    %row = "nv_tileas.get_program_id"() {axis = 1 : i32} : () -> i32
    %use = builtin.unrealized_conversion_cast %head, %row : i32, i32 to i64
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), nv_tileaa.kernel_spec = {persistent = true, tile_order = [0, 1], balance_tiles = 1 : i64}, tilec.kernel = {
    params = [{kind = "dim", name = "H", array = "A", axis = 0 : i64}, {kind = "dim", name = "M", array = "A", axis = 1 : i64}], grid = ["H", "M"]}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#ldg = #cute.copy_atom<"sm90_ldg_16_bf16", "ldg", 1 : i64, 16 : i64, bf16>
#stg = #cute.copy_atom<"sm90_stg_16_bf16", "stg", 1 : i64, 16 : i64, bf16>
#mma = #cute.mma_atom<"sm90_wgmma_m64n64k16_f32_bf16_bf16", array<i64: 64, 64, 16>>

// With a serpentine order, the first k-tile is the last one of the loop and so on in the second, fourth,
// ... round of the loop over tiles. Every use of the number of the k-tile gets the mirrored number; the
// loop itself counts as before. Both products of a round belong to the same k-tile.
// CHECK-LABEL: module @every_second_tile_begins_at_the_end
// CHECK:         ^bb0(%{{.*}}, %[[M:.*]]: i32, %[[FROM:.*]]: i32, %[[TO:.*]]: i32):
// CHECK:         %[[ID:.*]] = "nv_tileas.cta_id"
// CHECK:         %[[STEP:.*]] = arith.constant 64 : i32
// CHECK:         %[[IDS:.*]] = "nv_tileas.num_ctas"
// CHECK:         %[[LENGTH:.*]] = arith.subi %[[TO]], %[[FROM]] : i32
// CHECK-NEXT:    %[[ROUNDS:.*]] = arith.ceildivsi %[[LENGTH]], %[[STEP]] : i32
// CHECK-NEXT:    %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-NEXT:    %[[MORE:.*]] = arith.subi %[[ROUNDS]], %[[ONE]] : i32
// CHECK-NEXT:    %[[WAY:.*]] = arith.muli %[[MORE]], %[[STEP]] : i32
// CHECK-NEXT:    %[[LAST:.*]] = arith.addi %[[FROM]], %[[WAY]] : i32
// CHECK-NEXT:    %[[ENDS:.*]] = arith.addi %[[FROM]], %[[LAST]] : i32
// CHECK-NEXT:    scf.for %[[TILE:.*]] = %[[ID]] to %{{.*}} step %[[IDS]]
// CHECK-NEXT:      %[[ROUND:.*]] = arith.divui %[[TILE]], %[[IDS]] : i32
// CHECK-NEXT:      %[[TWO:.*]] = arith.constant 2 : i32
// CHECK-NEXT:      %[[ODD:.*]] = arith.remui %[[ROUND]], %[[TWO]] : i32
// CHECK-NEXT:      %[[SET:.*]] = arith.constant 1 : i32
// CHECK-NEXT:      %[[BACKWARDS:.*]] = arith.cmpi eq, %[[ODD]], %[[SET]] : i32
// CHECK:           scf.for %[[K:.*]] = %[[FROM]] to %[[TO]] step %[[STEP]] iter_args
// CHECK-NEXT:        %[[MIRRORED:.*]] = arith.subi %[[ENDS]], %[[K]] : i32
// CHECK-NEXT:        %[[AT:.*]] = arith.select %[[BACKWARDS]], %[[MIRRORED]], %[[K]] : i32
// CHECK-NEXT:        "nv_tileas.tiled_load"(%{{.*}}, %{{.*}}, %[[AT]])
// CHECK-NEXT:        "nv_tileas.tiled_load"(%{{.*}}, %[[AT]], %{{.*}})
// CHECK-NOT:         %[[K]]
// CHECK:         nv_tileas.tiled_store
module @every_second_tile_begins_at_the_end {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %m: i32, %from: i32, %to: i32):
    %tile = "nv_tileas.get_program_id"() {axis = 0 : i32} : () -> i32
    %zeros = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %c64 = arith.constant 64 : i32
    %row = arith.muli %tile, %c64 : i32
    %sums:2 = scf.for %k = %from to %to step %c64 iter_args(%sum = %zeros, %other = %zeros) -> (tensor<64x64xf32>, tensor<64x64xf32>) : i32 {
      %a, %t1 = "nv_tileas.tiled_load"(%v, %row, %k) {atom = #ldg} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
      %b, %t2 = "nv_tileas.tiled_load"(%v, %k, %row) {atom = #ldg} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
      %p = "nv_tileas.dot"(%a, %b, %sum) {a_major = "k", b_major = "n", atom = #mma} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %q = "nv_tileas.dot"(%a, %a, %other) {a_major = "k", b_major = "n", atom = #mma} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      scf.yield %p, %q : tensor<64x64xf32>, tensor<64x64xf32>
    }
    %both = arith.addf %sums#0, %sums#1 : tensor<64x64xf32>
    %d = arith.truncf %both : tensor<64x64xf32> to tensor<64x64xbf16>
    %t3 = "nv_tileas.tiled_store"(%v, %d, %row, %row) {atom = #stg} : (!v, tensor<64x64xbf16>, i32, i32) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, i32) -> (), nv_tileaa.kernel_spec = {persistent = true, snake_k = true}, tilec.kernel = {
    params = [{kind = "array", name = "v"}, {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "scalar", name = "from"}, {kind = "scalar", name = "to"}], grid = ["cdiv(M, 64)"]}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#ldg = #cute.copy_atom<"sm90_ldg_16_bf16", "ldg", 1 : i64, 16 : i64, bf16>
#stg = #cute.copy_atom<"sm90_stg_16_bf16", "stg", 1 : i64, 16 : i64, bf16>
#mma = #cute.mma_atom<"sm90_wgmma_m64n64k16_f32_bf16_bf16", array<i64: 64, 64, 16>>

// The loop over tiles runs over three items for each tile, the loop over k-tiles over a third of them.
// All splits but the last one store their partial sum; the last one waits for both of them and adds them
// to its own. What the products do not need runs in the last split, also the load before them.
// CHECK-LABEL: module @the_last_of_three_splits_adds_them_up
// CHECK:         %[[ITEMS:.*]] = arith.muli %[[TILES:.*]], %{{c3_i32.*}} : i32
// CHECK:         %[[WAITING:.*]] = arith.muli %[[TILES]], %{{c2_i32.*}} : i32
// CHECK:         %[[ROUNDS:.*]] = arith.ceildivsi %{{.*}}, %{{c3_i32.*}} : i32
// CHECK:         %[[SHARE:.*]] = arith.muli %[[ROUNDS]], %[[STEP:.*]] : i32
// CHECK:         %[[COUNTERS:.*]] = "nv_tileas.workspace"() {hidden_name = "counters", size = "(cdiv(M, 64)) * 4", zeroed} : () -> !nv_tileaa.ptr<i32>
// CHECK:         %[[PARTIALS:.*]] = "nv_tileas.workspace"() {hidden_name = "workspace", size = "(cdiv(M, 64)) * 32768"} : () -> !nv_tileaa.ptr<f32>
// CHECK:         scf.for %[[ITEM:.*]] = %{{.*}} to %[[ITEMS]] step
// CHECK:           %[[LAST:.*]] = arith.cmpi sge, %[[ITEM]], %[[WAITING]] : i32
// CHECK:           %[[TILE:.*]] = arith.remui %[[ITEM]], %[[TILES]] : i32
// CHECK:           %[[SPLIT:.*]] = arith.divui %[[ITEM]], %[[TILES]] : i32
// CHECK:           %[[ROW:.*]] = arith.muli %[[TILE]], %c64
// CHECK-NOT:       tiled_load
// CHECK:           %[[OWN:.*]] = arith.muli %[[SPLIT]], %[[SHARE]] : i32
// CHECK:           %[[FIRST:.*]] = arith.addi %c0{{[^,]*}}, %[[OWN]] : i32
// CHECK:           %[[NEXT:.*]] = arith.addi %[[FIRST]], %[[SHARE]] : i32
// CHECK:           %[[END:.*]] = arith.minsi %{{.*}}, %[[NEXT]] : i32
// CHECK:           %[[ACC:.*]] = scf.for %{{.*}} = %[[FIRST]] to %[[END]] step %[[STEP]]
// CHECK:             nv_tileas.dot
// CHECK:           scf.if %[[LAST]] {
// CHECK-NEXT:        "nv_tileas.await_partials"(%[[COUNTERS]], %[[TILE]], %[[SPLIT]])
// CHECK-NEXT:        "nv_tileas.barrier"()
// CHECK:             %[[ONE:.*]] = "nv_tileas.add_partial"(%[[ACC]], %[[PARTIALS]], %[[TILE]], %c0{{[^)]*}}) {count = 2 : i64}
// CHECK:             %[[SUM:.*]] = "nv_tileas.add_partial"(%[[ONE]], %[[PARTIALS]], %[[TILE]], %c1{{[^)]*}}) {count = 2 : i64}
// CHECK:             %[[R:.*]]:2 = "nv_tileas.tiled_load"
// CHECK:             %[[D:.*]] = arith.truncf %[[SUM]]
// CHECK:             "nv_tileas.tiled_store"
// CHECK-NEXT:        "nv_tileas.reset_partials"(%[[COUNTERS]], %[[TILE]])
// CHECK-NEXT:      } else {
// CHECK-NEXT:        "nv_tileas.store_partial"(%[[ACC]], %[[PARTIALS]], %[[TILE]], %[[SPLIT]]) {count = 2 : i64}
// CHECK-NEXT:        "nv_tileas.barrier"()
// CHECK-NEXT:        "nv_tileas.arrive_partial"(%[[COUNTERS]], %[[TILE]])
// CHECK-NEXT:      }
// CHECK:       cooperative_launch = true
// CHECK-SAME:  split_k = 3 : i64
module @the_last_of_three_splits_adds_them_up {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %m: i32, %n: i32):
    %tile = "nv_tileas.get_program_id"() {axis = 0 : i32} : () -> i32
    %zeros = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %c64 = arith.constant 64 : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %row = arith.muli %tile, %c64 : i32
    %r, %t0 = "nv_tileas.tiled_load"(%v, %row, %row) {atom = #ldg} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
    %acc = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %zeros) -> (tensor<64x64xf32>) : i32 {
      %a, %t1 = "nv_tileas.tiled_load"(%v, %row, %k) {atom = #ldg} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
      %b, %t2 = "nv_tileas.tiled_load"(%v, %k, %row) {atom = #ldg} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
      %p = "nv_tileas.dot"(%a, %b, %sum) {a_major = "k", b_major = "n", atom = #mma} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      scf.yield %p : tensor<64x64xf32>
    }
    %d = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
    %e = arith.addf %d, %r : tensor<64x64xbf16>
    %t3 = "nv_tileas.tiled_store"(%v, %e, %row, %row) {atom = #stg} : (!v, tensor<64x64xbf16>, i32, i32) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32) -> (), nv_tileaa.kernel_spec = {persistent = true, split_k = 3 : i64}, tilec.kernel = {
    params = [{kind = "array", name = "v"}, {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "scalar", name = "n"}], grid = ["cdiv(M, 64)"]}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#ldg = #cute.copy_atom<"sm90_ldg_16_bf16", "ldg", 1 : i64, 16 : i64, bf16>
#stg = #cute.copy_atom<"sm90_stg_16_bf16", "stg", 1 : i64, 16 : i64, bf16>
#mma = #cute.mma_atom<"sm90_wgmma_m64n64k16_f32_bf16_bf16", array<i64: 64, 64, 16>>

// Partial sums that registers do not hold together are added in a loop, as many in a round as they
// hold: two of three here, and the third after the loop.
// CHECK-LABEL: module @many_are_added_in_a_loop
// CHECK:           %[[SPLIT:.*]] = arith.divui
// CHECK:           %[[ACC:.*]] = scf.for
// CHECK:             nv_tileas.dot
// CHECK:             %[[END:.*]] = arith.subi %[[SPLIT]], %{{c1_i32.*}} : i32
// CHECK:             %[[PAIRS:.*]] = scf.for %[[FIRST:.*]] = %{{c0_i32.*}} to %[[END]] step %{{c2_i32.*}} iter_args(%[[SOFAR:.*]] = %[[ACC]])
// CHECK-NEXT:          %[[ONE:.*]] = "nv_tileas.add_partial"(%[[SOFAR]], %{{.*}}, %{{.*}}, %[[FIRST]]) {count = 3 : i64}
// CHECK:               %[[SECOND:.*]] = arith.addi %[[FIRST]], %{{c1_i32.*}} : i32
// CHECK-NEXT:          %[[TWO:.*]] = "nv_tileas.add_partial"(%[[ONE]], %{{.*}}, %{{.*}}, %[[SECOND]]) {count = 3 : i64}
// CHECK-NEXT:          scf.yield %[[TWO]]
// CHECK:             %[[SUM:.*]] = "nv_tileas.add_partial"(%[[PAIRS]], %{{.*}}, %{{.*}}, %[[END]]) {count = 3 : i64}
// CHECK:             arith.truncf %[[SUM]]
module @many_are_added_in_a_loop {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %m: i32, %n: i32):
    %tile = "nv_tileas.get_program_id"() {axis = 0 : i32} : () -> i32
    %zeros = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %c64 = arith.constant 64 : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %row = arith.muli %tile, %c64 : i32
    %r, %t0 = "nv_tileas.tiled_load"(%v, %row, %row) {atom = #ldg} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
    %acc = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %zeros) -> (tensor<64x64xf32>) : i32 {
      %a, %t1 = "nv_tileas.tiled_load"(%v, %row, %k) {atom = #ldg} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
      %b, %t2 = "nv_tileas.tiled_load"(%v, %k, %row) {atom = #ldg} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
      %p = "nv_tileas.dot"(%a, %b, %sum) {a_major = "k", b_major = "n", atom = #mma} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      scf.yield %p : tensor<64x64xf32>
    }
    %d = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
    %e = arith.addf %d, %r : tensor<64x64xbf16>
    %t3 = "nv_tileas.tiled_store"(%v, %e, %row, %row) {atom = #stg} : (!v, tensor<64x64xbf16>, i32, i32) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32) -> (), nv_tileaa.kernel_spec = {persistent = true, split_k = 4 : i64}, tilec.kernel = {
    params = [{kind = "array", name = "v"}, {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "scalar", name = "n"}], grid = ["cdiv(M, 64)"]}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!out = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>
!lengths = !nv_tileaa.memref<memref<?xi32, strided<[1]>, 1>, 2 : i64>
!token = !nv_tileaa.mem_token
#ldg = #cute.copy_atom<"sm90_ldg_16_bf16", "ldg", 1 : i64, 16 : i64, bf16>
#stg = #cute.copy_atom<"sm90_stg_16_bf16", "stg", 1 : i64, 16 : i64, bf16>
#mma = #cute.mma_atom<"sm90_wgmma_m64n64k16_f32_bf16_bf16", array<i64: 64, 64, 16>>

// Loaded lengths decide whether a block does anything, and how many rounds it has. Every CTA sorts the items,
// which are tiles and sequences but no heads, by that, and takes its tiles from a list. A round costs 2, the ends of
// a tile 3, and a tile that does nothing 0.
// CHECK-LABEL: module @sorted_tiles
// CHECK:         ^bb0({{.*}}, %[[M:[^ ]*]]: i32, %[[S:[^ ]*]]: i32, %[[H:[^ ]*]]: i32):
// CHECK:         %[[TILES:.*]] = arith.ceildivsi %[[M]],
// CHECK:         %[[LENGTHS:.*]] = "nv_tileas.make_memref"(%{{.*}}, %[[S]])
// CHECK:         "nv_tileas.num_ctas"
// CHECK:         %[[ITEMS:.*]] = arith.muli %[[TILES]], %[[S]]
// CHECK:         %[[PLACE:.*]] = "nv_tileas.workspace"() {hidden_name = "tile_order", size = "((cdiv(M, 64)) * (S)) * 16 + 4100"}
// CHECK-NEXT:    %[[ORDER:.*]] = "nv_tileas.order_items"(%[[PLACE]], %[[ITEMS]]) ({
// CHECK-NEXT:    ^bb0(%[[ITEM:.*]]: i32):
// CHECK:           %[[SEQUENCE:.*]] = arith.remui %[[ITEM]], %[[S]]
// CHECK-NEXT:      %[[TILE:.*]] = arith.divui %[[ITEM]], %[[S]]
// CHECK:           %[[ROW:.*]] = arith.muli %[[TILE]],
// CHECK:           %[[LENGTH:.*]]:2 = "nv_tileas.gather"(%[[LENGTHS]], %[[SEQUENCE]],
// CHECK:           %[[SOME:.*]] = arith.cmpi slt, %[[ROW]], %[[LENGTH]]#0
// CHECK:           %[[DOES:.*]]:2 = scf.if %[[SOME]] -> (i32, i1) {
// CHECK:             %[[LONG:.*]] = arith.ceildivui
// CHECK:             %[[ROUNDS:.*]] = arith.minui %[[LONG]], %c1048576
// CHECK:             %[[ANY:.*]] = arith.select %{{.*}}, %[[ROUNDS]],
// CHECK:             %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT:        scf.yield %[[ANY]], %[[TRUE]]
// CHECK-NEXT:      } else {
// CHECK:             %[[FALSE:.*]] = arith.constant false
// CHECK-NEXT:        scf.yield %{{.*}}, %[[FALSE]]
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[TWO:.*]] = arith.constant 2
// CHECK-NEXT:      %[[EACH:.*]] = arith.muli %[[DOES]]#0, %[[TWO]]
// CHECK-NEXT:      %[[THREE:.*]] = arith.constant 3
// CHECK-NEXT:      %[[ALL:.*]] = arith.addi %[[EACH]], %[[THREE]]
// CHECK:           %[[COST:.*]] = arith.select %[[DOES]]#1, %[[ALL]],
// CHECK-NEXT:      "nv_tileas.yield_values"(%[[COST]])
// CHECK-NEXT:    })
// CHECK-NEXT:    %[[LISTS:.*]] = "nv_tileas.workspace"() {hidden_name = "dealt_tiles", size = "((cdiv(M, 64)) * (S) * (H)) * 8 + ((H)) * 1280 + 2560"}
// CHECK-NEXT:    %[[DEALT:.*]] = "nv_tileas.deal_items"(%[[LISTS]], %[[ORDER]], %[[ITEMS]], %[[H]], %[[H]]) {balanced = 1 : i64}
// CHECK:         %[[LIST:.*]] = "nv_tileas.make_memref"(%[[DEALT]],
// CHECK:         %[[ID:.*]] = "nv_tileas.cta_id"
// CHECK-NEXT:    %[[LISTED:.*]] = arith.minui %[[ID]],
// CHECK-NEXT:    %[[OWN:.*]] = arith.muli %[[LISTED]],
// CHECK:         %[[COUNT:.*]]:2 = "nv_tileas.gather"(%[[LIST]], %[[OWN]],
// CHECK-NEXT:    %[[N:.*]] = arith.trunci %[[COUNT]]#0
// CHECK:         %[[FIRST:.*]] = arith.addi %[[OWN]],
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %[[N]] step
// CHECK-NEXT:      %[[AT:.*]] = arith.addi %[[FIRST]], %[[I]]
// CHECK:           %[[WORD:.*]]:2 = "nv_tileas.gather"(%[[LIST]], %[[AT]],
// CHECK-NEXT:      %[[LOWER:.*]] = arith.trunci %[[WORD]]#0
// CHECK:           %[[UPPER:.*]] = arith.shrui %[[WORD]]#0,
// CHECK-NEXT:      %[[HEAD:.*]] = arith.trunci %[[UPPER]]
// CHECK:           arith.remui %[[LOWER]], %[[S]]
// CHECK:           %[[TAKEN:.*]] = arith.constant true
// CHECK-NEXT:      scf.if %[[TAKEN]] {
// CHECK:             %[[COLUMN:.*]] = arith.muli %[[HEAD]],
// CHECK:             "nv_tileas.tiled_store"({{.*}}, %[[COLUMN]])
module @sorted_tiles {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %o: !out, %p: !nv_tileaa.ptr<i32>, %m: i32, %s: i32, %h: i32):
    %lengths = "nv_tileas.make_memref"(%p, %s) : (!nv_tileaa.ptr<i32>, i32) -> !lengths
    %zeros = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %tile = "nv_tileas.get_program_id"() {axis = 0 : i32} : () -> i32
    %sequence = "nv_tileas.get_program_id"() {axis = 1 : i32} : () -> i32
    %head = "nv_tileas.get_program_id"() {axis = 2 : i32} : () -> i32
    %length, %t0 = "nv_tileas.gather"(%lengths, %sequence, %c0) {mem_semantic = "weak", operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>} : (!lengths, i32, i32) -> (i32, !token)
    %row = arith.muli %tile, %c64 : i32
    %some = arith.cmpi slt, %row, %length : i32
    scf.if %some {
      %column = arith.muli %head, %c64 : i32
      %sums = scf.for %k = %c0 to %length step %c64 iter_args(%sum = %zeros) -> (tensor<64x64xf32>) : i32 {
        %a, %t1 = "nv_tileas.tiled_load"(%v, %row, %k) {atom = #ldg} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
        %b, %t2 = "nv_tileas.tiled_load"(%v, %k, %column) {atom = #ldg} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
        %q = "nv_tileas.dot"(%a, %b, %sum) {a_major = "k", b_major = "n", atom = #mma} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
        scf.yield %q : tensor<64x64xf32>
      }
      %d = arith.truncf %sums : tensor<64x64xf32> to tensor<64x64xbf16>
      %t3 = "nv_tileas.tiled_store"(%o, %d, %row, %column) {atom = #stg} : (!out, tensor<64x64xbf16>, i32, i32) -> !token
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, !out, !nv_tileaa.ptr<i32>, i32, i32, i32) -> (), nv_tileaa.kernel_spec = {persistent = true, order_tiles = true}, tilec.kernel = {
    params = [{kind = "view"}, {kind = "view"}, {kind = "pointer"}, {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "S", array = "A", axis = 0 : i64}, {kind = "dim", name = "H", array = "A", axis = 0 : i64}],
    grid = ["cdiv(M, 64)", "S", "H"]}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!k = !nv_tileaa.memref<memref<?x?x64xbf16, strided<[?, 64, 1]>, 1>, 1 : i64>
!out = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 2 : i64>
!lengths = !nv_tileaa.memref<memref<?xi32, strided<[1]>, 1>, 3 : i64>
!token = !nv_tileaa.mem_token
#ldg = #cute.copy_atom<"sm90_ldg_16_bf16", "ldg", 1 : i64, 16 : i64, bf16>
#ldg3 = #cute.copy_atom<"sm90_ldg_16_bf16", "ldg", 1 : i64, 16 : i64, bf16>
#stg = #cute.copy_atom<"sm90_stg_16_bf16", "stg", 1 : i64, 16 : i64, bf16>
#mma = #cute.mma_atom<"sm90_wgmma_m64n64k16_f32_bf16_bf16", array<i64: 64, 64, 16>>

// Costs depend on the quotient of a coordinate. The other digit of it is free, if the number divides the extent.
// Each head reads keys of its own: as many run at the same time as read 1048576 bytes of them. Tiles of a batch
// share them, so the tile is the last digit of an item. What is stored beyond the end of a slice is nothing.
// CHECK-LABEL: module @heads_read_apart
// CHECK:         ^bb0({{.*}}, %[[T:[^ ]*]]: i32, %[[B:[^ ]*]]: i32, %[[H:[^ ]*]]: i32, %[[BH:[^ ]*]]: i32):
// CHECK:         %[[TILES:.*]] = arith.ceildivsi %[[T]],
// CHECK:         %[[LEAST:.*]] = arith.maxsi %[[H]],
// CHECK-NEXT:    %[[REST:.*]] = arith.remui %[[BH]], %[[LEAST]]
// CHECK:         %[[DIVIDES:.*]] = arith.cmpi eq, %[[REST]],
// CHECK:         %[[BY:.*]] = arith.select %[[DIVIDES]], %[[LEAST]],
// CHECK:         %[[BATCHES:.*]] = arith.divui %[[BH]], %[[BY]]
// CHECK:         %[[ITEMS:.*]] = arith.muli %[[BATCHES]], %{{.*}} : i32
// CHECK:         "nv_tileas.order_items"(%{{.*}}, %[[ITEMS]])
// CHECK-NEXT:    ^bb0(%[[ITEM:.*]]: i32):
// CHECK:           arith.remui %[[ITEM]], %[[TILES]]
// CHECK:           %[[COORD:.*]] = arith.addi
// CHECK:           arith.divsi %[[COORD]], %[[H]]
// CHECK:           %[[STORED:.*]] = arith.muli
// CHECK-NEXT:      %[[INSIDE:.*]] = arith.cmpi slt, %[[STORED]], %{{.*}} : i32
// CHECK:           %[[COST:.*]] = arith.select %[[INSIDE]],
// CHECK-NEXT:      "nv_tileas.yield_values"(%[[COST]])
// CHECK:         %[[KEPT:.*]] = arith.constant 1048576 : i64
// CHECK:         %[[FITS:.*]] = arith.divui %[[KEPT]],
// CHECK:         %[[TOGETHER:.*]] = arith.trunci
// CHECK:         "nv_tileas.deal_items"(%{{.*}}, %{{.*}}, %[[ITEMS]], %[[BY]], %[[TOGETHER]])
module @heads_read_apart {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %kp: !nv_tileaa.ptr<bf16>, %op: !nv_tileaa.ptr<bf16>, %p: !nv_tileaa.ptr<i32>, %w: i64, %t: i32, %b: i32, %h: i32, %bh: i32):
    %lengths = "nv_tileas.make_memref"(%p, %b) : (!nv_tileaa.ptr<i32>, i32) -> !lengths
    %keys = "nv_tileas.make_memref"(%kp, %bh, %t, %w) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !k
    %zeros = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %tile = "nv_tileas.get_program_id"() {axis = 0 : i32} : () -> i32
    %bhead = "nv_tileas.get_program_id"() {axis = 1 : i32} : () -> i32
    %batch = arith.divsi %bhead, %h : i32
    %length, %t0 = "nv_tileas.gather"(%lengths, %batch, %c0) {mem_semantic = "weak", operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>} : (!lengths, i32, i32) -> (i32, !token)
    %row = arith.muli %tile, %c64 : i32
    %sums = scf.for %n = %c0 to %length step %c64 iter_args(%sum = %zeros) -> (tensor<64x64xf32>) : i32 {
      %x, %t1 = "nv_tileas.tiled_load"(%keys, %bhead, %n, %c0) {atom = #ldg3} : (!k, i32, i32, i32) -> (tensor<1x64x64xbf16>, !token)
      %a = "nv_tileas.view"(%x) : (tensor<1x64x64xbf16>) -> tensor<64x64xbf16>
      %q = "nv_tileas.dot"(%a, %a, %sum) {a_major = "k", b_major = "n", atom = #mma} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      scf.yield %q : tensor<64x64xf32>
    }
    %d = arith.truncf %sums : tensor<64x64xf32> to tensor<64x64xbf16>
    %whole = "nv_tileas.make_memref"(%op, %t, %t, %w) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !out
    %base = "nv_tileas.slice_base"(%whole, %c0) {dim = 0 : i64} : (!out, i32) -> !nv_tileaa.ptr<bf16>
    %o = "nv_tileas.make_memref"(%base, %length, %t, %w) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !out
    %t3 = "nv_tileas.tiled_store"(%o, %d, %row, %bhead) {atom = #stg} : (!out, tensor<64x64xbf16>, i32, i32) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, !nv_tileaa.ptr<bf16>, !nv_tileaa.ptr<bf16>, !nv_tileaa.ptr<i32>, i64, i32, i32, i32, i32) -> (), nv_tileaa.kernel_spec = {persistent = true, order_tiles = true, order_bytes = 1048576 : i64}, tilec.kernel = {
    params = [{kind = "view"}, {kind = "pointer"}, {kind = "pointer"}, {kind = "pointer"}, {kind = "stride"}, {kind = "dim", name = "T", array = "A", axis = 0 : i64}, {kind = "dim", name = "B", array = "A", axis = 0 : i64}, {kind = "dim", name = "H", array = "A", axis = 0 : i64}, {kind = "dim", name = "BH", array = "A", axis = 0 : i64}],
    grid = ["cdiv(T, 64)", "BH"]}} : () -> ()
}
