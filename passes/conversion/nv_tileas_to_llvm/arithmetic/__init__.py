"""Rules for arith and math, and for floats that LLVM does not know."""
