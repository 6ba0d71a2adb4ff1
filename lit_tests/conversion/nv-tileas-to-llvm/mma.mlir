// RUN: tilec opt %s --passes convert-nv-tileas-to-llvm --split-input-file | FileCheck %s

// The pass lowers matrix products to wgmma, and to fused multiply-adds where there is no wgmma.

!a = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
!b = !nv_tileas.smem<tensor<64x128xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!acc = tensor<128x128xf32, #nv_tileas.layout<"128x128|reg:2*(0,1),2*(8,0),16*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)|warpgroup:2*(64,0)">>

// A group is one block of PTX: fence, a wgmma per step of 16 along K, commit. Each of two warpgroups
// computes its own 64 rows; B is not transposed in memory, so its major bit is set.
// CHECK-LABEL: llvm.func @a_group_is_one_block
// CHECK:         arith.select %{{.*}}, %c8192
// CHECK:         llvm.inline_asm has_side_effects{{.*}}wgmma.fence.sync.aligned;
// CHECK-SAME:      wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {$0, $1, $2,
// CHECK-SAME:      $62, $63}, da, db, 1, 1, 1, 0, 1;
// CHECK-SAME:      add.s64 da, $128, 2;
// CHECK-SAME:      add.s64 da, $128, 4;
// CHECK-SAME:      add.s64 da, $128, 6;
// CHECK-SAME:      wgmma.commit_group.sync.aligned;
// CHECK:         wgmma.wait_group.sync.aligned 0;
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %a = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !a
  %b = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 16384 : i64} : () -> !b
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %zero = arith.constant dense<0.0> : !acc
    %g, %t = "nv_tileas.async_mma"(%a, %b, %zero) {a_major = "k", b_major = "n"} : (!a, !b, !acc) -> (!acc, !nv_tileas.mma_token)
    %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (!acc, !nv_tileas.mma_token) -> !acc
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 8 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "a_group_is_one_block", function_type = (i32) -> (), tilec.kernel = {block_threads = 256 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!a = !nv_tileas.smem<tensor<16x64xf16, #nv_tileas.shared_layout<array<i64: 16, 64>, 128 : i64>>>
!b = !nv_tileas.smem<tensor<32x16xf16, #nv_tileas.shared_layout<array<i64: 32, 16>, 32 : i64>>>
!acc = tensor<64x32xf32, #nv_tileas.layout<"64x32|reg:2*(0,1),2*(8,0),4*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)">>

// Operands in the other order set the other major bits; one step of K is one instruction.
// CHECK-LABEL: llvm.func @majors_set_their_bits
// CHECK:         wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {{.*}}, da, db, 1, 1, 1, 1, 0;
// CHECK-NOT:     m64n32k16{{.*}}m64n32k16
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %a = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !a
  %b = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 2048 : i64} : () -> !b
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %zero = arith.constant dense<0.0> : !acc
    %g, %t = "nv_tileas.async_mma"(%a, %b, %zero) {a_major = "m", b_major = "k"} : (!a, !b, !acc) -> (!acc, !nv_tileas.mma_token)
    %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (!acc, !nv_tileas.mma_token) -> !acc
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "majors_set_their_bits", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!a = !nv_tileas.smem<tensor<64x16xbf16, #nv_tileas.shared_layout<array<i64: 64, 16>, 32 : i64>>>
!b = !nv_tileas.smem<tensor<384x16xbf16, #nv_tileas.shared_layout<array<i64: 192, 16>, 32 : i64>>>
!acc = tensor<64x384xf32, #nv_tileas.layout<"64x384|reg:2*(0,1),2*(8,0),48*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)">>

