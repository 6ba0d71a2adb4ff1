"""The CUDA driver: what the runtime needs of it, and the real one."""
