// RUN: tilec opt %s --passes nv-tileas-schedule-loops --split-input-file --verify-diagnostics

// Fields of the plan that no loop can follow are errors, at the loop and with the reason.

module @a_sum_of_products_stays {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zero = arith.constant dense<0.0> : tensor<128x128xf32>
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      // expected-error @below {{rotate = true: no loop can be rotated: threads compute nothing in it that products could hide}}
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
        %a = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>} : () -> tensor<128x128xbf16>
        %b = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>} : () -> tensor<128x128xbf16>
        %o = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
        scf.yield %o : tensor<128x128xf32>
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 8 : i64, consumer_registers = 240 : i64}, tilec.kernel = {hints = {rotate = true}}} : () -> ()
}

// -----

module @no_rotated_loop {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zero = arith.constant dense<0.0> : tensor<128x128xf32>
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      // expected-error @below {{turns = true: no loop is rotated}}
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
        %a = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>} : () -> tensor<128x128xbf16>
        %b = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>} : () -> tensor<128x128xbf16>
        %o = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
        scf.yield %o : tensor<128x128xf32>
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 8 : i64, consumer_registers = 240 : i64}, tilec.kernel = {hints = {turns = true}}} : () -> ()
}

// -----

module @one_warpgroup {
  "nv_tileaa.func"() ({
  ^bb0(%q: tensor<64x64xbf16>, %n: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %t = "nv_tileas.receive"() {channel = 2 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>} : () -> tensor<64x64xbf16>
      // expected-error @below {{turns = true: there is one warpgroup}}
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
        %k = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>} : () -> tensor<64x64xbf16>
        %v = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>} : () -> tensor<64x64xbf16>
        %s = "nv_tileas.dot"(%t, %k, %zero) {a_major = "k", b_major = "k"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
        %e = math.exp2 %s {flush_to_zero} : tensor<64x64xf32>
        %p = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xbf16>
        %o = "nv_tileas.dot"(%p, %v, %acc) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
        scf.yield %o : tensor<64x64xf32>
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x64xbf16>, i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 4 : i64, consumer_registers = 240 : i64}, tilec.kernel = {hints = {rotate = true, turns = true}}} : () -> ()
}

// -----

module @no_loop {
  // expected-error @below {{rotate = true: the kernel has no loop with products}}
  "nv_tileaa.func"() ({
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = () -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 8 : i64, consumer_registers = 240 : i64}, tilec.kernel = {hints = {rotate = true}}} : () -> ()
}