// A tile wider than an instruction takes several, each with its own registers.
// CHECK-LABEL: llvm.func @wide_tiles_take_several_instructions
// CHECK:         wgmma.mma_async.sync.aligned.m64n192k16.f32.bf16.bf16 {$0, $1,
// CHECK-SAME:    $94, $95}, da, db
// CHECK-SAME:    wgmma.mma_async.sync.aligned.m64n192k16.f32.bf16.bf16 {$96, $97,
// CHECK-SAME:    $190, $191}, da, db
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %a = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !a
  %b = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 2048 : i64} : () -> !b
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %zero = arith.constant dense<0.0> : !acc
    %g, %t = "nv_tileas.async_mma"(%a, %b, %zero) {a_major = "k", b_major = "k"} : (!a, !b, !acc) -> (!acc, !nv_tileas.mma_token)
    %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (!acc, !nv_tileas.mma_token) -> !acc
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "wide_tiles_take_several_instructions", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!a = !nv_tileas.smem<tensor<16x8xf32, #nv_tileas.shared_layout<array<i64: 16, 8>, 0 : i64>>>
!b = !nv_tileas.smem<tensor<8x16xf32, #nv_tileas.shared_layout<array<i64: 8, 16>, 0 : i64>>>
!acc = tensor<16x16xf32, #nv_tileas.layout<"16x16|reg:2*(8,0)|lane:16*(0,1),2*(1,0)|warp:4*(2,0)">>

// The product on CUDA cores loops over K: a column of A, a row of B, one fused multiply-add for each
// element of a thread. A value that two elements need is loaded once.
// CHECK-LABEL: llvm.func @cuda_cores_loop_over_k
// CHECK:         scf.for {{.*}} -> (f32, f32)
// CHECK-COUNT-2:   llvm.load
// CHECK:           llvm.call_intrinsic "llvm.fma.f32"
// CHECK:           llvm.load
// CHECK-NOT:       llvm.load
// CHECK:           llvm.call_intrinsic "llvm.fma.f32"
// CHECK:           scf.yield
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %a = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !a
  %b = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 512 : i64} : () -> !b
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %zero = arith.constant dense<0.0> : !acc
    %d = "nv_tileas.simt_mma"(%a, %b, %zero) {a_major = "k", b_major = "n"} : (!a, !b, !acc) -> !acc
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "cuda_cores_loop_over_k", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!a = !nv_tileas.smem<tensor<16x8xi8, #nv_tileas.shared_layout<array<i64: 16, 8>, 0 : i64>>>
!b = !nv_tileas.smem<tensor<8x16xi8, #nv_tileas.shared_layout<array<i64: 8, 16>, 0 : i64>>>
!acc = tensor<16x16xi32, #nv_tileas.layout<"16x16|reg:2*(8,0)|lane:16*(0,1),2*(1,0)|warp:4*(2,0)">>

// Integer operands are widened by their own signedness.
// CHECK-LABEL: llvm.func @integers_widen_by_their_signedness
// CHECK:         scf.for
// CHECK:           %[[A:.*]] = arith.extui %{{.*}} : i8 to i32
// CHECK:           %[[B:.*]] = arith.extsi %{{.*}} : i8 to i32
// CHECK:           %[[P:.*]] = arith.muli %[[A]], %[[B]]
// CHECK:           arith.addi %[[P]],
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %a = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !a
  %b = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 128 : i64} : () -> !b
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %zero = arith.constant dense<0> : !acc
    %d = "nv_tileas.simt_mma"(%a, %b, %zero) {a_major = "k", b_major = "n", signedness_a = "unsigned", signedness_b = "signed"} : (!a, !b, !acc) -> !acc
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "integers_widen_by_their_signedness", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!a = !nv_tileas.smem<tensor<192x16xbf16, #nv_tileas.shared_layout<array<i64: 192, 16>, 32 : i64>>>
!b = !nv_tileas.smem<tensor<208x16xbf16, #nv_tileas.shared_layout<array<i64: 208, 16>, 32 : i64>>>
!acc = tensor<192x208xf32, #nv_tileas.layout<"192x208|reg:2*(0,1),2*(8,0),13*(0,8),3*(64,0)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)|warpgroup:2*(0,104)">>

