"""What tilec needs of MLIR: bindings, contexts, text, locations, structured control flow."""

hide_numpy = False
"""Whether to import the bindings without NumPy. Other threads could miss it meanwhile, so only the
command line, which has none, sets this."""
