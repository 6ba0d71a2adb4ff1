"""From the llvm stage to what a GPU runs: LLVM IR, PTX, cubin and the package of an artifact."""
