// RUN: tilec opt %s --passes nv-tileas-schedule-loops --split-input-file | FileCheck %s

// The pass gives the operations of a loop that is worth rotating their stages.

// The second product needs what threads compute from the first one. It runs a round later, while they
// compute for the next round. Its tile B is taken out of its slot then, too.
// CHECK-LABEL: module @the_second_product_runs_a_round_later
// CHECK:         scf.for
// CHECK:           "nv_tileas.receive"() {channel = 0 : i64, {{.*}}stage = 0 : i64}
// CHECK-NEXT:      "nv_tileas.receive"() {channel = 1 : i64, {{.*}}stage = 1 : i64}
// CHECK-NEXT:      "nv_tileas.dot"{{.*}}stage = 0 : i64}
// CHECK-NEXT:      math.exp2 {{.*}}stage = 0 : i64}
// CHECK-NEXT:      arith.truncf {{.*}}{stage = 0 : i64}
// CHECK-NEXT:      "nv_tileas.dot"{{.*}}stage = 1 : i64}
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
module @the_second_product_runs_a_round_later {
  "nv_tileaa.func"() ({
  ^bb0(%q: tensor<128x128xbf16>, %n: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zero = arith.constant dense<0.0> : tensor<128x128xf32>
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %t = "nv_tileas.receive"() {channel = 2 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>} : () -> tensor<128x128xbf16>
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
        %k = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>} : () -> tensor<128x128xbf16>
        %v = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>} : () -> tensor<128x128xbf16>
        %s = "nv_tileas.dot"(%t, %k, %zero) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
        %e = math.exp2 %s {flush_to_zero} : tensor<128x128xf32>
        %p = arith.truncf %e : tensor<128x128xf32> to tensor<128x128xbf16>
        %o = "nv_tileas.dot"(%p, %v, %acc) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
        scf.yield %o : tensor<128x128xf32>
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<128x128xbf16>, i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 8 : i64, consumer_registers = 240 : i64}} : () -> ()
}

// -----

// A loop that only searches a number is an operation of a round like others.
// CHECK-LABEL: module @a_search_in_a_round
// CHECK:         scf.for
// CHECK:           scf.while
// CHECK:           } attributes {stage = 0 : i64}
// CHECK:           "nv_tileas.dot"{{.*}}stage = 0 : i64}
// CHECK:           "nv_tileas.dot"{{.*}}stage = 1 : i64}
module @a_search_in_a_round {
  "nv_tileaa.func"() ({
  ^bb0(%q: tensor<128x128xbf16>, %n: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zero = arith.constant dense<0.0> : tensor<128x128xf32>
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %t = "nv_tileas.receive"() {channel = 2 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>} : () -> tensor<128x128xbf16>
      %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %from = %c0) -> (tensor<128x128xf32>, i32) : i32 {
        %found = scf.while (%x = %from) : (i32) -> i32 {
          %odd = arith.remsi %x, %n : i32
          %on = arith.cmpi ne, %odd, %c0 : i32
          scf.condition(%on) %x : i32
        } do {
        ^bb0(%x: i32):
          %up = arith.addi %x, %c1 : i32
          scf.yield %up : i32
        }
        %next = arith.addi %found, %c1 : i32
        %k = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>} : () -> tensor<128x128xbf16>
        %v = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>} : () -> tensor<128x128xbf16>
        %s = "nv_tileas.dot"(%t, %k, %zero) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
        %e = math.exp2 %s {flush_to_zero} : tensor<128x128xf32>
        %p = arith.truncf %e : tensor<128x128xf32> to tensor<128x128xbf16>
        %o = "nv_tileas.dot"(%p, %v, %acc) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
        scf.yield %o, %next : tensor<128x128xf32>, i32
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<128x128xbf16>, i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 8 : i64, consumer_registers = 240 : i64}} : () -> ()
}

// -----

