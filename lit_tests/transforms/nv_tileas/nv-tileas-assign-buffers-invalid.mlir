// RUN: tilec opt %s --passes nv-tileas-assign-buffers --verify-diagnostics

// The pass refuses a kernel that needs more shared memory than there is.

!operand = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
!output = !nv_tileas.smem<tensor<128x128xf32, #nv_tileas.shared_layout<array<i64: 128, 32>, 128 : i64>>>

// A kernel over the shared memory of the target is refused with every buffer and its bytes.
// expected-error @below {{the kernel needs 262144 bytes of shared memory, but sm_90a has 232448: 12 x 128x64 bf16 (196608 bytes), 1 x 128x128 f32 (65536 bytes)}}
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %a = "nv_tileas.alloc_shared"() {slots = 12 : i64} : () -> !operand
  %c = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !output
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "too_many_buffers_are_refused", function_type = (i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 0 : i64, consumer_warps = 4 : i64, cluster = [1, 1, 1]}} : () -> ()
