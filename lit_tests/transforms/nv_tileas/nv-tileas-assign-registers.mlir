// RUN: tilec opt %s --passes nv-tileas-assign-registers --split-input-file | FileCheck %s

// The pass moves registers from the producer to the consumers.

// Each role opens with its planned count: the producer releases registers, and the consumers take them.
// CHECK-LABEL: module @roles_open_with_their_count
// CHECK:         "nv_tileas.roles"() ({
// CHECK-NEXT:      "nv_tileas.set_registers"() {action = "decrease", count = 40 : i64}
// CHECK-NEXT:      arith.constant
// CHECK:         }, {
// CHECK-NEXT:      "nv_tileas.set_registers"() {action = "increase", count = 232 : i64}
module @roles_open_with_their_count {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    "nv_tileas.roles"() ({
      %0 = arith.constant 0 : i32
      "nv_tileas.yield"() : () -> ()
    }, {
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64}} : () -> ()
}

// -----

// A kernel with one role, or whose plan moves nothing, keeps what the launch gives.
// CHECK-LABEL: module @one_role_keeps_its_registers
// CHECK-NOT:     nv_tileas.set_registers
module @one_role_keeps_its_registers {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 0 : i64, producer_registers = 0 : i64, consumer_registers = 0 : i64}} : () -> ()
}

// -----

// A plan that moves no registers keeps what the launch gives, too.
// CHECK-LABEL: module @a_plan_may_move_nothing
// CHECK-NOT:     nv_tileas.set_registers
module @a_plan_may_move_nothing {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, producer_registers = 0 : i64, consumer_registers = 0 : i64}} : () -> ()
}