// 192 rows do not split over two warpgroups: each computes all of them for its own 104 columns.
// CHECK-LABEL: llvm.func @warpgroups_share_columns
// CHECK:         arith.select %{{.*}}, %c3328
// CHECK-NOT:     arith.select
// CHECK:         wgmma.mma_async.sync.aligned.m64n104k16.f32.bf16.bf16 {$0, {{.*}}, $51}, da, db, 1, 1, 1, 0, 0;
// CHECK-SAME:      add.s64 da, $312, 128;
// CHECK-SAME:      {$52, {{.*}}, $103}
// CHECK-SAME:      {$104, {{.*}}, $155}
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %a = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !a
  %b = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 6144 : i64} : () -> !b
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %zero = arith.constant dense<0.0> : !acc
    %g, %t = "nv_tileas.async_mma"(%a, %b, %zero) {a_major = "k", b_major = "k"} : (!a, !b, !acc) -> (!acc, !nv_tileas.mma_token)
    %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (!acc, !nv_tileas.mma_token) -> !acc
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 8 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "warpgroups_share_columns", function_type = (i32) -> (), tilec.kernel = {block_threads = 256 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!a = !nv_tileas.smem<tensor<64x32xbf16, #nv_tileas.shared_layout<array<i64: 64, 32>, 64 : i64>>>
!b = !nv_tileas.smem<tensor<384x32xbf16, #nv_tileas.shared_layout<array<i64: 192, 32>, 64 : i64>>>
!acc = tensor<64x384xf32, #nv_tileas.layout<"64x384|reg:2*(0,1),2*(8,0),48*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)">>

// The predicate is scale-d of the first k-step of each instruction's columns; later steps always add.
// CHECK-LABEL: llvm.func @the_first_step_may_overwrite
// CHECK-SAME:    %[[P:.*]]: i1)
// CHECK:         %[[MORE:.*]] = arith.extui %[[P]] : i1 to i32
// CHECK:         llvm.inline_asm {{.*}}.reg .pred p;\0Asetp.ne.b32 p, $386, 0;\0Awgmma.fence.sync.aligned;
// CHECK-SAME:      {$0, {{.*}}, $95}, da, db, p, 1, 1, 0, 0;
// CHECK-SAME:      {$0, {{.*}}, $95}, da, db, 1, 1, 1, 0, 0;
// CHECK-SAME:      {$96, {{.*}}, $191}, da, db, p, 1, 1, 0, 0;
// CHECK-SAME:      {$96, {{.*}}, $191}, da, db, 1, 1, 1, 0, 0;
// CHECK-SAME:      190,191,l,l,r,~{memory}" {{.*}}, %[[MORE]] :
"nv_tileaa.func"() ({
^bb0(%more: i1):
  %a = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !a
  %b = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 4096 : i64} : () -> !b
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %zero = arith.constant dense<0.0> : !acc
    %g, %t = "nv_tileas.async_mma"(%a, %b, %zero, %more) {a_major = "k", b_major = "k"} : (!a, !b, !acc, i1) -> (!acc, !nv_tileas.mma_token)
    %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (!acc, !nv_tileas.mma_token) -> !acc
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "the_first_step_may_overwrite", function_type = (i1) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!acc = tensor<64x8xf32, #nv_tileas.layout<"64x8|reg:2*(0,1),2*(8,0)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)">>

// PTX that LLVM cannot move writes zeros, and copies a register that is never written.
// CHECK-LABEL: llvm.func @registers_are_filled_in_place
// CHECK:         llvm.inline_asm has_side_effects asm_dialect = att "{\0Amov.b32 $0, 0;\0Amov.b32 $1, 0;\0Amov.b32 $2, 0;\0Amov.b32 $3, 0;\0A}", "=f,=f,=f,=f"  : () -> !llvm.struct<"f32x4", (f32, f32, f32, f32)>
// CHECK:         llvm.inline_asm has_side_effects asm_dialect = att "{\0A.reg .b32 unwritten;\0Amov.b32 $0, unwritten;\0A{{.*}}mov.b32 $3, unwritten;\0A}", "=f,=f,=f,=f"  : () -> !llvm.struct<"f32x4", (f32, f32, f32, f32)>
"nv_tileaa.func"() ({
^bb0(%n: i32):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %z = "nv_tileas.zeros"() : () -> !acc
    %u = "nv_tileas.undefined"() : () -> !acc
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "registers_are_filled_in_place", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!a = !nv_tileas.smem<tensor<64x16xf16, #nv_tileas.shared_layout<array<i64: 64, 16>, 32 : i64>>>
!b = !nv_tileas.smem<tensor<32x16xf16, #nv_tileas.shared_layout<array<i64: 32, 16>, 32 : i64>>>
!acc = tensor<64x32xf16, #nv_tileas.layout<"64x32|reg:2*(0,1),2*(8,0),4*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)">>

// Two sums of f16 share a register: 8 of them for 32 columns, and asm operands of 32 bits.
// CHECK-LABEL: llvm.func @sums_of_f16_share_registers
// CHECK:         llvm.inline_asm has_side_effects{{.*}}m64n32k16.f16.f16.f16 {$0, $1, $2, $3, $4, $5, $6, $7}, da, db, 1, 1, 1, 0, 0;{{.*}}"=r,=r,=r,=r,=r,=r,=r,=r,0,1,2,3,4,5,6,7,l,l,~{memory}"
// CHECK:         wgmma.wait_group.sync.aligned 0;{{.*}}"=r,
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %a = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !a
  %b = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 16384 : i64} : () -> !b
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %zero = arith.constant dense<0.0> : !acc
    %g, %t = "nv_tileas.async_mma"(%a, %b, %zero) {a_major = "k", b_major = "k"} : (!a, !b, !acc) -> (!acc, !nv_tileas.mma_token)
    %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (!acc, !nv_tileas.mma_token) -> !acc
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "sums_of_f16_share_registers", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!a = !nv_tileas.smem<tensor<64x32xi8, #nv_tileas.shared_layout<array<i64: 64, 32>, 32 : i64>>>
!b = !nv_tileas.smem<tensor<32x32xi8, #nv_tileas.shared_layout<array<i64: 32, 32>, 32 : i64>>>
!acc = tensor<64x32xi32, #nv_tileas.layout<"64x32|reg:2*(0,1),2*(8,0),4*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)">>

// Products of bytes: no factors, no major bits; each operand has its own sign.
// CHECK-LABEL: llvm.func @integers_have_no_factors
// CHECK:         m64n32k32.s32.u8.s8 {{.*}}, da, db, 1;
// CHECK-SAME:      "=r,
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %a = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !a
  %b = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 16384 : i64} : () -> !b
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %zero = arith.constant dense<0> : !acc
    %g, %t = "nv_tileas.async_mma"(%a, %b, %zero) {a_major = "k", b_major = "k", signedness_a = "unsigned", signedness_b = "signed"} : (!a, !b, !acc) -> (!acc, !nv_tileas.mma_token)
    %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (!acc, !nv_tileas.mma_token) -> !acc
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "integers_have_no_factors", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!a = !nv_tileas.smem<tensor<64x64xf8E4M3FN, #nv_tileas.shared_layout<array<i64: 64, 64>, 64 : i64>>>
!b = !nv_tileas.smem<tensor<32x64xf8E5M2, #nv_tileas.shared_layout<array<i64: 32, 64>, 64 : i64>>>
!acc = tensor<64x32xf32, #nv_tileas.layout<"64x32|reg:2*(0,1),2*(8,0),4*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)">>

// 8-bit floats of two formats: factors, but no major bits. A part of K: its second step alone.
// CHECK-LABEL: llvm.func @f8_may_be_mixed
// CHECK-NOT:     add.s64 da, $32, 0;
// CHECK:         add.s64 da, $32, 2;
// CHECK-SAME:      m64n32k32.f32.e4m3.e5m2 {{.*}}, da, db, 1, 1, 1;
// CHECK-NOT:     m64n32k32
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %a = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !a
  %b = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 16384 : i64} : () -> !b
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %zero = arith.constant dense<0.0> : !acc
    %g, %t = "nv_tileas.async_mma"(%a, %b, %zero) {a_major = "k", b_major = "k", k_part = array<i64: 32, 32>} : (!a, !b, !acc) -> (!acc, !nv_tileas.mma_token)
    %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (!acc, !nv_tileas.mma_token) -> !acc
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "f8_may_be_mixed", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!a = !nv_tileas.smem<tensor<64x16xf32, #nv_tileas.shared_layout<array<i64: 64, 16>, 64 : i64>>>
!b = !nv_tileas.smem<tensor<32x16xf32, #nv_tileas.shared_layout<array<i64: 32, 16>, 64 : i64>>>
!acc = tensor<64x32xf32, #nv_tileas.layout<"64x32|reg:2*(0,1),2*(8,0),4*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)">>

// Tiles of f32 are read as tf32, 8 elements at a time.
// CHECK-LABEL: llvm.func @f32_is_read_as_tf32
// CHECK:         add.s64 da, $32, 0;
// CHECK-SAME:      add.s64 da, $32, 2;
// CHECK-SAME:      m64n32k8.f32.tf32.tf32 {{.*}}, da, db, 1, 1, 1;
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %a = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !a
  %b = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 16384 : i64} : () -> !b
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %zero = arith.constant dense<0.0> : !acc
    %g, %t = "nv_tileas.async_mma"(%a, %b, %zero) {a_major = "k", b_major = "k", precision = "tf32"} : (!a, !b, !acc) -> (!acc, !nv_tileas.mma_token)
    %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (!acc, !nv_tileas.mma_token) -> !acc
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "f32_is_read_as_tf32", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!a = !nv_tileas.smem<tensor<32x16xbf16, #nv_tileas.shared_layout<array<i64: 32, 16>, 32 : i64>>>
!b = !nv_tileas.smem<tensor<16x32xbf16, #nv_tileas.shared_layout<array<i64: 16, 32>, 64 : i64>>>
!acc = tensor<32x32xf32, #nv_tileas.layout<"32x32|reg:2*(0,1),2*(8,0),2*(0,16)|lane:4*(0,2),8*(1,0)|warp:2*(16,0),2*(0,8)">>

