"""What a kernel means: names, shapes, element types, constants and control flow.

`analysis.analyze_kernel` runs the body of a kernel once over abstract values and records typed
operations (`hir`), which `tilec.frontend.emit.module` then spells as cuda_tile IR. Pure Python: no
MLIR.
"""
