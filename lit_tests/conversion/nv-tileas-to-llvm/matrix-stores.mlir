// RUN: tilec opt %s --passes convert-nv-tileas-to-llvm,canonicalize,cse --split-input-file | FileCheck %s

// The pass stores tiles to shared memory by stmatrix where the layouts allow it.

!s = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!t = tensor<64x64xbf16, #nv_tileas.layout<"64x64|reg:2*(0,1),2*(8,0),8*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)">>

// A part of an accumulator: lane 8m + i gives the address of row i of matrix m, the m-th of four blocks
// of 8 columns. The swizzle is applied once. An offset of eight rows is an immediate; the right half
// of a row has another value of the swizzled bits. Registers 2j and 2j + 1 are one operand.
// CHECK-LABEL: llvm.func @rows_of_four_matrices
// CHECK:         %[[LANE:.*]] = arith.remui %{{.*}}, %c32
// CHECK:         %[[ROW_OF_LANE:.*]] = arith.remui %[[LANE]], %c8
// CHECK:         %[[MATRIX:.*]] = arith.divui %[[LANE]], %c8
// CHECK:         %[[ROW_OF_WARP:.*]] = arith.muli %{{.*}}, %c16
// CHECK:         %[[ROW:.*]] = arith.addi %[[ROW_OF_LANE]], %[[ROW_OF_WARP]]
// CHECK:         %[[COLUMN:.*]] = arith.muli %[[MATRIX]], %c16
// CHECK:         %[[PITCH:.*]] = arith.muli %[[ROW]], %c128
// CHECK:         %[[LINEAR:.*]] = arith.addi %[[COLUMN]], %[[PITCH]]
// CHECK:         %[[LEFT:.*]] = arith.xori %[[LINEAR]], %{{.*}}
// CHECK:         %[[P:.*]] = llvm.getelementptr %[[SMEM:.*]][%[[LEFT]]]
// CHECK-NEXT:    nvvm.stmatrix %[[P]], %[[W:[^ ]*]], %[[W]], %[[W]], %[[W]] {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>}
// CHECK-NEXT:    %[[Q:.*]] = llvm.getelementptr %[[P]][1024]
// CHECK-NEXT:    nvvm.stmatrix %[[Q]],
// CHECK-NEXT:    %[[RIGHT:.*]] = arith.xori %[[LEFT]], %c64
// CHECK-NEXT:    %[[R:.*]] = llvm.getelementptr %[[SMEM]][%[[RIGHT]]]
// CHECK-NEXT:    nvvm.stmatrix %[[R]],
// CHECK-NEXT:    %[[S:.*]] = llvm.getelementptr %[[R]][1024]
// CHECK-NEXT:    nvvm.stmatrix %[[S]],
// CHECK-NOT:     nvvm.stmatrix
// CHECK-NOT:     llvm.store
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = arith.constant dense<0.0> : !t
    "nv_tileas.store_shared"(%x, %s) : (!t, !s) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "rows_of_four_matrices", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!s = !nv_tileas.smem<tensor<16x64xf16, #nv_tileas.shared_layout<array<i64: 16, 64>, 128 : i64>>>
!f = tensor<16x64xf32, #nv_tileas.layout<"16x64|reg:2*(1,0),2*(0,8),2*(8,0)|lane:4*(2,0),8*(0,1)|warp:4*(0,16)">>
!t = tensor<16x64xf16, #nv_tileas.layout<"16x64|reg:2*(1,0),2*(0,8),2*(8,0)|lane:4*(2,0),8*(0,1)|warp:4*(0,16)">>

// A part of the transposed accumulator: rows in memory are columns of the matrices. The pair that one
// conversion made is one operand.
// CHECK-LABEL: llvm.func @columns_of_transposed_matrices
// CHECK:         %[[PAIR:.*]] = arith.truncf %{{.*}} : vector<2xf32> to vector<2xf16>
// CHECK:         %[[W:.*]] = llvm.bitcast %[[PAIR]] : vector<2xf16> to i32
// CHECK:         nvvm.stmatrix %{{.*}}, %[[W]], %[[W]], %[[W]], %[[W]] {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<col>,
// CHECK-NOT:     nvvm.stmatrix
// CHECK-NOT:     llvm.store
"nv_tileaa.func"() ({
^bb0(%x: f32):
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %f = "nv_tileas.splat"(%x) : (f32) -> !f
    %t = arith.truncf %f : !f to !t
    "nv_tileas.store_shared"(%t, %s) : (!t, !s) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "columns_of_transposed_matrices", function_type = (f32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!s = !nv_tileas.smem<tensor<64x8xbf16, #nv_tileas.shared_layout<array<i64: 64, 8>, 0 : i64>>>
!t = tensor<64x8xbf16, #nv_tileas.layout<"64x8|reg:2*(0,1),2*(8,0)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)">>

// A tile of two matrices is stored as a pair.
// CHECK-LABEL: llvm.func @a_pair_of_matrices
// CHECK:         nvvm.stmatrix %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} {eltType
// CHECK-NOT:     nvvm.stmatrix
// CHECK-NOT:     llvm.store
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = arith.constant dense<0.0> : !t
    "nv_tileas.store_shared"(%x, %s) : (!t, !s) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "a_pair_of_matrices", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!s = !nv_tileas.smem<tensor<64x8xf32, #nv_tileas.shared_layout<array<i64: 64, 8>, 32 : i64>>>
!t = tensor<64x8xf32, #nv_tileas.layout<"64x8|reg:2*(0,1),2*(8,0)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)">>

// Elements of 32 bits are stored by the threads that hold them.
// CHECK-LABEL: llvm.func @words_stay_stores
// CHECK-NOT:     nvvm.stmatrix
// CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<3>
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = arith.constant dense<0.0> : !t
    "nv_tileas.store_shared"(%x, %s) : (!t, !s) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "words_stay_stores", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()
