module {
  llvm.mlir.global external @tilec_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
  llvm.func @vadd(%arg0: !llvm.ptr<1>, %arg1: !llvm.ptr<1>, %arg2: !llvm.ptr<1>, %arg3: i32, %arg4: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %arg5: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %arg6: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}) attributes {nvvm.kernel, nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 128, 1, 1>, tilec.kernel = {arrays = [{access = "read", alias_group = -1 : i64, aligned = true, dtype = "f32", name = "A", rank = 1 : i64, strides = [1]}, {access = "read", alias_group = -1 : i64, aligned = true, dtype = "f32", name = "B", rank = 1 : i64, strides = [1]}, {access = "write", alias_group = -1 : i64, aligned = true, dtype = "f32", name = "C", rank = 1 : i64, strides = [1]}], block_threads = 128 : i64, cluster = [1, 1, 1], dims = {N = [["A", 0], ["B", 0], ["C", 0]]}, grid = ["cdiv(N, 256)"], name = "vadd", params = [{array = "A", kind = "pointer"}, {array = "B", kind = "pointer"}, {array = "C", kind = "pointer"}, {array = "A", axis = 0 : i64, kind = "dim", name = "N"}], plan = {cluster = [1, 1, 1], consumer_registers = 0 : i64, consumer_warps = 4 : i64, producer_registers = 0 : i64, producer_warps = 0 : i64, reasons = ["worker_warps = 4: 2 elements of the largest tile a thread", "specialize = false: no loads in a loop", "stages = 1: no loads in a loop"], stages = 1 : i64}, shared_bytes = 3080 : i64, tensor_maps = [{array = "A", axes = [0], box = [256], dims = [["dim", "N"]], dtype = "f32", l2_promotion = 128 : i64, load = true, strides = [["static", 1]], swizzle = 0 : i64}, {array = "B", axes = [0], box = [256], dims = [["dim", "N"]], dtype = "f32", l2_promotion = 128 : i64, load = true, strides = [["static", 1]], swizzle = 0 : i64}, {array = "C", axes = [0], box = [256], dims = [["dim", "N"]], dtype = "f32", l2_promotion = 128 : i64, load = false, strides = [["static", 1]], swizzle = 0 : i64}]}} {
    %0 = llvm.mlir.poison : vector<2xf32>
    %1 = llvm.mlir.constant(64 : i32) : i32
    %2 = llvm.mlir.constant(2 : i32) : i32
    %3 = llvm.mlir.constant(10000000 : i32) : i32
    %4 = llvm.mlir.constant(4 : i32) : i32
    %5 = llvm.mlir.constant(1 : i32) : i32
    %6 = llvm.mlir.constant(31 : i32) : i32
    %7 = llvm.mlir.constant(0 : i32) : i32
    %8 = llvm.mlir.constant(32 : i32) : i32
    %9 = llvm.mlir.constant(-1 : i32) : i32
    %10 = llvm.mlir.addressof @tilec_shared : !llvm.ptr<3>
    %11 = llvm.mlir.constant(256 : i32) : i32
    %12 = nvvm.read.ptx.sreg.ctaid.x : i32
    %13 = llvm.mul %12, %11 : i32
    %14 = llvm.getelementptr %10[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %15 = llvm.getelementptr %10[3072] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %16 = llvm.getelementptr %10[2048] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %17 = nvvm.read.ptx.sreg.tid.x : i32
    %18 = llvm.udiv %17, %8 : i32
    %19 = nvvm.shfl.sync idx %9, %18, %7, %6 : i32 -> i32
    %20 = llvm.urem %17, %8 : i32
    %21 = llvm.icmp "eq" %17, %7 : i32
    llvm.cond_br %21, ^bb1, ^bb2
  ^bb1:  // pred: ^bb0
    llvm.inline_asm has_side_effects asm_dialect = att "prefetch.tensormap [$0];", "l,~{memory}" %arg4 : (!llvm.ptr) -> ()
    llvm.inline_asm has_side_effects asm_dialect = att "prefetch.tensormap [$0];", "l,~{memory}" %arg5 : (!llvm.ptr) -> ()
    llvm.inline_asm has_side_effects asm_dialect = att "prefetch.tensormap [$0];", "l,~{memory}" %arg6 : (!llvm.ptr) -> ()
    nvvm.mbarrier.init %15, %5 : !llvm.ptr<3>, i32
    nvvm.fence.mbarrier.init
    llvm.br ^bb2
  ^bb2:  // 2 preds: ^bb0, ^bb1
    nvvm.barrier
    %22 = llvm.urem %19, %4 : i32
    llvm.cond_br %21, ^bb3, ^bb4
  ^bb3:  // pred: ^bb2
    llvm.inline_asm has_side_effects asm_dialect = att "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], 2048;", "r,~{memory}" %15 : (!llvm.ptr<3>) -> ()
    llvm.br ^bb4
  ^bb4:  // 2 preds: ^bb2, ^bb3
    %23 = llvm.ptrtoint %10 : !llvm.ptr<3> to i32
    %24 = llvm.inttoptr %23 : i32 to !llvm.ptr<7>
    llvm.cond_br %21, ^bb5, ^bb6
  ^bb5:  // pred: ^bb4
    nvvm.cp.async.bulk.tensor.shared.cluster.global %24, %arg4, %15, box[%13] : !llvm.ptr<7>, !llvm.ptr
    llvm.br ^bb6
  ^bb6:  // 2 preds: ^bb4, ^bb5
    %25 = llvm.ptrtoint %14 : !llvm.ptr<3> to i32
    %26 = llvm.inttoptr %25 : i32 to !llvm.ptr<7>
    llvm.cond_br %21, ^bb7, ^bb8
  ^bb7:  // pred: ^bb6
    nvvm.cp.async.bulk.tensor.shared.cluster.global %26, %arg5, %15, box[%13] : !llvm.ptr<7>, !llvm.ptr
    llvm.br ^bb8
  ^bb8:  // 2 preds: ^bb6, ^bb7
    llvm.inline_asm has_side_effects asm_dialect = att "{\0A\09.reg .pred       P1; \0A\09LAB_WAIT: \0A\09mbarrier.try_wait.parity.shared.b64 P1, [$0], $1, $2; \0A\09@P1 bra.uni DONE; \0A\09bra.uni     LAB_WAIT; \0A\09DONE: \0A\09}", "r,r,r" %15, %7, %3 : (!llvm.ptr<3>, i32, i32) -> ()
    %27 = llvm.mul %20, %2 : i32
    %28 = llvm.mul %22, %1 : i32
    %29 = llvm.add %27, %28 : i32
    %30 = llvm.mul %29, %4 : i32
    %31 = llvm.getelementptr %10[%30] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %32 = llvm.load %31 {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
    %33 = llvm.extractelement %32[%7 : i32] : vector<2xf32>
    %34 = llvm.extractelement %32[%5 : i32] : vector<2xf32>
    %35 = llvm.getelementptr %14[%30] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %36 = llvm.load %35 {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
    %37 = llvm.extractelement %36[%7 : i32] : vector<2xf32>
    %38 = llvm.extractelement %36[%5 : i32] : vector<2xf32>
    %39 = llvm.fadd %33, %37 : f32
    %40 = llvm.fadd %34, %38 : f32
    %41 = llvm.getelementptr %16[%30] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %42 = llvm.insertelement %39, %0[%7 : i32] : vector<2xf32>
    %43 = llvm.insertelement %40, %42[%5 : i32] : vector<2xf32>
    llvm.store %43, %41 {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<3>
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    nvvm.barrier
    llvm.cond_br %21, ^bb9, ^bb10
  ^bb9:  // pred: ^bb8
    nvvm.cp.async.bulk.tensor.global.shared.cta %arg6, %16, box[%13] : !llvm.ptr, <3>
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0 {read}
    llvm.br ^bb10
  ^bb10:  // 2 preds: ^bb8, ^bb9
    llvm.return
  }
}

