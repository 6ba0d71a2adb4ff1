module {
  llvm.mlir.global external @tilec_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
  llvm.func @vadd(%arg0: !llvm.ptr<1>, %arg1: !llvm.ptr<1>, %arg2: !llvm.ptr<1>, %arg3: i32, %arg4: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %arg5: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %arg6: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}) attributes {nvvm.kernel, nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 128, 1, 1>, tilec.kernel = {arrays = [{access = "read", alias_group = -1 : i64, aligned = true, dtype = "f32", name = "A", rank = 1 : i64, strides = [1]}, {access = "read", alias_group = -1 : i64, aligned = true, dtype = "f32", name = "B", rank = 1 : i64, strides = [1]}, {access = "write", alias_group = -1 : i64, aligned = true, dtype = "f32", name = "C", rank = 1 : i64, strides = [1]}], block_threads = 128 : i64, cluster = [1, 1, 1], dims = {N = [["A", 0], ["B", 0], ["C", 0]]}, grid = ["cdiv(N, 256)"], name = "vadd", params = [{array = "A", kind = "pointer"}, {array = "B", kind = "pointer"}, {array = "C", kind = "pointer"}, {array = "A", axis = 0 : i64, kind = "dim", name = "N"}], plan = {cluster = [1, 1, 1], consumer_registers = 0 : i64, consumer_warps = 4 : i64, producer_registers = 0 : i64, producer_warps = 0 : i64, reasons = ["worker_warps = 4: 2 elements of the largest tile a thread", "specialize = false: no loads in a loop", "stages = 1: no loads in a loop"], stages = 1 : i64}, shared_bytes = 3080 : i64, tensor_maps = [{array = "A", axes = [0], box = [256], dims = [["dim", "N"]], dtype = "f32", l2_promotion = 128 : i64, load = true, strides = [["static", 1]], swizzle = 0 : i64}, {array = "B", axes = [0], box = [256], dims = [["dim", "N"]], dtype = "f32", l2_promotion = 128 : i64, load = true, strides = [["static", 1]], swizzle = 0 : i64}, {array = "C", axes = [0], box = [256], dims = [["dim", "N"]], dtype = "f32", l2_promotion = 128 : i64, load = false, strides = [["static", 1]], swizzle = 0 : i64}]}} {
    %0 = llvm.mlir.addressof @tilec_shared : !llvm.ptr<3>
    %c256_i32 = arith.constant 256 : i32
    %1 = arith.ceildivsi %arg3, %c256_i32 : i32
    %2 = nvvm.read.ptx.sreg.ctaid.x : i32
    %c256_i32_0 = arith.constant 256 : i32
    %3 = arith.muli %2, %c256_i32_0 : i32
    %4 = llvm.getelementptr %0[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %5 = llvm.getelementptr %0[3072] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %6 = llvm.getelementptr %0[2048] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %7 = nvvm.read.ptx.sreg.tid.x : i32
    %c-1_i32 = arith.constant -1 : i32
    %c32_i32 = arith.constant 32 : i32
    %8 = arith.divui %7, %c32_i32 : i32
    %c0_i32 = arith.constant 0 : i32
    %c31_i32 = arith.constant 31 : i32
    %9 = nvvm.shfl.sync idx %c-1_i32, %8, %c0_i32, %c31_i32 : i32 -> i32
    %c32_i32_1 = arith.constant 32 : i32
    %10 = arith.remui %7, %c32_i32_1 : i32
    %c0_i32_2 = arith.constant 0 : i32
    %11 = arith.cmpi eq, %7, %c0_i32_2 : i32
    scf.if %11 {
      llvm.inline_asm has_side_effects asm_dialect = att "prefetch.tensormap [$0];", "l,~{memory}" %arg4 : (!llvm.ptr) -> ()
      llvm.inline_asm has_side_effects asm_dialect = att "prefetch.tensormap [$0];", "l,~{memory}" %arg5 : (!llvm.ptr) -> ()
      llvm.inline_asm has_side_effects asm_dialect = att "prefetch.tensormap [$0];", "l,~{memory}" %arg6 : (!llvm.ptr) -> ()
      %c1_i32_18 = arith.constant 1 : i32
      nvvm.mbarrier.init %5, %c1_i32_18 : !llvm.ptr<3>, i32
      nvvm.fence.mbarrier.init
    }
    nvvm.barrier
    %c4_i32 = arith.constant 4 : i32
    %12 = arith.remui %9, %c4_i32 : i32
    %c4_i32_3 = arith.constant 4 : i32
    %13 = arith.divui %9, %c4_i32_3 : i32
    %c0_i32_4 = arith.constant 0 : i32
    %14 = arith.cmpi eq, %7, %c0_i32_4 : i32
    scf.if %14 {
      llvm.inline_asm has_side_effects asm_dialect = att "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], 2048;", "r,~{memory}" %5 : (!llvm.ptr<3>) -> ()
    }
    %15 = llvm.ptrtoint %0 : !llvm.ptr<3> to i32
    %16 = llvm.inttoptr %15 : i32 to !llvm.ptr<7>
    scf.if %14 {
      nvvm.cp.async.bulk.tensor.shared.cluster.global %16, %arg4, %5, box[%3] : !llvm.ptr<7>, !llvm.ptr
    }
    %17 = llvm.ptrtoint %4 : !llvm.ptr<3> to i32
    %18 = llvm.inttoptr %17 : i32 to !llvm.ptr<7>
    scf.if %14 {
      nvvm.cp.async.bulk.tensor.shared.cluster.global %18, %arg5, %5, box[%3] : !llvm.ptr<7>, !llvm.ptr
    }
    %c0_i32_5 = arith.constant 0 : i32
    %c10000000_i32 = arith.constant 10000000 : i32
    nvvm.mbarrier.try_wait.parity %5, %c0_i32_5, %c10000000_i32 : !llvm.ptr<3>, i32, i32
    %c2_i32 = arith.constant 2 : i32
    %19 = arith.muli %10, %c2_i32 : i32
    %c64_i32 = arith.constant 64 : i32
    %20 = arith.muli %12, %c64_i32 : i32
    %21 = arith.addi %19, %20 : i32
    %c4_i32_6 = arith.constant 4 : i32
    %22 = arith.muli %21, %c4_i32_6 : i32
    %23 = llvm.getelementptr %0[%22] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %24 = llvm.load %23 {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
    %c0_i32_7 = arith.constant 0 : i32
    %25 = llvm.extractelement %24[%c0_i32_7 : i32] : vector<2xf32>
    %c1_i32 = arith.constant 1 : i32
    %26 = llvm.extractelement %24[%c1_i32 : i32] : vector<2xf32>
    %c2_i32_8 = arith.constant 2 : i32
    %27 = arith.muli %10, %c2_i32_8 : i32
    %c64_i32_9 = arith.constant 64 : i32
    %28 = arith.muli %12, %c64_i32_9 : i32
    %29 = arith.addi %27, %28 : i32
    %c4_i32_10 = arith.constant 4 : i32
    %30 = arith.muli %29, %c4_i32_10 : i32
    %31 = llvm.getelementptr %4[%30] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %32 = llvm.load %31 {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
    %c0_i32_11 = arith.constant 0 : i32
    %33 = llvm.extractelement %32[%c0_i32_11 : i32] : vector<2xf32>
    %c1_i32_12 = arith.constant 1 : i32
    %34 = llvm.extractelement %32[%c1_i32_12 : i32] : vector<2xf32>
    %35 = arith.addf %25, %33 : f32
    %36 = arith.addf %26, %34 : f32
    %c2_i32_13 = arith.constant 2 : i32
    %37 = arith.muli %10, %c2_i32_13 : i32
    %c64_i32_14 = arith.constant 64 : i32
    %38 = arith.muli %12, %c64_i32_14 : i32
    %39 = arith.addi %37, %38 : i32
    %c4_i32_15 = arith.constant 4 : i32
    %40 = arith.muli %39, %c4_i32_15 : i32
    %41 = llvm.getelementptr %6[%40] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %42 = llvm.mlir.poison : vector<2xf32>
    %c0_i32_16 = arith.constant 0 : i32
    %43 = llvm.insertelement %35, %42[%c0_i32_16 : i32] : vector<2xf32>
    %c1_i32_17 = arith.constant 1 : i32
    %44 = llvm.insertelement %36, %43[%c1_i32_17 : i32] : vector<2xf32>
    llvm.store %44, %41 {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<3>
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    nvvm.barrier
    scf.if %14 {
      nvvm.cp.async.bulk.tensor.global.shared.cta %arg6, %6, box[%3] : !llvm.ptr, <3>
    }
    scf.if %14 {
      nvvm.cp.async.bulk.commit.group
    }
    scf.if %14 {
      nvvm.cp.async.bulk.wait_group 0 {read}
    }
    llvm.return
  }
}

