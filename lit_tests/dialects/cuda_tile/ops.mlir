// RUN: tilec opt %s --split-input-file | FileCheck %s
// RUN: tilec opt %s --split-input-file | tilec opt - --split-input-file | FileCheck %s

// Every operation parses, verifies and prints as it was written.

// Floating-point arithmetic.
// CHECK-LABEL: module @floats
module @floats {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x8xf32>
  %h = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x8xf16>
  // CHECK: "cuda_tile.addf"({{.*}}) : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %addf = "cuda_tile.addf"(%x, %x) : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.subf"({{.*}}) : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %subf = "cuda_tile.subf"(%x, %x) : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.mulf"({{.*}}) : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %mulf = "cuda_tile.mulf"(%x, %x) : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.divf"({{.*}}) : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %divf = "cuda_tile.divf"(%x, %x) : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.remf"({{.*}}) : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %remf = "cuda_tile.remf"(%x, %x) : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.pow"({{.*}}) : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %pow = "cuda_tile.pow"(%x, %x) : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.maxf"({{.*}}) : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %maxf = "cuda_tile.maxf"(%x, %x) : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.minf"({{.*}}) : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %minf = "cuda_tile.minf"(%x, %x) : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.negf"({{.*}}) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %negf = "cuda_tile.negf"(%x) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.absf"({{.*}}) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %absf = "cuda_tile.absf"(%x) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.ceil"({{.*}}) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %ceil = "cuda_tile.ceil"(%x) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.floor"({{.*}}) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %floor = "cuda_tile.floor"(%x) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.sqrt"({{.*}}) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %sqrt = "cuda_tile.sqrt"(%x) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.rsqrt"({{.*}}) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %rsqrt = "cuda_tile.rsqrt"(%x) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.exp"({{.*}}) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %exp = "cuda_tile.exp"(%x) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.exp2"({{.*}}) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %exp2 = "cuda_tile.exp2"(%x) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.log"({{.*}}) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %log = "cuda_tile.log"(%x) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.log2"({{.*}}) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %log2 = "cuda_tile.log2"(%x) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.sin"({{.*}}) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %sin = "cuda_tile.sin"(%x) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.sinh"({{.*}}) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %sinh = "cuda_tile.sinh"(%x) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.cosh"({{.*}}) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %cosh = "cuda_tile.cosh"(%x) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.erf"({{.*}}) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %erf = "cuda_tile.erf"(%x) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.asin"({{.*}}) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %asin = "cuda_tile.asin"(%x) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.acos"({{.*}}) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %acos = "cuda_tile.acos"(%x) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.atan"({{.*}}) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %atan = "cuda_tile.atan"(%x) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.log1p"({{.*}}) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %log1p = "cuda_tile.log1p"(%x) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.expm1"({{.*}}) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %expm1 = "cuda_tile.expm1"(%x) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.atan2"({{.*}}) : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %atan2 = "cuda_tile.atan2"(%x, %x) : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.cos"({{.*}}) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %cos = "cuda_tile.cos"(%x) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.tan"({{.*}}) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %tan = "cuda_tile.tan"(%x) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.tanh"({{.*}}) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %tanh = "cuda_tile.tanh"(%x) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.fma"({{.*}}) : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %fma = "cuda_tile.fma"(%x, %x, %x) : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.addf"({{.*}}) : (!cuda_tile.tile<4x8xf16>, !cuda_tile.tile<4x8xf16>) -> !cuda_tile.tile<4x8xf16>
  %half = "cuda_tile.addf"(%h, %h) : (!cuda_tile.tile<4x8xf16>, !cuda_tile.tile<4x8xf16>) -> !cuda_tile.tile<4x8xf16>
}

// -----