// A mask would be packed into bits to wait for the next round. It is computed where it is used.
// CHECK-LABEL: module @a_mask_waits_for_nothing
// CHECK:         scf.for
// CHECK:           arith.cmpi {{.*}}stage = 1 : i64}
// CHECK:           arith.select {{.*}}stage = 1 : i64}
module @a_mask_waits_for_nothing {
  "nv_tileaa.func"() ({
  ^bb0(%q: tensor<128x128xbf16>, %n: i32):
    %numbers = arith.constant dense<3> : tensor<128x128xi32>
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zero = arith.constant dense<0.0> : tensor<128x128xf32>
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %t = "nv_tileas.receive"() {channel = 2 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>} : () -> tensor<128x128xbf16>
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
        %k = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>} : () -> tensor<128x128xbf16>
        %v = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>} : () -> tensor<128x128xbf16>
        %s = "nv_tileas.dot"(%t, %k, %zero) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
        %e = math.exp2 %s {flush_to_zero} : tensor<128x128xf32>
        %p = arith.truncf %e : tensor<128x128xf32> to tensor<128x128xbf16>
        %f = "nv_tileas.splat"(%i) : (i32) -> tensor<128x128xi32>
        %mask = arith.cmpi sge, %f, %numbers : tensor<128x128xi32>
        %faded = arith.mulf %acc, %acc : tensor<128x128xf32>
        %u = arith.select %mask, %faded, %zero : tensor<128x128xi1>, tensor<128x128xf32>
        %o = "nv_tileas.dot"(%p, %v, %u) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
        scf.yield %o : tensor<128x128xf32>
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<128x128xbf16>, i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 8 : i64, consumer_registers = 240 : i64}} : () -> ()
}

// -----

// The user keeps the loop, by a hint. The plan of the kernel says what was chosen, what lost, and why.
// CHECK-LABEL: module @a_loop_that_the_user_keeps
// CHECK:         "nv_tileas.dot"
// CHECK-NOT:     stage = {{[01]}} : i64} : (tensor
// CHECK:         plan = {loops = [{binds = "tensor cores", bound = 2048 : i64, interval = 2294 : i64,
// CHECK-SAME:      operations = [{cycles = 512 : i64, engine = "tensor cores", latency = 0 : i64, line = {{[0-9]+}} : i64, operation = "nv_tileas.dot", stage = 0 : i64}
// CHECK-SAME:      rotated = false,
// CHECK-SAME:      runners_up = [{interval = 2062 : i64, product_stages = [0, 1], registers = 160 : i64, turns = false, why = "is excluded by rotate = false"}
// CHECK-SAME:      why = "the best rotated loop is excluded by rotate = false"}], rotate = false, stages = 4 : i64, turns = false}
module @a_loop_that_the_user_keeps {
  "nv_tileaa.func"() ({
  ^bb0(%q: tensor<128x128xbf16>, %n: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zero = arith.constant dense<0.0> : tensor<128x128xf32>
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %t = "nv_tileas.receive"() {channel = 2 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>} : () -> tensor<128x128xbf16>
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
        %k = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>} : () -> tensor<128x128xbf16>
        %v = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>} : () -> tensor<128x128xbf16>
        %s = "nv_tileas.dot"(%t, %k, %zero) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
        %e = math.exp2 %s {flush_to_zero} : tensor<128x128xf32>
        %p = arith.truncf %e : tensor<128x128xf32> to tensor<128x128xbf16>
        %o = "nv_tileas.dot"(%p, %v, %acc) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
        scf.yield %o : tensor<128x128xf32>
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<128x128xbf16>, i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 8 : i64, consumer_registers = 240 : i64}, tilec.kernel = {hints = {rotate = false}, plan = {stages = 4 : i64}}} : () -> ()
}

// -----

// The user wants turns where they gain nothing.
// CHECK-LABEL: module @warpgroups_that_are_told_to_take_turns
// CHECK:         "nv_tileas.dot"{{.*}}stage = 1 : i64}
// CHECK:         } {turns}
// CHECK:         why = "is {{[0-9.]+}}% slower"}], {{.*}}rotate = true, stages = 4 : i64, turns = true}
module @warpgroups_that_are_told_to_take_turns {
  "nv_tileaa.func"() ({
  ^bb0(%q: tensor<128x128xbf16>, %n: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zero = arith.constant dense<0.0> : tensor<128x128xf32>
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %t = "nv_tileas.receive"() {channel = 2 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>} : () -> tensor<128x128xbf16>
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
        %k = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>} : () -> tensor<128x128xbf16>
        %v = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>} : () -> tensor<128x128xbf16>
        %s = "nv_tileas.dot"(%t, %k, %zero) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
        %e = math.exp2 %s {flush_to_zero} : tensor<128x128xf32>
        %p = arith.truncf %e : tensor<128x128xf32> to tensor<128x128xbf16>
        %o = "nv_tileas.dot"(%p, %v, %acc) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
        scf.yield %o : tensor<128x128xf32>
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<128x128xbf16>, i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 8 : i64, consumer_registers = 240 : i64}, tilec.kernel = {hints = {turns = true}, plan = {stages = 4 : i64}}} : () -> ()
}

// -----

