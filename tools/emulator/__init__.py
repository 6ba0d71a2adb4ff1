"""Runs the PTX of tilec's kernels on the CPU: no GPU, no ptxas.

It is for tests of what the compiler leaves: barriers, copies in flight, wgmma operands, and who may
touch what when. Warps take turns in an order that a seed decides; a TMA copy lands, and a bulk
store reads shared memory, at any time at which the rules of PTX let it. So a missing wait shows as
a wrong result, an overwritten operand or a deadlock, for some seed.

It knows the proxies of shared memory, too: a fence that is missing between an access by threads and
one by TMA or wgmma is a fault, whatever the order in time.

Modules, from the bottom up: `program` reads PTX, `rounding` and `scalar` know the arithmetic,
`proxies` knows who needs a fence, `memory` holds the address spaces, `transfers` copies tiles,
`tensor_core` multiplies, `registers` gives registers and takes them, `warp` executes, `machine`
schedules, `driver` replaces the CUDA driver, so that a kernel is called as usual. `fuzz` draws
programs to run.

What it does not know: the rest of the memory model, how long things take, what ptxas makes of the
registers of a thread, and instructions that tilec does not use. Functions such as `ex2.approx` are
more exact than on a GPU.
"""