// Each warp reads its fragments as 8x8 matrices: four of A, and of B, whose N is contiguous, two each
// for the two blocks of columns, transposed.
// CHECK-LABEL: llvm.func @warps_multiply_fragments
// CHECK:          nvvm.ldmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32
// CHECK:          nvvm.ldmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<col>, num = 4 : i32
// CHECK-NOT:      nvvm.ldmatrix
// CHECK-NOT:      llvm.load
// CHECK-COUNT-2:  llvm.inline_asm has_side_effects{{.*}}mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$10, $11, $12, $13};", "=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f"
// CHECK-NOT:      mma.sync
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %a = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !a
  %b = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 16384 : i64} : () -> !b
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %zero = arith.constant dense<0.0> : !acc
    %d = "nv_tileas.warp_mma"(%a, %b, %zero) {a_major = "k", b_major = "n"} : (!a, !b, !acc) -> !acc
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "warps_multiply_fragments", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!a = !nv_tileas.smem<tensor<8x8xf64, #nv_tileas.shared_layout<array<i64: 8, 8>, 64 : i64>>>
!b = !nv_tileas.smem<tensor<32x8xf64, #nv_tileas.shared_layout<array<i64: 32, 8>, 64 : i64>>>
!acc = tensor<8x32xf64, #nv_tileas.layout<"8x32|reg:2*(0,1)|lane:4*(0,2),8*(1,0)|warp:4*(0,8)">>

