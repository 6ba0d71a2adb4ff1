// RUN: tilec opt %s --passes nv-tileaa-copy-operands --split-input-file | FileCheck %s

// The pass marks the gathers that threads copy to shared memory as they are, and says why.

// CHECK-LABEL: module @gathered_rows
// CHECK:         "nv_tileaa.gather"
// CHECK-SAME:    {atom = #cute.copy_atom<"sm80_cp_async_16_bf16", "cp_async", 1 : i64, 128 : i64, bf16>, {{.*}}run = 8 : i64}
// CHECK:         "nv_tileaa.dot"
// CHECK:         copy_rounds = true
// CHECK-SAME:    reasons = ["copy_rounds = true: k-tiles take {{[0-9]+}} cycles with copies of what TMA cannot load; runner-up: {{[0-9]+}} with loads a round ahead"]
module @gathered_rows {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<bf16>, %n: i32, %stride: i64, %rows: tensor<64x64xi32>, %b: tensor<64x64xbf16>, %acc: tensor<64x64xf32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zeros = arith.constant dense<0.0> : tensor<64x64xbf16>
    %token = "nv_tileaa.create_mem_token"() : () -> !nv_tileaa.mem_token
    %m = "nv_tileaa.make_memref"(%p, %n, %n, %stride) {base_div_by = 16 : i64, size_div_by = array<i64: 1, 1>, stride_div_by = array<i64: 16, 2>} : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %acc) -> (tensor<64x64xf32>) : i32 {
      %first = arith.muli %i, %c64 : i32
      %line = "nv_tileaa.splat"(%first) : (i32) -> tensor<64x64xi32>
      %x:2 = "nv_tileaa.gather"(%m, %rows, %line, %zeros, %token) {run = 8 : i64, ragged, operandSegmentSizes = array<i32: 1, 2, 0, 1, 1>} : (!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>, tensor<64x64xi32>, tensor<64x64xi32>, tensor<64x64xbf16>, !nv_tileaa.mem_token) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
      %d = "nv_tileaa.dot"(%x#0, %b, %a) {a_major = "k", b_major = "k"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %e = math.exp2 %sum : tensor<64x64xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<bf16>, i32, i64, tensor<64x64xi32>, tensor<64x64xbf16>, tensor<64x64xf32>) -> ()} : () -> ()
}

// -----

// A tiled load that TMA does not do becomes a gather of the same elements, in runs of 8 bytes here.
// CHECK-LABEL: module @tiled_load
// CHECK:         scf.for
// CHECK-DAG:     %[[I:.*]] = "nv_tileaa.splat"(%c0_i32) : (i32) -> tensor<64xi32>
// CHECK-DAG:     %[[J:.*]] = "nv_tileaa.splat"(%{{.*}}) : (i32) -> tensor<64xi32>
// CHECK:         "nv_tileaa.gather"
// CHECK-SAME:    {atom = #cute.copy_atom<"sm80_cp_async_8_bf16", {{.*}}ragged, run = 4 : i64}
// CHECK-NOT:     tiled_load
module @tiled_load {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<bf16>, %n: i32, %stride: i64, %b: tensor<64x64xbf16>, %acc: tensor<64x64xf32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %token = "nv_tileaa.create_mem_token"() : () -> !nv_tileaa.mem_token
    %m = "nv_tileaa.make_memref"(%p, %n, %n, %stride) {base_div_by = 8 : i64, size_div_by = array<i64: 1, 1>, stride_div_by = array<i64: 8, 2>} : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %acc) -> (tensor<64x64xf32>) : i32 {
      %first = arith.muli %i, %c64 : i32
      %x:2 = "nv_tileaa.tiled_load"(%m, %c0, %first, %token) {padding = "zero", mem_semantic = "weak", atom = #cute.copy_atom<"sm90_ldg_64_bf16", "ldg", 1 : i64, 64 : i64, bf16>} : (!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>, i32, i32, !nv_tileaa.mem_token) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
      %d = "nv_tileaa.dot"(%x#0, %b, %a) {a_major = "k", b_major = "k"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %e = math.exp2 %sum : tensor<64x64xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<bf16>, i32, i64, tensor<64x64xbf16>, tensor<64x64xf32>) -> ()} : () -> ()
}

// -----

// Rows of 16-bit elements with an odd pitch cannot be copied: nothing changes.
// CHECK-LABEL: module @odd_pitch
// CHECK:         scf.for
// CHECK-NEXT:      arith.muli
// CHECK-NEXT:      "nv_tileaa.tiled_load"
// CHECK-NEXT:      "nv_tileaa.dot"
module @odd_pitch {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<bf16>, %n: i32, %stride: i64, %b: tensor<64x64xbf16>, %acc: tensor<64x64xf32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %token = "nv_tileaa.create_mem_token"() : () -> !nv_tileaa.mem_token
    %m = "nv_tileaa.make_memref"(%p, %n, %n, %stride) {base_div_by = 16 : i64, size_div_by = array<i64: 1, 1>, stride_div_by = array<i64: 2, 2>} : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %acc) -> (tensor<64x64xf32>) : i32 {
      %first = arith.muli %i, %c64 : i32
      %x:2 = "nv_tileaa.tiled_load"(%m, %c0, %first, %token) {padding = "zero", mem_semantic = "weak", atom = #cute.copy_atom<"sm90_ldg_16_bf16", "ldg", 1 : i64, 16 : i64, bf16>} : (!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>, i32, i32, !nv_tileaa.mem_token) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
      %d = "nv_tileaa.dot"(%x#0, %b, %a) {a_major = "k", b_major = "k"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %e = math.exp2 %sum : tensor<64x64xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<bf16>, i32, i64, tensor<64x64xbf16>, tensor<64x64xf32>) -> ()} : () -> ()
}

// -----

// What threads compute with is not copied, nor are rows whose places the loop loads.
// CHECK-LABEL: module @other_loads
// CHECK-NOT:     cp_async
// CHECK:         "nv_tileaa.return"
module @other_loads {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<bf16>, %n: i32, %stride: i64, %rows: tensor<64x64xi32>, %b: tensor<64x64xbf16>, %acc: tensor<64x64xf32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zeros = arith.constant dense<0.0> : tensor<64x64xbf16>
    %token = "nv_tileaa.create_mem_token"() : () -> !nv_tileaa.mem_token
    %m = "nv_tileaa.make_memref"(%p, %n, %n, %stride) {base_div_by = 16 : i64, size_div_by = array<i64: 1, 1>, stride_div_by = array<i64: 16, 2>} : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>
    %sum:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %acc, %place = %rows) -> (tensor<64x64xf32>, tensor<64x64xi32>) : i32 {
      %line = "nv_tileaa.splat"(%i) : (i32) -> tensor<64x64xi32>
      %x:2 = "nv_tileaa.gather"(%m, %place, %line, %zeros, %token) {run = 8 : i64, operandSegmentSizes = array<i32: 1, 2, 0, 1, 1>} : (!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>, tensor<64x64xi32>, tensor<64x64xi32>, tensor<64x64xbf16>, !nv_tileaa.mem_token) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
      %y:2 = "nv_tileaa.gather"(%m, %rows, %line, %zeros, %token) {run = 8 : i64, operandSegmentSizes = array<i32: 1, 2, 0, 1, 1>} : (!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>, tensor<64x64xi32>, tensor<64x64xi32>, tensor<64x64xbf16>, !nv_tileaa.mem_token) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
      %twice = arith.addf %y#0, %y#0 : tensor<64x64xbf16>
      %d = "nv_tileaa.dot"(%x#0, %twice, %a) {a_major = "k", b_major = "k"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %next = arith.addi %place, %line : tensor<64x64xi32>
      scf.yield %d, %next : tensor<64x64xf32>, tensor<64x64xi32>
    }
    %e = math.exp2 %sum#0 : tensor<64x64xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<bf16>, i32, i64, tensor<64x64xi32>, tensor<64x64xbf16>, tensor<64x64xf32>) -> ()} : () -> ()
}

// -----

// The user may ask for loads into registers, and the plan says so.
// CHECK-LABEL: module @asked
// CHECK-NOT:     cp_async
// CHECK:         copy_rounds = false
// CHECK-SAME:    reasons = ["copy_rounds = false: fixed by the user"]
module @asked {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<bf16>, %n: i32, %stride: i64, %rows: tensor<64x64xi32>, %b: tensor<64x64xbf16>, %acc: tensor<64x64xf32>):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zeros = arith.constant dense<0.0> : tensor<64x64xbf16>
    %token = "nv_tileaa.create_mem_token"() : () -> !nv_tileaa.mem_token
    %m = "nv_tileaa.make_memref"(%p, %n, %n, %stride) {base_div_by = 16 : i64, size_div_by = array<i64: 1, 1>, stride_div_by = array<i64: 16, 2>} : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %acc) -> (tensor<64x64xf32>) : i32 {
      %first = arith.muli %i, %c64 : i32
      %line = "nv_tileaa.splat"(%first) : (i32) -> tensor<64x64xi32>
      %x:2 = "nv_tileaa.gather"(%m, %rows, %line, %zeros, %token) {run = 8 : i64, ragged, operandSegmentSizes = array<i32: 1, 2, 0, 1, 1>} : (!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>, tensor<64x64xi32>, tensor<64x64xi32>, tensor<64x64xbf16>, !nv_tileaa.mem_token) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
      %d = "nv_tileaa.dot"(%x#0, %b, %a) {a_major = "k", b_major = "k"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %e = math.exp2 %sum : tensor<64x64xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", tilec.kernel = {hints = {copy_rounds = false}}, function_type = (!nv_tileaa.ptr<bf16>, i32, i64, tensor<64x64xi32>, tensor<64x64xbf16>, tensor<64x64xf32>) -> ()} : () -> ()
}
