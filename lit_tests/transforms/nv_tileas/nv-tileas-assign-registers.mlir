// RUN: tilec opt %s --passes nv-tileas-assign-registers --split-input-file | FileCheck %s

// Each role opens with its planned count: the producer gives registers up, the consumers take them.
// CHECK-LABEL: "nv_tileaa.func"() ({
// CHECK:         "nv_tileas.roles"() ({
// CHECK-NEXT:      "nv_tileas.set_registers"() {action = "decrease", count = 40 : i64}
// CHECK-NEXT:      arith.constant
// CHECK:         }, {
// CHECK-NEXT:      "nv_tileas.set_registers"() {action = "increase", count = 232 : i64}
"nv_tileaa.func"() ({
^bb0(%n: i32):
  "nv_tileas.roles"() ({
    %0 = arith.constant 0 : i32
    "nv_tileas.yield"() : () -> ()
  }, {
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "roles_open_with_their_count", function_type = (i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, producer_registers = 40 : i64, consumer_registers = 232 : i64}} : () -> ()

// -----

// A kernel with one role, or whose plan moves nothing, keeps what the launch gives.
// CHECK-LABEL: "nv_tileaa.func"() ({
// CHECK-NOT:     nv_tileas.set_registers
// CHECK:       sym_name = "one_role_keeps_its_registers"
// CHECK-LABEL: "nv_tileaa.func"() ({
// CHECK-NOT:     nv_tileas.set_registers
// CHECK:       sym_name = "a_plan_may_move_nothing"
module {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "one_role_keeps_its_registers", function_type = (i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 0 : i64, producer_registers = 0 : i64, consumer_registers = 0 : i64}} : () -> ()
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "a_plan_may_move_nothing", function_type = (i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, producer_registers = 0 : i64, consumer_registers = 0 : i64}} : () -> ()
}
