"""Rates and limits of Hopper (sm_90a) that the planner computes with, each with a source.

Limits of one architecture that every part of the compiler needs are in `tilec/request/target.py`;
what differs between its GPUs is in `tilec/request/gpu.py`.
"""

from tilec.support.mma_atoms import TENSOR_BYTES_PER_CYCLE

WARPGROUP_THREADS = 128
"""Threads of a warpgroup (PTX ISA, wgmma)."""
WARP_THREADS = 32
"""Threads of a warp (CUDA programming guide)."""

MMA_ROWS = 64
"""Rows of one wgmma (PTX ISA, wgmma.mma_async: M is always 64)."""
MMA_MAX_COLUMNS = 256
"""Most columns of one wgmma (PTX ISA, wgmma.mma_async shapes)."""
MMA_COLUMN_STEP = 8
"""Columns of one wgmma are a multiple of this (PTX ISA, wgmma.mma_async shapes)."""
MMA_K_BYTES = 32
"""Bytes of K that one wgmma consumes (PTX ISA, wgmma.mma_async shapes)."""
MMA_BYTES_PER_CYCLE = TENSOR_BYTES_PER_CYCLE
"""Multiply-adds per cycle of one SM's tensor cores, times the bytes of an operand element."""
LOADED_CYCLES_PER_NANOSECOND = 1.5
"""Clock of an SM while products draw all the power that there is, in GHz (H200, 700 W, 2026-11-22:
1.40 to 1.64 in bf16 and fp16 from 2048^3 to 16384^3)."""
PACE_SHARE = 0.55
"""Part of the products of a tile over which the loads of its epilogue are spread. At 4096^3 in
bf16, with bias, GELU and a residual, sleeps of 3 us before each of four slices, 0.55 of the
products of a 128x128 tile, made the kernel 1.2% faster on average, in 7 of 8 runs (H200, driver
580, 2026-11-22). A sleep takes twice as long at most (PTX ISA, nanosleep)."""
MMA_ISSUE_SHARE = 0.963
"""Share of that rate which a warpgroup that only issues wgmma reaches (calibrated)."""

VECTOR_PER_CYCLE = 128
"""Additions, products and fused ones of f32 that an SM does in a cycle (CUDA programming guide,
arithmetic instructions, compute capability 9.0). Four warps issue an instruction of 32 lanes."""
SIMPLE_PER_CYCLE = 64
"""The same of comparisons, minima, maxima, integers and conversions to 16 bits (as above)."""
SPECIAL_PER_CYCLE = 16
"""The same of ex2, lg2, rcp, rsqrt, sin, cos and tanh (as above)."""
ISSUE_PER_CYCLE = 4
"""Instructions that an SM starts in a cycle: one of each warp scheduler (CUDA programming guide,
compute capability 9.0)."""
ACCESSES_PER_CYCLE = 1
"""Loads and stores of a warp whose addresses the load/store units of an SM take in a cycle: there
are 32 of them (H100 white paper). The data take passes on top of that (estimate)."""
SECTORS_PER_CYCLE = 4
"""Sectors of 32 bytes of global memory that the L1 cache of an SM serves in a cycle: a line (Nsight
Compute documentation, memory tables)."""
REWRITTEN_SECTOR_CYCLES = 2
"""Cycles of an SM in which the L2 cache takes a part of a sector that another access of the warp
writes, too. Doubling 4096x4096 of an odd pitch, 16 bytes of a row a thread, took 2.5 cycles for
each 16-bit access to a sector, and 1.6 for each of 32 bits (H100,
docs/measurements/2026-11-25-layout-search.md)."""
NAMED_BARRIER_CYCLES = 30
"""Cycles from an arrival at a named barrier until the warpgroup that waits there goes on (measured
on an H100 by the authors of Meta's branch of Triton, facebookexperimental/triton)."""
SHUFFLE_PER_CYCLE = 32
"""Lanes that warp shuffles serve in a cycle (as above)."""

