"""What tilec needs of MLIR: bindings, contexts, text, locations, structured control flow."""

hide_numpy = False
"""Whether to import the bindings without NumPy. Other threads could miss it meanwhile, so only the
command line, which has none but the compiler's, sets this."""
hide_generated_dialects = False
"""Whether operations of llvm and nvvm go without the classes that the bindings have for them, which
take long to import. Others in the process may want them, so only the command line sets this."""
