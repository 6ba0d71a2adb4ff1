"""Conversion of nv_tileas to the llvm and nvvm dialects: one file per operation family."""
