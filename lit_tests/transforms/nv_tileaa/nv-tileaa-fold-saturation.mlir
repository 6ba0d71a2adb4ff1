// RUN: tilec opt %s --passes nv-tileaa-fold-saturation --split-input-file | FileCheck %s

// The pass removes clamps to the range of an 8-bit float before a conversion that saturates anyway.

// The conversion saturates at run time, so it reads what was clamped.

// CHECK-LABEL: module @clamps_before_saturation_are_removed
// CHECK:       ^bb0(%[[X:.*]]: tensor<16xf32>, %[[Y:.*]]: tensor<16xf64>)
// CHECK-NOT:   imumf
// CHECK:       arith.truncf %[[X]] : tensor<16xf32> to tensor<16xf8E4M3FN>
// CHECK-NOT:   imumf
// CHECK:       arith.truncf %[[Y]] : tensor<16xf64> to tensor<16xf8E5M2>
module @clamps_before_saturation_are_removed {
  "nv_tileaa.func"() ({
  ^bb0(%x: tensor<16xf32>, %y: tensor<16xf64>):
    %low = arith.constant dense<-448.0> : tensor<16xf32>
    %high = arith.constant dense<448.0> : tensor<16xf32>
    %a = arith.maximumf %x, %low : tensor<16xf32>
    %b = arith.minimumf %a, %high : tensor<16xf32>
    %e4m3 = arith.truncf %b : tensor<16xf32> to tensor<16xf8E4M3FN>
    %lowest = arith.constant dense<-57344.0> : tensor<16xf64>
    %highest = arith.constant dense<57344.0> : tensor<16xf64>
    %c = arith.maximumf %y, %lowest : tensor<16xf64>
    %d = arith.minimumf %c, %highest : tensor<16xf64>
    %e5m2 = arith.truncf %d : tensor<16xf64> to tensor<16xf8E5M2>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<16xf32>, tensor<16xf64>) -> ()} : () -> ()
}

// -----

// Clamps to another range, clamps that turn NaN into a number, and clamps with another use stay.

// CHECK-LABEL: module @other_clamps_are_kept
// CHECK:       ^bb0(%[[X:.*]]: tensor<16xf32>)
// CHECK:       %[[N:.*]] = arith.minimumf
// CHECK-NEXT:  arith.truncf %[[N]] : tensor<16xf32> to tensor<16xf8E5M2>
// CHECK:       %[[M:.*]] = arith.minnumf
// CHECK-NEXT:  arith.truncf %[[M]] : tensor<16xf32> to tensor<16xf8E4M3FN>
// CHECK:       %[[USED:.*]] = arith.minimumf
// CHECK:       arith.truncf %[[X]] : tensor<16xf32> to tensor<16xf8E4M3FN>
// CHECK:       arith.truncf %[[USED]] : tensor<16xf32> to tensor<16xbf16>
module @other_clamps_are_kept {
  "nv_tileaa.func"() ({
  ^bb0(%x: tensor<16xf32>):
    %low = arith.constant dense<-448.0> : tensor<16xf32>
    %high = arith.constant dense<448.0> : tensor<16xf32>
    %a = arith.maximumf %x, %low : tensor<16xf32>
    %narrow = arith.minimumf %a, %high : tensor<16xf32>
    %e5m2 = arith.truncf %narrow : tensor<16xf32> to tensor<16xf8E5M2>
    %number = arith.minnumf %a, %high : tensor<16xf32>
    %no_nan = arith.truncf %number : tensor<16xf32> to tensor<16xf8E4M3FN>
    %used = arith.minimumf %a, %high : tensor<16xf32>
    %e4m3 = arith.truncf %used : tensor<16xf32> to tensor<16xf8E4M3FN>
    %bf16 = arith.truncf %used : tensor<16xf32> to tensor<16xbf16>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<16xf32>) -> ()} : () -> ()
}

// -----

// Scalars are no 8-bit floats.

// CHECK-LABEL: module @scalar_clamps_are_kept
// CHECK: arith.truncf %{{.*}} : f32 to f16
module @scalar_clamps_are_kept {
  "nv_tileaa.func"() ({
  ^bb0(%x: f32):
    %f16 = arith.truncf %x : f32 to f16
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (f32) -> ()} : () -> ()
}
