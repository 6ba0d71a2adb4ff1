// RUN: tilec opt %s --passes convert-cuda-tile-to-nv-tileaa | FileCheck %s

// Elementwise operations become upstream arith and math on tensors; scalars stay as they are.

"cuda_tile.entry"() ({
^bb0(%s: f32, %k: i32):
  %f = "cuda_tile.splat"(%s) : (f32) -> !cuda_tile.tile<8xf32>
  %g = "cuda_tile.constant"() {value = dense<2.0> : tensor<8xf32>} : () -> !cuda_tile.tile<8xf32>
  %i = "cuda_tile.iota"() : () -> !cuda_tile.tile<8xi32>
  %j = "cuda_tile.splat"(%k) : (i32) -> !cuda_tile.tile<8xi32>
  %h = "cuda_tile.constant"() {value = dense<1.0> : tensor<8xbf16>} : () -> !cuda_tile.tile<8xbf16>
  %c = "cuda_tile.constant"() {value = dense<true> : tensor<8xi1>} : () -> !cuda_tile.tile<8xi1>
  // CHECK: arith.constant dense<true> : tensor<8xi1>
  // CHECK: arith.addi %{{.*}}, %{{.*}} overflow<nsw> : i32
  %scalar = arith.addi %k, %k overflow<nsw> : i32
  // CHECK: arith.addf %{{.*}}, %{{.*}} : tensor<8xf32>
  %0 = "cuda_tile.addf"(%f, %g) : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  // CHECK: arith.subf %{{.*}}, %{{.*}} : tensor<8xf32>
  %1 = "cuda_tile.subf"(%f, %g) : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  // CHECK: arith.mulf %{{.*}}, %{{.*}} : tensor<8xf32>
  %2 = "cuda_tile.mulf"(%f, %g) : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  // CHECK: arith.divf %{{.*}}, %{{.*}} : tensor<8xf32>
  %3 = "cuda_tile.divf"(%f, %g) : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  // CHECK: arith.remf %{{.*}}, %{{.*}} : tensor<8xf32>
  %4 = "cuda_tile.remf"(%f, %g) : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  // CHECK: math.powf %{{.*}}, %{{.*}} : tensor<8xf32>
  %5 = "cuda_tile.pow"(%f, %g) : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  // CHECK: math.fma %{{.*}}, %{{.*}}, %{{.*}} : tensor<8xf32>
  %6 = "cuda_tile.fma"(%f, %g, %f) : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  // CHECK: arith.maxnumf %{{.*}} : tensor<8xf32>
  %7 = "cuda_tile.maxf"(%f, %g) : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  // CHECK: arith.maximumf %{{.*}} : tensor<8xf32>
  %8 = "cuda_tile.maxf"(%f, %g) {propagate_nan} : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  // CHECK: arith.minnumf %{{.*}} : tensor<8xf32>
  %9 = "cuda_tile.minf"(%f, %g) : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  // CHECK: arith.minimumf %{{.*}} : tensor<8xf32>
  %10 = "cuda_tile.minf"(%f, %g) {propagate_nan} : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  // CHECK: arith.negf %{{.*}} : tensor<8xf32>
  %11 = "cuda_tile.negf"(%f) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  // CHECK: math.absf %{{.*}} : tensor<8xf32>
  %12 = "cuda_tile.absf"(%f) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  // CHECK: math.ceil %{{.*}} : tensor<8xf32>
  %13 = "cuda_tile.ceil"(%f) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  // CHECK: math.floor %{{.*}} : tensor<8xf32>
  %14 = "cuda_tile.floor"(%f) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  // CHECK: math.sqrt %{{.*}} : tensor<8xf32>
  %15 = "cuda_tile.sqrt"(%f) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  // CHECK: math.rsqrt %{{.*}} : tensor<8xf32>
  %16 = "cuda_tile.rsqrt"(%f) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  // CHECK: math.exp %{{.*}} : tensor<8xf32>
  %17 = "cuda_tile.exp"(%f) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  // CHECK: math.exp2 %{{.*}} {flush_to_zero} : tensor<8xf32>
  %flushed = "cuda_tile.exp2"(%f) {flush_to_zero} : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  // CHECK: math.exp2 %{{.*}} : tensor<8xf32>
  %18 = "cuda_tile.exp2"(%f) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  // CHECK: math.log %{{.*}} : tensor<8xf32>
  %19 = "cuda_tile.log"(%f) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  // CHECK: math.log2 %{{.*}} : tensor<8xf32>
  %20 = "cuda_tile.log2"(%f) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  // CHECK: math.sin %{{.*}} : tensor<8xf32>
  %21 = "cuda_tile.sin"(%f) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  // CHECK: math.cos %{{.*}} : tensor<8xf32>
  %22 = "cuda_tile.cos"(%f) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  // CHECK: math.tan %{{.*}} : tensor<8xf32>
  %23 = "cuda_tile.tan"(%f) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  // CHECK: math.tanh %{{.*}} : tensor<8xf32>
  %24 = "cuda_tile.tanh"(%f) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  // CHECK: arith.divf %{{.*}}, %{{.*}} fastmath<afn> : tensor<8xf32>
  %25 = "cuda_tile.divf"(%f, %g) {rounding = "approx"} : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  // CHECK: arith.addf %{{.*}}, %{{.*}} : tensor<8xf32>
  %26 = "cuda_tile.addf"(%f, %g) {rounding = "nearest_even"} : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  // CHECK: arith.addi %{{.*}} : tensor<8xi32>
  %27 = "cuda_tile.addi"(%i, %j) : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
  // CHECK: arith.subi %{{.*}} : tensor<8xi32>
  %28 = "cuda_tile.subi"(%i, %j) : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
  // CHECK: arith.muli %{{.*}} : tensor<8xi32>
  %29 = "cuda_tile.muli"(%i, %j) : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
  // CHECK: arith.shli %{{.*}} : tensor<8xi32>
  %30 = "cuda_tile.shli"(%i, %j) : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
  // CHECK: arith.andi %{{.*}} : tensor<8xi32>
  %31 = "cuda_tile.andi"(%i, %j) : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
  // CHECK: arith.ori %{{.*}} : tensor<8xi32>
  %32 = "cuda_tile.ori"(%i, %j) : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
  // CHECK: arith.xori %{{.*}} : tensor<8xi32>
  %33 = "cuda_tile.xori"(%i, %j) : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
  // CHECK: arith.addi %{{.*}} overflow<nsw, nuw> : tensor<8xi32>
  %34 = "cuda_tile.addi"(%i, %j) {overflow = "no_wrap"} : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
  // CHECK: arith.remsi %{{.*}} : tensor<8xi32>
  %35 = "cuda_tile.remi"(%i, %j) {signedness = "signed"} : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
  // CHECK: arith.remui %{{.*}} : tensor<8xi32>
  %36 = "cuda_tile.remi"(%i, %j) {signedness = "unsigned"} : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
  // CHECK: arith.maxsi %{{.*}} : tensor<8xi32>
  %37 = "cuda_tile.maxi"(%i, %j) {signedness = "signed"} : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
  // CHECK: arith.maxui %{{.*}} : tensor<8xi32>
  %38 = "cuda_tile.maxi"(%i, %j) {signedness = "unsigned"} : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
  // CHECK: arith.minsi %{{.*}} : tensor<8xi32>
  %39 = "cuda_tile.mini"(%i, %j) {signedness = "signed"} : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
  // CHECK: arith.minui %{{.*}} : tensor<8xi32>
  %40 = "cuda_tile.mini"(%i, %j) {signedness = "unsigned"} : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
  // CHECK: arith.shrsi %{{.*}} : tensor<8xi32>
  %41 = "cuda_tile.shri"(%i, %j) {signedness = "signed"} : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
  // CHECK: arith.shrui %{{.*}} : tensor<8xi32>
  %42 = "cuda_tile.shri"(%i, %j) {signedness = "unsigned"} : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
  // CHECK: arith.divsi %{{.*}} : tensor<8xi32>
  %43 = "cuda_tile.divi"(%i, %j) {signedness = "signed", rounding = "zero"} : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
  // CHECK: arith.divui %{{.*}} : tensor<8xi32>
  %44 = "cuda_tile.divi"(%i, %j) {signedness = "unsigned", rounding = "zero"} : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
  // CHECK: arith.floordivsi %{{.*}} : tensor<8xi32>
  %45 = "cuda_tile.divi"(%i, %j) {signedness = "signed", rounding = "negative_inf"} : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
  // CHECK: arith.ceildivsi %{{.*}} : tensor<8xi32>
  %46 = "cuda_tile.divi"(%i, %j) {signedness = "signed", rounding = "positive_inf"} : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
  // CHECK: arith.ceildivui %{{.*}} : tensor<8xi32>
  %47 = "cuda_tile.divi"(%i, %j) {signedness = "unsigned", rounding = "positive_inf"} : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
  // CHECK: math.absi %{{.*}} : tensor<8xi32>
  %48 = "cuda_tile.absi"(%i) : (!cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
  // CHECK: %[[Z:.*]] = arith.constant dense<0> : tensor<8xi32>
  // CHECK-NEXT: arith.subi %[[Z]], %{{.*}} : tensor<8xi32>
  %49 = "cuda_tile.negi"(%i) : (!cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
  // CHECK: arith.mului_extended %{{.*}} : tensor<8xi32>
  %50 = "cuda_tile.mulhii"(%i, %j) : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
  // CHECK: arith.cmpf oeq, %{{.*}} : tensor<8xf32>
  %51 = "cuda_tile.cmpf"(%f, %g) {predicate = "equal", ordering = "ordered"} : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xi1>
  // CHECK: arith.cmpf ueq, %{{.*}} : tensor<8xf32>
  %52 = "cuda_tile.cmpf"(%f, %g) {predicate = "equal", ordering = "unordered"} : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xi1>
  // CHECK: arith.cmpf one, %{{.*}} : tensor<8xf32>
  %53 = "cuda_tile.cmpf"(%f, %g) {predicate = "not_equal", ordering = "ordered"} : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xi1>
  // CHECK: arith.cmpf une, %{{.*}} : tensor<8xf32>
  %54 = "cuda_tile.cmpf"(%f, %g) {predicate = "not_equal", ordering = "unordered"} : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xi1>
  // CHECK: arith.cmpf olt, %{{.*}} : tensor<8xf32>
  %55 = "cuda_tile.cmpf"(%f, %g) {predicate = "less_than", ordering = "ordered"} : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xi1>
  // CHECK: arith.cmpf ult, %{{.*}} : tensor<8xf32>
  %56 = "cuda_tile.cmpf"(%f, %g) {predicate = "less_than", ordering = "unordered"} : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xi1>
  // CHECK: arith.cmpf ole, %{{.*}} : tensor<8xf32>
  %57 = "cuda_tile.cmpf"(%f, %g) {predicate = "less_than_or_equal", ordering = "ordered"} : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xi1>
  // CHECK: arith.cmpf ule, %{{.*}} : tensor<8xf32>
  %58 = "cuda_tile.cmpf"(%f, %g) {predicate = "less_than_or_equal", ordering = "unordered"} : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xi1>
  // CHECK: arith.cmpf ogt, %{{.*}} : tensor<8xf32>
  %59 = "cuda_tile.cmpf"(%f, %g) {predicate = "greater_than", ordering = "ordered"} : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xi1>
  // CHECK: arith.cmpf ugt, %{{.*}} : tensor<8xf32>
  %60 = "cuda_tile.cmpf"(%f, %g) {predicate = "greater_than", ordering = "unordered"} : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xi1>
  // CHECK: arith.cmpf oge, %{{.*}} : tensor<8xf32>
  %61 = "cuda_tile.cmpf"(%f, %g) {predicate = "greater_than_or_equal", ordering = "ordered"} : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xi1>
  // CHECK: arith.cmpf uge, %{{.*}} : tensor<8xf32>
  %62 = "cuda_tile.cmpf"(%f, %g) {predicate = "greater_than_or_equal", ordering = "unordered"} : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xi1>
  // CHECK: arith.cmpi eq, %{{.*}} : tensor<8xi32>
  %63 = "cuda_tile.cmpi"(%i, %j) {predicate = "equal", signedness = "signed"} : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi1>
  // CHECK: arith.cmpi ne, %{{.*}} : tensor<8xi32>
  %64 = "cuda_tile.cmpi"(%i, %j) {predicate = "not_equal", signedness = "signed"} : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi1>
  // CHECK: arith.cmpi slt, %{{.*}} : tensor<8xi32>
  %65 = "cuda_tile.cmpi"(%i, %j) {predicate = "less_than", signedness = "signed"} : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi1>
  // CHECK: arith.cmpi sle, %{{.*}} : tensor<8xi32>
  %66 = "cuda_tile.cmpi"(%i, %j) {predicate = "less_than_or_equal", signedness = "signed"} : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi1>
  // CHECK: arith.cmpi sgt, %{{.*}} : tensor<8xi32>
  %67 = "cuda_tile.cmpi"(%i, %j) {predicate = "greater_than", signedness = "signed"} : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi1>
  // CHECK: arith.cmpi sge, %{{.*}} : tensor<8xi32>
  %68 = "cuda_tile.cmpi"(%i, %j) {predicate = "greater_than_or_equal", signedness = "signed"} : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi1>
  // CHECK: arith.cmpi eq, %{{.*}} : tensor<8xi32>
  %69 = "cuda_tile.cmpi"(%i, %j) {predicate = "equal", signedness = "unsigned"} : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi1>
  // CHECK: arith.cmpi ne, %{{.*}} : tensor<8xi32>
  %70 = "cuda_tile.cmpi"(%i, %j) {predicate = "not_equal", signedness = "unsigned"} : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi1>
  // CHECK: arith.cmpi ult, %{{.*}} : tensor<8xi32>
  %71 = "cuda_tile.cmpi"(%i, %j) {predicate = "less_than", signedness = "unsigned"} : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi1>
  // CHECK: arith.cmpi ule, %{{.*}} : tensor<8xi32>
  %72 = "cuda_tile.cmpi"(%i, %j) {predicate = "less_than_or_equal", signedness = "unsigned"} : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi1>
  // CHECK: arith.cmpi ugt, %{{.*}} : tensor<8xi32>
  %73 = "cuda_tile.cmpi"(%i, %j) {predicate = "greater_than", signedness = "unsigned"} : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi1>
  // CHECK: arith.cmpi uge, %{{.*}} : tensor<8xi32>
  %74 = "cuda_tile.cmpi"(%i, %j) {predicate = "greater_than_or_equal", signedness = "unsigned"} : (!cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi1>
  // CHECK: arith.select %{{.*}} : tensor<8xi1>, tensor<8xf32>
  %75 = "cuda_tile.select"(%c, %f, %g) : (!cuda_tile.tile<8xi1>, !cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  // CHECK: arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi32>
  %76 = "cuda_tile.constant"() {value = dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi32>} : () -> !cuda_tile.tile<8xi32>
  // CHECK: arith.truncf %{{.*}} : tensor<8xf32> to tensor<8xbf16>
  %77 = "cuda_tile.ftof"(%f) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xbf16>
  // CHECK: arith.extf %{{.*}} : tensor<8xf32> to tensor<8xf64>
  %78 = "cuda_tile.ftof"(%f) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf64>
  // CHECK: %[[W:.*]] = arith.extf %{{.*}} : tensor<8xbf16> to tensor<8xf32>
  // CHECK-NEXT: arith.truncf %[[W]] : tensor<8xf32> to tensor<8xf16>
  %79 = "cuda_tile.ftof"(%h) : (!cuda_tile.tile<8xbf16>) -> !cuda_tile.tile<8xf16>
  // CHECK: arith.truncf %{{.*}} : tensor<8xf32> to tensor<8xtf32>
  %80 = "cuda_tile.ftof"(%f) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xtf32>
  // CHECK: arith.truncf %{{.*}} : tensor<8xf32> to tensor<8xf8E4M3FN>
  %81 = "cuda_tile.ftof"(%f) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf8E4M3FN>
  // CHECK: arith.fptosi %{{.*}} : tensor<8xf32> to tensor<8xi32>
  %82 = "cuda_tile.ftoi"(%f) {signedness = "signed"} : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xi32>
  // CHECK: arith.fptoui %{{.*}} : tensor<8xf32> to tensor<8xi32>
  %83 = "cuda_tile.ftoi"(%f) {signedness = "unsigned"} : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xi32>
  // CHECK: arith.sitofp %{{.*}} : tensor<8xi32> to tensor<8xf32>
  %84 = "cuda_tile.itof"(%i) {signedness = "signed"} : (!cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xf32>
  // CHECK: arith.uitofp %{{.*}} : tensor<8xi32> to tensor<8xf32>
  %85 = "cuda_tile.itof"(%i) {signedness = "unsigned"} : (!cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xf32>
  // CHECK: arith.extsi %{{.*}} : tensor<8xi32> to tensor<8xi64>
  %86 = "cuda_tile.exti"(%i) {signedness = "signed"} : (!cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi64>
  // CHECK: arith.extui %{{.*}} : tensor<8xi32> to tensor<8xi64>
  %87 = "cuda_tile.exti"(%i) {signedness = "unsigned"} : (!cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi64>
  // CHECK: arith.trunci %{{.*}} : tensor<8xi32> to tensor<8xi8>
  %88 = "cuda_tile.trunci"(%i) : (!cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi8>
  // CHECK: arith.bitcast %{{.*}} : tensor<8xf32> to tensor<8xi32>
  %89 = "cuda_tile.bitcast"(%f) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xi32>
  "cuda_tile.return"() : () -> ()
}) {sym_name = "elementwise", function_type = (f32, i32) -> ()} : () -> ()