// f64 in 8 rows: two steps of 4 along K, a register of A, one of B and two sums for each instruction.
// CHECK-LABEL: llvm.func @doubles_take_four_of_k
// CHECK-COUNT-2:  mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {$0, $1}, {$2}, {$3}, {$4, $5};", "=d,=d,d,d,d,d"
// CHECK-NOT:      mma.sync
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %a = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !a
  %b = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 16384 : i64} : () -> !b
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %zero = arith.constant dense<0.0> : !acc
    %d = "nv_tileas.warp_mma"(%a, %b, %zero) {a_major = "k", b_major = "k"} : (!a, !b, !acc) -> !acc
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "doubles_take_four_of_k", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!a = !nv_tileas.smem<tensor<16x16xf64, #nv_tileas.shared_layout<array<i64: 16, 16>, 128 : i64>>>
!b = !nv_tileas.smem<tensor<32x16xf64, #nv_tileas.shared_layout<array<i64: 32, 16>, 128 : i64>>>
!acc = tensor<16x32xf64, #nv_tileas.layout<"16x32|reg:2*(0,1),2*(8,0)|lane:4*(0,2),8*(1,0)|warp:4*(0,8)">>

// f64 in 16 rows: 16 along K in one instruction. A lane takes four neighbours along K of each row, as both
// operands have K last: in that order their loads of 16 bytes meet no bank conflicts.
// CHECK-LABEL: llvm.func @doubles_take_sixteen_of_k
// CHECK-COUNT-6:  llvm.load {{.*}} -> vector<2xf64>
// CHECK-NOT:      llvm.load
// CHECK:          mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {$0, $1, $2, $3}, {$4, $5, $6, $7, $8, $9, $10, $11}, {$12, $13, $14, $15}, {$16, $17, $18, $19};
// CHECK-NOT:      mma.sync
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %a = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !a
  %b = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 16384 : i64} : () -> !b
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %zero = arith.constant dense<0.0> : !acc
    %d = "nv_tileas.warp_mma"(%a, %b, %zero) {a_major = "k", b_major = "k"} : (!a, !b, !acc) -> !acc
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "doubles_take_sixteen_of_k", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!a = tensor<128x32xbf16, #nv_tileas.layout<"128x32|reg:2*(0,1),2*(8,0),4*(0,8),2*(64,0)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)">>
!wide = tensor<128x32xf32, #nv_tileas.layout<"128x32|reg:2*(0,1),2*(8,0),4*(0,8),2*(64,0)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)">>
!f = !nv_tileas.smem<tensor<128x32xf32, #nv_tileas.shared_layout<array<i64: 128, 32>, 128 : i64>>>
!b = !nv_tileas.smem<tensor<32x32xbf16, #nv_tileas.shared_layout<array<i64: 32, 32>, 64 : i64>>>
!acc = tensor<128x32xf32, #nv_tileas.layout<"128x32|reg:2*(0,1),2*(8,0),4*(0,8),2*(64,0)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)">>

