// RUN: tilec opt %s | tilec opt - | FileCheck %s

// Every type parses, verifies and prints as it was written.

// CHECK-LABEL: module @types
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(
// CHECK-SAME:    %{{.*}}: !nv_tileas.smem<tensor<8x64xbf16, #nv_tileas.shared_layout<array<i64: 8, 64>, 128 : i64>>>,
// CHECK-SAME:    %{{.*}}: !nv_tileas.ring, %{{.*}}: !nv_tileas.ring_position, %{{.*}}: !nv_tileas.mbarrier,
// CHECK-SAME:    %{{.*}}: !nv_tileas.tma_desc<tensor<2x8x64xbf16>>, %{{.*}}: !nv_tileas.mma_token,
// CHECK-SAME:    %{{.*}}: tensor<8x4xf32, #nv_tileas.layout<"8x4|reg:1*(0,0)|lane:4*(0,1),8*(1,0)">>):
module @types {
  "nv_tileaa.func"() ({
  ^bb0(%0: !nv_tileas.smem<tensor<8x64xbf16, #nv_tileas.shared_layout<array<i64: 8, 64>, 128 : i64>>>,
       %1: !nv_tileas.ring, %2: !nv_tileas.ring_position, %3: !nv_tileas.mbarrier,
       %4: !nv_tileas.tma_desc<tensor<2x8x64xbf16>>, %5: !nv_tileas.mma_token,
       %6: tensor<8x4xf32, #nv_tileas.layout<"8x4|reg:1*(0,0)|lane:4*(0,1),8*(1,0)">>):
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (
    !nv_tileas.smem<tensor<8x64xbf16, #nv_tileas.shared_layout<array<i64: 8, 64>, 128 : i64>>>,
    !nv_tileas.ring, !nv_tileas.ring_position, !nv_tileas.mbarrier,
    !nv_tileas.tma_desc<tensor<2x8x64xbf16>>, !nv_tileas.mma_token,
    tensor<8x4xf32, #nv_tileas.layout<"8x4|reg:1*(0,0)|lane:4*(0,1),8*(1,0)">>) -> ()} : () -> ()
}
