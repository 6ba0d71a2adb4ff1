"""Random programs: drawn from a seed, run everywhere, compared, and made smaller if they fail.

    python -m tools.emulator.fuzz --first 0 --count 1000 --jobs 16 --keep failures

draws whole kernels with the arguments of one call. Each is evaluated directly in NumPy, with a
bound of what an implementation may differ; then the CPU reference, and the PTX on the emulator in
several orders of events, are compared with that, the memory around the arrays included. With
`--gpu` the GPU of the machine is, too. A seed always makes the same program. What fails is made
smaller and printed with the command that repeats it. The verdicts: `right`; `refused` with a code
that `refusals` has a reason for; `wrong`; `internal` (whatever is no diagnostic, a hang, a process
that dies); `false refusal`; and `unsupported`, an instruction that the emulator lacks.

Modules, from the bottom up: `program` is the tree of a program; `values`, `arithmetic`,
`conversions` and `folds` (reductions and scans) know what operations mean; `printing` makes the
source; `memory` holds arrays in any layout, and `elements` accesses single elements of them;
`rules` has the value of each kind of expression, `evaluation` runs a program. `scope` and the
modules `draw...` make programs (`draw_orders` about the order of loads and stores, `draw_products`
about `mma`, `draw_elements` about gathers, scatters and atomic operations); `running` compiles,
runs and compares, `refusals` says what may be refused, `shrinking` makes programs smaller,
`workers` runs many in processes, `command` is the command. `products` is older: matrix products
with random plans, against the CPU reference only.
"""
