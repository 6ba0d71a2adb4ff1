"""The CPU reference: executes cuda_tile IR in NumPy. It is the meaning of the language."""

from tilec.interpreter.run import Program, find_kernel, run_kernel, run_module

__all__ = ["Program", "find_kernel", "run_kernel", "run_module"]