// A in registers takes four words of two elements for each step of 16 along K and each 64 rows. There is
// no major bit for it. With `by_steps`, a step is a group of its own, so that threads compute the next one
// meanwhile. An anchor reads four registers of a tile before the wait, or one number made of all words.
// CHECK-LABEL: llvm.func @a_comes_from_registers
// CHECK:         arith.truncf
// CHECK:         llvm.inline_asm{{.*}}wgmma.fence
// CHECK-SAME:    wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {{.*}}, {$64, $65, $66, $67}, db, 1, 1, 1, 1;
// CHECK-SAME:    wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {{.*}}, {$68, $69, $70, $71}, db, 1, 1, 1, 1;
// CHECK-SAME:    wgmma.commit_group
// CHECK:         arith.truncf
// CHECK:         llvm.inline_asm{{.*}}wgmma.fence
// CHECK-SAME:    wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {{.*}}, {$64, $65, $66, $67}, db, 1, 1, 1, 1;
// CHECK-SAME:    wgmma.commit_group
// CHECK:         wgmma.wait_group
// CHECK:         llvm.inline_asm{{.*}}wgmma.fence
// CHECK-SAME:    wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {{.*}}, {$64, $65, $66, $67}, db, 1, 1, 1, 1;
// CHECK-SAME:    wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {{.*}}, {$68, $69, $70, $71}, db, 1, 1, 1, 1;
// CHECK-SAME:    wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {{.*}}, {$72, $73, $74, $75}, db, 1, 1, 1, 1;
// CHECK-SAME:    wgmma.commit_group
// CHECK-COUNT-4: @p pmevent 15;
// CHECK-NOT:     pmevent
// CHECK-COUNT-15: arith.xori
// CHECK-NEXT:    llvm.inline_asm{{.*}}@p pmevent 15;
// CHECK-NOT:     pmevent
// CHECK:         wgmma.wait_group
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %b = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !b
  %f = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 2048 : i64} : () -> !f
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %wide = "nv_tileas.load_shared"(%f) : (!f) -> !wide
    %a = arith.truncf %wide : !wide to !a
    %zero = arith.constant dense<0.0> : !acc
    %g, %t = "nv_tileas.async_mma"(%a, %b, %zero) {a_major = "k", b_major = "n", by_steps} : (!a, !b, !acc) -> (!acc, !nv_tileas.mma_token)
    %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (!acc, !nv_tileas.mma_token) -> !acc
    %h, %u = "nv_tileas.async_mma"(%a, %b, %d) {a_major = "k", b_major = "n"} : (!a, !b, !acc) -> (!acc, !nv_tileas.mma_token)
    "nv_tileas.anchor"(%wide) : (!wide) -> ()
    "nv_tileas.anchor"(%a) {whole} : (!a) -> ()
    %e = "nv_tileas.mma_wait"(%h, %u) {pending = 0 : i64} : (!acc, !nv_tileas.mma_token) -> !acc
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "a_comes_from_registers", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!a = tensor<64x16xbf16, #nv_tileas.layout<"64x16|reg:2*(0,1),2*(8,0),2*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)">>
!b = !nv_tileas.smem<tensor<16x32xbf16, #nv_tileas.shared_layout<array<i64: 16, 32>, 64 : i64>>>
!acc = tensor<64x32xf32, #nv_tileas.layout<"64x32|reg:2*(0,1),2*(8,0),4*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)">>
!rows = tensor<64x1xf32, #nv_tileas.layout<"64x1|reg:2*(8,0)|lane:4*(0,0),8*(1,0)|warp:4*(16,0)">>
!f = !nv_tileas.smem<tensor<64x1xf32, #nv_tileas.shared_layout<array<i64: 64, 1>, 0 : i64>>>