SHARED_LATENCY = 30
"""Cycles until a load from shared memory has arrived (29 on an H100: Luo et al., "Benchmarking and
dissecting the NVIDIA Hopper GPU architecture", 2024)."""
SHARED_BYTES_PER_CYCLE = 128
"""Shared-memory bandwidth of an SM (CUDA programming guide: 32 banks of 4 bytes per cycle)."""
CALIBRATION = "29 shapes, 3 to 1600 us, in 390 plans each, H200, driver 580, 2026-11-22"
"""What the constants that say `calibrated` were fitted to (`tools/bench/planner.py`): those with
which the model's choices lose least against the fastest plans. Where finalists ran interleaved,
these times count, else a single look at each plan; in looks of more than 25 us, 4% less for plans
whose consumers ping-pong: they gain that much when power is the limit. The constants say how a
cycle more or less changes the choice, not what a part of the chip takes."""
L2_BYTES_PER_CYCLE = 7900
"""L2 read bandwidth of the whole chip, sustained (calibrated; DeepGEMM's model: 6150, 8 TB/s at 1.3
GHz)."""
L2_KEPT_BYTES = 28 << 20
"""Operands of a wave that L2 keeps for the next one: of its 60 MiB, half, as each partition has a
copy of what its SMs read. At 4096^3 in bf16, waves of 128x128 tiles in ping-pong read 25 MiB, and
the kernel 104 MB from memory, as if the rows that two waves share stayed; waves of 128x256 tiles
read 34 MiB, and the kernel 130 MB (ncu, H200, 2026-11-22)."""
HELD_L2_BYTES = 24 << 20
"""The same where threads compute an operand. With weights of 8 bits, waves of 256x128 tiles read
24.5 MiB; in clusters of 1x2 they take 0.91 of the time at 4096^3 and at 4096x8192x4096 if every
second tile begins with the last k-tiles, and alone 0.99 (H100, 2026-11-26)."""
COLD_SHARE = 0.3
"""What the first read of a byte costs beyond a hit in L2, as a share of it (calibrated)."""
MEMORY_CYCLES_PER_SECOND = 1.96721e9
"""Nominal rate of the memory over the bytes that cross its bus in one cycle of an SM: 2440 bytes on
an H200 (calibrated; a copy reaches 4.27 TB/s, 2430 bytes per cycle at 1.755 GHz). On an H100 it
makes 1700: 8192x8192 weights of a product of one row came at 1730 (bf16, 2026-11-25)."""
SM_MEMORY_BYTES_PER_CYCLE = 19.6
"""Bytes from memory that one SM takes in a cycle (calibrated): at 64x12288x4096, 96 CTAs drew 3.3
TB/s, 128 CTAs 3.8 TB/s."""
MEMORY_SHARPNESS = 6
"""How sharply the rate bends from what SMs take to what the bus gives: the two are added as powers
of -6. On an H100 72, 80, 96, 112 and 128 CTAs drew 1340, 1450, 1540, 1650 and 1730 bytes a cycle
(products of few rows, bf16, 2026-11-25); the model says 1350, 1460, 1600, 1640 and 1670. An H200
gave 1880 to 96 and 2165 to 128; the model says 1820 and 2200."""
NEIGHBOUR_SHARE = 0.965
"""What streaming takes where neighbours start in clusters of four, of what it takes without. In 29
looks at products of few rows, with 96 and 112 CTAs, whole kernels took 4.9% less to 0.1% more, on
average 2.9% less (bf16, H100; this and the next ones:
docs/measurements/2026-11-26-skinny-clusters.md)."""
ROOM_FOR_CLUSTERS = 0.1
"""Share of idle SMs from which on CTAs are considered in such clusters. In waves of 112 to 119 CTAs
they gained; in waves of 128, after an early start, 19 looks took 0.9% less to 38% more, on average
19% more."""
MANY_IDLE, MANY_IDLE_SHARE = 1 / 3, 1.04
"""From which share of idle SMs on an early start makes streaming so much slower than the rate of
the memory says: 80 CTAs drew 1320 bytes a cycle, where it says 1460, 128 CTAs 1550 of 1670."""
LAUNCH_CYCLES = 1300
"""What a late start costs (bf16, H100). With 72 and 80 CTAs eight looks at neighbours took 7.7 to
11.7% less after it; with 96 and 112, which are not that idle, all 29 took 0.4 to 8% more."""
ROOM_FOR_NEXT, EVEN_BYTES_PER_CYCLE, EVEN_MOST = 0.5, 60, 1700
"""Share of idle SMs from which on the next launch fits on them; bytes from memory that one SM then
takes in a cycle, and all of them (not measured where the bus gives more). With 20, 24 and 33 CTAs
17x1280x8192, 3x1536x7168 and 8x2112x7168 drew 1160, 1340 and 1510, less 2.4 us. After a late start
any neighbours take that, up to what the bus gives: 36, 56 and 80 drew 1850, 2170 and 2050 on an
H200, less 2 us (docs/measurements/2026-11-28-few-rows.md); 56 to 80 on an H100 1590 to 1730, by the
shares of an early start that were fitted before."""
FILLED_BYTES_PER_CYCLE, LAST_BYTES_PER_CYCLE, UNEVEN_LAST = 24, 100, 0.55
"""Where all SMs have a CTA, in several waves: bytes from memory that an SM takes in a cycle, those
that one of few takes in the last wave, and what this wave costs single CTAs in addition, which lie
unevenly: a share of r * (1 - r) waves if it has r of the SMs. Neighbours in clusters lie evenly
(`EVEN_BYTES_PER_CYCLE`). Of 32 products of 8 rows and 136 to 528 tiles of columns, those with 0.3
to 0.8 of a last wave took 2 to 6% less in clusters on an H100 and up to 9% on an H200, those with
0.9 and more up to 2% and 9% more. UNEVEN_LAST fits 0.4 to 0.8 on the one and 0.8 to 1.4 on the
other; 0.4 to 0.75 choose alike (bf16, docs/measurements/2026-11-28-few-rows.md)."""
CLUSTER_ROOM = 10 / 11
"""Share of the SMs that clusters of four fill: 30 of them fit an H100 and an H200 of 132 SMs, as
the driver says of CTAs with 200 KB (cuOccupancyMaxActiveClusters, 2026-11-28), 66 of two CTAs."""
LESS_THAN_HALF, HALF_WITH_ROOM, CTAS_WITH_ROOM, CLUSTERS_WITH_ROOM = 0.53, 1.07, 1.22, 1.34
"""What an early start then makes streaming slower: of 63 CTAs or more, which fill the SMs with
those of the next launch, of fewer, and of neighbours in clusters. 64 CTAs drew 1460 bytes a cycle,
and took 13.4 to 13.8 us at 8 and 40x4096x4096, in clusters 16.1 and 16.4; 48 and 56 CTAs took 5 to
10% longer than neighbours after a late start at five products. 1.12 for 64 CTAs was 5% too much at
48x4096x4096."""
LATE_WITH_ROOM_CYCLES = 2000
"""What a late start of neighbours then costs (H100)."""
LATE_MARGIN = 0.01
"""Share of streaming that a late start must save at least: the kernel before may be another one."""
NEAR_MARGIN = 0.06
"""The same for single CTAs that read the same bytes: tensor cores then bind nearly as much. With
less, 128x192x64 tiles take 2 to 3% longer at 384x8192x1024 and x2048 (H100, 2026-11-26)."""
CROWD_SAVES, CROWD_MARGIN = 0.12, 0.02
"""Share of streaming that such CTAs save at least, less `LAUNCH_CYCLES`, where the next launch does
not fit next to them; and of that the least that counts. 166 tiles with two readers of the same
columns or more took 13% less after a late start on average, also where computing takes longer than
memory does, those of 7 to 12 us 5% less and of more than 20 us 17%; 3 took over 2% more. Of 144
products of 1 to 256 rows, 34 choices change and take 0.954 of the time, two of them more than 2%
longer. 0.1 to 0.15 choose as well (bf16, H100, docs/measurements/2026-11-27-late-crowds.md)."""
CROWD_BOUND, CROWD_ROWS = 0.7, 256
"""Least share of the computing time that memory takes, and most rows of the product, where that was
seen (same note)."""
LATE_MOST = 1600
"""Bytes from memory that all CTAs draw in a cycle after a late start: 47, 56, 72, 80, 96 and 104
single CTAs drew 1400, 1425, 1400, 1440, 1435 and 1475 with all that a kernel does besides (bf16,
H100, docs/measurements/2026-11-26-skinny-others.md)."""
MEMORY_BOUND = 0.75
"""Least share of the computing time that streaming takes where a late start may pay (estimate)."""
SHARED_READ = 1.12
"""What memory takes longer for an operand that several CTAs read at the same time without sharing
it in a cluster. At 128x4096x7168 64x64 tiles took 26.0 us, in clusters of 2x1 24.0 us; 1.12 chooses
best among the tiles of 43 products of few rows (bf16, H100, 2026-11-25)."""
CROWD, CROWDED_READ = 3, 1.4
"""From how many of them on it takes that much longer, where tiles are not split along K. At
180x5120x14336 three read the weights in 64x128 tiles: 70 us, as if they cost 1.38; two in 96x192
tiles of two splits took 60 us. At 180x4096x4096 64x96 tiles took 19.5 us, as if 1.57; at
250x7168x2048, with four in 64x256 tiles, 17.7 us, as if 1.54, two in 128x128 tiles 15.8 us. In two
splits three and four took what SHARED_READ says, at 180x2112x7168 and 256x2112x7168 (bf16, H100,
2026-11-26)."""
FAR_READ, NEAR_READ = 1.6, 1.1
"""The same in a single wave for the columns of B that a crowd of tiles reads, whose CTAs have
consecutive numbers: after an early start, and where they are in one GPC; there, two cost what one
does. 1.6 chooses best among the tiles of 240 products. After a late start, three and four tiles
streamed as if B cost 0.93 to 1.05, but with 1.0 one of 29 changed choices takes 20% longer, with
1.1 one of 12 takes 5% longer (bf16, H100, docs/measurements/2026-11-26-late-starts.md and
2026-11-27-late-starts.md)."""
RUN_BYTES = 256
"""Bytes of a row that memory gives as fast as it can."""
SHORT_RUN = 1.02
"""What memory takes longer for shorter ones, which k-tiles of 64 elements take of rows of K. At
1x28672x4096 NT 8x128 tiles had 0.96 of cuBLAS with k-tiles of 64, 0.975 with 128, and 8x64 tiles
0.987 with 128, 0.993 with 256 (bf16, H100, 2026-11-25)."""
OVERLAP_SHARPNESS = 5
"""How sharply the time turns from that of memory to that of computing: the two are added as powers
of 5, 15% more where they are alike. At 144x14336x4096 NT 192x112x64 tiles took 9% longer than
144x128x64 in 1x4, at 160x6656x17920 NN 160x64x64 in 1x4 10% longer than 80x128x64 started late; by
the larger of both times alone, 3% less and 1% less. 4 to 8 choose as well up to 256 rows, 5 best
above. After a late start, crowds take no more than the larger one (bf16, H100)."""
HIDDEN_SHARE = 0.12
"""Part of the computing time that counts although the memory bus takes longer: overlap is not
perfect (calibrated)."""
START_CYCLES = 600
"""Cycles until the first bytes of a kernel arrive (calibrated; a TMA load takes 600 to 1000)."""
FILL_BYTES_PER_CYCLE = 128
"""Bytes in a cycle at which the first slot of an SM fills, after its latency (estimate)."""
OUTSIDE_ROW_CYCLES = 7
"""Cycles in which TMA fills 128 bytes of a box that lie in a row outside of the array. k-tiles of
64x32x128 whose A had 1, 4, 16, 32 and 64 rows took 1000, 1000, 900, 780 and 610 cycles (112 to 128
CTAs, bf16, H100, 2026-11-25): the rows outside cost 6.4 each, those inside 3 at most."""
OUTSIDE_TILES, MOSTLY_OUTSIDE_TILES = 2, 3
"""Most tiles along an axis whose rows outside count, and of which the last one lies mostly outside:
others were not measured. At 200x6144x4096 the second 128x128 tile has 72 rows; its k-tiles took
1070 cycles, those of 104x128 tiles 660. At 130x10240x8192 the third 64x256 tile has 2 rows; its
k-tiles took 1150, the model says 1056. At 180x2112x7168 the third 64x112 tile has 52, which cost
nothing (bf16, H100, 2026-11-25)."""
OUTSIDE_PEERS = 8
"""The same in clusters along M, whose peers wait for the tile at the edge. At 210x4096x4096 the
fourth 64x128 tile has 46 rows outside; its k-tiles took 640 cycles in 2x1, alone 450; at
192x6144x5120 the fourth 64x192 tile is there for the cluster alone: 870 (as above, 2026-11-26).
Products with more tiles have little in a single wave."""
COPY_CYCLES = 1165
"""Cycles from the release of a slot to the arrival of its next tile (calibrated)."""
CLUSTER_CYCLES = 2090
"""Cycles that a launch in clusters takes longer: its CTAs start together, wait for each other's
barriers, and end together (calibrated). In bf16 on an H200, 2026-11-21, clusters of 2x1 cost 0.4 us
at 512^3, 0.9 us at 1024^3 and 1.2 us at 2048^3, all of one wave."""
L2_POWER_SHARE = 0.036
"""Cycles lost per cycle of L2 traffic, to power and to bursts (calibrated). 2x1 clusters take a
third of the traffic of 128x256 tiles away; in bf16 on an H200, 2026-11-21, that gained 0.7% at
8192^3 and 1 to 5% at 8192x8192x512, against single CTAs of the same run."""
MMA_BUBBLE_CYCLES = {1: 20, 2: 75, 3: 90}
"""Cycles per k-tile in which the tensor cores idle because consumers wait for a slot and drain
their group, by number of consumer warpgroups (calibrated). A single one keeps a group in flight."""
TOGETHER_BUBBLE_CYCLES = 20
"""Most of them where several products run on the same k-tile: two of 128x128x64 took
1070 cycles together, two of 128x176x64 1494, of which the tensor cores need 1024 and 1408 (SwiGLU,
4096^3, B with K contiguous, ncu, H100, 2026-11-26)."""
TOGETHER_WRITE_SHARE = 0.5
"""Part of the writes of TMA that then delays reads of shared memory, where consumers share a tile.
Reads and writes of two 128x128x64 would take 1152 cycles, and they took 1070 (as above); those of
two 64x128x64 of one consumer 704, and they took about as long."""
HELD_CYCLES = 0.085
"""Cycles in which threads compute an element of an A operand in registers: with weights of 8 bits
and a scale, 256 of them for 128 columns take 1.3 times as long as 128 for 256, and 128 for 128 1.35
times (4096^3, bf16, H100, 2026-11-26)."""
ALONE_SHARE = 0.5
"""Part of these cycles that the products of a single consumer do not hide."""
STAGED_CYCLES = 0.09
"""Cycles in which threads compute an element of an operand and store it in shared memory, while no
product runs (the same products, with B staged)."""
THREAD_COPY_CYCLES = 0.14
"""Cycles by which a copy of a thread (`cp.async`) lengthens a round: 128x256x64 tiles whose 1024
copies take gathered rows took 143 cycles more for a k-tile than with TMA, 256x128x64 tiles with
2048 copies 290 (8192x2048x4096, bf16, H100, docs/measurements/2026-11-27-copied-operands.md)."""
PINGPONG_BUBBLE_CYCLES = 27
"""The same of consumers that ping-pong (calibrated)."""
TURN_CYCLES = 103
"""Cycles per tile until the turn has gone from one consumer to the other (calibrated)."""
EPILOGUE_CYCLES = 1820
"""Cycles between the products of two tiles in addition to those of parts and elements
(calibrated)."""
PART_CYCLES = 107
"""Cycles of two barriers, a fence and a store, for each part (calibrated)."""
ELEMENT_CYCLES = 1.93
"""Cycles in which every thread of a warpgroup converts and stages one element (calibrated)."""
PINGPONG_EPILOGUE = 1.3
"""How much longer parts and elements take while another warpgroup multiplies (calibrated)."""
DEFERRED_CYCLES = 1250
"""The same where a tile is stored while the products of the next one run: it is converted, and its
parts lengthen the k-tiles that hide them. A tile of 128x256 then took 1330 to 1400 cycles less at
4096^3, in bf16 and in clusters of 2x1 (ncu, H200, 2026-11-22); by the model 100 less, as at
8192x8192x2048 tiles of 128x192 in ping-pong took 2% less time."""
SLICE_ELEMENTS = 32
"""Elements of a slice that a thread computes at a time, at most: with 64 of them, consumers in
ping-pong (128x128 in 2x1, a slot for each slice) took 1.4% longer at 4096^3 (H200, 2026-11-22)."""
SLICE_CYCLES = 144
"""Cycles of the waits and barriers of a slice, twice that where a single staging slot has to be
read first. This and the next two: fitted to the cycles (ncu, H200, 2026-11-22) of the epilogue of
matmul_bias_gelu.tile at 4096^3 in slices of 16, 32 and 64 columns with 2 to 8 slots of the ring."""
SLICE_LOAD_CYCLES = 850
"""Cycles from the request of a slice to its arrival from memory."""
RING_CYCLES = 6600
"""Cycles of a tile that a ring of one stage would cost: with 3 stages instead of 4, 550 more."""
LOOP_ROUNDS = 8
"""Rounds that a loop is taken to have where nobody knows (estimate)."""
LOADED_CYCLES = 12
"""Cycles in which every thread of a warpgroup reads, widens and adds an element that the epilogue
has loaded (as above, with the residual alone)."""
LOADED_REGISTERS = 48
"""Registers that an epilogue needs which computes with loaded tiles, on top of those of any other
(measured with ptxas 13.0: 160 accumulators fit, 176 spill in clusters)."""
COMBINED_REGISTERS = 24
"""Registers that an epilogue needs which computes with several accumulators, on top of those of any
other (measured with ptxas 13.5: silu(x) * y of two accumulators of 88 registers fits, of 96 spills
40 bytes)."""
LOADED_DEFERRAL_REGISTERS = 16
"""Registers that a tile which waits takes more, for each 16 bits beyond the first ones that its
epilogue loads for an element (measured with ptxas 13.0: 128x256 with GELU and a bf16 residual does
not spill at 240 registers, with an f32 residual 68 bytes)."""
LOADED_REREAD_SHARE = 0.5
"""What it costs shared memory when a warpgroup reads the same columns of B for its next 64 rows, as
a part of the first time, where consumers ping-pong and the epilogue loads tiles. At 4096^3, with
bias, GELU and a residual, tiles of 128x128 in ping-pong took 1.2% longer than tiles of 128x256
that are stored after the next products, on average of eight comparisons (H200, driver 580,
2026-11-22), although fewer cycles by ncu: the chip was at its power
limit, and its operands come from L2 twice as often."""
LOADED_CLUSTER_CYCLES = 9
"""Cycles per k-tile that clusters cost where an epilogue loads tiles: at 4096^3 2x1 took 2.7%
longer with consumers in ping-pong, 0.8 and 1.7% with consumers that share a tile which waits (H200,
2026-11-22)."""
EXCHANGE_CYCLES = 2600
"""Cycles until the last split of a tile sees the partial sums of the others: they go to L2 after a
fence, and then the word that they are there, for which the last split polls. A poll that slept for
up to 512 ns took 0.2 to 0.6 us longer (nine products of few rows, bf16, H100, 2026-11-25)."""
PARTIAL_BYTES_PER_CYCLE = {1: 14, 2: 16, 3: 16}
"""Bytes of partial sums that the last split adds in a cycle, by number of consumer warpgroups. At
1024x1024x8192 64x256 tiles of one took 2 to 5% longer in two splits than 128x128 tiles of two, in
10 of 11 comparisons, where the other terms are the same (bf16, H100, 2026-11-25). With both prices,
the model picks what was measured as best or second at 512x512x16384, 1024x1024x8192 and
4096x128x4096, in bf16 with 1 to 8 splits (H200, 2026-11-22), and loses least at 43 products of few
rows (H100, 2026-11-25)."""
PARTIAL_LATENCY = 700
"""Cycles until the partial sums that a thread loads together have come (estimate). With one at a
time, tiles of 32x64 in 16 splits took 16.9 us at 128x128x65536, with four 16.3 us (bf16, H100,
2026-11-25)."""

