# The part of the MLIR Python bindings that tilec uses; the bindings ship no types of their own.
#
# `tilec/ir/bindings.pyi` hands these modules out. A name that the code uses for the first time is
# added here; tests/ir/test_typings.py compares all of them with the real bindings. Values, types and
# attributes whose class depends on the IR are `Any`.
