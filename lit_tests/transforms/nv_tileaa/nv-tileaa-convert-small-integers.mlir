// RUN: tilec opt %s --passes nv-tileaa-convert-small-integers --split-input-file | FileCheck %s

// The pass writes the bits of 16-bit floats that integers of a small range become.

// Four bits, less 8, are from -8 to 7: 8 is added, and the bits of 128.0 (0x4300) have room for the sum.
// CHECK-LABEL: module @masked_integers
// CHECK:         %[[X:.*]] = arith.subi
// CHECK:         %[[T:.*]] = arith.addi %[[X]], %{{.*}} : tensor<64xi8>
// CHECK:         %[[W:.*]] = arith.extui %[[T]] : tensor<64xi8> to tensor<64xi16>
// CHECK:         %[[B:.*]] = arith.ori %[[W]], %{{.*}} : tensor<64xi16>
// CHECK:         %[[F:.*]] = arith.bitcast %[[B]] : tensor<64xi16> to tensor<64xbf16>
// CHECK:         arith.constant dense<1.360000e+02> : tensor<64xbf16>
// CHECK-NEXT:    arith.subf %[[F]]
// CHECK-NOT:     arith.sitofp
module @masked_integers {
  "nv_tileaa.func"() ({
  ^bb0(%x: tensor<64xi8>):
    %mask = arith.constant dense<15> : tensor<64xi8>
    %eight = arith.constant dense<8> : tensor<64xi8>
    %low = arith.andi %x, %mask : tensor<64xi8>
    %number = arith.subi %low, %eight : tensor<64xi8>
    %y = arith.sitofp %number : tensor<64xi8> to tensor<64xbf16>
    %z = arith.negf %y : tensor<64xbf16>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64xi8>) -> ()} : () -> ()
}

// -----

// Ranges follow shifts, joins and reshapes. What is not negative is not moved.
// CHECK-LABEL: module @joined_integers
// CHECK:         %[[V:.*]] = "nv_tileaa.view"
// CHECK-NEXT:    %[[W:.*]] = arith.extui %[[V]]
// CHECK:         arith.constant dense<1.280000e+02> : tensor<128xbf16>
// CHECK-NOT:     arith.uitofp
module @joined_integers {
  "nv_tileaa.func"() ({
  ^bb0(%x: tensor<64x1xi8>):
    %four = arith.constant dense<4> : tensor<64x1xi8>
    %mask = arith.constant dense<15> : tensor<64x1xi8>
    %low = arith.andi %x, %mask : tensor<64x1xi8>
    %high = arith.shrui %x, %four : tensor<64x1xi8>
    %both = "nv_tileaa.cat"(%low, %high) {dim = 1 : i64} : (tensor<64x1xi8>, tensor<64x1xi8>) -> tensor<64x2xi8>
    %row = "nv_tileaa.view"(%both) : (tensor<64x2xi8>) -> tensor<128xi8>
    %y = arith.uitofp %row : tensor<128xi8> to tensor<128xbf16>
    %z = arith.negf %y : tensor<128xbf16>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x1xi8>) -> ()} : () -> ()
}

// -----

// f16 has room for all bytes, with the bits of 1024.0. In bf16, the lower seven bits and the uppermost
// one become numbers of their own: 128 and the lower bits, and 128 or 256.
// CHECK-LABEL: module @bytes
// CHECK:         arith.constant dense<1.152000e+03> : tensor<64xf16>
// CHECK:         arith.constant dense<1.024000e+03> : tensor<64xf16>
// CHECK:         %[[S:.*]] = arith.extui %{{.*}} : tensor<64xi8> to tensor<64xi16>
// CHECK:         arith.constant dense<17152> : tensor<64xi16>
// CHECK:         %[[W:.*]] = arith.ori %[[S]],
// CHECK:         arith.constant dense<-129> : tensor<64xi16>
// CHECK:         %[[L:.*]] = arith.andi %[[W]],
// CHECK:         %[[LOW:.*]] = arith.bitcast %[[L]] : tensor<64xi16> to tensor<64xbf16>
// CHECK:         arith.constant dense<-128> : tensor<64xi16>
// CHECK:         %[[U:.*]] = arith.andi %[[W]],
// CHECK:         %[[SIGN:.*]] = arith.bitcast %[[U]] : tensor<64xi16> to tensor<64xbf16>
// CHECK:         arith.subf %[[LOW]], %[[SIGN]]
// CHECK:         %[[C:.*]] = arith.constant dense<2.560000e+02> : tensor<64xbf16>
// CHECK:         %[[M:.*]] = arith.subf %{{.*}}, %[[C]]
// CHECK:         arith.addf %[[M]], %{{.*}} : tensor<64xbf16>
// CHECK-NOT:     itofp
module @bytes {
  "nv_tileaa.func"() ({
  ^bb0(%x: tensor<64xi8>):
    %a = arith.sitofp %x : tensor<64xi8> to tensor<64xf16>
    %b = arith.uitofp %x : tensor<64xi8> to tensor<64xf16>
    %c = arith.sitofp %x : tensor<64xi8> to tensor<64xbf16>
    %d = arith.uitofp %x : tensor<64xi8> to tensor<64xbf16>
    %e = arith.negf %a : tensor<64xf16>
    %f = arith.negf %b : tensor<64xf16>
    %g = arith.negf %c : tensor<64xbf16>
    %h = arith.negf %d : tensor<64xbf16>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64xi8>) -> ()} : () -> ()
}

// -----

// Wider integers of any value stay.
// CHECK-LABEL: module @words
// CHECK:         arith.sitofp %{{.*}} : tensor<64xi16> to tensor<64xbf16>
module @words {
  "nv_tileaa.func"() ({
  ^bb0(%x: tensor<64xi16>):
    %c = arith.sitofp %x : tensor<64xi16> to tensor<64xbf16>
    %f = arith.negf %c : tensor<64xbf16>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64xi16>) -> ()} : () -> ()
}