REGISTER_STEP = 8
"""setmaxnreg takes multiples of this (PTX ISA, setmaxnreg)."""
MIN_REGISTERS = 24
"""Smallest count that setmaxnreg takes (PTX ISA, setmaxnreg)."""
MAX_REGISTERS = 256
"""Largest count that setmaxnreg takes (PTX ISA, setmaxnreg)."""
CONSUMER_OVERHEAD = 32
"""Registers that a GEMM consumer needs on top of its accumulators (measured with ptxas 13.0: 208
accumulators of 240 registers fit, 216 spill)."""
DEFERRAL_OVERHEAD = 16
"""Registers that a consumer needs more when a tile waits in registers for the next one (measured
with ptxas 13.0: 128 accumulators and 64 registers of the tile spill 16 bytes at 232, none at 240).
"""
OPERAND_OVERHEAD = 16
"""Registers that a consumer needs more when it computes an A operand for the next product (measured
with ptxas 13.5, attention of depth 256: 128 registers of the result, 40 of scores and 20 of weights
spill 4 bytes at 232 registers, none at 240, 2026-11-24)."""
DEFERRED_COLUMNS = 16
"""Columns of a slice that are computed while one product of the next tile runs. During 1024 cycles
of products 16 columns of GELU hide but for 90 cycles, 32 cost 360 and 64 cost 720 (measured on an
H200 by ncu, 2026-11-22: 128x256 tiles of 64 k-tiles, two warpgroups).
"""
MMA_OVERHEAD = 26
"""Registers that ptxas needs on top of the accumulators of one wgmma, all within the allocation at
kernel entry: fewer give error C7602 (measured with ptxas 13.0)."""