// A sum of products has nothing to hide.
// CHECK-LABEL: module @a_sum_of_products_stays
// CHECK-NOT:     stage
module @a_sum_of_products_stays {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zero = arith.constant dense<0.0> : tensor<128x128xf32>
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
        %a = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>} : () -> tensor<128x128xbf16>
        %b = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>} : () -> tensor<128x128xbf16>
        %o = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
        scf.yield %o : tensor<128x128xf32>
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 8 : i64, consumer_registers = 240 : i64}} : () -> ()
}

// -----

// Both operands are computed from what the round loads: so are those of the next round, while the
// product runs.
// CHECK-LABEL: module @converted_operands_are_computed_early
// CHECK:         math.absf {{.*}} {stage = 0 : i64}
// CHECK-NEXT:    math.absf {{.*}} {stage = 0 : i64}
// CHECK-NEXT:    "nv_tileas.dot"{{.*}} stage = 1 : i64}
module @converted_operands_are_computed_early {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zero = arith.constant dense<0.0> : tensor<128x128xf32>
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
        %a = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>} : () -> tensor<128x64xbf16>
        %b = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>} : () -> tensor<64x128xbf16>
        %x = math.absf %a : tensor<128x64xbf16>
        %y = math.absf %b : tensor<64x128xbf16>
        %o = "nv_tileas.dot"(%x, %y, %acc) {a_major = "k", b_major = "n"} : (tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
        scf.yield %o : tensor<128x128xf32>
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 8 : i64, consumer_registers = 240 : i64}} : () -> ()
}

// -----

// Threads stage B of the second product in shared memory, where it has one place.
// CHECK-LABEL: module @a_staged_operand_keeps_a_loop
// CHECK-NOT:     stage =
module @a_staged_operand_keeps_a_loop {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zero = arith.constant dense<0.0> : tensor<128x128xf32>
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
        %a = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>} : () -> tensor<128x128xbf16>
        %b = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>} : () -> tensor<128x128xbf16>
        %s = "nv_tileas.dot"(%a, %b, %zero) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
        %e = math.exp2 %s : tensor<128x128xf32>
        %p = arith.truncf %e : tensor<128x128xf32> to tensor<128x128xbf16>
        %o = "nv_tileas.dot"(%a, %p, %acc) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
        scf.yield %o : tensor<128x128xf32>
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 8 : i64, consumer_registers = 240 : i64}} : () -> ()
}

// -----

// How long a round takes depends on how often the loop inside runs.
// CHECK-LABEL: module @a_loop_around_a_loop_stays
// CHECK-NOT:     stage =
module @a_loop_around_a_loop_stays {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zero = arith.constant dense<0.0> : tensor<128x128xf32>
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %r = scf.for %t = %c0 to %n step %c1 iter_args(%all = %zero) -> (tensor<128x128xf32>) : i32 {
        %a = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>} : () -> tensor<128x128xbf16>
        %s = "nv_tileas.dot"(%a, %a, %zero) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
        %e = math.exp2 %s : tensor<128x128xf32>
        %o = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %e) -> (tensor<128x128xf32>) : i32 {
          %b = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>} : () -> tensor<128x128xbf16>
          %d = "nv_tileas.dot"(%b, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
          scf.yield %d : tensor<128x128xf32>
        }
        %x = arith.addf %all, %o : tensor<128x128xf32>
        scf.yield %x : tensor<128x128xf32>
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 8 : i64, consumer_registers = 240 : i64}} : () -> ()
}

// -----

// The stores of the tile before run during the products of the loop, so it has one stage.
// CHECK-LABEL: module @a_stored_tile_keeps_the_loop
// CHECK-NOT:     stage =
module @a_stored_tile_keeps_the_loop {
  "nv_tileaa.func"() ({
  ^bb0(%q: tensor<128x128xbf16>, %n: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %zero = arith.constant dense<0.0> : tensor<128x128xf32>
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %t = "nv_tileas.receive"() {channel = 2 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>} : () -> tensor<128x128xbf16>
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
        %k = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>} : () -> tensor<128x128xbf16>
        %v = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>} : () -> tensor<128x128xbf16>
        %s = "nv_tileas.dot"(%t, %k, %zero) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
        %e = math.exp2 %s {flush_to_zero} : tensor<128x128xf32>
        %p = arith.truncf %e : tensor<128x128xf32> to tensor<128x128xbf16>
        %o = "nv_tileas.dot"(%p, %v, %acc) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
        scf.yield %o : tensor<128x128xf32>
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<128x128xbf16>, i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 8 : i64, consumer_registers = 240 : i64, defer_stores = true}} : () -> ()
}
