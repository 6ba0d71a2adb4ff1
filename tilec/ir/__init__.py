"""What tilec needs of MLIR: bindings, contexts, text, locations, structured control flow."""
