// RUN: tilec opt %s | FileCheck %s

!c = !nv_tileas.smem<tensor<256x32xi32, #nv_tileas.shared_layout<array<i64: 256, 32>, 0 : i64>>>
module {
  // CHECK: "nv_tileas.clear_counts"(%{{.*}}) : (!nv_tileas.smem<tensor<256x32xi32
  // CHECK: "nv_tileas.count"(%{{.*}}, %{{.*}}) : (tensor<4xi64>, !nv_tileas.smem<tensor<256x32xi32
  // CHECK: "nv_tileas.read_counts"(%{{.*}}) : (!nv_tileas.smem<tensor<256x32xi32, {{.*}}) -> tensor<256xi32>
  %c = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !c
  %x = builtin.unrealized_conversion_cast to tensor<4xi64>
  "nv_tileas.clear_counts"(%c) : (!c) -> ()
  "nv_tileas.count"(%x, %c) : (tensor<4xi64>, !c) -> ()
  %h = "nv_tileas.read_counts"(%c) : (!c) -> tensor<256xi32>
}