// What is held gets bits of the accumulator that are none: those under the sign of an address.
// CHECK-LABEL: llvm.func @rows_after_a_wait
// CHECK:         llvm.inline_asm{{.*}}wgmma.wait_group
// CHECK:         %[[WORD:.*]] = llvm.bitcast %{{.*}} : f32 to i32
// CHECK:         %[[ADDRESS:.*]] = llvm.ptrtoint %arg0
// CHECK:         %[[SIGN:.*]] = arith.shrsi %[[ADDRESS]]
// CHECK:         %[[MASK:.*]] = arith.trunci %[[SIGN]]
// CHECK:         %[[NONE:.*]] = arith.andi %[[WORD]], %[[MASK]]
// CHECK:         arith.ori %{{.*}}, %[[NONE]]
// CHECK:         arith.ori %{{.*}}, %[[NONE]]
"nv_tileaa.func"() ({
^bb0(%p: !nv_tileaa.ptr<f32>):
  %b = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !b
  %f = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 2048 : i64} : () -> !f
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %a = arith.constant dense<0.0> : !a
    %acc = arith.constant dense<0.0> : !acc
    %r = "nv_tileas.load_shared"(%f) : (!f) -> !rows
    %g, %t = "nv_tileas.async_mma"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (!a, !b, !acc) -> (!acc, !nv_tileas.mma_token)
    %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (!acc, !nv_tileas.mma_token) -> !acc
    %h = "nv_tileas.hold"(%r, %d) : (!rows, !acc) -> !rows
    "nv_tileas.store_shared"(%h, %f) : (!rows, !f) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "rows_after_a_wait", function_type = (!nv_tileaa.ptr<f32>) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()
