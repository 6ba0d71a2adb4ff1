# The part of the MLIR Python bindings that tilec uses; the bindings ship no types of their own.
#
# `tilec/ir/bindings.pyi` hands these modules out. A name that the code uses for the first time is
# added here; tests/test_bindings_stub.py compares every name with the real bindings. What has
# another class from IR to IR (operands, types, attribute values) is `Any`.
