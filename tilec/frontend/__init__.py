"""The frontend: from the text of a kernel to cuda_tile IR.

`parser` makes the syntax tree, `signature` reads the parameters, `semantics` gives the body its
meaning and `emit` writes IR. Only `emit` and its helpers import MLIR.
"""
