// ldmatrix and stmatrix, plain and transposed.
// RUN: tilec compile %s --start-from llvm --emit ptx | FileCheck %s

llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
llvm.func @k(%out: !llvm.ptr<1>)
    attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, nvvm.minctasm = 1 : i32, tilec.kernel = {name = "k"}} {
  %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
  %bar = llvm.getelementptr %smem[65536] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  // CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
  %loaded = nvvm.ldmatrix %bar {num = 4 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>}
    : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
  %0 = llvm.extractvalue %loaded[0] : !llvm.struct<(i32, i32, i32, i32)>
  %1 = llvm.extractvalue %loaded[1] : !llvm.struct<(i32, i32, i32, i32)>
  // CHECK: ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16
  %2 = nvvm.ldmatrix %bar {num = 1 : i32, layout = #nvvm.mma_layout<col>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>}
    : (!llvm.ptr<3>) -> i32
  // CHECK: stmatrix.sync.aligned.m8n8.x4.shared.b16 [smem],
  nvvm.stmatrix %smem, %0, %1, %2, %0 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>}
    : !llvm.ptr<3>, i32, i32, i32, i32
  // CHECK: stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [smem],
  nvvm.stmatrix %smem, %0, %1 {layout = #nvvm.mma_layout<col>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>}
    : !llvm.ptr<3>, i32, i32
  llvm.return
}
