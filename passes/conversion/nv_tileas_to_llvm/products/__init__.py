"""Rules for matrix products: wgmma, mma.sync, CUDA cores, and split-K."""