// Rounding, flush-to-zero and NaN propagation.
// CHECK-LABEL: module @float_modifiers
module @float_modifiers {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x8xf32>
  %h = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x8xf16>
  // CHECK: "cuda_tile.addf"({{.*}}) {flush_to_zero, rounding = "zero"} : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %a = "cuda_tile.addf"(%x, %x) {flush_to_zero, rounding = "zero"} : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.divf"({{.*}}) {rounding = "approx"} : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %b = "cuda_tile.divf"(%x, %x) {rounding = "approx"} : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.divf"({{.*}}) {rounding = "full"} : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %c = "cuda_tile.divf"(%x, %x) {rounding = "full"} : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.maxf"({{.*}}) {propagate_nan} : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %d = "cuda_tile.maxf"(%x, %x) {propagate_nan} : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.fma"({{.*}}) {rounding = "positive_inf"} : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %e = "cuda_tile.fma"(%x, %x, %x) {rounding = "positive_inf"} : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.sqrt"({{.*}}) {flush_to_zero, rounding = "approx"} : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %f = "cuda_tile.sqrt"(%x) {flush_to_zero, rounding = "approx"} : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.tanh"({{.*}}) {rounding = "approx"} : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %g = "cuda_tile.tanh"(%x) {rounding = "approx"} : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.exp"({{.*}}) {rounding = "full"} : (!cuda_tile.tile<4x8xf16>) -> !cuda_tile.tile<4x8xf16>
  %i = "cuda_tile.exp"(%h) {rounding = "full"} : (!cuda_tile.tile<4x8xf16>) -> !cuda_tile.tile<4x8xf16>
  // CHECK: "cuda_tile.mulf"({{.*}}) {rounding = "negative_inf"} : (!cuda_tile.tile<4x8xf16>, !cuda_tile.tile<4x8xf16>) -> !cuda_tile.tile<4x8xf16>
  %j = "cuda_tile.mulf"(%h, %h) {rounding = "negative_inf"} : (!cuda_tile.tile<4x8xf16>, !cuda_tile.tile<4x8xf16>) -> !cuda_tile.tile<4x8xf16>
}

// -----

// Integer arithmetic and bit operations.
// CHECK-LABEL: module @integers
module @integers {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x8xi32>
  %b = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x8xi1>
  // CHECK: "cuda_tile.addi"({{.*}}) : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  %addi = "cuda_tile.addi"(%x, %x) : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  // CHECK: "cuda_tile.subi"({{.*}}) : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  %subi = "cuda_tile.subi"(%x, %x) : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  // CHECK: "cuda_tile.muli"({{.*}}) : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  %muli = "cuda_tile.muli"(%x, %x) : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  // CHECK: "cuda_tile.mulhii"({{.*}}) : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  %mulhii = "cuda_tile.mulhii"(%x, %x) : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  // CHECK: "cuda_tile.shli"({{.*}}) : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  %shli = "cuda_tile.shli"(%x, %x) : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  // CHECK: "cuda_tile.andi"({{.*}}) : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  %andi = "cuda_tile.andi"(%x, %x) : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  // CHECK: "cuda_tile.ori"({{.*}}) : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  %ori = "cuda_tile.ori"(%x, %x) : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  // CHECK: "cuda_tile.xori"({{.*}}) : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  %xori = "cuda_tile.xori"(%x, %x) : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  // CHECK: "cuda_tile.divi"({{.*}}) {signedness = "signed"} : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  %divi = "cuda_tile.divi"(%x, %x) {signedness = "signed"} : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  // CHECK: "cuda_tile.remi"({{.*}}) {signedness = "unsigned"} : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  %remi = "cuda_tile.remi"(%x, %x) {signedness = "unsigned"} : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  // CHECK: "cuda_tile.maxi"({{.*}}) {signedness = "signed"} : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  %maxi = "cuda_tile.maxi"(%x, %x) {signedness = "signed"} : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  // CHECK: "cuda_tile.mini"({{.*}}) {signedness = "unsigned"} : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  %mini = "cuda_tile.mini"(%x, %x) {signedness = "unsigned"} : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  // CHECK: "cuda_tile.shri"({{.*}}) {signedness = "signed"} : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  %shri = "cuda_tile.shri"(%x, %x) {signedness = "signed"} : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  // CHECK: "cuda_tile.popcount"({{.*}}) : (!cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  %popcount = "cuda_tile.popcount"(%x) : (!cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  // CHECK: "cuda_tile.clz"({{.*}}) : (!cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  %clz = "cuda_tile.clz"(%x) : (!cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  // CHECK: "cuda_tile.absi"({{.*}}) : (!cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  %absi = "cuda_tile.absi"(%x) : (!cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  // CHECK: "cuda_tile.negi"({{.*}}) : (!cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  %negi = "cuda_tile.negi"(%x) : (!cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  // CHECK: "cuda_tile.addi"({{.*}}) {overflow = "no_signed_wrap"} : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  %w = "cuda_tile.addi"(%x, %x) {overflow = "no_signed_wrap"} : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  // CHECK: "cuda_tile.divi"({{.*}}) {rounding = "negative_inf", signedness = "signed"} : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  %f = "cuda_tile.divi"(%x, %x) {rounding = "negative_inf", signedness = "signed"} : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  // CHECK: "cuda_tile.divi"({{.*}}) {rounding = "positive_inf", signedness = "unsigned"} : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  %u = "cuda_tile.divi"(%x, %x) {rounding = "positive_inf", signedness = "unsigned"} : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi32>
  // CHECK: "cuda_tile.andi"({{.*}}) : (!cuda_tile.tile<4x8xi1>, !cuda_tile.tile<4x8xi1>) -> !cuda_tile.tile<4x8xi1>
  %m = "cuda_tile.andi"(%b, %b) : (!cuda_tile.tile<4x8xi1>, !cuda_tile.tile<4x8xi1>) -> !cuda_tile.tile<4x8xi1>
}