SWIZZLE_BYTES = 128
"""Widest swizzle span (cuda.h, CUtensorMapSwizzle): the contiguous bytes of an operand box."""
SLOT_ALIGNMENT = 1024
"""Alignment of a ring slot: the repeat of the 128-byte swizzle (PTX ISA, swizzling modes)."""
SHARED_RESERVE_BYTES = 1024 + 1024
"""Shared memory kept for barriers and for aligning the first slot."""
EPILOGUE_PART_BYTES = 8192
"""Part of a result that a warpgroup stages at a time: 64 rows of one swizzle span."""
EPILOGUE_SLOTS = 2
"""Staging slots of each warpgroup in the epilogue: one is filled while TMA reads the other."""
MIN_STAGES = 3
"""Fewest slots that keep loads early for a consumer that holds one and frees one."""
MIN_SHARED_STAGES = 2
"""Fewest slots where memory bounds the time: one is read while one is filled."""
MAX_STAGES = 16
"""Most slots of a ring. At 4096x128x4096, 64x64 tiles with 13 slots of 16 KB took three quarters of
the time of those with 4 slots of 32 KB (bf16, H200, 2026-11-21)."""
FLIGHT_BYTES = 128 * 1024
"""Bytes of operands in flight or in use per SM that come before room for the epilogue (estimate:
two 48 KB slots being read while the next ones cover a latency of about 1000 cycles at 46 bytes per
clock)."""
STREAM_FLIGHT_BYTES = 64 * 1024
"""Bytes to keep in flight per SM in a memory-bound kernel: by Little's law those of 4.2 TB/s and 2
us, which a load takes when the memory is busy. Sums of rows with a ring of 32 KB had 0.76 to 0.79
of the speed of a copy, with 64 KB 0.86 to 0.87. Where blocks wait for tiles that their threads
load, one block of 32 KB on an SM had 0.45 to 0.61, blocks with 64 KB 0.68 to 0.96 (H200,
2026-11-23). With products, one new query of attention took 0.3 to 4 % longer with 128 KB and 1.7
to 4 % with 192 KB (H100, 2026-11-25)."""

MAX_CLUSTER_CTAS = 8
"""Largest portable cluster (CUDA programming guide, thread block clusters)."""
SPREADS = (1, 2, 4, 8, 16)
"""CTAs that may compute a block together. Hopper has clusters of 16 where a kernel allows a size
that is not portable (CUDA programming guide, thread block clusters)."""
