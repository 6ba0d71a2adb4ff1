"""Mutates the final nv_tileas IR of kernels: does the protocol check find what goes wrong?

Every synchronising operation is dropped, repeated, moved and renumbered, one at a time, and so is
each of its bounds and those of the loops around it. A mutant must be refused by the protocol check
or a verifier, or give the results of the kernel as it was, in several orders of events, on the
emulator.

    python -m tools.mutate_protocol                        every kernel
    python -m tools.mutate_protocol --kernel split_k       one of them
    python -m tools.mutate_protocol --jobs 16 --sample 0.1

Modules, from the bottom up: `kernels` names what is mutated, `sites` knows which operations
synchronise, `mutations` lists and applies mutations, `judge` checks and runs mutants, `report`
counts them.
"""