// -----

// Conversions.
// CHECK-LABEL: module @conversions
module @conversions {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x8xf32>
  %i = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x8xi32>
  %b = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x8xi1>
  // CHECK: "cuda_tile.ftof"({{.*}}) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xbf16>
  %a = "cuda_tile.ftof"(%x) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xbf16>
  // CHECK: "cuda_tile.ftof"({{.*}}) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf8E4M3FN>
  %b2 = "cuda_tile.ftof"(%x) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf8E4M3FN>
  // CHECK: "cuda_tile.ftof"({{.*}}) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xtf32>
  %c = "cuda_tile.ftof"(%x) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xtf32>
  // CHECK: "cuda_tile.ftoi"({{.*}}) {signedness = "signed"} : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xi32>
  %d = "cuda_tile.ftoi"(%x) {signedness = "signed"} : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xi32>
  // CHECK: "cuda_tile.itof"({{.*}}) {signedness = "unsigned"} : (!cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xf32>
  %e = "cuda_tile.itof"(%i) {signedness = "unsigned"} : (!cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.exti"({{.*}}) {signedness = "unsigned"} : (!cuda_tile.tile<4x8xi1>) -> !cuda_tile.tile<4x8xi32>
  %f = "cuda_tile.exti"(%b) {signedness = "unsigned"} : (!cuda_tile.tile<4x8xi1>) -> !cuda_tile.tile<4x8xi32>
  // CHECK: "cuda_tile.trunci"({{.*}}) : (!cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi8>
  %g = "cuda_tile.trunci"(%i) : (!cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi8>
  // CHECK: "cuda_tile.bitcast"({{.*}}) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xi32>
  %h = "cuda_tile.bitcast"(%x) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xi32>
}

// -----

// Comparison and selection.
// CHECK-LABEL: module @comparisons
module @comparisons {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x8xf32>
  %i = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x8xi32>
  %b = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x8xi1>
  // CHECK: "cuda_tile.cmpi"({{.*}}) {predicate = "equal", signedness = "signed"} : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi1>
  %equal = "cuda_tile.cmpi"(%i, %i) {predicate = "equal", signedness = "signed"} : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi1>
  // CHECK: "cuda_tile.cmpi"({{.*}}) {predicate = "not_equal", signedness = "unsigned"} : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi1>
  %not_equal = "cuda_tile.cmpi"(%i, %i) {predicate = "not_equal", signedness = "unsigned"} : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi1>
  // CHECK: "cuda_tile.cmpi"({{.*}}) {predicate = "less_than", signedness = "signed"} : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi1>
  %less_than = "cuda_tile.cmpi"(%i, %i) {predicate = "less_than", signedness = "signed"} : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi1>
  // CHECK: "cuda_tile.cmpi"({{.*}}) {predicate = "less_than_or_equal", signedness = "unsigned"} : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi1>
  %less_than_or_equal = "cuda_tile.cmpi"(%i, %i) {predicate = "less_than_or_equal", signedness = "unsigned"} : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi1>
  // CHECK: "cuda_tile.cmpi"({{.*}}) {predicate = "greater_than", signedness = "signed"} : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi1>
  %greater_than = "cuda_tile.cmpi"(%i, %i) {predicate = "greater_than", signedness = "signed"} : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi1>
  // CHECK: "cuda_tile.cmpi"({{.*}}) {predicate = "greater_than_or_equal", signedness = "unsigned"} : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi1>
  %greater_than_or_equal = "cuda_tile.cmpi"(%i, %i) {predicate = "greater_than_or_equal", signedness = "unsigned"} : (!cuda_tile.tile<4x8xi32>, !cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<4x8xi1>
  // CHECK: "cuda_tile.cmpf"({{.*}}) {ordering = "ordered", predicate = "less_than"} : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xi1>
  %fordered = "cuda_tile.cmpf"(%x, %x) {ordering = "ordered", predicate = "less_than"} : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xi1>
  // CHECK: "cuda_tile.cmpf"({{.*}}) {ordering = "unordered", predicate = "less_than"} : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xi1>
  %funordered = "cuda_tile.cmpf"(%x, %x) {ordering = "unordered", predicate = "less_than"} : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xi1>
  // CHECK: "cuda_tile.select"({{.*}}) : (!cuda_tile.tile<4x8xi1>, !cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
  %s = "cuda_tile.select"(%b, %x, %x) : (!cuda_tile.tile<4x8xi1>, !cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
}

// -----

// Constants, splats and ramps.
// CHECK-LABEL: module @constants
module @constants {
  %s = builtin.unrealized_conversion_cast to f32
  // CHECK: "cuda_tile.constant"({{.*}}) {value = dense<1.500000e+00> : tensor<4x8xf32>} : () -> !cuda_tile.tile<4x8xf32>
  %a = "cuda_tile.constant"() {value = dense<1.500000e+00> : tensor<4x8xf32>} : () -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.constant"({{.*}}) {value = dense<[1, -2, 3, 4]> : tensor<4xi8>} : () -> !cuda_tile.tile<4xi8>
  %b = "cuda_tile.constant"() {value = dense<[1, -2, 3, 4]> : tensor<4xi8>} : () -> !cuda_tile.tile<4xi8>
  // CHECK: "cuda_tile.constant"({{.*}}) {value = dense<true> : tensor<4x8xi1>} : () -> !cuda_tile.tile<4x8xi1>
  %c = "cuda_tile.constant"() {value = dense<true> : tensor<4x8xi1>} : () -> !cuda_tile.tile<4x8xi1>
  // CHECK: "cuda_tile.constant"({{.*}}) {value = dense<0.000000e+00> : tensor<2xf8E5M2>} : () -> !cuda_tile.tile<2xf8E5M2>
  %d = "cuda_tile.constant"() {value = dense<0.000000e+00> : tensor<2xf8E5M2>} : () -> !cuda_tile.tile<2xf8E5M2>
  // CHECK: "cuda_tile.splat"({{.*}}) : (f32) -> !cuda_tile.tile<4x8xf32>
  %e = "cuda_tile.splat"(%s) : (f32) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "cuda_tile.iota"({{.*}}) : () -> !cuda_tile.tile<256xi8>
  %f = "cuda_tile.iota"() : () -> !cuda_tile.tile<256xi8>
  // CHECK: "cuda_tile.constant"({{.*}}) {value = dense<3.000000e+00> : tensor<f32>} : () -> !cuda_tile.tile<f32>
  %g = "cuda_tile.constant"() {value = dense<3.000000e+00> : tensor<f32>} : () -> !cuda_tile.tile<f32>
}

// -----

// Operations that move elements.
// CHECK-LABEL: module @shapes
module @shapes {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x8xf32>
  %i = builtin.unrealized_conversion_cast to i32
  // CHECK: "cuda_tile.reshape"({{.*}}) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<1x32xf32>
  %a = "cuda_tile.reshape"(%x) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<1x32xf32>
  // CHECK: "cuda_tile.broadcast"({{.*}}) : (!cuda_tile.tile<1x32xf32>) -> !cuda_tile.tile<16x32xf32>
  %b = "cuda_tile.broadcast"(%a) : (!cuda_tile.tile<1x32xf32>) -> !cuda_tile.tile<16x32xf32>
  // CHECK: "cuda_tile.permute"({{.*}}) {permutation = array<i64: 1, 0>} : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<8x4xf32>
  %c = "cuda_tile.permute"(%x) {permutation = array<i64: 1, 0>} : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<8x4xf32>
  // CHECK: "cuda_tile.cat"({{.*}}) {dim = 1 : i64} : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x16xf32>
  %d = "cuda_tile.cat"(%x, %x) {dim = 1 : i64} : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x16xf32>
  // CHECK: "cuda_tile.histogram"({{.*}}) : (!cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<16xi32>
  %histogram_source = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x8xi32>
  %histogram = "cuda_tile.histogram"(%histogram_source) : (!cuda_tile.tile<4x8xi32>) -> !cuda_tile.tile<16xi32>
  // CHECK: "cuda_tile.extract"({{.*}}) : (!cuda_tile.tile<4x8xf32>, i32, i32) -> !cuda_tile.tile<2x8xf32>
  %e = "cuda_tile.extract"(%x, %i, %i) : (!cuda_tile.tile<4x8xf32>, i32, i32) -> !cuda_tile.tile<2x8xf32>
}

// -----

// Matrix multiply-accumulate.
// CHECK-LABEL: module @matmul
module @matmul {
  %a0 = builtin.unrealized_conversion_cast to !cuda_tile.tile<16x32xbf16>
  %b0 = builtin.unrealized_conversion_cast to !cuda_tile.tile<32x8xbf16>
  %c0 = builtin.unrealized_conversion_cast to !cuda_tile.tile<16x8xf32>
  %a1 = builtin.unrealized_conversion_cast to !cuda_tile.tile<16x32xf16>
  %b1 = builtin.unrealized_conversion_cast to !cuda_tile.tile<32x8xf16>
  %c1 = builtin.unrealized_conversion_cast to !cuda_tile.tile<16x8xf16>
  %a2 = builtin.unrealized_conversion_cast to !cuda_tile.tile<16x32xf16>
  %b2 = builtin.unrealized_conversion_cast to !cuda_tile.tile<32x8xf16>
  %c2 = builtin.unrealized_conversion_cast to !cuda_tile.tile<16x8xf32>
  %a3 = builtin.unrealized_conversion_cast to !cuda_tile.tile<16x32xtf32>
  %b3 = builtin.unrealized_conversion_cast to !cuda_tile.tile<32x8xtf32>
  %c3 = builtin.unrealized_conversion_cast to !cuda_tile.tile<16x8xf32>
  %a4 = builtin.unrealized_conversion_cast to !cuda_tile.tile<16x32xf8E4M3FN>
  %b4 = builtin.unrealized_conversion_cast to !cuda_tile.tile<32x8xf8E4M3FN>
  %c4 = builtin.unrealized_conversion_cast to !cuda_tile.tile<16x8xf32>
  %a5 = builtin.unrealized_conversion_cast to !cuda_tile.tile<16x32xf64>
  %b5 = builtin.unrealized_conversion_cast to !cuda_tile.tile<32x8xf64>
  %c5 = builtin.unrealized_conversion_cast to !cuda_tile.tile<16x8xf64>
  %a = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x16x32xf16>
  %b = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x32x8xf16>
  %c = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x16x8xf32>
  %i = builtin.unrealized_conversion_cast to !cuda_tile.tile<16x32xi8>
  %j = builtin.unrealized_conversion_cast to !cuda_tile.tile<32x8xi8>
  %k = builtin.unrealized_conversion_cast to !cuda_tile.tile<16x8xi32>
  // CHECK: "cuda_tile.mmaf"({{.*}}) : (!cuda_tile.tile<16x32xbf16>, !cuda_tile.tile<32x8xbf16>, !cuda_tile.tile<16x8xf32>) -> !cuda_tile.tile<16x8xf32>
  %r0 = "cuda_tile.mmaf"(%a0, %b0, %c0) : (!cuda_tile.tile<16x32xbf16>, !cuda_tile.tile<32x8xbf16>, !cuda_tile.tile<16x8xf32>) -> !cuda_tile.tile<16x8xf32>
  // CHECK: "cuda_tile.mmaf"({{.*}}) : (!cuda_tile.tile<16x32xf16>, !cuda_tile.tile<32x8xf16>, !cuda_tile.tile<16x8xf16>) -> !cuda_tile.tile<16x8xf16>
  %r1 = "cuda_tile.mmaf"(%a1, %b1, %c1) : (!cuda_tile.tile<16x32xf16>, !cuda_tile.tile<32x8xf16>, !cuda_tile.tile<16x8xf16>) -> !cuda_tile.tile<16x8xf16>
  // CHECK: "cuda_tile.mmaf"({{.*}}) : (!cuda_tile.tile<16x32xf16>, !cuda_tile.tile<32x8xf16>, !cuda_tile.tile<16x8xf32>) -> !cuda_tile.tile<16x8xf32>
  %r2 = "cuda_tile.mmaf"(%a2, %b2, %c2) : (!cuda_tile.tile<16x32xf16>, !cuda_tile.tile<32x8xf16>, !cuda_tile.tile<16x8xf32>) -> !cuda_tile.tile<16x8xf32>
  // CHECK: "cuda_tile.mmaf"({{.*}}) : (!cuda_tile.tile<16x32xtf32>, !cuda_tile.tile<32x8xtf32>, !cuda_tile.tile<16x8xf32>) -> !cuda_tile.tile<16x8xf32>
  %r3 = "cuda_tile.mmaf"(%a3, %b3, %c3) : (!cuda_tile.tile<16x32xtf32>, !cuda_tile.tile<32x8xtf32>, !cuda_tile.tile<16x8xf32>) -> !cuda_tile.tile<16x8xf32>
  // CHECK: "cuda_tile.mmaf"({{.*}}) : (!cuda_tile.tile<16x32xf8E4M3FN>, !cuda_tile.tile<32x8xf8E4M3FN>, !cuda_tile.tile<16x8xf32>) -> !cuda_tile.tile<16x8xf32>
  %r4 = "cuda_tile.mmaf"(%a4, %b4, %c4) : (!cuda_tile.tile<16x32xf8E4M3FN>, !cuda_tile.tile<32x8xf8E4M3FN>, !cuda_tile.tile<16x8xf32>) -> !cuda_tile.tile<16x8xf32>
  // CHECK: "cuda_tile.mmaf"({{.*}}) : (!cuda_tile.tile<16x32xf64>, !cuda_tile.tile<32x8xf64>, !cuda_tile.tile<16x8xf64>) -> !cuda_tile.tile<16x8xf64>
  %r5 = "cuda_tile.mmaf"(%a5, %b5, %c5) : (!cuda_tile.tile<16x32xf64>, !cuda_tile.tile<32x8xf64>, !cuda_tile.tile<16x8xf64>) -> !cuda_tile.tile<16x8xf64>
  // CHECK: "cuda_tile.mmaf"({{.*}}) : (!cuda_tile.tile<2x16x32xf16>, !cuda_tile.tile<2x32x8xf16>, !cuda_tile.tile<2x16x8xf32>) -> !cuda_tile.tile<2x16x8xf32>
  %batched = "cuda_tile.mmaf"(%a, %b, %c) : (!cuda_tile.tile<2x16x32xf16>, !cuda_tile.tile<2x32x8xf16>, !cuda_tile.tile<2x16x8xf32>) -> !cuda_tile.tile<2x16x8xf32>
  // CHECK: "cuda_tile.mmai"({{.*}}) {signedness_lhs = "signed", signedness_rhs = "unsigned"} : (!cuda_tile.tile<16x32xi8>, !cuda_tile.tile<32x8xi8>, !cuda_tile.tile<16x8xi32>) -> !cuda_tile.tile<16x8xi32>
  %int = "cuda_tile.mmai"(%i, %j, %k) {signedness_lhs = "signed", signedness_rhs = "unsigned"} : (!cuda_tile.tile<16x32xi8>, !cuda_tile.tile<32x8xi8>, !cuda_tile.tile<16x8xi32>) -> !cuda_tile.tile<16x8xi32>
}

// -----

// Views, and their shapes.
// CHECK-LABEL: module @views
module @views {
  %p = builtin.unrealized_conversion_cast to !cuda_tile.ptr<bf16>
  %q = builtin.unrealized_conversion_cast to !cuda_tile.ptr<i8>
  %m = builtin.unrealized_conversion_cast to i32
  %s = builtin.unrealized_conversion_cast to i64
  // CHECK: "cuda_tile.make_tensor_view"({{.*}}) : (!cuda_tile.ptr<bf16>, i32, i32, i64) -> !cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>
  %v = "cuda_tile.make_tensor_view"(%p, %m, %m, %s) : (!cuda_tile.ptr<bf16>, i32, i32, i64) -> !cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>
  // CHECK: "cuda_tile.make_tensor_view"({{.*}}) : (!cuda_tile.ptr<i8>) -> !cuda_tile.tensor_view<memref<64xi8, strided<[2]>>>
  %w = "cuda_tile.make_tensor_view"(%q) : (!cuda_tile.ptr<i8>) -> !cuda_tile.tensor_view<memref<64xi8, strided<[2]>>>
  // CHECK: "cuda_tile.make_partition_view"({{.*}}) : (!cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>) -> !cuda_tile.partition_view<array<i64: 128, 64>, !cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>, array<i64: 1, 0>, "nan">
  %t = "cuda_tile.make_partition_view"(%v) : (!cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>) -> !cuda_tile.partition_view<array<i64: 128, 64>, !cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>, array<i64: 1, 0>, "nan">
  // CHECK: "cuda_tile.get_tensor_shape"({{.*}}) : (!cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>) -> (i32, i32)
  %sizes:2 = "cuda_tile.get_tensor_shape"(%v) : (!cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>) -> (i32, i32)
  // CHECK: "cuda_tile.prefetch_view"({{.*}}) {element_offsets} : (!cuda_tile.partition_view<array<i64: 128, 64>
  "cuda_tile.prefetch_view"(%t, %sizes#0, %sizes#1) {element_offsets} : (!cuda_tile.partition_view<array<i64: 128, 64>, !cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>, array<i64: 1, 0>, "nan">, i32, i32) -> ()
  // CHECK: "cuda_tile.slice_view"({{.*}}) {dim = 1 : i64} : (!cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>, i32, i32) -> !cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>
  %part = "cuda_tile.slice_view"(%v, %sizes#0, %sizes#1) {dim = 1 : i64} : (!cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>, i32, i32) -> !cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>
  // CHECK: "cuda_tile.make_strided_view"({{.*}}) : (!cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>) -> !cuda_tile.strided_view<array<i64: 4, 8>, !cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>, array<i64: 1, 0>, "zero", array<i64: 1, 16>>
  %windows = "cuda_tile.make_strided_view"(%v) : (!cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>) -> !cuda_tile.strided_view<array<i64: 4, 8>, !cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>, array<i64: 1, 0>, "zero", array<i64: 1, 16>>
  // CHECK: "cuda_tile.get_index_space_shape"({{.*}}) : (!cuda_tile.partition_view<array<i64: 128, 64>, !cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>, array<i64: 1, 0>, "nan">) -> (i32, i32)
  %tiles:2 = "cuda_tile.get_index_space_shape"(%t) : (!cuda_tile.partition_view<array<i64: 128, 64>, !cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>, array<i64: 1, 0>, "nan">) -> (i32, i32)
}

// -----

// Loads, stores and tokens.
// CHECK-LABEL: module @memory
module @memory {
  %v = builtin.unrealized_conversion_cast to !cuda_tile.partition_view<array<i64: 128, 64>, !cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>, array<i64: 1, 0>, "nan">
  %i = builtin.unrealized_conversion_cast to i32
  // CHECK: "cuda_tile.make_token"({{.*}}) : () -> !cuda_tile.token
  %t = "cuda_tile.make_token"() : () -> !cuda_tile.token
  // CHECK: "cuda_tile.load_view_tko"({{.*}}) {ordering = "weak"} : (!cuda_tile.partition_view<array<i64: 128, 64>, !cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>, array<i64: 1, 0>, "nan">, i32, i32) -> (!cuda_tile.tile<128x64xbf16>, !cuda_tile.token)
  %a:2 = "cuda_tile.load_view_tko"(%v, %i, %i) {ordering = "weak"} : (!cuda_tile.partition_view<array<i64: 128, 64>, !cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>, array<i64: 1, 0>, "nan">, i32, i32) -> (!cuda_tile.tile<128x64xbf16>, !cuda_tile.token)
  // CHECK: "cuda_tile.load_view_tko"({{.*}}) {allow_tma = false, latency = 10 : i64, ordering = "acquire", scope = "device"} : (!cuda_tile.partition_view<array<i64: 128, 64>, !cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>, array<i64: 1, 0>, "nan">, i32, i32, !cuda_tile.token) -> (!cuda_tile.tile<128x64xbf16>, !cuda_tile.token)
  %b:2 = "cuda_tile.load_view_tko"(%v, %i, %i, %t) {allow_tma = false, latency = 10 : i64, ordering = "acquire", scope = "device"} : (!cuda_tile.partition_view<array<i64: 128, 64>, !cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>, array<i64: 1, 0>, "nan">, i32, i32, !cuda_tile.token) -> (!cuda_tile.tile<128x64xbf16>, !cuda_tile.token)
  // CHECK: "cuda_tile.join_tokens"({{.*}}) : (!cuda_tile.token, !cuda_tile.token) -> !cuda_tile.token
  %j = "cuda_tile.join_tokens"(%a#1, %b#1) : (!cuda_tile.token, !cuda_tile.token) -> !cuda_tile.token
  // CHECK: "cuda_tile.store_view_tko"({{.*}}) {ordering = "weak"} : (!cuda_tile.tile<128x64xbf16>, !cuda_tile.partition_view<array<i64: 128, 64>, !cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>, array<i64: 1, 0>, "nan">, i32, i32, !cuda_tile.token) -> !cuda_tile.token
  %c = "cuda_tile.store_view_tko"(%a#0, %v, %i, %i, %j) {ordering = "weak"} : (!cuda_tile.tile<128x64xbf16>, !cuda_tile.partition_view<array<i64: 128, 64>, !cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>, array<i64: 1, 0>, "nan">, i32, i32, !cuda_tile.token) -> !cuda_tile.token
  // CHECK: "cuda_tile.store_view_tko"({{.*}}) {ordering = "release", scope = "sys"} : (!cuda_tile.tile<128x64xbf16>, !cuda_tile.partition_view<array<i64: 128, 64>, !cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>, array<i64: 1, 0>, "nan">, i32, i32) -> !cuda_tile.token
  %d = "cuda_tile.store_view_tko"(%b#0, %v, %i, %i) {ordering = "release", scope = "sys"} : (!cuda_tile.tile<128x64xbf16>, !cuda_tile.partition_view<array<i64: 128, 64>, !cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>, array<i64: 1, 0>, "nan">, i32, i32) -> !cuda_tile.token
}

// -----

// Block coordinates and assumptions.
// CHECK-LABEL: module @grid
module @grid {
  %p = builtin.unrealized_conversion_cast to !cuda_tile.ptr<bf16>
  %n = builtin.unrealized_conversion_cast to i32
  // CHECK: "cuda_tile.get_tile_block_id"({{.*}}) : () -> (i32, i32, i32)
  %x, %y, %z = "cuda_tile.get_tile_block_id"() : () -> (i32, i32, i32)
  // CHECK: "cuda_tile.get_num_tile_blocks"({{.*}}) : () -> (i32, i32, i32)
  %u, %v, %w = "cuda_tile.get_num_tile_blocks"() : () -> (i32, i32, i32)
  // CHECK: "cuda_tile.assume"({{.*}}) {predicate = "div_by<16>"} : (!cuda_tile.ptr<bf16>) -> !cuda_tile.ptr<bf16>
  %q = "cuda_tile.assume"(%p) {predicate = "div_by<16>"} : (!cuda_tile.ptr<bf16>) -> !cuda_tile.ptr<bf16>
  // CHECK: "cuda_tile.assume"({{.*}}) {predicate = "bounded<0, ?>"} : (i32) -> i32
  %m = "cuda_tile.assume"(%n) {predicate = "bounded<0, ?>"} : (i32) -> i32
}

// -----

// Two kernels in a module, with scalars, pointers and metadata.
// CHECK-LABEL: module @kernels
// CHECK: "cuda_tile.entry"() ({
// CHECK-NEXT: "cuda_tile.return"() : () -> ()
// CHECK-NEXT: }) {function_type = () -> (), sym_name = "empty"} : () -> ()
// CHECK: ^bb0(%{{.*}}: !cuda_tile.ptr<f8E4M3FN>, %{{.*}}: i64, %{{.*}}: bf16, %{{.*}}: i1):
// CHECK: }) {function_type = (!cuda_tile.ptr<f8E4M3FN>, i64, bf16, i1) -> (), sym_name = "full", tilec.kernel = {name = "full", params = [{array = "A", kind = "pointer"}]}} : () -> ()
module @kernels {
  "cuda_tile.entry"() ({
    "cuda_tile.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "empty"} : () -> ()
  "cuda_tile.entry"() ({
  ^bb0(%a: !cuda_tile.ptr<f8E4M3FN>, %s: i64, %x: bf16, %c: i1):
    "cuda_tile.return"() : () -> ()
  }) {function_type = (!cuda_tile.ptr<f8E4M3FN>, i64, bf16, i1) -> (), sym_name = "full", tilec.kernel = {name = "full", params = [{array = "A", kind = "pointer"}]}} : () -> ()
}

// -----

// Structured control flow is scf; a loop may carry tiles and tokens.
// CHECK-LABEL: module @control_flow
// CHECK: scf.for {{.*}} -> (!cuda_tile.tile<4x8xf32>, !cuda_tile.token)
// CHECK: scf.if {{.*}} -> (!cuda_tile.tile<4x8xf32>)
module @control_flow {
  "cuda_tile.entry"() ({
  ^bb0(%n: i32, %c: i1):
    %t = "cuda_tile.make_token"() : () -> !cuda_tile.token
    %z = "cuda_tile.constant"() {value = dense<0.0> : tensor<4x8xf32>} : () -> !cuda_tile.tile<4x8xf32>
    %r:2 = scf.for %i = %n to %n step %n iter_args(%a = %z, %b = %t) -> (!cuda_tile.tile<4x8xf32>, !cuda_tile.token) : i32 {
      %s = scf.if %c -> (!cuda_tile.tile<4x8xf32>) {
        scf.yield %a : !cuda_tile.tile<4x8xf32>
      } else {
        scf.yield %z : !cuda_tile.tile<4x8xf32>
      }
      scf.yield %s, %b : !cuda_tile.tile<4x8xf32>, !cuda_tile.token
    }
    "cuda_tile.return"() : () -> ()
  }) {function_type = (i32, i1) -> (), sym_name = "k"} : () -> ()
}
